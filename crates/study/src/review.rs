//! Every move of a recorded match against what was best.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::AnyPosition;
use rookery_live::{Story, Turn};
use rookery_rules::{GameSpec, Reason, Seat, Status};
use rookery_search::Stop;
use serde::Serialize;

use crate::advice::{Advice, Advised, Order, advise};
use crate::reasons::as_data;

/// A whole match, judged.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Review {
    /// The game spec.
    pub game: String,
    /// Who played, by seat.
    pub players: Vec<ReviewedPlayer>,
    /// Every move that stands.
    pub moves: Vec<Judged>,
    /// The move, from 1, that decided the match: the last mistake of somebody who did not win. `None` if nobody won alone, or
    /// nobody else made one.
    pub decisive: Option<usize>,
    /// Whether every value is certain.
    pub exact: bool,
}

/// How well somebody played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReviewedPlayer {
    /// Its name.
    pub name: String,
    /// How many moves it made.
    pub moves: usize,
    /// How many of them could not be better.
    pub best: usize,
    /// How many cost a little.
    pub inaccuracies: usize,
    /// How many cost much.
    pub mistakes: usize,
    /// How many cost about everything.
    pub blunders: usize,
    /// In percent, from 0 to 100: a move that gives half a win away, or more, counts nothing, and one that gives nothing away
    /// counts in full. Where all is certain it is the share of moves that kept the result. `None` without a move.
    pub accuracy: Option<f32>,
}

/// One move, judged.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judged {
    /// From 1.
    pub ply: usize,
    /// From 0.
    pub seat: usize,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The share of a win that its player had before it with best play, 0 to 1.
    pub before: f32,
    /// What it had after it.
    pub after: f32,
    /// The best move.
    pub best: String,
    /// How the game would have gone on from the best move.
    pub line: Vec<String>,
    /// What it gave away: `before - after`.
    pub loss: f32,
    /// Whether both values are certain.
    pub proven: bool,
    /// In how many moves the game would have been over after the best move, if that is certain.
    pub plies: Option<u32>,
    /// What is to be said of it, if anything.
    pub judgement: Option<Judgement>,
    /// What speaks for the best move.
    #[serde(serialize_with = "as_data")]
    pub reasons: Vec<Reason>,
}

/// What is to be said of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// The only good one, and it was found.
    Great,
    /// It gave a little away.
    Inaccuracy,
    /// It gave much away.
    Mistake,
    /// It gave about everything away.
    Blunder,
}

impl Judgement {
    /// What a loss is called.
    fn of_loss(loss: f32) -> Option<Self> {
        match loss {
            loss if loss >= 0.35 => Some(Self::Blunder),
            loss if loss >= 0.18 => Some(Self::Mistake),
            loss if loss >= 0.08 => Some(Self::Inaccuracy),
            _ => None,
        }
    }

    /// How people call it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Great => "the only good move",
            Self::Inaccuracy => "an inaccuracy",
            Self::Mistake => "a mistake",
            Self::Blunder => "a blunder",
        }
    }

    /// The sign behind a move.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Great => "!",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }
}

/// Told after each position: how many are judged, and how many there are.
pub type OnJudged<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// How long a review may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReviewTime {
    /// For all positions together.
    pub all: Duration,
    /// For one position at the most, so that a game of a few moves keeps nobody waiting.
    pub each: Duration,
}

impl ReviewTime {
    /// Half a minute with all that belongs to it, and a second for a position.
    pub const USUAL: Self = Self { all: Duration::from_secs(29), each: Duration::from_secs(1) };

    /// As long as somebody has asked for: few positions get more of it each.
    pub const fn within(time: Duration) -> Self {
        Self { all: time, each: time }
    }

    /// The part of the next position, where so much is spent and so many positions are left for so many workers. What one
    /// does not use is there for those after it.
    fn share(self, spent: Duration, left: usize, workers: usize) -> Duration {
        let rest = self.all.saturating_sub(spent);
        // All workers begin a position at about the same time, so time is shared by rounds; else the last ones would get nothing.
        let rounds = left.div_ceil(workers.max(1)).max(1);
        rest.div_f64(rounds as f64).min(self.each)
    }
}

/// The second best move is so much worse where a move is great.
const ALONE: f32 = 0.3;

