//! A prepared match: types inside, none outside.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rookery_bots::BotCodec;
use rookery_catalog::{AnyPosition, Game, PlayerError, Visit, strategy, visit};
use rookery_record::{Cut, Receipt, RecordWriter, Sink, Slot};
use rookery_referee::{
    Absent, Controls, Desk, End, EventOf, LagProbe, MatchSpec, Observer, Player, Question, Referee, Session,
    Strategist, Terms, TimeControl, play,
};
use rookery_rules::{GameSpec, Keyed, Notation, Picture, Position, PositionOf, Seat, Setup as _, SetupError};
use rookery_search::Strategy;
use rookery_wire::{Protocols, Remote, UnknownProtocol};

use crate::begin::{Begun, begin};
use crate::handle::{AnyDesk, LiveMatch};
use crate::hurry::{Hurried, Hurry};
use crate::view::{Entry, Shared, View};
use crate::{Guest, News};

/// A match that cannot be played as agreed.
#[derive(Debug)]
pub enum PrepareError {
    /// The game spec is wrong.
    Setup(SetupError),
    /// The start is wrong, or the number of seats.
    Start(String),
    /// A player is wrong: which seat, and why.
    Player(Seat, PlayerError),
    /// The seat's protocol is not known for this game.
    Protocol(Seat, String),
    /// There is a record already that does not fit.
    Record(PathBuf, String),
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Start(error) | Self::Protocol(_, error) => f.write_str(error),
            Self::Player(_, error) => error.fmt(f),
            // The record of a match that is over has come without its path.
            Self::Record(path, problem) if path.as_os_str().is_empty() => f.write_str(problem),
            Self::Record(path, problem) => write!(f, "{}: {problem}", path.display()),
        }
    }
}

impl std::error::Error for PrepareError {}

/// What came of a match.
#[derive(Debug)]
pub struct Played {
    /// How it ended, or that it was stopped on the way.
    pub end: End,
    /// Where its record is.
    pub path: Option<PathBuf>,
    /// Comes when the record is on the disk.
    pub receipt: Option<Receipt>,
    /// Why the record is not whole.
    pub problem: Option<String>,
    /// What an earlier run had left of the record that could not be read.
    pub cut: Option<Cut>,
}

/// A match that is ready: [`run`](Match::run) plays it on this thread, [`start`](Match::start) makes it live. Both give the
/// same record.
pub struct Match {
    spec: Arc<MatchSpec>,
    controls: Controls,
    terms: Terms,
    game: Box<dyn Prepared>,
}

impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// Makes a match of a spec and its guests, one for each seat, ready to begin, or to go on where its record stops.
///
/// # Panics
/// If there is not one guest for each seat of the spec, or one of one's own is for another game.
pub fn prepare(
    spec: MatchSpec,
    guests: Vec<Guest>,
    protocols: &Protocols,
    slot: Option<Slot>,
) -> Result<Match, PrepareError> {
    assert_eq!(guests.len(), spec.n_seats(), "there is one guest for each seat");
    let game = GameSpec::parse(&spec.game).map_err(PrepareError::Setup)?;
    let spec = Arc::new(spec);
    let controls = Controls::default();
    let preparing =
        Preparing { spec: Arc::clone(&spec), guests, protocols, slot, controls: controls.clone() };
    let game = visit(&game.game, preparing).map_err(PrepareError::Setup)??;
    Ok(Match { spec, controls, terms: Terms::default(), game })
}

