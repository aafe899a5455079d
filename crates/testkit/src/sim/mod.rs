//! Simulated matches: seeded players with seeded faults, over the real connections in memory, which cut what travels into
//! pieces, on a clock that jumps from event to event. A seed gives the same match on any machine, alone or among others.
//!
//! Each match is checked: it ends, once; blame is where a fault was injected and nowhere else; the record gives the
//! same positions and outcome; refused answers change nothing; queues stay bounded; and it takes no longer than its
//! limits add up to.

mod bot;
mod faults;
mod oracle;
mod pipe;
mod programs;

use std::fs::OpenOptions;
use std::future::Future;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rookery_games::{fish, hexapawn, renpaarden, stones};
use rookery_referee::{End, MatchSpec, Offence, Player, Referee, Session, Terms, TimeControl, Verdict, play};
use rookery_rules::{Keyed, Notation, Position, Rng, Seat, Seed, Setup, below};
use tokio::io::duplex;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;

use crate::conceivable::Conceivable;
use crate::replay::Watch;
use crate::transcript::{TextHash, transcript, write_event};
pub use faults::Injected;
pub use programs::{bot, with_programs};

type Log = Arc<FaultLog>;

/// What was done wrong, by whom, in order.
#[derive(Debug, Default)]
struct FaultLog {
    faults: Mutex<Vec<(Seat, Injected)>>,
    /// Where another process reads it.
    file: Option<PathBuf>,
}

impl FaultLog {
    fn all(&self) -> Vec<(Seat, Injected)> {
        self.faults.lock().expect("no holder panics").clone()
    }
}

fn log(log: &FaultLog, seat: Seat, fault: Injected) {
    log.faults.lock().expect("no holder panics").push((seat, fault));
    if let Some(path) = &log.file {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{fault:?}")).expect("a line can be written");
    }
}

/// What one simulated match came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The hash of everything that happened, with its times.
    pub trace: TextHash,
    /// The cause of the end, as a word.
    pub cause: &'static str,
    /// What was injected.
    pub injected: Vec<(Seat, Injected)>,
    /// How many moves were made.
    pub plies: u64,
}

impl Report {
    /// What the match looked like from outside. Whether a player began to misbehave in the last moment, too late for
    /// anybody to see, may depend on who ran first.
    pub fn seen(&self) -> (TextHash, &'static str, u64) {
        (self.trace, self.cause, self.plies)
    }
}

/// Plays the match of a seed, alone.
///
/// # Panics
/// If the match breaks an invariant.
pub fn alone(seed: u64) -> Report {
    runtime().block_on(simulate(Seed(seed)))
}

/// Plays the matches of many seeds at the same time, in this order of starting; the reports come in the order of the
/// seeds.
///
/// # Panics
/// If a match breaks an invariant.
pub fn together(seeds: &[u64], reversed: bool) -> Vec<Report> {
    let runtime = runtime();
    LocalSet::new().block_on(&runtime, async {
        let start = |&seed: &u64| tokio::task::spawn_local(simulate(Seed(seed)));
        let mut running: Vec<_> = if reversed {
            seeds.iter().rev().map(start).collect()
        } else {
            seeds.iter().map(start).collect()
        };
        if reversed {
            running.reverse();
        }
        let mut reports = vec![];
        for report in running {
            reports.push(report.await.expect("a match keeps the invariants"));
        }
        reports
    })
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime needs little")
}

fn simulate(seed: Seed) -> Pin<Box<dyn Future<Output = Report>>> {
    draw(seed, InMemory)
}

/// Something to be done with a match that was drawn, whose types the seed decides.
trait Act {
    type Out;
    fn act<S>(self, drawn: Drawn<S>) -> Self::Out
    where
        S: Setup<Position: Conceivable + Keyed + Notation>;
}

