//! Single scenes of the protocol, without a broker: each fault by its ID. The simulation mixes them.

#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_cluster::core::{
    Act, Answer, Ask, Claim, Coordinator, Done, Effect, Job, JobKey, Lost, Name, Refusal, State, Terms,
    Worker, WorkerTerms,
};
use rookery_cluster::doctor;
use serde_json::json;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(char, u64);

impl JobKey for Key {
    type Group = char;

    fn group(&self) -> char {
        self.0
    }
}

const TERMS: Terms = Terms { lease: 1000, attempts: 3, window: 4 };
const GAME: Key = Key('a', 0);

fn name(text: &str) -> Name {
    Name::from(text)
}

/// A coordinator that has begun long ago, with one job that waits.
fn coordinator() -> Coordinator<Key> {
    let mut new = Coordinator::new(TERMS, [], 0);
    new.enqueue(&GAME, 1);
    new
}

fn take(of: &mut Coordinator<Key>, worker: &str, attempt: u32, now: u64) -> Result<Claim<Key>, Refusal> {
    let effects = of.hear(&name(worker), Ask::Take { key: GAME, attempt }, now);
    let answer = effects.into_iter().find_map(|effect| match effect {
        Effect::Answer(_, Answer::Granted { claim, .. }) => Some(Ok(claim)),
        Effect::Answer(_, Answer::Refused { why, .. }) => Some(Err(why)),
        _ => None,
    });
    answer.expect("every claim is answered")
}

fn deliver(of: &mut Coordinator<Key>, worker: &str, claim: &Claim<Key>, record: u8) -> Vec<Effect<Key>> {
    of.deliver(&name(worker), claim.clone(), [record; 32], Ok(()), 0)
}

fn is_stored(effects: &[Effect<Key>]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Store(_)))
}

fn dropped(effects: &[Effect<Key>]) -> Option<Refusal> {
    effects.iter().find_map(|effect| match effect {
        Effect::Answer(_, Answer::Dropped { why, .. }) => Some(*why),
        _ => None,
    })
}

fn notifications(effects: &[Effect<Key>]) -> Vec<(Key, u32)> {
    let notification = |effect: &Effect<Key>| match effect {
        Effect::Notify { key, attempt, .. } => Some((key.clone(), *attempt)),
        _ => None,
    };
    effects.iter().filter_map(notification).collect()
}

#[test]
fn fault_q01_a_result_that_comes_again_is_stored_once_and_another_one_is_an_alarm() {
    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 10).unwrap();
    assert!(is_stored(&deliver(&mut of, "ann", &claim, 7)));
    for _ in 0..5 {
        let again = deliver(&mut of, "ann", &claim, 7);
        assert_eq!(again, [Effect::Answer(name("ann"), Answer::Stored(claim.clone()))]);
    }
    let other = deliver(&mut of, "ann", &claim, 8);
    assert!(matches!(other[0], Effect::Alarm { .. }), "{other:?}");
    assert_eq!(dropped(&other), Some(Refusal::Conflict));
    assert!(!is_stored(&other));
}

#[test]
fn fault_q02_a_lost_workers_game_is_another_attempt_of_somebody_else_and_what_comes_late_is_refused() {
    let mut of = coordinator();
    for worker in ["ann", "bob"] {
        of.hear(&name(worker), Ask::Hello { slots: 1 }, 1000);
    }
    let first = take(&mut of, "ann", 1, 1000).unwrap();
    assert_eq!(notifications(&of.tick(1999)), [], "the lease holds");
    assert_eq!(notifications(&of.tick(2001)), [(GAME, 2)], "the next attempt is announced at once");
    assert_eq!(take(&mut of, "ann", 2, 2002), Err(Refusal::Elsewhere), "somebody else tries first");
    of.tick(2003);
    let second = take(&mut of, "bob", 2, 2004).unwrap();
    assert!(second.fence > first.fence);
    assert_eq!(dropped(&deliver(&mut of, "ann", &first, 1)), Some(Refusal::Stale));
    assert_eq!(dropped(&deliver(&mut of, "ann", &second, 1)), Some(Refusal::Stale), "a lease of another");
    assert!(is_stored(&deliver(&mut of, "bob", &second, 1)));
}

