//! Whoever looks on: what must hold after each step, and the operator.

use rookery_cluster::core::{Claim, Effect, Job, Name, State, law};

use crate::world::{Key, World};

impl World {
    /// Whoever changes a row by its claim holds that lease.
    pub(crate) fn expect_lawful(
        &self,
        idx: usize,
        worker: &Name,
        claim: Option<&Claim<Key>>,
        effects: &[Effect<Key>],
    ) {
        let writes = effects.iter().any(|effect| matches!(effect, Effect::Write(..)));
        if let Some(claim) = claim.filter(|_| writes) {
            self.expect_held(idx, worker, claim);
        }
    }

    /// A worker holds this lease. What a coordinator says that was replaced is another matter: it cannot write.
    pub(crate) fn expect_held(&self, idx: usize, worker: &Name, claim: &Claim<Key>) {
        if self.servers[idx].epoch == self.epoch {
            assert_eq!(law::holds(self.rows.get(&claim.key), worker, claim), Ok(()));
        }
    }

    /// The operator looks at what is parked, and has it tried again unless it is poison.
    pub(crate) fn retry_parked(&mut self) {
        let is_parked = |(key, job): (&Key, &Job)| {
            (job.state == State::Parked && !self.poison.contains(key)).then(|| key.clone())
        };
        let parked: Vec<Key> = self.rows.iter().filter_map(is_parked).collect();
        for key in parked {
            for idx in 0..self.servers.len() {
                if self.servers[idx].epoch == self.epoch
                    && let Some(effects) = self.servers[idx].core.retry(&key)
                {
                    self.told.note("retried");
                    self.commit(idx, effects, None);
                }
            }
        }
    }
}
