//! What keeps workers honest beside the judge: a share of their games is played again by others and must be the same byte for
//! byte, and whose games end otherwise than those of the others is told.
//!
//! Games that are played again have jobs of their own, in memory only: a coordinator that ends forgets them, and nothing that counts
//! depends on them. Nothing here changes a result. What is found is written into the audit table, logged and counted; what comes of
//! it is the operator's.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_arena::Order;
use rookery_referee::{MatchSpec, SeatSpec, Verdict};
use rookery_store::{Hash, JobChange, TournamentId};
use tokio::sync::oneshot;

use crate::JobId;
use crate::by_clock::is_by_clock;
use crate::core::{
    Answer, Ask, Claim, Coordinator, Digest, Done, Effect, Name, Refusal, State, Terms, pause,
};
use crate::limit::longest;
use crate::outliers::{Aspect, Comparison, Deviation, Tally};
use crate::server::Server;
use crate::status::{Difference, Flag, TrustStatus};

/// How many games wait to be played again at most; what would be more is counted, and not played.
const MOST_OPEN: usize = 1024;
/// How many notifications for them are out at least.
const WINDOW: usize = 8;
/// How many differences are shown; all are in the audit table.
const SHOWN: usize = 100;
/// How often workers are compared.
const LOOK: Duration = Duration::from_secs(5);
/// How unlikely it must be that anybody is flagged by chance alone, with all workers and all tests together.
const FLAG: f64 = 0.001;
/// And how likely again before it is taken back, so that it does not come and go.
const UNFLAG: f64 = 0.01;

/// A game that is to be played again.
#[derive(Debug)]
struct Check {
    order: Arc<Order>,
    first: Name,
    digest: Digest,
    kept_away: u32,
}

/// Games of the same tournament between the same players at the same seats.
type Stratum = (TournamentId, Digest);

#[derive(Debug)]
pub(crate) struct Trust {
    share: f64,
    /// So that no worker knows which games are played again.
    secret: [u8; 16],
    core: Coordinator<JobId>,
    checks: HashMap<JobId, Check>,
    /// Games that came to whoever played them first, and when they are to be offered again.
    deferred: BTreeSet<(u64, JobId)>,
    /// Tournaments that are over but for what is played again.
    closed: BTreeSet<TournamentId>,
    equal: u64,
    differing: u64,
    unplayed: u64,
    skipped: u64,
    differences: VecDeque<Difference>,
    comparison: Comparison<Stratum>,
    is_new: bool,
    looked_at: Instant,
    flags: BTreeMap<(Name, Aspect), Flag>,
    waiting: Vec<oneshot::Sender<TrustStatus>>,
}

impl Trust {
    pub(crate) fn new(share: f64, terms: Terms, now: u64) -> Self {
        let mut secret = [0; 16];
        // Without chance workers could know; what they play is judged all the same.
        let _ = getrandom::fill(&mut secret);
        Self {
            share,
            secret,
            core: Coordinator::new(Terms { window: WINDOW, ..terms }, [], now),
            checks: HashMap::new(),
            deferred: BTreeSet::new(),
            closed: BTreeSet::new(),
            equal: 0,
            differing: 0,
            unplayed: 0,
            skipped: 0,
            differences: VecDeque::new(),
            comparison: Comparison::new(),
            is_new: false,
            looked_at: Instant::now(),
            flags: BTreeMap::new(),
            waiting: vec![],
        }
    }

    /// What was agreed on a game that is played again.
    pub(crate) fn order(&self, key: &JobId) -> Option<&Arc<Order>> {
        self.checks.get(key).map(|check| &check.order)
    }

    pub(crate) fn broker_lost(&mut self) {
        self.core.broker_lost();
    }

    pub(crate) fn broker_back(&mut self, now: u64, reconnecting: u64) {
        self.core.broker_back(now, reconnecting);
    }

    pub(crate) fn stood_still(&mut self, now: u64) {
        self.core.stood_still(now);
    }

    pub(crate) fn awaits(&self, worker: &Name, claim: &Claim<JobId>) -> bool {
        self.core.awaits(worker, claim)
    }

    /// Nobody waits for games of this tournament any more. What is being checked goes on.
    pub(crate) fn close(&mut self, tournament: TournamentId) {
        self.closed.insert(tournament);
        self.tidy(tournament);
    }

    fn tidy(&mut self, tournament: TournamentId) {
        if self.closed.contains(&tournament) && self.checks.keys().all(|key| key.tournament != tournament) {
            self.closed.remove(&tournament);
            self.core.forget(&tournament);
        }
    }

    /// Whether this game is among those that are played again.
    fn is_chosen(&self, key: &JobId) -> bool {
        let hash = Hash::of(&[&self.secret[..], key.to_string().as_bytes()].concat()).0;
        let number = hash[..8].iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        // 53 bits: what a float holds exactly.
        ((number >> 11) as f64) < self.share * (1_u64 << 53) as f64
    }

