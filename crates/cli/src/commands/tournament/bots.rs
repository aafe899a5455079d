//! The folders of bots of a tournament: found, built, seated.

use std::collections::{BTreeSet, HashMap};
use std::io::{Write as _, stderr};
use std::path::PathBuf;
use std::sync::Arc;

use rookery_arena::bots::{
    BotFolder, BotProblem, BuildLimits, Building, Built, Bundles, Candidate, FoundBot, InUse, Progress,
    foreign,
};
use rookery_live::{Programs, Stopping};
use rookery_referee::SeatSpec;
use rookery_rules::GameSpec;
use rookery_rules::text::clean;
use rookery_sandbox::{Level, Sandbox};
use rookery_store::{BundleState, EntrantKind, Store, StoreError};
use rookery_tournament::{EntrantSpec, TournamentSpec, TrialNote, TrialOutcome};

use crate::commands::entrants::hash;
use crate::data_folder::cache_folder;
use crate::programs::ProgramArgs;
use crate::spec::UsageError;

/// The flags of folders of bots.
#[derive(Debug, clap::Args)]
pub(super) struct BotsArgs {
    /// A folder with a bot in each subfolder (docs/bots-folder.md); they are built, and tried before anything counts
    #[arg(long, value_name = "DIR")]
    bots: Vec<PathBuf>,

    /// Programs that fail the game before the first round take part all the same
    #[arg(long)]
    keep_failing: bool,
}

impl BotsArgs {
    pub(super) fn keep_failing(&self) -> bool {
        self.keep_failing
    }

    /// The bots that are there. What is wrong with others is said.
    pub(super) fn found(&self) -> anyhow::Result<Bots> {
        let (mut all, mut wrong): (Vec<FoundBot>, Vec<BotProblem>) = (vec![], vec![]);
        for folder in &self.bots {
            let BotFolder { bots, refused, skipped } =
                BotFolder::read(folder).map_err(|error| UsageError(format!("--bots: {error}")))?;
            tell_all(&skipped, "is not looked at");
            tell_all(&refused, "is left out");
            all.extend(bots);
            wrong.extend(refused);
        }
        let mut names = BTreeSet::new();
        for bot in &all {
            if !names.insert(bot.name.to_lowercase()) {
                let name = &bot.name;
                return Err(UsageError(format!(
                    "--bots: two folders have a bot called {name}; rename one in its bot.toml"
                ))
                .into());
            }
        }
        Ok(Bots { found: all, refused: wrong, ..Bots::default() })
    }

    /// The bots that can be started: those that have to be built are, once. A tournament may demand a level of the sandbox.
    pub(super) fn prepare(
        &self,
        programs: &ProgramArgs,
        demanded: Option<Level>,
        stopping: &Stopping,
        quiet: bool,
    ) -> anyhow::Result<Bots> {
        let Bots { found: bots, refused: mut wrong, .. } = self.found()?;
        if bots.is_empty() {
            return Ok(Bots { refused: wrong, ..Bots::default() });
        }
        let sandbox = foreign(programs.folder_sandbox(demanded)?);
        let building = Building {
            sandbox: &sandbox,
            cache: &cache_folder().join("bots"),
            limits: BuildLimits::default(),
            stopping,
        };
        let mut seen = |progress: &Progress<'_>| step("built", progress, quiet);
        let Built { bots, refused } = building.build(bots, &mut seen)?;
        tell_all(&refused, "is left out");
        wrong.extend(refused);
        Ok(Bots { found: bots, refused: wrong, sandbox: Some(sandbox), ..Bots::default() })
    }
}

/// The bots of a tournament's folders, and its bundles.
#[derive(Debug, Default)]
pub(super) struct Bots {
    found: Vec<FoundBot>,
    /// Those that cannot be started.
    refused: Vec<BotProblem>,
    /// Where those of folders are started.
    sandbox: Option<Sandbox>,
    /// Those among the entrants that come from the store.
    bundles: Vec<Bundle>,
}

/// A bundle that takes part.
#[derive(Debug)]
struct Bundle {
    /// The bot under the name that it has here.
    bot: FoundBot,
    /// Exactly this archive.
    seat: SeatSpec,
    sandbox: Sandbox,
    _in_use: InUse,
}

impl Bots {
    /// Brings the bundles among the entrants from the store. Only what may be seated is, but for a tournament that has begun
    /// with it.
    pub(super) fn add_bundles(
        &mut self,
        spec: &TournamentSpec,
        store: &Store,
        programs: &ProgramArgs,
        stopping: &Stopping,
        has_begun: bool,
    ) -> anyhow::Result<()> {
        let mut bundles: Option<Bundles> = None;
        for entrant in &spec.entrants {
            let SeatSpec::Bundle { name, sha256 } = &entrant.player else { continue };
            let found = store.find_bundle(name, sha256.as_deref())?;
            if !has_begun && found.state != BundleState::Ready {
                let state = found.state.word();
                let problem = format!(
                    "{} is {state}; expected a bundle that is ready (`rookery bot list`)",
                    entrant.player
                );
                return Err(UsageError(problem).into());
            }
            let bundles = match &mut bundles {
                Some(bundles) => bundles,
                none => none.insert(programs.bundles(spec.sandbox.as_deref())?),
            };
            let (bot, in_use) = bundles.bring_from(store, &found, stopping)?;
            self.bundles.push(Bundle {
                bot: FoundBot { name: entrant.name.clone(), ..bot },
                seat: SeatSpec::Bundle { name: found.name, sha256: Some(found.sha256.to_string()) },
                sandbox: bundles.sandbox().clone(),
                _in_use: in_use,
            });
        }
        Ok(())
    }

