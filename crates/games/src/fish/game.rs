//! What people are told about Fish.

use rookery_rules::{PositionOf, Reasons};

use super::Setup;

/// Fish.
#[derive(Debug)]
pub struct Fish;

impl rookery_rules::Game for Fish {
    type Setup = Setup;
    const TITLE: &'static str = "Fish";
    const SUMMARY: &'static str =
        "penguins on melting ice floes: collect the most fish before you are stranded";
    const SEATS: &'static str = "2 to 4";
    const RULES: &'static str = include_str!("../../../../docs/rules/fish.md");
    const REASONS: Option<Reasons<PositionOf<Self>>> = Some(super::reasons::reasons);
    const BENCHES: &'static [&'static str] =
        &["rows=8,cols=8", "rows=8,cols=8,players=4", "board=classic", "rows=5,cols=5,fish=2"];
}
