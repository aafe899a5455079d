//! What workers do: they play, keep, send, end and begin again.

use rookery_cluster::core::{Act, Ask, Claim, Worker};

use crate::world::{Game, Key, Message, TERMS, WORKER, World, record_of};

impl World {
    pub(crate) fn act(&mut self, idx: usize, acts: Vec<Act<Key, u64>>) {
        for act in acts {
            match act {
                Act::Say(ask) => {
                    if matches!(ask, Ask::Release(_)) {
                        self.told.note("released");
                    }
                    self.send(&Message::Ask(idx, ask));
                }
                Act::Play(claim) => {
                    let length = self.rng.below(2 * TERMS.lease);
                    // Also in times of peace: nobody else makes it stop.
                    let ends_at = if self.machines[idx].endless { u64::MAX } else { self.now + length };
                    let stuck = !self.calm() && self.rng.chance(self.faults.stuck);
                    self.machines[idx].games.push(Game { claim, ends_at, stuck });
                }
                Act::Abandon(claim) => self.machines[idx].games.retain(|game| game.claim != claim),
                Act::Keep(claim, record) => {
                    self.machines[idx].disk.insert((claim.key, claim.attempt, claim.fence), record);
                }
                Act::Send(claim, record) => self.send(&Message::Record(idx, claim, record)),
                Act::Forget(claim) => {
                    self.machines[idx].disk.remove(&(claim.key, claim.attempt, claim.fence));
                }
            }
        }
    }

    /// A worker ends and begins again, with what is on its disk.
    pub(crate) fn restart(&mut self, idx: usize) {
        let machine = &mut self.machines[idx];
        if !machine.disk.is_empty() {
            self.told.note("spooled");
        }
        let kept = machine.disk.iter();
        let kept: Vec<_> = kept
            .map(|((key, attempt, fence), record)| {
                (Claim { key: key.clone(), attempt: *attempt, fence: *fence }, *record)
            })
            .collect();
        machine.core = Worker::new(WORKER, kept);
        machine.games.clear();
        machine.hello_at = 0;
    }

    pub(crate) fn work(&mut self, idx: usize) {
        let now = self.now;
        if now < self.machines[idx].frozen_until {
            return;
        }
        if self.machines[idx].hello_at <= now {
            self.machines[idx].hello_at = now + TERMS.lease / 3;
            self.send(&Message::Ask(idx, Ask::Hello { slots: 2 }));
        }
        let machine = &mut self.machines[idx];
        machine.plies += 1;
        let plies = machine.plies;
        for game in machine.games.iter().filter(|game| !game.stuck) {
            machine.core.progressed(&game.claim.key, plies);
        }
        let over = |game: &mut Game| !game.stuck && game.ends_at <= now;
        let ended: Vec<Game> = machine.games.extract_if(.., over).collect();
        for game in ended {
            if self.poison.contains(&game.claim.key) {
                self.restart(idx);
                return;
            }
            let lies = self.machines[idx].lies && !self.calm() && self.rng.chance(40);
            let record = record_of(&game.claim.key) ^ u64::from(lies);
            let clock = self.machines[idx].clock(now);
            let acts = self.machines[idx].core.finished(game.claim, record, clock);
            self.act(idx, acts);
        }
        let clock = self.machines[idx].clock(now);
        let acts = self.machines[idx].core.tick(clock);
        self.act(idx, acts);
    }
}
