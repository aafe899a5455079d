//! What viewers of a match are told, as bytes made once.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::ws::Utf8Bytes;
use rookery_live::{Deed, News, Snapshot};
use rookery_referee::MatchSpec;
use rookery_rules::{Scene, Seat};
use rookery_store::{GameId, TournamentId};
use serde::Serialize;

use super::Hold;
use crate::accounts::Owner;
use crate::data::{
    AskedData, Can, EntryData, Kind, MatchState, NewsData, OfferData, SceneData, Sight, VerdictData, clocks,
    offer,
};
use crate::http::shape;
use crate::ladders::uncounted;

/// What happened at one version, made into bytes once for each kind of viewer.
#[derive(Debug)]
pub struct Update {
    version: u64,
    /// Everything but what the viewer can do.
    common: String,
    /// By seat, and last for those who only look on.
    cans: Vec<Can>,
    frames: Vec<OnceLock<Utf8Bytes>>,
}

impl Update {
    /// What is told at a version, from how the match stands then.
    pub(crate) fn new(
        id: GameId,
        version: u64,
        news: Vec<NewsData>,
        scene: Option<SceneData>,
        snapshot: &Snapshot,
    ) -> Self {
        let now = Instant::now();
        let told = Told {
            id: id.as_str(),
            version,
            news,
            scene,
            asked: snapshot.asked.as_ref().map(|asked| AskedData::new(asked, now)),
            clocks_ms: clocks(snapshot, now),
            offer: offer(snapshot),
        };
        let mut common = json(&told);
        // What the viewer can do comes behind.
        common.pop();
        let seats = Seat::all(snapshot.spec.n_seats()).map(Some).chain([None]);
        let cans: Vec<Can> = seats.map(|seat| Can::of(snapshot, seat)).collect();
        let frames = cans.iter().map(|_| OnceLock::new()).collect();
        Self { version, common, cans, frames }
    }

    /// Its version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The bytes for a seat.
    pub fn frame(&self, seat: Option<Seat>) -> Utf8Bytes {
        let idx = seat.map_or(self.cans.len() - 1, Seat::index);
        let make = || format!("{},\"can\":{}}}", self.common, json(&self.cans[idx])).into();
        self.frames[idx].get_or_init(make).clone()
    }
}

#[derive(Serialize)]
struct Told<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    version: u64,
    news: Vec<NewsData>,
    scene: Option<SceneData>,
    asked: Option<AskedData>,
    clocks_ms: Vec<u64>,
    offer: Option<OfferData>,
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    version: u64,
    snapshot: &'a MatchState,
}

/// What lists show of a match that runs.
#[derive(Serialize)]
pub(crate) struct Card<'a> {
    id: &'a str,
    /// The tournament it belongs to.
    tournament: Option<String>,
    game: &'a str,
    title: &'a str,
    seats: Vec<CardSeat>,
    ply: u64,
    viewers: usize,
    /// How it ended, in words.
    over: Option<String>,
    /// Who is to move.
    turn: Option<usize>,
    /// What is left on each clock.
    clocks_ms: Vec<u64>,
    scene: SceneData,
}

#[derive(Serialize)]
struct CardSeat {
    name: String,
    kind: Kind,
}

shape!(Card<'a> {
    id: &'a str,
    tournament: Option<String>,
    game: &'a str,
    title: &'a str,
    seats: Vec<CardSeat>,
    ply: u64,
    viewers: usize,
    over: Option<String>,
    turn: Option<usize>,
    clocks_ms: Vec<u64>,
    scene: SceneData,
});
shape!(CardSeat { name: String, kind: Kind });

pub(crate) fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("what we tell is JSON")
}

/// A whole picture of a match.
pub(crate) fn whole_frame(id: GameId, version: u64, snapshot: &MatchState) -> Utf8Bytes {
    json(&Whole { id: id.as_str(), version, snapshot }).into()
}

/// What lists show of a match.
pub(crate) fn card(
    (id, cup): (GameId, Option<TournamentId>),
    snapshot: &Snapshot,
    scene: &Scene,
    viewers: usize,
) -> Arc<str> {
    let seat = |entry: &rookery_referee::SeatEntry| CardSeat {
        name: entry.name.clone(),
        kind: Kind::of(&entry.player),
    };
    let card = Card {
        id: id.as_str(),
        tournament: cup.map(|id| id.to_string()),
        game: &snapshot.spec.game,
        title: scene.title,
        seats: snapshot.spec.seats.iter().map(seat).collect(),
        ply: snapshot.plies(),
        viewers,
        over: snapshot.verdict.as_ref().map(|verdict| snapshot.spec.sentence(verdict)),
        turn: snapshot.asked.map(|asked| asked.seat.index()),
        clocks_ms: clocks(snapshot, Instant::now()),
        scene: SceneData::from(scene).still(),
    };
    json(&card).into()
}

/// The scene after what happened: as many steps as there were, so that pieces keep their ids.
pub(crate) fn follow(scene: &mut Scene, news: &[News]) {
    for news in news {
        if let News::Happened(entry) = news
            && !matches!(entry.deed, Deed::Said(_))
        {
            let mut next = entry.position.scene();
            next.follow(scene);
            *scene = next;
        }
    }
}

/// What viewers are told of news. Where something stands in the list is known from the list as it is now.
pub(crate) fn tellable(news: &[News], snapshot: &Snapshot) -> Vec<NewsData> {
    let place = |entry: &Arc<rookery_live::Entry>| {
        let same = |other: &Arc<rookery_live::Entry>| Arc::ptr_eq(other, entry);
        snapshot.entries.iter().rposition(same)
    };
    let told = |news: &News| match news {
        News::Happened(entry) => {
            // What was taken back meanwhile is not told.
            let n = place(entry)?;
            Some(NewsData::Entry(Box::new(EntryData::new(n, entry, &snapshot.spec))))
        }
        News::TakenBack { seat, to, .. } => Some(NewsData::TakenBack { seat: seat.index(), to: *to }),
        News::Ended(verdict) => {
            let verdict = VerdictData::new(verdict, &snapshot.spec, Sight::default());
            Some(NewsData::Over(Box::new(verdict)))
        }
        News::Suspended => Some(NewsData::Suspended(true)),
        News::Asked(_) | News::Offer(_) | News::RecordFailed(_) => None,
    };
    news.iter().filter_map(told).collect()
}

/// The name for a seat, unlike all others.
pub(crate) fn free_name(spec: &MatchSpec, name: &str) -> String {
    let taken = |name: &str| spec.seats.iter().any(|entry| entry.name == name);
    let numbered = (2..).map(|n| format!("{name}#{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).expect("there are more numbers than seats")
}

/// Why a match does not count, by who sits there; those who are still to come may have names.
pub(crate) fn unrated(snapshot: &Snapshot, seats: &[Hold]) -> Option<&'static str> {
    let people = snapshot.spec.seats.iter().zip(seats).filter(|(entry, _)| entry.player.is_person());
    let owners: Vec<&Owner> = people.filter_map(|(_, hold)| hold.owner.as_ref()).collect();
    let has_guest = owners.iter().any(|owner| matches!(owner, Owner::Guest(_)));
    uncounted(&snapshot.spec).or_else(|| has_guest.then_some("a guest plays"))
}
