//! Players of Renpaarden that judge and search.

use std::collections::VecDeque;

use rookery_games::renpaarden::{Cell, Move, Position, Turn, TurnPosition};
use rookery_rules::{Keyed, Position as _, Seat};
use rookery_search::{AlphaBeta, Budget, Evaluation, LIMIT, Strategy};

use super::race::Race;
use crate::strength::{Blur, Strength};

/// Looks at its own turn alone, with a poor eye for the race.
pub(crate) const EASY: Strength = Strength::new(1, 5_000, 300);
/// Looks at its own turn alone, and judges it well.
pub(crate) const MEDIUM: Strength = Strength::new(1, 5_000, 10);
/// As deep as the budget goes.
pub(crate) const HARD: Strength = Strength::deep(30_000, 1);

/// A game is long after so many turns for each rank of the board.
const PATIENCE: u32 = 16;
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

/// Searches whole turns and plays them out hop by hop.
#[derive(Debug)]
pub(crate) struct Searcher {
    level: Strength,
    search: AlphaBeta<Judge>,
    /// The hops that are left of the turn, and the key of the position in which the first of them is due.
    plan: VecDeque<Move>,
    due: u64,
}

impl Searcher {
    pub(crate) fn new(level: Strength) -> Self {
        let judge = Judge { blur: level.blur(), race: None };
        Self { level, search: level.search(judge), plan: VecDeque::new(), due: 0 }
    }

    /// The next hop of the plan, if this is the position it was made for.
    fn planned(&mut self, position: &Position) -> Option<Move> {
        position.chain()?;
        let next = self.plan.pop_front()?;
        (self.due == position.key() && position.is_legal(next)).then_some(next)
    }

    /// In a long game, the turn that brings the own pieces furthest without any of them going back home. Who holds
    /// home cells to keep the other from winning cannot win either, and if both do it the game never ends.
    fn way_out(&mut self, position: &TurnPosition) -> Option<Turn> {
        let hops = position.hops();
        let seat = position.to_move()?;
        if hops.turn() < PATIENCE * u32::from(hops.setup().height) {
            return None;
        }
        let judge = self.search.evaluation_mut();
        // Different every time, so that nothing is repeated for ever.
        let blur = Blur { most: LATE_BLUR, ..judge.blur };
        let race = judge.race.as_ref()?;
        let worth = |turn: &Turn| {
            let mut child = position.clone();
            child.play_unchecked(*turn);
            let (leaves, enters) = (race.is_home(seat, turn.from), race.is_home(seat, turn.to));
            (leaves && !enters, race.progress(child.hops(), seat) + blur.of(child.key()))
        };
        position.legal_moves().filter(|turn| !race.is_home(seat, turn.to)).max_by_key(worth)
    }

    fn make_plan(&mut self, position: &Position, budget: &Budget) -> Move {
        let judge = self.search.evaluation_mut();
        judge.blur.seed = budget.seed;
        judge.race.get_or_insert_with(|| Race::of(position)).fit(position);
        let turns = TurnPosition::from(position.clone());
        let found = self.search.search(&turns, &self.level.limit(budget));
        let turn = match self.way_out(&turns) {
            Some(turn) if found.value <= LIMIT => turn,
            _ => found.mv,
        };
        let path = position.path(turn).expect("the search found a legal turn");
        self.plan = path.hops().collect();
        self.plan.pop_front().expect("a turn has a hop")
    }
}

impl Strategy<Position> for Searcher {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let mv = self.planned(position).unwrap_or_else(|| self.make_plan(position, budget));
        let mut child = position.clone();
        child.play_unchecked(mv);
        self.due = child.key();
        mv
    }
}

/// Who is ahead in the race.
#[derive(Debug)]
struct Judge {
    blur: Blur,
    /// Made for the size of the board when the first position is seen.
    race: Option<Race>,
}

impl Evaluation<TurnPosition> for Judge {
    fn value(&self, position: &TurnPosition, seat: Seat) -> i32 {
        let hops = position.hops();
        let race = self.race.as_ref().expect("it is made before the search");
        let lead = race.progress(hops, seat) - race.progress(hops, seat.next(2));
        lead + self.blur.of(position.key())
    }

    fn rank(&self, position: &TurnPosition, turn: Turn) -> i32 {
        let rows = |cell: Cell| i32::from(cell.rank());
        let up = rows(turn.to) - rows(turn.from);
        if position.hops().to_move() == Some(Seat::new(0)) { up } else { -up }
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
    fn every_level_takes_a_win_in_one() {
        // By one hop, and by a chain over an enemy.
        for text in ["p1 .oooo/ooooo/.o.../xxxxx/xxxxx", "p1 .oooo/ooooo/.x.../xxxox/xxxxx"] {
            let Ok(position) = Position::from_text(text) else { panic!("{text} is a position") };
            for level in [EASY, MEDIUM, HARD] {
                for seed in 0..10 {
                    let mut position = position.clone();
                    let mut player = Searcher::new(level);
                    for ply in 0..3 {
                        if position.to_move() == Some(Seat::new(0)) {
                            let budget = Budget {
                                work: Some(2_000),
                                seed: Seed(seed).derive(ply),
                                ..Budget::default()
                            };
                            position.play(player.choose(&position, &budget)).unwrap();
                        }
                    }
                    assert_eq!(position.to_move(), None, "{level:?} does not win in {text}");
                }
            }
        }
    }

    #[test]
    fn hard_beats_homing_and_greedy() {
        for seed in 0..1 {
            let hard = || Searcher::new(HARD);
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
                let (winner, turns) =
                    play(options, seed, &mut [&mut Searcher::new(HARD), &mut Searcher::new(HARD)]);
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
            play(options, 3, &mut [&mut Searcher::new(HARD), &mut Searcher::new(EASY)]);
            play(options, 3, &mut [&mut Greedy, &mut Searcher::new(MEDIUM)]);
        }
    }

    #[test]
    fn a_plan_is_not_followed_in_another_game() {
        let budget = Budget { work: Some(500), ..Budget::default() };
        let mut player = Searcher::new(HARD);
        for text in ["p1 xxxxx/xxOxx/...../o.ooo/ooooo hops=1", "p2 xxxxx/x.xxx/..o../oXo.o/ooooo hops=1"] {
            let Ok(position) = Position::from_text(text) else { panic!("{text} is a position") };
            let mv = player.choose(&position, &budget);
            assert!(position.is_legal(mv), "{mv} in {text}");
        }
    }
}
