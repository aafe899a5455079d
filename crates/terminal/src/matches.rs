//! Matches at this screen: begun, gone on with, or only looked at; and where their records are.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rookery_catalog::{AnyPosition, agree, game};
use rookery_live::{
    Closing, Deed, Entry, Guest, LiveMatch, Programs, Snapshot, Started, board_seed, prelude, prepare,
    read_story, write_record,
};
use rookery_record::{
    Archive as _, ArchiveError, Header, Key, Lines, OneFile, Slot, create_folder, free_path, open_record,
};
use rookery_referee::{MatchSpec, SeatSpec, Start, TimeControl};
use rookery_rules::{GameSpec, Seat, Seed};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::{clean, quoted};

/// Where the record of a new match goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nowhere.
    No,
    /// Into this file, which must not exist: else there is no match.
    At(PathBuf),
    /// Into this file or one with the next free name. If that fails there is a match all the same.
    Near(PathBuf),
}

/// A match, and what is known of its record.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Gone if it is only looked at.
    pub(crate) live: Option<LiveMatch>,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) record: Option<PathBuf>,
    /// Why there is no record.
    pub(crate) problem: Option<String>,
    /// That something of it was cut off.
    pub(crate) notice: Option<String>,
}

impl Opened {
    /// Something to look at.
    pub(crate) fn still(snapshot: Arc<Snapshot>, record: Option<PathBuf>) -> Self {
        Self { live: None, snapshot, record, problem: None, notice: None }
    }
}

/// How often another name is tried for a record if other programs are faster.
const ATTEMPTS: usize = 100;

/// The place of a new record.
fn new_slot(keep: &Keep) -> Result<Option<Slot>, ArchiveError> {
    let open = |path: &Path| OneFile::new(path, false).open(&Key::first(1)).map(Some);
    match keep {
        Keep::No => Ok(None),
        Keep::At(path) => open(path),
        Keep::Near(path) => {
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                create_folder(folder)?;
            }
            let mut opened = open(&free_path(path));
            for _ in 1..ATTEMPTS {
                if !matches!(opened, Err(ArchiveError::Exists(_))) {
                    break;
                }
                opened = open(&free_path(path));
            }
            opened
        }
    }
}

