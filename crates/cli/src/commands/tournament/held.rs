//! A tournament while it is held: what is shown, what is counted, what is said at its end.

use std::io::{Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use rookery_arena::{ArenaError, PlayedGame, Tournament, rated};
use rookery_report::Evaluation;
use rookery_rules::text::clean;
use rookery_store::{Store, StoreError};
use rookery_tournament::{GameResult, Plan, TieBreaks, TournamentEvent, TournamentSpec, Watcher};

/// How often the bar is drawn, also while no game ends.
const EVERY: Duration = Duration::from_millis(200);
/// How often the table is made anew.
const TABLE: Duration = Duration::from_secs(1);
/// How many lines of the table are shown while it is played.
const LINES: usize = 10;

/// How often it is looked whether the store can save, and how long until the same trouble is told again.
const LOOK: Duration = Duration::from_millis(200);
const AGAIN: Duration = Duration::from_secs(30);

/// A bar and the head of the table, from the start to the end. Copies are the same.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    names: Vec<String>,
    tie_breaks: TieBreaks,
    drawn: Arc<Mutex<Option<Instant>>>,
    round: Arc<Mutex<String>>,
}

impl Progress {
    /// With the number of games and the time left, if that is known.
    pub(super) fn new(spec: &TournamentSpec, plan: &Plan, shown: bool) -> Self {
        let names = spec.entrants.iter().map(|entrant| clean(&entrant.name)).collect();
        let bar = if shown {
            let template = match plan.games {
                Some(_) if plan.exact => "{bar:20} {pos}/{len} games, {per_sec:1}, {eta} to go{wide_msg}",
                // Fewer if somebody is suspended or leaves, for example.
                Some(_) => {
                    "{bar:10} {pos} of at most {len} games, {per_sec:1}, at most {eta} to go{wide_msg}"
                }
                None => "{spinner} {pos} games, {per_sec:1}{wide_msg}",
            };
            let style = ProgressStyle::with_template(template).expect("the template is well formed");
            let bar = ProgressBar::new(plan.games.unwrap_or(u64::MAX)).with_style(style);
            bar.enable_steady_tick(EVERY);
            bar
        } else {
            ProgressBar::hidden()
        };
        Self { bar, names, tie_breaks: spec.tie_breaks(), drawn: Arc::default(), round: Arc::default() }
    }

    /// A game of an earlier run.
    pub(super) fn earlier(&self) {
        self.bar.inc(1);
        self.bar.reset_eta();
    }

    /// A game has ended.
    pub(super) fn update(&self, evaluation: &Evaluation) {
        self.bar.inc(1);
        let mut drawn = lock(&self.drawn);
        if self.bar.is_hidden() || drawn.is_some_and(|at| at.elapsed() < TABLE) {
            return;
        }
        *drawn = Some(Instant::now());
        let table = evaluation.standings().table(&self.tie_breaks, &[]);
        let table = table.into_iter().take(LINES).map(|standing| {
            let name = self.names.get(standing.entrant.index()).map_or("", String::as_str);
            let total = standing.total;
            format!(
                "\n{:>4} {name:24.24} {:>7} points  {}-{}-{}",
                standing.place, standing.points, total.wins, total.draws, total.losses
            )
        });
        let round = lock(&self.round).clone();
        self.bar.set_message(format!("{round}{}", table.collect::<String>()));
    }

