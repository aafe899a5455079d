//! Balanced boards: the most even of many positions, the same ones on any machine.

use std::collections::BTreeSet;

use rookery_catalog::AnyGame;
use rookery_live::board_seed;
use rookery_rules::{GameSpec, Seed, Status, below};
use rookery_search::Budget;
use rookery_study::advise_by_playouts;
use rookery_tournament::{Balanced, Opening, TournamentSpec};

use crate::ArenaError;
use crate::boards::seated;

/// For each board so many positions are looked at.
const CHOICE: usize = 6;
/// Random games that the judge plays from a position. A number, not a time, so that it finds the same everywhere.
const PLAYOUTS: u64 = 400;
/// What the boards are called together.
const SET: &str = "balanced";
/// What the randomness of boards is derived with, apart from that of games.
const BOARDS: u64 = 0x0062_6f61_7264;

/// The openings of a tournament with balanced boards: those that it names, of each of its games.
pub(crate) fn openings(tournament: &TournamentSpec, balanced: Balanced) -> Result<Vec<Opening>, ArenaError> {
    let several = tournament.games.len() > 1;
    let mut openings = vec![];
    for (number, named) in (0..).zip(&tournament.games) {
        let (game, spec) = seated(named, tournament.seats)?;
        let seed = board_seed(tournament.seed, tournament.seed.derive(BOARDS).derive(number));
        let boards = of_game(game, &spec, balanced, seed)
            .map_err(|error| ArenaError::Agreed(format!("{named}: {error}")))?;
        let opening = |position| Opening {
            set: Some(SET.to_owned()),
            name: None,
            game: several.then(|| named.clone()),
            position: Some(position),
            moves: vec![],
        };
        openings.extend(boards.into_iter().map(opening));
    }
    Ok(openings)
}

/// The most even positions of a game, the most even one first.
fn of_game(
    game: &dyn AnyGame,
    spec: &GameSpec,
    balanced: Balanced,
    seed: Seed,
) -> Result<Vec<String>, String> {
    let mut judged = judged(game, spec, balanced, seed)?;
    if judged.len() < balanced.boards {
        return Err(format!(
            "{} different positions after {} random moves were found, {} boards were asked for; ask for fewer boards, \
             or for more `plies` before each",
            judged.len(),
            balanced.plies,
            balanced.boards
        ));
    }
    // Equal ones stay in the order in which they were found.
    judged.sort_by(|one, other| one.0.total_cmp(&other.0));
    judged.truncate(balanced.boards);
    Ok(judged.into_iter().map(|(_, position)| position).collect())
}

/// Different positions, each with how far it is from even.
fn judged(
    game: &dyn AnyGame,
    spec: &GameSpec,
    balanced: Balanced,
    seed: Seed,
) -> Result<Vec<(f32, String)>, String> {
    let mut judged: Vec<(f32, String)> = vec![];
    let mut known = BTreeSet::new();
    for number in 0..(balanced.boards * CHOICE) as u64 {
        let seed = seed.derive(number);
        let start = game.start(&game.vary(spec, seed));
        let mut position = start.map_err(|error| error.to_string())?;
        let mut rng = seed.derive(1).rng();
        for _ in 0..balanced.plies {
            let n_moves = position.moves().len();
            if n_moves == 0 {
                break;
            }
            let chosen = below(&mut rng, n_moves as u32) as usize;
            position.play_index(chosen).map_err(|error| error.to_string())?;
        }
        if !matches!(position.status(), Status::ToMove(_)) || !known.insert(position.text()) {
            continue;
        }
        let budget = Budget { work: Some(PLAYOUTS), seed: seed.derive(2), ..Budget::default() };
        let mut value = None;
        advise_by_playouts(game.name(), &*position, &budget, 1, &mut |advice| {
            value = advice.lines.first().map(|line| line.value);
        });
        if let Some(value) = value {
            let even = 1.0 / position.n_seats() as f32;
            judged.push(((value - even).abs(), position.text()));
        }
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_even_positions_are_taken_and_a_seed_gives_the_same_ones() {
        let (game, spec) = seated("fish:rows=3,cols=4", 2).expect("there is such a board");
        let balanced = Balanced { boards: 2, plies: 6 };
        let chosen = of_game(game, &spec, balanced, Seed(7)).expect("there are enough");
        assert_eq!(chosen.len(), 2);
        assert_eq!(of_game(game, &spec, balanced, Seed(7)).as_ref(), Ok(&chosen));
        assert_ne!(of_game(game, &spec, balanced, Seed(8)).as_ref(), Ok(&chosen));
        let all = judged(game, &spec, balanced, Seed(7)).expect("as before");
        let distances = |is_chosen: bool| -> Vec<f32> {
            let of_kind = all.iter().filter(|(_, text)| chosen.contains(text) == is_chosen);
            of_kind.map(|(distance, _)| *distance).collect()
        };
        let (taken, left) = (distances(true), distances(false));
        let most = taken.iter().copied().fold(0.0, f32::max);
        let least = left.iter().copied().fold(1.0, f32::min);
        assert!(taken.len() == 2 && left.len() > 4 && most <= least, "{taken:?} {left:?}");
        let worst = left.iter().copied().fold(0.0, f32::max);
        assert!(worst > most, "some are less even: {taken:?} {left:?}");
    }

    /// Everybody sees the boards: nobody is to reckon the seed of a tournament from them.
    #[test]
    fn boards_tell_nothing_of_a_seed_that_was_drawn() {
        let (game, spec) = seated("fish:rows=3,cols=4", 2).expect("there is such a board");
        let balanced = Balanced { boards: 1, plies: 2 };
        for (whole, is_plain) in [(Seed(7), true), (Seed(0x1234_5678_9abc_def0), false)] {
            let entrants = ["ann", "bob"].map(|name| serde_json::json!({"name": name, "player": "first"}));
            let tournament = serde_json::json!({
                "name": "evening", "games": ["fish:rows=3,cols=4"], "format": "round-robin", "entrants": entrants,
                "seed": whole.0.to_string(),
            });
            let tournament: TournamentSpec = serde_json::from_value(tournament).expect("it is one");
            let boards = openings(&tournament, balanced).expect("there are enough");
            let usual = of_game(game, &spec, balanced, whole.derive(BOARDS).derive(0)).expect("as before");
            assert_eq!(boards[0].position.as_ref() == usual.first(), is_plain, "{whole:?}");
        }
    }

    #[test]
    fn too_few_positions_are_told() {
        let (game, spec) = seated("hexapawn:rows=3,cols=3", 2).expect("there is such a board");
        let error = of_game(game, &spec, Balanced { boards: 3, plies: 0 }, Seed(1)).unwrap_err();
        assert!(error.starts_with("1 different positions after 0 random moves"), "{error}");
    }
}
