//! `rookery drill`: a player in positions that are won for it.

use std::io::{self, Write, stderr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use indicatif::ProgressBar;
use rookery_catalog::{Game, Visit, strategy, visit};
use rookery_live::{Guest, Opened, Programs, Stopping, board_seed, drawn_seed, prepare};
use rookery_originals::StopArgs;
use rookery_players::{winner, won_position};
use rookery_referee::{
    End, Entry, Event, EventOf, Limits, Observer, Start, Strategist, TimeControl, parse_duration,
};
use rookery_rules::{Notation as _, Position, PositionOf, Seat, Seats, Seed, Setup as _};
use serde::Serialize;
use tokio::runtime::Runtime;

use super::matches::say_drawn;
use super::write_json;
use crate::programs::{ProgramArgs, say_where};
use crate::spec::{CheckedSpec, UsageError};
use crate::stop::{this_command, watch};

/// Put a player into positions that are won for it, and see whether it wins them
///
/// The positions are taken from random games and solved, so it is for games and boards that `rookery solve` can do
/// quickly. After each move of the player the position is solved again, so the move that lets the win go is named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery drill hexapawn:rows=5,cols=5 hard --time 100ms
  rookery drill hexapawn:rows=4,cols=4 medium --positions 100 --json")]
pub(crate) struct Args {
    /// The game and its setup
    #[arg(value_name = "GAME-SPEC")]
    spec: CheckedSpec,

    /// Who is tried
    player: Entry,

    /// Who resists
    #[arg(long, value_name = "PLAYER", default_value = "perfect")]
    against: Entry,

    /// How many positions
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    positions: u64,

    /// How long the player may think about a move
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// How many positions or random games the player may look at for a move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Where the positions come from [default: 1; drawn where a program plays]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    programs: ProgramArgs,

    #[command(flatten)]
    stop: StopArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    game: String,
    player: String,
    positions: u64,
    won: u64,
    /// Positions in which it once gave the win away, whether or not it got it back.
    let_go: u64,
    /// The first of the mistakes, each once.
    mistakes: Vec<Mistake>,
}

#[derive(Serialize)]
struct Mistake {
    position: String,
    #[serde(rename = "move")]
    mv: String,
    /// How often it was made.
    times: u64,
    /// Whether the game was won all the same, at least once.
    won: bool,
}

/// Mistakes that are shown.
const MAX_SHOWN: usize = 10;

/// What became of one position.
#[derive(Debug)]
struct Case {
    won: bool,
    /// The first move after which the win was gone, and where it was made.
    let_go: Option<(String, String)>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if let Some(person) = [&args.player, &args.against].into_iter().find(|entry| entry.seat.is_person()) {
        bail!(UsageError(format!("{person}: a person is not drilled; expected a player or a program")));
    }
    let entries = [args.player.clone(), args.against.clone()];
    let seed = match args.seed {
        Some(seed) => Seed(seed),
        None if entries.iter().any(|entry| entry.seat.is_program()) => say_drawn(drawn_seed())?,
        None => Seed(1),
    };
    let agreed = rookery_catalog::agree(&args.spec.spec, &entries, seed)
        .map_err(|error| UsageError(error.to_string()))?;
    let programs = args.programs.programs(&agreed)?;
    let stopping = watch(Some(args.stop.grace()))?;
    let bar = ProgressBar::new(args.positions);
    let mut report = Report::new(args.spec.text.clone(), args.player.to_string());
    let mut take = |case: Case| {
        bar.inc(1);
        report.take(&case);
    };
    let drill = Drill { args, seed, programs: &programs, stopping: &stopping, report: &mut take };
    let done = visit(args.spec.game.name(), drill).expect("a checked spec is of a game in the catalog");
    bar.finish_and_clear();
    done.with_context(|| report.game.clone())?;
    if args.json {
        write_json(out, &report)?;
    } else {
        report.write(out)?;
    }
    if report.positions == args.positions {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(stderr(), "stopped after {} of {} positions", report.positions, args.positions)?;
    writeln!(stderr(), "Nothing was kept; this begins anew:\n{}", this_command())?;
    Ok(ExitCode::from(stopping.exit_code().unwrap_or(1)))
}

/// A drill of a game that is known by its name.
struct Drill<'a> {
    args: &'a Args,
    seed: Seed,
    programs: &'a Programs,
    stopping: &'a Stopping,
    report: &'a mut dyn FnMut(Case),
}

impl Visit for Drill<'_> {
    type Out = anyhow::Result<()>;

    fn visit<G: Game>(mut self) -> Self::Out {
        let setup = G::Setup::from_spec(&self.args.spec.spec)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let drilled = self.drill::<G>(&setup, &runtime);
        runtime.block_on(self.programs.quit());
        drilled
    }
}

impl Drill<'_> {
    /// Plays from one position after the other.
    fn drill<G: Game>(&mut self, setup: &G::Setup, runtime: &Runtime) -> anyhow::Result<()> {
        for number in 0..self.args.positions {
            let seed = self.seed.derive(number);
            // The bot sees the position, and is to learn nothing else from it.
            let start = won_position(&G::EXPERTISE, setup, &mut board_seed(self.seed, seed).rng())?;
            if self.stopping.is_requested() {
                break;
            }
            let Some(case) = runtime.block_on(self.play::<G>(start, seed))? else { break };
            (self.report)(case);
        }
        Ok(())
    }
}

/// Moves as they are made.
struct Moves<P: Position>(Made<P>);

/// Who made which move, in order.
type Made<P> = Arc<Mutex<Vec<(Seat, <P as Position>::Move)>>>;

