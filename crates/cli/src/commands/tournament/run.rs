//! `rookery tournament run` and `resume`.

use std::io::{IsTerminal as _, Write, stderr};
use std::process::ExitCode;
use std::time::Duration;

use rookery_arena::{ArenaError, Elsewhere, Holding, Tournament, check_with_some, fewer_games, rated};
use rookery_live::{Programs, Stopping};
use rookery_originals::StopArgs;
use rookery_referee::{MatchSpec, SeatEntry, TimeControl, parse_duration_or_zero};
use rookery_report::RatingOptions;
use rookery_rules::text::{clean, shell_quoted};
use rookery_sandbox::Level;
use rookery_store::{Page, Store, TournamentFilter, TournamentId};
use rookery_tournament::{EntrantSpec, TournamentSpec};
use rookery_wire::Protocols;
use tokio::runtime::Runtime;

use super::agreed::AgreedArgs;
use super::bots::{Bots, BotsArgs};
use super::held::{Counted, Progress, Trouble};
use super::show::{self, rate};
use super::sign_up::SignUpArgs;
use super::started::Started;
use super::trials::Trials;
use crate::commands::matches::whole;
use crate::cores::CoreArgs;
use crate::dispatch_args::{DispatchArgs, RemoteArgs};
use crate::programs::{PROGRAMS, ProgramArgs, level, say_where};
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
    pub(super) how: HowArgs,

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
  rookery tournament run --format sprt hexapawn new=\"cmd:./new\" old=\"cmd:./old\" --elo0 0 --elo1 30
  rookery tournament run evening.toml --dry-run
  rookery tournament run fish easy hard --games 1000 --store postgres://rookery@db/rookery --dispatch nats://db:4222";

/// The flags that say how it is held on this machine.
#[derive(Debug, clap::Args)]
pub(super) struct HowArgs {
    #[command(flatten)]
    cores: CoreArgs,

    #[command(flatten)]
    pub(super) dispatch: DispatchArgs,

    #[command(flatten)]
    remote: RemoteArgs,

    #[command(flatten)]
    programs: ProgramArgs,

    /// How long a program waits before it is started again once it has crashed three times in a row; twice as long after each
    /// further crash, thirty times as long at the most. Its own game waits, and no other; 0s waits for nothing
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration_or_zero, help_heading = PROGRAMS)]
    restart_wait: Duration,

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

/// How long games that are played again are waited for at the end.
const SETTLE: Duration = Duration::from_mins(1);

/// What is shown of it, and to whom.
#[derive(Clone, Copy)]
struct Showing {
    json: bool,
    quiet: bool,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let showing = Showing { json: args.json, quiet: args.quiet };
    args.how.dispatch.expect_broker(args.how.remote, &[])?;
    let stopping = watch(Some(args.how.stop.grace()))?;
    if args.dry_run {
        return dry_run(args, out);
    }
    let draft = args.agreed.draft(vec![])?;
    let demanded = level(draft.sandbox.as_deref())?;
    let mut bots = args.bots.prepare(&args.how.programs, demanded, &stopping, args.quiet)?;
    // Before anybody is waited for: what cannot be opened is said at once.
    let store = args.store.write()?;
    bots.add_bundles(&draft, &store, &args.how.programs, &stopping, false)?;
    let runtime = door_runtime()?;
    let (mut spec, programs) = if args.sign_up.is_asked_for() {
        let mut draft = args.agreed.draft(bots.entrants())?;
        bots.pin(&mut draft);
        let programs = args.how.all_programs(&draft, demanded, &bots)?;
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
        let programs = args.how.programs_of(&spec, demanded, &bots)?;
        (spec, programs)
    };
    spec.time = args.how.programs.time(Some(spec.time));
    spec.scale_time = args.how.remote.scale_time().or(spec.scale_time);
    spec.trials = bots.refused();
    if let Some(programs) = &programs {
        Trials::listen(programs, &runtime, &spec)?;
    }
    let versions = bots.put_versions(&store, &spec)?;
    let started = Started::now(std::env::current_dir()?, draft.sandbox, programs.is_none());
    let how = serde_json::to_string(&started)?;
    let mut tournament = Tournament::create_with(&store, spec, &versions, Some(how)).map_err(usage)?;
    if let Some(programs) = &programs {
        let trials = Trials {
            programs,
            runtime: &runtime,
            bots: &bots,
            versions: &versions,
            keep_failing: args.bots.keep_failing(),
            concurrency: args.how.concurrency(tournament.spec()),
            stopping: &stopping,
            quiet: args.quiet,
        };
        if let Some(stopped) = try_all(&trials, &mut tournament, &store, started)? {
            return Ok(stopped);
        }
    }
    hold(&tournament, &store, &args.how, programs.as_ref(), &stopping, showing, out)
}