impl Match {
    /// The same with other tolerances of ours.
    #[must_use]
    pub fn with_terms(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// The same, watched by an observer that knows the positions of its game. It sees what happens from now on, after the
    /// record and before the players; several see it in the order they came.
    ///
    /// ```
    /// use rookery_games::hexapawn::Position;
    /// use rookery_live::{Guest, prepare};
    /// use rookery_referee::{EventOf, MatchSpec, Observer};
    /// use rookery_rules::Seed;
    /// use rookery_wire::Protocols;
    ///
    /// struct Tell(std::sync::mpsc::Sender<EventOf<Position>>);
    ///
    /// impl Observer<Position> for Tell {
    ///     fn see(&mut self, event: &EventOf<Position>, _: &Position) {
    ///         let _ = self.0.send(event.clone());
    ///     }
    /// }
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    /// # runtime.block_on(async {
    /// let spec = MatchSpec::new("hexapawn", ["first", "random"], Seed(7))?;
    /// let guests = Guest::built_in(&spec)?;
    /// let (sender, events) = std::sync::mpsc::channel();
    /// let ready = prepare(spec, guests, &Protocols::default(), None)?.with_observer(Tell(sender));
    /// ready.run().await;
    /// assert!(events.iter().count() > 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the match is of a game with other positions.
    #[must_use]
    pub fn with_observer<P: Position>(mut self, observer: impl Observer<P> + Send + 'static) -> Self {
        let observer: Watcher<P> = Box::new(observer);
        assert!(self.game.watch(Box::new(observer)), "{} has other positions", self.spec.game);
        self
    }

    /// What was agreed.
    pub fn spec(&self) -> &Arc<MatchSpec> {
        &self.spec
    }

    /// The way to stop it, also before it runs.
    pub fn controls(&self) -> Controls {
        self.controls.clone()
    }

    /// Plays it here. Built-ins think on this thread, unless there is a clock.
    pub async fn run(self) -> Played {
        self.game.go(self.terms, None).await
    }

    /// Makes it live: it goes on by itself from now on.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn start(self) -> LiveMatch {
        let shared = Arc::new(self.game.shared(&self.spec));
        let desk = self.game.desk();
        let hurry = Hurry::default();
        let going = self.game.go(self.terms, Some((Arc::clone(&shared), hurry.clone())));
        LiveMatch::start(shared, desk, self.controls, hurry, going)
    }
}

/// Somebody who watches, and knows the game.
type Watcher<P> = Box<dyn Observer<P> + Send>;

type Going = rookery_referee::BoxFuture<'static, Played>;

/// A match with its types inside.
trait Prepared: Send {
    /// Plays it to the end; a live match with what its viewers share, and the way to hurry whoever thinks.
    fn go(self: Box<Self>, terms: Terms, live: Option<(Arc<Shared>, Hurry)>) -> Going;
    /// Takes a [`Watcher`] of its own positions; `false` if it is one of others.
    fn watch(&mut self, watcher: Box<dyn Any>) -> bool;
    /// What viewers share.
    fn shared(&self, spec: &Arc<MatchSpec>) -> Shared;
    /// Where commands go.
    fn desk(&self) -> Arc<dyn AnyDesk>;
}

struct Preparing<'a> {
    spec: Arc<MatchSpec>,
    guests: Vec<Guest>,
    protocols: &'a Protocols,
    slot: Option<Slot>,
    controls: Controls,
}

type Seating<P> = Box<dyn FnOnce(&LagProbe) -> Box<dyn Player<P>> + Send>;

/// Whoever sits at a seat, with what it takes to play.
enum Seated<P: Position> {
    BuiltIn {
        strategy: Box<dyn Strategy<P>>,
        quick: bool,
    },
    Person,
    /// Its link, and what seats it there once the time runs.
    Program(Seating<P>),
    Own(Box<dyn Player<P>>),
    Absent(Absent),
}

struct Typed<P: Position> {
    spec: Arc<MatchSpec>,
    seated: Vec<Seated<P>>,
    start: P,
    referee: Referee<P>,
    /// All moves so far, those of an opening included.
    moves: Vec<P::Move>,
    entries: Vec<Arc<Entry>>,
    record: Option<RecordWriter<Sink>>,
    path: Option<PathBuf>,
    cut: Option<Cut>,
    controls: Controls,
    desk: Desk<P>,
    watchers: Vec<Watcher<P>>,
    /// The match is over already.
    finished: Option<rookery_referee::Verdict>,
}

