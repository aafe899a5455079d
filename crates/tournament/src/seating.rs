//! Who sits where: every player as often on every seat as any other.

/// Where the players sit in one game of a series.
///
/// Games come in blocks of as many games as there are players. A block has one start, and puts every player once on
/// every seat by going around the table; every second block goes around the other way, so that nobody always moves
/// after the same opponent. For two players that means swapped pairs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seating {
    /// Games with the same number have the same start.
    pub block: u64,
    /// The player at each seat.
    pub players: Vec<usize>,
}

impl Seating {
    /// The seating of game number `game`, from 0, with `n_players` players.
    pub fn of_game(game: u64, n_players: usize) -> Self {
        let block = game / n_players as u64;
        let shift = (game % n_players as u64) as usize;
        let around = |seat: usize| if block % 2 == 1 && n_players > 2 { n_players - seat } else { seat };
        let players = (0..n_players).map(|seat| (around(seat) + shift) % n_players).collect();
        Self { block, players }
    }

    /// The seat of a player.
    pub fn seat_of(&self, player: usize) -> usize {
        self.players.iter().position(|&other| other == player).expect("every player sits somewhere")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_game_seats_the_players_as_given() {
        for n_players in 2..=8 {
            assert_eq!(Seating::of_game(0, n_players).players, (0..n_players).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_block_puts_everybody_once_on_every_seat() {
        for n_players in 2..=8 {
            for block in 0..4 {
                let games: Vec<Seating> = (0..n_players as u64)
                    .map(|game| Seating::of_game(block * n_players as u64 + game, n_players))
                    .collect();
                assert!(games.iter().all(|seating| seating.block == block));
                for player in 0..n_players {
                    let mut seats: Vec<usize> = games.iter().map(|seating| seating.seat_of(player)).collect();
                    seats.sort_unstable();
                    assert_eq!(seats, (0..n_players).collect::<Vec<_>>(), "player {player} of {n_players}");
                }
            }
        }
    }

    #[test]
    fn with_three_nobody_always_follows_the_same_opponent() {
        let follows = |game: u64| {
            let seating = Seating::of_game(game, 3);
            seating.players[(seating.seat_of(0) + 1) % 3]
        };
        assert_eq!([follows(0), follows(1), follows(2)], [1, 1, 1]);
        assert_eq!([follows(3), follows(4), follows(5)], [2, 2, 2]);
    }
}
