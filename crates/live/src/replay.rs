//! Records of any game.

use std::io::BufRead;

use rookery_record::{Header, Lines, Problem, RecordError, Replay, Step, Summary};
use rookery_rules::{GameSpec, Keyed, Notation, Picture, Seed, Setup as _, SetupError};

use rookery_catalog::{AnyPosition, Game, Visit, visit};

/// A [`Replay`] without its types. Implemented for every position, never by hand.
pub trait AnyReplay: Send {
    /// As [`Replay::header`].
    fn header(&self) -> &Header;
    /// As [`Replay::feed`].
    fn feed(&mut self, line: &[u8]) -> Result<Step, Problem>;
    /// The position now.
    fn position(&self) -> &dyn AnyPosition;
    /// How many moves were made.
    fn plies(&self) -> u64;
    /// As [`Replay::is_finished`].
    fn is_finished(&self) -> bool;
    /// As [`Replay::summary`].
    fn summary(&self, torn_bytes: usize) -> Result<Summary, Problem>;
}

impl<P: Keyed + Notation + Picture> AnyReplay for Replay<P> {
    fn header(&self) -> &Header {
        self.header()
    }

    fn feed(&mut self, line: &[u8]) -> Result<Step, Problem> {
        self.feed(line)
    }

    fn position(&self) -> &dyn AnyPosition {
        self.referee().position()
    }

    fn plies(&self) -> u64 {
        self.referee().plies()
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }

    fn summary(&self, torn_bytes: usize) -> Result<Summary, Problem> {
        self.summary(torn_bytes)
    }
}

/// A record's header, and its first line, from which it was read.
struct Begin<'a>(Header, &'a [u8]);

impl Visit for Begin<'_> {
    type Out = Result<Box<dyn AnyReplay>, Problem>;
    fn visit<G: Game>(self) -> Self::Out {
        Ok(Box::new(Replay::new::<G::Setup>(self.0, self.1)?))
    }
}

/// Begins to judge a recorded match of any game again, with the first line of its record.
pub fn replay(first_line: &[u8]) -> Result<Box<dyn AnyReplay>, Problem> {
    let header = Header::parse(first_line)?;
    let spec = GameSpec::parse(&header.spec.game);
    let found = spec.and_then(|spec| visit(&spec.game, Begin(header, first_line)));
    found.map_err(|error| Problem::Wrong(format!("`game`: {error}")))?
}

/// Checks a record of any game, as [`rookery_record::verify`] does for one.
///
/// ```
/// use rookery_live::{random_record, verify};
/// use rookery_rules::{GameSpec, Seed};
///
/// let spec = GameSpec::parse("hexapawn:rows=4,cols=4")?;
/// let record = random_record(&spec, Seed(1))?;
/// assert!(verify(&record[..])?.verdict.is_some());
///
/// let error = verify(&record[1..]).expect_err("a bracket is missing");
/// assert!(error.to_string().starts_with("line 1: "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(source: impl BufRead) -> Result<Summary, RecordError> {
    verify_lines(&mut Lines::new(source))
}

/// The same with bounds of the caller's choice.
pub fn verify_lines(lines: &mut Lines<impl BufRead>) -> Result<Summary, RecordError> {
    let replay = replay(lines.first_line()?);
    let mut replay = replay.map_err(|problem| lines.error(problem))?;
    while let Some(line) = lines.next_line()? {
        if let Err(problem) = replay.feed(line) {
            return Err(lines.error(problem));
        }
    }
    replay.summary(lines.torn_bytes()).map_err(|problem| lines.error(problem))
}

/// The record of a match between players who move at random.
pub fn random_record(spec: &GameSpec, seed: Seed) -> Result<Vec<u8>, SetupError> {
    struct RandomRecord<'a>(&'a GameSpec, Seed);

    impl Visit for RandomRecord<'_> {
        type Out = Result<Vec<u8>, SetupError>;
        fn visit<G: Game>(self) -> Self::Out {
            Ok(rookery_record::random_record(&G::Setup::from_spec(self.0)?, self.1))
        }
    }

    visit(&spec.game, RandomRecord(spec, seed))?
}
