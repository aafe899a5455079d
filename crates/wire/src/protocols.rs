//! Which protocols programs speak, by game and name.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use rookery_referee::{LagProbe, Player};
use rookery_rules::{Position, Setup};

use crate::{Bounds, Framing, Lent, excerpt};

/// What must be known of a protocol to open a link for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// Its name, unique for its game.
    pub name: &'static str,
    /// How its messages are told apart.
    pub framing: Framing,
    /// How much of one is read.
    pub bounds: Bounds,
}

/// Seats a program: a link, and how late our own loop runs, become a player.
pub type Seating<P> = dyn Fn(Lent, &LagProbe) -> Box<dyn Player<P>> + Send + Sync;

/// All protocols that programs speak. A link is opened by the names of game and protocol, before any type is known
/// ([`find`](Self::find)); the player on it is made by the type of the position ([`get`](Self::get)).
///
/// ```
/// # use rookery_games::hexapawn;
/// # use rookery_referee::{Failure, Question};
/// # use rookery_rules::Position as _;
/// # use rookery_wire::{Answer, Codec, Protocols};
/// use rookery_wire::{Bounds, Framing, Protocol, Remote};
///
/// # struct Texts;
/// # impl Codec<hexapawn::Position> for Texts {
/// #     fn ask(&mut self, _: &Question<'_, hexapawn::Position>) -> Vec<u8> { vec![] }
/// #     fn answer(&mut self, _: &[u8], position: &hexapawn::Position) -> Result<Answer<hexapawn::Move>, Failure> {
/// #         Ok(Answer::Aside)
/// #     }
/// # }
/// let mut protocols = Protocols::default();
/// let texts = Protocol { name: "texts", framing: Framing::Lines, bounds: Bounds::default() };
/// protocols.register::<hexapawn::Setup>(texts, |link, lag| {
///     Box::new(Remote::new(link, Texts).with_lag(lag.clone()))
/// });
///
/// assert_eq!(protocols.find("hexapawn", None), Ok(texts));
/// assert!(protocols.get::<hexapawn::Position>("texts").is_ok());
/// let error = protocols.find("hexapawn", Some("text")).unwrap_err();
/// assert_eq!(error.to_string(), "hexapawn has no protocol `text`; expected `texts`");
/// ```
#[derive(Default)]
pub struct Protocols(Vec<Entry>);

struct Entry {
    game: &'static str,
    position: TypeId,
    protocol: Protocol,
    /// An `Arc<Seating<P>>` of the position's type.
    seating: Box<dyn Any + Send + Sync>,
}

impl Protocols {
    /// Adds a protocol of a game; the first of a game is its usual one. One of the same name is replaced, in its place.
    pub fn register<S: Setup>(
        &mut self,
        protocol: Protocol,
        seating: impl Fn(Lent, &LagProbe) -> Box<dyn Player<S::Position>> + Send + Sync + 'static,
    ) {
        let seating: Arc<Seating<S::Position>> = Arc::new(seating);
        let entry = Entry {
            game: S::GAME,
            position: TypeId::of::<S::Position>(),
            protocol,
            seating: Box::new(seating),
        };
        let is_same = |other: &&mut Entry| other.game == S::GAME && other.protocol.name == protocol.name;
        match self.0.iter_mut().find(is_same) {
            Some(other) => *other = entry,
            None => self.0.push(entry),
        }
    }

    /// The protocols of a game, the usual one first.
    pub fn of_game(&self, game: &str) -> impl Iterator<Item = Protocol> {
        self.0.iter().filter(move |entry| entry.game == game).map(|entry| entry.protocol)
    }

    /// A protocol of a game by its name; without a name the usual one.
    pub fn find(&self, game: &str, name: Option<&str>) -> Result<Protocol, UnknownProtocol> {
        let mut all = self.of_game(game);
        let found = match name {
            Some(name) => all.find(|protocol| protocol.name == name),
            None => all.next(),
        };
        found.ok_or_else(|| UnknownProtocol {
            game: game.to_owned(),
            wanted: name.map(|name| excerpt(name.as_bytes())),
            known: self.of_game(game).map(|protocol| protocol.name).collect(),
        })
    }

    /// What seats a program that speaks a protocol of the game with these positions.
    pub fn get<P: Position>(&self, name: &str) -> Result<Arc<Seating<P>>, UnknownProtocol> {
        let of_type = || self.0.iter().filter(|entry| entry.position == TypeId::of::<P>());
        let found = of_type().find(|entry| entry.protocol.name == name);
        let seating = found.and_then(|entry| entry.seating.downcast_ref::<Arc<Seating<P>>>());
        seating.map(Arc::clone).ok_or_else(|| UnknownProtocol {
            game: of_type().next().map_or("this game", |entry| entry.game).to_owned(),
            wanted: Some(excerpt(name.as_bytes())),
            known: of_type().map(|entry| entry.protocol.name).collect(),
        })
    }
}

impl fmt::Debug for Protocols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|entry| (entry.game, entry.protocol.name))).finish()
    }
}

/// A protocol that nobody has registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownProtocol {
    game: String,
    /// Safe to show.
    wanted: Option<String>,
    known: Vec<&'static str>,
}

impl fmt::Display for UnknownProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, wanted, known } = self;
        match wanted {
            Some(wanted) => write!(f, "{game} has no protocol {wanted}")?,
            None => write!(f, "{game} has no protocol for programs")?,
        }
        match known.as_slice() {
            [] => f.write_str("; none is known, so seat a built-in player or a person"),
            known => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "; expected {}", known.join(" or "))
            }
        }
    }
}

impl std::error::Error for UnknownProtocol {}
