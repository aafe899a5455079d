//! What people are told about Renpaarden.

use rookery_rules::{PositionOf, Reasons};

use super::Setup;

/// Renpaarden.
#[derive(Debug)]
pub struct Renpaarden;

impl rookery_rules::Game for Renpaarden {
    type Setup = Setup;
    const TITLE: &'static str = "Renpaarden";
    const SUMMARY: &'static str = "a race of knights that hop on from enemy to enemy into the opposite home";
    const SEATS: &'static str = "2";
    const RULES: &'static str = include_str!("../../../../docs/rules/renpaarden.md");
    const REASONS: Option<Reasons<PositionOf<Self>>> = Some(super::reasons::reasons);
    const BENCHES: &'static [&'static str] = &["max-turns=1000", "width=5,height=5,max-turns=1000"];
}
