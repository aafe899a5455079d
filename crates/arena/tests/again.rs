//! Games that fail because of us and are played again another time, games that nobody needs any more, and faults of ours.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use rookery_arena::{
    ArenaError, Arrived, Elsewhere, Games, Holding, Order, PlayedGame, SingleGame, Tournament,
};
use rookery_games::hexapawn::Setup;
use rookery_live::{GRACE, Signal, Stopping};
use rookery_ratings::sprt::{Decision, Model, Sprt as Test};
use rookery_record::{Header, Key, RecordWriter};
use rookery_referee::{Cause, Event, Failure, MatchSpec, Observer as _, Referee, Verdict};
use rookery_rules::{Notation as _, Seed, Setup as _};
use rookery_store::{NewGame, Options, Reserve, Store, TournamentId, TournamentState};
use rookery_testkit::TempFolder;
use rookery_tournament::{
    Format as _, GameResult, Next, Pairing, Scheduler, Series, Sprt, TournamentOutcome,
};
use rookery_wire::Protocols;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SOON: Duration = Duration::from_millis(1);

fn store(folder: &TempFolder) -> Store {
    let reserve = Reserve { bytes: 0, percent: 0 };
    let options = Options { ballast: 1 << 20, reserve, ..Options::default() };
    Store::open(folder.join("games.db").to_str().unwrap(), &options).unwrap()
}

fn tournament(store: &Store, format: &Value, players: &[&str]) -> Tournament {
    let entrants: Vec<Value> = (1..)
        .zip(players)
        .map(|(number, player)| json!({"name": format!("p{number}"), "player": player}))
        .collect();
    let spec = json!({"name": "evening", "games": ["hexapawn"], "format": format, "entrants": entrants, "seed": "5"});
    Tournament::create(store, serde_json::from_value(spec).unwrap()).unwrap()
}

/// The record of a match that we could not play.
fn aborted(spec: &MatchSpec) -> (Vec<u8>, Verdict) {
    let start = Setup::default().start();
    let mut referee = Referee::of_spec(spec, start.clone());
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, Header::new(spec.clone(), start.to_text()));
    writer.see(&Event::Started(Box::new(start.clone())), &start);
    assert!(referee.judge(Err(Failure::Platform("the test says so".to_owned())), None).is_none());
    let verdict = referee.verdict().unwrap().clone();
    writer.see(&Event::Ended(Box::new(verdict.clone())), referee.position());
    writer.finish().unwrap();
    (record, verdict)
}

/// What goes wrong with one of the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failing {
    Never,
    /// Nobody can play it.
    Parked,
    /// It is stored as one that we could not play.
    Aborted,
}

/// What another machine is to play.
#[derive(Debug)]
struct Shared {
    store: Store,
    waiting: Mutex<VecDeque<Order>>,
    watcher: Mutex<Option<UnboundedSender<Arrived>>>,
    is_over: AtomicBool,
    /// How many games whoever holds the tournament has heard of.
    heard: AtomicU64,
}

/// Another machine, which plays one game after the other, and fails at one of them.
#[derive(Debug)]
struct Machine {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Machine {
    fn new(store: &Store, (failing, number): (Failing, u64)) -> Self {
        let shared = Arc::new(Shared {
            store: store.clone(),
            waiting: Mutex::default(),
            watcher: Mutex::default(),
            is_over: AtomicBool::new(false),
            heard: AtomicU64::new(0),
        });
        let own = Arc::clone(&shared);
        let work = move || {
            let mut stored = 0;
            let mut begun = 0;
            while !own.is_over.load(Ordering::SeqCst) {
                // Not before the last one was heard of: a machine is not so much faster than whoever it plays for.
                let is_next = own.heard.load(Ordering::SeqCst) >= stored;
                let order = if is_next { own.waiting.lock().unwrap().pop_front() } else { None };
                let Some(order) = order else {
                    sleep(SOON);
                    continue;
                };
                let failing = if begun == number { failing } else { Failing::Never };
                begun += 1;
                stored += u64::from(failing != Failing::Parked);
                let arrived = own.play(order, failing);
                // Whoever has stopped hears no more.
                let _ = own.watcher.lock().unwrap().as_ref().unwrap().send(arrived);
            }
        };
        Self { shared, thread: Some(spawn(work)) }
    }
}

impl Shared {
    fn play(&self, order: Order, failing: Failing) -> Arrived {
        let Order { tournament, pairing, attempt, spec, .. } = order;
        let (record, verdict) = match failing {
            Failing::Parked => return Arrived::Parked { pairing },
            Failing::Aborted => {
                let (record, verdict) = aborted(&spec);
                (record, Some(Box::new(verdict)))
            }
            Failing::Never => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
                let game = SingleGame::new(spec, false, Arc::default()).unwrap();
                (runtime.block_on(game.play()).unwrap().unwrap(), None)
            }
        };
        let game = NewGame::of_pairing(tournament, Key { pairing, attempt }, record);
        self.store.put_game(game).wait().unwrap();
        Arrived::Stored { pairing, attempt, verdict }
    }
}

