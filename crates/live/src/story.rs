//! A recorded match, to look at.

use std::io::BufRead;
use std::sync::Arc;

use rookery_catalog::{AnyPosition, Game, Visit, visit};
use rookery_record::{Header, Lines, Problem, RecordError, Replay};
use rookery_referee::{MatchSpec, Verdict};
use rookery_rules::{GameSpec, PositionOf};

use crate::Entry;
use crate::prepare::follow;

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
