//! What the tests of prepared and live matches share.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;

use rookery_catalog::agree;
use rookery_live::{Guest, LiveMatch, Match, Played, prepare};
use rookery_record::{Archive as _, Key, OneFile};
use rookery_referee::{Command, MatchSpec};
use rookery_rules::{GameSpec, Seat, Seed};
use rookery_wire::Protocols;
use tokio::runtime::{Builder, Runtime};

pub(crate) const ONE: Option<Seat> = Some(Seat::new(0));
pub(crate) const TWO: Option<Seat> = Some(Seat::new(1));
pub(crate) const KEY: Key = Key::first(1);

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// What is agreed before a match.
pub(crate) fn spec(game: &str, players: &[&str]) -> MatchSpec {
    let entries: Vec<_> = players.iter().map(|text| text.parse().unwrap()).collect();
    agree(&GameSpec::parse(game).unwrap(), &entries, Seed(7)).unwrap()
}

/// The match of a spec without programs, with a record if there is a path: a new one, or what is there goes on.
pub(crate) fn ready(spec: &MatchSpec, path: Option<&Path>) -> Match {
    let slot = path.map(|path| OneFile::new(path, true).open(&KEY).unwrap());
    prepare(spec.clone(), Guest::built_in(spec).unwrap(), &Protocols::default(), slot).unwrap()
}

/// Waits for the receipt: the record is whole then.
pub(crate) async fn durable(mut played: Played) -> Played {
    if let Some(receipt) = played.receipt.take() {
        receipt.await.unwrap();
    }
    assert_eq!(played.problem, None);
    played
}

/// Until somebody is asked about the move of this number.
pub(crate) async fn asked(live: &LiveMatch, ply: u64) {
    let mut version = 0;
    while live.snapshot().asked.is_none_or(|asked| asked.ply != ply) {
        version = live.changed(version).await;
    }
}

/// Plays a move as soon as it is asked for.
pub(crate) async fn moves(live: &LiveMatch, seat: Option<Seat>, ply: u64, text: &str) {
    asked(live, ply).await;
    live.command(seat, &Command::Move { ply, text: text.to_owned() }).unwrap();
}
