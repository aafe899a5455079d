//! The same bot with the client library: it captures if it can.

mod json;
mod rookery_bot;

use rookery_bot::{Answer, Bot, NewGame, Turn};

struct MyBot {
    random: u64,
}

impl Bot for MyBot {
    fn new_game(&mut self, game: &NewGame) {
        self.random = game.seed;
    }

    fn choose(&mut self, turn: &Turn) -> Answer {
        // As Hexapawn writes captures.
        if let Some(capture) = turn.legal.iter().find(|text| text.contains('x')) {
            return Answer::Move(capture.clone());
        }
        // The standard library has no random numbers; this is a linear congruential generator.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Answer::Index((self.random >> 33) as usize % turn.legal.len())
    }
}

fn main() -> std::io::Result<()> {
    rookery_bot::run(&mut MyBot { random: 0 })
}
