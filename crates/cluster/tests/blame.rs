//! A worker that loses one game after the other, beside others that are busy: it uses up nobody's attempts.

#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;

use rookery_cluster::core::{
    Act, Answer, Ask, Claim, Coordinator, Done, Effect, JobKey, Name, Refusal, State, Terms, Worker,
    WorkerTerms,
};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u64);

impl JobKey for Key {
    type Group = ();

    fn group(&self) {}
}

const LEASE: u64 = 1000;
const TERMS: Terms = Terms { lease: LEASE, attempts: 3, window: 4 };
const GAMES: u64 = 20;
/// How many times longer than a lease a game takes.
const LONG: u64 = 10;

fn name(text: &str) -> Name {
    Name::from(text)
}

/// What a claim is answered with.
fn answer(effects: &[Effect<Key>]) -> Result<Claim<Key>, Refusal> {
    let answer = effects.iter().find_map(|effect| match effect {
        Effect::Answer(_, Answer::Granted { claim, .. }) => Some(Ok(claim.clone())),
        Effect::Answer(_, Answer::Refused { why, .. }) => Some(Err(*why)),
        _ => None,
    });
    answer.expect("every claim is answered")
}

/// Two workers of one game at a time: one is good and slow, the other one loses at once whatever it gets.
struct Scene {
    of: Coordinator<Key>,
    /// Notifications that nobody has heard yet.
    out: BTreeSet<(Key, u32)>,
    plays: Option<(Claim<Key>, u64)>,
    parked: BTreeSet<Key>,
    asked: u64,
    lost: u64,
}

impl Scene {
    fn new() -> Self {
        let mut of = Coordinator::new(TERMS, [], 0);
        for game in 0..GAMES {
            of.enqueue(&Key(game), 1);
        }
        Self { of, out: BTreeSet::new(), plays: None, parked: BTreeSet::new(), asked: 0, lost: 0 }
    }

    fn note(&mut self, effects: &[Effect<Key>]) {
        for effect in effects {
            match effect {
                Effect::Notify { key, attempt, .. } => drop(self.out.insert((key.clone(), *attempt))),
                Effect::Finished(key, Done::Parked) => drop(self.parked.insert(key.clone())),
                _ => {}
            }
        }
    }

    fn take(&mut self, worker: &str, now: u64) -> Option<Claim<Key>> {
        let (key, attempt) = self.out.pop_first()?;
        let effects = self.of.hear(&name(worker), Ask::Take { key, attempt }, now);
        answer(&effects).ok()
    }

    fn step(&mut self, now: u64, lose: impl Fn(&mut Coordinator<Key>, Claim<Key>, u64) -> Vec<Effect<Key>>) {
        for worker in ["bad", "good"] {
            self.of.hear(&name(worker), Ask::Hello { slots: 1 }, now);
        }
        if let Some((claim, ends)) = self.plays.take() {
            if ends <= now {
                let effects = self.of.deliver(&name("good"), claim, [1; 32], Ok(()), now);
                self.note(&effects);
            } else {
                self.of.hear(&name("good"), Ask::Beat { claim: claim.clone(), beat: now }, now);
                self.plays = Some((claim, ends));
            }
        }
        if self.plays.is_none() {
            self.plays = self.take("good", now).map(|claim| (claim, now + LONG * LEASE));
        }
        self.asked += u64::from(!self.out.is_empty());
        if let Some(claim) = self.take("bad", now) {
            self.lost += 1;
            let effects = lose(&mut self.of, claim, now);
            self.note(&effects);
        }
        let effects = self.of.tick(now);
        self.note(&effects);
    }

    /// Runs until everything is over: after how long.
    fn run(&mut self, lose: impl Fn(&mut Coordinator<Key>, Claim<Key>, u64) -> Vec<Effect<Key>>) -> u64 {
        let is_done = |of: &Coordinator<Key>| {
            of.jobs().all(|(_, job)| matches!(job.state, State::Done { .. } | State::Parked))
        };
        let mut now = 10 * LEASE;
        while !is_done(&self.of) {
            now += 10;
            self.step(now, &lose);
            assert!(now < 1000 * LEASE, "it does not end: {:?}", self.of.loads());
        }
        now
    }
}

