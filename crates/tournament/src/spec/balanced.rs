//! Balanced boards: starts that are about even, found before the first game.

use serde::{Deserialize, Serialize};

use super::SpecError;
use crate::TableSize;

/// The most boards of each game: each is chosen among several.
const MAX_BOARDS: usize = 1000;
/// The most random moves before a board.
const MAX_PLIES: u32 = 100;

/// Starts that a judge finds about even: each is a position after some random moves from the start of the game, the most even
/// ones of many, chosen by the seed of the tournament. Every block plays one of them, so with every seating.
///
/// ```
/// let balanced: rookery_tournament::Balanced = serde_json::from_str(r#"{"boards": 16}"#)?;
/// assert_eq!((balanced.boards, balanced.plies), (16, 4));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balanced {
    /// How many of each game.
    pub boards: usize,
    /// How many random moves come before each.
    #[serde(default = "usual_plies")]
    pub plies: u32,
}

const fn usual_plies() -> u32 {
    4
}

impl Balanced {
    /// So many of each game, after the usual number of moves.
    pub const fn new(boards: usize) -> Self {
        Self { boards, plies: usual_plies() }
    }

    pub(super) fn check(self, size: TableSize, has_openings: bool) -> Result<(), SpecError> {
        let error = |what: String| Err(SpecError(what));
        if !(1..=MAX_BOARDS).contains(&self.boards) {
            return error(format!("`balanced`: {} boards; expected 1 to {MAX_BOARDS}", self.boards));
        }
        if self.plies > MAX_PLIES {
            return error(format!("`balanced`: {} plies; expected at most {MAX_PLIES}", self.plies));
        }
        if has_openings {
            return error(
                "`balanced` and `openings` both say where games begin; give one of them".to_owned(),
            );
        }
        if size.min != size.max {
            return error("`balanced`: a board is for so many players; leave `min_seats` out".to_owned());
        }
        Ok(())
    }
}
