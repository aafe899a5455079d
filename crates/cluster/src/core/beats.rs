//! Beats: they move the deadline of a lease, each once and not for ever.

use super::worker::BEATS;
use super::{Answer, Claim, Coordinator, Effect, Job, JobKey, Lost, Name, State};

impl<K: JobKey> Coordinator<K> {
    /// A game lasts for so many milliseconds at the most. Whoever plays for longer loses it, however lively it is.
    ///
    /// What is counted are beats, of which a lease has room for a few: they are in the row, so that the count goes on when another
    /// coordinator does, and a machine that slept has sent none.
    pub fn limit(&mut self, key: &K, longest: u64) {
        let leases = longest.div_ceil(self.terms.lease.max(1));
        self.last_beats.insert(key.clone(), BEATS.saturating_mul(leases.max(1)));
    }

    pub(super) fn beat(&mut self, worker: &Name, claim: Claim<K>, beat: u64, now: u64) -> Vec<Effect<K>> {
        let stop = |claim| Effect::Answer(worker.clone(), Answer::Stop(claim));
        let Some(job) = self.held(worker, &claim) else { return vec![stop(claim)] };
        let State::Leased { beats, .. } = job.state else { return vec![] };
        if beat <= beats {
            return vec![];
        }
        if self.last_beats.get(&claim.key).is_some_and(|last| beat > *last) {
            let mut effects = self.lose(&claim.key, Lost::Endless, now);
            effects.push(stop(claim));
            return effects;
        }
        let state = State::Leased { worker: worker.clone(), until: now + self.terms.lease, beats: beat };
        let job = Job { state, ..job.clone() };
        self.write(&claim.key, job)
    }
}
