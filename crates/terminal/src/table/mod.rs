//! A viewer of a match: how it stands, and the place in its history that is looked at.

mod wishes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rookery_catalog::{AnyPosition, game};
use rookery_live::{Asked, Entry, LiveMatch, Prelude, Snapshot, Story, clocks_after, prelude};
use rookery_referee::{MatchSpec, Verdict};
use rookery_rules::scene::Move;
use rookery_rules::{GameSpec, Scene, Seat, Status};
use rookery_study::{Hint, Review};

pub use wishes::Undone;

use crate::hints::Hints;
use crate::matches::{self, Keep, Opened, Runner};

/// A match that is played here or looked at.
///
/// The match goes on by itself; a table holds how it stood when it was last [polled](Table::poll), and everything that is
/// shown follows from that and from the time. Which moment of its history is looked at is the table's alone.
#[derive(Debug)]
pub struct Table {
    /// Where matches run; without it there is only something to look at.
    runner: Option<Runner>,
    live: Option<LiveMatch>,
    snapshot: Arc<Snapshot>,
    /// The position before everything that is in the history.
    first: Arc<dyn AnyPosition>,
    /// The history: the moves of the opening, then everything that happened.
    steps: Vec<Arc<Entry>>,
    n_opening: usize,
    /// How many steps of the history are looked at; `None` for all, however many there will be.
    place: Option<usize>,
    record: Option<PathBuf>,
    /// What is wrong with the record, beside what the match tells.
    problem: Option<String>,
    notice: Option<String>,
    /// Where the records of matches go that begin here, if not beside this one.
    keep: Option<Keep>,
    keep_review: KeepReview,
    /// The question that stood when a command was given that has not shown its effect yet, and until when that is
    /// waited for.
    sent: Option<(Option<Asked>, Option<Instant>)>,
    hints: Hints,
}

/// Keeps the review of a record for later; an error says why it cannot.
pub type KeepReview = fn(&Path, &Review) -> Result<(), String>;

/// What has happened by itself.
#[derive(Clone, PartialEq, Debug)]
pub enum Announcement {
    /// Somebody who does not sit here has done something.
    Moved,
    /// Something else is new.
    Changed,
    /// A hint is there, or a better one.
    Hint(Hint),
}

impl Drop for Table {
    /// Programs that have come are told that there are no more games.
    fn drop(&mut self) {
        self.close();
        if let Some(runner) = self.runner.take() {
            runner.quit();
        }
    }
}

impl Table {
    /// A new match, which begins at once.
    pub fn begin(runner: impl Into<Runner>, spec: MatchSpec, keep: &Keep) -> Result<Self, String> {
        let runner = runner.into();
        let opened = matches::begin(&runner, spec, keep)?;
        Ok(Self::new(Some(runner), opened))
    }

    /// The match of a record, to go on with in the same file; one that is over is looked at.
    pub fn resume(runner: impl Into<Runner>, path: &Path) -> Result<Self, String> {
        let runner = runner.into();
        let opened = matches::resume(&runner, path)?;
        Ok(Self::new(Some(runner), opened))
    }

    /// The match of a record, to look at.
    pub fn read(path: &Path) -> Result<Self, String> {
        Ok(Self::new(None, matches::read(path)?))
    }

    /// The same, and matches that go on from its positions run where the runner says; their records go where `keep` says.
    pub fn look(
        runner: impl Into<Runner>,
        path: &Path,
        keep: impl FnOnce(&MatchSpec) -> Keep,
    ) -> Result<Self, String> {
        let mut table = Self::new(Some(runner.into()), matches::read(path)?);
        table.keep = Some(keep(table.spec()));
        Ok(table)
    }

    /// A position in which all seats are moved from here, and nothing is kept.
    pub(crate) fn trial(runner: &Runner, game: &str, position: &str) -> Result<Self, String> {
        // A runner of its own: when this table goes, the programs of other matches stay.
        let runner = Runner::from(runner.runtime());
        let opened = matches::begin(&runner, matches::trial(game, position)?, &Keep::No)?;
        Ok(Self::new(Some(runner), opened))
    }

    /// A match at one moment, to look at.
    pub fn still(snapshot: Snapshot) -> Self {
        Self::new(None, Opened::still(Arc::new(snapshot), None))
    }

    fn new(runner: Option<Runner>, opened: Opened) -> Self {
        let Opened { live, snapshot, record, problem, notice } = opened;
        let Prelude { first, entries: opening } = prelude(&snapshot.spec)
            .unwrap_or_else(|| Prelude { first: Arc::clone(&snapshot.start), entries: vec![] });
        let mut table = Self {
            runner,
            live,
            first,
            n_opening: opening.len(),
            steps: opening,
            snapshot: Arc::clone(&snapshot),
            place: None,
            record,
            problem,
            notice,
            keep: None,
            keep_review: |_, _| Ok(()),
            sent: None,
            hints: Hints::new(),
        };
        table.take(snapshot);
        table
    }

