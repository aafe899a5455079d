//! The way in: connections with deadlines and bounds, and what every request must pass.

mod accept;
mod counted;
mod error;
mod guard;
mod metrics;
mod shape;
mod site;
mod table;
mod upload;

pub(crate) use accept::is_set;
pub use accept::{Caps, Held, serve};
pub use counted::Counted;
pub use error::ApiError;
pub(crate) use error::sentence;
pub use guard::{Caller, guard};
pub use metrics::Metrics;
pub use shape::{Fields, ObjectShape, Shape, Shapes, any_of, tagged, words};
pub(crate) use shape::{shape, told};
pub use site::{BotsUrl, Network, PublicUrl, Site};
pub(crate) use site::{counted_by, theme};
pub use table::{Access, Listed, Routes, openapi};
pub(crate) use upload::file_of;
