//! What people are told about Stones.

use rookery_rules::{PositionOf, Reasons};

use super::Setup;

/// Stones.
#[derive(Debug)]
pub struct Stones;

impl rookery_rules::Game for Stones {
    type Setup = Setup;
    const TITLE: &'static str = "Stones";
    const SUMMARY: &'static str = "step onto an enemy stone to take it; the last one standing wins";
    const SEATS: &'static str = "2 to 8";
    const RULES: &'static str = include_str!("../../../../docs/rules/stones.md");
    const REASONS: Option<Reasons<PositionOf<Self>>> = Some(super::reasons::reasons);
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4,stones=6", "rows=5,cols=5"];
}
