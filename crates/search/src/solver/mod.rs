//! Exact values: who wins when both sides play as well as can be, in how many moves, and how.
//!
//! For games between two seats in which no position comes back ([`Solvable`]). Everything rests on one question that
//! `search` answers, whether a position is worth at least so much, and on a table of bounds that all questions, all
//! threads and, through a file, all runs share. Who wins is asked first; the length is then found by asking for a win in
//! one move, in two, and so on, so that the first yes is exact.

mod perfect;
mod recurring;
mod search;
mod table;
mod verify;

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rookery_rules::{Solvable, Status, Worth};

use crate::Budget;
pub use perfect::{FindTable, Goal, Perfect};
pub use recurring::{Arrangements, Fate, NotSolved};
use search::{Busy, Shared, Worker};
use table::{Bounds, Table};
pub use verify::{Refuted, Verified};

/// The size of a new table; it grows as it fills up. A small one stays near the processor.
const FIRST_TABLE: usize = 1 << 20;

/// Positions that one thread looks at before others help.
const ALONE: u64 = 1 << 14;

/// What a solver is asked for; each asks for more than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Want {
    /// Who wins.
    Winner,
    /// And in how many moves.
    Length,
    /// And what every first move is worth.
    Moves,
}

/// What was found out about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<M> {
    /// What it is worth to the seat to move; if only the winner was asked for, a bound on it.
    pub worth: Worth,
    /// Whether the length is exact.
    pub is_exact: bool,
    /// Best play of both sides up to the end; empty if only the winner was asked for.
    pub line: Vec<M>,
    /// Every first move and what it is worth to the seat that makes it; empty if that was not asked for.
    pub first_moves: Vec<(M, Worth)>,
}

/// How far a solver is, for whoever watches from another thread.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<Counters>);

#[derive(Default, Debug)]
struct Counters {
    nodes: AtomicU64,
    /// Millionths of the present question.
    share: AtomicU64,
}

impl Progress {
    /// Positions looked at so far.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }

    /// How much of the present question is settled, by the first few moves that were tried: a guess, since what is left
    /// may never have to be tried, or be larger than what was. `None` as long as there is nothing to go by.
    pub fn share(&self) -> Option<f64> {
        let share = self.0.share.load(Ordering::Relaxed);
        (share > 0).then_some(share as f64 / 1e6)
    }
}

/// A position that cannot be solved this way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsolvable {
    /// There are more or fewer than two seats.
    Seats(usize),
    /// A game could last longer than [`Worth::MAX_PLIES`].
    TooLong(u64),
    /// Nobody is to move.
    Over,
}

impl fmt::Display for Unsolvable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seats(n) => write!(
                f,
                "it has {n} players; who wins with best play has a meaning for two players only, so choose a setup with two"
            ),
            Self::TooLong(plies) => write!(
                f,
                "a game can last {plies} moves, and the solver counts up to {}; choose a smaller board",
                Worth::MAX_PLIES
            ),
            Self::Over => f.write_str("the game is over; choose a position in which somebody is to move"),
        }
    }
}

impl std::error::Error for Unsolvable {}

/// What a solver has found out and saved, for any number of others to look up at the same time.
#[derive(Debug)]
pub struct SolverTable(Table);

impl SolverTable {
    /// Reads what [`Solver::save`] wrote for positions with codes of so many bits, if it takes no more than so many bytes
    /// and nothing in it is damaged.
    pub fn load(code_bits: u32, limit: usize, input: &mut dyn Read) -> io::Result<Self> {
        Table::load(code_bits, limit, input).map(Self)
    }

    fn get(&self, code: u128) -> Bounds {
        self.0.get(self.0.slot(code))
    }
}

