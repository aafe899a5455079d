//! Whose the seats of a table are, and the windows in which people look at it.

use std::sync::Arc;
use std::time::Instant;

use rookery_rules::Seat;

use super::Table;
use crate::accounts::Owner;

/// Whose a seat is.
#[derive(Clone, Debug, Default)]
pub struct Hold {
    /// Whose; nobody's for a computer or an open seat.
    pub owner: Option<Owner>,
    /// How others get this seat, while it is open.
    pub code: Option<String>,
    /// How many windows of its owner look.
    pub(super) windows: usize,
    /// Since when its owner is not there.
    pub(super) away: Option<Instant>,
    /// Whether its owner loads pages and sends forms: no window tells whether somebody sits before them.
    pub(super) plain: bool,
}

impl Hold {
    /// A seat of somebody, or one that can be taken with a code.
    pub fn new(owner: Option<Owner>, code: Option<String>) -> Self {
        let away = owner.is_some().then(Instant::now);
        Self { owner, code, windows: 0, away, plain: false }
    }
}

impl Table {
    /// Somebody looks, until the window is dropped.
    pub fn open_window(self: &Arc<Self>, seat: Option<Seat>) -> Window {
        self.presence(seat, true);
        Window { table: Arc::clone(self), seat }
    }
}

/// A window in which somebody looks at a table.
#[derive(Debug)]
pub struct Window {
    table: Arc<Table>,
    seat: Option<Seat>,
}

impl Window {
    /// The table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The seat of whoever looks.
    pub fn seat(&self) -> Option<Seat> {
        self.seat
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.table.presence(self.seat, false);
    }
}