    pub(crate) fn status(&self) -> TrustStatus {
        TrustStatus {
            replay_share: self.share,
            equal: self.equal,
            differing: self.differing,
            open: self.checks.len() as u64,
            unplayed: self.unplayed,
            skipped: self.skipped,
            differences: self.differences.iter().cloned().collect(),
            flags: self.flags.values().cloned().collect(),
        }
    }
}

/// Whether the same record comes of it wherever it is played: built-in players, and no clock of any kind.
pub(crate) fn is_repeatable(spec: &MatchSpec) -> bool {
    let is_built_in = |player: &SeatSpec| matches!(player, SeatSpec::BuiltIn(_));
    spec.seats.iter().all(|entry| is_built_in(&entry.player)) && !is_by_clock(spec)
}

fn stratum(order: &Order) -> Stratum {
    let mut text = order.spec.game.clone();
    for entry in &order.spec.seats {
        text.push('\n');
        text.push_str(&entry.name);
    }
    (order.tournament, Hash::of(text.as_bytes()).0)
}

impl Server {
    /// A game of a worker is judged and counts: it is compared, and perhaps played again by another one.
    pub(crate) fn came_from(&mut self, worker: &Name, key: JobId, digest: Digest, verdict: &Verdict) {
        let Some(order) = self.orders.get(&key).cloned() else { return };
        let trust = &mut self.trust;
        trust.comparison.add(stratum(&order), worker, Tally::of(verdict));
        trust.is_new = true;
        if !is_repeatable(&order.spec) || !trust.is_chosen(&key) {
            return;
        }
        // Alone it would play against itself.
        if self.core.workers().len() < 2 || trust.checks.len() >= MOST_OPEN {
            trust.skipped += 1;
            return;
        }
        let (again, longest) = (JobId { again: true, ..key }, longest(&order.spec, false));
        trust.core.limit(&again, longest);
        trust.checks.insert(again, Check { order, first: worker.clone(), digest, kept_away: 0 });
        let effects = trust.core.enqueue(&again, 1);
        self.take_again(effects);
    }

    /// Somebody says something that is about a game that is played again, or about itself.
    pub(crate) fn hear_again(&mut self, worker: &Name, ask: Ask<JobId>, now: u64) {
        if let Ask::Take { key, attempt } = &ask
            && let Some(check) = self.trust.checks.get_mut(key)
            && check.first == *worker
        {
            check.kept_away += 1;
            self.trust.deferred.insert((now + pause(check.kept_away), *key));
            let refused = Answer::Refused { key: *key, attempt: *attempt, why: Refusal::Elsewhere };
            self.effects.push(Effect::Answer(worker.clone(), refused));
            return;
        }
        let effects = self.trust.core.hear(worker, ask, now);
        self.take_again(effects);
    }

    /// The record of a game that was played again.
    pub(crate) fn came_again(
        &mut self,
        worker: &Name,
        claim: Claim<JobId>,
        digest: Digest,
        judged: Result<(), String>,
    ) {
        let effects = self.trust.core.deliver(worker, claim, digest, judged, self.now());
        self.take_again(effects);
    }

    /// Nothing of these jobs is kept; all that matters is what came of them.
    fn take_again(&mut self, effects: Vec<Effect<JobId>>) {
        for effect in effects {
            match effect {
                Effect::Write(..) | Effect::Delete(_) | Effect::Finished(_, Done::Stored(_)) => {}
                Effect::Ended { claim, worker, lost } => {
                    tracing::warn!(key = %claim.key, %worker, ?lost, "a replay was lost");
                }
                Effect::Store(claim) => self.compare(&claim.key),
                Effect::Finished(key, Done::Parked) => {
                    self.trust.unplayed += 1;
                    self.end_check(&key);
                }
                Effect::Alarm { .. } => self.take(vec![effect], None),
                Effect::Notify { .. } | Effect::Answer(..) => self.effects.push(effect),
            }
        }
    }

    fn end_check(&mut self, key: &JobId) -> Option<Check> {
        let check = self.trust.checks.remove(key);
        self.trust.tidy(key.tournament);
        check
    }

    /// Both records are there.
    fn compare(&mut self, key: &JobId) {
        let second = match self.trust.core.job(key).map(|job| &job.state) {
            Some(State::Done { worker, digest }) => (worker.clone(), *digest),
            _ => return,
        };
        let Some(Check { first, digest, .. }) = self.end_check(key) else { return };
        if second.1 == digest {
            self.trust.equal += 1;
            return;
        }
        self.trust.differing += 1;
        let key = JobId { again: false, ..*key };
        let difference = Difference {
            job: key,
            first: first.to_string(),
            first_sha256: Hash(digest).to_string(),
            second: second.0.to_string(),
            second_sha256: Hash(second.1).to_string(),
        };
        tracing::error!(%key, first = %first, second = %second.0, "mismatch: a game that was played again has another record");
        self.changes.push(JobChange::Audit(
            "coordinator".to_owned(),
            "found a mismatch: a game that was played again has another record; the first one stays"
                .to_owned(),
            format!(
                "game {key}, worker {first}: {}, worker {}: {}",
                difference.first_sha256, second.0, difference.second_sha256
            ),
        ));
        let trust = &mut self.trust;
        trust.differences.push_front(difference);
        trust.differences.truncate(SHOWN);
    }

