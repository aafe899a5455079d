//! Solving a position of any game: from an order to an answer in text.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use rookery_rules::{Notation, ParsePositionError, Recurring, Seat, Solvable, Worth};
use rookery_search::{
    Arrangements, Budget, Fate, NotSolved, Progress, Refuted, Solution, Solver, Stop, Unsolvable, Want,
};

use crate::Expertise;
use crate::tables::{TableFile, table_at_hand};

/// What is asked of a solver.
#[derive(Clone, Debug)]
pub struct SolveOrder {
    /// How much is to be found out.
    pub want: Want,
    /// Threads that search.
    pub threads: usize,
    /// Bytes that the table may take.
    pub memory: usize,
    /// The folder where tables are kept from run to run.
    pub db: Option<PathBuf>,
    /// Whether a table at hand ([`use_tables`](crate::use_tables)) is looked up, where there is no folder; nothing is written
    /// to it.
    pub look_up: bool,
    /// Whether to walk through the proof afterwards.
    pub verify: bool,
    /// At most so many positions: without an answer by then it was stopped.
    pub nodes: Option<u64>,
    /// Raised when the answer is no longer wanted.
    pub stop: Stop,
    /// Where it can be watched.
    pub progress: Progress,
    /// Who is told of a move that keeps the result as soon as that is known, which is long before all lengths are: in games
    /// in which no position comes back, unless all is lost.
    pub keeper: Option<Sender<KeepingMove>>,
}

/// A move that wins, or draws where nothing wins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeepingMove {
    /// Its text.
    pub mv: String,
    /// Whether it wins.
    pub wins: bool,
}

impl Default for SolveOrder {
    fn default() -> Self {
        Self {
            want: Want::Moves,
            threads: 1,
            memory: 1 << 30,
            db: None,
            look_up: false,
            verify: false,
            nodes: None,
            stop: Stop::default(),
            progress: Progress::default(),
            keeper: None,
        }
    }
}

/// Who wins with best play, and in how many moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// How long the game lasts when the winner hurries and the loser delays, if that is known and it is no draw.
    pub plies: Option<u32>,
}

