//! Events held: functions of Python on the thread that asked, everybody else on threads of their own.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;
use rookery_arena::{ArenaError, Boards, Games, Holding, PlayedGame, Tournament, one_at_a_time, rated};
use rookery_catalog::{Game, Visit, strategy, visit};
use rookery_live::{Closing, Guest, Programs, Signal, Stopping, prepare};
use rookery_record::{Archive, Folder, Key};
use rookery_referee::{End, Limits, MatchSpec, SeatSpec, Strategist, TimeControl};
use rookery_rules::GameSpec;
use rookery_search::PlayerSpec;
use rookery_store::{Options, Store};
use rookery_tournament::{
    Dispatcher, Entrant, Format, GameResult, Pairing, Report, Scheduler, TournamentOutcome, TournamentSpec,
    Watcher, hold,
};
use rookery_wire::Protocols;

use crate::apart::{LOOK_EVERY, look_for_ctrl_c, work_apart};
use crate::errors::{of_archive, of_arena, of_store, os, value};
use crate::gate::{self, Work};
use crate::matches::{Calls, Raised, Seat, rest_of, told};

/// What is agreed before, and where the games are kept.
pub(crate) enum Event {
    /// Not at all, or as records in a folder.
    Passing { spec: TournamentSpec, boards: Boards, folder: Option<Folder> },
    /// In a store.
    Stored(Tournament, Store),
}

impl Event {
    pub(crate) fn new(spec: TournamentSpec, folder: Option<PathBuf>) -> PyResult<Self> {
        let boards = Boards::new(&spec).map_err(of_arena)?;
        let games = spec.plan().map_err(value)?.games.unwrap_or(9999);
        let folder = folder.map(|folder| Folder::open(&folder, games, false)).transpose();
        let folder = folder.map_err(|error| of_archive(&error))?;
        Ok(Self::Passing { spec, boards, folder })
    }

    pub(crate) fn spec(&self) -> &TournamentSpec {
        match self {
            Self::Passing { spec, .. } => spec,
            Self::Stored(tournament, _) => tournament.spec(),
        }
    }

    /// A tournament that is in a store already.
    pub(crate) fn opened(py: Python<'_>, location: &Path, id: &str) -> PyResult<Self> {
        let location = text_of(location)?;
        let id = id.parse().map_err(value)?;
        if !location.contains("://") && !Path::new(location).is_file() {
            return Err(os(format!("{location}: there is no such store")));
        }
        gate::apart(py, || {
            let store = Store::open(location, &Options::default()).map_err(|error| of_store(&error))?;
            Ok(Self::Stored(Tournament::open(&store, id).map_err(of_arena)?, store))
        })?
    }

    pub(crate) fn stored(py: Python<'_>, location: &Path, spec: TournamentSpec) -> PyResult<Self> {
        let location = text_of(location)?;
        gate::apart(py, || {
            let store = Store::open(location, &Options::default()).map_err(|error| of_store(&error))?;
            Ok(Self::Stored(Tournament::create(&store, spec).map_err(of_arena)?, store))
        })?
    }
}

fn text_of(location: &Path) -> PyResult<&str> {
    location.to_str().ok_or_else(|| value("the name of the store is no text"))
}

/// Refuses who cannot come: persons have no screen here, and only functions of this call sit in Python.
pub(crate) fn check_entrants(spec: &TournamentSpec, callers: &[Option<Arc<Calls>>]) -> PyResult<()> {
    for (entrant, calls) in spec.entrants.iter().zip(callers) {
        let (name, player) = (&entrant.name, &entrant.player);
        let why = match player {
            SeatSpec::Human => "persons have no screen here",
            SeatSpec::Remote(_) if calls.is_none() => {
                "whoever signed up at a lobby, or was a function of Python, is not here"
            }
            _ => continue,
        };
        return Err(value(format!(
            "{name}: `{player}` cannot play: {why}; name a built-in player, a program (`cmd:`, `tcp:`, `ws:`) or a function"
        )));
    }
    Ok(())
}

/// Whether somebody takes part who is neither built in nor a function of Python.
pub(crate) fn has_programs(spec: &TournamentSpec, callers: &[Option<Arc<Calls>>]) -> bool {
    let mut entrants = spec.entrants.iter().zip(callers);
    entrants.any(|(entrant, calls)| calls.is_none() && entrant.player.is_program())
}