    /// Time has passed.
    pub(crate) fn look_after_trust(&mut self, now: u64) {
        while let Some(&(at, key)) = self.trust.deferred.first()
            && at <= now
        {
            self.trust.deferred.pop_first();
            // One that was compared since is not enqueued anew.
            if self.trust.checks.contains_key(&key) {
                let effects = self.trust.core.enqueue(&key, 1);
                self.take_again(effects);
            }
        }
        let effects = self.trust.core.tick(now);
        self.take_again(effects);
        if self.trust.checks.is_empty() {
            let status = self.trust.status();
            for waiting in self.trust.waiting.drain(..) {
                // Whoever does not wait any more does not want to know.
                let _ = waiting.send(status.clone());
            }
        }
        if self.trust.is_new && self.trust.looked_at.elapsed() >= LOOK {
            self.compare_workers();
        }
    }

    /// Tells once no game waits to be played again.
    pub(crate) fn settle(&mut self, waiting: oneshot::Sender<TrustStatus>) {
        self.compare_workers();
        self.trust.waiting.push(waiting);
    }

    /// Says who is unlike the others, and who is so no more: each change once.
    fn compare_workers(&mut self) {
        (self.trust.is_new, self.trust.looked_at) = (false, Instant::now());
        let sure = self.trust.comparison.outliers(FLAG);
        let loose = self.trust.comparison.outliers(UNFLAG);
        for ((worker, aspect), (deviation, p)) in &sure {
            let flag = flag(worker, deviation, *p);
            let before = self.trust.flags.insert((worker.clone(), *aspect), flag.clone());
            if before.is_none() {
                tracing::error!(%worker, aspect = aspect.word(), "flagged: {}", flag.what);
                self.note("flagged a worker; no game was removed", &flag);
            }
        }
        let gone = |id: &(Name, Aspect)| !sure.contains_key(id) && !loose.contains_key(id);
        let gone: Vec<Flag> =
            self.trust.flags.extract_if(.., |id, _| gone(id)).map(|(_, flag)| flag).collect();
        for flag in gone {
            tracing::warn!(worker = flag.worker, aspect = flag.aspect, "a flag is cleared");
            self.note("cleared a flag", &flag);
        }
    }

    fn note(&mut self, act: &str, flag: &Flag) {
        let about = format!("worker {}: {}: {}", flag.worker, flag.aspect, flag.what);
        self.changes.push(JobChange::Audit("coordinator".to_owned(), act.to_owned(), about));
    }
}

fn flag(worker: &Name, deviation: &Deviation, p: f64) -> Flag {
    let Deviation { aspect, games, observed, expected, .. } = *deviation;
    let what = match aspect {
        Aspect::Results => "wins of the first seat",
        Aspect::Timeouts => "games with a time-out",
        Aspect::Crashes => "games with a crash",
    };
    Flag {
        worker: worker.to_string(),
        aspect: aspect.word().to_owned(),
        games,
        observed,
        expected,
        p,
        what: format!("{observed} {what} of {games}, {expected:.1} expected; p = {p:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_rules::Seed;

    use super::*;

    #[test]
    fn fault_q12_only_what_follows_from_its_seed_is_played_again() {
        let built_in = MatchSpec::new("hexapawn", ["easy", "level:3"], Seed(1)).unwrap();
        assert!(is_repeatable(&built_in));
        let timed = MatchSpec { time: "1s".parse().unwrap(), ..built_in.clone() };
        assert!(!is_repeatable(&timed));
        let mut thinks = built_in.clone();
        thinks.limits.think = Some(Duration::from_millis(10));
        assert!(!is_repeatable(&thinks));
        let searches = MatchSpec::new("hexapawn", ["easy", "alphabeta:depth=3"], Seed(1)).unwrap();
        assert!(is_repeatable(&searches));
        let stops = MatchSpec::new("hexapawn", ["easy", "alphabeta:time=200ms"], Seed(1)).unwrap();
        assert!(!is_repeatable(&stops), "how far it gets in its time depends on the machine");
        let other = MatchSpec::new("hexapawn", ["easy", "bundle:ann@0123abcd"], Seed(1)).unwrap();
        assert!(!is_repeatable(&other));
    }

    #[test]
    fn about_the_share_that_was_asked_for_is_chosen() {
        let key = |pairing| JobId { tournament: TournamentId::random(), pairing, again: false };
        let n_chosen = |share: f64| {
            let trust = Trust::new(share, Terms::default(), 0);
            (0..20_000).filter(|idx| trust.is_chosen(&key(*idx))).count()
        };
        assert_eq!((n_chosen(0.0), n_chosen(1.0)), (0, 20_000));
        // 400 expected, 20 is one standard deviation.
        assert!((250..550).contains(&n_chosen(0.02)));
    }
}
