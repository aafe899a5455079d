//! Positions with exactly one winning move, from real play.

use std::fmt;

use rookery_catalog::{CATALOG, Game, Visit, game, visit};
use rookery_players::{SolveError, SolveOrder, Solved, Solving};
use rookery_rules::{
    GameSpec, Notation as _, Position, PositionOf, Reason, Seat, Seed, Setup as _, Status, below,
};
use rookery_search::{Budget, Random, Strategy as _, Want};
use serde::Serialize;

use crate::reasons::reasons;

/// A position in which exactly one move wins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Puzzle {
    /// The name of the game.
    pub game: String,
    /// The number it was asked by.
    pub seed: u64,
    /// The position.
    pub position: String,
    /// Who is to move and win, from 0.
    pub seat: usize,
    /// Best play of both sides to the end. Its first move is the only one that wins.
    pub solution: Vec<String>,
    /// How many moves it has.
    pub plies: u32,
    /// How hard it is.
    pub grade: Grade,
}

/// How hard a puzzle is, by its length: 1 to 5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Grade(u8);

impl Grade {
    /// A grade from 1 to 5.
    pub const fn new(grade: u8) -> Option<Self> {
        if 1 <= grade && grade <= 5 { Some(Self(grade)) } else { None }
    }

    /// The grade of a win in so many moves of both.
    const fn of_plies(plies: u32) -> Self {
        Self(match plies {
            0..=3 => 1,
            4..=5 => 2,
            6..=7 => 3,
            8..=11 => 4,
            _ => 5,
        })
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why there is no puzzle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoPuzzle {
    /// There is no such game.
    Unknown(String),
    /// The game cannot be solved quickly enough.
    NoSolver(String),
    /// None was found with all the work that one may take.
    NotFound {
        /// The game.
        game: String,
        /// How hard it was to be.
        grade: Option<Grade>,
    },
}

impl fmt::Display for NoPuzzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = puzzle_games().collect::<Vec<_>>().join(", ");
        match self {
            Self::Unknown(error) => f.write_str(error),
            Self::NoSolver(game) => write!(f, "there are no puzzles of {game}; there are some of {games}"),
            Self::NotFound { game, grade: Some(grade) } => write!(
                f,
                "no puzzle of {game} with grade {grade} was found for this number; try another --seed, another --grade or none"
            ),
            Self::NotFound { game, grade: None } => {
                write!(f, "no puzzle of {game} was found for this number; try another --seed")
            }
        }
    }
}

impl std::error::Error for NoPuzzle {}

/// The games of which there are puzzles.
pub fn puzzle_games() -> impl Iterator<Item = &'static str> {
    struct Has;
    impl Visit for Has {
        type Out = bool;
        fn visit<G: Game>(self) -> bool {
            !G::EXPERTISE.puzzles.is_empty()
        }
    }
    CATALOG.iter().map(|game| game.name()).filter(|name| visit(name, Has).unwrap_or(false))
}

/// The puzzle of a game that a number names; the same one on any machine.
///
/// ```
/// let puzzle = rookery_study::puzzle("hexapawn", 7, None)?;
/// assert_eq!(puzzle.solution.len(), puzzle.plies as usize);
/// # Ok::<(), rookery_study::NoPuzzle>(())
/// ```
pub fn puzzle(name: &str, seed: u64, grade: Option<Grade>) -> Result<Puzzle, NoPuzzle> {
    game(name).map_err(|error| NoPuzzle::Unknown(error.to_string()))?;
    let (nodes, work) = if grade.is_some() { (NODES, WORK) } else { SOON };
    visit(name, Search { seed, grade, nodes, work }).expect("the game is there")
}

/// The game and the number of the puzzle of a day, which is counted from 1 January 1970.
pub fn of_the_day(days: u64) -> (&'static str, u64) {
    let games: Vec<&str> = puzzle_games().collect();
    let count = games.len().max(1) as u64;
    (games[(days % count) as usize], days)
}

struct Search {
    seed: u64,
    grade: Option<Grade>,
    /// Positions that a solver may look at for one question.
    nodes: u64,
    /// The same for all that are still to come.
    work: u64,
}

