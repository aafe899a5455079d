//! Two workers of one name, and more names than anybody has: scenes of the protocol without a broker. The simulation mixes them with all
//! else that goes wrong.

#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::sync::Arc;

use rookery_cluster::core::{
    Act, Admission, Ask, Coordinator, HELLO, JobKey, Name, Session, Stage, Standing, Terms, Worker,
    WorkerTerms,
};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u64);

impl JobKey for Key {
    type Group = ();

    fn group(&self) {}
}

const TERMS: Terms = Terms { lease: 30_000, attempts: 3, window: 4 };

fn works(own: &str, before: &[&str]) -> Session {
    let before = before.iter().copied().map(Arc::from).collect();
    Session { own: Arc::from(own), before, stage: Stage::Works }
}

fn lab() -> Name {
    Name::from("lab")
}

#[test]
fn a_name_is_that_of_the_first_one_until_nothing_was_heard_of_it_for_a_lease() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    let (first, second) = (works("a", &[]), works("b", &[]));
    assert_eq!(of.admit(&lab(), &first, 1000), Admission::New);
    assert_eq!(of.admit(&lab(), &first, 20_000), Admission::Known);
    for now in [20_001, 50_000] {
        assert_eq!(of.admit(&lab(), &second, now), Admission::Refused);
    }
    assert_eq!(of.admit(&Name::from("other"), &second, 50_000), Admission::New, "another name is free");
    assert_eq!(of.admit(&lab(), &second, 50_001), Admission::New, "nothing was heard of the first one");
    assert_eq!(of.admit(&lab(), &first, 50_002), Admission::Refused, "who comes back finds it taken");
    assert_eq!(of.session_of(&lab()).map(|own| &**own), Some("b"));
}

#[test]
fn whoever_begins_again_with_its_spool_has_its_name_at_once_and_whoever_ends_gives_it_back() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    of.admit(&lab(), &works("a", &[]), 1000);
    // It crashed twice, and the second start was never heard.
    let third = works("c", &["b", "a"]);
    assert_eq!(of.admit(&lab(), &third, 1001), Admission::New);
    assert_eq!(of.admit(&lab(), &works("a", &[]), 1002), Admission::Refused, "a message that was late");
    let ended = Session { stage: Stage::Ended, ..third };
    assert_eq!(of.admit(&lab(), &ended, 1003), Admission::Known);
    assert_eq!(of.admit(&lab(), &ended, 1004), Admission::Known, "who ends takes no name");
    assert_eq!(of.admit(&lab(), &works("x", &[]), 1005), Admission::New);
}

#[test]
fn a_short_lease_does_not_free_a_name_between_two_greetings() {
    let mut of: Coordinator<Key> = Coordinator::new(Terms { lease: 100, ..TERMS }, [], 0);
    of.admit(&lab(), &works("a", &[]), 1000);
    of.tick(1000 + 2 * HELLO);
    assert_eq!(of.admit(&lab(), &works("b", &[]), 1000 + 2 * HELLO), Admission::Refused);
    assert_eq!(of.admit(&lab(), &works("b", &[]), 1001 + 3 * HELLO), Admission::New);
}

#[test]
fn nobody_loses_its_name_for_a_silence_that_was_not_its_own() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    of.admit(&lab(), &works("a", &[]), 1000);
    of.stood_still(90_000);
    assert_eq!(of.admit(&lab(), &works("b", &[]), 91_000), Admission::Refused);
    of.broker_lost();
    of.broker_back(190_000, 20_000);
    assert_eq!(of.admit(&lab(), &works("b", &[]), 191_000), Admission::Refused);
}

/// Each coordinator has heard another one first: whoever is refused by one keeps its name at neither, so that both agree in the end.
#[test]
fn a_worker_that_waits_does_not_keep_its_name() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    of.admit(&lab(), &works("a", &[]), 1000);
    let waits = Session { stage: Stage::Waits, ..works("a", &[]) };
    assert_eq!(of.admit(&lab(), &waits, 30_000), Admission::Known);
    assert_eq!(of.admit(&lab(), &works("b", &[]), 31_001), Admission::New);
}

