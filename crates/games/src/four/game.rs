//! What people are told about Four in a row.

use rookery_rules::Seat;

use super::{Position, Setup};

/// Four in a row.
#[derive(Debug)]
pub struct Four;

impl rookery_rules::Game for Four {
    type Setup = Setup;
    const TITLE: &'static str = "Four in a row";
    const SUMMARY: &'static str = "drop stones into columns; four in a row win";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../../docs/rules/four.md");
    const BENCHES: &'static [&'static str] = &["", "rows=8,cols=8", "rows=8,cols=8,line=6"];
    const EVALUATION: Option<fn(&Position, Seat) -> i32> = Some(Position::prospects);
}
