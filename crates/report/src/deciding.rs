//! A sequential test that follows a series.

use rookery_ratings::blocks::block_half_points;
use rookery_ratings::elo::{Sample, SampleError};
use rookery_ratings::sprt::{Run, Sprt as Test};
use rookery_rules::Seat;
use rookery_tournament::{Decide, GameResult, Seating, Sprt};
use serde_json::{Value, json};

/// A test between the first two players of a series, told of its whole blocks.
#[derive(Clone, Debug)]
pub struct Deciding {
    run: Run,
    next: u64,
}

impl Deciding {
    /// A series of this many players that ends when the test has decided, or after so many games.
    pub fn series(test: Test, n_players: usize, games: u64) -> Result<Sprt<Self>, SampleError> {
        let run = Run::new(test, Seating::block_games(n_players) as usize)?;
        Ok(Sprt::new(n_players, games, Self { run, next: 0 }))
    }

    /// How far it is.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it has decided, and how far it is, as data.
    pub fn to_json(&self) -> Value {
        let run = &self.run;
        let ((elo0, elo1), (lower, upper)) = (run.test().elos(), run.test().bounds());
        let sample = Sample::of_counts(run.counts()).ok();
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        json!({
            "decision": run.decision().map(|decision| decision.to_string()), "llr": run.llr(), "lower": lower, "upper": upper,
            "model": run.test().model().to_string(), "elo0": elo0, "elo1": elo1,
            "games": run.games(), "blocks": run.blocks(), "games_per_block": (run.counts().len() - 1) / 2,
            "counts": run.counts(), "dropped_blocks": run.dropped(),
            "elo": finite(sample.as_ref().map(Sample::elo)),
            "error": finite(sample.as_ref().and_then(Sample::elo_error)),
        })
    }
}

impl Decide for Deciding {
    fn block(&mut self, games: &[GameResult]) -> bool {
        let places: Option<Vec<Vec<usize>>> = games.iter().map(places).collect();
        let half_points = places.and_then(|places| block_half_points(&places, 0, 1));
        // A block of a series has as many games as the test was made for.
        let _ = self.run.take(self.next, half_points);
        self.next += 1;
        self.run.decision().is_some()
    }
}

/// The place of every entrant, by number; `None` if the game was aborted.
fn places(result: &GameResult) -> Option<Vec<usize>> {
    let of_seats = result.outcome.as_ref()?.places();
    let mut places = vec![0; result.entrants.len()];
    for (seat, entrant) in Seat::all(result.entrants.len()).zip(&result.entrants) {
        *places.get_mut(entrant.index())? = of_seats[seat];
    }
    Some(places)
}