/// What came of an event that a store keeps.
pub(crate) struct Held {
    /// The games that were played now.
    pub(crate) games: Vec<PlayedGame>,
    /// Of all games, earlier ones too.
    pub(crate) results: Vec<GameResult>,
    /// How everybody stands by the format.
    pub(crate) ranking: Vec<Vec<Entrant>>,
}

/// Everything that is agreed before, and who plays.
pub(crate) struct Order {
    pub(crate) event: Event,
    pub(crate) callers: Vec<Option<Arc<Calls>>>,
    pub(crate) concurrency: usize,
    pub(crate) raised: Raised,
}

fn agreed(error: impl std::fmt::Display) -> ArenaError {
    ArenaError::Agreed(error.to_string())
}

impl Order {
    pub(crate) fn spec(&self) -> &TournamentSpec {
        self.event.spec()
    }

    /// Whether everybody can come.
    pub(crate) fn check(&self) -> PyResult<()> {
        check_entrants(self.spec(), &self.callers)
    }

    /// What the event is called in its store.
    pub(crate) fn id(&self) -> Option<String> {
        match &self.event {
            Event::Passing { .. } => None,
            Event::Stored(tournament, _) => Some(tournament.id().to_string()),
        }
    }

    fn match_spec(&self, pairing: &Pairing) -> Result<MatchSpec, ArenaError> {
        match &self.event {
            Event::Passing { spec, boards, .. } => boards.match_spec(spec, pairing),
            Event::Stored(tournament, _) => tournament.match_spec(pairing),
        }
    }

    fn folder(&self) -> Option<&dyn Archive> {
        match &self.event {
            Event::Passing { folder: Some(folder), .. } => Some(folder),
            _ => None,
        }
    }

    fn has_callers(&self) -> bool {
        self.callers.iter().any(Option::is_some)
    }

    /// Whether other threads may be at work while a function is asked: those that write records, or look after programs.
    fn work(&self) -> Work {
        let alone = self.has_callers() && self.folder().is_none() && !self.has_programs();
        if alone { Work::Alone } else { Work::Shared }
    }

