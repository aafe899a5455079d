//! How a match begins, or goes on with its record.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rookery_catalog::Game;
use rookery_record::{Cut, Header, Lines, Problem, RecordError, RecordWriter, Replay, Sink, Slot};
use rookery_referee::{Event, MatchSpec, Referee, Verdict};
use rookery_rules::{GameSpec, Keyed, Notation, Picture, Position, PositionOf, Seat, Setup as _};

use crate::PrepareError;
use crate::view::{Entry, take_back};

/// A match as it stands when it begins or goes on.
pub(crate) struct Begun<P: Position> {
    pub(crate) start: P,
    pub(crate) referee: Referee<P>,
    /// All moves so far, those of an opening included.
    pub(crate) moves: Vec<P::Move>,
    pub(crate) entries: Vec<Arc<Entry>>,
    /// Who made the moves of the match.
    pub(crate) movers: Vec<Seat>,
    pub(crate) record: Option<RecordWriter<Sink>>,
    pub(crate) path: Option<PathBuf>,
    pub(crate) cut: Option<Cut>,
    /// The match is over already.
    pub(crate) finished: Option<Verdict>,
}

/// Where a match begins, or goes on if its place has a record of it already.
pub(crate) fn begin<G: Game>(
    spec: &MatchSpec,
    slot: Option<Slot>,
) -> Result<Begun<PositionOf<G>>, PrepareError> {
    let game = GameSpec::parse(&spec.game).map_err(PrepareError::Setup)?;
    let setup = G::Setup::from_spec(&game).map_err(PrepareError::Setup)?;
    let first = spec.first_position(setup.start());
    let (start, opening) = first.map_err(|error| PrepareError::Start(error.to_string()))?;
    let n_seats = Position::n_seats(&start);
    if spec.n_seats() != n_seats {
        let (game, given) = (&spec.game, spec.n_seats());
        return Err(PrepareError::Start(format!("{game} has {n_seats} seats, and {given} are filled")));
    }
    let new = |record, path| Begun {
        referee: Referee::of_spec(spec, start.clone()),
        start: start.clone(),
        moves: opening.clone(),
        entries: vec![],
        movers: vec![],
        record,
        path,
        cut: None,
        finished: None,
    };
    let header = || Header::new(spec.clone(), start.to_text());
    match slot {
        None => Ok(new(None, None)),
        Some(Slot::New(sink)) => {
            let path = sink.path().map(Path::to_owned);
            Ok(new(Some(RecordWriter::new(sink, header())), path))
        }
        Some(Slot::Unfinished { lines, sink, cut }) => {
            let path = sink.path().map(Path::to_owned);
            if lines.is_empty() {
                let begun = new(Some(RecordWriter::new(sink, header())), path);
                return Ok(Begun { cut, ..begun });
            }
            let wrong = |problem: String| PrepareError::Record(path.clone().unwrap_or_default(), problem);
            let (replay, entries, movers) = replay::<G>(&lines, spec).map_err(wrong)?;
            let resumed = replay.into_resumed().map_err(|problem| wrong(problem.to_string()))?;
            let begun = new(Some(resumed.writer(sink)), path);
            Ok(Begun { referee: resumed.referee, moves: resumed.moves, entries, movers, cut, ..begun })
        }
        Some(Slot::Finished(lines)) => {
            let wrong = |problem: String| PrepareError::Record(PathBuf::new(), problem);
            let (replay, entries, movers) = replay::<G>(&lines, spec).map_err(wrong)?;
            let finished = replay.referee().verdict().cloned();
            let referee = replay.referee().clone();
            Ok(Begun { referee, entries, movers, finished, ..new(None, None) })
        }
    }
}

type Replayed<P> = (Replay<P>, Vec<Arc<Entry>>, Vec<Seat>);

/// Judges the lines of a record again, which must be of the match that this spec describes.
fn replay<G: Game>(lines: &[u8], spec: &MatchSpec) -> Result<Replayed<PositionOf<G>>, String> {
    let mut lines = Lines::new(lines);
    let mut read = || -> Result<Replayed<PositionOf<G>>, RecordError> {
        let first = lines.first_line()?;
        let begun = Header::parse(first).and_then(|header| {
            if header.spec != *spec {
                return Err(Problem::Wrong(
                    "it is the record of another match; choose another place, or the same players, seed and flags"
                        .to_owned(),
                ));
            }
            Replay::new::<G::Setup>(header, first)
        });
        let mut replay: Replay<PositionOf<G>> = begun.map_err(|problem| lines.error(problem))?;
        let (mut entries, mut movers) = (vec![], vec![]);
        while let Some(line) = lines.next_line()? {
            if let Err(problem) = replay.feed(line) {
                return Err(lines.error(problem));
            }
            follow(&replay, &mut entries, &mut movers);
        }
        Ok((replay, entries, movers))
    };
    read().map_err(|error| error.to_string())
}

/// Adds what the last line of a replay told to a history.
pub(crate) fn follow<P: Keyed + Notation + Picture>(
    replay: &Replay<P>,
    entries: &mut Vec<Arc<Entry>>,
    movers: &mut Vec<Seat>,
) {
    let Some(event) = replay.event() else { return };
    match event {
        Event::Moved { seat, .. } => movers.push(*seat),
        Event::TakenBack { to, .. } => {
            movers.truncate(usize::try_from(*to).unwrap_or(usize::MAX));
            take_back(entries, *to);
        }
        _ => {}
    }
    let referee = replay.referee();
    entries.extend(Entry::of(event, referee.plies(), referee.position()).map(Arc::new));
}
