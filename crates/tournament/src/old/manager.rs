//! The manager: holds a tournament, whatever its form and whoever plays.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{TournamentEvent, Watcher};

/// How one game of a round ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupResult {
    /// Who played, in turn order.
    pub entrants: Vec<usize>,
    /// Who won, in the same order; nobody, if all were removed.
    pub winners: Vec<usize>,
    /// Who was removed for what it did or failed to do. They play no more.
    pub failed: Vec<usize>,
}

/// A round that was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// Its games.
    pub groups: Vec<GroupResult>,
}

impl Round {
    /// The winners of all its games, in the order in which they signed up.
    pub fn winners(&self) -> Vec<usize> {
        let mut winners: Vec<usize> = self.groups.iter().flat_map(|group| &group.winners).copied().collect();
        winners.sort_unstable();
        winners
    }
}

/// What comes next in a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// These play against each other.
    Play(Vec<Vec<usize>>),
    /// It is over, and these have won.
    End(Vec<usize>),
}

/// The form of a tournament. Pure: the same rounds have the same next step.
pub trait Format {
    /// What comes next for these entrants after these rounds.
    fn next(&self, entrants: &[usize], rounds: &[Round]) -> Step;
}

/// Whoever has the entrants and can play games with them.
#[expect(async_fn_in_trait, reason = "the manager runs where its host lives, and asks for no more")]
pub trait Host {
    /// Tells these that the tournament begins. Gives back who failed to take note.
    async fn start(&mut self, entrants: &[usize]) -> Vec<usize>;

    /// Plays the games of a round, at the same time or one after the other, and says how each ended when it has.
    async fn play(
        &mut self,
        round: usize,
        groups: &[Vec<usize>],
        finished: &mut (dyn FnMut(usize, GroupResult) + Send),
    );

    /// Tells these that the tournament is over and whether they have won it. Gives back who failed to take note.
    async fn end(&mut self, entrants: &[usize], won: bool) -> Vec<usize>;
}

/// How a tournament ended.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TournamentOutcome {
    /// Who has won it.
    pub winners: Vec<usize>,
    /// Who failed on the way, at the beginning, in a game or at the end.
    pub failed: Vec<usize>,
    /// How many rounds were played.
    pub rounds: usize,
}

/// Holds a tournament of entrants 0 to `n_entrants`: tells them that it begins, plays round after round, and tells
/// them how it ended. Who fails to take note of that has not won.
pub async fn hold(
    format: &impl Format,
    host: &mut impl Host,
    n_entrants: usize,
    watcher: &mut dyn Watcher,
) -> TournamentOutcome {
    let mut watcher = Guarded(Some(watcher));
    let all: Vec<usize> = (0..n_entrants).collect();
    watcher.see(&TournamentEvent::Started { entrants: all.clone() });
    let mut failed = host.start(&all).await;
    let entrants: Vec<usize> = all.into_iter().filter(|entrant| !failed.contains(entrant)).collect();

    let mut rounds: Vec<Round> = vec![];
    let mut winners = loop {
        let groups = match format.next(&entrants, &rounds) {
            Step::End(winners) => break winners,
            Step::Play(groups) => groups,
        };
        let number = rounds.len() + 1;
        watcher.see(&TournamentEvent::Round { number, groups: groups.clone() });
        let mut results: Vec<Option<GroupResult>> = vec![None; groups.len()];
        let mut finished = |group: usize, result: GroupResult| {
            watcher.see(&TournamentEvent::Finished { round: number, group, result: result.clone() });
            results[group] = Some(result);
        };
        host.play(number, &groups, &mut finished).await;
        let results: Option<Vec<GroupResult>> = results.into_iter().collect();
        let groups = results.expect("the host says how each game ended");
        failed.extend(groups.iter().flat_map(|group| &group.failed));
        rounds.push(Round { groups });
    };

    // Before the others: who is told that it has won and is gone has not won.
    let absent = host.end(&winners, true).await;
    let others: Vec<usize> = entrants
        .into_iter()
        .filter(|entrant| !winners.contains(entrant) && !failed.contains(entrant))
        .collect();
    winners.retain(|winner| !absent.contains(winner));
    failed.extend(absent);
    failed.extend(host.end(&others, false).await);
    failed.sort_unstable();
    let outcome = TournamentOutcome { winners, failed, rounds: rounds.len() };
    watcher.see(&TournamentEvent::Ended(outcome.clone()));
    outcome
}

/// A watcher that is gone once it has panicked.
struct Guarded<'a>(Option<&'a mut dyn Watcher>);

