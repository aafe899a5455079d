//! What every game must obey, checked on random games.
//!
//! - [`laws`]: the promises of the traits of `rookery-rules`;
//! - [`naive`]: a second, slow and obvious implementation of each game, and the comparison with the fast one;
//! - [`perft_file`]: numbers of move sequences, from a file;
//! - [`scenes`]: what pictures promise;
//! - [`golden`]: a whole game with everything that can be seen of it, compared with a file.
//!
//! A failed check panics with the setup and the seed that show it again.

pub mod conceivable;
pub mod golden;
pub mod laws;
pub mod naive;
pub mod perft_file;
pub mod scenes;