/// Solves positions of one game, and remembers what it found out.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_rules::{Setup, Worth};
/// use rookery_search::{Budget, Solver, Want};
///
/// let start = hexapawn::Setup::parse("rows=3,cols=3")?.start();
/// let mut solver = Solver::new(&start, 1 << 24, 1)?;
/// let solution = solver.solve(Want::Moves, &Budget::default()).expect("nobody stops it");
/// assert_eq!(solution.worth, Worth::loss(6));
/// assert_eq!(solution.line.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Solver<P> {
    start: P,
    table: Table,
    base: Option<Arc<SolverTable>>,
    /// The table takes no more bytes, also while it grows.
    limit: usize,
    threads: usize,
    progress: Progress,
}

impl<P: Solvable> Solver<P> {
    /// A solver of this position with a table of at most so many bytes.
    pub fn new(start: &P, limit: usize, threads: usize) -> Result<Self, Unsolvable> {
        check(start)?;
        let table = Table::new(start.code_bits(), FIRST_TABLE, limit);
        Ok(Self::with_table(start, table, limit, threads))
    }

    /// A solver that goes on where another one, of a position of the same family and with as many code bits, was saved.
    pub fn load(
        start: &P,
        limit: usize,
        threads: usize,
        input: &mut dyn Read,
    ) -> io::Result<Result<Self, Unsolvable>> {
        if let Err(error) = check(start) {
            return Ok(Err(error));
        }
        let table = Table::load(start.code_bits(), limit, input)?;
        Ok(Ok(Self::with_table(start, table, limit, threads)))
    }

    fn with_table(start: &P, table: Table, limit: usize, threads: usize) -> Self {
        Self {
            start: start.clone(),
            table,
            base: None,
            limit,
            threads: threads.max(1),
            progress: Progress::default(),
        }
    }