impl Visit for Preparing<'_> {
    type Out = Result<Box<dyn Prepared>, PrepareError>;

    fn visit<G: Game>(self) -> Self::Out {
        let Self { spec, guests, protocols, slot, controls } = self;
        let begun = begin::<G>(&spec, slot)?;
        let mut seated = Vec::with_capacity(guests.len());
        for (seat, guest) in Seat::all(guests.len()).zip(guests) {
            seated.push(seat_one::<G>(seat, guest, protocols)?);
        }
        let Begun { start, referee, moves, entries, movers, record, path, cut, finished } = begun;
        let desk = Desk::new(&spec, controls.clone(), movers).with_take_backs(referee.take_backs());
        Ok(Box::new(Typed {
            spec,
            seated,
            start,
            referee,
            moves,
            entries,
            record,
            path,
            cut,
            controls,
            desk,
            watchers: vec![],
            finished,
        }))
    }
}

fn seat_one<G: Game>(
    seat: Seat,
    guest: Guest,
    protocols: &Protocols,
) -> Result<Seated<PositionOf<G>>, PrepareError> {
    Ok(match guest {
        Guest::BuiltIn(player) => {
            let (strategy, info) =
                strategy::<G>(&player).map_err(|error| PrepareError::Player(seat, error))?;
            Seated::BuiltIn { strategy, quick: info.quick }
        }
        Guest::Person => Seated::Person,
        Guest::Linked(lent, protocol) => {
            let unknown = |error: UnknownProtocol| PrepareError::Protocol(seat, error.to_string());
            let seating = protocols.get::<PositionOf<G>>(protocol).map_err(unknown)?;
            Seated::Program(Box::new(move |lag| seating(lent, lag)))
        }
        Guest::Bot(lent, greeting) => match greeting.plays(G::Setup::GAME) {
            Ok(()) => Seated::Program(Box::new(move |lag| {
                Box::new(Remote::new(lent, BotCodec::<PositionOf<G>>::new(greeting)).with_lag(lag.clone()))
            })),
            Err(fault) => Seated::Absent(Absent(fault)),
        },
        Guest::Own(player) => {
            Seated::Own(player.take().expect("whoever makes a player makes it for the game of the match"))
        }
        Guest::Absent(fault) => Seated::Absent(Absent(fault)),
    })
}

/// Everybody who watches a match from our side.
struct Watching<P: Position> {
    record: Option<RecordWriter<Sink>>,
    /// Whether somebody was told that the record cannot be written.
    told: bool,
    desk: Option<Desk<P>>,
    view: Option<View>,
    watchers: Vec<Watcher<P>>,
}

impl<P: Keyed + Notation + Picture> Observer<P> for Watching<P> {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        if let Some(record) = &mut self.record {
            Observer::<P>::see(record, event, position);
            if let (Some(error), Some(view), false) = (record.error(), &mut self.view, self.told) {
                self.told = true;
                view.record_failed(&error.to_string());
            }
        }
        if let Some(desk) = &mut self.desk {
            desk.see(event, position);
        }
        if let Some(view) = &mut self.view {
            view.see(event, position);
            if let Some(desk) = &self.desk {
                view.tell_offer(desk);
            }
        }
        for watcher in &mut self.watchers {
            watcher.see(event, position);
        }
    }

    fn asked(&mut self, question: &Question<'_, P>) {
        if let Some(desk) = &mut self.desk {
            desk.asked(question);
        }
        if let Some(view) = &mut self.view {
            view.asked(question);
        }
        for watcher in &mut self.watchers {
            watcher.asked(question);
        }
    }
}

