//! What a person may type in order to move, and what it means.

use rookery_games::renpaarden::{Cell, Move, Position, Turn, split_chain};
use rookery_rules::Position as _;

use super::prompt::shown;
use super::view::both;

/// What was typed where a piece is asked for.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Entry {
    /// X alone; Y is still to be asked for.
    X(u8),
    /// A piece that can be moved.
    Piece(Cell),
    /// Legal hops of one turn, perhaps not all of them.
    Hops(Vec<Move>),
}

/// Reads a piece, or hops at once.
pub(super) fn read(position: &Position, text: &str) -> Result<Entry, String> {
    if let Some(hops) = hops(position, text) {
        return Ok(Entry::Hops(check(position, &hops?)?));
    }
    match numbers(text).as_deref() {
        Some([x]) => coordinate("X", *x, position.setup().width).map(Entry::X),
        Some([x, y]) => piece_at(position, *x, *y).map(Entry::Piece),
        _ => {
            let cell = text.parse().map_err(|_| {
                let text = shown(text);
                format!("`{text}` is no piece and no move. Type X and Y (4 7), a cell (e2), or hops (e2-f4).")
            })?;
            piece(position, cell).map(Entry::Piece)
        }
    }
}

/// Reads Y, after X.
pub(super) fn read_y(text: &str) -> Result<u32, String> {
    match numbers(text).as_deref() {
        Some(&[y]) => Ok(y),
        _ => Err(format!("`{}` is no number, so the piece is asked for again.", shown(text))),
    }
}

/// The piece on X and Y.
pub(super) fn piece_at(position: &Position, x: u32, y: u32) -> Result<Cell, String> {
    let setup = position.setup();
    let (x, y) = (coordinate("X", x, setup.width)?, coordinate("Y", y, setup.height)?);
    piece(position, position.cell_at(x, y).expect("both were checked"))
}

/// A number in reach of an axis of the board.
pub(super) fn coordinate(axis: &str, number: u32, size: u8) -> Result<u8, String> {
    let checked = u8::try_from(number).ok().filter(|&number| number < size);
    checked.ok_or_else(|| format!("{axis} is a number from 0 to {}, not {number}.", size - 1))
}

/// Checks that the player to move has a piece there that can be moved.
fn piece(position: &Position, cell: Cell) -> Result<Cell, String> {
    let seat = position.to_move().expect("a person is asked only while the game goes on");
    let (width, height) = (position.setup().width, position.setup().height);
    if cell.file() >= width || cell.rank() >= height {
        Err(format!("{cell} lies outside the board of {width} x {height}."))
    } else if position.top(cell).is_none() {
        Err(format!("{} is empty. Choose one of your own pieces.", both(position, cell)))
    } else if position.top(cell) != Some(seat) {
        Err(format!("The piece on {} is not yours.", both(position, cell)))
    } else if position.moves_from(cell).next().is_none() {
        Err(format!("The piece on {} cannot move. Choose another one.", both(position, cell)))
    } else {
        Ok(cell)
    }
}

/// Reads where a piece goes: a number of its list, a cell, or the rest of the turn.
pub(super) fn read_target(
    position: &Position,
    from: Cell,
    list: &[Move],
    text: &str,
) -> Result<Vec<Move>, String> {
    let cell_at = |x: u32, y: u32| {
        let cell = u8::try_from(x).ok().zip(u8::try_from(y).ok()).and_then(|(x, y)| position.cell_at(x, y));
        cell.ok_or_else(|| format!("{x}:{y} lies outside the board."))
    };
    let hops = match numbers(text).as_deref() {
        Some(&[idx]) => {
            let hop = list.get(idx as usize).copied();
            let most = list.len().saturating_sub(1);
            return hop
                .map(|hop| vec![hop])
                .ok_or_else(|| format!("{idx} is not in the list. Type a number from 0 to {most}."));
        }
        Some(&[x, y]) => vec![Move { from, to: cell_at(x, y)? }],
        _ => match (text.parse(), hops_from(position, from, text)) {
            (Ok(to), _) => vec![Move { from, to }],
            (_, Some(hops)) => hops?,
            _ => {
                let text = shown(text);
                return Err(format!("`{text}` is no number of the list, no cell and no chain of hops."));
            }
        },
    };
    check(position, &hops)
}

/// Numbers between spaces, commas, colons or brackets, if the text has nothing else: `4 7`, `(4,7)`, `4:7`. At most two,
/// and none above 9999.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let parts = text.split(|c: char| c.is_whitespace() || ",:()".contains(c)).filter(|part| !part.is_empty());
    let number = |part: &str| {
        let short = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        short.then(|| part.parse().ok()).flatten()
    };
    let numbers: Option<Vec<u32>> = parts.take(3).map(number).collect();
    numbers.filter(|numbers| (1..=2).contains(&numbers.len()))
}

/// Reads `b1-c3-d5` or `b1>d5`; `None` if the text has neither sign, or no letter.
fn hops(position: &Position, text: &str) -> Option<Result<Vec<Move>, String>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if !text.contains(char::is_alphabetic) {
        return None;
    }
    if text.contains('>') {
        return Some(turn(position, &text));
    }
    let chain = || split_chain(&text).map_err(|error| format!("{error}."));
    text.contains('-').then(chain)
}

/// The same where a piece is chosen: its cell may be left out in front.
fn hops_from(position: &Position, from: Cell, text: &str) -> Option<Result<Vec<Move>, String>> {
    let (first, sign) = match text.find(['-', '>']) {
        Some(at) => (text[..at].trim(), &text[at..=at]),
        None => return None,
    };
    let own = |cell: Cell| position.top(cell) == position.to_move();
    match first.parse() {
        _ if first.is_empty() && sign == ">" => hops(position, &format!("{from}{text}")),
        Ok(cell) if sign == "-" && !own(cell) => hops(position, &format!("{from}-{text}")),
        _ => hops(position, text),
    }
}

/// A whole turn by its two ends, by a shortest way: where the others lead, the board looks the same afterwards.
fn turn(position: &Position, text: &str) -> Result<Vec<Move>, String> {
    let turn: Turn = text.parse().map_err(|error| format!("{error}."))?;
    if position.chain().is_none_or(|chain| chain == turn.from) {
        piece(position, turn.from)?;
    }
    let path = position.path(turn).ok_or_else(|| match position.chain() {
        Some(chain) if chain != turn.from => format!("You must jump on with the piece on {chain}."),
        _ => format!("No chain of hops from {} can end on {}.", turn.from, turn.to),
    })?;
    Ok(path.hops().collect())
}

/// Plays the hops on a copy of the position; the first that does not fit is explained, and none is played.
fn check(position: &Position, hops: &[Move]) -> Result<Vec<Move>, String> {
    let mut after = position.clone();
    for (idx, &hop) in hops.iter().enumerate() {
        let over = after.to_move().is_none();
        if idx > 0 && (over || after.chain().is_none()) {
            let what = if over { "game" } else { "turn" };
            return Err(format!("The {what} ends on {}: leave the rest away.", hop.from));
        }
        if !after.is_legal(hop) {
            return Err(format!("{hop} is not possible: {}.", after.reason(hop)));
        }
        after.play_unchecked(hop);
    }
    Ok(hops.to_vec())
}
