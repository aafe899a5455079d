//! What the tests of matches share.
#![allow(dead_code, unused_imports, unused_macros, reason = "each test file uses a part")]

use std::time::Duration;

use rookery_referee::{Player, Referee, Terms, TimeControl, Verdict, play};
use rookery_rules::{Keyed, Notation, Seat, Seed, Setup};
use rookery_testkit::conceivable::Conceivable;
use rookery_testkit::players::Actor;
use rookery_testkit::replay::Watch;

/// Runs a check for every game: two players, and more where the game has them.
macro_rules! every_game {
    ($check:ident) => {
        $check::<rookery_games::hexapawn::Setup>("rows=4,cols=4").await;
        $check::<rookery_games::hexapawn::Setup>("rows=5,cols=5,eliminate=1").await;
        $check::<rookery_games::fish::Setup>("rows=4,cols=4,players=2,fish=2").await;
        $check::<rookery_games::fish::Setup>("rows=5,cols=5,players=3").await;
        $check::<rookery_games::fish::Setup>("rows=5,cols=5,players=4").await;
        $check::<rookery_games::stones::Setup>("rows=3,cols=3").await;
        $check::<rookery_games::stones::Setup>("rows=6,cols=6,players=3,stones=2,quiet=20").await;
        $check::<rookery_games::renpaarden::Setup>("width=5,height=5,max-turns=60").await;
    };
}
pub(crate) use every_game;

/// A game as the tests need it.
pub(crate) trait Table: Setup<Position: Conceivable + Keyed + Notation> {
    fn table(options: &str) -> Self {
        Self::parse(options).expect("the options are right")
    }

    /// A match with the game's own conduct.
    fn referee(&self) -> Referee<Self::Position> {
        let conduct = rookery_catalog::game(Self::GAME).expect("the game is in the catalog").conduct();
        Referee::new(self.start(), conduct)
    }
}

impl<S: Setup<Position: Conceivable + Keyed + Notation>> Table for S {}

pub(crate) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// One second a move.
pub(crate) fn terms() -> Terms {
    Terms::new(TimeControl::PerMove(ms(1000)), Seed(1))
}

/// Plays, and checks that the record gives the same positions and verdict.
pub(crate) async fn watch<P: Conceivable>(
    referee: Referee<P>,
    actors: Vec<Actor>,
    terms: &Terms,
) -> (Verdict, Watch<P>) {
    let mut players: Vec<Box<dyn Player<P>>> =
        actors.into_iter().map(|actor| Box::new(actor) as Box<dyn Player<P>>).collect();
    let mut watch = Watch::default();
    let verdict = play(referee, &mut players, terms, &mut watch).await;
    watch.check(&verdict);
    (verdict, watch)
}

/// Honest players, and this one at one seat.
pub(crate) fn with_one(n_seats: usize, seat: Seat, actor: Actor) -> Vec<Actor> {
    let mut actors: Vec<Actor> = (0..n_seats).map(|_| Actor::honest()).collect();
    actors[seat.index()] = actor;
    actors
}
