//! What came of a person's matches against each opponent, from the records that play keeps.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rookery_catalog::LEVEL_NAMES;
use rookery_record::{Header, Line, Lines, SUFFIX, open_record};
use rookery_referee::MatchSpec;
use rookery_rules::Seat;

use crate::matches::game_name;

/// So many files of a folder are looked at, and so many records are read: the newest.
const LOOKED_AT: usize = 10_000;
const READ: usize = 2_000;
/// No verdict is longer.
const VERDICT: u64 = 64 << 10;

/// Matches won, drawn and lost.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// By the person.
    pub won: u32,
    /// By several, the person among them.
    pub drawn: u32,
    /// By somebody else.
    pub lost: u32,
}

/// What came of a match for one person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchResult {
    /// The person won alone.
    Won,
    /// Several won, the person among them, or nobody.
    Drawn,
    /// Others won.
    Lost,
}

impl MatchResult {
    /// The result of who is a winner, or is none, among so many.
    pub fn of(is_winner: bool, n_winners: usize) -> Self {
        match (is_winner, n_winners) {
            (true, 1) => Self::Won,
            (true, _) | (false, 0) => Self::Drawn,
            (false, _) => Self::Lost,
        }
    }

    /// In one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
        }
    }
}

impl Tally {
    /// How it was before a match with this result; none if there was no such match.
    pub(crate) fn before(mut self, result: MatchResult) -> Option<Self> {
        let count = self.count(result);
        *count = count.checked_sub(1)?;
        Some(self)
    }

    /// The number of matches with this result.
    fn count(&mut self, result: MatchResult) -> &mut u32 {
        match result {
            MatchResult::Won => &mut self.won,
            MatchResult::Drawn => &mut self.drawn,
            MatchResult::Lost => &mut self.lost,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { won, drawn, lost } = self;
        write!(f, "{won} won, ")?;
        if *drawn > 0 {
            write!(f, "{drawn} drawn, ")?;
        }
        write!(f, "{lost} lost")
    }
}

/// The results of a person, by game and opponent.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Results {
    tallies: BTreeMap<(String, String), Tally>,
    n_records: usize,
}

impl Results {
    /// Those in a folder of records. Only the first and the last line of each is read, and nothing is written. What is no
    /// record, is not over, begins in the middle of a game, or has not exactly one person in it does not count.
    pub fn read(folder: &Path) -> Self {
        let mut results = Self::default();
        for (_, path) in newest(folder, u64::MAX).into_iter().take(READ) {
            results.n_records += 1;
            if let Some((game, opponent, result)) = result(&path) {
                *results.tallies.entry((game, opponent)).or_default().count(result) += 1;
            }
        }
        results
    }

    /// Against a player of this name, in a game.
    pub fn against(&self, game: &str, player: &str) -> Option<Tally> {
        self.tallies.get(&(game.to_owned(), own_name(player))).copied()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.n_records == 0
    }
}

/// The own name of a level that was called by another one: `level:2` for `easy`; any other player as it is.
pub fn own_name(player: &str) -> String {
    let name = LEVEL_NAMES.iter().find(|(name, _)| *name == player).map_or(player, |(_, own)| own);
    name.to_owned()
}

/// The records of a folder that are no larger than this, the newest first, with the time of their last change.
pub fn newest(folder: &Path, max_bytes: u64) -> Vec<(SystemTime, PathBuf)> {
    let Ok(folder) = fs::read_dir(folder) else { return vec![] };
    let files = folder.take(LOOKED_AT).filter_map(|entry| {
        let entry = entry.ok()?;
        let is_record = entry.file_name().to_string_lossy().ends_with(SUFFIX);
        let found = entry.metadata().ok()?;
        let fits = is_record && found.is_file() && found.len() <= max_bytes;
        fits.then(|| found.modified().ok()).flatten().map(|changed| (changed, entry.path()))
    });
    let mut files: Vec<(SystemTime, PathBuf)> = files.collect();
    files.sort_by(|a, b| b.cmp(a));
    files
}

/// The game, the opponent and what came of it.
fn result(path: &Path) -> Option<(String, String, MatchResult)> {
    let mut file = open_record(path).ok()?;
    let spec = Header::parse(Lines::new(BufReader::new(&file)).first_line().ok()?).ok()?.spec;
    let (person, opponent) = opponent(&spec)?;
    let length = file.seek(SeekFrom::End(0)).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(VERDICT))).ok()?;
    let mut end = Vec::new();
    file.take(VERDICT).read_to_end(&mut end).ok()?;
    let last = end.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n').next()?;
    let Ok(Line::Verdict(verdict)) = Line::parse(last) else { return None };
    let winners = verdict.winners?;
    let result = MatchResult::of(winners.contains(&(person.index() as u8)), winners.len());
    Some((game_name(&spec), opponent, result))
}

/// The one person, and who sits everywhere else. Nobody where a match begins with another position than its game: what came
/// of it says little about who is stronger.
pub(crate) fn opponent(spec: &MatchSpec) -> Option<(Seat, String)> {
    // Who takes back everything begins at the beginning.
    if spec.start.as_ref().is_some_and(|start| start.position.is_some() || !start.moves.is_empty()) {
        return None;
    }
    let mut persons = Seat::all(spec.seats.len()).filter(|seat| spec.seats[seat.index()].player.is_person());
    let person = persons.next().filter(|_| persons.next().is_none())?;
    let others = spec.seats.iter().filter(|entry| !entry.player.is_person());
    let mut names = others.map(|entry| own_name(&entry.player.to_string()));
    let first = names.next()?;
    names.all(|name| name == first).then_some((person, first))
}
