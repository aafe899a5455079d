//! Tournaments, who takes part, and their rounds.

use rookery_rules::Seed;
use rookery_tournament::{Change, Entrant};

use crate::course::{MAX_HOW, insert_changes, keep_how};
use crate::entrants::{MAX_NOTE, bounded, entrant_of};
use crate::sql::{Fault, Row, Sql, SqlError, column, next_number, params};
use crate::store::now_ms;
use crate::tables::{Known, ROUNDS, TOURNAMENT_ENTRANTS, TOURNAMENTS};
use crate::{EntrantId, EntrantKind, Page, Receipt, Store, StoreError, TournamentId};

/// The longest spec of a tournament, in bytes.
const MAX_SPEC: usize = 4 << 20;
/// The most entrants of a tournament.
const MAX_ENTRANTS: usize = 100_000;

/// How far a tournament is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TournamentState {
    /// Entrants may sign up, nothing was played.
    Open,
    /// It is played.
    Running,
    /// It was stopped and can go on.
    Paused,
    /// All games are played.
    Finished,
    /// It will not go on.
    Cancelled,
}

impl TournamentState {
    const ALL: [Self; 5] = [Self::Open, Self::Running, Self::Paused, Self::Finished, Self::Cancelled];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more is played.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }

    /// The state with this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// A tournament that is to be stored.
#[derive(Clone, Debug)]
pub struct NewTournament {
    /// Everything that was agreed, as JSON.
    pub spec: String,
    /// Where its randomness comes from.
    pub seed: Seed,
    /// Who takes part, numbered in this order.
    pub entrants: Vec<NewEntrant>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewEntrant {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: EntrantKind,
    /// The seat spec it plays by.
    pub player: String,
    /// Which version of a bot it is, if that is known.
    pub version: Option<u64>,
}

/// A tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredTournament {
    /// Its id.
    pub id: TournamentId,
    /// Its number, in the order of creation.
    pub seq: u64,
    /// Everything that was agreed, as JSON.
    pub spec: String,
    /// Where its randomness comes from.
    pub seed: Seed,
    /// How far it is.
    pub state: TournamentState,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Which tournaments are wanted.
#[derive(Clone, Default, Debug)]
pub struct TournamentFilter {
    /// In this state.
    pub state: Option<TournamentState>,
    /// Those that are not over.
    pub unfinished: bool,
}

/// Somebody who takes part in a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentEntrant {
    /// The number in this tournament.
    pub number: Entrant,
    /// The number in the store.
    pub id: EntrantId,
    /// The name.
    pub name: String,
    /// The seat spec it plays by.
    pub player: String,
    /// Which version of a bot it is.
    pub version: Option<u64>,
    /// Whether it has not left.
    pub present: bool,
}

/// A round of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// From 1.
    pub number: u32,
    /// What is to be known of it, as the format says.
    pub note: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

impl Store {
    /// Stores a tournament with its entrants, all or nothing.
    pub fn create_tournament(&self, new: NewTournament) -> Result<TournamentId, StoreError> {
        self.create_tournament_held(new, None)
    }

    /// The same with how it is held ([`Store::how`]), in one piece: after a power cut both are there, or neither.
    pub fn create_tournament_held(
        &self,
        new: NewTournament,
        how: Option<String>,
    ) -> Result<TournamentId, StoreError> {
        let id = TournamentId::random();
        self.insert_tournament(id, now_ms(), new, how)?;
        Ok(id)
    }

    /// The same for one that comes from elsewhere, with the id and the date it has there. Whether it is new: the same one
    /// is stored once, and another one of the same id is refused.
    pub fn import_tournament(
        &self,
        id: TournamentId,
        created_ms: i64,
        new: NewTournament,
    ) -> Result<bool, StoreError> {
        self.insert_tournament(id, created_ms, new, None)
    }

    fn insert_tournament(
        &self,
        id: TournamentId,
        created_ms: i64,
        new: NewTournament,
        how: Option<String>,
    ) -> Result<bool, StoreError> {
        bounded("text on how a tournament is held", how.as_deref().unwrap_or_default(), MAX_HOW)?;
        bounded("spec of a tournament", &new.spec, MAX_SPEC)?;
        if new.entrants.len() > MAX_ENTRANTS {
            let given = new.entrants.len();
            return Err(StoreError::refused(format!("{given} entrants; expected {MAX_ENTRANTS} at most")));
        }
        self.write(move |tx| {
            let known = tx.row("select spec, seed from tournaments where id = ?1", params![id.as_str()])?;
            if let Some(mut row) = known {
                if (row.text(0)?, row.text(1)?) == (new.spec.clone(), new.seed.0.to_string()) {
                    return Ok(false);
                }
                return Err(StoreError::refused(format!(
                    "tournament {id} is stored already, with another spec; the first one stays"
                ))
                .into());
            }
            let seq = next_number(tx, "tournaments", "seq")?;
            let open = TournamentState::Open.word();
            let row = params![seq, id.as_str(), new.spec.as_str(), new.seed.0.to_string(), open, created_ms];
            TOURNAMENTS.put(tx, row, Known::Refused)?;
            for (number, entrant) in (0..).zip(&new.entrants) {
                enter(tx, seq, number, entrant)?;
            }
            if let Some(how) = &how {
                keep_how(tx, seq, how)?;
            }
            Ok(true)
        })
    }