/// How many games are played to find one.
const GAMES: u64 = 400;
/// Positions that the solver may look at for one question. A number, not a time, so that the same puzzle comes on any machine.
const NODES: u64 = 400_000;
/// The same for all questions of a puzzle whose grade was asked for: long ones are rare, and take some seconds to find.
const WORK: u64 = 20_000_000;
/// Both where any grade will do, so that the first puzzle comes soon.
const SOON: (u64, u64) = (50_000, 4_000_000);
/// The memory of a solver.
const MEMORY: usize = 16 << 20;
/// So much more of both when a move is tried: what follows from it follows from the puzzle, too, but may be met in another order.
const ROOM: u32 = 4;
/// Who plays the games: somebody who makes mistakes, but not many.
const PLAYER: &str = "level:2";
/// The most moves at the beginning that are played at random.
const MOST_RANDOM: u32 = 8;
/// A game that lasts longer than so many moves only drags on.
const LONGEST: u64 = 100;
/// A position with fewer moves is no question.
const LEAST_CHOICE: usize = 3;
/// A shorter win is found by looking once.
const LEAST_PLIES: u32 = 3;

impl Visit for Search {
    type Out = Result<Puzzle, NoPuzzle>;

    fn visit<G: Game>(mut self) -> Self::Out {
        let setups = G::EXPERTISE.puzzles;
        if setups.is_empty() {
            return Err(NoPuzzle::NoSolver(G::Setup::GAME.to_owned()));
        }
        let mut solvers: Vec<_> = setups.iter().map(|_| G::EXPERTISE.solving()).collect();
        let seed = Seed(self.seed).derive(0x7075_7a7a);
        for number in 0..GAMES {
            let seed = seed.derive(number);
            let choice = below(&mut seed.rng(), setups.len() as u32) as usize;
            let positions = positions_of_a_game::<G>(setups[choice], seed);
            if let Some((position, solved)) = self.first_puzzle::<G>(&positions, &mut solvers[choice]) {
                let plies = solved.value.plies.expect("a win that was solved has its length");
                return Ok(Puzzle {
                    game: G::Setup::GAME.to_owned(),
                    seed: self.seed,
                    position: position.to_text(),
                    seat: position.to_move().map_or(0, Seat::index),
                    solution: solved.line,
                    plies,
                    grade: Grade::of_plies(plies),
                });
            }
            if self.work == 0 {
                break;
            }
        }
        Err(NoPuzzle::NotFound { game: G::Setup::GAME.to_owned(), grade: self.grade })
    }
}

/// The positions of a game in which somebody was to move.
fn positions_of_a_game<G: Game>(setup: &str, seed: Seed) -> Vec<PositionOf<G>> {
    let spec = GameSpec::parse(&format!("{}:{setup}", G::Setup::GAME)).expect("well formed");
    let spec = game(G::Setup::GAME).expect("the game is there").vary(&spec, seed);
    let mut position = G::Setup::from_spec(&spec).expect("the setups of puzzles are possible").start();
    let player = PLAYER.parse().expect("well formed");
    let (mut player, _) = rookery_catalog::strategy::<G>(&player).expect("every game has it");
    let opening = u64::from(below(&mut seed.derive(1).rng(), MOST_RANDOM + 1));
    let mut positions = vec![];
    for ply in 0..LONGEST {
        if position.to_move().is_none() {
            break;
        }
        let budget = Budget { seed: seed.derive(1000 + ply), ..Budget::default() };
        // The first moves are anybody's, so that games differ also where the start is always the same.
        let mv =
            if ply < opening { Random.choose(&position, &budget) } else { player.choose(&position, &budget) };
        positions.push(position.clone());
        position.play_unchecked(mv);
    }
    positions
}

impl Search {
    /// The first position of a game that makes a puzzle, of those that the solver reaches. They are asked from the end, where
    /// it has little to do, and no more once it does not reach one, for those before it are harder.
    fn first_puzzle<G: Game>(
        &mut self,
        positions: &[PositionOf<G>],
        solver: &mut Solving<PositionOf<G>>,
    ) -> Option<(PositionOf<G>, Solved)> {
        let mut first = None;
        for position in positions.iter().rev() {
            match self.solved::<G>(position, solver) {
                Ok(Some(answer)) => first = Some((position.clone(), answer)),
                Ok(None) => {}
                Err(OutOfReach) => break,
            }
        }
        // It must be solved without what was remembered, too: so it is when somebody tries a move.
        let order = order(Want::Moves, NODES);
        first.filter(|(position, _)| (G::EXPERTISE.solve)(position, &order).is_ok())
    }

