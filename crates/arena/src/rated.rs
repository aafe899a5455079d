//! The ratings of a tournament, kept in its store.

use rookery_report::{Evaluation, RatingOptions, Ratings};
use rookery_store::{Rating, Store, StoreError, TournamentId};

use crate::{ArenaError, Tournament};

/// The name under which the ratings of a tournament are kept.
pub fn pool(id: TournamentId) -> String {
    format!("tournament {id}")
}

/// Keeps ratings in the store, to the last bit.
pub fn keep(
    id: TournamentId,
    store: &Store,
    ratings: &Ratings,
    evaluation: &Evaluation,
) -> Result<(), StoreError> {
    store.put_ratings(&pool(id), &ratings.method(), rows(id, store, ratings, evaluation)?)
}

/// Adds every result of a tournament that is stored.
pub fn evaluate(tournament: &Tournament, mut evaluation: Evaluation) -> Result<Evaluation, ArenaError> {
    for result in tournament.results()? {
        evaluation.add(&result?);
    }
    Ok(evaluation)
}

/// Rates everybody by the games that are stored, and keeps that, if there is anything to go by.
pub fn keep_stored(tournament: &Tournament, store: &Store) -> Result<(), ArenaError> {
    let evaluation = evaluate(tournament, Evaluation::new(tournament.spec()))?;
    match Ratings::fit(&evaluation, &RatingOptions::default()) {
        Ok(ratings) => Ok(keep(tournament.id(), store, &ratings, &evaluation)?),
        Err(_) => Ok(()),
    }
}

/// Ratings as the store keeps them.
pub fn rows(
    id: TournamentId,
    store: &Store,
    ratings: &Ratings,
    evaluation: &Evaluation,
) -> Result<Vec<Rating>, StoreError> {
    let entrants = store.tournament_entrants(id)?;
    let table = evaluation.standings().table(&evaluation.spec().tie_breaks(), &[]);
    let games = |number| table.iter().find(|row| row.entrant == number).map_or(0, |row| row.games);
    let rows = entrants.iter().map(|entrant| Rating {
        entrant: entrant.id,
        numbers: ratings.numbers(entrant.number),
        n_games: games(entrant.number),
    });
    Ok(rows.filter(|row| !row.numbers.is_empty()).collect())
}