#[test]
fn fault_q02_who_is_alone_may_try_again() {
    let mut of = coordinator();
    of.hear(&name("ann"), Ask::Hello { slots: 1 }, 1000);
    take(&mut of, "ann", 1, 1000).unwrap();
    of.tick(2001);
    assert!(take(&mut of, "ann", 2, 2002).is_ok());
}

#[test]
fn fault_q03_a_lease_has_a_latest_end_however_lively_its_worker_is() {
    // Whoever beats as it should, three times in a lease; and whoever does it as late as it can.
    for (pace, most) in [(TERMS.lease / 3, 2), (TERMS.lease, 6)] {
        let mut of = coordinator();
        of.limit(&GAME, 2 * TERMS.lease);
        let claim = take(&mut of, "ann", 1, 0).unwrap();
        let held = (1..100).find(|&beat| {
            let now = beat * pace;
            assert!(of.tick(now).iter().all(|effect| !matches!(effect, Effect::Ended { .. })), "it beats");
            let said = of.hear(&name("ann"), Ask::Beat { claim: claim.clone(), beat }, now);
            let is_lost =
                said.iter().any(|effect| matches!(effect, Effect::Ended { lost: Lost::Endless, .. }));
            let is_told = said.contains(&Effect::Answer(name("ann"), Answer::Stop(claim.clone())));
            assert_eq!(is_lost, is_told, "who loses it hears of it");
            is_lost
        });
        let leases = held.expect("it loses it at some time") * pace / TERMS.lease;
        assert!(leases <= most + 1, "{leases} leases instead of {most}");
        assert_eq!(of.job(&GAME).map(|job| (job.attempt, job.failures)), Some((2, 1)));
        // Another coordinator that knows the row alone goes on counting.
        let job =
            Job { state: State::Leased { worker: name("ann"), until: 5000, beats: 6 }, ..Job::queued(1) };
        let mut next = Coordinator::new(TERMS, [(GAME, job)], 5000);
        next.limit(&GAME, 2 * TERMS.lease);
        let claim = Claim { fence: 0, ..claim };
        let said = next.hear(&name("ann"), Ask::Beat { claim, beat: 7 }, 5000);
        assert!(said.iter().any(|effect| matches!(effect, Effect::Ended { lost: Lost::Endless, .. })));
    }
}

#[test]
fn fault_q03_a_beat_is_sent_only_while_something_happens_and_an_old_one_moves_nothing() {
    let terms = WorkerTerms { slots: 1, spool: 1, patience: 500 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, []);
    worker.notified(GAME, 1, 0);
    let claim = Claim { key: GAME, attempt: 1, fence: 1 };
    worker.hear(Answer::Granted { claim: claim.clone(), lease: 900 }, 0);
    let beat = |acts: &[Act<Key, u8>]| {
        acts.iter().find_map(|act| match act {
            Act::Say(Ask::Beat { beat, .. }) => Some(*beat),
            _ => None,
        })
    };
    worker.progressed(&GAME, 1);
    assert_eq!(beat(&worker.tick(299)), None, "not before a third of the lease");
    assert_eq!(beat(&worker.tick(300)), Some(1));
    assert_eq!(beat(&worker.tick(900)), None, "nothing has happened since");
    worker.progressed(&GAME, 2);
    assert_eq!(beat(&worker.tick(901)), Some(2));

    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    let beat = |of: &mut Coordinator<Key>, beat, now| {
        of.hear(&name("ann"), Ask::Beat { claim: claim.clone(), beat }, now);
        match &of.job(&GAME).unwrap().state {
            State::Leased { until, .. } => *until,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(beat(&mut of, 1, 1500), 2500);
    assert_eq!(beat(&mut of, 1, 2400), 2500, "an old beat is no life");
    of.tick(2501);
    assert_eq!(of.job(&GAME).unwrap().attempt, 2, "who is stuck loses the game");
    let stop = of.hear(&name("ann"), Ask::Beat { claim: claim.clone(), beat: 3 }, 2502);
    assert_eq!(stop, [Effect::Answer(name("ann"), Answer::Stop(claim.clone()))]);
}

#[test]
fn fault_q04_whether_a_notification_comes_to_one_worker_or_to_two_makes_no_difference() {
    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    assert_eq!(take(&mut of, "bob", 1, 1001), Err(Refusal::Taken), "a notification that another one got");
    assert_eq!(take(&mut of, "ann", 1, 1002), Ok(claim.clone()), "the answer was lost: the same lease");
    assert!(is_stored(&deliver(&mut of, "ann", &claim, 1)));
    assert_eq!(take(&mut of, "bob", 1, 1003), Err(Refusal::Done));
}

#[test]
fn fault_q05_a_notification_that_is_sent_again_is_another_message() {
    let mut of = coordinator();
    let notified = |effects: Vec<Effect<Key>>| {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Notify { attempt, number, .. } => Some((attempt, number)),
            _ => None,
        })
    };
    assert_eq!(notified(of.tick(1)), Some((1, 1)));
    assert_eq!(notified(of.tick(900)), None, "nobody is told twice for nothing");
    assert_eq!(notified(of.tick(1002)), Some((1, 2)), "no broker takes it for the first one");
    take(&mut of, "ann", 1, 1003).unwrap();
    assert_eq!(notified(of.tick(2500)), Some((2, 3)));
}

