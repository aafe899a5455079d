//! Playing and watching matches in a terminal.
mod clean;
mod command;
pub mod plain;
mod table;

pub use clean::{clean, quoted};
pub use table::{Announcement, Table, open};
