//! A game with its types, and the way from a name to them.

use rookery_players::{Expertise, Named, PlayerError, PlayerSpec};
use rookery_referee::Conduct;
use rookery_rules::PositionOf;

/// What the catalog adds to a game. Everything has a default, so a game without anything of its own needs no more than
/// its word in the list of [`CATALOG`](crate::CATALOG).
pub trait Game: rookery_rules::Game {
    /// What misconduct costs, unless a match says otherwise.
    const CONDUCT: Conduct = Conduct::removing();
    /// The built-in players that know only this game, and its solver.
    const EXPERTISE: Expertise<PositionOf<Self>> = Expertise::NONE;
}

/// Something to be done with the types of a game that is known by its name only.
///
/// ```
/// use rookery_catalog::{Game, Visit, visit};
/// use rookery_rules::{Position, PositionOf};
///
/// struct SizeOfAMove;
///
/// impl Visit for SizeOfAMove {
///     type Out = usize;
///     fn visit<G: Game>(self) -> usize {
///         size_of::<<PositionOf<G> as Position>::Move>()
///     }
/// }
///
/// assert_eq!(visit("stones", SizeOfAMove)?, 4);
/// assert!(visit("stone", SizeOfAMove).is_err());
/// # Ok::<(), rookery_rules::SetupError>(())
/// ```
pub trait Visit {
    /// What comes of it.
    type Out;
    /// Does it.
    fn visit<G: Game>(self) -> Self::Out;
}

/// The strategy that a player spec names, with the types of its game, and what is said about it.
///
/// ```
/// use rookery_catalog::strategy;
/// use rookery_games::renpaarden::{Renpaarden, Setup};
/// use rookery_rules::Setup as _;
/// use rookery_search::Budget;
///
/// let (mut player, info) = strategy::<Renpaarden>(&"first".parse()?)?;
/// assert!(info.quick);
/// assert_eq!(player.choose(&Setup::default().start(), &Budget::default()).to_string(), "a2-c3");
/// # Ok::<(), rookery_catalog::PlayerError>(())
/// ```
pub fn strategy<G: Game>(player: &PlayerSpec) -> Result<Named<PositionOf<G>>, PlayerError> {
    rookery_players::strategy::<G>(&G::EXPERTISE, player)
}

#[cfg(test)]
mod tests {
    use rookery_games::hexapawn;

    use super::*;
    use crate::AnyGame;

    /// A game that brings nothing but its rules.
    struct Bare;

    impl rookery_rules::Game for Bare {
        type Setup = hexapawn::Setup;
        const TITLE: &'static str = "Bare";
        const SUMMARY: &'static str = "only what must be there";
        const SEATS: &'static str = "2";
        const RULES: &'static str = "";
    }

    impl Game for Bare {}

    #[test]
    fn fault_23_a_game_that_brings_no_players_has_the_levels_that_people_are_offered() {
        for level in ["easy", "medium", "hard"] {
            let player: PlayerSpec = level.parse().unwrap();
            assert_eq!(Bare.check_player(&player), Ok(()));
            assert_eq!(Bare.players().into_iter().filter(|info| info.name == level).count(), 1);
        }
        assert_eq!(Bare.conduct(), Conduct::removing());
        assert_eq!(Bare.benches(), ["hexapawn"], "the usual setup is measured");
    }
}