/// Where matches run, and how programs get there.
#[derive(Clone, Debug)]
pub struct Runner {
    runtime: Handle,
    programs: Arc<Programs>,
    /// Told who is awaited where.
    announce: fn(&str, SocketAddr),
    /// Programs of matches that are over, on their way home or out.
    leaving: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// How long they are waited for.
const TIME_TO_LEAVE: Duration = Duration::from_secs(2);

impl From<&Handle> for Runner {
    /// All programs speak the bot protocol.
    fn from(runtime: &Handle) -> Self {
        Self {
            runtime: runtime.clone(),
            programs: Arc::default(),
            announce: |_, _| {},
            leaving: Arc::default(),
        }
    }
}

impl Runner {
    /// The same with programs that speak otherwise, or come otherwise; `announce` is told who is awaited where.
    #[must_use]
    pub fn with_programs(self, programs: Programs, announce: fn(&str, SocketAddr)) -> Self {
        Self { programs: Arc::new(programs), announce, ..self }
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// A program that has played is free again, or gone, a moment after its match.
    fn wait_for_those_who_leave(&self) {
        let leaving = std::mem::take(&mut *self.leaving.lock().unwrap_or_else(PoisonError::into_inner));
        self.runtime.block_on(async {
            for task in leaving {
                // Who does not leave is gone with us.
                let _ = tokio::time::timeout(TIME_TO_LEAVE, task).await;
            }
        });
    }

    /// There are no more matches.
    pub(crate) fn quit(&self) {
        self.wait_for_those_who_leave();
        self.runtime.block_on(self.programs.quit());
    }

    /// Brings whoever is to sit there.
    fn bring(&self, spec: &MatchSpec) -> Result<rookery_live::Opened, String> {
        if !spec.seats.iter().any(|entry| entry.player.is_program()) {
            let guests = Guest::built_in(spec)?;
            return Ok(rookery_live::Opened { guests, closing: Closing::default(), started: vec![] });
        }
        let name = |idx: usize| spec.seats.get(idx).map_or("a player", |entry| entry.name.as_str());
        let mut announce = |idx: usize, address| (self.announce)(name(idx), address);
        self.wait_for_those_who_leave();
        let opened = self.runtime.block_on(self.programs.bring(spec, &mut announce));
        opened.map_err(|error| clean(&error.to_string()))
    }

    /// Starts a match, with its record if there is one: what programs say on their standard error is kept beside it.
    fn start(
        &self,
        spec: MatchSpec,
        opened: rookery_live::Opened,
        (slot, record): (Option<Slot>, Option<PathBuf>),
    ) -> Result<LiveMatch, String> {
        let rookery_live::Opened { guests, closing, started } = opened;
        let goes_on = matches!(slot, Some(Slot::Unfinished { .. }));
        let prepared = prepare(spec, guests, &self.programs.protocols, slot);
        let _runtime = self.runtime.enter();
        let live = prepared.map_err(|error| clean(&error.to_string()))?;
        let live = live.with_terms(self.programs.terms()).start();
        let ending = live.clone();
        let leaving = self.runtime.spawn(async move {
            ending.played().await;
            closing.done().await;
            if let Some(record) = record {
                keep_logs(&record, goes_on, &started);
            }
        });
        self.leaving.lock().unwrap_or_else(PoisonError::into_inner).push(leaving);
        Ok(live)
    }
}

/// Keeps what each program has written to its standard error beside the record of its match, behind what it wrote in the first
/// part of one that goes on. A match whose log is lost is no less played.
fn keep_logs(record: &Path, goes_on: bool, started: &[(usize, Started)]) {
    let archive = OneFile::new(record, goes_on);
    for (seat, program) in started {
        let log = program.log.all();
        if !log.is_empty() {
            let _ = archive.keep_log(&Key::first(1), *seat, &log);
        }
    }
}

/// Begins a match.
pub(crate) fn begin(runner: &Runner, spec: MatchSpec, keep: &Keep) -> Result<Opened, String> {
    let opened = runner.bring(&spec)?;
    let (slot, problem) = match new_slot(keep) {
        Ok(slot) => (slot, None),
        Err(error) if matches!(keep, Keep::Near(_)) => (None, Some(clean(&error.to_string()))),
        Err(error) => return Err(clean(&error.to_string())),
    };
    let record = match &slot {
        Some(Slot::New(sink)) => sink.path().map(Path::to_owned),
        _ => None,
    };
    let live = runner.start(spec, opened, (slot, record.clone()))?;
    Ok(Opened { snapshot: live.first_snapshot(), live: Some(live), record, problem, notice: None })
}

/// Goes on with the match of a record, in the same file; one that is over is looked at.
pub(crate) fn resume(runner: &Runner, path: &Path) -> Result<Opened, String> {
    let name = clean(&path.display().to_string());
    let spec = spec_of(path)?;
    let story = |lines: &[u8]| {
        let story =
            read_story(lines).map_err(|error| format!("cannot read {name}: {}", clean(&error.to_string())));
        Ok(Opened::still(Arc::new(story?.snapshot()), Some(path.to_owned())))
    };
    let watch = format!("look at the match with `rookery watch {}`", quoted(path));
    // A match that cannot go on here is left as it is.
    if !spec.seats.iter().any(|entry| entry.player.is_person()) {
        let opened = read(path)?;
        let why = || format!("no person plays in {name}; {watch}");
        return if opened.snapshot.verdict.is_some() { Ok(opened) } else { Err(why()) };
    }
    let slot = OneFile::new(path, true).open(&Key::first(1)).map_err(|error| clean(&error.to_string()))?;
    let notice = match &slot {
        Slot::Finished(lines) => return story(lines),
        Slot::Unfinished { cut, .. } => cut.as_ref().map(|cut| clean(&cut.to_string())),
        Slot::New(_) => None,
    };
    let opened = runner.bring(&spec)?;
    let live = runner.start(spec, opened, (Some(slot), Some(path.to_owned())))?;
    let snapshot = live.first_snapshot();
    Ok(Opened { snapshot, live: Some(live), record: Some(path.to_owned()), problem: None, notice })
}

fn open(path: &Path) -> Result<BufReader<File>, String> {
    let file = open_record(path).map(BufReader::new);
    file.map_err(|error| format!("cannot open {}: {error}", clean(&path.display().to_string())))
}

/// What was agreed before a recorded match. Whatever is no record is found out here, before anything is written to it.
fn spec_of(path: &Path) -> Result<MatchSpec, String> {
    let mut lines = Lines::new(open(path)?);
    let header = lines.first_line().map(Header::parse);
    let header = match header {
        Ok(Ok(header)) => Ok(header),
        Ok(Err(problem)) => Err(lines.error(problem)),
        Err(error) => Err(error),
    };
    let cannot = |error: rookery_record::RecordError| {
        format!("cannot read {}: {}", clean(&path.display().to_string()), clean(&error.to_string()))
    };
    Ok(header.map_err(cannot)?.spec)
}

/// The match of a record, to look at.
pub(crate) fn read(path: &Path) -> Result<Opened, String> {
    let name = clean(&path.display().to_string());
    let story = read_story(open(path)?);
    let story = story.map_err(|error| format!("cannot read {name}: {}", clean(&error.to_string())))?;
    Ok(Opened::still(Arc::new(story.snapshot()), Some(path.to_owned())))
}

/// Writes a copy of a match's record into a file that must not exist.
pub(crate) fn save(snapshot: &Snapshot, record: Option<&Path>, path: &Path) -> Result<(), String> {
    let cannot = |error: &dyn std::fmt::Display| {
        format!("cannot write {}: {}", clean(&path.display().to_string()), clean(&error.to_string()))
    };
    // All of it is there before a file is made.
    let bytes = match record.filter(|record| record.exists()) {
        Some(record) => fs::read(record).map_err(|error| cannot(&error))?,
        None => write_record(snapshot).map_err(|error| cannot(&error))?,
    };
    let written = File::create_new(path).and_then(|mut file| {
        io::Write::write_all(&mut file, &bytes)?;
        file.sync_all()
    });
    written.map_err(|error| cannot(&error))
}

/// The name of the game, without its setup.
pub(crate) fn game_name(spec: &MatchSpec) -> String {
    GameSpec::parse(&spec.game).map(|spec| spec.game).unwrap_or_default()
}

/// Another match of the same kind: with another seed, and another board if it was drawn at random.
pub(crate) fn another(spec: &MatchSpec) -> MatchSpec {
    const SEED: &str = "seed";
    const SMALL: u64 = 1_000_000;
    // Small numbers are easily typed; after one that nobody can guess comes another one.
    let next = spec.seed.derive(1).0;
    let seed = Seed(if spec.seed.0 < SMALL { next % SMALL } else { next >> 11 });
    let board = || {
        let given = GameSpec::parse(&spec.game).ok()?;
        let game = game(&given.game).ok()?;
        let mut open = given.clone();
        open.options.retain(|(key, _)| key != SEED);
        // A board that follows from the match's own seed was drawn for it; any other was chosen by somebody.
        let drawn = game
            .canonical(&game.vary(&open, board_seed(spec.seed, spec.seed)))
            .is_ok_and(|text| text == spec.game);
        game.canonical(&game.vary(if drawn { &open } else { &given }, board_seed(seed, seed))).ok()
    };
    MatchSpec { game: board().unwrap_or_else(|| spec.game.clone()), seed, start: None, ..spec.clone() }
}

/// A match with the same players that goes on from `position`, to which these moves led.
pub(crate) fn from_here(spec: &MatchSpec, steps: &[Arc<Entry>], position: &dyn AnyPosition) -> MatchSpec {
    let base = spec.start.as_ref().and_then(|start| start.position.clone());
    let moves = steps.iter().filter_map(|entry| entry.deed.as_move().map(str::to_owned)).collect();
    let by_moves = MatchSpec { start: Some(Start { opening: None, position: base, moves }), ..spec.clone() };
    if prelude(&by_moves).is_some_and(|prelude| prelude.position().text() == position.text()) {
        return by_moves;
    }
    // Somebody has left the game on the way, which no move tells of.
    let start = Start { opening: None, position: Some(position.text()), moves: vec![] };
    MatchSpec { start: Some(start), ..spec.clone() }
}

/// The same for a person at this seat. Programs of others stay at home.
pub(crate) fn seated(spec: &MatchSpec, seat: Seat) -> Result<MatchSpec, String> {
    let mut spec = spec.clone();
    for (idx, entry) in spec.seats.iter_mut().enumerate() {
        if idx == seat.index() {
            entry.player = SeatSpec::Human;
            entry.name = SeatSpec::Human.to_string();
        } else if entry.player.is_program() {
            entry.player = STAND_IN.parse().map_err(|error| format!("{STAND_IN}: {error}"))?;
        }
    }
    Ok(MatchSpec { time: TimeControl::Untimed, ..spec })
}

/// Who plays for a program that is not there.
const STAND_IN: &str = "medium";

/// A position in which all seats are moved from here.
pub(crate) fn trial(name: &str, position: &str) -> Result<MatchSpec, String> {
    let game = GameSpec { game: name.to_owned(), options: vec![] };
    let n_seats = rookery_catalog::start(name).map_err(|error| clean(&error.to_string()))?.n_seats();
    let persons = vec![rookery_referee::Entry::nameless(SeatSpec::Human); n_seats];
    let agreed = agree(&game, &persons, Seed(0)).map_err(|error| clean(&error.to_string()))?;
    let start = Start { opening: None, position: Some(position.to_owned()), moves: vec![] };
    Ok(MatchSpec { casual: true, start: Some(start), ..agreed })
}

/// Whether something is a decision that can be taken back: of a seat, or of all who agreed on a draw.
pub(crate) fn is_decision(entry: &Entry, is_here: impl Fn(Seat) -> bool) -> bool {
    !matches!(entry.deed, Deed::Said(_)) && entry.seat.is_none_or(is_here)
}
