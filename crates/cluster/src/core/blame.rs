//! Who should not be the next to try: a job is kept from whoever has lost it, and a worker that loses one game after the other rests.
//! One machine that is broken must not use up the attempts of a whole queue while the others are busy.

use super::{Coordinator, JobKey, Name};

/// How many games at a time are believed of one worker.
pub(super) const MOST_SLOTS: u32 = 4096;
/// How many more than it has room for may be on their way back from it.
const ON_THEIR_WAY: u32 = 512;
/// How often a job that came to somebody who is not to have it is offered again at once. Later there are pauses that grow up to the
/// longest: whoever is not to have it may be the only one that has room.
const AT_ONCE: u32 = 3;
const FIRST_PAUSE: u64 = 50;
const LONGEST_PAUSE: u64 = 1000;
/// After how many losses in a row a worker rests.
const LOSSES: u32 = 3;
/// How many leases the longest rest lasts, and by how much longer a job is kept away after its second loss.
const LONGEST_REST: u64 = 64;
const LONGER: u64 = 8;

/// How long a job waits that has come to the wrong worker for so many times, in milliseconds.
pub(crate) fn pause(times: u32) -> u64 {
    match times.checked_sub(AT_ONCE + 1) {
        None => 0,
        Some(more) => (FIRST_PAUSE << more.min(10)).min(LONGEST_PAUSE),
    }
}

/// How long a job that was lost so many times is kept from whoever has lost it last.
pub(super) fn keep_away(failures: u32, lease: u64) -> u64 {
    if failures > 1 { LONGER * lease } else { lease }
}

/// How a worker does that has lost something since its last game that counts.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Record {
    losses: u32,
    /// Until when it is given nothing.
    pub(super) rests_until: u64,
}

impl Record {
    /// Whether it loses one game after the other.
    pub(super) fn is_bad(self) -> bool {
        self.losses >= LOSSES
    }

    /// It has lost another one. What it had begun before its rest counts once.
    pub(super) fn lost(&mut self, now: u64, lease: u64) {
        if now < self.rests_until {
            return;
        }
        self.losses += 1;
        if self.is_bad() {
            let rest = 1_u64 << (self.losses - LOSSES).min(LONGEST_REST.ilog2());
            self.rests_until = now + rest * lease;
        }
    }
}

impl<K: JobKey> Coordinator<K> {
    /// Whether somebody else should have this game. Who is alone may have everything: nobody else could.
    pub(super) fn is_for_others(&self, worker: &Name, key: &K, now: u64) -> bool {
        let held = self.held.get(worker).copied().unwrap_or(0);
        let slots = self.workers.get(worker).map_or(1, |seen| seen.slots);
        if held >= slots.saturating_add(ON_THEIR_WAY) {
            return true;
        }
        if !self.workers.keys().any(|other| other != worker) {
            return false;
        }
        let has_lost = self.jobs.get(key).is_some_and(|job| job.last.as_ref() == Some(worker));
        let kept_until = self.notifications.get(key).map_or(0, |notification| notification.kept_until);
        has_lost && now < kept_until || self.is_resting(worker, held, now)
    }

    /// Whether a worker that loses one game after the other has to wait, while somebody is there who does better.
    fn is_resting(&self, worker: &Name, held: u32, now: u64) -> bool {
        let Some(record) = self.records.get(worker).filter(|record| record.is_bad()) else { return false };
        let does_well = |name: &Name| self.records.get(name).is_none_or(|record| !record.is_bad());
        // One game is enough to show that it has become better.
        (now < record.rests_until || held > 0) && self.workers.keys().any(does_well)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_comes_to_the_wrong_worker_is_offered_again_soon_and_ever_less_often() {
        let pauses: Vec<u64> = (1..=12).map(pause).collect();
        assert_eq!(pauses[..4], [0, 0, 0, FIRST_PAUSE]);
        assert!(pauses.is_sorted() && pauses[11] == LONGEST_PAUSE, "{pauses:?}");
    }
}
