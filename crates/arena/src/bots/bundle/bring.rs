//! From a bundle to a bot at the table, and from an upload to a bundle that counts.

use std::sync::Arc;

use rookery_catalog::CATALOG;
use rookery_live::{Opening, Programs, Stopping};
use rookery_rules::Seed;
use rookery_rules::text::clean_lines;
use rookery_sandbox::Sandbox;
use rookery_store::{BundleState, EntrantId, NewBundle, Store, StoredBundle};
use rookery_wire::Protocols;

use super::super::{
    BotProblem, BuildLimits, Building, Built, Candidate, FoundBot, Validation, Validity, foreign,
};
use super::BundleError;
use super::cache::{BundleCache, InUse};

/// The time for each move of a validation game at the door: enough for any start, and an end.
const MOVE_TIME: &str = "10s";
/// The most bytes that are kept of what a bundle did wrong.
const MAX_PROBLEM: usize = 8 << 10;

/// Where bundles are unpacked and how they are confined: what a worker, a server and a command line all have.
#[derive(Clone, Debug)]
pub struct Bundles {
    cache: BundleCache,
    sandbox: Sandbox,
    limits: BuildLimits,
}

/// A bundle that was taken in, and what came of its validation games.
#[derive(Debug)]
pub struct TakenIn {
    /// As it stands in the store now.
    pub bundle: StoredBundle,
    /// What it did wrong, if it did.
    pub problem: Option<String>,
}

impl Bundles {
    /// With this cache, and this sandbox for building and playing. What a command names is not shown to a program: whoever
    /// wrote the bot wrote the command.
    pub fn new(cache: BundleCache, sandbox: Sandbox) -> Self {
        Self { cache, sandbox: foreign(sandbox), limits: BuildLimits::default() }
    }

    /// Where its programs are started: for [`FoundBot::place`].
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The bot of a bundle, verified, and built if it has to be; it stays in the cache as long as the other part of the
    /// answer lives. `fetch` is called where the cache does not have it.
    pub fn bring(
        &self,
        wanted: &StoredBundle,
        fetch: &mut dyn FnMut() -> Result<Vec<u8>, BundleError>,
        stopping: &Stopping,
    ) -> Result<(FoundBot, InUse), BundleError> {
        let (bot, in_use) = self.cache.get(wanted, fetch)?;
        let building =
            Building { sandbox: &self.sandbox, cache: &self.cache.built(), limits: self.limits, stopping };
        let Built { mut bots, mut refused } = building.build(vec![bot], &mut |_| {})?;
        match (bots.pop(), refused.pop()) {
            (Some(bot), _) => Ok((bot, in_use)),
            (None, Some(problem)) => Err(BundleError::Bot(Box::new(problem))),
            (None, None) => Err(BundleError::Build(super::super::BuildError::Stopped)),
        }
    }

    /// The same from a store at hand.
    pub fn bring_from(
        &self,
        store: &Store,
        wanted: &StoredBundle,
        stopping: &Stopping,
    ) -> Result<(FoundBot, InUse), BundleError> {
        self.bring(wanted, &mut || Ok(store.bundle(wanted.version)?), stopping)
    }

    /// Looks at an archive that somebody brings, and keeps it in the store. It may not be seated before it was tried.
    pub fn take_in(
        &self,
        store: &Store,
        bytes: Vec<u8>,
        owner: Option<EntrantId>,
    ) -> Result<StoredBundle, BundleError> {
        let (bot, _in_use) = self.cache.unpack(&bytes)?;
        let label = bot.full_version();
        let FoundBot { name, hash, .. } = bot;
        Ok(store.put_bundle(NewBundle { name, owner, label, contents: hash, bytes })?)
    }

