//! The results of a tournament, one after the other: a million of them need no list.

use std::collections::HashMap;
use std::vec;

use rookery_record::Key;
use rookery_referee::Cause;
use rookery_tournament::{Entrant, GameResult};

use crate::games::{FailedSeat, list, read_cause, read_failed, read_id, read_outcome};
use crate::sql::{Row, SqlError, params};
use crate::tournaments::seq_of;
use crate::{EntrantId, GameId, Store, StoreError, TournamentId};

/// How many rows are read at a time: nothing of the store is held between.
const PAGE: i64 = 1000;

/// A result, with the game it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredResult {
    /// The game.
    pub id: GameId,
    /// Pairing and attempt.
    pub key: Key,
    /// How it ended.
    pub result: GameResult,
}

/// The results of a tournament, by pairing; of several attempts the last.
#[derive(Debug)]
pub struct Results {
    store: Store,
    tournament: i64,
    numbers: HashMap<EntrantId, Entrant>,
    after: Key,
    page: vec::IntoIter<StoredResult>,
    is_last: bool,
    /// Read, but another attempt may follow.
    held: Option<StoredResult>,
}

impl Store {
    /// The results of a tournament in the order of pairings, whatever the order in which they came.
    pub fn results(&self, tournament: TournamentId) -> Result<Results, StoreError> {
        let entrants = self.tournament_entrants(tournament)?;
        let tournament = self.read(|sql| seq_of(sql, tournament))?;
        Ok(Results {
            store: self.clone(),
            tournament,
            numbers: entrants.iter().map(|entrant| (entrant.id, entrant.number)).collect(),
            after: Key { pairing: 0, attempt: 0 },
            page: vec![].into_iter(),
            is_last: false,
            held: None,
        })
    }
}

impl Results {
    fn read_page(&mut self) -> Result<(), StoreError> {
        let Self { store, tournament, numbers, after, .. } = self;
        let after_pairing = crate::sql::column(after.pairing)?;
        let page = store.read(|sql| {
            let rows = sql.rows(
                "select games.id, games.pairing, games.attempt, games.entrants, winners, scores, cause, failed, \
                 coalesce(pairings.block, 0) from games \
                 left join pairings on pairings.tournament = games.tournament and pairings.id = games.pairing \
                 where games.tournament = ?1 and (games.pairing, games.attempt) > (?2, ?3) \
                 order by games.pairing, games.attempt limit ?4",
                params![*tournament, after_pairing, after.attempt, PAGE],
            )?;
            let result = |mut row: Row| read_result(&mut row, numbers);
            Ok(rows.into_iter().map(result).collect::<Result<Vec<_>, _>>()?)
        })?;
        self.is_last = (page.len() as i64) < PAGE;
        if let Some(last) = page.last() {
            self.after = last.key;
        }
        self.page = page.into_iter();
        Ok(())
    }

    /// The next game, also of an attempt that another followed.
    fn next_game(&mut self) -> Result<Option<StoredResult>, StoreError> {
        loop {
            if let Some(game) = self.page.next() {
                return Ok(Some(game));
            }
            if self.is_last {
                return Ok(None);
            }
            self.read_page()?;
        }
    }
}

impl Iterator for Results {
    type Item = Result<StoredResult, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_game() {
                // A later attempt at the same pairing takes the place of the one before.
                Ok(Some(game)) => match self.held.replace(game) {
                    Some(held)
                        if self.held.as_ref().is_some_and(|game| game.key.pairing != held.key.pairing) =>
                    {
                        return Some(Ok(held));
                    }
                    _ => {}
                },
                Ok(None) => return self.held.take().map(Ok),
                Err(error) => {
                    (self.is_last, self.held) = (true, None);
                    return Some(Err(error));
                }
            }
        }
    }
}

fn read_result(row: &mut Row, numbers: &HashMap<EntrantId, Entrant>) -> Result<StoredResult, SqlError> {
    let (id, entrants, cause, failed) = (row.text(0)?, row.text(3)?, row.text(6)?, row.text(7)?);
    let (winners, scores) = (row.maybe(4, Row::text)?, row.maybe(5, Row::text)?);
    let unknown =
        || SqlError::Corrupt(format!("game {id}: somebody played who takes no part in the tournament"));
    let entrants = list::<Option<i64>>(&entrants)?
        .into_iter()
        .map(|entrant| {
            entrant.and_then(|entrant| numbers.get(&EntrantId(entrant)).copied()).ok_or_else(unknown)
        })
        .collect::<Result<Vec<Entrant>, _>>()?;
    let cause = read_cause(&cause)?;
    let mut failed_seats = read_failed(&failed)?;
    // Rows of earlier versions have seats alone; of a single one the cause of the game tells the offence.
    if let (Cause::Offence(offence), [only @ FailedSeat { offence: None, .. }]) =
        (cause, &mut failed_seats[..])
    {
        only.offence = Some(offence);
    }
    let who = |failed: &FailedSeat| entrants.get(usize::from(failed.seat)).copied();
    let failed: Vec<Entrant> = failed_seats.iter().filter_map(who).collect();
    let faults = failed_seats.iter().filter_map(|failed| Some((who(failed)?, failed.offence?))).collect();
    let result = GameResult {
        pairing: row.count(1)?,
        block: row.count(8)?,
        outcome: read_outcome(winners.as_deref(), scores.as_deref())?,
        cause,
        failed,
        faults,
        entrants,
    };
    let key = Key { pairing: result.pairing, attempt: row.small(2)? };
    Ok(StoredResult { id: read_id(&id)?, key, result })
}
