//! A machine of matchboxes that learns Hexapawn by losing.
//!
//! There is a box for every position the machine can meet, mirror images together, with a bead for every move. To move,
//! it draws a bead from the box of the position. After a loss the bead of its last move is taken away; if that was the
//! last bead of its box, the one of the move before. After a win nothing changes. So bad moves die out, and on the
//! board of 3 x 3 the machine of the second player soon cannot be beaten.

use std::collections::BTreeMap;
use std::fmt;

use rookery_games::hexapawn::{Hexapawn, Move, Position, Setup, Square};
use rookery_rules::{
    GameSpec, Notation, Position as _, Rng, Seat, Seed, Setup as _, SetupError, Status, below,
};
use rookery_search::{Budget, Random, Strategy};

use super::EXPERTISE;
use crate::{PlayerError, PlayerSpec, strategy};

/// The machine: its boxes, and the moves of the game it plays.
#[derive(Clone, Debug)]
pub struct Matchbox {
    /// By the text of a position or of its mirror image, whichever is smaller: the moves that are left in the box.
    boxes: BTreeMap<String, Vec<Move>>,
    /// The boxes that were opened in this game, and the beads that were drawn.
    drawn: Vec<(String, Move)>,
}

/// What came of one game of a machine in training.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lesson {
    /// Whether the machine won.
    pub won: bool,
    /// Whether it lost a bead over it.
    pub punished: bool,
}

impl Matchbox {
    /// A machine without experience. Boxes are filled when they are first opened.
    pub fn new() -> Self {
        Self { boxes: BTreeMap::new(), drawn: vec![] }
    }

    /// How many boxes have been opened so far.
    pub fn n_boxes(&self) -> usize {
        self.boxes.len()
    }

    /// How many beads are in them.
    pub fn n_beads(&self) -> usize {
        self.boxes.values().map(Vec::len).sum()
    }

    /// Draws a bead.
    pub fn draw(&mut self, position: &Position, rng: &mut Rng) -> Move {
        let (label, mirrored) = label(position);
        let beads = self.boxes.entry(label.clone()).or_insert_with(|| fill(position, mirrored));
        let bead = beads[below(rng, beads.len() as u32) as usize];
        self.drawn.push((label, bead));
        if mirrored { mirror_move(position, bead) } else { bead }
    }

    /// The game is over. After a loss the last drawn bead is taken out whose box has another one left. Says whether
    /// there was one.
    pub fn learn(&mut self, won: bool) -> bool {
        let drawn = std::mem::take(&mut self.drawn);
        if won {
            return false;
        }
        for (label, bead) in drawn.iter().rev() {
            let beads = self.boxes.get_mut(label).expect("a bead was drawn from it");
            if beads.len() > 1 {
                beads.retain(|other| other != bead);
                return true;
            }
        }
        false
    }

    /// Plays one game against `opponent` from the first position of a setup, and learns from it.
    pub fn train(
        &mut self,
        setup: &Setup,
        seat: Seat,
        opponent: &mut dyn Strategy<Position>,
        seed: Seed,
    ) -> Lesson {
        let mut rng = seed.rng();
        let mut position = setup.start();
        for ply in 0.. {
            let Some(mover) = position.to_move() else { break };
            let mv = if mover == seat {
                self.draw(&position, &mut rng)
            } else {
                opponent.choose(&position, &Budget { seed: seed.derive(ply), ..Budget::default() })
            };
            position.play_unchecked(mv);
        }
        let Status::Over(outcome) = position.status() else { unreachable!("the game has an end") };
        let won = outcome.winners.contains(seat);
        Lesson { won, punished: self.learn(won) }
    }
}

impl Default for Matchbox {
    fn default() -> Self {
        Self::new()
    }
}

/// A machine in training: against whom, at which seat, on which board.
pub struct Course {
    machine: Matchbox,
    setup: Setup,
    seat: Seat,
    opponent: Box<dyn Strategy<Position>>,
}

impl Course {
    /// A course for a machine without experience.
    pub fn new(spec: &GameSpec, seat: Seat, opponent: &PlayerSpec) -> Result<Self, CourseError> {
        let setup = Setup::from_spec(spec).map_err(CourseError::Setup)?;
        let (opponent, _) = strategy::<Hexapawn>(&EXPERTISE, opponent).map_err(CourseError::Opponent)?;
        Ok(Self { machine: Matchbox::new(), setup, seat, opponent })
    }

    /// One game.
    pub fn lesson(&mut self, seed: Seed) -> Lesson {
        self.machine.train(&self.setup, self.seat, &mut *self.opponent, seed)
    }

    /// The machine as it is now.
    pub fn machine(&self) -> &Matchbox {
        &self.machine
    }
}

