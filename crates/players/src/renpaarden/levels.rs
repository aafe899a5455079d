//! Players of Renpaarden that judge and search.

use rookery_games::renpaarden::{Cell, Move, Position, Turn, TurnPosition};
use rookery_rules::{Keyed, Position as _, Seat};
use rookery_search::{Analysis, Budget, Evaluation, LIMIT, Line, Strategy};

use super::by_turns::ByTurns;
use super::race::Race;
use crate::Level;
use crate::care::{only_move, winning_move};
use crate::levels::{Ladder, ladder};
use crate::strength::{Blur, Searcher, Strength, lines};

/// The levels: positions (each after a whole turn), blur, overlooked turns.
const LEVELS: Ladder = ladder([
    (25, 1_000, 700),
    (21, 195, 610),
    (83, 83, 348),
    (158, 50, 247),
    (443, 20, 111),
    (1_755, 4, 14),
    (5_100, 1, 3),
    (20_000, 1, 0),
]);

/// The value with which three games of four are won. A lead says little before the end: who is behind blocks more.
const THREE_OF_FOUR: i32 = 400;
/// To be on the move: half of what a turn usually brings.
const ON_THE_MOVE: i32 = 64;

/// One of the levels.
pub(crate) fn level(level: Level) -> Box<dyn Strategy<Position>> {
    Box::new(Runner::hopping(LEVELS[level.index()]))
}

/// The best turns of a position, hop by hop. Of turns that begin with the same hop only the best is told of.
pub(crate) fn analyse(
    position: &Position,
    budget: &Budget,
    max_lines: usize,
    report: &mut dyn FnMut(&Analysis<Move>),
) {
    let judge = Judge { race: Some(Race::of(position)) };
    let turns = TurnPosition::from(position.clone());
    lines(judge, &turns, budget, max_lines, &mut |analysis: &Analysis<Turn>| {
        let mut lines: Vec<Line<Move>> = vec![];
        for line in &analysis.lines {
            let (moves, n_turns) = hops(position, &line.moves);
            if lines.iter().any(|known| known.moves.first() == moves.first()) {
                continue;
            }
            // The search counts turns, and a player moves hop by hop: how many is known if the line goes to the end.
            let plies = line.plies.filter(|&turns| turns as usize == n_turns).map(|_| moves.len() as u32);
            lines.push(Line { moves, value: line.value, proven: line.proven, plies, visits: line.visits });
        }
        let &Analysis { playouts, nodes, depth, elapsed, done, .. } = analysis;
        report(&Analysis { lines, playouts, nodes, depth, elapsed, done });
    });
}

/// The hops of these turns, and of how many of them.
fn hops(position: &Position, turns: &[Turn]) -> (Vec<Move>, usize) {
    let mut position = position.clone();
    let (mut hops, mut n_turns) = (vec![], 0);
    for &turn in turns {
        let Some(path) = position.path(turn) else { break };
        for hop in path.hops() {
            position.play_unchecked(hop);
            hops.push(hop);
        }
        n_turns += 1;
    }
    (hops, n_turns)
}

/// A game is long after so many turns for each rank of the board.
const PATIENCE: u32 = 16;
/// After so many times as long nobody lets go of the other's home any more, and it is drawn after thousands of turns.
const STUCK: u32 = 4;
/// Positions that are enough then to see what is offered.
const STUCK_NODES: u64 = 50;
/// How far judgement is off in a long game.
const LATE_BLUR: i32 = 40;

/// Plays the hop that brings its own pieces furthest, one by one; a chain just happens to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Greedy;

impl Strategy<Position> for Greedy {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let seat = position.to_move().expect("a strategy is asked only while the game goes on");
        let race = Race::of(position);
        // The longer a chain, the less it matters where it goes, or it could go round for ever.
        let most = 5 + 20 * position.hops().min(50) as i32;
        let blur = Blur { most, seed: budget.seed };
        let worth = |mv: &Move| {
            let mut child = position.clone();
            child.play_unchecked(*mv);
            if child.to_move().is_none() {
                return i32::MAX;
            }
            race.progress(&child, seat) + blur.of(child.key())
        };
        position.legal_moves().max_by_key(worth).expect("who is to move has a move")
    }
}

