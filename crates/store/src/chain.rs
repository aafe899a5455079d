//! The rows of games, and the chain that binds each to the one before.

use sha2::{Digest, Sha256};

use crate::Hash;
use crate::sql::{Row, Sql, SqlError, Value, params};

/// The end of the chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) seq: i64,
    pub(crate) chain: Hash,
}

impl Head {
    /// Before the first game.
    const START: Self = Self { seq: 0, chain: Hash([0; 32]) };

    /// The last game that is stored.
    pub(crate) fn read(sql: &mut dyn Sql) -> Result<Self, SqlError> {
        let row = sql.row("select seq, chain from games order by seq desc limit 1", &[])?;
        row.map_or(Ok(Self::START), Self::of_row)
    }

    /// Keeps it as the end of the chain.
    pub(crate) fn keep(self, sql: &mut dyn Sql) -> Result<(), SqlError> {
        sql.execute(
            "insert into chain_end (id, seq, chain) values (1, ?1, ?2) \
             on conflict (id) do update set seq = excluded.seq, chain = excluded.chain",
            params![self.seq, self.chain.0.as_slice()],
        )?;
        Ok(())
    }

    /// The game before this one, if it is there.
    pub(crate) fn before(sql: &mut dyn Sql, seq: i64) -> Result<Option<Self>, SqlError> {
        if seq <= 1 {
            return Ok(Some(Self::START));
        }
        let row = sql.row("select seq, chain from games where seq = ?1", params![seq - 1])?;
        row.map(Self::of_row).transpose()
    }

    fn of_row(mut row: Row) -> Result<Self, SqlError> {
        Ok(Self { seq: row.int(0)?, chain: hash(&mut row, 1)? })
    }
}

/// A row of `games`, as the columns have it.
#[derive(Clone, Debug)]
pub(crate) struct GameRow {
    pub(crate) seq: i64,
    pub(crate) id: String,
    pub(crate) tournament: Option<i64>,
    pub(crate) pairing: Option<i64>,
    pub(crate) attempt: Option<u32>,
    pub(crate) game: String,
    pub(crate) spec: String,
    pub(crate) names: String,
    pub(crate) entrants: String,
    pub(crate) winners: Option<String>,
    pub(crate) scores: Option<String>,
    pub(crate) cause: String,
    pub(crate) failed: String,
    pub(crate) plies: i64,
    pub(crate) finished_ms: i64,
    pub(crate) record_bytes: i64,
    pub(crate) sha256: Hash,
}

/// What stands before the values of a row.
pub(crate) const INSERT: &str = "insert into games (seq, id, tournament, pairing, attempt, game, spec, names, entrants, winners, \
                                 scores, cause, failed, plies, finished_ms, record_bytes, sha256, chain) values";

impl GameRow {
    /// The columns in the order of [`GameRow::of_row`]; `games` may have another name in a query.
    pub(crate) const COLUMNS: &str = "games.seq, games.id, games.tournament, games.pairing, games.attempt, games.game, \
         games.spec, games.names, games.entrants, games.winners, games.scores, games.cause, games.failed, games.plies, \
         games.finished_ms, games.record_bytes, games.sha256, games.chain";
    /// How many they are.
    pub(crate) const N_COLUMNS: usize = 18;

    /// The row, and the hash of the chain that it holds.
    pub(crate) fn of_row(row: &mut Row) -> Result<(Self, Hash), SqlError> {
        let text = Row::text;
        let number = |row: &mut Row, idx| row.int(idx);
        let game = Self {
            seq: row.int(0)?,
            id: row.text(1)?,
            tournament: row.maybe(2, number)?,
            pairing: row.maybe(3, number)?,
            attempt: row.maybe(4, |row, idx| row.small(idx))?,
            game: row.text(5)?,
            spec: row.text(6)?,
            names: row.text(7)?,
            entrants: row.text(8)?,
            winners: row.maybe(9, text)?,
            scores: row.maybe(10, text)?,
            cause: row.text(11)?,
            failed: row.text(12)?,
            plies: row.int(13)?,
            finished_ms: row.int(14)?,
            record_bytes: row.int(15)?,
            sha256: hash(row, 16)?,
        };
        Ok((game, hash(row, 17)?))
    }

    /// The link: a hash over the one before and over everything in this row.
    pub(crate) fn chain(&self, before: &Hash) -> Hash {
        let mut hash = Sha256::new();
        let mut field = |bytes: &[u8]| {
            // With its length before it no two rows give the same bytes.
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
        field(&before.0);
        for text in [&number(Some(self.seq)), &self.id, &number(self.tournament), &number(self.pairing)] {
            field(text.as_bytes());
        }
        field(number(self.attempt.map(i64::from)).as_bytes());
        for text in [&self.game, &self.spec, &self.names, &self.entrants] {
            field(text.as_bytes());
        }
        for text in [&self.winners, &self.scores] {
            field(text.as_deref().unwrap_or_default().as_bytes());
        }
        for text in [&self.cause, &self.failed] {
            field(text.as_bytes());
        }
        for count in [self.plies, self.finished_ms, self.record_bytes] {
            field(&count.to_be_bytes());
        }
        field(&self.sha256.0);
        Hash(hash.finalize().into())
    }

    /// The values of the row behind the last one, and the end of the chain then.
    pub(crate) fn values(&self, head: &Head) -> ([Value; Self::N_COLUMNS], Head) {
        let chain = self.chain(&head.chain);
        let values = [
            self.seq.into(),
            self.id.as_str().into(),
            self.tournament.into(),
            self.pairing.into(),
            self.attempt.into(),
            self.game.as_str().into(),
            self.spec.as_str().into(),
            self.names.as_str().into(),
            self.entrants.as_str().into(),
            self.winners.as_deref().into(),
            self.scores.as_deref().into(),
            self.cause.as_str().into(),
            self.failed.as_str().into(),
            self.plies.into(),
            self.finished_ms.into(),
            self.record_bytes.into(),
            self.sha256.0.as_slice().into(),
            chain.0.as_slice().into(),
        ];
        (values, Head { seq: self.seq, chain })
    }
}

/// A column that holds a hash.
pub(crate) fn hash(row: &mut Row, idx: usize) -> Result<Hash, SqlError> {
    Hash::of_column(&row.blob(idx)?)
        .ok_or_else(|| SqlError::Corrupt(format!("column {idx} holds no SHA-256")))
}