/// Judges every move of a match within about this time, by proof where that is possible, else by the strongest search. `None`
/// if it was stopped.
pub fn review(story: &Story, time: ReviewTime, stop: &Stop, on_judged: OnJudged<'_>) -> Option<Review> {
    let turns: Vec<Turn<'_>> = story.turns().collect();
    let game = GameSpec::parse(&story.spec.game).expect("a story was judged").game;
    let two = story.spec.seats.len() == 2;
    let values = Values::find(&game, &turns, two, time, stop, on_judged)?;
    let mut moves = Vec::with_capacity(turns.len());
    for (idx, turn) in turns.iter().enumerate() {
        moves.push(judge(idx, turn, two, &values));
    }
    let players = story.spec.seats.iter().enumerate();
    let players = players.map(|(seat, entry)| player(seat, &entry.name, &moves)).collect();
    let decisive = decisive(
        &moves,
        story.verdict.as_ref().and_then(|verdict| {
            let winners = verdict.outcome.as_ref()?.winners;
            winners.iter().next().filter(|_| winners.len() == 1).map(Seat::index)
        }),
    );
    let exact = !moves.is_empty() && moves.iter().all(|judged| judged.proven);
    Some(Review { game: story.spec.game.clone(), players, moves, decisive, exact })
}

/// What is known of each position, by its text.
struct Values(HashMap<String, Advice>);

impl Values {
    fn find(
        game: &str,
        turns: &[Turn<'_>],
        two: bool,
        time: ReviewTime,
        stop: &Stop,
        on_judged: OnJudged<'_>,
    ) -> Option<Self> {
        // With two players what a move has cost is seen from the position after it, which is judged anyway.
        let afters = turns.iter().map(|turn| turn.after).filter(|_| two);
        let mut asked: Vec<(String, &dyn AnyPosition)> = vec![];
        let mut known = HashSet::new();
        for position in turns.iter().map(|turn| turn.before).chain(afters) {
            if matches!(position.status(), Status::ToMove(_)) && known.insert(position.text()) {
                asked.push((position.text(), position));
            }
        }
        // Each position may think in two threads: a search and a solver.
        let workers = thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2));
        let (next, found) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
        let began = Instant::now();
        let work = || {
            loop {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                let Some((text, position)) = asked.get(idx).filter(|_| !stop.is_set()) else { return };
                let each = time.share(began.elapsed(), asked.len() - idx, workers);
                let max_lines = if two { 2 } else { position.moves().len() };
                let order = Order { time: each, max_lines, stop: stop.clone(), ..Order::default() };
                let advice = advise(game, *position, &order, &mut |_| {});
                let mut found = found.lock().expect("nobody panics with it");
                found.extend(advice.map(|advice| (text.clone(), advice)));
                on_judged(found.len(), asked.len());
            }
        };
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        let found = found.into_inner().expect("nobody panics with it");
        (!stop.is_set()).then_some(Self(found))
    }

    /// The best line of a position.
    fn best(&self, position: &dyn AnyPosition) -> Option<&Advised> {
        self.0.get(&position.text())?.lines.first()
    }

    /// What a position is worth to a seat, and whether that is certain. Only for two seats, unless the game is over.
    fn worth(&self, position: &dyn AnyPosition, seat: Seat) -> Option<(f32, bool)> {
        match position.status() {
            Status::Over(outcome) if outcome.winners.contains(seat) => {
                Some((1.0 / outcome.winners.len() as f32, true))
            }
            Status::Over(outcome) if outcome.winners.is_empty() => Some((0.5, true)),
            Status::Over(_) => Some((0.0, true)),
            Status::ToMove(next) => {
                let best = self.best(position)?;
                Some((if next == seat { best.value } else { 1.0 - best.value }, best.proven))
            }
        }
    }
}

fn judge(idx: usize, turn: &Turn<'_>, two: bool, values: &Values) -> Judged {
    let lines = values.0.get(&turn.before.text()).map_or(&[][..], |advice| &advice.lines);
    let best = lines.first();
    let played = lines.iter().find(|line| line.mv() == turn.mv);
    let over = matches!(turn.after.status(), Status::Over(_));
    let (mut before, mut proven) = best.map_or((0.5, false), |best| (best.value, best.proven));
    let after = match played {
        // The search before the move has compared it with the best one.
        Some(played) if !two && !over => Some((played.value, played.proven)),
        _ => values.worth(turn.after, turn.seat),
    };
    let (after, after_proven) = after.unwrap_or((before, false));
    let is_best = best.is_some_and(|best| best.mv() == turn.mv);
    // What turned out better than it was thought is what was best; and who looks from the position after it sees further.
    let found_better = after >= before && !is_best;
    if after > before || is_best {
        before = after;
    }
    proven &= after_proven;
    let loss = (before - after).max(0.0);
    let alone = is_best
        && turn.before.moves().len() > 1
        && lines.get(1).is_some_and(|second| before - second.value >= ALONE);
    let judgement = if alone { Some(Judgement::Great) } else { Judgement::of_loss(loss) };
    // Of the move that is called the best, and of no other, is told how it goes on and what speaks for it.
    let named = if found_better { played } else { best };
    let line = named.map_or_else(|| vec![turn.mv.to_owned()], |named| named.moves.clone());
    Judged {
        ply: idx + 1,
        seat: turn.seat.index(),
        mv: turn.mv.to_owned(),
        before,
        after,
        best: line[0].clone(),
        line,
        loss,
        proven,
        plies: named.filter(|_| proven).and_then(|named| named.plies),
        judgement,
        reasons: named.map(|named| named.reasons.clone()).unwrap_or_default(),
    }
}

