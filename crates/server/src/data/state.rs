//! How a match stands, as JSON, for somebody who looks at it.

use std::time::{Duration, Instant};

use rookery_live::{Asked, Deed, Entry, Snapshot};
use rookery_referee::{Evidence, Info, MatchSpec, Offer, SeatSpec, Verdict, words};
use rookery_rules::{Seat, Seats};
use serde::Serialize;

use super::{Can, SceneData};

/// The most bytes that a state has of what players said of their moves.
const MOST_INFO: usize = 1 << 20;

/// How a match stands.
#[derive(Clone, Debug, Serialize)]
pub struct MatchState {
    /// The match.
    pub id: String,
    /// Counts its news.
    pub version: u64,
    /// The game spec.
    pub game: String,
    /// The game's name for people.
    pub title: &'static str,
    /// Whether hints and take-backs are possible.
    pub casual: bool,
    /// Why it does not count for ratings; it does if there is nothing.
    pub unrated: Option<&'static str>,
    /// Whether whoever looks on is told how good the position is, while it runs.
    pub evaluated: bool,
    /// The time control.
    pub time: String,
    /// In turn order.
    pub seats: Vec<SeatData>,
    /// The seat of whoever looks.
    pub you: Option<usize>,
    /// How many moves were made.
    pub ply: u64,
    /// The newest scene.
    pub scene: SceneData,
    /// Everything that happened and stands.
    pub entries: Vec<EntryData>,
    /// Who thinks.
    pub asked: Option<AskedData>,
    /// What is left on each clock.
    pub clocks_ms: Vec<u64>,
    /// What waits for agreement.
    pub offer: Option<OfferData>,
    /// How it ended.
    pub over: Option<VerdictData>,
    /// Whether it was stopped, to go on later.
    pub suspended: bool,
    /// The seats that nobody has taken yet; it begins when there are none.
    pub waiting: Vec<usize>,
    /// The match that was begun after it.
    pub rematch: Option<String>,
    /// Who plays it where other machines do, and whether it was taken over.
    pub note: Option<String>,
    /// The tournament it belongs to.
    pub tournament: Option<String>,
    /// How many look on.
    pub viewers: usize,
    /// What whoever looks can do.
    pub can: Can,
}

impl MatchState {
    /// Whether whoever looks plays in it, and it is not over.
    pub fn is_played(&self) -> bool {
        self.you.is_some() && self.over.is_none()
    }
}

/// Who sits somewhere.
#[derive(Clone, Debug, Serialize)]
pub struct SeatData {
    /// The name.
    pub name: String,
    /// What the game calls the seat.
    pub label: String,
    /// What kind of player.
    pub kind: Kind,
    /// Whether it is whoever looks.
    pub you: bool,
    /// Whether a person is there; `null` for others.
    pub online: Option<bool>,
    /// Who is away: for how long it is still waited for until the others may end the match; `null` where a clock decides.
    pub back_ms: Option<u64>,
    /// Whether it is out of the match.
    pub out: bool,
}

/// What kind of player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Somebody at a screen.
    Person,
    /// One of our own.
    Computer,
    /// A program of somebody else.
    Bot,
}

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
pub struct EntryData {
    /// Its place in the list, from 0.
    pub n: usize,
    /// How many moves were made by then.
    pub ply: u64,
    /// Whose it is.
    pub seat: Option<usize>,
    /// What it is: `moved`, `said`, `resigned`, `fouled`, `drawn`.
    pub kind: &'static str,
    /// The move, or what was said.
    pub text: String,
    /// How long it took.
    pub ms: Option<u64>,
    /// What was left on the clock then.
    pub left_ms: Option<u64>,
    /// What the player said about its move.
    pub info: Option<Info>,
    /// What happened, in words, where the move alone does not say it.
    pub sentence: Option<String>,
}

/// Who thinks.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct AskedData {
    /// Who.
    pub seat: usize,
    /// How many moves were made when it was asked.
    pub ply: u64,
    /// What is left of its time now.
    pub left_ms: Option<u64>,
    /// For how long it has thought.
    pub running_ms: u64,
}

/// What waits for agreement.
#[derive(Clone, Debug, Serialize)]
pub struct OfferData {
    /// `draw` or `take_back`.
    pub kind: &'static str,
    /// Who asks.
    pub by: usize,
    /// How many moves would be left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// Who may have to agree.
    pub waits_for: Vec<usize>,
}

/// How a match ended.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictData {
    /// In words.
    pub sentence: String,
    /// Why, in one word.
    pub cause: &'static str,
    /// Whose fault.
    pub blame: Option<&'static str>,
    /// Who won.
    pub winners: Vec<usize>,
    /// By seat.
    pub scores: Option<Vec<i32>>,
    /// By seat, from 1; equal scores share a place.
    pub places: Option<Vec<usize>>,
    /// Who resigned or offended.
    pub offender: Option<usize>,
    /// What speaks for it.
    pub evidence: Option<EvidenceData>,
}