    /// Writes everything found out so far; [`load`](Solver::load) reads it.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.table.save(out)
    }

    /// Looks up first what others have found out about positions of the same family.
    #[must_use]
    pub fn knowing(mut self, base: Option<Arc<SolverTable>>) -> Self {
        self.base = base.filter(|base| base.0.code_bits() == self.start.code_bits());
        self
    }

    /// Counts in `progress`, which somebody watches.
    #[must_use]
    pub fn watched(mut self, progress: &Progress) -> Self {
        self.progress = progress.clone();
        self
    }

    /// Positions looked at so far, to be watched from another thread.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Positions the table holds.
    pub fn entries(&self) -> u64 {
        self.table.used()
    }

    /// Bytes the table takes.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// How many bits of a position's code decide whether it is found in the table; `None` if all that there are, and the
    /// code itself is without doubt.
    ///
    /// With `b` bits and `n` positions the odds that any two are taken for each other are about n²/2^(b+1).
    pub fn compared_bits(&self) -> Option<u32> {
        let lost = self.table.lost_bits();
        (!P::EXACT || lost > 0).then(|| self.start.code_bits() - lost)
    }

    /// Another position of the same game, from which no position can follow that could not follow from the first one.
    pub(crate) fn move_to(&mut self, position: &P) {
        self.start = position.clone();
    }

    /// Solves the position. `None` if the budget ended it; what was found out is kept. The budget's work counts positions
    /// from the beginning of the solver.
    pub fn solve(&mut self, want: Want, budget: &Budget) -> Option<Solution<P::Move>> {
        let start = self.start.clone();
        if want == Want::Winner {
            let worth = self.winner(&start, budget)?;
            return Some(Solution { worth, is_exact: false, line: vec![], first_moves: vec![] });
        }
        let worth = self.exact(&start, budget)?;
        let line = self.line(start.clone(), worth, budget)?;
        let mut first_moves = vec![];
        if want == Want::Moves {
            let mover = start.to_move();
            for mv in start.legal_moves() {
                let mut child = start.clone();
                child.play_unchecked(mv);
                let worth = match child.to_move() {
                    None => search::ended(&child, mover.expect("somebody is to move")),
                    next if next == mover => self.exact(&child, budget)?,
                    _ => self.exact(&child, budget)?.flip(),
                };
                first_moves.push((mv, worth.older()));
            }
        }
        Some(Solution { worth, is_exact: true, line, first_moves })
    }

    /// Who wins, as a bound on the worth: a win, a draw or a loss for the seat to move.
    fn winner(&mut self, position: &P, budget: &Budget) -> Option<Worth> {
        let worth = self.test(position, Worth::DRAW.next(), budget)?;
        if worth.is_win() || worth.is_loss() {
            return Some(worth);
        }
        let worth = self.test(position, Worth::DRAW, budget)?;
        Some(if worth.is_loss() { worth } else { Worth::DRAW })
    }

    /// A move that wins, or draws where nothing wins, and whether it wins; `None` if all lose, or if the budget ended it.
    /// Finds out nothing about lengths, so it is much quicker than a best line.
    pub fn keeping_move(&mut self, budget: &Budget) -> Option<(P::Move, bool)> {
        let start = self.start.clone();
        let winner = self.winner(&start, budget)?;
        if winner.is_loss() {
            return None;
        }
        let wanted = if winner.is_win() { Worth::DRAW.next() } else { Worth::DRAW };
        Some((self.keep_somehow(&start, wanted, budget).ok()??.0, winner.is_win()))
    }

    /// Whether a move of the start keeps at least a draw, if that is found out within the budget.
    pub(crate) fn keeps_draw(&mut self, mv: P::Move, budget: &Budget) -> bool {
        let Some(mover) = self.start.to_move() else { return false };
        let mut child = self.start.clone();
        child.play_unchecked(mv);
        match child.to_move() {
            None => search::ended(&child, mover) >= Worth::DRAW,
            Some(next) => self
                .winner(&child, budget)
                .is_some_and(|worth| if next == mover { !worth.is_loss() } else { !worth.is_win() }),
        }
    }

    /// A move that keeps at least this worth, and what it leads to, if there is one. A move that is known to do is taken
    /// before the first one in the game's order that does, which would have to be found out.
    fn keep_somehow(
        &mut self,
        position: &P,
        worth: Worth,
        budget: &Budget,
    ) -> Result<Option<(P::Move, P)>, Spent> {
        let mover = position.to_move().expect("the game goes on");
        let wanted = worth.younger();
        let known = children(position).find(|(_, child)| match child.to_move() {
            None => search::ended(child, mover) >= wanted,
            Some(next) if next == mover => self.known(child).low >= wanted,
            Some(_) => self.known(child).high <= wanted.flip(),
        });
        if known.is_some() { Ok(known) } else { self.keep(position, worth, budget) }
    }

    /// What a position is worth to the seat to move.
    fn exact(&mut self, position: &P, budget: &Budget) -> Option<Worth> {
        let winner = self.winner(position, budget)?;
        let known = self.known(position);
        let (mut low, mut high) = match winner {
            Worth::DRAW => return Some(Worth::DRAW),
            worth if worth.is_win() => (worth.max(known.low), known.high),
            worth => (known.low, worth.min(known.high)),
        };
        while low < high {
            // Short games first: either side of the question is then as shallow as can be.
            let wanted = if winner.is_win() { high } else { low.next() };
            let found = self.test(position, wanted, budget)?;
            if found >= wanted {
                low = found;
            } else {
                high = found;
            }
        }
        Some(low)
    }

    fn known(&self, position: &P) -> Bounds {
        let (low, high) = position.foresee();
        let code = position.code();
        let known = self.table.get(self.table.slot(code));
        let base = self.base.as_ref().map_or(Bounds::NONE, |base| base.get(code));
        Bounds {
            low: low.max(known.low).max(base.low).max(Worth::loss(1)),
            high: high.min(known.high).min(base.high).min(Worth::win(1)),
        }
    }

    /// The first moves in the game's order that keep the worth, up to the end.
    fn line(&mut self, mut position: P, mut worth: Worth, budget: &Budget) -> Option<Vec<P::Move>> {
        let mut line = vec![];
        while let Status::ToMove(mover) = position.status() {
            let (mv, child) = self.keep(&position, worth, budget).ok()??;
            worth = worth.younger();
            if child.to_move().is_some_and(|next| next != mover) {
                worth = worth.flip();
            }
            line.push(mv);
            position = child;
        }
        Some(line)
    }

    /// The first move in the game's order that keeps at least this worth, and what it leads to, if there is one.
    fn keep(&mut self, position: &P, worth: Worth, budget: &Budget) -> Result<Option<(P::Move, P)>, Spent> {
        let mover = position.to_move().expect("the game goes on");
        let wanted = worth.younger();
        for (mv, child) in children(position) {
            let keeps = match child.to_move() {
                None => search::ended(&child, mover) >= wanted,
                Some(next) if next == mover => self.test(&child, wanted, budget).ok_or(Spent)? >= wanted,
                Some(_) => self.test(&child, wanted.flip().next(), budget).ok_or(Spent)? <= wanted.flip(),
            };
            if keeps {
                return Ok(Some((mv, child)));
            }
        }
        Ok(None)
    }

    /// Whether a position is worth at least `wanted`, as a bound; enlarges the table when it must.
    fn test(&mut self, position: &P, wanted: Worth, budget: &Budget) -> Option<Worth> {
        let known = self.known(position);
        if known.low >= wanted || known.high < wanted {
            return Some(if known.low >= wanted { known.low } else { known.high });
        }
        let busy = (self.threads > 1).then(Busy::new);
        loop {
            let larger = self.larger();
            let shared = Shared {
                table: &self.table,
                base: self.base.as_deref(),
                budget,
                progress: &self.progress.0,
                stop: false.into(),
                may_grow: larger.is_some(),
                busy: busy.as_ref(),
            };
            if let Some(found) = ask(&shared, self.threads, position, wanted) {
                return Some(found);
            }
            let crowded = self.table.is_crowded();
            match larger {
                Some(bytes) if crowded => match self.table.grown(bytes) {
                    Some(grown) => self.table = grown,
                    // No more memory is to be had: entries displace each other from now on.
                    None => self.limit = self.table.bytes(),
                },
                _ => return None,
            }
            if budget.is_spent(self.progress.nodes()) {
                return None;
            }
        }
    }

    /// The size of the next table, if there is room for it beside this one.
    fn larger(&self) -> Option<usize> {
        let now = self.table.bytes();
        [4, 2].map(|factor| now.saturating_mul(factor)).into_iter().find(|bytes| now + bytes <= self.limit)
    }
}