/// What was found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// What the position is worth.
    pub value: Value,
    /// Best play of both sides.
    pub line: Vec<String>,
    /// Every first move with what it is worth.
    pub first_moves: Vec<(String, Value)>,
    /// Positions looked at.
    pub nodes: u64,
    /// How long the search took, without reading, writing and walking through the proof.
    pub elapsed: Duration,
    /// Positions remembered.
    pub entries: u64,
    /// Bytes of the table.
    pub bytes: usize,
    /// How many bits of a position's code were compared to find it again; `None` if nothing is left to chance.
    pub compared_bits: Option<u32>,
    /// Positions of the proof that was walked through.
    pub verified: Option<u64>,
    /// Why the table could not be kept, if it should be and could not.
    pub not_kept: Option<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum SolveError {
    /// The text is no position.
    Position(ParsePositionError),
    /// The position is beyond the solver.
    Unsolvable(Unsolvable),
    /// The game is beyond the solver: a clause that says why.
    Refused(String),
    /// It was stopped; if there is a folder for tables, what was found out is saved.
    Stopped,
    /// It was stopped, and what was found out could not be saved: why.
    StoppedUnsaved(String),
    /// The proof does not hold.
    Refuted(Refuted),
    /// A file of the folder for tables cannot be used.
    File(PathBuf, io::Error),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(error) => error.fmt(f),
            Self::Unsolvable(error) => write!(f, "this cannot be solved: {error}"),
            Self::Refused(reason) => write!(f, "this cannot be solved: {reason}"),
            Self::Stopped => f.write_str("stopped before there was an answer"),
            Self::StoppedUnsaved(problem) => write!(f, "stopped before there was an answer; {problem}"),
            Self::Refuted(error) => error.fmt(f),
            Self::File(path, error) => {
                write!(
                    f,
                    "{}: {error}; remove the file to begin again, or name another folder",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for SolveError {}

/// Finds out what a position, given as text, is worth with best play.
pub fn solve<P: Notation>(
    expertise: &Expertise<P>,
    position: &str,
    order: &SolveOrder,
) -> Result<Solved, SolveError> {
    (expertise.solve)(&P::from_text(position).map_err(SolveError::Position)?, order)
}

/// Solves a position of a game in which no position comes back.
pub(crate) fn solve_position<P: Solvable + Notation>(
    game: &str,
    position: &P,
    order: &SolveOrder,
) -> Result<Solved, SolveError> {
    let db = order.db.as_deref().map(|dir| TableFile::new(dir, game, position));
    let loaded = db.as_ref().map(|db| db.load(position, order)).transpose()?.flatten();
    let solver = if let Some(solver) = loaded {
        solver
    } else {
        let solver = Solver::new(position, order.memory, order.threads).map_err(SolveError::Unsolvable)?;
        solver.knowing(if order.look_up { table_at_hand(game, position) } else { None })
    };
    let mut solver = solver.watched(&order.progress);
    let budget = Budget { stop: order.stop.clone(), work: order.nodes, ..Budget::default() };
    let start = Instant::now();
    if let Some(keeper) = &order.keeper
        && let Some((mv, wins)) = solver.keeping_move(&budget)
    {
        // Whoever is gone need not know.
        let _ = keeper.send(KeepingMove { mv: mv.to_string(), wins });
    }
    let solution = solver.solve(order.want, &budget);
    let elapsed = start.elapsed();
    // An answer may have taken days, so it is not lost with a table that cannot be kept.
    let not_kept = db.as_ref().and_then(|db| db.save(&solver).err().map(|error| db.not_kept(&error)));
    let stopped = || not_kept.clone().map_or(SolveError::Stopped, SolveError::StoppedUnsaved);
    let solution = solution.ok_or_else(stopped)?;
    let nodes = order.progress.nodes();
    let verified = if order.verify {
        let verified = solver.verify(&solution, &budget).map_err(|error| match error {
            Refuted::Stopped if order.stop.is_set() => stopped(),
            error => SolveError::Refuted(error),
        })?;
        Some(verified.positions)
    } else {
        None
    };
    Ok(Solved { nodes, elapsed, verified, not_kept, ..in_text(position, &solution, &solver) })
}

/// Solves positions of one setup one after the other, and may remember what it has found out.
pub type Solving<P> = Box<dyn FnMut(&P, &SolveOrder) -> Result<Solved, SolveError>>;

/// Solves a position of a game in which positions come back.
pub(crate) fn solve_recurring<P: Recurring>(position: &P, order: &SolveOrder) -> Result<Solved, SolveError> {
    let start = Instant::now();
    let found = list(position, order)?;
    let elapsed = start.elapsed();
    let verified = order.verify.then(|| found.verify(&order.stop)).transpose().map_err(not_solved)?;
    Ok(Solved { elapsed, verified, ..from_list(position, &found, order) })
}

/// The same for positions of one setup: what follows from a position is listed once. Nothing is verified.
pub(crate) fn solving_recurring<P: Recurring>() -> Solving<P> {
    let mut lists: Vec<Arrangements<P>> = vec![];
    Box::new(move |position, order| {
        let known = lists.iter().position(|list| list.fate(position).is_some());
        let idx = if let Some(idx) = known {
            idx
        } else {
            lists.push(list(position, order)?);
            lists.len() - 1
        };
        if lists[idx].is_capped(position) {
            return Err(not_solved(NotSolved::Capped));
        }
        Ok(from_list(position, &lists[idx], order))
    })
}

fn list<P: Recurring>(position: &P, order: &SolveOrder) -> Result<Arrangements<P>, SolveError> {
    if order.db.is_some() {
        let reason =
            "positions of this game come back, and tables of such games are not kept; leave the folder out";
        return Err(SolveError::Refused(reason.to_owned()));
    }
    let budget = Budget { stop: order.stop.clone(), work: order.nodes, ..Budget::default() };
    Arrangements::solve(position, order.memory, &budget, &order.progress).map_err(not_solved)
}

fn not_solved(error: NotSolved) -> SolveError {
    match error {
        NotSolved::Stopped => SolveError::Stopped,
        NotSolved::Unsolvable(error) => SolveError::Unsolvable(error),
        NotSolved::Refuted(position) => SolveError::Refuted(Refuted::Fate { position }),
        NotSolved::TooMany(_) | NotSolved::Capped => SolveError::Refused(error.to_string()),
    }
}

fn from_list<P: Recurring>(position: &P, found: &Arrangements<P>, order: &SolveOrder) -> Solved {
    let value = |fate: Fate| match fate {
        Fate::Won(seat, plies) => Value { winner: Some(seat), plies: Some(plies) },
        Fate::Drawn => Value { winner: None, plies: None },
    };
    let first_moves = if order.want == Want::Moves { found.first_moves(position) } else { vec![] };
    Solved {
        value: value(found.fate(position).expect("the position is in the list")),
        line: found.line(position).iter().map(ToString::to_string).collect(),
        first_moves: first_moves.into_iter().map(|(mv, fate)| (mv.to_string(), value(fate))).collect(),
        nodes: order.progress.nodes(),
        elapsed: Duration::ZERO,
        entries: found.len() as u64,
        bytes: found.bytes(),
        compared_bits: Some(64),
        verified: None,
        not_kept: None,
    }
}

fn in_text<P: Solvable>(position: &P, solution: &Solution<P::Move>, solver: &Solver<P>) -> Solved {
    let mover = position.to_move().expect("a solved position is not over");
    let value = |worth: Worth| Value {
        winner: match worth {
            Worth::DRAW => None,
            worth => Some(if worth.is_win() { mover } else { mover.next(2) }),
        },
        plies: worth.plies().filter(|_| solution.is_exact),
    };
    Solved {
        value: value(solution.worth),
        line: solution.line.iter().map(ToString::to_string).collect(),
        first_moves: solution.first_moves.iter().map(|&(mv, worth)| (mv.to_string(), value(worth))).collect(),
        nodes: 0,
        elapsed: Duration::ZERO,
        entries: solver.entries(),
        bytes: solver.bytes(),
        compared_bits: solver.compared_bits(),
        verified: None,
        not_kept: None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rookery_testkit::TempFolder;

    use super::*;
    use crate::{fish, hexapawn, stones};

    const START: &str = "p1 11111/...../...../...../22222";

    #[test]
    fn a_kept_table_saves_the_work() {
        let dir = TempFolder::new("solve");
        let order = || SolveOrder { db: Some(dir.to_path_buf()), ..SolveOrder::default() };
        let solve = |order: &SolveOrder| solve(&hexapawn::EXPERTISE, START, order);
        let stopped = order();
        stopped.stop.set();
        assert!(matches!(solve(&stopped), Err(SolveError::Stopped)));
        let path = dir.join("hexapawn-505-46.table");
        assert!(path.exists(), "what was found out is saved also when it is stopped");
        let first = solve(&order()).unwrap();
        let second = solve(&order()).unwrap();
        assert_eq!(
            (&first.value, &first.line, &first.first_moves),
            (&second.value, &second.line, &second.first_moves)
        );
        assert!(second.nodes * 10 < first.nodes, "{} and then {}", first.nodes, second.nodes);

        let mut bytes = fs::read(&path).unwrap();
        bytes[100_000] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = solve(&order()).unwrap_err().to_string();
        assert!(error.contains("its checksum is wrong; remove the file"), "{error}");
        bytes[0] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = solve(&order()).unwrap_err().to_string();
        assert!(error.contains("it begins with"), "{error}");
        let too_little = SolveOrder { memory: 1 << 16, ..order() };
        assert!(matches!(solve(&too_little), Err(SolveError::File(..))));
    }

    /// One run used to rename the file that another still wrote.
    #[test]
    fn runs_side_by_side_all_answer_and_leave_one_whole_table() {
        let dir = TempFolder::new("solve-beside");
        let order = || SolveOrder { db: Some(dir.to_path_buf()), ..SolveOrder::default() };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let solved = solve(&hexapawn::EXPERTISE, "p1 1111/..../..../2222", &order()).unwrap();
                    assert_eq!(solved.not_kept, None);
                });
            }
        });
        let files: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, ["hexapawn-404-41.table"]);
        solve(&hexapawn::EXPERTISE, "p1 1111/..../..../2222", &order()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn an_answer_is_not_lost_with_a_table_that_cannot_be_kept() {
        let dir = TempFolder::new("solve-unkept");
        // Nothing can be found there, and nothing made.
        let nowhere = dir.join("nowhere");
        std::os::unix::fs::symlink("missing", &nowhere).unwrap();
        let order = || SolveOrder { db: Some(nowhere.clone()), verify: true, ..SolveOrder::default() };
        let solved = solve(&hexapawn::EXPERTISE, "p1 111/.../222", &order()).unwrap();
        assert_eq!((solved.value.plies, solved.verified.is_some()), (Some(6), true));
        let problem = solved.not_kept.unwrap();
        assert!(
            problem.contains("could not be saved as ") && problem.contains("another folder"),
            "{problem}"
        );
        let stopped = order();
        stopped.stop.set();
        let error = solve(&hexapawn::EXPERTISE, "p1 111/.../222", &stopped).unwrap_err();
        assert!(matches!(error, SolveError::StoppedUnsaved(_)), "{error}");
    }

    #[test]
    fn every_game_answers_or_says_why_not() {
        let order = SolveOrder { verify: true, threads: 2, ..SolveOrder::default() };
        for solved in [
            solve(&fish::EXPERTISE, "p1 152/315/222 0,0 place=4", &order),
            solve(&hexapawn::EXPERTISE, START, &order),
            solve(&stones::EXPERTISE, "0 00./.../.11", &order),
        ] {
            let solved = solved.unwrap();
            assert!(solved.verified.is_some_and(|positions| positions > 0));
            let best = solved.first_moves.iter().filter(|(_, value)| *value == solved.value);
            assert!(best.count() > 0, "some first move keeps the value");
        }
        let error = solve(&fish::EXPERTISE, "nonsense", &SolveOrder::default()).unwrap_err();
        assert!(matches!(error, SolveError::Position(_)));
        let over = solve(&hexapawn::EXPERTISE, "p1 ..2/.../...", &SolveOrder::default()).unwrap_err();
        assert!(matches!(over, SolveError::Unsolvable(Unsolvable::Over)));
        let unknown =
            solve::<rookery_games::hexapawn::Position>(&Expertise::NONE, START, &order).unwrap_err();
        assert_eq!(unknown.to_string(), "this cannot be solved: there is no solver for this game");
    }
}