    /// The solution of a position, if it makes a puzzle.
    fn solved<G: Game>(
        &mut self,
        position: &PositionOf<G>,
        solver: &mut Solving<PositionOf<G>>,
    ) -> Result<Option<Solved>, OutOfReach> {
        let Some(seat) = position.to_move() else { return Ok(None) };
        if position.is_preparing() || position.legal_moves().count() < LEAST_CHOICE {
            return Ok(None);
        }
        // Who wins is found sooner than what every move is worth.
        let winner = match self.ask(position, Want::Winner, solver) {
            Ok(answer) => answer.value.winner,
            Err(SolveError::Stopped) => return Err(OutOfReach),
            // What is before the end of a game that a cap is about to end may be solved.
            Err(_) => None,
        };
        if winner != Some(seat) {
            return Ok(None);
        }
        let Ok(answer) = self.ask(position, Want::Moves, solver) else { return Ok(None) };
        let Some(plies) = answer.value.plies.filter(|&plies| plies >= LEAST_PLIES) else { return Ok(None) };
        let winning = answer.first_moves.iter().filter(|(_, value)| value.winner == Some(seat)).count();
        let fits = self.grade.is_none_or(|grade| grade == Grade::of_plies(plies));
        Ok((winning == 1 && fits && answer.line.len() == plies as usize).then_some(answer))
    }

    /// An answer of the solver, with what it may still look at.
    fn ask<P: Position>(
        &mut self,
        position: &P,
        want: Want,
        solver: &mut Solving<P>,
    ) -> Result<Solved, SolveError> {
        let order = order(want, self.work.min(self.nodes));
        let answer = solver(position, &order);
        self.work = self.work.saturating_sub(order.progress.nodes());
        answer
    }
}

/// The solver takes too long for a position.
struct OutOfReach;

fn order(want: Want, nodes: u64) -> SolveOrder {
    SolveOrder { want, nodes: Some(nodes), memory: MEMORY, ..SolveOrder::default() }
}

/// The value and the best line of a position on the way from a puzzle.
fn solve<G: Game>(position: &PositionOf<G>) -> Result<Solved, SolveError> {
    let order = order(Want::Length, NODES * u64::from(ROOM));
    (G::EXPERTISE.solve)(position, &SolveOrder { memory: MEMORY * ROOM as usize, ..order })
}

/// What to do in a position that is won for whoever is to move: the move, and what speaks for it. Solved, so that it is right
/// on the slowest machine.
pub fn way_on(name: &str, position: &str) -> Result<(String, Vec<Reason>), String> {
    struct Way<'a>(&'a str);
    impl Visit for Way<'_> {
        type Out = Result<(String, Vec<Reason>), String>;
        fn visit<G: Game>(self) -> Self::Out {
            let position = PositionOf::<G>::from_text(self.0).map_err(|error| error.to_string())?;
            let solved = solve::<G>(&position).map_err(|error| error.to_string())?;
            let text = solved.line.into_iter().next().ok_or("the game is over")?;
            let mv = position.parse_move(&text).map_err(|error| error.to_string())?;
            Ok((text, reasons::<G>(&position, mv)))
        }
    }
    visit(name, Way(position)).map_err(|error| error.to_string())?
}

/// What came of a try.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attempt {
    /// The move gives the win away; with what the other side answers. Nothing if the game is over, and where nobody can force a
    /// win any more, so that no answer is the best.
    Wrong { reply: Option<String> },
    /// The move wins, and so does only the right play from here on.
    Right { reply: String, position: String },
    /// The game is won.
    Solved,
}

/// Tries a move in a position that is won for whoever is to move. Any move that keeps the win is right.
pub fn attempt(name: &str, position: &str, mv: &str) -> Result<Attempt, String> {
    struct Try<'a>(&'a str, &'a str);
    impl Visit for Try<'_> {
        type Out = Result<Attempt, String>;
        fn visit<G: Game>(self) -> Self::Out {
            let mut position = PositionOf::<G>::from_text(self.0).map_err(|error| error.to_string())?;
            let seat = position.to_move().ok_or("the game is over")?;
            let mv = position.parse_move(self.1).map_err(|error| error.to_string())?;
            position.play(mv).map_err(|error| error.to_string())?;
            if let Status::Over(outcome) = position.status() {
                let won = outcome.winners.contains(seat) && outcome.winners.len() == 1;
                return Ok(if won { Attempt::Solved } else { Attempt::Wrong { reply: None } });
            }
            let solved = solve::<G>(&position).map_err(|error| error.to_string())?;
            let reply = solved.line.first().cloned();
            if solved.value.winner != Some(seat) {
                return Ok(Attempt::Wrong { reply });
            }
            let reply = reply.ok_or("the solver knows no answer")?;
            let answer = position.parse_move(&reply).map_err(|error| error.to_string())?;
            position.play_unchecked(answer);
            Ok(match position.status() {
                Status::Over(_) => Attempt::Solved,
                Status::ToMove(_) => Attempt::Right { reply, position: position.to_text() },
            })
        }
    }
    visit(name, Try(position, mv)).map_err(|error| error.to_string())?
}
