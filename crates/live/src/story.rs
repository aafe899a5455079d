//! A recorded match, to look at.

use std::io::BufRead;
use std::sync::Arc;

use rookery_catalog::{AnyPosition, Game, Visit, game, visit};
use rookery_record::{Header, Lines, Problem, RecordError, RecordWriter, Replay};
use rookery_referee::{Event, EventOf, MatchSpec, Observer as _, Verdict};
use rookery_rules::{GameSpec, PositionOf, Seat, Setup as _, Status};

use crate::begin::follow;
use crate::{Deed, Entry, Snapshot, clocks_after};

/// A recorded match: where it began, everything that happened and stands, and how it ended.
#[derive(Clone, Debug)]
pub struct Story {
    /// What was agreed.
    pub spec: Arc<MatchSpec>,
    /// The position in which it began.
    pub start: Arc<dyn AnyPosition>,
    /// Everything that happened and was not taken back.
    pub entries: Vec<Arc<Entry>>,
    /// How it ended; `None` if the record is unfinished.
    pub verdict: Option<Arc<Verdict>>,
}

impl Story {
    /// The moves that stand. Between two of them a player may have been removed, so that one does not begin where the
    /// last one ended.
    pub fn turns(&self) -> impl Iterator<Item = Turn<'_>> {
        let before = std::iter::once(&self.start).chain(self.entries.iter().map(|entry| &entry.position));
        before.zip(&self.entries).filter_map(|(before, entry)| {
            Some(Turn {
                seat: entry.seat?,
                mv: entry.deed.as_move()?,
                before: &**before,
                after: &*entry.position,
            })
        })
    }

    /// How the match stood when its record ended.
    pub fn snapshot(&self) -> Snapshot {
        let Self { spec, start, entries, verdict } = self;
        Snapshot {
            version: 0,
            spec: Arc::clone(spec),
            start: Arc::clone(start),
            entries: entries.clone(),
            position: Arc::clone(entries.last().map_or(start, |entry| &entry.position)),
            asked: None,
            clocks: clocks_after(spec, entries),
            offer: None,
            verdict: verdict.clone(),
            suspended: verdict.is_none(),
            record_problem: None,
        }
    }
}

/// One move of a recorded match that stands.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub mv: &'a str,
    /// The position before it.
    pub before: &'a dyn AnyPosition,
    /// The position after it.
    pub after: &'a dyn AnyPosition,
}

/// The opening of a match: where it began, and its moves.
#[derive(Clone, Debug)]
pub struct Prelude {
    /// The position before the moves.
    pub first: Arc<dyn AnyPosition>,
    /// The moves.
    pub entries: Vec<Arc<Entry>>,
}

impl Prelude {
    /// The position to which the moves led.
    pub fn position(&self) -> &Arc<dyn AnyPosition> {
        self.entries.last().map_or(&self.first, |entry| &entry.position)
    }
}

/// The opening of a match; none if the match begins as its game spec says.
pub fn prelude(spec: &MatchSpec) -> Option<Prelude> {
    let start = spec.start.as_ref()?;
    let game_spec = GameSpec::parse(&spec.game).ok()?;
    let game = game(&game_spec.game).ok()?;
    let mut position = match &start.position {
        Some(text) => game.position(text).ok()?,
        None => game.start(&game_spec).ok()?,
    };
    let first = Arc::from(position.boxed_clone());
    let mut entries = Vec::with_capacity(start.moves.len());
    for (plies, text) in (1..).zip(&start.moves) {
        let Status::ToMove(seat) = position.status() else { return None };
        let text = position.read_move(text).ok()?;
        position.play(&text).ok()?;
        entries.push(Arc::new(Entry {
            seat: Some(seat),
            deed: Deed::Moved { text, charge: None, info: None },
            plies,
            position: Arc::from(position.boxed_clone()),
        }));
    }
    Some(Prelude { first, entries })
}