/// Why there can be no such course.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CourseError {
    /// The board is wrong.
    Setup(SetupError),
    /// There is no such opponent.
    Opponent(PlayerError),
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Opponent(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CourseError {}

impl fmt::Debug for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Course({} at {})", self.setup.spec(), self.setup.seat_label(self.seat))
    }
}

/// The player: trained before its first move, on the board it meets and at the seat it has, against a player that acts
/// at random.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    /// How many games it learns from.
    pub(crate) games: u64,
    machine: Option<Matchbox>,
}

impl Trained {
    pub(crate) fn new(games: u64) -> Self {
        Self { games, machine: None }
    }
}

impl Strategy<Position> for Trained {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        let machine = self.machine.get_or_insert_with(|| {
            let board = position.board();
            let setup = Setup { rows: board.rows(), cols: board.cols(), ..Setup::default() };
            let mut machine = Matchbox::new();
            for game in 0..self.games {
                machine.train(&setup, seat, &mut Random, Seed(game));
            }
            machine
        });
        let mv = machine.draw(position, &mut budget.seed.rng());
        machine.drawn.clear();
        mv
    }
}

/// The label of a position's box, and whether it is that of the mirror image.
fn label(position: &Position) -> (String, bool) {
    let text = position.to_text();
    let mirrored = mirror_text(&text);
    if mirrored < text { (mirrored, true) } else { (text, false) }
}

/// The text of the mirror image.
fn mirror_text(text: &str) -> String {
    let words: Vec<String> = text.split(' ').map(mirror_rows).collect();
    words.join(" ")
}

/// The rows of a board, each from right to left; any other word as it is.
fn mirror_rows(word: &str) -> String {
    if !word.contains('/') {
        return word.to_owned();
    }
    let rows: Vec<String> = word.split('/').map(|row| row.chars().rev().collect()).collect();
    rows.join("/")
}

fn mirror_move(position: &Position, mv: Move) -> Move {
    let last = position.board().cols() - 1;
    let mirror = |square: Square| Square::new(square.row(), last - square.col());
    match mv {
        Move::Pawn { from, to } => Move::Pawn { from: mirror(from), to: mirror(to) },
        Move::Off(square) => Move::Off(mirror(square)),
        Move::Choose(k) => Move::Choose(k),
    }
}

/// One bead for each move; of two moves that are mirror images of each other in a symmetric position only one.
fn fill(position: &Position, mirrored: bool) -> Vec<Move> {
    let text = position.to_text();
    let symmetric = mirror_text(&text) == text;
    let mut beads: Vec<Move> = vec![];
    for mv in position.legal_moves() {
        let mv = if mirrored { mirror_move(position, mv) } else { mv };
        if !(symmetric && beads.contains(&mirror_move(position, mv))) {
            beads.push(mv);
        }
    }
    beads
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn three_by_three() -> Setup {
        Setup::parse("rows=3,cols=3").unwrap()
    }

    fn labels(position: &Position, found: &mut [BTreeSet<String>; 2]) {
        let Some(seat) = position.to_move() else { return };
        found[seat.index()].insert(label(position).0);
        for mv in position.legal_moves() {
            let mut child = position.clone();
            child.play_unchecked(mv);
            labels(&child, found);
        }
    }

    #[test]
    fn as_many_boxes_as_in_the_literature() {
        let mut found = [BTreeSet::new(), BTreeSet::new()];
        labels(&three_by_three().start(), &mut found);
        assert_eq!(found.map(|labels| labels.len()), [18, 19]);
    }

    #[test]
    fn the_second_players_machine_learns_to_win_every_game() {
        let mut machine = Matchbox::new();
        let seat = Seat::new(1);
        for game in 0..500 {
            machine.train(&three_by_three(), seat, &mut Random, Seed(game));
        }
        let later: Vec<Lesson> =
            (500..700).map(|game| machine.train(&three_by_three(), seat, &mut Random, Seed(game))).collect();
        assert!(
            later.iter().all(|lesson| lesson.won),
            "{} boxes, {} beads",
            machine.n_boxes(),
            machine.n_beads()
        );
    }

    #[test]
    fn mirror_images_share_a_box() {
        let [left, right] =
            ["p2 .11/1../222", "p2 11./..1/222"].map(|text| Position::from_text(text).unwrap());
        assert_eq!(label(&left).0, label(&right).0);
        let mut machine = Matchbox::new();
        for seed in 0..50 {
            for position in [&left, &right] {
                let mv = machine.draw(position, &mut Seed(seed).rng());
                assert!(position.is_legal(mv), "{mv}");
            }
        }
        assert_eq!(machine.n_boxes(), 1);
    }
}
