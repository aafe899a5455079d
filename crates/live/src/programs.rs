//! Programs of a match: what they speak, and how they are brought.

use std::net::SocketAddr;
use std::time::Duration;

use rookery_referee::{MatchSpec, Terms};
use rookery_wire::{Protocol, Protocols};

use crate::guest::{OpenError, Opened, Opening, Wanted, open};

/// What programs speak and how they are brought, for one match or for many between the same players. By default all speak the
/// bot protocol.
#[derive(Debug, Default)]
pub struct Programs {
    /// The protocols of the originals.
    pub protocols: Protocols,
    /// Where they are awaited, and for how long.
    pub opening: Opening,
    /// What the player of a name speaks, if it is not the bot protocol.
    pub spoken: Vec<(String, Protocol)>,
    /// Nobody is late: for whoever looks at a program with a debugger.
    pub no_clock: bool,
}

/// As good as no limit.
const A_DAY: Duration = Duration::from_hours(24);

impl Programs {
    /// The tolerances a match with them is played with.
    pub fn terms(&self) -> Terms {
        if self.no_clock {
            return Terms { startup: 2 * A_DAY, answer_cap: A_DAY, ..Terms::default() };
        }
        // A bot that does not reply in time is told so by its protocol, which knows what was expected.
        let startup = Terms::default().startup.max(self.opening.reply + Duration::from_secs(1));
        Terms { startup, ..Terms::default() }
    }

    /// Brings whoever is to sit at the seats of a match: see [`open`].
    pub async fn bring(
        &self,
        spec: &MatchSpec,
        announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    ) -> Result<Opened, OpenError> {
        let spoken = |name: &str| {
            let found = self.spoken.iter().find(|(player, _)| player == name);
            found.map_or(rookery_bots::PROTOCOL, |(_, protocol)| *protocol)
        };
        let seats: Vec<Wanted<'_>> = spec
            .seats
            .iter()
            .map(|entry| Wanted { seat: &entry.player, name: &entry.name, protocol: spoken(&entry.name) })
            .collect();
        let mut opening = self.opening.clone();
        if self.no_clock {
            opening.reply = A_DAY;
        }
        open(&seats, &opening, announce).await
    }
}