/// What speaks against a player.
#[derive(Clone, Debug, Serialize)]
pub struct EvidenceData {
    /// What was sent.
    pub sent: Option<String>,
    /// What it was about.
    pub note: String,
    /// What would have been right.
    pub expected: Option<String>,
    /// The moves that were legal.
    pub legal: Vec<String>,
    /// How its program ended.
    pub exit: Option<String>,
    /// The last it wrote to its standard error; for its owner and the operator.
    pub stderr: Option<String>,
}

/// News of a match.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsData {
    /// Something happened.
    Entry(Box<EntryData>),
    /// Moves were taken back.
    TakenBack {
        /// By whom.
        seat: usize,
        /// How many are left.
        to: u64,
    },
    /// It is over.
    Over(Box<VerdictData>),
    /// It stops here, to go on later.
    Suspended(bool),
    /// A person came or left.
    Presence {
        /// At which seat.
        seat: usize,
        /// Whether it is there now.
        online: bool,
        /// For how long it is waited for, if it is not.
        back_ms: Option<u64>,
    },
    /// Another match was begun by the same players.
    Rematch {
        /// Its id.
        #[serde(rename = "match")]
        id: String,
    },
}

/// What somebody may see of a match.
#[derive(Clone, Copy, Default, Debug)]
pub struct Sight {
    /// Its own seat.
    pub seat: Option<Seat>,
    /// Whether it may read what programs wrote to their standard error.
    pub may_read_stderr: bool,
}

