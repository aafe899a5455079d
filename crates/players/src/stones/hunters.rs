//! Players of Stones that go for the nearest enemy.

use rookery_games::stones::{Board, Move, Position, Tile};
use rookery_rules::{Position as _, Seat};
use rookery_search::{Budget, Strategy};

/// Always the shortest way to an enemy: of all pairs of an own and an enemy stone the nearest, both taken row by row,
/// the first of equals; one step towards it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggressive;

/// The same for each own stone, nearest first, but it prefers a step after which no enemy stands beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cautious;

impl Strategy<Position> for Aggressive {
    fn choose(&mut self, position: &Position, _: &Budget) -> Move {
        let hunts = hunts(position);
        let nearest =
            hunts.iter().min_by_key(|hunt| hunt.distance).expect("while the game goes on there are enemies");
        legal_step(position, nearest).unwrap_or_else(|| any_step(position, &hunts))
    }
}

impl Strategy<Position> for Cautious {
    fn choose(&mut self, position: &Position, _: &Budget) -> Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        let mut hunts = hunts(position);
        hunts.sort_by_key(|hunt| hunt.distance);
        let steps = || hunts.iter().filter_map(|hunt| legal_step(position, hunt));
        let safe = |mv: &Move| {
            let board = position.board();
            let beside = board.tiles().filter(|&tile| tile != mv.to && touches(tile, mv.to));
            beside.filter_map(|tile| board.get(tile)).all(|owner| owner == seat)
        };
        steps().find(safe).or_else(|| steps().next()).unwrap_or_else(|| any_step(position, &hunts))
    }
}

/// An own stone and the enemy stone nearest to it.
struct Hunt {
    hunter: Tile,
    prey: Tile,
    distance: u32,
}

/// One hunt for each own stone, row by row.
fn hunts(position: &Position) -> Vec<Hunt> {
    let seat = position.to_move().expect("a strategy is asked only while the game goes on");
    let board = position.board();
    let enemies: Vec<Tile> =
        board.tiles().filter(|&tile| board.get(tile).is_some_and(|owner| owner != seat)).collect();
    let hunt = |hunter: Tile| {
        let (distance, prey) =
            enemies.iter().map(|&prey| (squared(hunter, prey), prey)).min_by_key(|hunt| hunt.0)?;
        Some(Hunt { hunter, prey, distance })
    };
    stones_by_row(board, seat).filter_map(hunt).collect()
}

fn stones_by_row(board: &Board, seat: Seat) -> impl Iterator<Item = Tile> {
    board.tiles().filter(move |&tile| board.get(tile) == Some(seat))
}

fn squared(a: Tile, b: Tile) -> u32 {
    u32::from(a.row.abs_diff(b.row)).pow(2) + u32::from(a.col.abs_diff(b.col)).pow(2)
}

fn touches(a: Tile, b: Tile) -> bool {
    a.row.abs_diff(b.row) <= 1 && a.col.abs_diff(b.col) <= 1
}

/// One step of a hunt, diagonal if need be; straight along the longer way where diagonals are not adjacent. `None` if
/// an own stone is in the way.
fn legal_step(position: &Position, hunt: &Hunt) -> Option<Move> {
    let towards = |from: u8, to: u8| if to > from { from + 1 } else { from - u8::from(to < from) };
    let (from, prey) = (hunt.hunter, hunt.prey);
    let diagonal = Tile::new(towards(from.row, prey.row), towards(from.col, prey.col));
    let by_row = Tile::new(towards(from.row, prey.row), from.col);
    let by_col = Tile::new(from.row, towards(from.col, prey.col));
    let row_first = from.row.abs_diff(prey.row) >= from.col.abs_diff(prey.col);
    let straight = if row_first { [by_row, by_col] } else { [by_col, by_row] };
    let mut ways = [diagonal, straight[0], straight[1]].into_iter().map(|to| Move { from, to });
    // The first of these that are steps at all here; whether it is lawful is another question.
    let step = ways.find(|mv| mv.to != from && position.board().are_adjacent(mv.from, mv.to))?;
    position.is_legal(step).then_some(step)
}

/// Any lawful step of a hunt, and any move at all if there is none.
fn any_step(position: &Position, hunts: &[Hunt]) -> Move {
    let step = hunts.iter().find_map(|hunt| legal_step(position, hunt));
    step.or_else(|| position.legal_moves().next()).expect("who is to move has a move")
}

#[cfg(test)]
mod tests {
    use rookery_games::stones::Setup;
    use rookery_rules::{Seed, Setup as _, Status};

    use super::*;

    /// The winner, the moves and the hits.
    fn play(options: &str, players: &mut [&mut dyn Strategy<Position>; 2]) -> (Option<usize>, u32, u32) {
        let mut position = Setup::parse(options).unwrap().start();
        let (mut moves, mut hits) = (0, 0);
        while let Some(seat) = position.to_move() {
            let budget = Budget { seed: Seed(moves.into()), ..Budget::default() };
            let mv = players[seat.index()].choose(&position, &budget);
            hits += u32::from(position.board().get(mv.to).is_some());
            moves += 1;
            position.play(mv).unwrap();
        }
        let Status::Over(outcome) = position.status() else { panic!("the game has an end") };
        let alone = outcome.winners.len() == 1;
        (alone.then(|| outcome.winners.iter().next().unwrap().index()), moves, hits)
    }

    #[test]
    fn aggressive_self_play_of_the_original() {
        for (options, expected) in [
            ("rows=3,cols=3", (Some(1), 6, 4)),
            ("rows=5,cols=8", (Some(1), 18, 8)),
            ("rows=2,cols=5", (Some(1), 12, 9)),
            ("rows=8,cols=8", (Some(0), 29, 9)),
            ("rows=7,cols=2", (Some(0), 13, 3)),
        ] {
            assert_eq!(play(options, &mut [&mut Aggressive, &mut Aggressive]), expected, "{options}");
        }
    }

    #[test]
    fn cautious_players_finish_or_draw_and_never_offend() {
        for options in [
            "rows=5,cols=5",
            "rows=8,cols=8",
            "rows=6,cols=6,neighbours=4",
            "rows=4,cols=9,layout=ring,stones=5",
        ] {
            let options = format!("{options},quiet=100");
            play(&options, &mut [&mut Cautious, &mut Cautious]);
            play(&options, &mut [&mut Aggressive, &mut Cautious]);
            play(&options, &mut [&mut Cautious, &mut Aggressive]);
        }
    }
}
