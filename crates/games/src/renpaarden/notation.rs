//! Positions as text, and for people.

use std::fmt::{self, Write as _};

use rookery_rules::{Keyed, Notation, ParseMoveError, ParsePositionError, Seat, Setup as _};

use super::geometry::{Geometry, Mask};
use super::history::{History, WINDOW};
use super::moves::{FRAME, read_cell};
use super::position::{Position, SEATS, Stage};
use super::roster::Roster;
use super::{Cell, Move, Setup};

impl Position {
    /// The sign of a cell: `o` and `x` for the players' pieces, a capital for one that stands on an enemy piece.
    fn sign(&self, cell: Cell, empty: char) -> char {
        match self.top(cell) {
            None => empty,
            Some(seat) => match (seat.index(), self.chain == Some(cell)) {
                (0, false) => 'o',
                (0, true) => 'O',
                (_, false) => 'x',
                (_, true) => 'X',
            },
        }
    }

    /// The signs rank by rank from the top.
    fn rows(&self, empty: char) -> impl Iterator<Item = String> {
        (0..self.rules.height).rev().map(move |rank| {
            (0..self.rules.width).map(|file| self.sign(Cell::new(file, rank), empty)).collect()
        })
    }
}

impl Notation for Position {
    /// `p1 xxx/xxx/.../ooo/ooo turn=4 hops=1 win=turn`: who is to move, the ranks from the top, and then what is
    /// not as usual: turns played, hops of the chain, `barred` cells, `past` positions, who `left`, and the rules
    /// as in a game spec.
    fn to_text(&self) -> String {
        let rows: Vec<String> = self.rows('.').collect();
        let mut text = format!("p{} {}", self.to_move.index() + 1, rows.join("/"));
        let mut add = |name: &str, value: String| {
            let _ = write!(text, " {name}={value}");
        };
        if self.turn > 0 {
            add("turn", self.turn.to_string());
        }
        if self.hops > 0 {
            add("hops", self.hops.to_string());
        }
        if !self.barred.is_empty() {
            add("barred", self.barred.cells().map(|cell| cell.to_string()).collect::<Vec<_>>().join(","));
        }
        if let Some(history) = &self.history {
            let keys: Vec<String> =
                history.newest_first(self.turn).rev().map(|key| format!("{key:016x}")).collect();
            if !keys.is_empty() {
                add("past", keys.join(","));
            }
        }
        if let Stage::Left(winner) = self.stage {
            add("left", format!("p{}", winner.next(2).index() + 1));
        }
        for (name, value) in self.rules.options() {
            if !is_size(name) && Setup::KEYS.iter().all(|key| key.name != name || key.default != value) {
                add(name, value);
            }
        }
        text
    }

    fn from_text(text: &str) -> Result<Self, ParsePositionError> {
        read(text).map_err(|problem| ParsePositionError::new(text, problem))
    }

