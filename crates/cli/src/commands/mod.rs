//! One module a subcommand: its arguments, and a `run` that writes to a given output.

use std::io::Write;

use serde::Serialize;

pub(crate) mod bench;
pub(crate) mod games;
pub(crate) mod matches;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod players;
pub(crate) mod rules;
pub(crate) mod show;
pub(crate) mod welcome;

/// Writes one JSON value and a newline.
fn write_json(out: &mut dyn Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}