fn player(seat: usize, name: &str, moves: &[Judged]) -> ReviewedPlayer {
    let own: Vec<&Judged> = moves.iter().filter(|judged| judged.seat == seat).collect();
    let count = |judgement| own.iter().filter(|judged| judged.judgement == Some(judgement)).count();
    let credit: f32 = own.iter().map(|judged| judged.credit()).sum();
    ReviewedPlayer {
        name: name.to_owned(),
        moves: own.len(),
        best: own.iter().filter(|judged| judged.loss <= 0.0).count(),
        inaccuracies: count(Judgement::Inaccuracy),
        mistakes: count(Judgement::Mistake),
        blunders: count(Judgement::Blunder),
        accuracy: (!own.is_empty()).then(|| 100.0 * credit / own.len() as f32),
    }
}

/// The last mistake of somebody who did not win.
fn decisive(moves: &[Judged], winner: Option<usize>) -> Option<usize> {
    let winner = winner?;
    let is_mistake =
        |judged: &&Judged| matches!(judged.judgement, Some(Judgement::Mistake | Judgement::Blunder));
    moves.iter().rev().filter(is_mistake).find(|judged| judged.seat != winner).map(|judged| judged.ply)
}

impl Judged {
    /// What it counts for accuracy, 0 to 1: nothing if it gives half a win away or more, and in full if it gives nothing away.
    pub fn credit(&self) -> f32 {
        1.0 - (2.0 * self.loss).min(1.0)
    }

    /// Whether it gave something away that is worth telling.
    pub fn is_mistake(&self) -> bool {
        self.judgement.is_some_and(|judgement| judgement != Judgement::Great)
    }

    /// The sign behind it, if there is anything to say.
    pub fn sign(&self) -> &'static str {
        self.judgement.map_or("", Judgement::sign)
    }

    /// One line about the move of a player of this name: `c2-c3?? by mine: 81 % to 3 %. Better: b2xc3 (takes a pawn)`.
    pub fn told(&self, name: &str) -> String {
        let head = format!("{}{} by {name}: {}", self.mv, self.sign(), self.change());
        match self.judgement {
            None => head,
            Some(Judgement::Great) => format!("{head}. The only good move"),
            Some(_) => format!("{head}. Better: {}", self.better()),
        }
    }

    /// What its player had before it and after it: `81 % to 3 %`.
    pub fn change(&self) -> String {
        let percent = |share: f32| format!("{:.0} %", 100.0 * share);
        let proved = if self.proven { ", proved" } else { "" };
        format!("{} to {}{proved}", percent(self.before), percent(self.after))
    }

    /// The better move, why, and how the game would have gone on: `b2xc3 (takes a pawn), then c4-c3`.
    pub fn better(&self) -> String {
        let why: Vec<&str> = self.reasons.iter().map(|why| why.text.as_str()).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        let line: Vec<&str> = self.line.iter().skip(1).take(EXPECTED).map(String::as_str).collect();
        let line = if line.is_empty() { String::new() } else { format!(", then {}", line.join(" ")) };
        format!("{}{why}{line}", self.best)
    }
}

/// How many moves after the better one are told.
const EXPECTED: usize = 3;

impl Review {
    /// The moves that gave something away, the largest mistake first.
    pub fn mistakes(&self) -> Vec<&Judged> {
        let mut mistakes: Vec<&Judged> = self.moves.iter().filter(|judged| judged.is_mistake()).collect();
        mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        mistakes
    }

    /// What a seat had after each move; where that is not known, what it had before.
    pub fn steady_curve(&self, seat: usize) -> Vec<f32> {
        let first = self.moves.iter().find(|judged| judged.seat == seat).map(|judged| judged.before);
        let mut share = first.unwrap_or(1.0 / self.players.len().max(1) as f32);
        let curve = self.curve(seat).into_iter().map(|known| {
            share = known.unwrap_or(share);
            share
        });
        curve.collect()
    }

