//! Learning from games: what to do and why, what went wrong, and positions to find it out oneself.
//!
//! - [`advise`]: the best moves of a position by the strongest means at hand, with reasons, while they are being found;
//! - [`HintQuestion`]: the same for somebody who plays, as one sentence;
//! - [`review`]: every move of a recorded match against what was best;
//! - [`puzzle`]: positions with exactly one winning move, from real play.
//!
//! Everything is data without types of games, for terminals and pages alike.
//!
//! ```
//! use rookery_catalog::game;
//! use rookery_study::{Order, advise};
//!
//! let position = game("hexapawn")?.position("p1 111/.../222")?;
//! let advice = advise("hexapawn", &*position, &Order::default(), &mut |_| {}).expect("the game goes on");
//! assert!(advice.lines[0].proven && advice.lines[0].value == 0.0, "3 x 3 is lost for who begins");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod graph;
mod hint;
mod means;
mod puzzle;
mod reasons;
mod review;
mod shares;

pub use advice::{Advice, Advised, Order, advise, advise_by_playouts};
pub use graph::graph_svg;
pub use hint::{Hint, HintQuestion};
pub use puzzle::{Attempt, Grade, NoPuzzle, Puzzle, attempt, of_the_day, puzzle, puzzle_games, way_on};
pub use review::{Judged, Judgement, OnJudged, Review, ReviewTime, ReviewedPlayer, review};
pub use shares::shares;