    /// A tournament.
    pub fn tournament(&self, id: TournamentId) -> Result<StoredTournament, StoreError> {
        self.read(|sql| {
            let row = sql.row(
                "select id, seq, spec, seed, state, created_ms from tournaments where id = ?1",
                params![id.as_str()],
            )?;
            Ok(stored(&mut row.ok_or_else(|| StoreError::unknown("tournament", id))?)?)
        })
    }

    /// Tournaments, the latest first.
    pub fn tournaments(
        &self,
        filter: &TournamentFilter,
        page: Page,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        let (before, limit) = page.bounds();
        let state = filter.state.map_or("", TournamentState::word);
        self.read(|sql| {
            let rows = sql.rows(
                "select id, seq, spec, seed, state, created_ms from tournaments where seq < ?1 \
                 and (?2 = '' or state = ?2) and (?3 = 0 or state not in ('finished', 'cancelled')) \
                 order by seq desc limit ?4",
                params![before, state, filter.unfinished, limit],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// Says how far a tournament is.
    pub fn set_tournament_state(&self, id: TournamentId, state: TournamentState) -> Result<(), StoreError> {
        self.write(move |tx| {
            let set = [("state", state.word().into())];
            let n = TOURNAMENTS.change(tx, "id = ?1", params![id.as_str()], &set)?;
            if n == 1 { Ok(()) } else { Err(StoreError::unknown("tournament", id).into()) }
        })
    }

    /// Somebody comes later. The number it has in this tournament.
    pub fn add_entrant(&self, tournament: TournamentId, entrant: NewEntrant) -> Result<Entrant, StoreError> {
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            let row =
                tx.row("select count(*) from tournament_entrants where tournament = ?1", params![seq])?;
            let number = row.map_or(Ok(0), |row| row.small(0))?;
            if number as usize >= MAX_ENTRANTS {
                return Err(StoreError::refused(format!("expected {MAX_ENTRANTS} entrants at most")).into());
            }
            enter(tx, seq, number, &entrant)?;
            Ok(Entrant(number))
        })
    }

    /// Says anew who takes part, all or nothing, while people may still sign up: the spec with everybody, numbered in this
    /// order.
    pub fn set_entrants(
        &self,
        tournament: TournamentId,
        spec: &str,
        entrants: Vec<NewEntrant>,
    ) -> Result<(), StoreError> {
        bounded("spec of a tournament", spec, MAX_SPEC)?;
        let spec = spec.to_owned();
        self.write(move |tx| {
            let (meant, set) = (
                params![tournament.as_str(), TournamentState::Open.word()],
                [("spec", spec.as_str().into())],
            );
            let n = TOURNAMENTS.change(tx, "id = ?1 and state = ?2", meant, &set)?;
            let seq = seq_of(tx, tournament)?;
            if n == 0 {
                return Err(StoreError::refused(format!("tournament {tournament} has begun already")).into());
            }
            tx.execute("delete from tournament_entrants where tournament = ?1", params![seq])?;
            for (number, entrant) in (0..).zip(&entrants) {
                enter(tx, seq, number, entrant)?;
            }
            Ok(())
        })
    }

    /// Keeps that somebody came late (`new`) or left, all or nothing: the spec with everybody, who came and went so far, who is
    /// still there. Pairings that nobody has played are forgotten, because they are made anew.
    pub fn change_entrants(
        &self,
        tournament: TournamentId,
        spec: &str,
        new: Option<NewEntrant>,
        changes: &[Change],
    ) -> Result<(), StoreError> {
        bounded("spec of a tournament", spec, MAX_SPEC)?;
        let (spec, changes) = (spec.to_owned(), changes.to_vec());
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            // Their records name those who were to play, and a round without a game would be paired anew.
            let owed = "select 1 from pairings where tournament = ?1 and state <> 'done' and attempt > 1 and not exists \
                        (select 1 from pairings others where others.tournament = pairings.tournament \
                        and others.state = 'done' and coalesce(others.round, -1) = coalesce(pairings.round, -1)) limit 1";
            if tx.row(owed, params![seq])?.is_some() {
                return Err(StoreError::refused(
                    "games that failed because of us are to be played again first: go on with the tournament until a game of \
                     this round is over, and change then who takes part",
                )
                .into());
            }
            TOURNAMENTS.change(tx, "seq = ?1", params![seq], &[("spec", spec.as_str().into())])?;
            if let Some(new) = &new {
                let row =
                    tx.row("select count(*) from tournament_entrants where tournament = ?1", params![seq])?;
                enter(tx, seq, row.map_or(Ok(0), |row| row.small(0))?, new)?;
            }
            insert_changes(tx, seq, &changes)?;
            TOURNAMENT_ENTRANTS.change(
                tx,
                "tournament = ?1 and present <> 0 and number in \
                 (select entrant from changes where tournament = ?1 and joins = 0)",
                params![seq],
                &[("present", false.into())],
            )?;
            tx.execute(
                "delete from pairings where tournament = ?1 and state = 'open' and attempt = 1",
                params![seq],
            )?;
            Ok(())
        })
    }

