//! How long a match may be: all its moves are in memory while somebody may look at it, and its record goes to the store.

use std::sync::Arc;

use rookery_catalog::game;
use rookery_live::{Deed, Entry, LiveMatch, read_story, write_record};
use rookery_referee::{Command, Evidence, Ruling};
use rookery_rules::GameSpec;
use rookery_store::MAX_RECORD;

use super::{Hub, Table};
use crate::http::ApiError;

/// After so many moves a match is drawn, whatever its game says.
pub(crate) const MOST_TURNS: u64 = 10_000;
/// More news than that are no match: moves and questions are a third of it, the rest is what was said and taken back.
const MOST_NEWS: u64 = 6 * MOST_TURNS;
/// The most moves of all matches together that are over and still at hand.
const AT_HAND: u64 = 10 * MOST_TURNS;
/// How often the scenes of a match are made that nobody looks at, in news.
const LOOK: u64 = 512;

/// How long matches may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// The most news of one that runs.
    pub(super) news: u64,
    /// The most bytes of a record that is stored.
    pub(super) record: usize,
    /// The most moves of those that are over and at hand.
    pub(super) at_hand: u64,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { news: MOST_NEWS, record: MAX_RECORD, at_hand: AT_HAND }
    }
}

/// After how many moves a match is drawn of which somebody may have said so: at the latest after so many as there may be,
/// where its game can go on for longer.
pub(crate) fn bounded(spec: &GameSpec, said: Option<u64>, most: u64) -> Option<u64> {
    let start = game(&spec.game).and_then(|game| game.start(spec));
    let is_short = start.is_ok_and(|start| start.max_plies() <= most);
    match said {
        Some(said) => Some(said.min(most)),
        None => (!is_short).then_some(most),
    }
}

/// Whether a match may be drawn only after so many moves.
pub(crate) fn expect_turns(max_turns: Option<u64>) -> Result<(), ApiError> {
    if max_turns.is_some_and(|turns| turns > MOST_TURNS) {
        let message =
            format!("that is too long; expected at most {MOST_TURNS}, after which a match is drawn here");
        return Err(ApiError::field("max_turns", message));
    }
    Ok(())
}

impl Lengths {
    /// A record as it can be stored: one that is too long without the words in it. `None` if that is too long as well.
    pub(super) fn fitting(self, record: Vec<u8>) -> Option<Vec<u8>> {
        if record.len() <= self.record {
            return Some(record);
        }
        without_words(&record).filter(|record| record.len() <= self.record)
    }
}

/// A record without what players said to each other and of their moves, and what they sent that was refused. Of a long one that is
/// the most.
fn without_words(record: &[u8]) -> Option<Vec<u8>> {
    let mut snapshot = read_story(record).ok()?.snapshot();
    snapshot.entries.retain(|entry| !matches!(entry.deed, Deed::Said(_)));
    for entry in &mut snapshot.entries {
        let mut bare = Entry::clone(entry);
        match &mut bare.deed {
            Deed::Moved { info, .. } if info.is_some() => *info = None,
            Deed::Fouled(foul) if foul.ruling == Ruling::AskAgain => {
                let Evidence { legal, refused, .. } = std::mem::take(&mut foul.evidence);
                foul.evidence = Evidence { legal, refused, ..Evidence::default() };
            }
            _ => continue,
        }
        *entry = Arc::new(bare);
    }
    write_record(&snapshot).ok()
}

impl Hub {
    /// Tells the viewers of a match what happens in it, until it is aborted, and ends one in which too much does.
    pub(super) fn teller(&self, table: &Arc<Table>, live: &LiveMatch) -> tokio::task::JoinHandle<()> {
        let (table, live, most) = (Arc::clone(table), live.clone(), self.lengths.news);
        tokio::spawn(async move {
            let first = live.first_snapshot();
            let before = first.entries.len() as u64;
            let (mut version, mut looked) = (first.version, first.version);
            loop {
                version = live.changed(version).await;
                table.stir();
                // Where nothing can be taken back, moves, refusals and words are bounded; elsewhere nobody loses anything by it.
                if live.spec().casual && before + (version - first.version) > most {
                    // One that is over cannot be ended any more.
                    let _ = live.command(None, &Command::Cancel("it went on for too long".to_owned()));
                }
                if version - looked >= LOOK {
                    looked = version;
                    let table = Arc::clone(&table);
                    tokio::spawn(async move { table.catch_up().await });
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use rookery_live::random_record;
    use rookery_referee::Info;
    use rookery_rules::{Seat, Seed};

    use super::*;

    fn spec(text: &str) -> GameSpec {
        GameSpec::parse(text).expect("it is a spec")
    }

    #[test]
    fn fault_w05_no_match_goes_on_for_ever_whatever_its_game_says() {
        let long = spec("renpaarden:width=5,height=5,max-turns=1000000");
        assert_eq!(bounded(&long, None, MOST_TURNS), Some(MOST_TURNS));
        assert_eq!(bounded(&long, Some(60), MOST_TURNS), Some(60));
        assert_eq!(bounded(&spec("hexapawn"), None, MOST_TURNS), None, "it is over sooner");
        assert_eq!(bounded(&spec("hexapawn"), None, 3), Some(3));
        assert!(expect_turns(Some(MOST_TURNS + 1)).is_err());
        assert!(expect_turns(Some(MOST_TURNS)).is_ok() && expect_turns(None).is_ok());
    }

    #[test]
    fn a_record_that_is_too_long_loses_words_and_no_moves() {
        let record = random_record(&spec("stones:rows=4,cols=4"), Seed(3)).expect("a record");
        let mut wordy = read_story(&record[..]).expect("it is one").snapshot();
        for entry in &mut wordy.entries {
            let mut said = Entry::clone(entry);
            if let Deed::Moved { info, .. } = &mut said.deed {
                let text = Some("I think that this is good ".repeat(7));
                *info = Some(Box::new(Info { text, ..Info::default() }));
            }
            *entry = Arc::new(said);
        }
        let chat = Entry {
            seat: Seat::all(1).next(),
            deed: Deed::Said("hello".to_owned()),
            ..Entry::clone(&wordy.entries[3])
        };
        wordy.entries.insert(4, Arc::new(chat));
        let long = write_record(&wordy).expect("a record");
        assert!(long.len() > 2 * record.len());
        let lengths = |record| Lengths { record, ..Lengths::default() };
        assert_eq!(
            lengths(long.len()).fitting(long.clone()).as_ref(),
            Some(&long),
            "nothing is left out without need"
        );
        let short = lengths(long.len() - 1).fitting(long.clone()).expect("it fits");
        assert!(short.len() <= record.len() + 100, "{} {}", short.len(), record.len());
        let moves = |record: &[u8]| {
            let story = read_story(record).expect("it is one");
            let verdict = story.verdict.as_ref().map(|verdict| verdict.outcome.clone());
            let texts =
                story.entries.iter().map(|entry| entry.deed.as_move().map(str::to_owned)).collect::<Vec<_>>();
            (texts, verdict)
        };
        assert_eq!(moves(&short), moves(&record));
        assert_eq!(lengths(record.len() / 2).fitting(long), None);
    }
}
