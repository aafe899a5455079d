//! Renpaarden with two letters on every cell: what is seen, and what it covers.

use rookery_games::renpaarden::{Cell, Move, Position, Setup, Turn, TurnPosition, WinTest};
use rookery_rules::{Outcome, Seat, Setup as _, Status, mix};

use super::Naive;
use crate::conceivable::Conceivable;

const LETTERS: [char; 2] = ['o', 'x'];

/// Columns from the left, rows from the top.
type Place = (i32, i32);

/// What is seen on a cell, `o`, `x` or `.`, and what it stands on.
type Pile = (char, char);

const NOTHING: Pile = ('.', '.');

/// A grid of piles.
#[derive(Clone, Debug)]
pub struct Renpaarden {
    setup: Setup,
    piles: Vec<Vec<Pile>>,
    /// 0 or 1.
    player: usize,
    turns: u32,
    /// The cells of the chain that goes on, the one where it began included; empty at the start of a turn.
    chain: Vec<Place>,
    /// The boards at the start of each turn so far, with the player.
    past: Vec<(Vec<Vec<Pile>>, usize)>,
    left: Option<usize>,
}

impl Renpaarden {
    fn width(&self) -> i32 {
        i32::from(self.setup.width)
    }

    fn height(&self) -> i32 {
        i32::from(self.setup.height)
    }

    fn is_inside(&self, (x, y): Place) -> bool {
        (0..self.width()).contains(&x) && (0..self.height()).contains(&y)
    }

    fn pile(&self, (x, y): Place) -> Pile {
        self.piles[y as usize][x as usize]
    }

    /// Whether the player's piece is seen on a cell.
    fn shows(&self, player: usize, place: Place) -> bool {
        self.pile(place).0 == LETTERS[player]
    }

    fn places(&self) -> Vec<Place> {
        (0..self.height()).flat_map(|y| (0..self.width()).map(move |x| (x, y))).collect()
    }

    fn cell(&self, (x, y): Place) -> Cell {
        Cell::new(x as u8, (self.height() - 1 - y) as u8)
    }

    fn place(&self, cell: Cell) -> Place {
        (i32::from(cell.file()), self.height() - 1 - i32::from(cell.rank()))
    }

    fn is_home(&self, player: usize, (_, y): Place) -> bool {
        if player == 0 { y >= self.height() - 2 } else { y < 2 }
    }

    fn is_goal(&self, player: usize, place: Place) -> bool {
        self.is_home(1 - player, place)
    }

    /// Whether every goal cell shows a piece of the player.
    fn is_complete(&self, player: usize) -> bool {
        self.count(|place| self.is_goal(player, place) && !self.shows(player, place)) == 0
    }

    fn count(&self, wanted: impl Fn(Place) -> bool) -> usize {
        self.places().into_iter().filter(|&place| wanted(place)).count()
    }

    /// Whether the moving piece, lifted off the board, may hop from `here` to `to` after it has been on the cells of
    /// `visited` in this turn, apart from what comes afterwards.
    fn can_enter(lifted: &Self, visited: &[Place], here: Place, to: Place) -> bool {
        let setup = &lifted.setup;
        if !lifted.is_inside(to) {
            return false;
        }
        let own = lifted.shows(lifted.player, to);
        let returns = !lifted.is_home(lifted.player, here) && lifted.is_home(lifted.player, to);
        !(own
            || returns && !setup.return_home
            || to == visited[0] && !setup.null_turn
            || visited.contains(&to) && !setup.revisit)
    }

    /// Whether the moving piece, lifted off the board, ends its turn or the game when it lands on `here`.
    fn ends_at(lifted: &Self, here: Place) -> bool {
        let me = lifted.player;
        let wins = || {
            let others = lifted.count(|place| lifted.is_goal(me, place) && lifted.shows(me, place));
            others + 1 == 2 * usize::from(lifted.setup.width)
        };
        lifted.pile(here) == NOTHING || lifted.setup.win == WinTest::Hop && lifted.is_goal(me, here) && wins()
    }

