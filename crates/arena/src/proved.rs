//! Ends a game once its result is proved.

use std::marker::PhantomData;

use rookery_catalog::{Game, Visit, visit};
use rookery_live::Match;
use rookery_players::SolveOrder;
use rookery_referee::{Controls, Event, EventOf, Observer};
use rookery_rules::{GameSpec, Position, PositionOf, SetupError};
use rookery_search::Want;

/// How many positions are looked at after a move: a few milliseconds.
const NODES: u64 = 20_000;
/// The memory of a solver. What does not fit is not tried.
const MEMORY: usize = 4 << 20;

/// The same match, which ends as soon as a solver knows its result. Work is counted in positions, so that the same match ends
/// at the same move on any machine.
pub(crate) fn until_proved(prepared: Match, game: &str) -> Result<Match, SetupError> {
    let game = GameSpec::parse(game)?.game;
    visit(&game, Attach(prepared))
}

struct Attach(Match);

impl Visit for Attach {
    type Out = Match;

    fn visit<G: Game>(self) -> Match {
        let controls = self.0.controls();
        self.0.with_observer(Prover::<G> { controls, game: PhantomData })
    }
}

struct Prover<G> {
    controls: Controls,
    game: PhantomData<fn() -> G>,
}

impl<G: Game> Observer<PositionOf<G>> for Prover<G> {
    fn see(&mut self, event: &EventOf<PositionOf<G>>, position: &PositionOf<G>) {
        let moved = matches!(event, Event::Moved { .. });
        if !moved || Position::n_seats(position) != 2 || position.to_move().is_none() {
            return;
        }
        let order =
            SolveOrder { want: Want::Winner, memory: MEMORY, nodes: Some(NODES), ..SolveOrder::default() };
        if let Ok(solved) = (G::EXPERTISE.solve)(position, &order) {
            self.controls.adjudicate(solved.value.winner);
        }
    }
}