impl Elsewhere for Machine {
    fn room(&self) -> usize {
        64
    }

    fn open(&self, _: TournamentId) -> UnboundedReceiver<Arrived> {
        let (sender, receiver) = unbounded_channel();
        *self.shared.watcher.lock().unwrap() = Some(sender);
        receiver
    }

    fn play(&self, order: Order) {
        self.shared.waiting.lock().unwrap().push_back(order);
    }

    fn withdraw(&self, _: TournamentId) {
        self.shared.waiting.lock().unwrap().clear();
    }

    fn take_back(&self, _: TournamentId) {
        let watcher = self.shared.watcher.lock().unwrap().clone().unwrap();
        for order in self.shared.waiting.lock().unwrap().drain(..) {
            watcher.send(Arrived::Withdrawn { pairing: order.pairing }).unwrap();
        }
    }

    fn close(&self, _: TournamentId) {}
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Holds it here, or on another machine.
fn hold(tournament: &Tournament, machine: Option<&Machine>) -> TournamentOutcome {
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: false,
        announce: &|_, _| (),
        elsewhere: machine.map(|machine| machine as &dyn Elsewhere),
    };
    let held = tournament.hold(&holding, &Stopping::new(GRACE), &mut (), &mut |_| (), &mut |_| {
        if let Some(machine) = machine {
            machine.shared.heard.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    });
    held.unwrap()
}

fn results(tournament: &Tournament) -> Vec<GameResult> {
    tournament.results().unwrap().map(Result::unwrap).collect()
}

const SIX: [&str; 6] = ["random", "first", "level:1", "random", "level:2", "random"];

#[test]
fn what_failed_because_of_us_is_paired_on_nowhere_and_played_when_it_goes_on() {
    let folder = TempFolder::new("again");
    let store = store(&folder);
    let state = |tournament: &Tournament| store.tournament(tournament.id()).unwrap().state;
    for format in [
        json!({"kind": "swiss", "rounds": 3, "games": 2}),
        json!({"kind": "knock-out", "best_of": 2}),
        json!({"kind": "ladder", "games": 40}),
    ] {
        let whole = tournament(&store, &format, &SIX);
        assert!(hold(&whole, None).complete);
        let expected = results(&whole);
        for failing in [(Failing::Parked, 0), (Failing::Aborted, 1), (Failing::Aborted, 7)] {
            let cut = tournament(&store, &format, &SIX);
            let outcome = hold(&cut, Some(&Machine::new(&store, failing)));
            assert!(!outcome.complete && outcome.winners.is_empty(), "{format} {failing:?}: {outcome:?}");
            assert_eq!(state(&cut), TournamentState::Paused);
            let played = results(&cut);
            assert!(played.len() < expected.len() && played.iter().all(|game| expected.contains(game)));
            let outcome = hold(&cut, None);
            assert!(outcome.complete && state(&cut) == TournamentState::Finished, "{format}: {outcome:?}");
            assert_eq!(results(&cut), expected, "{format} {failing:?}");
        }
    }
}

/// A series ends all the same, and what was parked keeps it open.
#[test]
fn where_nothing_follows_from_it_a_failed_game_keeps_nobody_up() {
    let folder = TempFolder::new("kept-up");
    let store = store(&folder);
    let format = json!({"kind": "series", "games": 6});
    for (failing, complete) in [(Failing::Aborted, true), (Failing::Parked, false)] {
        let series = tournament(&store, &format, &["random", "first"]);
        assert_eq!(hold(&series, Some(&Machine::new(&store, (failing, 2)))).complete, complete);
        let finished = store.tournament(series.id()).unwrap().state == TournamentState::Finished;
        assert_eq!(finished, complete);
        let games = results(&series);
        assert_eq!(games.len(), if complete { 6 } else { 5 });
        assert!(hold(&series, None).complete);
        assert!(results(&series).iter().all(|game| game.outcome.is_some()));
        assert_eq!(results(&series).len(), 6);
    }
}

/// As a version before has left it: later rounds were paired on what failed.
#[test]
fn a_tournament_that_is_over_stays_as_it_was_paired() {
    let folder = TempFolder::new("over");
    let store = store(&folder);
    let swiss = tournament(&store, &json!({"kind": "swiss", "rounds": 3, "games": 2}), &SIX);
    let mut format = swiss.format().unwrap();
    let mut begun = 0;
    while let Next::Play(pairings) = format.next(100) {
        store.put_pairings(swiss.id(), &pairings).unwrap();
        for pairing in &pairings {
            let (record, verdict) = aborted(&swiss.match_spec(pairing).unwrap());
            let game = NewGame::of_pairing(swiss.id(), Key::first(pairing.id), record);
            store.put_game(game).wait().unwrap();
            assert_eq!(verdict.ending.cause, Cause::PlatformAbort);
            format.take(&GameResult::new(pairing, None, Cause::PlatformAbort));
            begun += 1;
        }
    }
    for state in [TournamentState::Running, TournamentState::Finished] {
        store.set_tournament_state(swiss.id(), state).unwrap();
    }
    let before = results(&swiss);
    assert_eq!(before.len(), begun);
    assert!(hold(&swiss, None).complete);
    assert_eq!(store.tournament(swiss.id()).unwrap().state, TournamentState::Finished);
    assert_eq!(results(&swiss), before);
}

#[test]
fn once_a_test_has_decided_other_machines_begin_no_further_game() {
    let folder = TempFolder::new("decided");
    let store = store(&folder);
    let format = json!({"kind": "sprt", "elo0": 0, "elo1": 100, "games": 2000});
    let sprt = tournament(&store, &format, &["level:5", "random"]);
    assert!(hold(&sprt, Some(&Machine::new(&store, (Failing::Never, 0)))).complete);
    assert_eq!(store.tournament(sprt.id()).unwrap().state, TournamentState::Finished);
    let mut test = sprt.spec().test().unwrap();
    let games = results(&sprt);
    for game in &games {
        test.take(game);
    }
    assert!(test.run().decision().is_some());
    let counted = games.iter().filter(|game| test.counts(game.pairing)).count();
    assert!(games.len() <= counted + 1, "{} games, of which {counted} count", games.len());
    // What was taken back leaves nothing to go on with.
    assert!(hold(&sprt, None).complete);
    assert_eq!(results(&sprt).len(), games.len());
}

fn spec(pairing: &Pairing) -> MatchSpec {
    let players = pairing.entrants.iter().map(|entrant| ["a=level:5", "b=random"][entrant.index()]);
    MatchSpec::new("hexapawn:rows=4,cols=4", players, Seed(pairing.id)).unwrap()
}

fn games<'a>(
    spec_of: &'a (dyn Fn(&Pairing) -> Result<MatchSpec, ArenaError> + Sync),
    protocols: &'a Protocols,
) -> Games<'a> {
    Games {
        spec_of,
        archive: None,
        programs: None,
        protocols,
        concurrency: 1,
        timed: false,
        retries: 0,
        until_proved: false,
        affinity: false,
        announce: &|_, _| (),
        sends_home: true,
    }
}

