//! Jobs that nobody wants any more.

use super::{Coordinator, Effect, Job, JobKey, State};

impl<K: JobKey> Coordinator<K> {
    /// Games of a group that nobody plays yet are taken back. Those that are played go on.
    pub fn withdraw(&mut self, group: &K::Group) -> Vec<Effect<K>> {
        let keys = self.remove(group, |state| matches!(state, State::Queued));
        keys.into_iter().map(Effect::Delete).collect()
    }

    /// The same, and nothing of the group begins any more, until more of it is wanted: a game that is lost or given back from now
    /// on is taken back as well.
    pub fn take_back(&mut self, group: &K::Group) -> Vec<Effect<K>> {
        self.taken_back.insert(group.clone());
        self.withdraw(group)
    }

    /// A group is over: its rows stay, and nothing is known of it here any more.
    pub fn forget(&mut self, group: &K::Group) {
        self.taken_back.remove(group);
        self.remove(group, |_| true);
    }

    fn remove(&mut self, group: &K::Group, which: impl Fn(&State) -> bool) -> Vec<K> {
        let of_group =
            |(key, job): (&K, &Job)| (key.group() == *group && which(&job.state)).then(|| key.clone());
        let keys: Vec<K> = self.jobs.iter().filter_map(of_group).collect();
        for key in &keys {
            self.take_out(key);
            self.notifications.remove(key);
            self.last_beats.remove(key);
        }
        keys
    }

    /// A job that was with a worker is to be played once more, unless it was taken back meanwhile.
    pub(super) fn write_again(&mut self, key: &K, job: Job) -> Vec<Effect<K>> {
        if !self.taken_back.contains(&key.group()) {
            return self.write(key, job);
        }
        self.take_out(key);
        self.notifications.remove(key);
        self.last_beats.remove(key);
        vec![Effect::Delete(key.clone())]
    }
}