/// The record of a match as a snapshot shows it: what was taken back is not in it. For matches of which no record is
/// kept.
///
/// ```
/// use rookery_live::{random_record, read_story, verify, write_record};
/// use rookery_rules::{GameSpec, Seed};
///
/// let record = random_record(&GameSpec::parse("hexapawn:rows=4,cols=4")?, Seed(1))?;
/// let snapshot = read_story(&record[..])?.snapshot();
/// assert_eq!(write_record(&snapshot)?, record);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_record(snapshot: &Snapshot) -> Result<Vec<u8>, String> {
    struct Writing<'a>(&'a Snapshot);

    impl Visit for Writing<'_> {
        type Out = Result<Vec<u8>, String>;
        fn visit<G: Game>(self) -> Self::Out {
            let Snapshot { spec, start, entries, verdict, .. } = self.0;
            let wrong = |error: &dyn std::fmt::Display| error.to_string();
            let game = GameSpec::parse(&spec.game).map_err(|error| wrong(&error))?;
            let first = G::Setup::from_spec(&game).map_err(|error| wrong(&error))?.start();
            let header = Header::new(MatchSpec::clone(spec), start.text());
            let mut writer = RecordWriter::new(vec![], header);
            let ended = verdict.iter().map(|verdict| Ok(Event::Ended(Box::new(Verdict::clone(verdict)))));
            let events = entries.iter().map(|entry| event::<G>(entry));
            for event in [Ok(Event::Started(Box::new(first.clone())))].into_iter().chain(events).chain(ended)
            {
                writer.see(&event?, &first);
            }
            writer.finish().map_err(|error| wrong(&error))
        }
    }

    let game = GameSpec::parse(&snapshot.spec.game).map_err(|error| error.to_string())?;
    visit(&game.game, Writing(snapshot)).map_err(|error| error.to_string())?
}

/// The event of which an entry tells.
fn event<G: Game>(entry: &Entry) -> Result<EventOf<PositionOf<G>>, String> {
    let seat = || entry.seat.ok_or_else(|| "an entry belongs to nobody".to_owned());
    Ok(match &entry.deed {
        Deed::Moved { text, charge, info } => {
            let mv = text.parse().map_err(|_| format!("{text:?} is no move"))?;
            Event::Moved { seat: seat()?, mv, charge: *charge, info: info.clone() }
        }
        Deed::Said(text) => Event::Said { seat: seat()?, text: text.clone() },
        Deed::Resigned => Event::Resigned { seat: seat()? },
        Deed::Fouled(foul) => Event::Fouled(foul.clone()),
        Deed::Drawn => Event::Drawn,
        Deed::Adjudicated => Event::Adjudicated { winner: entry.seat },
    })
}

/// Reads a record of any game and judges it again.
pub fn read_story(source: impl BufRead) -> Result<Story, RecordError> {
    let mut lines = Lines::new(source);
    let first = lines.first_line()?.to_vec();
    let read = Header::parse(&first).and_then(|header| {
        let wrong = |error: rookery_rules::SetupError| Problem::Wrong(format!("`game`: {error}"));
        let game = GameSpec::parse(&header.spec.game).map_err(wrong)?.game;
        Ok((game, header))
    });
    let (game, header) = read.map_err(|problem| lines.error(problem))?;
    let reading = Reading { header, first: &first, lines: &mut lines };
    match visit(&game, reading) {
        Ok(story) => story,
        Err(error) => Err(lines.error(Problem::Wrong(format!("`game`: {error}")))),
    }
}

struct Reading<'a, R> {
    header: Header,
    first: &'a [u8],
    lines: &'a mut Lines<R>,
}

impl<R: BufRead> Visit for Reading<'_, R> {
    type Out = Result<Story, RecordError>;

    fn visit<G: Game>(self) -> Self::Out {
        let Self { header, first, lines } = self;
        let spec = Arc::new(header.spec.clone());
        let replay = Replay::<PositionOf<G>>::new::<G::Setup>(header, first);
        let mut replay = replay.map_err(|problem| lines.error(problem))?;
        let start: Arc<dyn AnyPosition> = Arc::new(replay.referee().position().clone());
        let (mut entries, mut movers) = (vec![], vec![]);
        while let Some(line) = lines.next_line()? {
            if let Err(problem) = replay.feed(line) {
                return Err(lines.error(problem));
            }
            follow(&replay, &mut entries, &mut movers);
        }
        let summary = replay.summary(lines.torn_bytes()).map_err(|problem| lines.error(problem))?;
        Ok(Story { spec, start, entries, verdict: summary.verdict.map(Arc::new) })
    }
}