impl<P: Keyed + Notation + Picture> Prepared for Typed<P> {
    fn go(self: Box<Self>, mut terms: Terms, live: Option<(Arc<Shared>, Hurry)>) -> Going {
        Box::pin(async move {
            let (shared, hurry) = live.unzip();
            let Self {
                spec,
                seated,
                start,
                referee,
                moves,
                record,
                path,
                cut,
                controls,
                desk,
                watchers,
                finished,
                ..
            } = *self;
            if let Some(verdict) = finished {
                desk.close();
                if let Some(shared) = shared {
                    shared.tell(News::Ended(Arc::new(verdict.clone())));
                }
                return Played { end: End::Verdict(verdict), path, receipt: None, problem: None, cut };
            }
            let timed = spec.time != TimeControl::Untimed;
            if timed && !terms.lag.is_running() {
                terms.lag = LagProbe::start();
            }
            let needs_desk = hurry.is_some() || seated.iter().any(|seat| matches!(seat, Seated::Person));
            let mut watching = Watching {
                record,
                told: false,
                desk: needs_desk.then(|| desk.clone()),
                view: shared.clone().map(|shared| View::new(shared, referee.plies())),
                watchers,
            };
            let thinking = match hurry {
                Some(hurry) => Thinking::Hurried(hurry),
                None if timed => Thinking::Pooled,
                None => Thinking::Inline,
            };
            let mut players: Vec<Box<dyn Player<P>>> =
                seated.into_iter().map(|seated| player(seated, &desk, &spec, &thinking, &terms)).collect();
            let session =
                Session { spec: &spec, terms: &terms, moves: &moves, start: Some(&start), controls };
            let end = play(referee, &mut players, &session, &mut watching).await;
            drop(players);
            desk.close();
            if let (End::Suspended, Some(shared)) = (&end, shared) {
                shared.tell_offer(&desk);
                shared.tell(News::Suspended);
            }
            let (mut receipt, mut problem) = (None, None);
            match watching.record.map(RecordWriter::finish) {
                None => {}
                Some(Ok(sink)) => receipt = Some(sink.finish()),
                Some(Err(error)) => problem = Some(error.to_string()),
            }
            Played { end, path, receipt, problem, cut }
        })
    }

    fn watch(&mut self, watcher: Box<dyn Any>) -> bool {
        let watcher = watcher.downcast::<Watcher<P>>();
        watcher.map(|watcher| self.watchers.push(*watcher)).is_ok()
    }

    fn shared(&self, spec: &Arc<MatchSpec>) -> Shared {
        let start: Arc<dyn AnyPosition> = Arc::new(self.start.clone());
        let position: Arc<dyn AnyPosition> = Arc::new(self.referee.position().clone());
        Shared::new(Arc::clone(spec), start, position, self.entries.clone(), self.referee.clock())
    }

    fn desk(&self) -> Arc<dyn AnyDesk> {
        Arc::new(self.desk.clone())
    }
}

/// Where built-ins think that are not quick.
enum Thinking {
    Inline,
    Pooled,
    /// In the pool, and whoever watches may ask for an answer at once.
    Hurried(Hurry),
}

fn player<P: Keyed + Notation + Picture>(
    seated: Seated<P>,
    desk: &Desk<P>,
    spec: &MatchSpec,
    thinking: &Thinking,
    terms: &Terms,
) -> Box<dyn Player<P>> {
    match seated {
        Seated::BuiltIn { strategy, quick } => {
            let player = match thinking {
                Thinking::Hurried(hurry) if !quick => {
                    Strategist::pooled(Hurried { strategy, hurry: hurry.clone() })
                }
                Thinking::Pooled if !quick => Strategist::pooled(strategy),
                _ => Strategist::inline(strategy),
            };
            Box::new(player.with_limits(spec.limits).with_threads(terms.threads))
        }
        Seated::Person => Box::new(desk.person()),
        Seated::Program(seat) => seat(&terms.lag),
        Seated::Own(player) => player,
        Seated::Absent(absent) => Box::new(absent),
    }
}