    fn is_interrupted(&self) -> bool {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Holds a format of an event that no store keeps.
    pub(crate) fn hold<F: Format + Send>(
        &self,
        py: Python<'_>,
        format: F,
    ) -> PyResult<(Vec<PlayedGame>, Scheduler<F>)> {
        // Functions play one game after the other; a second one would only be chosen before the result of the first is known.
        let room = if self.has_callers() { 1 } else { self.concurrency };
        let mut scheduler = Scheduler::new(format, room).with_exclusive(one_at_a_time(self.spec()));
        let mut played = vec![];
        let _working = gate::enter(py, self.work())?;
        if self.has_callers() {
            let held = py.detach(|| self.hold_here(&mut scheduler, self.folder(), &mut (), &mut played));
            self.end(held)?;
        } else {
            let (programs, protocols) = (self.programs(), Protocols::default());
            self.watch(py, |stopping| {
                let games = Games {
                    spec_of: &|pairing| self.match_spec(pairing),
                    archive: self.folder(),
                    programs: programs.as_ref(),
                    protocols: &protocols,
                    concurrency: self.concurrency,
                    timed: self.spec().time != TimeControl::Untimed,
                    retries: 0,
                    until_proved: false,
                    affinity: false,
                    announce: &|_, _| {},
                    sends_home: true,
                };
                games.hold(&mut scheduler, stopping, &mut (), &mut |game| keep(&mut played, game))
            })?;
        }
        played.sort_by_key(|game| game.pairing.id);
        Ok((played, scheduler))
    }

    /// Holds what is left of a tournament that a store keeps.
    pub(crate) fn hold_stored(&self, py: Python<'_>) -> PyResult<Held> {
        let Event::Stored(tournament, store) = &self.event else { return Err(value("there is no store")) };
        let mut played = vec![];
        let _working = gate::enter(py, Work::Shared)?;
        if self.has_callers() {
            let held = py.detach(|| {
                tournament.hold_by(
                    |scheduler, archive, watcher| {
                        self.hold_here(scheduler, Some(archive), watcher, &mut played)
                    },
                    &mut |_| rated::keep_stored(tournament, store),
                )
            });
            self.end(held)?;
        } else {
            let (programs, protocols) = (self.programs(), Protocols::default());
            self.watch(py, |stopping| {
                let holding = Holding {
                    programs: programs.as_ref(),
                    protocols: &protocols,
                    concurrency: self.concurrency,
                    affinity: false,
                    announce: &|_, _| {},
                    elsewhere: None,
                };
                let seen = &mut |game: &PlayedGame| keep(&mut played, game);
                let rated = &mut |_: &TournamentOutcome| rated::keep_stored(tournament, store);
                tournament.hold_then(&holding, stopping, &mut (), &mut |_| {}, seen, rated)
            })?;
        }
        played.sort_by_key(|game| game.pairing.id);
        let known = py.detach(|| {
            let results = tournament.results()?.collect::<Result<Vec<_>, _>>()?;
            Ok::<_, ArenaError>((results, tournament.format()?.ranking()))
        });
        let (results, ranking) = known.map_err(of_arena)?;
        Ok(Held { games: played, results, ranking })
    }

    /// Those who have to be brought, if there are any.
    fn programs(&self) -> Option<Programs> {
        self.has_programs().then(Programs::default)
    }

    fn has_programs(&self) -> bool {
        has_programs(self.spec(), &self.callers)
    }

    /// Lets others play, and looks for Ctrl-C meanwhile.
    fn watch(
        &self,
        py: Python<'_>,
        play: impl FnOnce(&Stopping) -> Result<TournamentOutcome, ArenaError> + Send,
    ) -> PyResult<()> {
        let (stopping, mut interrupted) = (Stopping::new(rookery_live::GRACE), None);
        let stop = |raised| {
            // The second request stops games where they are.
            stopping.request(Signal::Interrupt);
            stopping.request(Signal::Interrupt);
            interrupted = Some(raised);
        };
        let held = work_apart(py, || self.look(), stop, || play(&stopping));
        match interrupted {
            Some(raised) => Err(raised),
            None => held?.map(|_| ()).map_err(of_arena),
        }
    }

    /// Plays on this thread, where Python's functions are called.
    fn hold_here<F: Format>(
        &self,
        scheduler: &mut Scheduler<F>,
        archive: Option<&dyn Archive>,
        watcher: &mut dyn Watcher,
        played: &mut Vec<PlayedGame>,
    ) -> Result<TournamentOutcome, ArenaError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ArenaError::Io("games cannot be played".to_owned(), error))?;
        // Who has connected stays from game to game.
        let programs = Programs::default();
        let mut here = Here {
            order: self,
            archive,
            programs: &programs,
            waiting: VecDeque::new(),
            played,
            failure: None,
        };
        let held = runtime.block_on(async {
            let held = tokio::select! {
                held = hold(scheduler, &mut here, watcher) => Some(held),
                () = self.interrupt() => None,
            };
            programs.quit().await;
            held
        });
        here.failure.map_or(Ok(()), Err)?;
        held.map_or_else(|| Err(agreed("interrupted")), |held| Ok(held?))
    }

    /// Ends with Ctrl-C, for as long as somebody is waited for who is not Python's.
    async fn interrupt(&self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Err(interrupted) = self.look() {
                self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(interrupted);
                return;
            }
        }
    }

    /// What ends everything: Ctrl-C, or what the thread has told that asked this one to hold the event.
    fn look(&self) -> PyResult<()> {
        let told = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        told.map_or_else(look_for_ctrl_c, Err)
    }

    /// What was raised to end everything comes before whatever followed from it.
    fn end(&self, held: Result<TournamentOutcome, ArenaError>) -> PyResult<()> {
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(raised) => Err(raised),
            None => held.map(|_| ()).map_err(of_arena),
        }
    }

    /// Plays one game; `None` if something was raised that ends everything.
    async fn play(
        &self,
        pairing: Pairing,
        archive: Option<&dyn Archive>,
        programs: &Programs,
    ) -> Result<Option<PlayedGame>, ArenaError> {
        let spec = self.match_spec(&pairing)?;
        let (guests, closing) = self.guests(&spec, &pairing, programs).await?;
        let key = Key { pairing: pairing.id + 1, attempt: 1 };
        let slot = archive.map(|archive| archive.open(&key)).transpose()?;
        let record = archive.and_then(|archive| archive.path(&key));
        let played = prepare(spec.clone(), guests, &Protocols::default(), slot)
            .map_err(|error| ArenaError::Prepare(record.clone(), error))?;
        let played = played.run().await;
        closing.done().await;
        if self.is_interrupted() {
            return Ok(None);
        }
        if let Some(receipt) = played.receipt {
            receipt.await?;
        }
        let End::Verdict(verdict) = played.end else { return Ok(None) };
        let game = PlayedGame { pairing, spec, verdict, record, cut: None, cpu: vec![] };
        self.tell(&game);
        Ok(Some(game))
    }

    /// Everybody at the table: functions of Python, built-in players, and programs that are started or connect.
    async fn guests(
        &self,
        spec: &MatchSpec,
        pairing: &Pairing,
        programs: &Programs,
    ) -> Result<(Vec<Guest>, Closing), ArenaError> {
        let game = GameSpec::parse(&spec.game).map_err(agreed)?.game;
        let mut opened = programs.bring(spec, &mut |_, _| {}).await?;
        for ((guest, entry), entrant) in opened.guests.iter_mut().zip(&spec.seats).zip(&pairing.entrants) {
            match (&self.callers[entrant.index()], &entry.player) {
                (Some(calls), _) => {
                    let seat = Seat(Arc::clone(calls), Arc::clone(&self.raised));
                    *guest = visit(&game, seat).map_err(agreed)?;
                }
                (None, SeatSpec::BuiltIn(player)) => {
                    *guest = visit(&game, Thinker(player, spec.limits)).map_err(agreed)??;
                }
                (None, _) => {}
            }
        }
        Ok((opened.guests, opened.closing))
    }

    /// Tells those of Python who played how it ended.
    fn tell(&self, game: &PlayedGame) {
        let over = |entrant: &Entrant| self.callers[entrant.index()].as_ref()?.2.as_ref();
        let told = told(game).to_string();
        for end in game.pairing.entrants.iter().filter_map(over) {
            Python::attach(|py| {
                // Nobody can be blamed any more: the game is over.
                if let Err(error) = gate::call(py, || end.call1(py, (PyString::new(py, &told),)))
                    && let Some(error) = rest_of(py, error, &self.raised)
                {
                    error.write_unraisable(py, None);
                }
            });
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "whoever is told of games may refuse them")]
fn keep(played: &mut Vec<PlayedGame>, game: &PlayedGame) -> io::Result<()> {
    played.push(game.clone());
    Ok(())
}

