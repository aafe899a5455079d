//! Hexapawn: players and a referee that talk through ports, and the same records as text on a pipe or a socket.
//!
//! - [`oz`]: Oz values as text, read strictly;
//! - [`records`]: the records of the protocol: boards, moves, requests, the end;
//! - [`ports`]: threads in this process that send each other records;
//! - [`seed`]: the same protocol on a wire, one record a line;
//! - [`elimination`]: the second protocol, in which the players choose the size and take pawns off first;
//! - [`client`]: the player's side of both;
//! - [`log`]: what the original's referee printed, and a plainer text;
//! - [`command`]: `rookery hexapawn`.
//!
//! `docs/hexapawn-protocol.md` describes the protocols for those who write players.

pub mod client;
pub mod command;
pub mod elimination;
pub mod log;
pub mod oz;
pub mod ports;
pub mod records;
pub mod seed;

use std::time::Duration;

use rookery_catalog::{Game, Hexapawn};
use rookery_games::hexapawn::Setup;
use rookery_referee::{Conduct, Invitation, SeatSpec};
use rookery_rules::Position;
use rookery_wire::{Bounds, Framing, Protocol, Protocols, Remote};

use elimination::EliminationCodec;
use records::Dialect;
use seed::SeedCodec;

/// The conduct of both protocols, and of the game everywhere: one bad answer a turn is refused once the pawns move,
/// everything else loses.
pub const CONDUCT: Conduct = <Hexapawn as Game>::CONDUCT;

/// How much longer the first answer of a program may take that was just started, unless told otherwise.
pub const WARM_UP: Duration = Duration::from_secs(4);

/// The protocol that a match is played in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spoken {
    /// The first, with a spelling.
    Seed(Dialect),
    /// The second. Player 2 is asked for the size [before](elimination::settle_size) the match.
    Elimination,
}

impl Spoken {
    /// How messages are cut on every wire of this game: a line each, also an empty one, of at most [`oz::MAX_BYTES`].
    pub fn protocol(self) -> Protocol {
        let name = match self {
            Self::Seed(Dialect::Readme) => "hexapawn",
            Self::Seed(Dialect::Code) => "hexapawn-code",
            Self::Elimination => "hexapawn-elimination",
        };
        let bounds = Bounds { bytes: oz::MAX_BYTES, ..Bounds::default() };
        Protocol { name, framing: Framing::EveryLine, bounds }
    }

    /// Programs that speak it can be seated, and have so much more time for their first answer if they were just started.
    pub fn register(self, into: &mut Protocols, warm_up: Duration) {
        let protocol = self.protocol();
        match self {
            Self::Seed(dialect) => into.register::<Setup>(protocol, move |link, lag| {
                Box::new(Remote::new(link, SeedCodec::new(dialect, warm_up)).with_lag(lag.clone()))
            }),
            Self::Elimination => into.register::<Setup>(protocol, move |link, lag| {
                Box::new(Remote::new(link, EliminationCodec::new(warm_up)).with_lag(lag.clone()))
            }),
        }
    }
}

/// The protocols in which programs play in any match: the first, in both spellings. The second needs a dialogue before it.
pub fn protocols(into: &mut Protocols) {
    for dialect in [Dialect::Readme, Dialect::Code] {
        Spoken::Seed(dialect).register(into, WARM_UP);
    }
}

/// The time to warm up of whoever is invited: only a program that was just started needs some.
fn warm_up_of<P: Position>(invitation: &Invitation<'_, P>, warm_up: Duration) -> Duration {
    let seat = invitation.spec.seats.get(invitation.seat.index());
    match seat.map(|entry| &entry.player) {
        Some(SeatSpec::Command(_)) => warm_up,
        _ => Duration::ZERO,
    }
}
