//! Who sits where: every player as often on every seat as any other.

/// Where the players sit in one game of a series.
///
/// Games come in blocks ([`Seating::block_games`]). A block has one start, and puts every player equally often on every
/// seat: two players swap their seats; from three players on, everybody goes once around the table in one direction and
/// once in the other. In one direction alone somebody would sit just before the same opponent in nearly every game, which
/// is worth 5 Elo points at four seats and 22 at eight.
///
/// ```
/// use rookery_tournament::Seating;
///
/// assert_eq!((Seating::block_games(2), Seating::block_games(4)), (2, 8));
/// assert_eq!(Seating::of_game(5, 4).players, [1, 0, 3, 2], "the second game in the other direction");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seating {
    /// Games with the same number have the same start.
    pub block: u64,
    /// The player at each seat.
    pub players: Vec<usize>,
}

impl Seating {
    /// How many games a block of so many players has.
    pub const fn block_games(n_players: usize) -> u64 {
        if n_players > 2 { 2 * n_players as u64 } else { n_players as u64 }
    }

    /// The seating of game number `game`, from 0, with `n_players` players.
    pub fn of_game(game: u64, n_players: usize) -> Self {
        let turn = (game % Self::block_games(n_players)) as usize;
        let around = |seat: usize| if turn >= n_players { n_players - seat } else { seat };
        let players = (0..n_players).map(|seat| (around(seat) + turn) % n_players).collect();
        Self { block: game / Self::block_games(n_players), players }
    }

    /// The seat of a player.
    pub fn seat_of(&self, player: usize) -> usize {
        self.players.iter().position(|&other| other == player).expect("every player sits somewhere")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64, n_players: usize) -> Vec<Seating> {
        let games = Seating::block_games(n_players);
        (number * games..(number + 1) * games).map(|game| Seating::of_game(game, n_players)).collect()
    }

    #[test]
    fn the_first_game_seats_the_players_as_given() {
        for n_players in 1..=8 {
            assert_eq!(Seating::of_game(0, n_players).players, (0..n_players).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_block_puts_everybody_equally_often_on_every_seat() {
        for n_players in 1..=8 {
            for number in 0..4 {
                let games = block(number, n_players);
                assert!(games.iter().all(|seating| seating.block == number));
                let each = games.len() / n_players;
                for player in 0..n_players {
                    for seat in 0..n_players {
                        let times = games.iter().filter(|seating| seating.seat_of(player) == seat).count();
                        assert_eq!(times, each, "player {player} of {n_players} at seat {seat}");
                    }
                }
            }
        }
    }

    #[test]
    fn in_every_block_two_players_are_equally_far_before_and_behind_each_other() {
        for n_players in 2..=8 {
            let games = block(1, n_players);
            for (one, other) in (0..n_players).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let distances = |from: usize, to: usize| {
                    let distance = |seating: &Seating| {
                        (seating.seat_of(to) + n_players - seating.seat_of(from)) % n_players
                    };
                    let mut distances: Vec<usize> = games.iter().map(distance).collect();
                    distances.sort_unstable();
                    distances
                };
                assert_eq!(distances(one, other), distances(other, one), "{one} and {other} of {n_players}");
            }
        }
    }
}