/// The budget ended before there was an answer.
struct Spent;

/// The moves of a position in the game's order, and what they lead to.
fn children<P: Solvable>(position: &P) -> impl Iterator<Item = (P::Move, P)> {
    position.legal_moves().map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        (mv, child)
    })
}

/// Whether this kind of search can tell what a position is worth.
fn check<P: Solvable>(start: &P) -> Result<(), Unsolvable> {
    if start.n_seats() != 2 {
        return Err(Unsolvable::Seats(start.n_seats()));
    }
    if start.to_move().is_none() {
        return Err(Unsolvable::Over);
    }
    if start.max_plies() > u64::from(Worth::MAX_PLIES) {
        return Err(Unsolvable::TooLong(start.max_plies()));
    }
    Ok(())
}

/// Asks one question of one or several threads. They meet in the table and leave to each other what another one is at;
/// the first answer counts.
fn ask<P: Solvable>(shared: &Shared<'_>, threads: usize, position: &P, wanted: Worth) -> Option<Worth> {
    if threads == 1 {
        return Worker::new(shared, 0, u64::MAX).test(position, wanted);
    }
    // Most questions are small, and starting a thread takes longer than they do.
    let found = Worker::new(shared, 0, ALONE).test(position, wanted);
    if found.is_some() || shared.stop.load(Ordering::Relaxed) {
        return found;
    }
    let work = |number: usize| {
        let found = Worker::new(shared, number, u64::MAX).test(position, wanted);
        if found.is_some() {
            shared.stop.store(true, Ordering::Relaxed);
        }
        found
    };
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|number| scope.spawn(move || work(number))).collect();
        let own = work(0);
        let found = helpers.into_iter().map(|helper| helper.join().expect("a helper does not panic"));
        found.fold(own, Option::or)
    })
}