impl Kind {
    /// The kind of whoever is seated by this spec.
    pub fn of(seat: &SeatSpec) -> Self {
        match seat {
            SeatSpec::Human => Self::Person,
            SeatSpec::BuiltIn(_) => Self::Computer,
            _ => Self::Bot,
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl EntryData {
    /// The entry at this place of a match.
    pub fn new(n: usize, entry: &Entry, spec: &MatchSpec) -> Self {
        let who = |seat: Seat| spec.who(seat);
        let own = || entry.seat.map(who).unwrap_or_default();
        let (mut ms, mut left_ms, mut said) = (None, None, None);
        let (kind, text, sentence) = match &entry.deed {
            Deed::Moved { text, charge, info } => {
                ms = charge.map(|charge| millis(charge.used));
                left_ms = charge.map(|charge| millis(charge.left));
                said = info.as_deref().cloned();
                ("moved", text.clone(), None)
            }
            Deed::Said(text) => ("said", text.clone(), None),
            Deed::Resigned => ("resigned", String::new(), Some(format!("{} resigned", own()))),
            Deed::Fouled(foul) => {
                let sent = foul.evidence.sent.clone().unwrap_or_default();
                // What a program wrote to its standard error is for its owner alone.
                let mut shown = foul.clone();
                shown.evidence.stderr = None;
                ("fouled", sent, Some(words::foul(&shown, &who)))
            }
            Deed::Drawn => ("drawn", String::new(), Some("the players agreed on a draw".to_owned())),
            Deed::Adjudicated => ("adjudicated", String::new(), Some("the result is proved".to_owned())),
        };
        let seat = entry.seat.map(Seat::index);
        Self { n, ply: entry.plies, seat, kind, text, ms, left_ms, info: said, sentence }
    }

    /// All entries of a match.
    pub fn all(snapshot: &Snapshot) -> Vec<Self> {
        let entries = snapshot.entries.iter().enumerate();
        let mut all: Vec<Self> = entries.map(|(n, entry)| Self::new(n, entry, &snapshot.spec)).collect();
        // Of a long match in which much was said of moves the last words are enough: all of it has to go into one message.
        let mut room = MOST_INFO;
        for entry in all.iter_mut().rev() {
            let bytes = entry.info.as_ref().map_or(0, Info::bytes);
            room = room.saturating_sub(bytes);
            if room == 0 {
                entry.info = None;
            }
        }
        all
    }
}

impl AskedData {
    /// Who thinks, as it is now.
    pub fn new(asked: &Asked, now: Instant) -> Self {
        let running = now.saturating_duration_since(asked.since);
        Self {
            seat: asked.seat.index(),
            ply: asked.ply,
            left_ms: asked.time.map(|time| millis(time.saturating_sub(running))),
            running_ms: millis(running),
        }
    }
}

impl OfferData {
    /// What waits, and for whom.
    pub fn new(offer: Offer, spec: &MatchSpec, out: Seats) -> Self {
        let by = offer.from();
        let asked =
            |seat: &Seat| *seat != by && !out.contains(*seat) && spec.seats[seat.index()].player.is_person();
        let waits_for = Seat::all(spec.n_seats()).filter(asked).map(Seat::index).collect();
        let (kind, to) = match offer {
            Offer::TakeBack { to, .. } => ("take_back", Some(to)),
            Offer::Draw { .. } => ("draw", None),
        };
        Self { kind, by: by.index(), to, waits_for }
    }
}

impl VerdictData {
    /// How a match ended, for somebody who may see so much of it.
    pub fn new(verdict: &Verdict, spec: &MatchSpec, sight: Sight) -> Self {
        let ending = &verdict.ending;
        let mut shown = verdict.clone();
        if let Some(evidence) = shown.ending.evidence.as_mut().filter(|_| !sight.may_read_stderr) {
            evidence.stderr = None;
        }
        let scores: Option<Vec<i32>> =
            verdict.outcome.as_ref().map(|outcome| outcome.scores.as_slice().to_vec());
        let places = scores.as_ref().map(|scores| {
            scores.iter().map(|score| 1 + scores.iter().filter(|other| *other > score).count()).collect()
        });
        Self {
            sentence: spec.sentence(&shown),
            cause: ending.cause.word(),
            blame: ending.blame().map(rookery_referee::Blame::word),
            winners: verdict
                .outcome
                .iter()
                .flat_map(|outcome| outcome.winners.iter())
                .map(Seat::index)
                .collect(),
            scores,
            places,
            offender: ending.seat.map(Seat::index),
            evidence: shown.ending.evidence.as_deref().map(EvidenceData::from),
        }
    }
}

impl From<&Evidence> for EvidenceData {
    fn from(evidence: &Evidence) -> Self {
        let Evidence { sent, note, expected, legal, refused: _, exit, stderr } = evidence.clone();
        Self { sent, note, expected, legal, exit, stderr }
    }
}

/// The seats that are out of a match.
pub(super) fn out(snapshot: &Snapshot) -> Seats {
    let is_out = |entry: &&std::sync::Arc<Entry>| match &entry.deed {
        Deed::Resigned => true,
        Deed::Fouled(foul) => foul.ruling != rookery_referee::Ruling::AskAgain,
        Deed::Moved { .. } | Deed::Said(_) | Deed::Drawn | Deed::Adjudicated => false,
    };
    snapshot.entries.iter().filter(is_out).filter_map(|entry| entry.seat).collect()
}

impl SeatData {
    /// Who sits where, and whether persons are there.
    pub fn all(snapshot: &Snapshot, you: Option<Seat>, around: &Around<'_>) -> Vec<Self> {
        let out = out(snapshot);
        let seat = |(seat, entry): (Seat, &rookery_referee::SeatEntry)| Self {
            name: entry.name.clone(),
            label: entry.label.clone(),
            kind: Kind::of(&entry.player),
            you: you == Some(seat),
            online: entry
                .player
                .is_person()
                .then(|| around.online.get(seat.index()).copied().unwrap_or_default()),
            back_ms: around.back_ms.get(seat.index()).copied().flatten(),
            out: out.contains(seat),
        };
        Seat::all(snapshot.spec.n_seats()).zip(&snapshot.spec.seats).map(seat).collect()
    }
}

/// What a table knows of a match beside its snapshot.
#[derive(Clone, Debug)]
pub struct Around<'a> {
    /// The match.
    pub id: &'a str,
    /// Counts the news of the table.
    pub version: u64,
    /// Whether persons are there, by seat.
    pub online: &'a [bool],
    /// For how long those who are away are waited for, by seat.
    pub back_ms: &'a [Option<u64>],
    /// How many look on.
    pub viewers: usize,
    /// The seats that nobody has taken.
    pub waiting: &'a [usize],
}

impl MatchState {
    /// How a match stands, for somebody who may see so much of it.
    pub fn new(snapshot: &Snapshot, scene: SceneData, around: &Around<'_>, sight: Sight) -> Self {
        let now = Instant::now();
        let spec = &snapshot.spec;
        let running = snapshot.verdict.is_none() && !snapshot.suspended;
        Self {
            id: around.id.to_owned(),
            version: around.version,
            game: spec.game.clone(),
            title: scene.title,
            casual: spec.casual,
            unrated: crate::ladders::uncounted(spec),
            evaluated: false,
            time: spec.time.to_string(),
            seats: SeatData::all(snapshot, sight.seat, around),
            you: sight.seat.map(Seat::index),
            ply: snapshot.plies(),
            scene: if running { scene } else { scene.still() },
            entries: EntryData::all(snapshot),
            asked: snapshot.asked.as_ref().map(|asked| AskedData::new(asked, now)),
            clocks_ms: clocks(snapshot, now),
            offer: snapshot.offer.map(|offer| OfferData::new(offer, spec, out(snapshot))),
            over: snapshot.verdict.as_ref().map(|verdict| VerdictData::new(verdict, spec, sight)),
            suspended: snapshot.suspended,
            waiting: around.waiting.to_vec(),
            rematch: None,
            note: None,
            tournament: None,
            viewers: around.viewers,
            can: if around.waiting.is_empty() { Can::of(snapshot, sight.seat) } else { Can::default() },
        }
    }
}

/// What is left on each clock now.
pub(crate) fn clocks(snapshot: &Snapshot, now: Instant) -> Vec<u64> {
    let seats = Seat::all(snapshot.spec.n_seats());
    seats.filter_map(|seat| snapshot.time_left(seat, now)).map(millis).collect()
}

/// What waits for agreement in a match.
pub(crate) fn offer(snapshot: &Snapshot) -> Option<OfferData> {
    snapshot.offer.map(|offer| OfferData::new(offer, &snapshot.spec, out(snapshot)))
}