#[test]
fn once_a_test_has_decided_no_further_game_begins_here() {
    let (begun, heard) = (AtomicU64::new(0), AtomicU64::new(0));
    // Whoever plays is not so much faster than whoever hears of it.
    let spec_of = |pairing: &Pairing| {
        while heard.load(Ordering::SeqCst) < begun.load(Ordering::SeqCst) {
            sleep(SOON);
        }
        begun.fetch_add(1, Ordering::SeqCst);
        Ok(spec(pairing))
    };
    let test = Test::new(Model::Logistic, 0.0, 100.0, 0.05, 0.05).unwrap();
    let mut scheduler = Scheduler::new(Sprt::new(2, 2000, test), 65);
    let held = games(&spec_of, &Protocols::default()).hold(
        &mut scheduler,
        &Stopping::new(GRACE),
        &mut (),
        &mut |_| {
            heard.fetch_add(1, Ordering::SeqCst);
            Ok(())
        },
    );
    assert!(held.unwrap().complete);
    let run = scheduler.format().run();
    assert_eq!(run.decision(), Some(Decision::H1));
    let begun = begun.into_inner();
    assert!(begun <= run.games() + 1, "{begun} games, of which {} count", run.games());
}

#[test]
fn fault_s13_a_fault_of_ours_outside_of_the_players_ends_it_and_is_told() {
    let spec_of = |pairing: &Pairing| {
        assert!(pairing.id != 5, "the test says so");
        Ok(spec(pairing))
    };
    let protocols = Protocols::default();
    for concurrency in [1, 3] {
        let games = Games { concurrency, ..games(&spec_of, &protocols) };
        let mut scheduler = Scheduler::new(Series::new(2, 40), concurrency);
        let held = games.hold(&mut scheduler, &Stopping::new(GRACE), &mut (), &mut |_| Ok(()));
        let error = held.unwrap_err();
        assert!(matches!(error, ArenaError::Panicked(Some(6), _)), "{error}");
        assert!(error.to_string().contains("game 6") && error.to_string().contains("the test says so"));
    }
}