#[test]
fn fault_q06_while_the_broker_is_away_no_lease_ends_and_what_was_finished_is_delivered_later() {
    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    of.broker_lost();
    assert_eq!(of.tick(50_000), []);
    of.broker_back(60_000, 5000);
    of.tick(64_999);
    assert!(
        is_stored(&deliver(&mut of, "ann", &claim, 1)),
        "as long as workers may take to come back, and a whole lease later, it still counts"
    );

    let terms = WorkerTerms { slots: 1, spool: 2, patience: 500 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, []);
    worker.notified(GAME, 1, 0);
    worker.hear(Answer::Granted { claim: claim.clone(), lease: 900 }, 0);
    let acts = worker.finished(claim.clone(), 7, 10);
    assert_eq!(acts, [Act::Keep(claim.clone(), 7), Act::Send(claim.clone(), 7)], "kept before it is sent");
    // The worker ends; the next one finds it on the disk, and sends until somebody answers.
    let mut worker: Worker<Key, u8> = Worker::new(terms, [(claim.clone(), 7)]);
    assert_eq!(worker.tick(1000), [Act::Send(claim.clone(), 7)]);
    assert_eq!(worker.tick(1100), []);
    assert_eq!(worker.tick(1500), [Act::Send(claim.clone(), 7)]);
    assert_eq!(worker.hear(Answer::Stored(claim.clone()), 1600), [Act::Forget(claim)]);
    assert_eq!(worker.undelivered(), 0);
}

#[test]
fn fault_q08_a_broker_that_may_lose_something_is_told_of() {
    let debian = json!({ "version": "2.9.10", "jetstream": { "config": { "max_memory": 1 } } });
    let bad: Vec<String> =
        doctor::judge(&debian).into_iter().filter(|it| !it.good).map(|it| it.what).collect();
    assert_eq!(bad, ["version", "sync", "who may connect", "TLS"]);
    let well = json!({
        "version": "2.10.23", "auth_required": true, "tls_required": true,
        "jetstream": { "config": { "sync_always": true } },
    });
    assert!(doctor::judge(&well).iter().all(|it| it.good), "{:?}", doctor::judge(&well));
    assert!(doctor::judge(&json!({})).iter().all(|it| !it.good), "what says nothing is not well");
    let unknown = doctor::sync(None);
    assert!(!unknown.good && unknown.note.contains("not known"), "{unknown:?}");
    let on = |n: u64| doctor::judge_stream(&json!({ "config": { "num_replicas": n } })).good;
    assert_eq!((on(1), on(3)), (false, true), "what counts is where the stream is");
}

#[test]
fn fault_q09_a_coordinator_that_begins_judges_no_lease_for_the_time_of_one() {
    let leased = State::Leased { worker: name("ann"), until: 5, beats: 0 };
    let job = Job { attempt: 1, fence: 1, failures: 0, state: leased, last: None };
    let mut of = Coordinator::new(TERMS, [(GAME, job)], 100_000);
    of.tick(100_999);
    let claim = Claim { key: GAME, attempt: 1, fence: 1 };
    assert_eq!(of.job(&GAME).unwrap().attempt, 1, "its lease is long over, and not judged");
    of.hear(&name("ann"), Ask::Beat { claim: claim.clone(), beat: 1 }, 100_999);
    of.tick(101_500);
    assert!(is_stored(&deliver(&mut of, "ann", &claim, 1)));
}