    /// Writes down which archives take part, and how they are confined: the same whenever it goes on, and on whatever machine.
    pub(super) fn pin(&self, spec: &mut TournamentSpec) {
        for Bundle { bot, seat, .. } in &self.bundles {
            for entrant in spec.entrants.iter_mut().filter(|entrant| entrant.name == bot.name) {
                entrant.player = seat.clone();
                entrant.version = Some(bot.full_version());
            }
        }
        if let Some(Bundle { sandbox, .. }) = self.bundles.first() {
            spec.sandbox = Some(sandbox.policy().level.to_string());
        }
    }

    /// All of them, with their sandboxes.
    fn all(&self) -> impl Iterator<Item = (&FoundBot, &Sandbox)> {
        let folders =
            self.sandbox.iter().flat_map(|sandbox| self.found.iter().map(move |bot| (bot, sandbox)));
        folders.chain(self.bundles.iter().map(|bundle| (&bundle.bot, &bundle.sandbox)))
    }

    pub(super) fn entrants(&self) -> Vec<EntrantSpec> {
        self.found.iter().map(FoundBot::entrant).collect()
    }

    /// Keeps which contents the bots of folders have that take part: the versions by name.
    pub(super) fn put_versions(
        &self,
        store: &Store,
        spec: &TournamentSpec,
    ) -> Result<HashMap<String, u64>, StoreError> {
        let mut versions = HashMap::new();
        for bot in &self.found {
            let takes_part = spec.entrants.iter().any(|entrant| entrant.name == bot.name);
            if let Some(sha256) = hash(&bot.hash).filter(|_| takes_part) {
                let kind = EntrantKind::of_seat(&bot.entrant().player);
                let entrant = store.entrant(&bot.name, kind)?;
                let version = store.put_version(entrant, sha256, &bot.full_version(), None)?;
                versions.insert(bot.name.clone(), version);
            }
        }
        Ok(versions)
    }

    /// Whoever takes part has the files it had before: other files are another player.
    pub(super) fn expect_same(&self, spec: &TournamentSpec) -> Result<(), UsageError> {
        for entrant in spec.entrants.iter().filter(|entrant| entrant.version.is_some()) {
            let name = clean(&entrant.name);
            let found = self.all().map(|(bot, _)| bot).find(|bot| bot.name == entrant.name);
            let found = found.ok_or_else(|| {
                UsageError(format!("{name} takes part, and its folder is gone; bring it back, then resume"))
            })?;
            if Some(found.full_version()) != entrant.version {
                return Err(UsageError(format!(
                    "the files of {name} are not those it played with; bring them back, or hold a new tournament"
                )));
            }
        }
        Ok(())
    }

    /// Tells programs where each bot is started, and what it speaks.
    pub(super) fn seat(&self, programs: &mut Programs, game: &str) -> Result<(), UsageError> {
        let game = GameSpec::parse(game).map_err(|error| UsageError(error.to_string()))?.game;
        let places = Arc::make_mut(&mut programs.opening.places);
        places.extend(self.all().map(|(bot, sandbox)| bot.place(sandbox)));
        for bot in self.all().map(|(bot, _)| bot).filter(|bot| bot.protocol.is_some()) {
            let protocol = bot.protocol_in(&game, &programs.protocols);
            let protocol = protocol.map_err(|problem| UsageError(sentence(&problem)))?;
            programs.spoken.retain(|(name, _)| *name != bot.name);
            programs.spoken.push((bot.name.clone(), protocol));
        }
        Ok(())
    }

    /// All programs of a tournament, as they are to show that they can play.
    pub(super) fn candidates(&self, spec: &TournamentSpec) -> Vec<Candidate> {
        let programs = spec.entrants.iter().filter(|entrant| entrant.player.is_program());
        let candidate = |entrant: &EntrantSpec| {
            let found = self.all().map(|(bot, _)| bot).find(|bot| bot.name == entrant.name);
            found.map_or_else(|| Candidate::from(entrant), Candidate::from)
        };
        programs.map(candidate).collect()
    }

    /// Who takes no part because it cannot be started.
    pub(super) fn refused(&self) -> Vec<TrialNote> {
        let note = |problem: &BotProblem| {
            let reason = format!("{}; expected {}", problem.problem, problem.expected);
            TrialNote::new(&problem.name, TrialOutcome::LeftOut, &reason)
        };
        self.refused.iter().map(note).collect()
    }
}

/// One more is done.
pub(super) fn step(what: &str, progress: &Progress<'_>, quiet: bool) {
    if !quiet && progress.is_fine {
        say(&format!("{what} {} ({} of {})", clean(progress.name), progress.done, progress.of));
    }
}

fn tell_all(problems: &[BotProblem], what: &str) {
    for problem in problems {
        say(&format!("{} {what}: {}", clean(&problem.name), sentence(problem)));
    }
}

fn sentence(problem: &BotProblem) -> String {
    let output = problem.output.as_ref().map(|text| format!("\n{}", indented(text))).unwrap_or_default();
    format!("{}; expected {}{output}", problem.problem, problem.expected)
}

pub(super) fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

pub(super) fn say(text: &str) {
    // Whoever closed our standard error wants to hear nothing.
    let _ = writeln!(stderr(), "{text}");
}
