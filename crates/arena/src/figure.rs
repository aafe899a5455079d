//! What is counted of other machines.

/// Something that is counted, as Prometheus names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub help: &'static str,
    /// Whether it only grows.
    pub grows: bool,
    /// How many.
    pub value: u64,
}
