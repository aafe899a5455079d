//! A second implementation of each game, written to be obviously right: arrays, loops and no cleverness.

use rookery_rules::{Notation, Position, Seat, Seed, Setup, Status, below};

pub mod fish;
pub mod four;
pub mod hexapawn;
pub mod renpaarden;
pub mod stones;

/// A slow implementation of the game of a setup.
pub trait Naive: Sized {
    /// The game.
    type Setup: Setup<Position: Notation>;

    /// The first position.
    fn start(setup: &Self::Setup) -> Self;
    /// As [`Position::status`].
    fn status(&self) -> Status;
    /// As [`Position::legal_moves`], in the same order.
    fn legal_moves(&self) -> Vec<MoveOf<Self>>;
    /// As [`Position::play_unchecked`].
    fn play(&mut self, mv: MoveOf<Self>);
    /// As [`Position::remove`].
    fn remove(&mut self, seat: Seat);
    /// As [`Notation::to_text`].
    fn to_text(&self) -> String;
}

/// The moves of a naive game: those of the fast one.
pub type MoveOf<N> = <<<N as Naive>::Setup as Setup>::Position as Position>::Move;

/// Plays `n_games` random games on both implementations side by side and compares every position. In every
/// fourth game players are removed at random.
///
/// # Panics
/// If they differ; the message names the setup, the seed and the position.
pub fn compare<N: Naive>(setup: &N::Setup, n_games: u64, seed: Seed) {
    for game in 0..n_games {
        let seed = seed.derive(game);
        let mut rng = seed.rng();
        let mut fast = setup.start();
        let mut naive = N::start(setup);
        loop {
            let context = || format!("{} with {seed:?} in {}", setup.spec(), fast.to_text());
            assert_eq!(fast.to_text(), naive.to_text(), "positions differ: {}", context());
            assert_eq!(fast.status(), naive.status(), "statuses differ: {}", context());
            let moves: Vec<_> = fast.legal_moves().collect();
            assert_eq!(moves, naive.legal_moves(), "legal moves differ: {}", context());
            if moves.is_empty() {
                break;
            }
            if game % 4 == 3 && below(&mut rng, 16) == 0 {
                let out = Seat::new(below(&mut rng, fast.n_seats() as u32) as u8);
                fast.remove(out);
                naive.remove(out);
            } else {
                let mv = moves[below(&mut rng, moves.len() as u32) as usize];
                fast.play_unchecked(mv);
                naive.play(mv);
            }
        }
    }
}
