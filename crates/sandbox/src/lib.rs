mod split;
pub use split::{SplitError, split};
