//! The page in a real browser: Debian's Chromium, driven as a person would use it. For tests only.
//!
//! A [`Site`] is a server of this process, a [`Browser`] one window of one person. Every browser says at its end whether the
//! page made an error or asked anybody but its own server for something.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test that fails here should fail")]

mod axe;
mod bot;
mod browser;
mod hostile;
mod machines;
mod play;
#[path = "../../server/tests/common/running.rs"]
#[allow(dead_code, reason = "tests without a browser use the rest")]
mod running;
mod site;

pub use axe::{axe, npm};
pub use bot::{first_move_bot, named_bot, pipe_bot, wrong_move_bot};
pub use browser::{Browser, Size};
pub use hostile::{EVIL, HURT, hostile};
pub use play::cell_css;
pub use site::Site;
