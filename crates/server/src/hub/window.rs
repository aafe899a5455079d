//! Windows in which people look at tables.

use std::sync::Arc;

use rookery_rules::Seat;

use super::Table;

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
