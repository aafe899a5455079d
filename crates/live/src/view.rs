//! What can be seen of a live match. The match tells it once; every viewer reads at its own pace.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rookery_catalog::AnyPosition;
use rookery_referee::{
    Charge, Clock, Event, EventOf, Foul, Info, MatchSpec, Offer, Question, TimeControl, Verdict,
};
use rookery_rules::{Keyed, Notation, Picture, Position, Seat};
use tokio::sync::watch;

use crate::handle::AnyDesk;

/// News that are kept for those who lag behind; who lags further gets a snapshot.
const KEPT: usize = 256;

/// One thing that happened in a match, and the position after it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose it is; nobody's if all agreed.
    pub seat: Option<Seat>,
    /// What.
    pub deed: Deed,
    /// How many moves were made by then.
    pub plies: u64,
    /// The position after it.
    pub position: Arc<dyn AnyPosition>,
}

/// What a seat did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// It moved.
    Moved {
        /// The move.
        text: String,
        /// What it cost.
        charge: Option<Charge>,
        /// What its player said about it.
        info: Option<Box<Info>>,
    },
    /// It said something.
    Said(String),
    /// It gave up.
    Resigned,
    /// It offended.
    Fouled(Box<Foul>),
    /// The players agreed on a draw.
    Drawn,
    /// Somebody proved its result: the seat wins, or nobody.
    Adjudicated,
}

impl Deed {
    /// The move, if it is one.
    pub fn as_move(&self) -> Option<&str> {
        if let Self::Moved { text, .. } = self { Some(text) } else { None }
    }
}

impl Entry {
    /// What an event says, if it belongs to the history of a match.
    pub(crate) fn of<P>(event: &EventOf<P>, plies: u64, position: &P) -> Option<Self>
    where
        P: Keyed + Notation + Picture,
    {
        let (seat, deed) = match event {
            Event::Moved { seat, mv, charge, info } => {
                (Some(*seat), Deed::Moved { text: mv.to_string(), charge: *charge, info: info.clone() })
            }
            Event::Said { seat, text } => (Some(*seat), Deed::Said(text.clone())),
            Event::Resigned { seat } => (Some(*seat), Deed::Resigned),
            Event::Fouled(foul) => (Some(foul.seat), Deed::Fouled(foul.clone())),
            Event::Drawn => (None, Deed::Drawn),
            Event::Adjudicated { winner } => (*winner, Deed::Adjudicated),
            Event::Started(_) | Event::TakenBack { .. } | Event::Ended(_) => return None,
        };
        Some(Self { seat, deed, plies, position: Arc::new(position.clone()) })
    }
}

/// Forgets what was taken back: the first move beyond, and all that came after it but what was said.
pub(crate) fn take_back(entries: &mut Vec<Arc<Entry>>, to: u64) {
    let is_beyond = |entry: &Arc<Entry>| entry.deed.as_move().is_some() && entry.plies > to;
    let Some(first) = entries.iter().position(is_beyond) else { return };
    let mut idx = 0;
    entries.retain(|entry| {
        idx += 1;
        idx <= first || matches!(entry.deed, Deed::Said(_))
    });
}

/// Something that a viewer may want to show.
#[derive(Clone, Debug)]
pub enum News {
    /// Something happened.
    Happened(Arc<Entry>),
    /// Moves were taken back: so many are left, and this is the position now.
    TakenBack {
        /// By whom.
        seat: Seat,
        /// How many moves are left.
        to: u64,
        /// The position now.
        position: Arc<dyn AnyPosition>,
    },
    /// A question was put.
    Asked(Asked),
    /// Somebody wants something that others must agree to, or no longer.
    Offer(Option<Offer>),
    /// The record cannot be written, for this reason.
    RecordFailed(String),
    /// The match is over.
    Ended(Arc<Verdict>),
    /// The match stops here, to go on later.
    Suspended,
}

/// A question that somebody thinks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Who.
    pub seat: Seat,
    /// How many moves were made when it was put.
    pub ply: u64,
    /// When it was put.
    pub since: Instant,
    /// How much time there was then; `None` without a clock.
    pub time: Option<Duration>,
}