/// What would be played, as far as it is known who takes part.
fn dry_run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bots = args.bots.found()?.entrants();
    if args.sign_up.is_asked_for() {
        let spec = args.agreed.draft(bots)?;
        check_with_some(&spec).map_err(usage)?;
        return show::plan_of_sign_up(&spec, args.json, out);
    }
    let mut spec = args.agreed.spec(bots)?;
    spec.time = args.how.programs.time(Some(spec.time));
    show::plan(&spec, args.how.concurrency(&spec), args.json, out)
}

/// Holds the games before the first round, and keeps that they are over. How the program ends if it is stopped meanwhile.
fn try_all(
    trials: &Trials<'_>,
    tournament: &mut Tournament,
    store: &Store,
    started: Started,
) -> anyhow::Result<Option<ExitCode>> {
    if !trials.hold(tournament)? {
        say_how_to_go_on(tournament, store)?;
        return Ok(Some(trials.stopping.exit_code().map_or(ExitCode::FAILURE, ExitCode::from)));
    }
    store.put_how(tournament.id(), &serde_json::to_string(&started.with_all_tried())?)?;
    Ok(None)
}

pub(super) fn resume(args: &ResumeArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    args.store.expect_there()?;
    let store = args.store.write()?;
    let id = match args.id {
        Some(id) => id,
        None => only_unfinished(&store)?,
    };
    let mut tournament = Tournament::open(&store, id).map_err(usage)?;
    let kept = store.how(id)?.ok_or_else(|| {
        UsageError(format!("tournament {id} was not started by this command; it goes on where it is held"))
    })?;
    let started: Started = serde_json::from_str(&kept)?;
    // Folders and programs were named from there.
    std::env::set_current_dir(&started.folder).map_err(|error| {
        UsageError(format!("{}: {error}; the tournament was started there", started.folder.display()))
    })?;
    let Args { mut how, bots, sign_up, agreed, .. } = started.first_args()?;
    how.cores.concurrency = args.concurrency.or(how.cores.concurrency);
    let stopping = watch(Some(how.stop.grace()))?;
    let demanded = level(started.sandbox.as_deref())?;
    let keep_failing = bots.keep_failing();
    let mut bots = bots.prepare(&how.programs, demanded, &stopping, args.quiet)?;
    bots.add_bundles(tournament.spec(), &store, &how.programs, &stopping, true)?;
    bots.expect_same(tournament.spec())?;
    let programs = how.programs_of(tournament.spec(), demanded, &bots)?;
    let runtime = door_runtime()?;
    if let Some(programs) = programs.as_ref().filter(|_| sign_up.is_asked_for()) {
        // Those who were named are no less there if their file is not any more.
        let named = agreed.draft(bots.entrants()).map_or(vec![], |draft| draft.entrants);
        let is_named = |entrant: &&EntrantSpec| named.iter().any(|other| other.name == entrant.name);
        let signed_up = tournament.spec().entrants.iter().filter(|entrant| !is_named(entrant));
        SignUpArgs::open_again(programs, &runtime, signed_up)?;
    }
    if let Some(programs) = programs.as_ref().filter(|_| !started.tried) {
        Trials::listen(programs, &runtime, tournament.spec())?;
        let trials = Trials {
            programs,
            runtime: &runtime,
            bots: &bots,
            versions: &bots.put_versions(&store, tournament.spec())?,
            keep_failing,
            concurrency: how.concurrency(tournament.spec()),
            stopping: &stopping,
            quiet: args.quiet,
        };
        if let Some(stopped) = try_all(&trials, &mut tournament, &store, started)? {
            return Ok(stopped);
        }
    }
    let showing = Showing { json: args.json, quiet: args.quiet };
    hold(&tournament, &store, &how, programs.as_ref(), &stopping, showing, out)
}

/// Those who sign up are reached by it until the end.
fn door_runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
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
    let concurrency = fitting(how.concurrency(spec), spec, &say)?;
    let plan = spec.plan().map_err(|error| UsageError(error.to_string()))?;
    let shown = !showing.quiet && stderr().is_terminal();
    let progress = Progress::new(spec, &plan, shown);
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
    let trouble = Trouble::tell(store, &progress, elsewhere.is_none());
    let mut ratings = None;
    let held = tournament.hold_then(
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
        // Before the store says that it is over: what is over is rated, whatever ends this program.
        &mut |outcome| {
            let mut counted = counting.borrow_mut();
            if !outcome.complete {
                counted.leave_out_failed(tournament)?;
            }
            ratings = rate(&counted.evaluation, &RatingOptions::default());
            let Some(ratings) = &ratings else { return Ok(()) };
            Ok(rated::keep(tournament.id(), store, ratings, &counted.evaluation)?)
        },
    );
    drop(trouble);
    progress.finish();
    let outcome = match (held, stopping.exit_code()) {
        // Whoever stops it while nothing can be saved has been told so, and ends it as always.
        (Err(error @ ArenaError::Unsaved(_)), Some(code)) => {
            writeln!(stderr(), "stopped; {error}")?;
            say_how_to_go_on(tournament, store)?;
            return Ok(ExitCode::from(code));
        }
        (held, _) => held.map_err(whole)?,
    };
    let settled = elsewhere.as_deref().filter(|_| outcome.complete).and_then(|other| other.settle(SETTLE));
    if let Some(words) = settled {
        say(&words)?;
    }
    show::finish(
        tournament,
        store,
        &counted.evaluation,
        ratings.as_ref(),
        outcome.complete,
        showing.json,
        out,
    )?;
    if outcome.complete {
        return Ok(if counted.aborted > 0 { ExitCode::from(ABORTED) } else { ExitCode::SUCCESS });
    }
    say_why_not_over(tournament, store, counted.evaluation.standings().games(), stopping)
}