#[test]
fn fault_q11_a_game_that_fails_three_times_is_parked_and_the_others_go_on() {
    let mut of = coordinator();
    let other = Key('a', 1);
    of.enqueue(&other, 1);
    let mut now = 1000;
    for attempt in 1..=3 {
        assert_eq!(of.job(&GAME).unwrap().state, State::Queued);
        take(&mut of, &format!("worker {attempt}"), attempt, now).unwrap();
        now += 2000;
        let effects = of.tick(now);
        let parked = effects.contains(&Effect::Finished(GAME, Done::Parked));
        assert_eq!(parked, attempt == 3, "{effects:?}");
    }
    assert_eq!(of.job(&GAME).unwrap().state, State::Parked);
    assert_eq!(take(&mut of, "ann", 4, now), Err(Refusal::Stale));
    assert!(notifications(&of.tick(now + 2000)).iter().all(|(key, _)| *key == other));
    assert!(of.retry(&other).is_none(), "only what is parked");
    of.retry(&GAME).unwrap();
    assert!(take(&mut of, "ann", 4, now).is_ok(), "the operator has it tried again");
}

#[test]
fn fault_q12_a_record_that_breaks_the_rules_is_refused_and_told() {
    let mut of = coordinator();
    let claim = take(&mut of, "liar", 1, 1000).unwrap();
    let wrong = Err("line 3: no such move".to_owned());
    let effects = of.deliver(&name("liar"), claim.clone(), [1; 32], wrong, 1001);
    assert!(!is_stored(&effects));
    assert_eq!(dropped(&effects), Some(Refusal::Wrong));
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::Alarm { worker, .. } if **worker == *"liar"))
    );
    let lost = Lost::Refused("line 3: no such move".to_owned());
    assert!(effects.contains(&Effect::Ended { claim, worker: name("liar"), lost }));
    assert_eq!(of.job(&GAME).unwrap().attempt, 2);
}

#[test]
fn fault_q13_no_more_notifications_are_out_than_workers_have_use_for_and_tournaments_share_them() {
    let mut of: Coordinator<Key> = Coordinator::new(TERMS, [], 0);
    for pairing in 0..1000 {
        of.enqueue(&Key('a', pairing), 1);
    }
    assert_eq!(notifications(&of.tick(1)).len(), 4, "the window");
    of.hear(&name("ann"), Ask::Hello { slots: 8 }, 2);
    assert_eq!(notifications(&of.tick(3)).len(), 12, "twice the slots, less those that are out");
    for pairing in 0..10 {
        of.enqueue(&Key('b', pairing), 1);
    }
    for pairing in 0..6 {
        of.hear(&name("ann"), Ask::Take { key: Key('a', pairing), attempt: 1 }, 4);
    }
    let next = notifications(&of.tick(5));
    assert!(
        next.len() == 6 && next.iter().all(|(key, _)| key.0 == 'b'),
        "who has fewer out comes first: {next:?}"
    );
}

#[test]
fn fault_q14_a_message_of_an_earlier_lease_has_no_effect() {
    let mut of = coordinator();
    let old = take(&mut of, "ann", 1, 1000).unwrap();
    of.hear(&name("ann"), Ask::Release(old.clone()), 1001);
    let new = take(&mut of, "ann", 1, 1002).unwrap();
    assert_eq!(
        dropped(&deliver(&mut of, "ann", &old, 1)),
        Some(Refusal::Stale),
        "the same attempt, an older lease"
    );
    of.hear(&name("ann"), Ask::Release(old.clone()), 1003);
    of.hear(&name("ann"), Ask::Fail { claim: old, why: String::new() }, 1004);
    assert!(is_stored(&deliver(&mut of, "ann", &new, 1)));
}

#[test]
fn fault_q02_a_standstill_that_was_not_the_workers_ends_no_lease() {
    let mut of = coordinator();
    of.hear(&name("ann"), Ask::Hello { slots: 1 }, 1000);
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    // The coordinator did not run for a while: nobody could say a word.
    of.stood_still(9000);
    of.tick(9999);
    assert!(of.awaits("ann", &claim));
    assert!(of.workers().contains_key("ann"), "nor is anybody forgotten for it");
    of.tick(12_001);
    assert!(!of.workers().contains_key("ann"), "but who says nothing for three leases is");
    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    of.stood_still(9000);
    of.hear(&name("ann"), Ask::Beat { claim: claim.clone(), beat: 1 }, 9999);
    of.tick(10_500);
    assert!(is_stored(&deliver(&mut of, "ann", &claim, 1)));
}