/// After so many turns a game is long.
fn long(position: &Position) -> u32 {
    PATIENCE * u32::from(position.setup().height)
}

/// Searches whole turns.
#[derive(Debug)]
pub(crate) struct Runner {
    searcher: Searcher<TurnPosition, Judge>,
}

impl Runner {
    /// Searches whole turns and plays them out hop by hop.
    pub(crate) fn hopping(strength: Strength) -> ByTurns<Self> {
        ByTurns::new(Self { searcher: Searcher::new(Judge { race: None }, strength) })
    }

    /// In a long game, the turn that brings the own pieces furthest without any of them going back home. Who holds
    /// home cells to keep the other from winning cannot win either, and if both do it the game never ends.
    fn way_out(&mut self, position: &TurnPosition, budget: &Budget) -> Option<Turn> {
        let hops = position.hops();
        let seat = position.to_move()?;
        if hops.turn() < long(hops) {
            return None;
        }
        // Different every time, so that nothing is repeated for ever.
        let blur = Blur { most: LATE_BLUR, seed: budget.seed };
        let race = self.searcher.evaluation_mut().race.as_ref()?;
        let worth = |turn: &Turn| {
            let mut child = position.clone();
            child.play_unchecked(*turn);
            let (leaves, enters) = (race.is_home(seat, turn.from), race.is_home(seat, turn.to));
            (leaves && !enters, race.progress(child.hops(), seat) + blur.of(child.key()))
        };
        position.legal_moves().filter(|turn| !race.is_home(seat, turn.to)).max_by_key(worth)
    }
}

impl Strategy<TurnPosition> for Runner {
    fn choose(&mut self, position: &TurnPosition, budget: &Budget) -> Turn {
        let hops = position.hops();
        self.searcher.evaluation_mut().race.get_or_insert_with(|| Race::of(hops)).fit(hops);
        if let Some(turn) = only_move(position).or_else(|| winning_move(position)) {
            return turn;
        }
        let is_stuck = hops.turn() >= STUCK * long(hops);
        let brief = budget.work.map_or(STUCK_NODES, |work| work.min(STUCK_NODES));
        let budget = &Budget { work: if is_stuck { Some(brief) } else { budget.work }, ..budget.clone() };
        let found = self.searcher.find(position, budget);
        let turn = match self.way_out(position, budget) {
            Some(turn) if found.value <= LIMIT => turn,
            _ => found.mv,
        };
        self.searcher.care(position, turn, budget)
    }
}

/// Who is ahead in the race.
#[derive(Debug)]
struct Judge {
    /// Made for the size of the board when the first position is seen.
    race: Option<Race>,
}

impl Evaluation<TurnPosition> for Judge {
    fn value(&self, position: &TurnPosition, seat: Seat) -> i32 {
        let hops = position.hops();
        let race = self.race.as_ref().expect("it is made before the search");
        let turn = if hops.to_move() == Some(seat) { ON_THE_MOVE } else { -ON_THE_MOVE };
        race.progress(hops, seat) - race.progress(hops, seat.next(2)) + turn
    }

    fn rank(&self, position: &TurnPosition, turn: Turn) -> i32 {
        let rows = |cell: Cell| i32::from(cell.rank());
        let up = rows(turn.to) - rows(turn.from);
        if position.hops().to_move() == Some(Seat::new(0)) { up } else { -up }
    }

