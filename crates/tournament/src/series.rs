//! The series of a match between a few: everybody as often on every seat as any other.

use rookery_rules::MAX_SEATS;

use crate::ranges::Ranges;
use crate::{Entrant, Format, GameResult, Next, Pairing, Reason, Seating};

/// All entrants play all games, in whole blocks of games from one start, in which each of them is equally often on every
/// seat ([`Seating`]). The id of a pairing is the number of its game, from 0.
///
/// A game that was aborted is over and is not played again. When an entrant leaves, no further game begins. A series
/// names no winner; [`Summary`](crate::Summary) says what the results mean.
///
/// ```
/// use rookery_tournament::{Entrant, Format, Next, Series};
///
/// let mut series = Series::new(3, 100);
/// assert_eq!((series.games(), series.rounded()), (102, 2), "17 blocks of six");
/// let Next::Play(pairings) = series.next(7) else { panic!("games are to be played") };
/// assert_eq!(pairings[1].entrants, [Entrant(1), Entrant(2), Entrant(0)]);
/// assert_eq!(pairings.iter().map(|pairing| pairing.block).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 1]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    n_entrants: usize,
    games: u64,
    rounded: u64,
    /// The games before this one were given, or had a result before they were.
    given: u64,
    /// The games that have a result. As long as all of them were given in order, there are no more gaps than games are
    /// running.
    done: Ranges,
    /// Somebody has left.
    left: bool,
}

impl Series {
    /// A series of at least this many games.
    ///
    /// # Panics
    /// If there are no entrants, or more than a table has seats.
    pub fn new(n_entrants: usize, games: u64) -> Self {
        assert!((1..=MAX_SEATS).contains(&n_entrants), "every entrant has a seat in every game");
        let block = Seating::block_games(n_entrants);
        let whole = games.checked_next_multiple_of(block);
        // Beyond the last number there is no whole block. So many are never played, so fewer are as good.
        let whole = whole.unwrap_or(u64::MAX - u64::MAX % block);
        Self {
            n_entrants,
            games: whole,
            rounded: whole.saturating_sub(games),
            given: 0,
            done: Ranges::default(),
            left: false,
        }
    }

    /// How many games are played: whole blocks.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// How many games more than were asked for.
    pub const fn rounded(&self) -> u64 {
        self.rounded
    }

    /// How many games a block has.
    pub const fn block_games(&self) -> u64 {
        Seating::block_games(self.n_entrants)
    }

    /// Game number `game`, from 0; `None` if there are not so many.
    pub fn pairing(&self, game: u64) -> Option<Pairing> {
        (game < self.games).then(|| {
            let Seating { block, players } = Seating::of_game(game, self.n_entrants);
            let turns = self.block_games();
            Pairing {
                id: game,
                entrants: players.into_iter().map(|player| Entrant(player as u32)).collect(),
                block,
                start: block,
                round: None,
                reason: Reason::Rotation { game: game + 1, of: self.games, turn: game % turns + 1, turns },
            }
        })
    }
}

impl Format for Series {
    fn n_entrants(&self) -> usize {
        self.n_entrants
    }

    fn take(&mut self, result: &GameResult) {
        if self.pairing(result.pairing).is_some_and(|pairing| pairing.entrants == result.entrants) {
            self.done.insert(result.pairing);
        }
    }

    fn leave(&mut self, entrant: Entrant) {
        self.left |= entrant.index() < self.n_entrants;
    }

    fn next(&mut self, room: usize) -> Next {
        if self.left || self.done.missing_from(0) == self.games {
            return Next::End;
        }
        let mut pairings = vec![];
        while pairings.len() < room
            && let Some(pairing) = self.pairing(self.done.missing_from(self.given))
        {
            self.given = pairing.id + 1;
            pairings.push(pairing);
        }
        if pairings.is_empty() { Next::Wait } else { Next::Play(pairings) }
    }
}

#[cfg(test)]
mod tests {
    use rookery_referee::Cause;
    use rookery_rules::Outcome;

    use super::*;

    fn draw(pairing: &Pairing) -> GameResult {
        GameResult::new(pairing, Some(Outcome::draw(pairing.entrants.len())), Cause::Normal)
    }

    #[test]
    fn whole_blocks_seated_as_the_seating_says() {
        for n in 2..=MAX_SEATS {
            for games in 0..20 {
                let mut series = Series::new(n, games);
                assert_eq!(series.games() % series.block_games(), 0);
                assert_eq!(series.games(), games + series.rounded());
                assert!(series.rounded() < series.block_games());
                let Next::Play(pairings) = series.next(usize::MAX) else {
                    assert_eq!((games, series.next(1)), (0, Next::End));
                    continue;
                };
                assert_eq!(pairings.len() as u64, series.games());
                for (game, pairing) in (0..).zip(&pairings) {
                    let seating = Seating::of_game(game, n);
                    assert_eq!((pairing.id, pairing.block), (game, seating.block));
                    assert!(pairing.entrants.iter().map(|entrant| entrant.index()).eq(seating.players));
                }
            }
        }
    }

    #[test]
    fn more_games_than_there_are_numbers() {
        for n in 2..=MAX_SEATS {
            let series = Series::new(n, u64::MAX);
            assert_eq!(series.games() % series.block_games(), 0);
            assert!(series.games() > u64::MAX - series.block_games());
        }
    }

    #[test]
    fn the_end_needs_every_result_and_aborted_games_are_results() {
        let mut series = Series::new(2, 2);
        let Next::Play(pairings) = series.next(5) else { panic!("two games") };
        assert_eq!(series.next(5), Next::Wait);
        series.take(&GameResult::new(&pairings[1], None, Cause::PlatformAbort));
        assert_eq!(series.next(5), Next::Wait);
        series.take(&draw(&pairings[0]));
        assert_eq!(series.next(5), Next::End);
    }

    #[test]
    fn what_is_of_another_tournament_is_no_result() {
        let mut series = Series::new(2, 2);
        let mut foreign = draw(&series.pairing(0).unwrap());
        foreign.entrants.swap(0, 1);
        series.take(&foreign);
        let mut foreign = draw(&series.pairing(1).unwrap());
        foreign.pairing = 2;
        series.take(&foreign);
        foreign.pairing = u64::MAX;
        series.take(&foreign);
        assert_eq!(series, Series::new(2, 2));
    }

    #[test]
    fn who_leaves_ends_it() {
        let mut series = Series::new(2, 8);
        assert!(matches!(series.next(1), Next::Play(_)));
        series.leave(Entrant(7));
        assert!(matches!(series.next(1), Next::Play(_)), "that one took no part");
        series.leave(Entrant(1));
        assert_eq!(series.next(1), Next::End);
    }
}