    /// Another match takes the place of this one, which is left as it is.
    fn replace(&mut self, opened: Opened) {
        self.close();
        let (keep, keep_review) = (self.keep.take(), self.keep_review);
        *self = Self::new(self.runner.take(), opened);
        (self.keep, self.keep_review) = (keep, keep_review);
    }

    /// The same with a place where reviews are kept.
    #[must_use]
    pub fn keeping_reviews(mut self, keep: KeepReview) -> Self {
        self.keep_review = keep;
        self
    }

    /// Keeps the review of the match, if a record of it is kept.
    pub(crate) fn keep_review(&self, review: &Review) -> Result<(), String> {
        self.record().map_or(Ok(()), |record| (self.keep_review)(record, review))
    }

    fn take(&mut self, snapshot: Arc<Snapshot>) {
        self.steps.truncate(self.n_opening);
        self.steps.extend(snapshot.entries.iter().cloned());
        self.snapshot = snapshot;
        // What was looked at may have been taken back.
        self.place = self.place.filter(|&place| place <= self.steps.len());
        let is_over = self.is_over();
        self.sent = self.sent.filter(|&(asked, _)| asked == self.snapshot.asked && !is_over);
    }

    /// What has happened by itself until now.
    pub fn poll(&mut self) -> Option<Announcement> {
        self.sent = self.sent.filter(|(_, until)| until.is_none_or(|until| Instant::now() < until));
        self.catch_up().or_else(|| self.hints.take().map(Announcement::Hint))
    }

    /// Looks at the match as it stands now. A hint that is being thought of is for how it stood before.
    fn catch_up(&mut self) -> Option<Announcement> {
        let live = self.live.as_ref().filter(|live| live.version() != self.snapshot.version)?;
        let snapshot = live.snapshot();
        let before = self.steps.len();
        self.hints.forget();
        self.take(snapshot);
        let new = self.steps.get(before..).unwrap_or_default();
        let by_others = new.iter().any(|entry| entry.seat.is_some_and(|seat| !self.is_here(seat)));
        Some(if by_others { Announcement::Moved } else { Announcement::Changed })
    }

    /// Waits until something has happened, at most so long, and says what.
    pub fn wait(&mut self, time: Duration) -> Option<Announcement> {
        if let Some(announcement) = self.poll() {
            return Some(announcement);
        }
        if self.hints.is_thinking() {
            return self.hints.wait(time).map(Announcement::Hint);
        }
        match (&self.runner, &self.live) {
            (Some(runner), Some(live)) => {
                let version = self.snapshot.version;
                // Whether there is anything new is seen below.
                let _ = runner
                    .runtime()
                    .block_on(async { tokio::time::timeout(time, live.changed(version)).await });
            }
            _ => std::thread::sleep(time),
        }
        self.poll()
    }

    /// The match as a story, and how many steps of the history come before it.
    pub(crate) fn story(&self) -> (Story, usize) {
        let Snapshot { spec, start, entries, verdict, .. } = &*self.snapshot;
        let story = Story {
            spec: Arc::clone(spec),
            start: Arc::clone(start),
            entries: entries.clone(),
            verdict: verdict.clone(),
        };
        (story, self.n_opening)
    }

    /// Where matches run, if they can.
    pub(crate) fn runner(&self) -> Option<&Runner> {
        self.runner.as_ref()
    }

    /// What was agreed before the match.
    pub fn spec(&self) -> &MatchSpec {
        &self.snapshot.spec
    }

    /// Where the record is, if one is kept.
    pub fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// Why the record is not as it should be.
    pub fn record_problem(&self) -> Option<&str> {
        self.snapshot.record_problem.as_deref().or(self.problem.as_deref())
    }

    /// Something to know about the record when the match goes on.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Whether the match goes on by itself.
    pub fn is_live(&self) -> bool {
        self.live.is_some() && !self.is_over()
    }

    fn is_over(&self) -> bool {
        self.snapshot.verdict.is_some() || self.snapshot.suspended
    }

    /// Whether something is under way that will be seen soon: a computer thinks, a command takes effect, a hint comes.
    pub fn is_busy(&self) -> bool {
        let waits_for_person = self.snapshot.asked.is_some_and(|asked| self.is_here(asked.seat));
        self.hints.is_awaited() || (self.is_live() && (self.sent.is_some() || !waits_for_person))
    }

    /// Whether a hint is being thought of, the first or a better one.
    pub fn is_hinting(&self) -> bool {
        self.hints.is_thinking()
    }

    /// The best hint so far for the position that stands.
    pub fn best_hint(&self) -> Option<&Hint> {
        self.hints.best()
    }

    /// The seat of the computer that thinks now, as far as it is seen.
    pub fn thinking(&self) -> Option<Seat> {
        let asked = self.snapshot.asked.filter(|_| self.is_present() && self.is_live())?;
        (!self.is_here(asked.seat)).then_some(asked.seat)
    }