    /// Whether the moving piece, lifted off the board, can end its turn on `here` or later. Whoever can end at all
    /// can do it without entering a cell twice, so cells once `seen` need no second look.
    fn can_end(lifted: &Self, visited: &[Place], here: Place, seen: &mut Vec<Place>) -> bool {
        if Self::ends_at(lifted, here) {
            return true;
        }
        if seen.contains(&here) {
            return false;
        }
        seen.push(here);
        neighbours(here).into_iter().any(|next| {
            Self::can_enter(lifted, visited, here, next) && Self::can_end(lifted, visited, next, seen)
        })
    }

    fn moves_of(&self, from: Place) -> Vec<Move> {
        let mut lifted = Self { piles: self.piles.clone(), chain: vec![], past: vec![], ..*self };
        lifted.piles[from.1 as usize][from.0 as usize] = (self.pile(from).1, '.');
        let visited = if self.chain.is_empty() { vec![from] } else { self.chain.clone() };
        neighbours(from)
            .into_iter()
            .filter(|&to| {
                Self::can_enter(&lifted, &visited, from, to)
                    && Self::can_end(&lifted, &visited, to, &mut vec![])
            })
            .map(|to| Move { from: self.cell(from), to: self.cell(to) })
            .collect()
    }

    fn all_moves(&self) -> Vec<Move> {
        if let Some(&last) = self.chain.last() {
            return self.moves_of(last);
        }
        let own = self.places().into_iter().filter(|&place| self.shows(self.player, place));
        own.flat_map(|place| self.moves_of(place)).collect()
    }

    /// How the game has ended, if it has.
    fn result(&self) -> Option<Outcome> {
        let win = |winner: usize| Some(Outcome::win(2, Seat::new(winner as u8)));
        let draw = Outcome::draw(2);
        let (me, other) = (self.player, 1 - self.player);
        let in_chain = !self.chain.is_empty();
        if let Some(left) = self.left {
            return win(1 - left);
        }
        let complete = [0, 1].into_iter().find(|&player| self.is_complete(player));
        if let Some(winner) = complete.filter(|_| !in_chain || self.setup.win == WinTest::Hop) {
            return win(winner);
        }
        if in_chain {
            let hops = self.chain.len() as u32 - 1;
            return (hops >= self.setup.max_chain).then_some(draw);
        }
        for player in [other, me] {
            let gaps = self.count(|p| self.is_goal(player, p) && self.pile(p) == NOTHING);
            let own = self.count(|p| self.is_goal(player, p) && self.shows(player, p));
            if self.setup.parlett && gaps == 0 && own > 0 {
                return win(player);
            }
        }
        let turns_of_other = self.past.iter().filter(|(_, player)| *player == other).count() as u32;
        if self.setup.leave_home > 0
            && turns_of_other >= self.setup.leave_home
            && self.count(|p| self.is_home(other, p) && self.shows(other, p)) > 0
        {
            return win(me);
        }
        if self.turns >= self.setup.max_turns {
            return Some(draw);
        }
        if self.setup.repetition > 0 {
            let now = self.past.last().expect("the start is remembered");
            let same = self.past.iter().rev().take(128).filter(|then| *then == now).count();
            if same >= usize::from(self.setup.repetition) {
                return Some(draw);
            }
        }
        if self.all_moves().is_empty() { win(other) } else { None }
    }

    /// The number that stands for a board in the text of a position.
    fn number((piles, player): &(Vec<Vec<Pile>>, usize)) -> u64 {
        let mut number = if *player == 1 { mix(7) } else { 0 };
        for (y, row) in piles.iter().enumerate() {
            for (x, pile) in row.iter().enumerate() {
                let place = (11 - piles.len() + y) * 11 + x;
                for letter in [pile.0, pile.1] {
                    number ^= match letter {
                        'o' => mix(0x1000 + place as u64),
                        'x' => mix(0x1080 + place as u64),
                        _ => 0,
                    };
                }
            }
        }
        number
    }

    fn barred(&self) -> Vec<Place> {
        let mut barred = match (self.chain.split_last(), self.setup.revisit, self.setup.null_turn) {
            (Some((_, before)), false, _) => before.to_vec(),
            (Some((_, before)), true, false) => vec![before[0]],
            _ => vec![],
        };
        barred.sort_by_key(|&(x, y)| (y, x));
        barred
    }
}