    /// Says whether somebody still takes part.
    pub fn set_present(
        &self,
        tournament: TournamentId,
        entrant: Entrant,
        present: bool,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let seq = seq_of(tx, tournament)?;
            let (meant, set) = (params![seq, entrant.0], [("present", present.into())]);
            let n = TOURNAMENT_ENTRANTS.change(tx, "tournament = ?1 and number = ?2", meant, &set)?;
            if n == 1 {
                Ok(())
            } else {
                Err(StoreError::unknown("entrant of the tournament", entrant.0).into())
            }
        })
    }

    /// Who takes part, by number.
    pub fn tournament_entrants(
        &self,
        tournament: TournamentId,
    ) -> Result<Vec<TournamentEntrant>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let rows = sql.rows(
                "select number, entrants.id, name, player, version, present from tournament_entrants \
                 join entrants on entrants.id = tournament_entrants.entrant where tournament = ?1 order by number",
                params![seq],
            )?;
            let entrant = |mut row: Row| -> Result<TournamentEntrant, SqlError> {
                Ok(TournamentEntrant {
                    number: Entrant(row.small(0)?),
                    id: EntrantId(row.int(1)?),
                    name: row.text(2)?,
                    player: row.text(3)?,
                    version: row.maybe(4, |row, idx| row.count(idx))?,
                    present: row.int(5)? == 1,
                })
            };
            Ok(rows.into_iter().map(entrant).collect::<Result<_, _>>()?)
        })
    }

    /// Stores what is to be known of a round, once: the first note stays.
    pub fn put_round(&self, tournament: TournamentId, number: u32, note: &str) -> Result<(), StoreError> {
        self.submit_round(tournament, number, note).wait()
    }

    /// The same without waiting for it.
    pub fn submit_round(&self, tournament: TournamentId, number: u32, note: &str) -> Receipt<()> {
        if let Err(error) = bounded("note of a round", note, MAX_NOTE) {
            return Receipt::failed(error);
        }
        let note = note.to_owned();
        self.submit(true, move |tx| {
            let seq = seq_of(tx, tournament)?;
            ROUNDS.put(tx, params![seq, number, note.as_str(), now_ms()], Known::Stays)?;
            Ok(())
        })
    }

    /// The rounds so far.
    pub fn rounds(&self, tournament: TournamentId) -> Result<Vec<Round>, StoreError> {
        self.read(|sql| {
            let seq = seq_of(sql, tournament)?;
            let rows = sql.rows(
                "select number, note, created_ms from rounds where tournament = ?1 order by number",
                params![seq],
            )?;
            let round = |mut row: Row| -> Result<Round, SqlError> {
                Ok(Round { number: row.small(0)?, note: row.text(1)?, created_ms: row.int(2)? })
            };
            Ok(rows.into_iter().map(round).collect::<Result<_, _>>()?)
        })
    }
}

fn enter(sql: &mut dyn Sql, tournament: i64, number: u32, new: &NewEntrant) -> Result<(), Fault> {
    bounded("seat spec", &new.player, 8192)?;
    let entrant = entrant_of(sql, &new.name, new.kind)?;
    let known = "select 1 from tournament_entrants where tournament = ?1 and entrant = ?2";
    if sql.row(known, params![tournament, entrant.0])?.is_some() {
        return Err(
            StoreError::NameTaken { name: new.name.clone(), kind: "entrant of this tournament" }.into()
        );
    }
    let version = new.version.map(column).transpose()?;
    let row = params![tournament, number, entrant.0, new.player.as_str(), version, true];
    TOURNAMENT_ENTRANTS.put(sql, row, Known::Refused)?;
    Ok(())
}

/// The number that the other tables know a tournament by.
pub(crate) fn seq_of(sql: &mut dyn Sql, id: TournamentId) -> Result<i64, Fault> {
    let row = sql.row("select seq from tournaments where id = ?1", params![id.as_str()])?;
    Ok(row.ok_or_else(|| StoreError::unknown("tournament", id))?.int(0)?)
}

fn stored(row: &mut Row) -> Result<StoredTournament, SqlError> {
    let (id, seed, state) = (row.text(0)?, row.text(3)?, row.text(4)?);
    let wrong = |what: &str| SqlError::Corrupt(format!("{what:?} in a row of `tournaments`"));
    Ok(StoredTournament {
        id: id.parse().map_err(|_| wrong(&id))?,
        seq: row.count(1)?,
        spec: row.text(2)?,
        seed: Seed(seed.parse().map_err(|_| wrong(&seed))?),
        state: TournamentState::of_word(&state).ok_or_else(|| wrong(&state))?,
        created_ms: row.int(5)?,
    })
}
