//! What people are told about Hexapawn.

use rookery_rules::{PositionOf, Reasons};

use super::Setup;

/// Hexapawn.
#[derive(Debug)]
pub struct Hexapawn;

impl rookery_rules::Game for Hexapawn {
    type Setup = Setup;
    const TITLE: &'static str = "Hexapawn";
    const SUMMARY: &'static str = "pawns only: reach the far row or leave the other side without a move";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../../docs/rules/hexapawn.md");
    const REASONS: Option<Reasons<PositionOf<Self>>> = Some(super::reasons::reasons);
    const BENCHES: &'static [&'static str] = &["rows=8,cols=8", "rows=6,cols=6", "rows=5,cols=5"];
}