    /// Whether a person of this screen sits there.
    pub(crate) fn is_here(&self, seat: Seat) -> bool {
        self.spec().seats.get(seat.index()).is_some_and(|entry| entry.player.is_person())
    }

    pub(crate) fn persons(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.spec().n_seats()).filter(|&seat| self.is_here(seat))
    }

    /// The question to a person here.
    fn question(&self) -> Option<Asked> {
        let is_open = self.is_live() && self.sent.is_none();
        self.snapshot.asked.filter(|asked| is_open && self.is_here(asked.seat))
    }

    /// The seat of the person to move, if the present is looked at.
    pub fn person_to_move(&self) -> Option<Seat> {
        self.question().filter(|_| self.is_present()).map(|asked| asked.seat)
    }

    /// Whose wishes are told: of the person to move, or of the only one.
    fn speaker(&self) -> Option<Seat> {
        let mut persons = self.persons();
        let only = persons.next().filter(|_| persons.next().is_none());
        self.question().map(|asked| asked.seat).or(only)
    }

    /// Who sits at a seat, for people: `you`, or the player's name.
    pub fn player(&self, seat: Seat) -> String {
        let is_only = self.is_here(seat) && self.persons().count() == 1;
        match self.spec().seats.get(seat.index()) {
            Some(_) if is_only => "you".to_owned(),
            Some(entry) => crate::clean(&entry.name),
            None => String::new(),
        }
    }
}

/// The history, and the moment of it that is looked at.
impl Table {
    /// How many steps of the history are looked at.
    fn n_shown(&self) -> usize {
        self.place.unwrap_or(self.steps.len())
    }

    /// What happened until the moment that is looked at.
    pub fn history(&self) -> &[Arc<Entry>] {
        &self.steps[..self.n_shown()]
    }

    /// Everything that happened, also beyond the moment that is looked at.
    pub(crate) fn steps(&self) -> &[Arc<Entry>] {
        &self.steps
    }

    /// How many moves there are in the history, also beyond the moment that is looked at.
    pub fn n_moves(&self) -> usize {
        self.steps.iter().filter(|entry| entry.deed.as_move().is_some()).count()
    }

    /// Whether the present is looked at.
    pub fn is_present(&self) -> bool {
        self.n_shown() == self.steps.len()
    }

    /// One step back, or forth. Whether there was one.
    pub fn step(&mut self, forward: bool) -> bool {
        let shown = self.n_shown();
        let to = if forward { Some(shown + 1) } else { shown.checked_sub(1) };
        let to = to.filter(|&to| to <= self.steps.len());
        self.place = to.or(self.place);
        to.is_some()
    }

    /// To the moment after so many steps of the history.
    pub fn go_to(&mut self, n_steps: usize) {
        self.place = Some(n_steps.min(self.steps.len()));
    }

    /// To the first moment.
    pub fn to_start(&mut self) {
        self.place = Some(0);
    }

    /// To the present, and along with it.
    pub fn to_present(&mut self) {
        self.place = None;
    }

    pub(crate) fn position_after(&self, n_steps: usize) -> &Arc<dyn AnyPosition> {
        n_steps
            .checked_sub(1)
            .and_then(|last| self.steps.get(last))
            .map_or(&self.first, |entry| &entry.position)
    }

    /// The position that is looked at.
    pub fn position(&self) -> &dyn AnyPosition {
        if self.is_present() { &*self.snapshot.position } else { &**self.position_after(self.n_shown()) }
    }

    /// The last move before it, as one sees it on the board.
    pub fn last_move(&self) -> Option<Move> {
        let history = self.history();
        let at = history.iter().rposition(|entry| entry.deed.as_move().is_some())?;
        let text = history[at].deed.as_move()?;
        self.position_after(at).scene().find_move(text).cloned()
    }

    /// Whose turn it is at the moment that is looked at.
    pub fn to_move(&self) -> Option<Seat> {
        match self.position().status() {
            Status::ToMove(seat) if self.verdict().is_none() => Some(seat),
            _ => None,
        }
    }

    /// How the match ended, if its end is looked at.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.snapshot.verdict.as_deref().filter(|_| self.is_present())
    }

    /// What is left of a seat's time at the moment that is looked at; `None` without a clock.
    pub fn time_left(&self, seat: Seat, now: Instant) -> Option<Duration> {
        if self.is_present() {
            return self.snapshot.time_left(seat, now);
        }
        let entries = self.history().get(self.n_opening..).unwrap_or_default();
        clocks_after(self.spec(), entries).get(seat.index()).copied()
    }

    /// The scene of the position that is looked at.
    pub fn scene(&self) -> Scene {
        self.position().scene()
    }

    /// The game's rules, in Markdown.
    pub fn rules(&self) -> &'static str {
        let spec = GameSpec::parse(&self.spec().game);
        spec.and_then(|spec| game(&spec.game)).map_or("", rookery_catalog::AnyGame::rules)
    }
}