    /// Says something without spoiling the bar.
    pub(super) fn say(&self, text: &str) {
        self.bar.suspend(|| {
            // Whoever closed our standard error wants to hear nothing.
            let _ = writeln!(stderr(), "{text}");
        });
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watcher for Progress {
    fn see(&mut self, event: &TournamentEvent) {
        if let TournamentEvent::Round(round) = event {
            *lock(&self.round) = format!(", round {}", round.number);
        }
    }
}

/// Tells of a store that cannot save what is played, until it is dropped: how much is not saved yet, why, and when that is
/// over. Nobody would know else why nothing goes on.
pub(super) struct Trouble {
    /// Closed at the end.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Trouble {
    /// Games that are played here do not begin either where the disk has little room.
    pub(super) fn tell(store: &Store, progress: &Progress, plays_here: bool) -> Self {
        let (store, progress) = (store.clone(), progress.clone());
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            // A disk that is too small from the start is refused, not waited for.
            let mut had_room = store.expect_room().is_ok();
            // When it was told, and what is told when it is over.
            let mut told: Option<(Instant, &str)> = None;
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let health = store.health();
                let room = if plays_here { store.expect_room() } else { Ok(()) };
                had_room |= room.is_ok();
                let (words, over) = match (health.trouble, room) {
                    // It is the end, which is told as such.
                    (Some(_), _) if health.is_final => continue,
                    (Some(trouble), _) => (
                        format!(
                            "{trouble}; {} entries are not yet saved, and no game begins until they are",
                            health.waiting
                        ),
                        "everything is saved again",
                    ),
                    (None, Err(full @ StoreError::Full { .. })) if had_room => {
                        (format!("{full}; no game begins until then"), "there is room on the disk again")
                    }
                    (None, Ok(())) => {
                        if let Some((_, over)) = told.take() {
                            progress.say(over);
                        }
                        continue;
                    }
                    (None, Err(_)) => continue,
                };
                if told.is_none_or(|(at, before)| before != over || at.elapsed() >= AGAIN) {
                    told = Some((Instant::now(), over));
                    progress.say(&clean(&words));
                }
            }
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Trouble {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is counted of every game, played now or earlier.
pub(super) struct Counted {
    pub(super) evaluation: Evaluation,
    /// Games that failed because of us.
    pub(super) aborted: u64,
}

impl Counted {
    pub(super) fn new(spec: &TournamentSpec) -> Self {
        Self { evaluation: Evaluation::new(spec), aborted: 0 }
    }

    pub(super) fn add_earlier(&mut self, result: &GameResult) {
        self.evaluation.add(result);
    }

    /// After a stop a game that failed because of us is to be played again, and counts nowhere until then: what is left is what
    /// the store has.
    pub(super) fn leave_out_failed(&mut self, tournament: &Tournament) -> Result<(), ArenaError> {
        if self.aborted > 0 {
            self.evaluation = rated::evaluate(tournament, Evaluation::new(tournament.spec()))?;
        }
        Ok(())
    }

    pub(super) fn add(&mut self, game: &PlayedGame) {
        let result = game.result();
        self.aborted += u64::from(result.outcome.is_none());
        self.evaluation.add(&result);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
mod tests {
    use std::sync::Arc;

    use rookery_arena::SingleGame;
    use rookery_record::Key;
    use rookery_referee::{Cause, Ending, Verdict};
    use rookery_store::{NewGame, Options, Reserve, TournamentState};
    use rookery_testkit::TempFolder;
    use rookery_tournament::{Format as _, Next, Pairing};

    use super::*;

    const SPEC: &str = r#"{"name": "test", "games": ["hexapawn"], "format": {"kind": "sprt", "games": 8},
        "entrants": [{"name": "Ann", "player": "random"}, {"name": "Ben", "player": "first"}]}"#;

    /// A game that is played and stored, or one that we could not play.
    fn play(store: &Store, tournament: &Tournament, pairing: &Pairing, fails: bool) -> PlayedGame {
        let spec = tournament.match_spec(pairing).unwrap();
        let verdict = if fails {
            let ending = Ending { cause: Cause::PlatformAbort, seat: None, evidence: None };
            Verdict { ending, outcome: None, plies: 0, removed: vec![] }
        } else {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let game = SingleGame::new(spec.clone(), false, Arc::default()).unwrap();
            let record = runtime.block_on(game.play()).unwrap().unwrap();
            let verdict = rookery_live::verify(&record[..]).unwrap().verdict.unwrap();
            let game = NewGame::of_pairing(tournament.id(), Key::first(pairing.id), record);
            store.put_game(game).wait().unwrap();
            verdict
        };
        PlayedGame { pairing: pairing.clone(), spec, verdict, record: None, cut: None, cpu: vec![] }
    }

    /// A test drops the block of a game that failed and counts those behind it; once it is to be played again, they wait for it.
    #[test]
    fn after_a_stop_what_failed_counts_nowhere() {
        let folder = TempFolder::new("held");
        let reserve = Reserve { bytes: 0, percent: 0 };
        let options = Options { ballast: 0, reserve, ..Options::default() };
        let store = Store::open(folder.join("s.db").to_str().unwrap(), &options).unwrap();
        let tournament = Tournament::create(&store, serde_json::from_str(SPEC).unwrap()).unwrap();
        let Next::Play(pairings) = tournament.format().unwrap().next(8) else { panic!("eight games") };
        store.put_pairings(tournament.id(), &pairings).unwrap();
        store.set_tournament_state(tournament.id(), TournamentState::Running).unwrap();
        let mut counted = Counted::new(tournament.spec());
        for pairing in &pairings {
            counted.add(&play(&store, &tournament, pairing, pairing.id == 2));
        }
        let blocks = |counted: &Counted| {
            let test = counted.evaluation.test().unwrap();
            (test.counts().iter().sum::<u64>(), test.dropped())
        };
        assert_eq!(blocks(&counted), (3, 1));
        counted.leave_out_failed(&tournament).unwrap();
        assert_eq!(blocks(&counted), (1, 0));
        let again = crate::commands::tournament::evaluate(&tournament, Evaluation::new(tournament.spec()));
        assert_eq!(counted.evaluation, again.unwrap());
    }
}
