//! Games: put once, listed, read back.

use rookery_record::Key;
use rookery_referee::{Cause, Offence};
use rookery_rules::Outcome;
use serde_json::{from_str, to_string};

use crate::chain::GameRow;
use crate::facts::{Facts, outcome, pack, unpack};
use crate::put::put;
use crate::sql::{Fault, Row, Sql, SqlError, Value, params};
use crate::store::now_ms;
use crate::tournaments::seq_of;
use crate::{EntrantId, GameId, Hash, Receipt, Store, StoreError, TournamentId};

/// The most rows of a page.
const MAX_PAGE: u32 = 1000;

/// Which game of a tournament it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameKey {
    /// The tournament.
    pub tournament: TournamentId,
    /// The pairing, and which attempt at it.
    pub key: Key,
}

impl GameKey {
    /// The id that the game gets when it is stored, unless another has it already, which happens once in many stores.
    pub fn id(&self) -> GameId {
        self.id_with(0)
    }

    /// The one after so many that were taken.
    pub(crate) fn id_with(&self, salt: u32) -> GameId {
        let Self { tournament, key: Key { pairing, attempt } } = self;
        GameId::made_of(format!("{tournament} {pairing} {attempt} {salt}").as_bytes())
    }
}

/// What a game is called, and by that what "the same game" means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// By its place in a tournament.
    Key(GameKey),
    /// By an id that was given out before it was played.
    Id(GameId),
    /// By its record: the same record is the same game.
    Record,
}

/// A finished game that is to be stored.
#[derive(Clone, Debug)]
pub struct NewGame {
    pub(crate) named: Named,
    pub(crate) record: Vec<u8>,
    /// The same as it came, deflated.
    packed: Option<Vec<u8>>,
    /// Who sits where, if it is known; else seats are found by their names.
    pub(crate) entrants: Option<Vec<Option<EntrantId>>>,
    pub(crate) finished_ms: i64,
}

impl NewGame {
    fn new(named: Named, record: Vec<u8>) -> Self {
        Self { named, record, packed: None, entrants: None, finished_ms: now_ms() }
    }

    /// A game of a tournament. The seats are the tournament's entrants, by the names in the record.
    pub fn of_pairing(tournament: TournamentId, key: Key, record: Vec<u8>) -> Self {
        Self::new(Named::Key(GameKey { tournament, key }), record)
    }

    /// A game with an id that people know already.
    pub fn with_id(id: GameId, record: Vec<u8>) -> Self {
        Self::new(Named::Id(id), record)
    }

    /// Any other game.
    pub fn free(record: Vec<u8>) -> Self {
        Self::new(Named::Record, record)
    }

    /// The same with the bytes that its record was unpacked from, which are stored as they are.
    #[must_use]
    pub fn packed(self, packed: Vec<u8>) -> Self {
        Self { packed: Some(packed), ..self }
    }

    /// The record as it is stored. What others packed badly is packed again.
    pub(crate) fn take_packed(&mut self) -> Vec<u8> {
        let is_small = |packed: &Vec<u8>| packed.len() < self.record.len();
        self.packed.take().filter(is_small).unwrap_or_else(|| pack(vec![], &self.record))
    }

    /// The same with these entrants, by seat; `None` for a guest, who has only the name in the record.
    #[must_use]
    pub fn by(self, entrants: Vec<Option<EntrantId>>) -> Self {
        Self { entrants: Some(entrants), ..self }
    }

    /// The same with another date than now, in milliseconds since 1970.
    #[must_use]
    pub fn finished_at(self, finished_ms: i64) -> Self {
        Self { finished_ms, ..self }
    }
}

/// A game that is stored now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Its id.
    pub id: GameId,
    /// Whether it was not stored before.
    pub is_new: bool,
}

/// What lists show of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredGame {
    /// Its id.
    pub id: GameId,
    /// Its number: games are counted in the order in which they were stored.
    pub seq: u64,
    /// Its place in a tournament, if it has one.
    pub key: Option<GameKey>,
    /// The game spec.
    pub spec: String,
    /// What the players were called, by seat.
    pub names: Vec<String>,
    /// Who they are, by seat; `None` for a guest.
    pub entrants: Vec<Option<EntrantId>>,
    /// Winners and scores; `None` if it was aborted and does not count.
    pub outcome: Option<Outcome>,
    /// Why it ended.
    pub cause: Cause,
    /// Who was removed for misconduct.
    pub failed: Vec<FailedSeat>,
    /// How many moves were made.
    pub plies: u64,
    /// When it was stored, in milliseconds since 1970.
    pub finished_ms: i64,
    /// The SHA-256 of its record.
    pub sha256: Hash,
}

/// A seat that was removed for misconduct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailedSeat {
    /// Which, from 0.
    pub seat: u8,
    /// For what; `None` in rows that were stored before version 3 of the tables.
    pub offence: Option<Offence>,
}

impl FailedSeat {
    /// With the offence of this word, if there is one.
    pub(crate) fn new(seat: u8, word: &str) -> Self {
        let offence = match Cause::of_word(word) {
            Some(Cause::Offence(offence)) => Some(offence),
            _ => None,
        };
        Self { seat, offence }
    }
}

