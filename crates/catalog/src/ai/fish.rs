//! Players of Fish.

use rookery_games::fish::{Phase, Position};
use rookery_rules::{Position as _, Seat};
use rookery_search::{Budget, First, OwnTurns, Strategy};

pub(crate) use super::fish_hard::strategy;

/// The house player of the original: places on the first free tile, row by row, and then looks a number of its own
/// turns ahead, for its own fish only. Among equally good moves it takes the one with the smallest start, then the
/// smallest end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Minimax {
    /// Its own turns.
    pub(crate) depth: u32,
}

impl Strategy<Position> for Minimax {
    fn choose(&mut self, position: &Position, budget: &Budget) -> rookery_games::fish::Move {
        match position.phase() {
            // Placements are listed row by row.
            Phase::Placing => First.choose(position, budget),
            Phase::Moving | Phase::Over => {
                OwnTurns { turns: self.depth, gauge: fish }.choose(position, budget)
            }
        }
    }
}

fn fish(position: &Position, seat: Seat) -> i32 {
    debug_assert!(seat.index() < position.n_seats(), "the seat is at this table");
    position.score(seat) as i32
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use rookery_games::fish::{Board, Cell, Move, Player, Setup};
    use rookery_rules::{Setup as _, Status};
    use serde_json::{Value, json};

    use super::*;

    /// Real cases of others: input and expected output.
    fn real_cases(kind: &str) -> Vec<(PathBuf, Value, Value)> {
        let dir = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/fish")).join(kind);
        let Ok(files) = fs::read_dir(&dir) else {
            eprintln!("SKIPPED: the real cases of {kind}, because {} is absent", dir.display());
            return vec![];
        };
        let value =
            |path: &str| -> Value { serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap() };
        let inputs = files.map(|file| file.unwrap().path());
        let inputs = inputs.filter_map(|path| Some(path.to_str()?.strip_suffix("-in.json")?.to_owned()));
        let cases: Vec<_> = inputs
            .map(|case| {
                (PathBuf::from(&case), value(&format!("{case}-in.json")), value(&format!("{case}-out.json")))
            })
            .collect();
        assert!(!cases.is_empty(), "there are cases in {}", dir.display());
        cases
    }

    fn cell(posn: &Value) -> Cell {
        Cell::new(posn[0].as_u64().unwrap() as u8, posn[1].as_u64().unwrap() as u8)
    }

    fn position(state: &Value) -> Position {
        let rows: Vec<Vec<u8>> = serde_json::from_value(state["board"].clone()).unwrap();
        let players = state["players"].as_array().unwrap().iter().map(|player| Player {
            score: player["score"].as_u64().unwrap() as u32,
            penguins: player["places"].as_array().unwrap().iter().map(cell).collect(),
        });
        Position::moving(Board::from_rows(&rows).unwrap(), &players.collect::<Vec<_>>()).unwrap()
    }

    fn posn(cell: Cell) -> Value {
        json!([cell.row, cell.col])
    }

    #[test]
    fn chooses_as_in_the_real_cases() {
        for (case, input, output) in real_cases("xstrategy") {
            let position = position(&input[1]);
            let first = Seat::new(0);
            let answer = if position.to_move() == Some(first) {
                let depth = input[0].as_u64().unwrap() as u32;
                let Move::Slide { from, to } = Minimax { depth }.choose(&position, &Budget::default()) else {
                    panic!("{}: penguins are on the move", case.display());
                };
                json!([posn(from), posn(to)])
            } else {
                json!(false)
            };
            assert_eq!(answer, output, "{}", case.display());
        }
    }

    /// Plays a game between house players of these depths.
    fn play(options: &str, depths: &[u32]) -> Position {
        let mut position = Setup::parse(options).unwrap().start();
        while let Some(seat) = position.to_move() {
            let mv = Minimax { depth: depths[seat.index()] }.choose(&position, &Budget::default());
            position.play(mv).unwrap();
        }
        position
    }

    #[test]
    fn wins_as_in_the_real_cases() {
        for (case, input, output) in real_cases("xref") {
            let players = input["players"].as_array().unwrap();
            let depths: Vec<u32> = players.iter().map(|player| player[1].as_u64().unwrap() as u32).collect();
            let (rows, cols, fish, n) = (&input["row"], &input["column"], &input["fish"], players.len());
            let end = play(&format!("rows={rows},cols={cols},fish={fish},players={n}"), &depths);
            let Status::Over(outcome) = end.status() else { panic!("{}: it has an end", case.display()) };
            let mut names: Vec<&str> =
                outcome.winners.iter().map(|seat| players[seat.index()][0].as_str().unwrap()).collect();
            names.sort_unstable();
            assert_eq!(json!(names), output, "{}", case.display());
        }
    }

    #[test]
    fn scores_of_equal_house_players_on_the_tournament_board() {
        for (depth, scores) in [
            (1, vec![18, 16]),
            (1, vec![12, 10, 10]),
            (1, vec![10, 6, 8, 10]),
            (2, vec![18, 16]),
            (2, vec![12, 10, 10]),
            (2, vec![10, 6, 10, 8]),
        ] {
            let end = play(&format!("fish=2,players={}", scores.len()), &vec![depth; scores.len()]);
            let Status::Over(outcome) = end.status() else { panic!("the game has an end") };
            assert_eq!(outcome.scores.as_slice(), scores, "depth {depth}");
        }
    }
}
