//! What the board and the rest of a game look like in text.

use std::fmt::Write as _;

use rookery_games::renpaarden::{Cell, Move, Position};
use rookery_rules::{Position as _, Seat};

pub(super) const LOGO: &str = r"
        _
      _/ \/|
     / .    \
    /   __   |       R E N P A A R D E N
   (___/ /   |       race horses: hop home over the others
        /    |
     __/_____|__
    |___________|
";

/// Short enough to be read between two moves.
pub(super) const RULES: &str = "\
Every piece hops like a chess knight, in any direction and over anything.
- On an empty cell the turn ends.
- On an enemy piece there is an extra turn: the same piece must jump on. Nothing is ever taken.
- Never onto a piece of your own.
Who first shows a piece on every cell of the two rows where the other one began wins; o goes up, x goes down.
The whole rules: rookery rules renpaarden";

/// The letter of a player's pieces.
pub(super) fn letter(seat: Seat) -> char {
    if seat.index() == 0 { 'o' } else { 'x' }
}

/// `Player 1 (o)`.
pub(super) fn name(seat: Seat) -> String {
    format!("Player {} ({})", seat.index() + 1, letter(seat))
}

/// A cell both ways: `4:7 (e2)`.
pub(super) fn both(position: &Position, cell: Cell) -> String {
    let (x, y) = position.x_y(cell);
    format!("{x}:{y} ({cell})")
}

/// The board with X to the right and Y down, and the letters and numbers of the notation on the other sides. A piece
/// on top of another one is seen together with it: `o/x`.
pub(super) fn board(position: &Position) -> String {
    let (width, height) = (position.setup().width, position.setup().height);
    let line = |label: String, marks: Vec<String>, end: String| {
        let marks: Vec<String> = marks.iter().map(|mark| format!("{mark:^3}")).collect();
        format!("{label:>4}  {}  {end}", marks.concat()).trim_end().to_owned() + "\n"
    };
    let xs = || 0..width;
    let mut text = line("Y".to_owned(), vec![], String::new());
    for y in 0..height {
        let marks = xs().map(|x| mark(position, position.cell_at(x, y).expect("it is on the board")));
        text += &line(y.to_string(), marks.collect(), (height - y).to_string());
    }
    text += &line("X".to_owned(), xs().map(|x| x.to_string()).collect(), String::new());
    text += &line(String::new(), xs().map(|x| char::from(b'a' + x).to_string()).collect(), String::new());
    text
}

fn mark(position: &Position, cell: Cell) -> String {
    match position.top(cell) {
        None => "_".to_owned(),
        Some(top) if position.chain() == Some(cell) => format!("{}/{}", letter(top), letter(top.next(2))),
        Some(top) => letter(top).to_string(),
    }
}

/// How far both have come: `In goal: o 3, x 1 of 18; turn 12`.
pub(super) fn progress(position: &Position) -> String {
    let [o, x] = [Seat::new(0), Seat::new(1)].map(|seat| position.in_goal(seat));
    let turn = position.to_move().map(|_| format!("; turn {}", position.turn() + 1)).unwrap_or_default();
    format!("In goal: o {o}, x {x} of {}{turn}", position.setup().n_pieces())
}

/// The hops of one piece as a numbered list, from 0.
pub(super) fn list(position: &Position, hops: &[Move]) -> String {
    let mut text = String::new();
    for (idx, hop) in hops.iter().enumerate() {
        let jump = position.top(hop.to).map(|seat| format!("  onto an {}: extra turn", letter(seat)));
        let _ = writeln!(text, "{idx:>4}  {}{}", both(position, hop.to), jump.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use rookery_games::renpaarden::Setup;
    use rookery_rules::{Notation as _, Setup as _};

    use super::*;

    #[test]
    fn both_ways_to_name_a_cell_are_on_the_board() {
        let mut position = Setup::parse("width=5,height=5").unwrap().start();
        position.play("b2-c4".parse().unwrap()).unwrap();
        let expected = "   \
   Y
   0   x  x  x  x  x   5
   1   x  x o/x x  x   4
   2   _  _  _  _  _   3
   3   o  _  o  o  o   2
   4   o  o  o  o  o   1
   X   0  1  2  3  4
       a  b  c  d  e
";
        assert_eq!(board(&position), expected);
        assert_eq!(both(&position, "c4".parse().unwrap()), "2:1 (c4)");
    }

    #[test]
    fn the_largest_board_stays_aligned() {
        let board = board(&Setup::parse("width=11,height=11").unwrap().start());
        assert!(board.contains("\n  10   o  o  o"), "{board}");
        assert!(board.contains("\n   X   0  1  2  3  4  5  6  7  8  9 10\n"), "{board}");
    }

    #[test]
    fn the_list_says_where_a_hop_leads_on() {
        let Ok(position) = Position::from_text("p1 xxxxx/xxxxx/...../ooooo/ooooo") else {
            panic!("it is a position")
        };
        let hops: Vec<Move> = position.moves_from("b2".parse().unwrap()).collect();
        let expected =
            "   0  0:1 (a4)  onto an x: extra turn\n   1  3:2 (d3)\n   2  2:1 (c4)  onto an x: extra turn\n";
        assert_eq!(list(&position, &hops), expected);
    }
}
