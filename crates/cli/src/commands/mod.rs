//! One module a subcommand: its arguments, and a `run` that writes to a given output.

use rookery_originals::write_json;
use rookery_rules::Key;
use serde::Serialize;

pub(crate) mod accuracy;
pub(crate) mod analyse;
mod asking;
pub(crate) mod bench;
pub(crate) mod bench_cluster;
pub(crate) mod bench_fish;
pub(crate) mod bench_records;
pub(crate) mod bench_search;
pub(crate) mod bench_serve;
pub(crate) mod bench_store;
pub(crate) mod bench_tournament;
pub(crate) mod bench_wire;
pub(crate) mod bot;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod connect;
pub(crate) mod db;
pub(crate) mod doctor;
pub(crate) mod drill;
pub(crate) mod entrants;
pub(crate) mod fish;
pub(crate) mod games;
pub(crate) mod history;
pub(crate) mod launch;
pub(crate) mod matches;
pub(crate) mod moves;
pub(crate) mod new_bot;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod players;
pub(crate) mod puzzle;
pub(crate) mod ratings;
mod ratings_people;
pub(crate) mod replay;
pub(crate) mod review;
pub(crate) mod rules;
pub(crate) mod serve;
#[cfg(feature = "cluster")]
mod serve_dispatched;
#[cfg(feature = "cluster")]
mod serve_machines;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod sprt;
pub(crate) mod tournament;
pub(crate) mod tournaments;
pub(crate) mod verify;
pub(crate) mod watch;
pub(crate) mod worker;

/// A key of a game's or a player's spec, as JSON.
#[derive(Serialize)]
struct KeyRow {
    key: &'static str,
    allowed: String,
    default: &'static str,
    help: &'static str,
}

impl KeyRow {
    fn new(key: &Key) -> Self {
        Self { key: key.name, allowed: key.kind.to_string(), default: key.default, help: key.help }
    }
}