    /// Builds a bundle and lets it play a short game of each game that it says it plays, and writes down what came of it. Our
    /// own trouble leaves it as it was, to be tried again.
    pub fn try_out(
        &self,
        store: &Store,
        bundle: StoredBundle,
        protocols: &dyn Fn() -> Protocols,
        stopping: &Stopping,
    ) -> Result<TakenIn, BundleError> {
        let problem = match self.bring_from(store, &bundle, stopping) {
            Ok((bot, _in_use)) => self.play(&bot, protocols, stopping)?,
            Err(error) if error.is_of_the_bundle() => Some(error.to_string()),
            Err(error) => return Err(error),
        };
        let problem = problem.map(|problem| {
            let mut problem = clean_lines(&problem);
            problem.truncate(problem.floor_char_boundary(MAX_PROBLEM));
            problem
        });
        let state = if problem.is_none() { BundleState::Ready } else { BundleState::Failing };
        store.set_bundle_state(bundle.version, state, problem.as_deref().unwrap_or_default())?;
        let bundle = StoredBundle { state, problem: problem.clone().unwrap_or_default(), ..bundle };
        Ok(TakenIn { bundle, problem })
    }

    /// What is wrong with a bot, if anything is.
    fn play(
        &self,
        bot: &FoundBot,
        protocols: &dyn Fn() -> Protocols,
        stopping: &Stopping,
    ) -> Result<Option<String>, BundleError> {
        let all = || CATALOG.iter().map(|game| game.name().to_owned()).collect();
        let games: Vec<String> = bot.games.clone().unwrap_or_else(all);
        for game in games {
            let problem = self.play_one(bot, &game, protocols(), stopping)?;
            if problem.is_some() {
                return Ok(problem);
            }
        }
        Ok(None)
    }

    /// Lets a bot play the validation game of one game spec, with time enough for any start. What is wrong with it, if anything
    /// is.
    pub fn play_one(
        &self,
        bot: &FoundBot,
        game: &String,
        protocols: Protocols,
        stopping: &Stopping,
    ) -> Result<Option<String>, BundleError> {
        let programs = match self.programs(std::slice::from_ref(bot), game, protocols) {
            Ok(programs) => programs,
            Err(problem) => return Ok(Some(problem.to_string())),
        };
        let validation = Validation {
            programs: &programs,
            games: std::slice::from_ref(game),
            time: MOVE_TIME.parse().expect("it is a time for each move"),
            conduct: None,
            seed: Seed(0),
            concurrency: 1,
            stopping,
            announce: &|_, _| {},
        };
        let validated = validation.validate(&[Candidate::from(bot)], &mut |_| {});
        let validated = validated.map_err(|error| BundleError::Arena(Box::new(error)))?;
        match validated.into_iter().next().map(|bot| bot.outcome) {
            Some(Validity::Passed) | None => Ok(None),
            Some(Validity::Failing(failing)) => {
                let stderr = failing.stderr.map(|text| format!("\n{text}")).unwrap_or_default();
                Ok(Some(format!("{} ({}){stderr}", failing.sentence, failing.game)))
            }
            Some(Validity::Unknown(why)) => {
                Err(BundleError::Other(format!("{} could not be tried: {why}", bot.name)))
            }
        }
    }

    /// How these bots are started for matches of a game: by their names, each in its folder, in the sandbox.
    pub fn programs(
        &self,
        bots: &[FoundBot],
        game: &str,
        protocols: Protocols,
    ) -> Result<Programs, Box<BotProblem>> {
        let name = game.split(':').next().unwrap_or(game);
        let spoken = bots.iter().map(|bot| Ok((bot.name.clone(), bot.protocol_in(name, &protocols)?)));
        let spoken = spoken.collect::<Result<_, BotProblem>>()?;
        let opening = Opening {
            sandbox: Some(self.sandbox.clone()),
            places: Arc::new(bots.iter().map(|bot| bot.place(&self.sandbox)).collect()),
            ..Opening::default()
        };
        Ok(Programs::new(protocols, opening, spoken, false))
    }
}
