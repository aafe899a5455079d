//! Games in which positions come back: everything that can be reached is listed, and the ends are followed backwards.
//!
//! Positions are told apart by their key, which leaves counters out, so these are *arrangements*. A win that can be forced
//! is forced along arrangements that never repeat, hence within a known number of moves. If no cap can end the game that
//! soon, the win is a win by the rules; what nobody can force is a draw, for then a cap ends the game.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::Ordering;

use rookery_rules::{Recurring, Seat, Status};

use super::{Progress, Unsolvable};
use crate::{Budget, Stop};

/// How an arrangement ends with best play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// This seat wins after so many moves of both sides together, hurrying while the other delays.
    Won(Seat, u32),
    /// Nobody can force a win.
    Drawn,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSolved {
    /// It is the wrong kind of position.
    Unsolvable(Unsolvable),
    /// Too many arrangements for the memory; so many were found.
    TooMany(usize),
    /// A cap, or a rule that looks at more than the arrangement, can decide the game.
    Capped,
    /// It was stopped, or has taken all the work it might.
    Stopped,
    /// The second look does not confirm what was found: the position in question.
    Refuted(String),
}

impl fmt::Display for NotSolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsolvable(error) => error.fmt(f),
            Self::TooMany(n) => write!(
                f,
                "more than {n} arrangements can be reached, too many for the memory; choose a smaller board or allow more memory"
            ),
            Self::Capped => f.write_str(
                "a cap on turns, or a rule that asks for the past, can decide the game; choose higher caps, or leave that rule out",
            ),
            Self::Stopped => f.write_str("it was stopped"),
            Self::Refuted(position) => write!(f, "the proof fails in this position:\n{position}"),
        }
    }
}

impl std::error::Error for NotSolved {}

/// All arrangements that can be reached from a position, and how each of them ends.
#[derive(Debug)]
pub struct Arrangements<P> {
    start: P,
    numbers: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    fates: Vec<Fate>,
}

impl<P: Recurring> Arrangements<P> {
    /// Finds everything out, in about so many bytes. The budget's work counts arrangements whose moves are listed.
    pub fn solve(start: &P, limit: usize, budget: &Budget, progress: &Progress) -> Result<Self, NotSolved> {
        if start.n_seats() != 2 {
            return Err(NotSolved::Unsolvable(Unsolvable::Seats(start.n_seats())));
        }
        if start.to_move().is_none() {
            return Err(NotSolved::Unsolvable(Unsolvable::Over));
        }
        if start.free_plies() == 0 {
            return Err(NotSolved::Capped);
        }
        let graph = Graph::list(start, limit, budget, progress)?;
        let fates = graph.fates();
        let found = Self { start: start.clone(), numbers: graph.numbers, fates };
        if found.is_capped(start) { Err(NotSolved::Capped) } else { Ok(found) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.fates.len()
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        self.fates.len() * (size_of::<Fate>() + size_of::<(u64, u32)>())
    }

    /// Whether there are none; there always are some.
    pub fn is_empty(&self) -> bool {
        self.fates.is_empty()
    }

    /// How a position ends, if it can be reached.
    pub fn fate(&self, position: &P) -> Option<Fate> {
        self.numbers.get(&position.key()).map(|&number| self.fates[number as usize])
    }

    /// Whether a position that can be reached is won later than the caps allow in its game.
    pub fn is_capped(&self, position: &P) -> bool {
        matches!(self.fate(position), Some(Fate::Won(_, plies)) if u64::from(plies) >= position.free_plies())
    }

    /// Every move of a position that can be reached and how it ends, with the move itself counted.
    pub fn first_moves(&self, position: &P) -> Vec<(P::Move, Fate)> {
        children(position).map(|(mv, child)| (mv, self.after(&child))).collect()
    }

    /// Best play of both sides from a position that can be reached, the first of equally good moves each time; nothing if it
    /// is a draw.
    pub fn line(&self, position: &P) -> Vec<P::Move> {
        let mut position = position.clone();
        let mut line = vec![];
        while let Some(fate @ Fate::Won(_, 1..)) = self.fate(&position) {
            let best = children(&position).find(|(_, child)| self.after(child) == fate);
            let (mv, child) = best.expect("a win is won by some move");
            line.push(mv);
            position = child;
        }
        line
    }

    /// The fate of a child as its parent sees it, one move earlier.
    fn after(&self, child: &P) -> Fate {
        match self.fate(child).expect("what follows from a reachable position is reachable") {
            Fate::Won(seat, plies) => Fate::Won(seat, plies + 1),
            Fate::Drawn => Fate::Drawn,
        }
    }

    /// Walks through all positions once more by the rules, and looks whether the fate of each follows from those of the
    /// positions after it. Returns how many positions that were.
    pub fn verify(&self, stop: &Stop) -> Result<u64, NotSolved> {
        let mut seen = vec![false; self.fates.len()];
        // The nearest first, so that no counter comes near a cap.
        let mut open = VecDeque::from([self.start.clone()]);
        let mut n = 0;
        while let Some(position) = open.pop_front() {
            let refuted = || NotSolved::Refuted(position.to_string());
            let &number = self.numbers.get(&position.key()).ok_or_else(refuted)?;
            if std::mem::replace(&mut seen[number as usize], true) {
                continue;
            }
            n += 1;
            if stop.is_set() {
                return Err(NotSolved::Stopped);
            }
            if self.fates[number as usize] != self.expected(&position) {
                return Err(refuted());
            }
            let unseen =
                |child: &P| self.numbers.get(&child.key()).is_none_or(|&number| !seen[number as usize]);
            open.extend(children(&position).map(|(_, child)| child).filter(unseen));
        }
        Ok(n)
    }

    /// What the fates of the positions after this one make of it.
    fn expected(&self, position: &P) -> Fate {
        let mover = match position.status() {
            Status::ToMove(mover) => mover,
            Status::Over(outcome) => {
                return outcome.winners.iter().next().map_or(Fate::Drawn, |seat| Fate::Won(seat, 0));
            }
        };
        // Least is best for the seat to move: a quick win, a slow win, a draw, a late loss, an early loss.
        let rank = |fate: &Fate| match *fate {
            Fate::Won(seat, plies) if seat == mover => (0, i64::from(plies)),
            Fate::Drawn => (1, 0),
            Fate::Won(_, plies) => (2, -i64::from(plies)),
        };
        let fates = children(position).map(|(_, child)| self.after(&child));
        fates.min_by_key(rank).expect("who is to move has a move")
    }
}

fn children<P: Recurring>(position: &P) -> impl Iterator<Item = (P::Move, P)> {
    position.legal_moves().map(|mv| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        (mv, child)
    })
}