/// An entry of the column `failed`. Rows are chained, so those of earlier versions stay as they are.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum FailedEntry {
    /// As it was before version 3.
    Seat(u8),
    WithOffence(u8, String),
}

/// Which games are wanted. What is `None` does not matter.
#[derive(Clone, Default, Debug)]
pub struct GameFilter {
    /// Of this tournament.
    pub tournament: Option<TournamentId>,
    /// Of this entrant.
    pub entrant: Option<EntrantId>,
    /// Of the game with this name.
    pub game: Option<String>,
    /// That ended so.
    pub cause: Option<Cause>,
}

/// A part of a list, the latest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Only what has a lower number than this: the last one of the page before.
    pub before: Option<u64>,
    /// How many at most; never more than 1000.
    pub limit: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self { before: None, limit: 50 }
    }
}

impl Page {
    /// The parameters of a statement: below this number, at most so many.
    pub(crate) fn bounds(self) -> (i64, i64) {
        let before = self.before.and_then(|seq| i64::try_from(seq).ok()).unwrap_or(i64::MAX);
        (before, i64::from(self.limit.min(MAX_PAGE)))
    }
}

impl Store {
    /// Stores a finished game. The receipt comes after the commit; until then nobody may see the result.
    ///
    /// The same game with the same record is stored once, however often it comes; with another record it is refused,
    /// and the first one stays.
    pub fn put_game(&self, mut game: NewGame) -> Receipt<Stored> {
        let facts = match Facts::of_record(&game.record) {
            Ok(facts) => facts,
            Err(error) => return Receipt::failed(error),
        };
        let packed = game.take_packed();
        self.submit(true, move |tx| put(tx, &game, &facts, &packed))
    }

    /// What lists show of a game.
    pub fn game(&self, id: GameId) -> Result<StoredGame, StoreError> {
        self.read(|sql| {
            let select = format!(
                "select {}, tournaments.id from games left join tournaments on tournaments.seq = games.tournament \
                 where games.id = ?1",
                GameRow::COLUMNS
            );
            let row = sql.row(&select, params![id.as_str()])?;
            let mut row = row.ok_or_else(|| StoreError::unknown("game", id))?;
            Ok(stored_game(&mut row)?)
        })
    }