/// Makes the guest of a built-in player. One that takes long thinks on another thread: this one looks for Ctrl-C meanwhile.
struct Thinker<'a>(&'a PlayerSpec, Limits);

impl Visit for Thinker<'_> {
    type Out = Result<Guest, ArenaError>;
    fn visit<G: Game>(self) -> Self::Out {
        let (strategy, info) = strategy::<G>(self.0).map_err(agreed)?;
        if info.quick {
            return Ok(Guest::BuiltIn(self.0.clone()));
        }
        Ok(Guest::own(Strategist::pooled(strategy).with_limits(self.1)))
    }
}

/// Plays games one after the other, on the thread that asks.
struct Here<'a> {
    order: &'a Order,
    archive: Option<&'a dyn Archive>,
    programs: &'a Programs,
    waiting: VecDeque<Pairing>,
    played: &'a mut Vec<PlayedGame>,
    failure: Option<ArenaError>,
}

impl Dispatcher for Here<'_> {
    fn dispatch(&mut self, pairing: Pairing) {
        self.waiting.push_back(pairing);
    }

    async fn next_report(&mut self) -> Option<Report> {
        let pairing = self.waiting.pop_front()?;
        match self.order.play(pairing, self.archive, self.programs).await {
            Ok(game) => {
                let game = game?;
                let result = game.result();
                self.played.push(game);
                (!self.order.is_interrupted()).then_some(Report::Finished(result))
            }
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }
}