#[test]
fn fault_q11_a_worker_that_fails_at_once_parks_nothing_while_the_others_are_busy() {
    let mut scene = Scene::new();
    let fail = |of: &mut Coordinator<Key>, claim, now| {
        of.hear(&name("bad"), Ask::Fail { claim, why: "no disk".to_owned() }, now)
    };
    let took = scene.run(fail);
    assert_eq!(scene.parked, BTreeSet::new());
    assert!(took < (GAMES + 5) * LONG * LEASE, "the good one is hardly held up: {took}");
    assert!((3..40).contains(&scene.lost), "it is tried now and then: {}", scene.lost);
    assert!(scene.asked < 20 * took / LEASE, "and not asked all the time: {} in {took}", scene.asked);
}

#[test]
fn fault_q12_a_worker_that_lies_parks_nothing_while_the_others_are_busy() {
    let mut scene = Scene::new();
    let lie = |of: &mut Coordinator<Key>, claim, now| {
        of.deliver(&name("bad"), claim, [2; 32], Err("no such move".to_owned()), now)
    };
    scene.run(lie);
    assert_eq!(scene.parked, BTreeSet::new());
}

#[test]
fn fault_q11_who_fails_alone_is_tried_again_at_once_and_its_games_are_parked() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    of.enqueue(&Key(0), 1);
    of.hear(&name("only"), Ask::Hello { slots: 1 }, 1);
    for attempt in 1..=3 {
        let claim = answer(&of.hear(&name("only"), Ask::Take { key: Key(0), attempt }, 2)).unwrap();
        of.hear(&name("only"), Ask::Fail { claim, why: "no disk".to_owned() }, 3);
    }
    assert_eq!(of.job(&Key(0)).unwrap().state, State::Parked);
}

#[test]
fn who_was_bad_and_delivers_a_game_again_gets_as_many_as_before() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    for worker in ["bad", "good"] {
        of.hear(&name(worker), Ask::Hello { slots: 4 }, 1);
    }
    for game in 0..GAMES {
        of.enqueue(&Key(game), 1);
    }
    let take = |of: &mut Coordinator<Key>, worker: &str, game, now| {
        answer(&of.hear(&name(worker), Ask::Take { key: Key(game), attempt: 1 }, now))
    };
    for game in 0..3 {
        let claim = take(&mut of, "bad", game, 10).unwrap();
        of.hear(&name("bad"), Ask::Fail { claim, why: "no disk".to_owned() }, 10);
    }
    assert_eq!(take(&mut of, "bad", 3, 11), Err(Refusal::Elsewhere), "it rests for a lease");
    assert!(take(&mut of, "good", 4, 11).is_ok(), "and nobody else does");
    let one = take(&mut of, "bad", 3, 11 + LEASE).unwrap();
    assert_eq!(take(&mut of, "bad", 5, 12 + LEASE), Err(Refusal::Elsewhere), "then it is given one game");
    of.deliver(&name("bad"), one, [1; 32], Ok(()), 13 + LEASE);
    for game in 5..8 {
        assert!(take(&mut of, "bad", game, 14 + LEASE).is_ok(), "and after that as many as it has room for");
    }
}

#[test]
fn nobody_holds_many_more_games_than_it_has_room_for() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    of.hear(&name("greedy"), Ask::Hello { slots: 2 }, 1);
    for game in 0..1000 {
        of.enqueue(&Key(game), 1);
    }
    let mut take = |game| answer(&of.hear(&name("greedy"), Ask::Take { key: Key(game), attempt: 1 }, 2));
    let granted = (0..1000).filter(|game| take(*game).is_ok()).count();
    assert_eq!(granted, 2 + 512, "what it plays, and what may be on its way back");
}

#[test]
fn fault_q03_a_game_that_is_stuck_gives_its_place_back() {
    let terms = WorkerTerms { slots: 1, spool: 1, patience: 500 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, []);
    worker.notified(Key(0), 1, 0);
    let claim = Claim { key: Key(0), attempt: 1, fence: 1 };
    worker.hear(Answer::Granted { claim: claim.clone(), lease: 900 }, 0);
    worker.progressed(&Key(0), 1);
    assert_eq!(worker.tick(300), [Act::Say(Ask::Beat { claim: claim.clone(), beat: 1 })]);
    assert_eq!((worker.tick(1499), worker.free()), (vec![], 0), "its lease may not be over yet");
    assert_eq!(worker.tick(1500), [Act::Abandon(claim)]);
    assert_eq!((worker.free(), worker.playing()), (1, 0));
}