impl<P: Position> Observer<P> for Moves<P> {
    fn see(&mut self, event: &EventOf<P>, _: &P) {
        if let Event::Moved { seat, mv, .. } = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((*seat, *mv));
        }
    }
}

impl Drill<'_> {
    /// Plays a match from there and looks at its moves. `None` if it was stopped.
    async fn play<G: Game>(&self, start: PositionOf<G>, seed: Seed) -> anyhow::Result<Option<Case>> {
        let me = start.to_move().expect("somebody wins, so somebody is to move");
        let Args { player, against, .. } = self.args;
        let entries = if me.index() == 0 { [player, against] } else { [against, player] }.map(Clone::clone);
        let mut spec = rookery_catalog::agree(&self.args.spec.spec, &entries, seed)?;
        spec.start = Some(Start { opening: None, position: Some(start.to_text()), moves: vec![] });
        if spec.seats.iter().any(|entry| entry.player.is_program()) {
            // A program knows of no limit but the clock.
            spec.time = self.args.time.map_or(TimeControl::Untimed, TimeControl::PerMove);
        }
        let mut announce = |idx: usize, address| say_where(&spec.seats[idx].name, address);
        let Opened { mut guests, closing, .. } = self.programs.bring(&spec, &mut announce).await?;
        let limits = Limits { nodes: self.args.nodes, think: self.args.time, ..Limits::default() };
        for (seat, guest) in Seat::all(2).zip(&mut guests) {
            if let Guest::BuiltIn(built_in) = guest {
                let (strategy, _) = strategy::<G>(built_in)?;
                // Whoever resists has no limits.
                let limits = if seat == me { limits } else { Limits::default() };
                *guest = Guest::own(Strategist::pooled(strategy).with_limits(limits));
            }
        }
        let moves = Made::<PositionOf<G>>::default();
        let ready = prepare(spec.clone(), guests, &self.programs.protocols, None)?.with_observer(Moves::<
            PositionOf<G>,
        >(
            Arc::clone(&moves),
        ));
        let played = ready.start().played_until(self.stopping.urgent()).await;
        closing.done().await;
        let End::Verdict(verdict) = &played.end else { return Ok(None) };
        let Some(outcome) = &verdict.outcome else {
            bail!("{}", spec.sentence(verdict));
        };
        let won = outcome.winners == Seats::only(me);
        let mut case = Case { won, let_go: None };
        let mut position = start;
        for &(seat, mv) in &*moves.lock().unwrap_or_else(PoisonError::into_inner) {
            let before = position.clone();
            position.play_unchecked(mv);
            if seat == me && winner(&G::EXPERTISE, &position)? != Some(me) {
                case.let_go = Some((before.to_text(), mv.to_string()));
                break;
            }
        }
        Ok(Some(case))
    }
}

impl Report {
    fn new(game: String, player: String) -> Self {
        Self { game, player, positions: 0, won: 0, let_go: 0, mistakes: vec![] }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {} of {} won positions won; the win was let go in {}",
            self.player, self.won, self.positions, self.let_go
        )?;
        for mistake in &self.mistakes {
            let times = if mistake.times > 1 { format!(" ({} times)", mistake.times) } else { String::new() };
            writeln!(out, "  {} in {}{times}", mistake.mv, mistake.position)?;
        }
        Ok(())
    }

    /// Counts a case. Different ones can lead to the same mistake, which is listed once.
    fn take(&mut self, case: &Case) {
        self.positions += 1;
        self.won += u64::from(case.won);
        let Some((position, mv)) = &case.let_go else { return };
        self.let_go += 1;
        let seen = self.mistakes.iter_mut().find(|seen| seen.position == *position && seen.mv == *mv);
        if let Some(seen) = seen {
            seen.times += 1;
            seen.won |= case.won;
        } else if self.mistakes.len() < MAX_SHOWN {
            let (position, mv) = (position.clone(), mv.clone());
            self.mistakes.push(Mistake { position, mv, times: 1, won: case.won });
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn drilled(player: &str) -> Vec<Case> {
        let line = Line::parse_from(["drill", "hexapawn:rows=4,cols=4", player, "--positions", "40"]);
        let mut cases = vec![];
        let stopping = Stopping::new(Duration::ZERO);
        let programs = Programs::default();
        let drill = Drill {
            args: &line.args,
            seed: Seed(1),
            programs: &programs,
            stopping: &stopping,
            report: &mut |case| cases.push(case),
        };
        visit("hexapawn", drill).unwrap().unwrap();
        cases
    }

    #[test]
    fn perfect_and_hard_let_no_win_go_and_random_does() {
        for player in ["perfect", "hard"] {
            assert!(drilled(player).iter().all(|case| case.won && case.let_go.is_none()), "{player}");
        }
        let random = drilled("random");
        assert!(random.iter().any(|case| !case.won));
        assert!(random.iter().all(|case| case.won || case.let_go.is_some()), "a loss has a reason");
    }

    #[test]
    fn fault_22_a_mistake_is_listed_once_however_often_it_is_made() {
        let mut report = Report::new("hexapawn".to_owned(), "medium".to_owned());
        let case = |won, mv: &str| Case { won, let_go: Some(("middle".to_owned(), mv.to_owned())) };
        for case in [case(false, "b2"), case(true, "b2"), case(false, "c2")] {
            report.take(&case);
        }
        assert_eq!((report.positions, report.won, report.let_go), (3, 1, 3));
        let listed: Vec<_> = report.mistakes.iter().map(|seen| (&*seen.mv, seen.times, seen.won)).collect();
        assert_eq!(listed, [("b2", 2, true), ("c2", 1, false)]);
    }
}
