//! `rookery tournament run` and `resume`.

use std::io::{IsTerminal as _, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;
use rookery_arena::{Elsewhere, Holding, Tournament, fewer_games};
use rookery_live::{Programs, Stopping};
use rookery_originals::StopArgs;
use rookery_referee::{MatchSpec, SeatEntry, TimeControl};
use rookery_rules::text::clean;
use rookery_store::{Page, Store, TournamentFilter, TournamentId};
use rookery_tournament::TournamentSpec;
use rookery_wire::Protocols;
use serde::{Deserialize, Serialize};

use super::agreed::AgreedArgs;
use super::bots::{Bots, BotsArgs};
use super::held::{Counted, Progress};
use super::show;
use super::sign_up::SignUpArgs;
use crate::commands::matches::whole;
use crate::cores::CoreArgs;
use crate::dispatch_args::DispatchArgs;
use crate::programs::{ProgramArgs, say_where};
use crate::spec::UsageError;
use crate::stop::watch;
use crate::store_args::StoreArgs;

/// Hold a tournament from its first game to its last
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    agreed: AgreedArgs,

    #[command(flatten)]
    bots: BotsArgs,

    #[command(flatten)]
    sign_up: SignUpArgs,

    /// Only say what would be played: pairings, the number of games, the time
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    how: HowArgs,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object (docs/results.md)
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery tournament run --format round-robin hexapawn easy medium hard --games 10
  rookery tournament run --format swiss --rounds 9 --bots bots/ --time 1s hexapawn:rows=6,cols=6
  rookery tournament run --format gauntlet fish mine=\"cmd:./my-bot\" level:3 level:4 level:5
  rookery tournament run evening.toml --dry-run
  rookery tournament run fish easy hard --games 1000 --store postgres://rookery@db/rookery --dispatch nats://db:4222";

/// The flags that say how it is held on this machine.
#[derive(Debug, clap::Args)]
pub(super) struct HowArgs {
    #[command(flatten)]
    cores: CoreArgs,

    #[command(flatten)]
    dispatch: DispatchArgs,

    #[command(flatten)]
    programs: ProgramArgs,

    #[command(flatten)]
    stop: StopArgs,
}

/// Go on with a tournament where it stopped
#[derive(Debug, clap::Args)]
#[command(after_help = RESUME_EXAMPLES)]
pub(super) struct ResumeArgs {
    /// Which tournament; without it the only unfinished one
    #[arg(value_name = "ID")]
    id: Option<TournamentId>,

    /// Games at the same time, if not as before
    #[arg(long, short = 'c', value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: Option<u16>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object (docs/results.md)
    #[arg(long)]
    json: bool,

    /// No progress
    #[arg(long, short)]
    quiet: bool,
}

const RESUME_EXAMPLES: &str = "\
Examples:
  rookery tournament resume
  rookery tournament resume 5t4e73e59t98 --store evening.db";

/// How a tournament was started, kept in its store so that `resume` needs no flags.
#[derive(Debug, Serialize, Deserialize)]
struct Started {
    folder: PathBuf,
    args: Vec<String>,
}

/// A command line that was kept.
#[derive(Debug, clap::Parser)]
struct KeptLine {
    #[command(flatten)]
    args: Args,
}

/// What is shown of it, and to whom.
#[derive(Clone, Copy)]
struct Showing {
    json: bool,
    quiet: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let showing = Showing { json: args.json, quiet: args.quiet };
    let stopping = watch(Some(args.how.stop.grace()))?;
    if args.dry_run {
        let spec = args.agreed.spec(args.bots.found()?.entrants())?;
        return show::plan(&spec, args.how.concurrency(&spec), args.json, out);
    }
    let mut bots = args.bots.prepare(&args.how.programs, &stopping, args.quiet)?;
    // Before anybody is waited for: what cannot be opened is said at once.
    let store = args.store.write()?;
    bots.add_bundles(&args.agreed.draft(vec![])?, &store, &args.how.programs, &stopping, false)?;
    // Those who sign up are reached by it until the end.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (mut spec, programs) = if args.sign_up.is_asked_for() {
        let mut draft = args.agreed.draft(bots.entrants())?;
        bots.pin(&mut draft);
        let programs = args.how.all_programs(&draft, &bots)?;
        let signed_up = args.sign_up.wait(&programs, &runtime, &stopping)?;
        if let Some(code) = stopping.exit_code() {
            return Ok(ExitCode::from(code));
        }
        let mut spec = args.agreed.spec([bots.entrants(), signed_up].concat())?;
        bots.pin(&mut spec);
        (spec, Some(programs))
    } else {
        let mut spec = args.agreed.spec(bots.entrants())?;
        bots.pin(&mut spec);
        let programs = args.how.programs_of(&spec, &bots)?;
        (spec, programs)
    };
    if let Some(programs) = programs.as_ref().filter(|_| !bots.is_empty()) {
        let concurrency = args.how.concurrency(&spec);
        let left_out = bots.validate(&spec, programs, concurrency, &stopping, args.quiet)?;
        if !args.bots.keep_failing() {
            spec.entrants.retain(|entrant| !left_out.contains(&entrant.name));
        }
        if let Some(code) = stopping.exit_code() {
            return Ok(ExitCode::from(code));
        }
        spec.check().map_err(|error| UsageError(clean(&error.to_string())))?;
    }
    let tournament = Tournament::create(&store, spec).map_err(usage)?;
    let started = Started { folder: std::env::current_dir()?, args: own_args() };
    store.put_how(tournament.id(), &serde_json::to_string(&started)?)?;
    hold(&tournament, &store, &args.how, programs.as_ref(), &stopping, showing, out)
}

