//! The same matches with real programs at the other end of real pipes, and real time. What takes time is left out.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use rookery_rules::{Keyed, Notation, Seat, Seed, Setup};
use rookery_wire::Process;
use tokio::io::{join, stdin, stdout};
use tokio::time::Instant;

use super::faults::{Injected, WHEN_ASKED, WHEN_TOLD};
use super::{Act, Drawn, FaultLog, Log, Report, draw, pipe};
use crate::TempFolder;
use crate::conceivable::Conceivable;

/// Plays the match of a seed with programs: `bot` is the one that runs [`bot`].
///
/// # Panics
/// If the match breaks an invariant, or the program cannot be started.
pub async fn with_programs(seed: u64, bot: &Path) -> Report {
    draw(Seed(seed), WithPrograms(bot.to_owned())).await
}

/// What time allows: real programs take theirs.
fn in_real_time<S>(mut drawn: Drawn<S>) -> Drawn<S> {
    drawn.agreed.time = rookery_referee::TimeControl::Untimed;
    drawn.terms.startup = rookery_referee::Terms::default().startup;
    drawn.terms.answer_cap = std::time::Duration::from_secs(10);
    drawn.weights = drawn.weights.without_waiting();
    drawn.patience_ms = 20;
    drawn.seats.iter_mut().for_each(|seat| seat.panics_at = None);
    drawn
}

struct WithPrograms(PathBuf);

impl Act for WithPrograms {
    type Out = Pin<Box<dyn Future<Output = Report>>>;

    fn act<S>(self, drawn: Drawn<S>) -> Self::Out
    where
        S: Setup<Position: Conceivable + Keyed + Notation>,
    {
        let drawn = in_real_time(drawn);
        Box::pin(async move {
            let folder = TempFolder::new("sim");
            let log_of = |seat: Seat| folder.join(seat.index().to_string());
            let mut players = vec![];
            for seat in &drawn.seats {
                let log = log_of(seat.seat);
                let words = [self.0.as_os_str(), log.as_os_str()].map(|word| word.to_string_lossy());
                let [bot, log] = words.map(|word| rookery_rules::text::shell_quoted(&word));
                let command = format!("{bot} {} {} {log}", drawn.seed.0, seat.seat.index());
                let process = Process::start(&command).expect("the program of the simulation starts");
                players.push(drawn.player(seat, pipe::to_program(process), Log::default()));
            }
            let start = Instant::now();
            let (verdict, watch) = drawn.play(players).await;
            let took = start.elapsed();
            let mut injected = vec![];
            for seat in drawn.seats.iter().map(|drawn| drawn.seat) {
                // Who did nothing wrong has written nothing.
                let lines = fs::read_to_string(log_of(seat)).unwrap_or_default();
                injected.extend(lines.lines().map(|word| (seat, read_fault(word))));
            }
            drawn.report(&verdict, &watch, took, injected, Injected::offence_of_a_program)
        })
    }
}

fn read_fault(word: &str) -> Injected {
    let all = WHEN_ASKED.into_iter().chain(WHEN_TOLD);
    all.into_iter().find(|fault| format!("{fault:?}") == word).expect("only faults are written down")
}

/// One player of the match of a seed, as a program: talks by its standard input and output, and writes what it does wrong
/// into a file before it does.
pub async fn bot(seed: u64, seat: u8, log: &Path) {
    draw(Seed(seed), Program { seat: Seat::new(seat), log: log.to_owned() }).await;
}

struct Program {
    seat: Seat,
    log: PathBuf,
}

impl Act for Program {
    type Out = Pin<Box<dyn Future<Output = ()>>>;

    fn act<S>(self, drawn: Drawn<S>) -> Self::Out
    where
        S: Setup<Position: Conceivable + Keyed + Notation>,
    {
        let drawn = in_real_time(drawn);
        let log: Log = Arc::new(FaultLog { file: Some(self.log), ..FaultLog::default() });
        let bot = drawn.bot(&drawn.seats[self.seat.index()], log);
        Box::pin(bot.run::<S::Position>(join(stdin(), stdout())))
    }
}