    fn three_of_four(&self) -> i32 {
        THREE_OF_FOUR
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::renpaarden::Setup;
    use rookery_rules::{Notation as _, Seed, Setup as _, Status};

    use super::super::homing::Homing;
    use super::*;

    /// Who wins, and after how many turns; every hop is checked by the rules.
    fn play(
        options: &str,
        seed: u64,
        players: &mut [&mut dyn Strategy<Position>; 2],
    ) -> (Option<usize>, u32) {
        let mut position = Setup::parse(options).unwrap().start();
        for ply in 0.. {
            let Some(seat) = position.to_move() else { break };
            // Much less than the level itself would search, to be quick.
            let budget = Budget { work: Some(500), seed: Seed(seed).derive(ply), ..Budget::default() };
            let mv = players[seat.index()].choose(&position, &budget);
            position.play(mv).unwrap();
        }
        let Status::Over(outcome) = position.status() else { panic!("the game has an end") };
        let alone = outcome.winners.len() == 1;
        (alone.then(|| outcome.winners.iter().next().unwrap().index()), position.turn())
    }

    #[test]
    fn hard_beats_homing_and_greedy() {
        for seed in 0..1 {
            let hard = || Runner::hopping(LEVELS[7]);
            assert_eq!(play("", seed, &mut [&mut hard(), &mut Homing]).0, Some(0));
            assert_eq!(play("", seed, &mut [&mut Homing, &mut hard()]).0, Some(1));
            assert_eq!(play("", seed, &mut [&mut hard(), &mut Greedy]).0, Some(0));
            assert_eq!(play("", seed, &mut [&mut Greedy, &mut hard()]).0, Some(1));
        }
    }

    #[test]
    fn self_play_ends_with_a_win() {
        for (options, n_games) in [("", 1), ("width=5,height=5", 4), ("win=turn,null-turn=no", 1)] {
            for seed in 0..n_games {
                let (winner, turns) = play(
                    options,
                    seed,
                    &mut [&mut Runner::hopping(LEVELS[7]), &mut Runner::hopping(LEVELS[7])],
                );
                assert!(winner.is_some() && turns < 300, "{options}: {winner:?} after {turns} turns");
            }
        }
    }

    #[test]
    fn optional_rules_and_all_sizes_do_not_confuse_it() {
        for options in [
            "width=3,height=5,revisit=no,max-turns=40",
            "width=11,height=11,max-turns=20",
            "width=6,height=5,return-home=no,parlett=yes,max-turns=60",
            "width=5,height=7,leave-home=20,repetition=3,null-turn=no,max-turns=60",
        ] {
            play(options, 3, &mut [&mut Runner::hopping(LEVELS[7]), &mut Runner::hopping(LEVELS[1])]);
            play(options, 3, &mut [&mut Greedy, &mut Runner::hopping(LEVELS[4])]);
        }
    }

    #[test]
    fn a_plan_is_not_followed_in_another_game() {
        let budget = Budget { work: Some(500), ..Budget::default() };
        let mut player = Runner::hopping(LEVELS[7]);
        for text in ["p1 xxxxx/xxOxx/...../o.ooo/ooooo hops=1", "p2 xxxxx/x.xxx/..o../oXo.o/ooooo hops=1"] {
            let Ok(position) = Position::from_text(text) else { panic!("{text} is a position") };
            let mv = player.choose(&position, &budget);
            assert!(position.is_legal(mv), "{mv} in {text}");
        }
    }

    #[test]
    fn an_analysis_has_each_first_hop_once_and_counts_hops() {
        let mut position = Setup::parse("width=5,height=5").unwrap().start();
        let (mut player, mut n_shared, mut n_lengths) = (Runner::hopping(LEVELS[3]), 0, 0);
        for ply in 0..400 {
            if position.to_move().is_none() {
                break;
            }
            let budget = Budget { work: Some(400), seed: Seed(ply), ..Budget::default() };
            let mut last = None;
            analyse(&position, &budget, 8, &mut |analysis| last = Some(analysis.clone()));
            let lines = last.unwrap().lines;
            let firsts: std::collections::HashSet<String> =
                lines.iter().map(|line| line.moves[0].to_string()).collect();
            assert_eq!(firsts.len(), lines.len(), "{position}");
            n_shared += usize::from(lines.len() < 8 && position.count_moves() >= 8);
            for line in lines.iter().filter(|line| line.plies.is_some()) {
                let mut end = position.clone();
                line.moves.iter().for_each(|&hop| end.play(hop).unwrap());
                assert_eq!((end.to_move(), line.plies), (None, Some(line.moves.len() as u32)), "{position}");
                n_lengths += 1;
            }
            position.play(player.choose(&position, &budget)).unwrap();
        }
        assert!(n_shared > 0 && n_lengths > 0, "{n_shared} with a hop in common, {n_lengths} lengths");
    }
}