    /// The record of a game, checked against its hash.
    pub fn record(&self, id: GameId) -> Result<Vec<u8>, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                "select records.bytes, games.record_bytes, games.sha256 from games \
                 join records on records.seq = games.seq where games.id = ?1",
                params![id.as_str()],
            )?;
            let mut row = row.ok_or_else(|| StoreError::unknown("game", id))?;
            let (packed, n_bytes, sha256) = (row.blob(0)?, row.count(1)?, crate::chain::hash(&mut row, 2)?);
            let damaged = |why| SqlError::Corrupt(format!("game {id}: {why}"));
            Ok(unpack(&packed, n_bytes, sha256).map_err(damaged)?)
        })
    }

    /// Games, the latest first.
    pub fn games(&self, filter: &GameFilter, page: Page) -> Result<Vec<StoredGame>, StoreError> {
        let (before, limit) = page.bounds();
        self.listed(filter, ("<", before), ("desc", limit))
    }

    /// The same from the other end: those behind the game of this number, the earliest first, at most 1000 of them.
    pub fn games_after(
        &self,
        filter: &GameFilter,
        after: u64,
        limit: u32,
    ) -> Result<Vec<StoredGame>, StoreError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.listed(filter, (">", after), ("asc", i64::from(limit.min(MAX_PAGE))))
    }

    fn listed(
        &self,
        filter: &GameFilter,
        (compared, bound): (&str, i64),
        (order, limit): (&str, i64),
    ) -> Result<Vec<StoredGame>, StoreError> {
        self.read(|sql| {
            let Condition { tables, wanted, mut values, seq } = Condition::of(sql, filter)?;
            let (first, second) = (values.len() + 1, values.len() + 2);
            values.extend([bound.into(), limit.into()]);
            let select = format!(
                "select {}, tournaments.id from {tables} left join tournaments on tournaments.seq = games.tournament \
                 where {wanted} and {seq} {compared} ?{first} order by {seq} {order} limit ?{second}",
                GameRow::COLUMNS
            );
            let rows = sql.rows(&select, &values)?;
            Ok(rows.into_iter().map(|mut row| stored_game(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// How many games there are.
    pub fn n_games(&self, filter: &GameFilter) -> Result<u64, StoreError> {
        self.read(|sql| {
            let Condition { tables, wanted, values, .. } = Condition::of(sql, filter)?;
            let row = sql.row(&format!("select count(*) from {tables} where {wanted}"), &values)?;
            Ok(row.map_or(Ok(0), |row| row.count(0))?)
        })
    }
}

/// A filter as SQL.
struct Condition {
    /// The tables.
    tables: &'static str,
    /// What must hold.
    wanted: String,
    /// The parameters.
    values: Vec<Value>,
    /// The column that has a game's number: of the index that the rows are found by.
    seq: &'static str,
}

impl Condition {
    fn of(sql: &mut dyn Sql, filter: &GameFilter) -> Result<Self, Fault> {
        let (tables, seq) = match filter.entrant {
            None => ("games", "games.seq"),
            Some(_) => ("entrant_games join games on games.seq = entrant_games.seq", "entrant_games.seq"),
        };
        let mut values: Vec<Value> = vec![];
        let mut wanted = vec!["1 = 1".to_owned()];
        let mut add = |column: &str, value: Value| {
            values.push(value);
            wanted.push(format!("{column} = ?{}", values.len()));
        };
        if let Some(entrant) = filter.entrant {
            add("entrant_games.entrant", entrant.0.into());
        }
        if let Some(tournament) = filter.tournament {
            add("games.tournament", seq_of(sql, tournament)?.into());
        }
        if let Some(game) = &filter.game {
            add("games.game", game.as_str().into());
        }
        if let Some(cause) = filter.cause {
            add("games.cause", cause.word().into());
        }
        Ok(Self { tables, wanted: wanted.join(" and "), values, seq })
    }
}

/// A list in a column.
pub(crate) fn json<T: serde::Serialize + ?Sized>(list: &T) -> String {
    to_string(list).expect("lists of numbers and texts are JSON")
}

/// A list from a column.
pub(crate) fn list<T: serde::de::DeserializeOwned>(text: &str) -> Result<Vec<T>, SqlError> {
    from_str(text).map_err(|error| SqlError::Corrupt(format!("a column holds no list: {error}")))
}

/// Who failed, as the column has it.
pub(crate) fn failed_column(failed: &[FailedSeat]) -> String {
    let entry = |failed: &FailedSeat| match failed.offence {
        Some(offence) => FailedEntry::WithOffence(failed.seat, offence.word().to_owned()),
        None => FailedEntry::Seat(failed.seat),
    };
    json(&failed.iter().map(entry).collect::<Vec<_>>())
}

/// Who failed, from the column.
pub(crate) fn read_failed(text: &str) -> Result<Vec<FailedSeat>, SqlError> {
    let read = |entry| match entry {
        FailedEntry::Seat(seat) => FailedSeat { seat, offence: None },
        FailedEntry::WithOffence(seat, word) => FailedSeat::new(seat, &word),
    };
    Ok(list::<FailedEntry>(text)?.into_iter().map(read).collect())
}

pub(crate) fn read_id(text: &str) -> Result<GameId, SqlError> {
    text.parse().map_err(|_| SqlError::Corrupt(format!("{text:?} is no id")))
}

/// Winners and scores from their columns.
pub(crate) fn read_outcome(winners: Option<&str>, scores: Option<&str>) -> Result<Option<Outcome>, SqlError> {
    let (Some(winners), Some(scores)) = (winners, scores) else { return Ok(None) };
    let read = outcome(&list::<u8>(winners)?, &list::<i32>(scores)?);
    read.map(Some).map_err(|error| SqlError::Corrupt(error.to_string()))
}

pub(crate) fn read_cause(word: &str) -> Result<Cause, SqlError> {
    Cause::of_word(word).ok_or_else(|| SqlError::Corrupt(format!("{word:?} is no cause")))
}

/// A row of [`GameRow::COLUMNS`] with the tournament's id behind them.
fn stored_game(row: &mut Row) -> Result<StoredGame, SqlError> {
    let (game, _) = GameRow::of_row(row)?;
    let tournament = row.maybe(GameRow::N_COLUMNS, Row::text)?;
    let key = match (tournament, game.pairing, game.attempt) {
        (Some(tournament), Some(pairing), Some(attempt)) => Some(GameKey {
            tournament: tournament
                .parse()
                .map_err(|_| SqlError::Corrupt(format!("{tournament:?} is no id")))?,
            key: Key { pairing: pairing as u64, attempt },
        }),
        _ => None,
    };
    Ok(StoredGame {
        id: read_id(&game.id)?,
        seq: game.seq as u64,
        key,
        names: list(&game.names)?,
        entrants: list::<Option<i64>>(&game.entrants)?.into_iter().map(|id| id.map(EntrantId)).collect(),
        outcome: read_outcome(game.winners.as_deref(), game.scores.as_deref())?,
        cause: read_cause(&game.cause)?,
        failed: read_failed(&game.failed)?,
        plies: game.plies as u64,
        finished_ms: game.finished_ms,
        sha256: game.sha256,
        spec: game.spec,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_failed_is_read_as_every_version_wrote_it() {
        let seat = |seat, offence| FailedSeat { seat, offence };
        let now = [seat(0, Some(Offence::Timeout)), seat(2, Some(Offence::Crashed))];
        assert_eq!(failed_column(&now), r#"[[0,"timeout"],[2,"crashed"]]"#);
        assert_eq!(read_failed(&failed_column(&now)).unwrap(), now);
        assert_eq!(read_failed("[0,2]").unwrap(), [seat(0, None), seat(2, None)], "before version 3");
        for wrong in ["", "{}", "[[0]]", "[-1]", r#"[["timeout",0]]"#] {
            assert!(read_failed(wrong).is_err(), "{wrong}");
        }
    }
}
