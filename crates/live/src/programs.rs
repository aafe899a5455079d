//! Programs of a match: what they speak, and how they are brought.

use std::net::SocketAddr;

use rookery_referee::MatchSpec;
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
}

impl Programs {
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
        open(&seats, &self.opening, announce).await
    }
}
