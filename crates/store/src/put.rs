//! Storing a game within a transaction: found if it was stored before, bound to its pairing and its entrants, chained.

use rookery_record::Key;

use crate::chain::{GameRow, Head};
use crate::entrants::{EntrantKind, entrant_of};
use crate::facts::Facts;
use crate::games::{GameKey, Named, NewGame, Stored, failed_column, json, read_id};
use crate::sql::{Fault, Sql, SqlError, column, params};
use crate::tournaments::seq_of;
use crate::writer::Tx;
use crate::{EntrantId, GameId, Hash, StoreError, pairings};

/// Stores a game, once.
pub(crate) fn put(tx: &mut Tx<'_>, game: &NewGame, facts: &Facts, packed: &[u8]) -> Result<Stored, Fault> {
    let place = match game.named {
        Named::Key(GameKey { tournament, key }) => Some((tournament_seq(tx, tournament)?, key)),
        _ => None,
    };
    let id = if let (Some(id), Some((tournament, key))) = (expected(tx, &game.named, place), place) {
        let (state, next) = pairings::after_game(key, facts.cause);
        tx.late().played(tournament, key, column(key.pairing)?, state, next);
        id
    } else {
        match find(tx, &game.named, place, facts)? {
            Found::Stored(id, sha256) if sha256 == facts.sha256 => return Ok(Stored { id, is_new: false }),
            Found::Stored(id, stored) => {
                let (game, given) = (id.to_string(), facts.sha256);
                return Err(StoreError::Conflict { game, stored, given }.into());
            }
            Found::Free(id) => {
                if let Some((tournament, key)) = place {
                    pairings::played(tx, tournament, key, facts.cause)?;
                }
                id
            }
        }
    };
    let entrants = entrants(tx, game, facts, place.map(|(tournament, _)| tournament))?;
    let head = match tx.head {
        Some(head) => head,
        None => Head::read(tx)?,
    };
    let row = game_row(head.seq + 1, id, place, game, facts, &entrants)?;
    let (values, head) = row.values(&head);
    tx.head = Some(head);
    let mut ids: Vec<i64> = entrants.into_iter().flatten().map(|entrant| entrant.0).collect();
    ids.sort_unstable();
    ids.dedup();
    tx.late().add(id, (values, head), packed, &ids);
    if tx.one_by_one {
        tx.flush()?;
    }
    Ok(Stored { id, is_new: true })
}

/// The id of a game that most likely is not stored yet, so that nobody has to look: whether it is shows when all games of the
/// transaction are written.
fn expected(tx: &Tx<'_>, named: &Named, place: Option<(i64, Key)>) -> Option<GameId> {
    let Named::Key(game) = named else { return None };
    let id = game.id_with(0);
    (!tx.one_by_one && !tx.waits(id, place)).then_some(id)
}

/// The number of a tournament, asked for once a transaction.
pub(crate) fn tournament_seq(tx: &mut Tx<'_>, id: crate::TournamentId) -> Result<i64, Fault> {
    if let Some(&seq) = tx.tournaments.get(&id) {
        return Ok(seq);
    }
    let seq = seq_of(tx.beside(), id)?;
    tx.tournaments.insert(id, seq);
    Ok(seq)
}

/// Whether a game is stored already.
enum Found {
    /// Not yet; it gets this id.
    Free(GameId),
    /// This is its id, and the hash of its record.
    Stored(GameId, Hash),
}