#[test]
fn fault_q14_only_a_record_that_makes_a_difference_is_awaited() {
    let mut of = coordinator();
    let claim = take(&mut of, "ann", 1, 1000).unwrap();
    assert!(of.awaits("ann", &claim) && !of.awaits("bob", &claim), "whoever holds the lease");
    assert!(!of.awaits("ann", &Claim { fence: claim.fence + 1, ..claim.clone() }), "another lease");
    assert!(!of.awaits("ann", &Claim { key: Key('b', 0), ..claim.clone() }), "another game");
    deliver(&mut of, "ann", &claim, 1);
    assert!(of.awaits("ann", &claim), "it is compared with what is stored");
}

#[test]
fn finished_games_are_sent_a_few_at_a_time_and_less_often_while_nobody_answers() {
    let terms = WorkerTerms { slots: 1, spool: 1000, patience: 500 };
    let claim = |pairing| Claim { key: Key('a', pairing), attempt: 1, fence: 1 };
    let mut worker: Worker<Key, u8> = Worker::new(terms, (0..200).map(|pairing| (claim(pairing), 7)));
    let sent = |acts: Vec<Act<Key, u8>>| -> Vec<u64> {
        let sent = |act: Act<Key, u8>| match act {
            Act::Send(claim, _) => claim.key.1,
            other => panic!("{other:?}"),
        };
        acts.into_iter().map(sent).collect()
    };
    let first = sent(worker.tick(1000));
    assert_eq!((first.len(), sent(worker.tick(1100)).len()), (64, 0), "not all at once");
    let next = sent(worker.tick(1500));
    assert!(next.len() == 64 && next.iter().all(|pairing| !first.contains(pairing)), "the others come first");
    for pairing in &next {
        worker.hear(Answer::Stored(claim(*pairing)), 1600);
    }
    assert_eq!(sent(worker.tick(1600)).len(), 64, "answers make room");
    // From now on nobody answers: each is sent after a longer pause, but never later than four times the first one.
    let n_sent: usize = (17..=117).map(|tenth| sent(worker.tick(100 * tenth)).len()).sum();
    assert!((300..700).contains(&n_sent), "{n_sent} in ten seconds, of {} games", worker.undelivered());
    let gone = worker.undeliverable(claim(first[0]), "too large".to_owned());
    let fail = Ask::Fail { claim: claim(first[0]), why: "too large".to_owned() };
    assert_eq!(gone, [Act::Say(fail), Act::Forget(claim(first[0]))]);
    assert_eq!(worker.undeliverable(claim(first[0]), String::new()), [], "once");
}

#[test]
fn a_tournament_that_stops_takes_back_what_nobody_plays() {
    let mut of = coordinator();
    let played = take(&mut of, "ann", 1, 1000).unwrap();
    of.enqueue(&Key('a', 1), 1);
    of.enqueue(&Key('b', 1), 1);
    assert_eq!(of.withdraw(&'a'), [Effect::Delete(Key('a', 1))]);
    assert_eq!(of.tick(1001).len(), 1, "the other tournament goes on");
    assert!(is_stored(&deliver(&mut of, "ann", &played, 1)), "what is played counts");
    of.forget(&'a');
    assert!(of.job(&GAME).is_none());
}

#[test]
fn a_tournament_that_has_decided_takes_back_also_what_is_lost_or_given_back_later() {
    let mut of = coordinator();
    let played = take(&mut of, "ann", 1, 1000).unwrap();
    assert_eq!(of.take_back(&'a'), [], "what is played goes on");
    let released = of.hear(&name("ann"), Ask::Release(played.clone()), 1001);
    assert_eq!(released, [Effect::Delete(GAME)], "and begins nowhere else");
    // Until more of it is wanted.
    of.enqueue(&GAME, 1);
    let played = take(&mut of, "ann", 1, 1002).unwrap();
    of.take_back(&'a');
    let failed = of.hear(&name("ann"), Ask::Fail { claim: played, why: "no room".to_owned() }, 1003);
    assert!(failed.contains(&Effect::Delete(GAME)) && of.job(&GAME).is_none(), "{failed:?}");
    assert!(
        failed.iter().any(|effect| matches!(effect, Effect::Ended { .. })),
        "it is known who has lost it"
    );
    assert!(!failed.iter().any(|effect| matches!(effect, Effect::Finished(..))), "nothing is parked");
}