#[test]
fn a_worker_takes_nothing_until_it_knows_whose_its_name_is_or_nobody_answers() {
    let standing = || Standing::new(Arc::from("a"), vec![], 2000, HELLO, 0);
    let mut answered = standing();
    assert!(!answered.may_play() && answered.session().stage == Stage::Waits);
    assert!(!answered.admitted() && answered.may_play(), "it was never refused");
    assert_eq!(answered.session().stage, Stage::Works);
    assert!(answered.refused(5000) && !answered.refused(6000), "it is told once");
    answered.tick(true, 6000 + 2 * HELLO);
    assert!(!answered.may_play(), "it is refused again and again");
    answered.tick(true, 8000 + 2 * HELLO);
    assert!(answered.may_play(), "whoever refused it is gone");
    assert!(answered.refused(20_000) && answered.admitted(), "and now it is told that the name is free");

    let mut alone = standing();
    alone.tick(false, 90_000);
    alone.tick(true, 91_999);
    assert!(!alone.may_play(), "nobody could answer");
    alone.tick(true, 92_000);
    assert!(alone.may_play());
    assert!(alone.is_for_us(None) && alone.is_for_us(Some("a")) && !alone.is_for_us(Some("b")));
}

#[test]
fn a_worker_that_is_held_back_ends_what_it_plays_and_claims_nothing() {
    let terms = WorkerTerms { slots: 3, spool: 9, patience: 500 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, []);
    let take = |key| Act::Say(Ask::Take { key: Key(key), attempt: 1 });
    assert_eq!(worker.notified(Key(1), 1, 0), [take(1)]);
    assert_eq!(worker.notified(Key(2), 1, 0), [take(2)]);
    let claim = rookery_cluster::core::Claim { key: Key(1), attempt: 1, fence: 1 };
    worker.hear(rookery_cluster::core::Answer::Granted { claim: claim.clone(), lease: 30_000 }, 1);
    worker.hold_back(true);
    assert!(!worker.is_asking(&Key(2)) && worker.free() == 0);
    assert_eq!(worker.notified(Key(3), 1, 2), []);
    assert_eq!(worker.finished(claim.clone(), 7, 3), [Act::Keep(claim.clone(), 7), Act::Send(claim, 7)]);
    worker.hold_back(false);
    assert_eq!(worker.notified(Key(3), 1, 4), [take(3)]);
}

/// What is kept of a claim that nobody answers ends with it.
#[test]
fn a_claim_that_is_never_answered_is_forgotten() {
    let terms = WorkerTerms { slots: 1, spool: 9, patience: 500 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, []);
    worker.notified(Key(1), 1, 0);
    let is_asking = |now: u64, worker: &mut Worker<Key, u8>| {
        worker.tick(now);
        worker.is_asking(&Key(1))
    };
    assert!(is_asking(500, &mut worker) && is_asking(1000, &mut worker));
    assert!(!is_asking(1500, &mut worker));
    assert_eq!(worker.free(), 1);
}

#[test]
fn fault_q12_whoever_greets_under_ever_new_names_fills_nothing() {
    const MOST: usize = 20_000;
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    let hello = |of: &mut Coordinator<Key>, name: &str, now| {
        of.admit(&Name::from(name), &works("a", &[]), now);
        of.hear(&Name::from(name), Ask::Hello { slots: 1 }, now)
    };
    hello(&mut of, "ann", 1);
    for idx in 0..MOST {
        hello(&mut of, &format!("made-up-{idx}"), 1);
    }
    assert_eq!(of.workers().len(), MOST);
    assert!(of.session_of(&Name::from("made-up-19999")).is_none(), "nor are more sessions kept");
    hello(&mut of, "ann", 2);
    assert_eq!(of.workers()[&Name::from("ann")].at, 2, "who is known is heard");
    of.tick(2 + 3 * TERMS.lease);
    hello(&mut of, "bob", 3 + 3 * TERMS.lease);
    assert!(of.workers().len() == 2 && of.workers().contains_key("bob"), "the others are forgotten");
}