/// The figure of docs/tournament.md comes from here.
#[test]
#[allow(clippy::print_stderr, reason = "it is a measurement")]
fn fault_s01_a_tournament_of_ten_thousand_games_goes_on_within_five_seconds() {
    const GAMES: usize = 10_000;
    let folder = TempFolder::new("long");
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 2,
        affinity: false,
        announce: &|_, _| (),
        elsewhere: None,
    };
    let format = json!({"kind": "series", "games": GAMES + 1000});
    let id = tournament(&store(&folder), &format, &["random", "first"]).id();
    // The first game of a run, and the one with which it stops.
    for stops_at in [GAMES, 1] {
        let begin = Instant::now();
        let store = store(&folder);
        let tournament = Tournament::open(&store, id).unwrap();
        let (mut played, mut earlier, mut first) = (0, 0, None);
        let stopping = Stopping::new(GRACE);
        let held = tournament.hold(&holding, &stopping, &mut (), &mut |_| earlier += 1, &mut |_| {
            first.get_or_insert_with(|| begin.elapsed());
            played += 1;
            if played == stops_at {
                stopping.request(Signal::Interrupt);
            }
            Ok(())
        });
        assert!(!held.unwrap().complete);
        if stops_at == 1 {
            let first = first.unwrap();
            eprintln!("{earlier} games were read, and the next one was over after {first:?}");
            assert!(earlier >= GAMES && first < Duration::from_secs(5), "{earlier} games: {first:?}");
        }
    }
}

#[test]
fn what_is_kept_at_the_end_is_there_before_it_is_over() {
    let folder = TempFolder::new("then");
    let store = store(&folder);
    let protocols = Protocols::default();
    let holding = Holding {
        programs: None,
        protocols: &protocols,
        concurrency: 1,
        affinity: false,
        announce: &|_, _| (),
        elsewhere: None,
    };
    let series = tournament(&store, &json!({"kind": "series", "games": 2}), &["random", "first"]);
    let state = || store.tournament(series.id()).unwrap().state;
    let mut told = vec![];
    for fails in [true, false] {
        let (stopping, seen) = (Stopping::new(GRACE), &mut |_: &PlayedGame| Ok(()));
        let held = series.hold_then(&holding, &stopping, &mut (), &mut |_| (), seen, &mut |outcome| {
            told.push((outcome.complete, state()));
            if fails { Err(ArenaError::Agreed("the test says so".to_owned())) } else { Ok(()) }
        });
        assert_eq!(held.is_err(), fails);
        assert_eq!(state(), if fails { TournamentState::Paused } else { TournamentState::Finished });
    }
    assert_eq!(told, [(true, TournamentState::Running); 2]);
}