fn draw<A: Act>(seed: Seed, act: A) -> A::Out {
    let mut rng = seed.rng();
    let pick = |rng: &mut Rng, specs: &[&'static str]| specs[below(rng, specs.len() as u32) as usize];
    match below(&mut rng, 4) {
        0 => {
            let spec = pick(&mut rng, &["rows=3,cols=3", "rows=4,cols=4", "rows=4,cols=3,eliminate=choose"]);
            act.act(Drawn::<hexapawn::Setup>::new(spec, seed, rng))
        }
        1 => {
            let spec = pick(
                &mut rng,
                &["rows=3,cols=4", "rows=4,cols=4,players=3", "rows=4,cols=4,players=4", "board=1203/2110/1"],
            );
            act.act(Drawn::<fish::Setup>::new(spec, seed, rng))
        }
        2 => {
            let spec = pick(
                &mut rng,
                &[
                    "rows=3,cols=3,quiet=12,max-turns=40",
                    "rows=4,cols=2,quiet=9",
                    "rows=5,cols=5,players=3,stones=2,layout=ring,quiet=9,max-turns=40",
                ],
            );
            act.act(Drawn::<stones::Setup>::new(spec, seed, rng))
        }
        _ => {
            let spec = pick(&mut rng, &["width=3,height=5,max-turns=24", "width=5,height=5,max-turns=16"]);
            act.act(Drawn::<renpaarden::Setup>::new(spec, seed, rng))
        }
    }
}

/// Clocks and limits, short ones: time is free here, but many kinds of it are wanted.
fn draw_time(rng: &mut Rng) -> TimeControl {
    let ms = Duration::from_millis;
    match below(rng, 4) {
        0 => TimeControl::Untimed,
        1 => TimeControl::PerMove(ms(200)),
        2 => TimeControl::Fischer { base: ms(2000), increment: ms(100) },
        _ => TimeControl::Bank { per_move: ms(100), bank: ms(1000) },
    }
}

fn draw_terms(rng: &mut Rng) -> Terms {
    let ms = Duration::from_millis;
    Terms {
        startup: ms(1000),
        margin: ms(u64::from(below(rng, 3) + 1) * 30),
        answer_cap: ms(5000),
        lag_cap: ms(500),
        ..Terms::default()
    }
}

/// What a seed decides of a match.
struct Drawn<S> {
    seed: Seed,
    setup: S,
    agreed: MatchSpec,
    terms: Terms,
    weights: faults::Weights,
    seats: Vec<DrawnSeat>,
    patience_ms: u64,
}

struct DrawnSeat {
    seat: Seat,
    is_honest: bool,
    /// The question at which our end panics.
    panics_at: Option<u32>,
    chat_one_in: u32,
}

impl<S: Setup<Position: Conceivable + Keyed + Notation>> Drawn<S> {
    fn new(spec: &'static str, seed: Seed, mut rng: Rng) -> Self {
        let setup = S::parse(spec).expect("the simulation's setups are right");
        let game_conduct = rookery_catalog::game(S::GAME).expect("the game is in the catalog").conduct();
        let conduct = match below(&mut rng, 8) {
            0 => rookery_referee::Conduct::removing().with_retries(2),
            1 => rookery_referee::Conduct::aborting().until_deadline(),
            2 => rookery_referee::Conduct::removing(),
            _ => game_conduct,
        };
        let n_seats = setup.start().n_seats();
        let programs = std::iter::repeat_n("cmd:bot", n_seats);
        let agreed = MatchSpec::new(&setup.spec(), programs, seed).expect("a command is a player");
        let agreed = MatchSpec { conduct, time: draw_time(&mut rng), ..agreed };
        let terms = draw_terms(&mut rng);
        let weights = faults::Weights::draw(&mut rng);
        let seat = |seat| {
            let is_honest = below(&mut rng, 3) == 0;
            let panics = !is_honest && weights.one_in > 0 && below(&mut rng, 16) == 0;
            let panics_at = panics.then(|| 1 + below(&mut rng, 8));
            let chat_one_in = if below(&mut rng, 12) == 0 { 4 } else { 0 };
            DrawnSeat { seat, is_honest, panics_at, chat_one_in }
        };
        let seats = Seat::all(n_seats).map(seat).collect();
        Self { seed, setup, agreed, terms, weights, seats, patience_ms: u64::MAX }
    }

    fn bot(&self, seat: &DrawnSeat, log: Log) -> bot::Bot {
        bot::Bot {
            seat: seat.seat,
            rng: self.seed.derive(100 + seat.seat.index() as u64).rng(),
            weights: if seat.is_honest { faults::Weights::honest() } else { self.weights.clone() },
            lag: self.terms.lag.clone(),
            lag_cap: self.terms.lag_cap,
            margin: self.terms.margin,
            log,
            patience_ms: self.patience_ms,
        }
    }

    fn player(
        &self,
        seat: &DrawnSeat,
        connection: rookery_wire::Connection,
        log: Log,
    ) -> Box<dyn Player<S::Position>> {
        let DrawnSeat { seat, panics_at, chat_one_in, .. } = *seat;
        Box::new(pipe::PipePlayer::new(seat, connection, &self.terms, panics_at, chat_one_in, log))
    }

    /// Plays the match with its players, and hands over what happened.
    async fn play(&self, mut players: Vec<Box<dyn Player<S::Position>>>) -> (Verdict, Watch<S::Position>) {
        let mut watch = Watch::default();
        let referee = Referee::of_spec(&self.agreed, self.setup.start());
        let session = Session::new(&self.agreed, &self.terms);
        let End::Verdict(verdict) = play(referee, &mut players, &session, &mut watch).await else {
            panic!("nobody suspends a simulated match")
        };
        (verdict, watch)
    }

    /// Checks what happened against what was injected.
    fn report(
        &self,
        verdict: &Verdict,
        watch: &Watch<S::Position>,
        took: Duration,
        mut injected: Vec<(Seat, Injected)>,
        offence: fn(Injected) -> Option<Offence>,
    ) -> Report {
        injected.sort_by_key(|&(seat, _)| seat);
        let kept = catch_unwind(AssertUnwindSafe(|| {
            watch.check(verdict);
            oracle::check(verdict, watch, &injected, offence);
            oracle::check_time(took, self.agreed.time, &self.terms, self.seats.len(), watch);
        }));
        let events = || transcript::<S::Position>(watch.events());
        let Self { agreed, terms, .. } = self;
        assert!(kept.is_ok(), "{agreed:?}, {terms:?}, injected {injected:?}\n{}", events());
        let mut trace = TextHash::default();
        for event in watch.events() {
            write_event::<S::Position>(&mut trace, event).expect("a hash takes everything");
        }
        Report { trace, cause: verdict.ending.cause.word(), injected, plies: verdict.plies }
    }
}

/// Plays in memory, on a clock that jumps.
struct InMemory;

impl Act for InMemory {
    type Out = Pin<Box<dyn Future<Output = Report>>>;

    fn act<S>(self, drawn: Drawn<S>) -> Self::Out
    where
        S: Setup<Position: Conceivable + Keyed + Notation>,
    {
        Box::pin(async move {
            let faults: Log = Arc::default();
            let mut bots = JoinSet::new();
            let mut players = vec![];
            for seat in &drawn.seats {
                let (ours, theirs) = duplex(96);
                let connection = pipe::in_memory(ours, drawn.seed.derive(200 + seat.seat.index() as u64));
                players.push(drawn.player(seat, connection, Arc::clone(&faults)));
                bots.spawn(drawn.bot(seat, Arc::clone(&faults)).run::<S::Position>(theirs));
            }
            let start = Instant::now();
            let (verdict, watch) = drawn.play(players).await;
            let took = start.elapsed();
            drop(bots);
            let injected = faults.all();
            drawn.report(&verdict, &watch, took, injected, Injected::offence)
        })
    }
}
