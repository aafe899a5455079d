//! Records from elsewhere: each is judged again by the rules before it counts.

use rookery_catalog::{Game, Visit, visit};
use rookery_record::{RecordError, Summary, verify};

use crate::facts::Facts;
use crate::{NewGame, Store, StoreError, Stored};

/// A record that was taken in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imported {
    /// The game, and whether it is new.
    pub stored: Stored,
    /// What the rules say about it.
    pub summary: Summary,
}

impl Store {
    /// Takes in the record of a finished match, if it was played by the rules.
    pub fn import_record(&self, record: &[u8]) -> Result<Imported, StoreError> {
        let summary = judge(record)?;
        let stored = self.put_game(NewGame::free(record.to_vec())).wait()?;
        Ok(Imported { stored, summary })
    }
}

/// Judges a finished record again: every move, every ruling, the verdict, the hash.
pub(crate) fn judge(record: &[u8]) -> Result<Summary, StoreError> {
    struct Verify<'a>(&'a [u8]);

    impl Visit for Verify<'_> {
        type Out = Result<Summary, RecordError>;
        fn visit<G: Game>(self) -> Self::Out {
            verify::<G::Setup>(self.0)
        }
    }

    let Facts { game, .. } = Facts::of_record(record)?;
    let judged = visit(&game, Verify(record)).map_err(|error| StoreError::refused(error.to_string()))?;
    judged.map_err(|error| StoreError::refused(format!("the record was not played by the rules, {error}")))
}