    /// Also `d5` for a hop to d5 of the piece that must jump on.
    fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        match (self.chain, read_cell(text)) {
            (Some(from), Some(to)) => Ok(Move { from, to }),
            _ => text.parse(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  ")?;
        for file in 0..self.rules.width {
            write!(f, " {}", char::from(b'a' + file))?;
        }
        for (row, rank) in self.rows('_').zip((1..=self.rules.height).rev()) {
            write!(f, "\n{rank:2}")?;
            for sign in row.chars() {
                write!(f, " {sign}")?;
            }
        }
        if let Some(cell) = self.chain {
            let (upper, lower) = if self.to_move == SEATS[0] { ('O', 'x') } else { ('X', 'o') };
            write!(f, "\n{upper} on {cell} stands on an {lower}")?;
        }
        match (self.stage, self.chain) {
            (Stage::Playing, None) => write!(f, "\n{} to move", super::label(self.to_move)),
            (Stage::Playing, Some(cell)) => {
                let hops = if self.hops == 1 { "hop" } else { "hops" };
                write!(
                    f,
                    "\n{} must jump on from {cell}, after {} {hops}",
                    super::label(self.to_move),
                    self.hops
                )
            }
            (Stage::Won(seat) | Stage::Left(seat), _) => {
                write!(f, "\n{seat} has won", seat = super::label(seat))
            }
            (Stage::Drawn, _) => write!(f, "\nthe game is drawn"),
        }
    }
}

/// The keys that a position shows by its board.
fn is_size(name: &str) -> bool {
    name == "width" || name == "height"
}

fn read(text: &str) -> Result<Position, String> {
    let mut words = text.split_ascii_whitespace();
    let to_move = match words.next() {
        Some("p1") => SEATS[0],
        Some("p2") => SEATS[1],
        _ => return Err("it begins with p1 or p2, the player to move".to_owned()),
    };
    let board = read_board(words.next().unwrap_or_default(), to_move)?;
    let extras = read_extras(words, &board)?;
    let rules = extras.rules;
    let geometry = Geometry::of(rules.width, rules.height);
    let count = |player: usize, base: usize| (board.pieces[player] & geometry.bases[base]).len() as u8;
    let counts = [0, 1].map(|player| {
        let bases = [0, 1].map(|base| count(player, base));
        [bases[0], bases[1], rules.n_pieces() - bases[0] - bases[1]]
    });
    let mut position = Position {
        geometry,
        rules,
        plain: rules.is_plain(),
        ends_plainly: rules.ends_plainly(),
        pieces: board.pieces,
        roster: Roster::new(&board.pieces, to_move.index()),
        barred: extras.barred,
        history: None,
        key: 0,
        turn: extras.turn,
        hops: extras.hops,
        chain: board.chain,
        to_move,
        stage: Stage::Playing,
        counts,
    };
    position.key = position.full_key();
    check_chain(&position)?;
    fill_history(&mut position, &extras.past)?;
    position.stage = position.judge();
    if let Some(seat) = extras.left {
        if position.stage != Stage::Playing {
            return Err("nobody leaves a game that is over".to_owned());
        }
        position.stage = Stage::Left(seat.next(2));
        position.key = position.full_key();
    }
    Ok(position)
}

struct Board {
    width: u8,
    height: u8,
    pieces: [Mask; 2],
    chain: Option<Cell>,
}

fn read_board(text: &str, to_move: Seat) -> Result<Board, String> {
    let rows: Vec<&str> = text.split('/').collect();
    let (width, height) = (rows[0].chars().count(), rows.len());
    let most = usize::from(FRAME);
    if !(5..=most).contains(&height) || !(3..=most).contains(&width) {
        return Err("a board has 5 to 11 ranks, separated by `/`, of 3 to 11 cells".to_owned());
    }
    let mut board = Board { width: width as u8, height: height as u8, pieces: [Mask::EMPTY; 2], chain: None };
    for (row, rank) in rows.iter().zip((0..board.height).rev()) {
        if row.chars().count() != width {
            return Err("all ranks have the same number of cells".to_owned());
        }
        for (sign, file) in row.chars().zip(0..) {
            let cell = Cell::new(file, rank);
            let (players, top): (&[usize], _) = match sign {
                'o' | 'w' => (&[0], None),
                'x' => (&[1], None),
                'O' | 'W' => (&[0, 1], Some(0)),
                'X' => (&[0, 1], Some(1)),
                '.' | '_' => (&[], None),
                _ => return Err("a cell is o, x, O, X or .".to_owned()),
            };
            for &player in players {
                board.pieces[player] = board.pieces[player] | Mask::only(cell);
            }
            if let Some(top) = top {
                if board.chain.replace(cell).is_some() {
                    return Err("at most one piece stands on an enemy piece".to_owned());
                }
                if top != to_move.index() {
                    return Err(
                        "a piece that stands on an enemy piece belongs to the player to move".to_owned()
                    );
                }
            }
        }
    }
    match board.pieces.iter().position(|pieces| pieces.len() as usize != 2 * width) {
        Some(player) => {
            let n = board.pieces[player].len();
            Err(format!("{} has {n} pieces, and must have {}", super::label(SEATS[player]), 2 * width))
        }
        None => Ok(board),
    }
}

struct Extras {
    turn: u32,
    hops: u32,
    barred: Mask,
    past: Vec<u64>,
    left: Option<Seat>,
    rules: Setup,
}

fn read_extras<'a>(words: impl Iterator<Item = &'a str>, board: &Board) -> Result<Extras, String> {
    let mut extras =
        Extras { turn: 0, hops: 0, barred: Mask::EMPTY, past: vec![], left: None, rules: Setup::default() };
    let mut options = vec![format!("width={},height={}", board.width, board.height)];
    let mut seen = vec![];
    for word in words {
        let (name, value) = word.split_once('=').ok_or("behind the board stand words like `turn=3`")?;
        if seen.contains(&name) {
            return Err(format!("`{name}` is given twice"));
        }
        seen.push(name);
        let number = || value.parse().map_err(|_| format!("`{name}` takes a number"));
        match name {
            "turn" => extras.turn = number()?,
            "hops" => extras.hops = number()?,
            "barred" => {
                let cells: Option<Mask> = value.split(',').map(read_cell).collect();
                extras.barred = cells.ok_or("`barred` takes cells, as in `b1,c3`")?;
            }
            "past" => {
                let keys = value.split(',').map(|key| u64::from_str_radix(key, 16));
                extras.past =
                    keys.collect::<Result<_, _>>().map_err(|_| "`past` takes hexadecimal numbers")?;
            }
            "left" => {
                extras.left = Some(match value {
                    "p1" => SEATS[0],
                    "p2" => SEATS[1],
                    _ => return Err("`left` takes p1 or p2".to_owned()),
                });
            }
            _ if is_size(name) => return Err("the board itself shows its size".to_owned()),
            _ => options.push(word.to_owned()),
        }
    }
    extras.rules = Setup::parse(&options.join(",")).map_err(|error| error.to_string())?;
    if extras.turn > extras.rules.max_turns {
        return Err(format!("it has more turns than max-turns={}", extras.rules.max_turns));
    }
    Ok(extras)
}