/// What follows from what.
struct Graph {
    numbers: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    nodes: Vec<Node>,
    /// Moves from an arrangement to another, by the arrangement they come from.
    moves: Vec<(u32, u32)>,
}

#[derive(Clone, Copy)]
enum Node {
    ToMove(Seat),
    Over(Seat),
}

impl Graph {
    /// Lists everything that can be reached, in the order of the distance from the start.
    fn list<P: Recurring>(
        start: &P,
        limit: usize,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<Self, NotSolved> {
        let mut listed = 0;
        let mut graph = Self { numbers: HashMap::default(), nodes: vec![], moves: vec![] };
        let mut level = vec![start.clone()];
        graph.number(start)?;
        while !level.is_empty() {
            let mut next = vec![];
            for position in &level {
                let (from, _) = graph.number(position)?;
                if budget.is_spent(listed) {
                    return Err(NotSolved::Stopped);
                }
                listed += 1;
                progress.0.nodes.fetch_add(1, Ordering::Relaxed);
                for (_, child) in children(position) {
                    let (to, is_new) = graph.number(&child)?;
                    graph.moves.push((from, to));
                    if is_new && child.to_move().is_some() {
                        next.push(child);
                    }
                }
                let bytes = graph.nodes.len() * 64
                    + graph.moves.len() * 2 * size_of::<(u32, u32)>()
                    + (level.len() + next.len()) * size_of::<P>();
                if bytes > limit {
                    return Err(NotSolved::TooMany(graph.nodes.len()));
                }
            }
            level = next;
        }
        Ok(graph)
    }

    /// The number of an arrangement, and whether it is new.
    fn number<P: Recurring>(&mut self, position: &P) -> Result<(u32, bool), NotSolved> {
        let new = self.nodes.len() as u32;
        match self.numbers.entry(position.key()) {
            Entry::Occupied(known) => Ok((*known.get(), false)),
            Entry::Vacant(place) => {
                let node = match position.status() {
                    Status::ToMove(seat) => Node::ToMove(seat),
                    Status::Over(outcome) if outcome.winners.len() == 1 => {
                        Node::Over(outcome.winners.iter().next().expect("there is one"))
                    }
                    // Only caps make draws.
                    Status::Over(_) => return Err(NotSolved::Capped),
                };
                self.nodes.push(node);
                place.insert(new);
                Ok((new, true))
            }
        }
    }

    /// Follows the ends backwards, the nearest first.
    fn fates(&self) -> Vec<Fate> {
        // The places of the moves that lead to each arrangement, and how many moves lead out of each.
        let mut first = vec![0u32; self.nodes.len() + 1];
        let mut ways_out = vec![0u32; self.nodes.len()];
        for &(from, to) in &self.moves {
            first[to as usize + 1] += 1;
            ways_out[from as usize] += 1;
        }
        for number in 1..first.len() {
            first[number] += first[number - 1];
        }
        let mut parents = vec![0u32; self.moves.len()];
        let mut filled = first.clone();
        for &(from, to) in &self.moves {
            parents[filled[to as usize] as usize] = from;
            filled[to as usize] += 1;
        }
        let mut fates = vec![Fate::Drawn; self.nodes.len()];
        let mut queue = vec![];
        for (number, node) in self.nodes.iter().enumerate() {
            if let Node::Over(winner) = node {
                fates[number] = Fate::Won(*winner, 0);
                queue.push(number);
            }
        }
        let mut done = 0;
        while done < queue.len() {
            let number = queue[done];
            done += 1;
            let Fate::Won(winner, plies) = fates[number] else { unreachable!("only wins are followed") };
            for &parent in &parents[first[number] as usize..first[number + 1] as usize] {
                let parent = parent as usize;
                let Node::ToMove(mover) = self.nodes[parent] else { unreachable!("it has moves") };
                ways_out[parent] -= 1;
                // The winner takes the first way there is; the loser has lost when the last way out is gone.
                if fates[parent] == Fate::Drawn && (mover == winner || ways_out[parent] == 0) {
                    fates[parent] = Fate::Won(winner, plies + 1);
                    queue.push(parent);
                }
            }
        }
        fates
    }
}

/// Keys are hashes already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are 64 bits");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
