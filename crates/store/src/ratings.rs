//! Ratings: what was computed from games, kept to the last bit.

use crate::entrants::bounded;
use crate::sql::{Row, SqlError, Value, column, params};
use crate::tables::{Known, RATINGS};
use crate::{EntrantId, Page, Store, StoreError};

/// The longest name of a pool or a method.
const MAX_WORD: usize = 200;
/// The most numbers of one rating.
const MAX_NUMBERS: usize = 64;

/// What a method says of one entrant.
#[derive(Clone, PartialEq, Debug)]
pub struct Rating {
    /// Who.
    pub entrant: EntrantId,
    /// The method's numbers, whatever they mean; the first is what entrants are ordered by.
    pub numbers: Vec<f64>,
    /// From how many games.
    pub n_games: u64,
}

/// A rating with the name of its entrant and the method it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRating {
    /// The rating.
    pub rating: Rating,
    /// What the entrant is called.
    pub name: String,
    /// The method and its version.
    pub method: String,
}

impl Store {
    /// Puts the ratings of a pool (a tournament, a ladder of a game) in the place of those before, all or nothing.
    pub fn put_ratings(&self, pool: &str, method: &str, ratings: Vec<Rating>) -> Result<(), StoreError> {
        bounded("name of a pool", pool, MAX_WORD)?;
        bounded("name of a method", method, MAX_WORD)?;
        if ratings.iter().any(|rating| !(1..=MAX_NUMBERS).contains(&rating.numbers.len())) {
            return Err(StoreError::refused(format!("expected 1 to {MAX_NUMBERS} numbers for each rating")));
        }
        let (pool, method) = (pool.to_owned(), method.to_owned());
        self.write(move |tx| {
            use crate::sql::Sql as _;
            tx.execute("delete from ratings where pool = ?1", params![pool.as_str()])?;
            let mut rows = vec![];
            for Rating { entrant, numbers, n_games } in &ratings {
                let bits: Vec<u8> =
                    numbers.iter().flat_map(|number| number.to_bits().to_be_bytes()).collect();
                // For the order only: what is no number comes last.
                let order =
                    Some(numbers[0]).filter(|number| !number.is_nan()).map_or(Value::Null, Value::Real);
                rows.extend(RATINGS.sealed(vec![
                    pool.as_str().into(),
                    entrant.0.into(),
                    method.as_str().into(),
                    order,
                    Value::Blob(bits),
                    column(*n_games)?.into(),
                ]));
            }
            RATINGS.write(tx, &rows, Known::Refused)?;
            Ok(())
        })
    }

    /// The ratings of a pool, the best first; `page.before` counts places here: those behind so many.
    pub fn ratings(&self, pool: &str, page: Page) -> Result<Vec<StoredRating>, StoreError> {
        let offset = column(page.before.unwrap_or(0))?;
        let (_, limit) = page.bounds();
        self.read(|sql| {
            let rows = sql.rows(
                "select ratings.entrant, numbers, n_games, entrants.name, method from ratings \
                 join entrants on entrants.id = ratings.entrant where pool = ?1 \
                 order by case when rating is null then 1 else 0 end, rating desc, ratings.entrant limit ?2 offset ?3",
                params![pool, limit, offset],
            )?;
            Ok(rows.into_iter().map(|mut row| stored(&mut row)).collect::<Result<_, _>>()?)
        })
    }

    /// The pools that have ratings.
    pub fn rating_pools(&self) -> Result<Vec<String>, StoreError> {
        self.read(|sql| {
            let rows = sql.rows("select distinct pool from ratings order by pool limit 10000", &[])?;
            Ok(rows.into_iter().map(|mut row| row.text(0)).collect::<Result<_, _>>()?)
        })
    }
}

fn stored(row: &mut Row) -> Result<StoredRating, SqlError> {
    let bits = row.blob(1)?;
    let (numbers, rest) = bits.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(SqlError::Corrupt("a rating holds half a number".to_owned()));
    }
    let numbers = numbers.iter().map(|bits| f64::from_bits(u64::from_be_bytes(*bits))).collect();
    let rating = Rating { entrant: EntrantId(row.int(0)?), numbers, n_games: row.count(2)? };
    Ok(StoredRating { rating, name: row.text(3)?, method: row.text(4)? })
}