/// How a match stands, all of it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Counts the news so far.
    pub version: u64,
    /// What was agreed.
    pub spec: Arc<MatchSpec>,
    /// The position in which it began.
    pub start: Arc<dyn AnyPosition>,
    /// Everything that happened and was not taken back.
    pub entries: Vec<Arc<Entry>>,
    /// The position now.
    pub position: Arc<dyn AnyPosition>,
    /// Who thinks.
    pub asked: Option<Asked>,
    /// What is left on each clock (of a bank: without the time for a move), the running one as it stood when its question
    /// was put; empty without a clock.
    pub clocks: Vec<Duration>,
    /// What waits for agreement.
    pub offer: Option<Offer>,
    /// How it ended.
    pub verdict: Option<Arc<Verdict>>,
    /// Whether it was stopped without a verdict.
    pub suspended: bool,
    /// Why its record is not as it should be.
    pub record_problem: Option<String>,
}

impl Snapshot {
    /// How many moves were made.
    pub fn plies(&self) -> u64 {
        self.entries.iter().rev().find(|entry| entry.deed.as_move().is_some()).map_or(0, |entry| entry.plies)
    }

    /// What is left of a seat's time at this moment; `None` without a clock.
    pub fn time_left(&self, seat: Seat, now: Instant) -> Option<Duration> {
        let left = *self.clocks.get(seat.index())?;
        match self.asked.filter(|asked| asked.seat == seat && self.verdict.is_none()) {
            Some(Asked { since, time: Some(time), .. }) => {
                Some(time.saturating_sub(now.saturating_duration_since(since)))
            }
            _ => Some(left),
        }
    }
}

/// What happened since some version.
#[derive(Clone, Debug)]
pub enum Since {
    /// All of it, in order; the version after it is the snapshot's that would be built now.
    News(u64, Vec<News>),
    /// Too much: this is how it stands.
    Snapshot(Arc<Snapshot>),
}

/// What a live match and its viewers share.
#[derive(Debug)]
pub(crate) struct Shared {
    spec: Arc<MatchSpec>,
    start: Arc<dyn AnyPosition>,
    state: Mutex<State>,
    /// Held while an offer is told.
    offers: Mutex<()>,
    version: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    version: u64,
    news: VecDeque<News>,
    entries: Vec<Arc<Entry>>,
    position: Arc<dyn AnyPosition>,
    asked: Option<Asked>,
    clocks: Vec<Duration>,
    offer: Option<Offer>,
    verdict: Option<Arc<Verdict>>,
    suspended: bool,
    record_problem: Option<String>,
    /// Built when somebody asked, and shared until something happens.
    snapshot: Option<Arc<Snapshot>>,
}

impl Shared {
    pub(crate) fn new(
        spec: Arc<MatchSpec>,
        start: Arc<dyn AnyPosition>,
        position: Arc<dyn AnyPosition>,
        entries: Vec<Arc<Entry>>,
        clock: &Clock,
    ) -> Self {
        let state = State {
            version: 1,
            news: VecDeque::new(),
            entries,
            position,
            asked: None,
            clocks: clocks(clock, spec.n_seats()),
            offer: None,
            verdict: None,
            suspended: false,
            record_problem: None,
            snapshot: None,
        };
        Self { spec, start, state: Mutex::new(state), offers: Mutex::new(()), version: watch::Sender::new(1) }
    }