/// Looks for the game by what it is named by.
fn find(sql: &mut dyn Sql, named: &Named, place: Option<(i64, Key)>, facts: &Facts) -> Result<Found, Fault> {
    let (Some((tournament, key)), Named::Key(game)) = (place, named) else {
        let id = match named {
            Named::Id(id) => *id,
            _ => GameId::made_of(&facts.sha256.0),
        };
        let row = sql.row("select sha256 from games where id = ?1", params![id.as_str()])?;
        return Ok(match row {
            Some(mut row) => Found::Stored(id, crate::chain::hash(&mut row, 0)?),
            None => Found::Free(id),
        });
    };
    // Two places give the same id once in many stores; then the second one gets another.
    for salt in 0_u32.. {
        let id = game.id_with(salt);
        let rows = sql.rows(
            "select id, sha256, tournament, pairing, attempt from games \
             where (tournament = ?1 and pairing = ?2 and attempt = ?3) or id = ?4",
            params![tournament, column(key.pairing)?, key.attempt, id.as_str()],
        )?;
        let mut is_taken = false;
        for mut row in rows {
            let number = |row: &mut crate::sql::Row, idx| row.int(idx);
            let there = (row.maybe(2, number)?, row.maybe(3, number)?, row.maybe(4, number)?);
            if there == (Some(tournament), Some(column(key.pairing)?), Some(i64::from(key.attempt))) {
                return Ok(Found::Stored(read_id(&row.text(0)?)?, crate::chain::hash(&mut row, 1)?));
            }
            is_taken = true;
        }
        if !is_taken {
            return Ok(Found::Free(id));
        }
    }
    Err(SqlError::Corrupt("every id is taken".to_owned()).into())
}

/// Who sat where: as it was said, by the tournament's list, or by name.
fn entrants(
    tx: &mut Tx<'_>,
    game: &NewGame,
    facts: &Facts,
    tournament: Option<i64>,
) -> Result<Vec<Option<EntrantId>>, Fault> {
    let seats = &facts.spec.seats;
    if let Some(entrants) = &game.entrants {
        if entrants.len() != seats.len() {
            let (given, expected) = (entrants.len(), seats.len());
            return Err(
                StoreError::refused(format!("there are {given} entrants for {expected} seats")).into()
            );
        }
        return Ok(entrants.clone());
    }
    seats
        .iter()
        .map(|seat| match tournament {
            Some(tournament) => {
                if let Some(&entrant) = tx.entrants.get(&(tournament, seat.name.clone())) {
                    return Ok(Some(entrant));
                }
                let row = tx.beside().row(
                    "select entrants.id from tournament_entrants \
                     join entrants on entrants.id = tournament_entrants.entrant \
                     where tournament_entrants.tournament = ?1 and entrants.folded = ?2",
                    params![tournament, seat.name.to_lowercase()],
                )?;
                let row = row.ok_or_else(|| StoreError::unknown("entrant of the tournament", &seat.name))?;
                let entrant = EntrantId(row.int(0)?);
                tx.entrants.insert((tournament, seat.name.clone()), entrant);
                Ok(Some(entrant))
            }
            None => match EntrantKind::of_seat(&seat.player) {
                // Whoever sits down under somebody's name is not them by that.
                EntrantKind::Person => Ok(None),
                kind => match entrant_of(tx.beside(), &seat.name, kind) {
                    Ok(entrant) => Ok(Some(entrant)),
                    Err(Fault::Refused(_)) => Ok(None),
                    Err(error) => Err(error),
                },
            },
        })
        .collect()
}

fn game_row(
    seq: i64,
    id: GameId,
    tournament: Option<(i64, Key)>,
    game: &NewGame,
    facts: &Facts,
    entrants: &[Option<EntrantId>],
) -> Result<GameRow, Fault> {
    let names: Vec<&str> = facts.spec.seats.iter().map(|seat| seat.name.as_str()).collect();
    let entrants: Vec<Option<i64>> =
        entrants.iter().map(|entrant| entrant.map(|entrant| entrant.0)).collect();
    let outcome = facts.outcome.as_ref();
    let winners =
        outcome.map(|outcome| outcome.winners.iter().map(|seat| seat.index() as u8).collect::<Vec<_>>());
    Ok(GameRow {
        seq,
        id: id.to_string(),
        tournament: tournament.map(|(seq, _)| seq),
        pairing: tournament.map(|(_, key)| column(key.pairing)).transpose()?,
        attempt: tournament.map(|(_, key)| key.attempt),
        game: facts.game.clone(),
        spec: facts.spec.game.clone(),
        names: json(&names),
        entrants: json(&entrants),
        winners: winners.map(|winners| json(&winners)),
        scores: outcome.map(|outcome| json(&outcome.scores.as_slice())),
        cause: facts.cause.word().to_owned(),
        failed: failed_column(&facts.failed),
        plies: column(facts.plies)?,
        finished_ms: game.finished_ms,
        record_bytes: column(game.record.len() as u64)?,
        sha256: facts.sha256,
    })
}