impl Guarded<'_> {
    fn see(&mut self, event: &TournamentEvent) {
        if let Some(watcher) = &mut self.0
            && catch_unwind(AssertUnwindSafe(|| watcher.see(event))).is_err()
        {
            self.0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::super::KnockOut;
    use super::*;

    /// Games in memory: the first `n_winners` of those who do not fail win.
    #[derive(Default)]
    struct Paper {
        n_winners: usize,
        bad_at_start: Vec<usize>,
        bad_in_game: Vec<usize>,
        bad_at_end: Vec<usize>,
        told: Vec<(usize, bool)>,
    }

    impl Host for Paper {
        async fn start(&mut self, entrants: &[usize]) -> Vec<usize> {
            entrants.iter().copied().filter(|entrant| self.bad_at_start.contains(entrant)).collect()
        }

        async fn play(
            &mut self,
            _: usize,
            groups: &[Vec<usize>],
            finished: &mut (dyn FnMut(usize, GroupResult) + Send),
        ) {
            // Backwards: the order in which games end does not matter.
            for (idx, group) in groups.iter().enumerate().rev() {
                let (failed, good): (Vec<usize>, Vec<usize>) =
                    group.iter().partition(|entrant| self.bad_in_game.contains(entrant));
                let winners = good.into_iter().take(self.n_winners).collect();
                finished(idx, GroupResult { entrants: group.clone(), winners, failed });
            }
        }

        async fn end(&mut self, entrants: &[usize], won: bool) -> Vec<usize> {
            self.told.extend(entrants.iter().map(|&entrant| (entrant, won)));
            entrants.iter().copied().filter(|entrant| self.bad_at_end.contains(entrant)).collect()
        }
    }

    /// Nothing here waits.
    fn now<T>(future: impl Future<Output = T>) -> T {
        let mut cx = Context::from_waker(Waker::noop());
        match pin!(future).poll(&mut cx) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("a game on paper does not wait"),
        }
    }

    #[test]
    fn everybody_is_told_once_at_the_end_winners_first() {
        let mut host = Paper { n_winners: 1, ..Paper::default() };
        let mut events = vec![];
        let outcome = now(hold(&KnockOut, &mut host, 10, &mut events));
        assert_eq!(outcome, TournamentOutcome { winners: vec![0], failed: vec![], rounds: 2 });
        assert_eq!(host.told[0], (0, true));
        assert_eq!(host.told[1..], (1..10).map(|entrant| (entrant, false)).collect::<Vec<_>>());
        assert_eq!(events.first(), Some(&TournamentEvent::Started { entrants: (0..10).collect() }));
        let rounds = events.iter().filter(|event| matches!(event, TournamentEvent::Round { .. })).count();
        let games = events.iter().filter(|event| matches!(event, TournamentEvent::Finished { .. })).count();
        assert_eq!((rounds, games), (2, 4), "three games, then the last one of three");
        assert_eq!(events.last(), Some(&TournamentEvent::Ended(outcome)));
    }

    #[test]
    fn who_fails_is_counted_once_and_told_nothing_more() {
        let mut host = Paper {
            n_winners: 1,
            bad_at_start: vec![2],
            bad_in_game: vec![0, 5],
            bad_at_end: vec![1, 6],
            ..Paper::default()
        };
        let outcome = now(hold(&KnockOut, &mut host, 8, &mut ()));
        assert_eq!(outcome.winners, Vec::<usize>::new(), "the only winner failed at the end");
        assert_eq!(outcome.failed, [0, 1, 2, 5, 6]);
        assert_eq!(host.told, [(1, true), (3, false), (4, false), (6, false), (7, false)]);
    }

    #[test]
    fn all_may_fail() {
        let mut host = Paper { n_winners: 1, bad_in_game: (0..9).collect(), ..Paper::default() };
        let outcome = now(hold(&KnockOut, &mut host, 9, &mut ()));
        assert_eq!(outcome, TournamentOutcome { winners: vec![], failed: (0..9).collect(), rounds: 1 });
        let mut host = Paper { bad_at_start: (0..9).collect(), ..Paper::default() };
        let outcome = now(hold(&KnockOut, &mut host, 9, &mut ()));
        assert_eq!(outcome, TournamentOutcome { winners: vec![], failed: (0..9).collect(), rounds: 0 });
    }

    #[test]
    fn the_same_winners_twice_end_it() {
        let mut host = Paper { n_winners: 4, ..Paper::default() };
        let outcome = now(hold(&KnockOut, &mut host, 7, &mut ()));
        assert_eq!(outcome, TournamentOutcome { winners: (0..7).collect(), failed: vec![], rounds: 2 });
    }

    #[test]
    fn a_watcher_that_panics_does_not_matter() {
        struct Panics(usize);
        impl Watcher for Panics {
            fn see(&mut self, _: &TournamentEvent) {
                self.0 += 1;
                panic!("I cannot look");
            }
        }
        let mut watcher = Panics(0);
        let mut host = Paper { n_winners: 1, ..Paper::default() };
        let outcome = now(hold(&KnockOut, &mut host, 5, &mut watcher));
        assert_eq!((outcome.winners, watcher.0), (vec![0], 1));
    }
}
