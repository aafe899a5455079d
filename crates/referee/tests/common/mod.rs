//! What the tests of matches share.
#![allow(dead_code, unused_imports, unused_macros, reason = "each test file uses a part")]

use std::time::Duration;

use rookery_referee::{End, MatchSpec, Observer, Player, Referee, Session, Terms, TimeControl, Verdict};
use rookery_rules::{Keyed, Notation, Position, Seat, Seed, Setup};
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

/// What a test's match is played under.
#[derive(Clone, Debug)]
pub(crate) struct Agreed {
    pub(crate) time: TimeControl,
    pub(crate) seed: Seed,
    pub(crate) terms: Terms,
}

impl Agreed {
    /// The spec of a match of so many programs.
    pub(crate) fn spec(&self, n_seats: usize) -> MatchSpec {
        let programs = std::iter::repeat_n("cmd:bot", n_seats);
        let spec = MatchSpec::new("test", programs, self.seed).expect("a command is a player");
        MatchSpec { time: self.time, ..spec }
    }
}

/// Under this time control.
pub(crate) fn timed(text: &str) -> Agreed {
    Agreed { time: text.parse().expect("a time control"), ..untimed(1) }
}

/// Without a time control.
pub(crate) fn untimed(seed: u64) -> Agreed {
    Agreed { time: TimeControl::Untimed, seed: Seed(seed), terms: Terms::default() }
}

/// One second a move.
pub(crate) fn terms() -> Agreed {
    timed("1s")
}

/// Plays to the end.
pub(crate) async fn play<P: Position>(
    referee: Referee<P>,
    players: &mut [Box<dyn Player<P> + '_>],
    agreed: &Agreed,
    observer: &mut (dyn Observer<P> + Send),
) -> Verdict {
    let spec = agreed.spec(players.len());
    let referee = referee.with_time(agreed.time);
    let end = rookery_referee::play(referee, players, &Session::new(&spec, &agreed.terms), observer).await;
    let End::Verdict(verdict) = end else { panic!("nobody suspends this match") };
    verdict
}

/// Plays, and checks that the record gives the same positions and verdict.
pub(crate) async fn watch<P: Conceivable>(
    referee: Referee<P>,
    actors: Vec<Actor>,
    agreed: &Agreed,
) -> (Verdict, Watch<P>) {
    let mut players: Vec<Box<dyn Player<P>>> =
        actors.into_iter().map(|actor| Box::new(actor) as Box<dyn Player<P>>).collect();
    let mut watch = Watch::default();
    let verdict = play(referee, &mut players, agreed, &mut watch).await;
    watch.check(&verdict);
    (verdict, watch)
}

/// Honest players, and this one at one seat.
pub(crate) fn with_one(n_seats: usize, seat: Seat, actor: Actor) -> Vec<Actor> {
    let mut actors: Vec<Actor> = (0..n_seats).map(|_| Actor::honest()).collect();
    actors[seat.index()] = actor;
    actors
}