/// What is said of a chain fits the board and the rules.
fn check_chain(position: &Position) -> Result<(), String> {
    let rules = &position.rules;
    let barred = position.barred;
    if position.chain.is_some() != (position.hops > 0) {
        return Err("`hops` are given if and only if a piece stands on an enemy piece".to_owned());
    }
    let was_over = position.turn == rules.max_turns || position.is_complete(position.me() ^ 1);
    if position.hops > rules.max_chain || position.chain.is_some() && was_over {
        return Err("the game was over before this chain".to_owned());
    }
    let wanted = match (position.chain, rules.revisit, rules.null_turn) {
        (None, ..) | (_, true, true) => 0,
        (Some(_), false, _) => position.hops,
        (Some(_), true, false) => 1,
    };
    if barred.len() != wanted {
        return Err(format!("{wanted} cells are barred here, one for each that the rules bar"));
    }
    // The first cell of the chain is empty now, the others show the enemy pieces that were jumped on.
    let enemies = position.pieces[position.me() ^ 1];
    let stones = barred & enemies;
    let own = position.pieces[position.me()];
    if wanted > 0
        && (stones.len() + 1 != wanted
            || !(barred & own).is_empty()
            || !(barred & !position.geometry.board).is_empty())
    {
        return Err("barred are the empty cell where the chain began and cells with enemy pieces".to_owned());
    }
    Ok(())
}

/// Past positions, or if none are given this one, where the rules ask for them.
fn fill_history(position: &mut Position, past: &[u64]) -> Result<(), String> {
    if position.rules.repetition == 0 {
        return if past.is_empty() { Ok(()) } else { Err("`past` needs the rule `repetition`".to_owned()) };
    }
    if past.len() > WINDOW.min(position.turn as usize + 1) {
        return Err(format!("`past` has more positions than turns were played, or more than {WINDOW}"));
    }
    if position.chain.is_none() && past.last().is_some_and(|&last| last != position.key) {
        return Err("the last one of `past` is not the key of this position".to_owned());
    }
    let mut history = Box::new(History::new());
    for (idx, &key) in past.iter().enumerate() {
        history.push(position.turn + 1 + idx as u32 - past.len() as u32, key);
    }
    position.history = Some(history);
    if past.is_empty() && position.chain.is_none() {
        position.remember();
    }
    Ok(())
}