    /// What a seat had after each move, where that is known: with two players always, with more after its own moves.
    pub fn curve(&self, seat: usize) -> Vec<Option<f32>> {
        let two = self.players.len() == 2;
        let share = |judged: &Judged| match judged.seat == seat {
            true => Some(judged.after),
            false if two => Some(1.0 - judged.after),
            false => None,
        };
        self.moves.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long so many positions take in all, and each, when each takes all that it gets.
    fn taken(time: ReviewTime, n_positions: usize, workers: usize) -> (Duration, Vec<Duration>) {
        let mut free_at = vec![Duration::ZERO; workers];
        let mut each = vec![];
        for idx in 0..n_positions {
            let worker = free_at.iter_mut().min().expect("there is a worker");
            let share = time.share(*worker, n_positions - idx, workers);
            *worker += share;
            each.push(share);
        }
        (free_at.into_iter().max().expect("there is a worker"), each)
    }

    /// A move that is as good as the one the search has named is the best one itself, with its own reasons or none.
    #[test]
    fn reasons_are_those_of_the_move_that_is_called_the_best() {
        let game = rookery_catalog::game("hexapawn").unwrap();
        let before = game.position("p1 111/.../222").unwrap();
        let mut after = before.boxed_clone();
        after.play("a1-a2").unwrap();
        let line = |mv: &str, value| Advised {
            moves: vec![mv.to_owned()],
            value,
            error: 0.0,
            proven: true,
            plies: Some(5),
            visits: 0,
            reasons: vec![Reason::new("test", format!("speaks for {mv}"))],
        };
        let advice =
            |lines| Advice { lines, nodes: 0, playouts: 0, depth: 0, elapsed: Duration::ZERO, done: true };
        let turn = Turn { seat: Seat::new(0), mv: "a1-a2", before: &*before, after: &*after };
        let judged = |lines| {
            let known = [(before.text(), advice(lines)), (after.text(), advice(vec![line("b3-b2", 0.0)]))];
            judge(0, &turn, true, &Values(HashMap::from(known)))
        };
        let told = judged(vec![line("b1-b2", 1.0), line("a1-a2", 1.0)]);
        assert_eq!((told.best.as_str(), told.loss, told.plies), ("a1-a2", 0.0, Some(5)));
        assert_eq!(told.reasons[0].text, "speaks for a1-a2");
        let told = judged(vec![line("b1-b2", 1.0), line("c1-c2", 1.0)]);
        assert_eq!((told.best.as_str(), told.line, told.plies), ("a1-a2", vec!["a1-a2".to_owned()], None));
        assert_eq!(told.reasons, []);
    }

    #[test]
    fn a_usual_review_stays_within_half_a_minute_and_a_second_a_position() {
        for (n_positions, workers) in [(1, 1), (20, 1), (61, 1), (61, 2), (61, 16), (600, 1), (600, 3)] {
            let (all, each) = taken(ReviewTime::USUAL, n_positions, workers);
            assert!(all < Duration::from_secs(30), "{n_positions} positions take {all:?}");
            assert!(each.iter().all(|&each| each <= Duration::from_secs(1)), "{each:?}");
            let least = ReviewTime::USUAL.all.mul_f64(workers as f64 / n_positions as f64 / 2.0);
            let least = least.min(Duration::from_secs(1));
            assert!(each.iter().all(|&each| each >= least), "{n_positions} positions, {workers}: {each:?}");
        }
    }

    #[test]
    fn the_time_that_was_asked_for_is_used_whatever_the_number_of_positions() {
        for asked in [Duration::from_secs(5), Duration::from_secs(20), Duration::from_mins(5)] {
            for n_positions in [1, 2, 7, 61] {
                let (all, _) = taken(ReviewTime::within(asked), n_positions, 1);
                let off = all.abs_diff(asked);
                assert!(off < Duration::from_millis(1), "{n_positions} positions take {all:?} of {asked:?}");
            }
        }
    }

    #[test]
    fn what_one_position_does_not_use_is_there_for_the_others() {
        let time = ReviewTime::within(Duration::from_secs(10));
        assert_eq!(time.share(Duration::ZERO, 10, 1), Duration::from_secs(1));
        assert_eq!(time.share(Duration::ZERO, 5, 1), Duration::from_secs(2), "five were proved at once");
        assert_eq!(time.share(Duration::from_secs(11), 5, 1), Duration::ZERO, "nothing is left");
    }
}