    pub(crate) fn spec(&self) -> &Arc<MatchSpec> {
        &self.spec
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // It is whole at any time, also if somebody panicked with it in hand.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened, which changes the state like this.
    pub(crate) fn tell(&self, news: News) {
        let mut state = self.state();
        match &news {
            News::Happened(entry) => {
                state.position = Arc::clone(&entry.position);
                if !matches!(entry.deed, Deed::Said(_)) {
                    state.asked = None;
                }
                if let (Some(seat), Deed::Moved { charge: Some(charge), .. }) = (entry.seat, &entry.deed)
                    && let Some(left) = state.clocks.get_mut(seat.index())
                {
                    *left = charge.left;
                }
                state.entries.push(Arc::clone(entry));
            }
            News::TakenBack { to, position, .. } => {
                state.position = Arc::clone(position);
                state.asked = None;
                take_back(&mut state.entries, *to);
            }
            News::Asked(asked) => state.asked = Some(*asked),
            News::Offer(offer) => state.offer = *offer,
            News::RecordFailed(problem) => state.record_problem = Some(problem.clone()),
            News::Ended(verdict) => {
                state.verdict = Some(Arc::clone(verdict));
                state.asked = None;
            }
            News::Suspended => {
                state.suspended = true;
                state.asked = None;
            }
        }
        state.version += 1;
        state.snapshot = None;
        state.news.push_back(news);
        if state.news.len() > KEPT {
            state.news.pop_front();
        }
        let version = state.version;
        drop(state);
        // Two may tell something at the same time; the higher version stays.
        self.version.send_if_modified(|told| {
            let is_news = version > *told;
            *told = version.max(*told);
            is_news
        });
    }

    /// Tells what waits for agreement, if that has changed. Called after everything that may change it, so that the last
    /// caller tells how it stands.
    pub(crate) fn tell_offer(&self, desk: &dyn AnyDesk) {
        let _one_at_a_time = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        let offer = desk.offer();
        if offer != self.state().offer {
            self.tell(News::Offer(offer));
        }
    }

    /// The clocks as they stand when a question is put.
    pub(crate) fn set_clocks(&self, clock: &Clock) {
        let n_seats = self.spec.n_seats();
        self.state().clocks = clocks(clock, n_seats);
    }

    pub(crate) fn version(&self) -> u64 {
        self.state().version
    }

    /// Built once a version, of parts that are shared.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.state();
        if let Some(snapshot) = &state.snapshot {
            return Arc::clone(snapshot);
        }
        let snapshot = Arc::new(Snapshot {
            version: state.version,
            spec: Arc::clone(&self.spec),
            start: Arc::clone(&self.start),
            entries: state.entries.clone(),
            position: Arc::clone(&state.position),
            asked: state.asked,
            clocks: state.clocks.clone(),
            offer: state.offer,
            verdict: state.verdict.clone(),
            suspended: state.suspended,
            record_problem: state.record_problem.clone(),
        });
        state.snapshot = Some(Arc::clone(&snapshot));
        snapshot
    }

    pub(crate) fn since(&self, version: u64) -> Since {
        let state = self.state();
        let behind = state.version.saturating_sub(version);
        match usize::try_from(behind) {
            Ok(behind) if behind <= state.news.len() => {
                let from = state.news.len() - behind;
                Since::News(state.version, state.news.iter().skip(from).cloned().collect())
            }
            _ => {
                drop(state);
                Since::Snapshot(self.snapshot())
            }
        }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

fn clocks(clock: &Clock, n_seats: usize) -> Vec<Duration> {
    if clock.control() == TimeControl::Untimed {
        return vec![];
    }
    Seat::all(n_seats).filter_map(|seat| clock.left(seat)).collect()
}

/// The clocks after these entries of a match, as [`Snapshot::clocks`].
pub fn clocks_after(spec: &MatchSpec, entries: &[Arc<Entry>]) -> Vec<Duration> {
    let mut clock = Clock::new(spec.time, spec.n_seats());
    for entry in entries {
        if let (Some(seat), Deed::Moved { charge: Some(charge), .. }) = (entry.seat, &entry.deed) {
            clock.charge(seat, charge.used, true);
        }
    }
    clocks(&clock, spec.n_seats())
}

/// Tells what happens in a match of known types.
pub(crate) struct View {
    shared: Arc<Shared>,
    plies: u64,
}

impl View {
    pub(crate) fn new(shared: Arc<Shared>, plies: u64) -> Self {
        Self { shared, plies }
    }

    pub(crate) fn see<P: Keyed + Notation + Picture>(&mut self, event: &EventOf<P>, position: &P) {
        match event {
            Event::Moved { .. } => self.plies += 1,
            Event::TakenBack { to, .. } => self.plies = *to,
            _ => {}
        }
        let news = match event {
            Event::Started(_) => return,
            Event::TakenBack { seat, to } => {
                News::TakenBack { seat: *seat, to: *to, position: Arc::new(position.clone()) }
            }
            Event::Ended(verdict) => News::Ended(Arc::new(Verdict::clone(verdict))),
            event => match Entry::of(event, self.plies, position) {
                Some(entry) => News::Happened(Arc::new(entry)),
                None => return,
            },
        };
        self.shared.tell(news);
    }

    pub(crate) fn asked<P: Position>(&mut self, question: &Question<'_, P>) {
        self.shared.set_clocks(question.clock);
        self.shared.tell(News::Asked(Asked {
            seat: question.seat,
            ply: question.ply,
            since: Instant::now(),
            time: question.time,
        }));
    }

    pub(crate) fn tell_offer(&self, desk: &dyn AnyDesk) {
        self.shared.tell_offer(desk);
    }

    pub(crate) fn record_failed(&mut self, problem: &str) {
        self.shared.tell(News::RecordFailed(problem.to_owned()));
    }
}