pub(super) fn resume(args: &ResumeArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    args.store.expect_there()?;
    let store = args.store.write()?;
    let id = match args.id {
        Some(id) => id,
        None => only_unfinished(&store)?,
    };
    let tournament = Tournament::open(&store, id).map_err(usage)?;
    let kept = store.how(id)?.ok_or_else(|| {
        UsageError(format!("tournament {id} was not started by this command; it goes on where it is held"))
    })?;
    let Started { folder, args: line } = serde_json::from_str(&kept)?;
    // Folders and programs were named from there.
    std::env::set_current_dir(&folder).map_err(|error| {
        UsageError(format!("{}: {error}; the tournament was started there", folder.display()))
    })?;
    let first = KeptLine::try_parse_from(std::iter::once("run".to_owned()).chain(line)).map_err(|error| {
        UsageError(format!("the command that started tournament {id} cannot be read: {error}"))
    })?;
    let Args { mut how, bots, .. } = first.args;
    how.cores.concurrency = args.concurrency.or(how.cores.concurrency);
    let stopping = watch(Some(how.stop.grace()))?;
    let mut bots = bots.prepare(&how.programs, &stopping, args.quiet)?;
    bots.add_bundles(tournament.spec(), &store, &how.programs, &stopping, true)?;
    bots.expect_same(tournament.spec())?;
    let programs = how.programs_of(tournament.spec(), &bots)?;
    let showing = Showing { json: args.json, quiet: args.quiet };
    hold(&tournament, &store, &how, programs.as_ref(), &stopping, showing, out)
}

/// The words behind `tournament run`.
fn own_args() -> Vec<String> {
    let args = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    args.skip_while(|arg| arg != "run").skip(1).collect()
}

/// The only tournament of a store that is not over.
pub(super) fn only_unfinished(store: &Store) -> anyhow::Result<TournamentId> {
    let filter = TournamentFilter { unfinished: true, ..TournamentFilter::default() };
    let found = store.tournaments(&filter, Page { before: None, limit: 10 })?;
    match &found[..] {
        [only] => Ok(only.id),
        [] => Err(UsageError(
            "no tournament of this store is unfinished; `rookery tournaments list` shows all".to_owned(),
        )
        .into()),
        several => {
            let ids: Vec<String> = several.iter().map(|tournament| tournament.id.to_string()).collect();
            Err(UsageError(format!(
                "several tournaments are unfinished: {}; name one of them",
                ids.join(", ")
            ))
            .into())
        }
    }
}

