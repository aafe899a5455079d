//! What only one kind of lobby has: how somebody signs up there, and rests.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use rookery_referee::Fault;
use rookery_wire::{Connection, Transport};
use tokio::net::TcpStream;

/// How somebody signs up, and rests between matches.
pub trait Door: Send + Sync + 'static {
    /// What is known of somebody who has signed up.
    type Member: Clone + Send + Sync + 'static;

    /// The link over a socket.
    fn connect(&self, stream: TcpStream) -> io::Result<Connection>;

    /// The dialogue in which somebody signs up; the error says why not.
    fn sign_up(&self, link: &mut Connection) -> impl Future<Output = Result<Self::Member, String>> + Send;

    /// What is to be said of a link on which nobody has signed up within this time.
    fn out_of_time(&self, link: &mut Connection, time: Duration) -> String;

    /// Whether somebody may come in who has signed up, beside those who wait already; the error says why not.
    fn admit(&self, member: &Self::Member, waiting: &[&Self::Member]) -> Result<(), String> {
        let _ = (member, waiting);
        Ok(())
    }

    /// Waits until somebody who waits goes away or speaks out of turn, and answers it meanwhile if it may ask. Nothing is
    /// lost if this is given up half-way.
    fn rest(&self, member: &Self::Member, link: &mut dyn Transport) -> impl Future<Output = Fault> + Send;

    /// Something happened.
    fn tell(&self, news: DoorNews<'_, Self::Member>);
}

/// What happens at a door.
#[derive(Clone, Copy, Debug)]
pub enum DoorNews<'a, M> {
    /// A waiting period begins.
    Waiting {
        /// Which, from 1.
        period: u32,
        /// How many are waiting.
        here: usize,
        /// How many can play.
        size: Size,
    },
    /// Somebody has signed up.
    SignedUp {
        /// Who.
        member: &'a M,
        /// From where.
        peer: SocketAddr,
        /// How many are waiting now.
        here: usize,
    },
    /// Somebody could not sign up.
    Refused {
        /// From where.
        peer: SocketAddr,
        /// Why.
        reason: &'a str,
        /// How many more of the same address were refused and not told of.
        more: u64,
    },
    /// Somebody who had signed up is gone, or was sent away.
    Left {
        /// Who.
        member: &'a M,
        /// From where.
        peer: SocketAddr,
        /// Why.
        reason: &'a str,
    },
    /// Connections cannot be accepted at the moment.
    Trouble(&'a io::Error),
    /// Not enough have come.
    TooFew {
        /// How many have.
        here: usize,
        /// How many are needed.
        needed: usize,
    },
}

/// How many can play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// With fewer nothing begins.
    pub min: usize,
    /// With so many it begins at once.
    pub max: usize,
}

/// How a lobby is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LobbyRules {
    /// A waiting period.
    pub wait: Duration,
    /// The most waiting periods.
    pub tries: u32,
    /// The time to sign up, from the beginning of the connection.
    pub name_timeout: Duration,
    /// Whether whoever comes too late waits for the next time.
    pub repeat: bool,
    /// The most connections that have not signed up; the oldest of the address with the most of them has to go.
    pub max_unnamed: usize,
    /// The most of them from one address; its oldest has to go.
    pub max_unnamed_each: usize,
}