fn neighbours((x, y): Place) -> [Place; 8] {
    [(-1, -2), (-2, -1), (-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2)]
        .map(|(right, down)| (x + right, y + down))
}

impl Naive for Renpaarden {
    type Setup = Setup;

    fn start(setup: &Setup) -> Self {
        let (width, height) = (usize::from(setup.width), usize::from(setup.height));
        let mut piles = vec![vec![NOTHING; width]; height];
        for row in [0, 1] {
            piles[row] = vec![('x', '.'); width];
            piles[height - 1 - row] = vec![('o', '.'); width];
        }
        let past = vec![(piles.clone(), 0)];
        Self { setup: *setup, piles, player: 0, turns: 0, chain: vec![], past, left: None }
    }

    fn status(&self) -> Status {
        self.result().map_or(Status::ToMove(Seat::new(self.player as u8)), Status::Over)
    }

    fn legal_moves(&self) -> Vec<Move> {
        if self.result().is_some() { vec![] } else { self.all_moves() }
    }

    fn play(&mut self, mv: Move) {
        let (from, to) = (self.place(mv.from), self.place(mv.to));
        let (piece, uncovered) = self.pile(from);
        let covered = self.pile(to).0;
        self.piles[from.1 as usize][from.0 as usize] = (uncovered, '.');
        self.piles[to.1 as usize][to.0 as usize] = (piece, covered);
        if covered == '.' {
            self.chain.clear();
            self.turns += 1;
            self.player = 1 - self.player;
            self.past.push((self.piles.clone(), self.player));
        } else {
            if self.chain.is_empty() {
                self.chain.push(from);
            }
            self.chain.push(to);
        }
    }

    fn remove(&mut self, seat: Seat) {
        if self.result().is_none() {
            self.left = Some(seat.index());
        }
    }

    fn to_text(&self) -> String {
        let sign = |&(seen, covered): &Pile| if covered == '.' { seen } else { seen.to_ascii_uppercase() };
        let rows: Vec<String> = self.piles.iter().map(|row| row.iter().map(sign).collect()).collect();
        let mut words = vec![format!("p{}", self.player + 1), rows.join("/")];
        if self.turns > 0 {
            words.push(format!("turn={}", self.turns));
        }
        if !self.chain.is_empty() {
            words.push(format!("hops={}", self.chain.len() - 1));
        }
        if !self.barred().is_empty() {
            let cells: Vec<String> =
                self.barred().into_iter().map(|place| self.cell(place).to_string()).collect();
            words.push(format!("barred={}", cells.join(",")));
        }
        if self.setup.repetition > 0 {
            let skipped = self.past.len().saturating_sub(128);
            let numbers: Vec<String> =
                self.past[skipped..].iter().map(|board| format!("{:016x}", Self::number(board))).collect();
            words.push(format!("past={}", numbers.join(",")));
        }
        if let Some(left) = self.left {
            words.push(format!("left=p{}", left + 1));
        }
        for (name, value) in self.setup.options() {
            let usual = Setup::KEYS.iter().any(|key| key.name == name && key.default == value);
            if name != "width" && name != "height" && !usual {
                words.push(format!("{name}={value}"));
            }
        }
        words.join(" ")
    }
}

fn cells_and_border(position: &Position) -> Vec<Cell> {
    let (files, ranks) = ((position.setup().width + 1).min(11), (position.setup().height + 1).min(11));
    (0..files).flat_map(|file| (0..ranks).map(move |rank| Cell::new(file, rank))).collect()
}

impl Conceivable for Position {
    fn conceivable_moves(&self) -> Vec<Move> {
        let cells = cells_and_border(self);
        cells.iter().flat_map(|&from| cells.iter().map(move |&to| Move { from, to })).collect()
    }
}

impl Conceivable for TurnPosition {
    fn conceivable_moves(&self) -> Vec<Turn> {
        let cells = cells_and_border(self.hops());
        cells.iter().flat_map(|&from| cells.iter().map(move |&to| Turn { from, to })).collect()
    }
}