/// How many games run at a time: as many as wanted, or as there are files for, which is told.
fn fitting(
    wanted: usize,
    spec: &TournamentSpec,
    say: &dyn Fn(&str) -> std::io::Result<()>,
) -> std::io::Result<usize> {
    let n_programs =
        spec.entrants.iter().filter(|entrant| entrant.player.is_program()).count().min(spec.seats);
    let Some((room, files)) = fewer_games(wanted, n_programs, false) else { return Ok(wanted) };
    say(&format!("{room} games at a time instead of {wanted}: this process may open {files} files"))?;
    Ok(room)
}

/// Says that it is not over, and how to go on with it; how this program ends then.
fn say_why_not_over(
    tournament: &Tournament,
    store: &Store,
    played: u64,
    stopping: &Stopping,
) -> anyhow::Result<ExitCode> {
    let code = stopping.exit_code();
    let why = if code.is_some() { "" } else { FAILED };
    writeln!(stderr(), "stopped after {played} games{why}")?;
    say_how_to_go_on(tournament, store)?;
    Ok(ExitCode::from(code.unwrap_or(ABORTED)))
}

/// Why a tournament stops though nobody has told it to.
const FAILED: &str = "; games that failed because of us are still to be played";
/// The exit code where games failed because of us.
const ABORTED: u8 = 3;

fn say_how_to_go_on(tournament: &Tournament, store: &Store) -> std::io::Result<()> {
    let location = shell_quoted(&clean(store.location()));
    writeln!(stderr(), "This goes on:\nrookery tournament resume {} --store {location}", tournament.id())
}

/// The machines that play, if a broker is named.
#[cfg(feature = "cluster")]
fn elsewhere(how: &HowArgs, store: &Store) -> anyhow::Result<Option<Box<dyn Elsewhere>>> {
    let Some(access) = how.dispatch.access()? else { return Ok(None) };
    // Of the broker and the workers: nobody else would say why nothing happens.
    crate::commands::serve::log_warnings();
    let config = how.remote.config(access, store.clone());
    Ok(Some(Box::new(rookery_cluster::Remote::start(config)?)))
}

#[cfg(not(feature = "cluster"))]
fn elsewhere(how: &HowArgs, _: &Store) -> anyhow::Result<Option<Box<dyn Elsewhere>>> {
    how.dispatch.expect_none()?;
    Ok(None)
}

/// What cannot be agreed on is a mistake of the command line.
pub(super) fn usage(error: ArenaError) -> anyhow::Error {
    match error {
        ArenaError::Agreed(problem) => UsageError(clean(&problem)).into(),
        error => whole(error),
    }
}

impl HowArgs {
    fn concurrency(&self, spec: &TournamentSpec) -> usize {
        self.cores.games_at_a_time(spec.time != TimeControl::Untimed)
    }

    /// Those who have to be brought, if there are any.
    fn programs_of(
        &self,
        spec: &TournamentSpec,
        demanded: Option<Level>,
        bots: &Bots,
    ) -> anyhow::Result<Option<Programs>> {
        let any = spec.entrants.iter().any(|entrant| entrant.player.is_program());
        any.then(|| self.all_programs(spec, demanded, bots)).transpose()
    }

    /// The same, also if nobody has to be brought yet.
    fn all_programs(
        &self,
        spec: &TournamentSpec,
        demanded: Option<Level>,
        bots: &Bots,
    ) -> anyhow::Result<Programs> {
        // Flags name players, so they are read with all of them at one table.
        let seats = spec.entrants.iter().map(|entrant| SeatEntry {
            name: entrant.name.clone(),
            label: entrant.name.clone(),
            player: entrant.player.clone(),
        });
        let table = MatchSpec::new(&spec.games[0], [], spec.seed).expect("nobody has a wrong spec");
        let table = MatchSpec { seats: seats.collect(), ..table };
        let programs = self.programs.programs_and_bundles(&table, demanded)?;
        let mut programs = programs.with_restart_wait(self.restart_wait);
        bots.seat(&mut programs, &spec.games[0])?;
        Ok(programs)
    }
}