/// Plays what is left to play, and says how it stands.
fn hold(
    tournament: &Tournament,
    store: &Store,
    how: &HowArgs,
    programs: Option<&Programs>,
    stopping: &Stopping,
    showing: Showing,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let spec = tournament.spec();
    let say = |text: &str| if showing.quiet { Ok(()) } else { writeln!(stderr(), "{text}") };
    say(&format!("tournament {}: {}", tournament.id(), clean(&spec.name)))?;
    let n_programs =
        spec.entrants.iter().filter(|entrant| entrant.player.is_program()).count().min(spec.seats);
    let mut concurrency = how.concurrency(spec);
    if let Some((room, files)) = fewer_games(concurrency, n_programs, false) {
        say(&format!(
            "{room} games at a time instead of {concurrency}: this process may open {files} files"
        ))?;
        concurrency = room;
    }
    let plan = spec.plan().map_err(|error| UsageError(error.to_string()))?;
    let shown = !showing.quiet && stderr().is_terminal();
    let progress = Progress::new(spec, plan.games.filter(|_| plan.exact), shown);
    let mut counted = Counted::new(spec);
    let protocols = Protocols::default();
    let holding = Holding {
        programs,
        protocols: programs.map_or(&protocols, |programs| &programs.protocols),
        concurrency,
        affinity: how.cores.affinity(),
        announce: &say_where,
        elsewhere: None,
    };
    let elsewhere = elsewhere(how, store)?;
    let holding = Holding { elsewhere: elsewhere.as_deref(), ..holding };
    let counting = std::cell::RefCell::new(&mut counted);
    let held = tournament.hold(
        &holding,
        stopping,
        &mut progress.clone(),
        &mut |result| {
            counting.borrow_mut().add_earlier(result);
            progress.earlier();
        },
        &mut |game| {
            for problem in game.problems() {
                progress.say(&problem);
            }
            let mut counted = counting.borrow_mut();
            counted.add(game);
            progress.update(&counted.evaluation);
            Ok(())
        },
    );
    progress.finish();
    let outcome = held.map_err(whole)?;
    show::finish(tournament, store, &counted.evaluation, outcome.complete, showing.json, out)?;
    if let (false, Some(code)) = (outcome.complete, stopping.exit_code()) {
        let played = counted.evaluation.standings().games();
        writeln!(stderr(), "stopped after {played} games")?;
        let location = clean(store.location());
        writeln!(
            stderr(),
            "This goes on:\nrookery tournament resume {} --store {location}",
            tournament.id()
        )?;
        return Ok(ExitCode::from(code));
    }
    Ok(if counted.aborted > 0 { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// The machines that play, if a broker is named.
#[cfg(feature = "cluster")]
fn elsewhere(how: &HowArgs, store: &Store) -> anyhow::Result<Option<Box<dyn Elsewhere>>> {
    let Some(access) = how.dispatch.access()? else { return Ok(None) };
    let remote = rookery_cluster::Remote::start(rookery_cluster::RemoteConfig::new(access, store.clone()))?;
    Ok(Some(Box::new(remote)))
}

#[cfg(not(feature = "cluster"))]
fn elsewhere(how: &HowArgs, _: &Store) -> anyhow::Result<Option<Box<dyn Elsewhere>>> {
    how.dispatch.expect_none()?;
    Ok(None)
}

/// What cannot be agreed on is a mistake of the command line.
pub(super) fn usage(error: rookery_arena::ArenaError) -> anyhow::Error {
    match error {
        rookery_arena::ArenaError::Agreed(problem) => UsageError(clean(&problem)).into(),
        error => whole(error),
    }
}

impl HowArgs {
    fn concurrency(&self, spec: &TournamentSpec) -> usize {
        self.cores.games_at_a_time(spec.time != TimeControl::Untimed)
    }

    /// Those who have to be brought, if there are any.
    fn programs_of(&self, spec: &TournamentSpec, bots: &Bots) -> anyhow::Result<Option<Programs>> {
        let any = spec.entrants.iter().any(|entrant| entrant.player.is_program());
        any.then(|| self.all_programs(spec, bots)).transpose()
    }

    /// The same, also if nobody has to be brought yet.
    fn all_programs(&self, spec: &TournamentSpec, bots: &Bots) -> anyhow::Result<Programs> {
        // Flags name players, so they are read with all of them at one table.
        let seats = spec.entrants.iter().map(|entrant| SeatEntry {
            name: entrant.name.clone(),
            label: entrant.name.clone(),
            player: entrant.player.clone(),
        });
        let table = MatchSpec::new(&spec.games[0], [], spec.seed).expect("nobody has a wrong spec");
        let table = MatchSpec { seats: seats.collect(), ..table };
        let mut programs = self.programs.programs_and_bundles(&table)?;
        bots.seat(&mut programs, &spec.games[0])?;
        Ok(programs)
    }
}
