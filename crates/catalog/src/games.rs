//! The list of all games.

use rookery_games::{fish, four, hexapawn, renpaarden, stones};
use rookery_players::{self as players, Expertise};
use rookery_referee::Conduct;
use rookery_rules::{PositionOf, SetupError};

use crate::{AnyGame, Game, Visit};

/// Makes the catalog from a list: a game is one word, with what it adds in braces.
macro_rules! games {
    ($($game:path $({ $(conduct: $conduct:expr,)? $(expertise: $expertise:expr,)? })?,)+) => {
        $(impl Game for $game {
            $($(const CONDUCT: Conduct = $conduct;)?)?
            $($(const EXPERTISE: Expertise<PositionOf<Self>> = $expertise;)?)?
        })+

        /// Every game, in the order it is listed for people.
        pub static CATALOG: &[&dyn AnyGame] = &[$(&$game),+];

        /// Hands a visitor the types of the game of this name.
        pub fn visit<V: Visit>(name: &str, visitor: V) -> Result<V::Out, SetupError> {
            $(if name == AnyGame::name(&$game) {
                return Ok(visitor.visit::<$game>());
            })+
            Err(unknown(name))
        }
    };
}

games! {
    fish::Fish { expertise: players::fish::EXPERTISE, },
    hexapawn::Hexapawn {
        conduct: Conduct::removing().with_retries(1).only_in_play(),
        expertise: players::hexapawn::EXPERTISE,
    },
    renpaarden::Renpaarden {
        conduct: Conduct::removing().until_deadline(),
        expertise: players::renpaarden::EXPERTISE,
    },
    stones::Stones { conduct: Conduct::aborting(), expertise: players::stones::EXPERTISE, },
    four::Four,
}

/// The game of this name.
///
/// ```
/// let error = rookery_catalog::game("hexpawn").err().expect("there is no such game");
/// assert!(error.to_string().contains("did you mean `hexapawn`?"));
/// ```
pub fn game(name: &str) -> Result<&'static dyn AnyGame, SetupError> {
    CATALOG.iter().copied().find(|game| game.name() == name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> SetupError {
    SetupError::unknown_game(name, CATALOG.iter().map(|game| game.name()).collect())
}

#[cfg(test)]
mod tests {
    use rookery_rules::Setup;

    use super::*;

    struct Name;

    impl Visit for Name {
        type Out = &'static str;
        fn visit<G: Game>(self) -> &'static str {
            G::Setup::GAME
        }
    }

    #[test]
    fn a_visitor_gets_the_game_it_asks_for() {
        for game in CATALOG {
            assert_eq!(visit(game.name(), Name), Ok(game.name()));
        }
        assert_eq!(visit("chess", Name).unwrap_err(), game("chess").unwrap_err());
    }

    #[test]
    fn every_player_of_every_game_can_be_seated() {
        for game in CATALOG {
            for info in game.players() {
                let player = info.name.parse().unwrap();
                assert_eq!(game.check_player(&player), Ok(()), "{} at {}", info.name, game.name());
            }
        }
    }

    #[test]
    fn every_game_has_the_levels_that_people_are_offered() {
        for game in CATALOG {
            for name in ["easy", "medium", "hard"] {
                let named = game.players().into_iter().filter(|info| info.name == name).count();
                assert_eq!(named, 1, "{name} of {}", game.name());
            }
        }
    }

    #[test]
    fn every_measured_setup_can_be_played() {
        for game in CATALOG {
            assert!(!game.benches().is_empty(), "{}", game.name());
            for spec in game.benches() {
                assert!(crate::start(&spec).is_ok(), "{spec}");
            }
        }
    }

    #[test]
    fn seats_are_called_as_the_game_counts_them() {
        let labels = |text: &str| {
            let spec = rookery_rules::GameSpec::parse(text).unwrap();
            game(&spec.game).unwrap().seat_labels(&spec).unwrap()
        };
        assert_eq!(labels("fish:players=3"), ["player 1", "player 2", "player 3"]);
        assert_eq!(labels("stones"), ["player 0", "player 1"]);
    }
}
