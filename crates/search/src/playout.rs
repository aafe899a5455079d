//! How random games are played, and what is hoped for where they are left before their end.

use rookery_rules::{Position, Rng, Seat};

/// How one random game is played from a position, and which moves look good before any.
pub trait Playout<P: Position>: Send + Sync {
    /// Plays on until the game is over, or until it can be judged.
    fn play_out(&self, position: &mut P, rng: &mut Rng);

    /// What a seat may hope for where a random game was left before its end: the share of a win, all seats together 1.
    fn hope(&self, position: &P, seat: Seat) -> f32 {
        let playing = position.playing();
        if playing.contains(seat) { 1.0 / playing.len() as f32 } else { 0.0 }
    }

    /// No random game from here has more moves.
    fn longest(&self, position: &P) -> u64 {
        position.max_plies()
    }

    /// How good a move looks, in rewards, against 0 for one of which nothing is known. It decides which moves are
    /// tried first, and its weight fades as the move is tried (*progressive bias*).
    #[inline]
    fn bias(&self, _position: &P, _mv: P::Move) -> f32 {
        0.0
    }

    /// Whether a move is seen at all that could be made after `ply` other moves. Who overlooks some is a weaker player.
    #[inline]
    fn sees(&self, _position: &P, _mv: P::Move, _ply: u32) -> bool {
        true
    }
}

/// Random moves, each equally likely, to the end of the game.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl<P: Position> Playout<P> for Uniform {
    #[inline]
    fn play_out(&self, position: &mut P, rng: &mut Rng) {
        rookery_rules::playout(position, rng);
    }
}

/// Random moves, each equally likely. Where games hardly end by themselves they are left after a while, and judged.
#[derive(Clone, Copy, Debug)]
pub struct Cut<V> {
    /// How well a seat stands; `None` if nobody knows.
    pub value: Option<V>,
    /// The value with which three games of four are won.
    pub three_of_four: i32,
    /// Games that can last no longer than this are played to their end.
    pub long: u64,
    /// Others are left after so many moves.
    pub after: u32,
}

impl<V> Cut<V> {
    /// Cuts only games that hardly end by themselves.
    pub const fn long_games(value: Option<V>, three_of_four: i32) -> Self {
        Self { value, three_of_four, long: 400, after: 40 }
    }
}

impl<P: Position, V: Fn(&P, Seat) -> i32 + Send + Sync> Playout<P> for Cut<V> {
    fn play_out(&self, position: &mut P, rng: &mut Rng) {
        if position.max_plies() <= self.long {
            rookery_rules::playout(position, rng);
            return;
        }
        for _ in 0..self.after {
            let Some(mv) = position.random_move(rng) else { return };
            position.play_unchecked(mv);
        }
    }

    fn longest(&self, position: &P) -> u64 {
        let most = position.max_plies();
        if most <= self.long { most } else { u64::from(self.after) }
    }

    fn hope(&self, position: &P, seat: Seat) -> f32 {
        let Some(value) = &self.value else { return Uniform.hope(position, seat) };
        // Bounded, so that the odds are finite whatever the value.
        let odds = |seat| {
            3f32.powf((value(position, seat) as f32 / (2 * self.three_of_four) as f32).clamp(-30.0, 30.0))
        };
        let playing = position.playing();
        if playing.contains(seat) { odds(seat) / playing.iter().map(odds).sum::<f32>() } else { 0.0 }
    }
}
