//! The end of a game of Fish: penguins that nobody disturbs any more, and the most fish they can still catch.
//!
//! A tile melts when its penguin leaves it, so a place where a penguin stands never becomes free again. Free tiles that
//! touch form *regions*, and what happens in one region never changes another. Once no penguin of an enemy stands at a
//! region of ours, the rest is a search for the best paths, one region (or several joined by a penguin) at a time.

use std::collections::HashMap;

use rookery_games::fish::{Board, Move, Phase, Position, bits};
use rookery_rules::{Position as _, Seat};
use rookery_search::Budget;

/// How often the clock is looked at, in positions.
const CLOCK_EVERY: u64 = 256;

/// Searches for the most fish.
pub(crate) struct Endgame<'a> {
    board: &'a Board,
    /// By free tiles and penguins of a group: the most fish.
    known: HashMap<(u128, u128), u32>,
    nodes: u64,
    max_nodes: u64,
    budget: &'a Budget,
}

/// Free tiles, and the penguins that can come to them.
type Group = (u128, u128);

impl<'a> Endgame<'a> {
    /// Looks at so many positions at most.
    pub(crate) fn new(board: &'a Board, max_nodes: u64, budget: &'a Budget) -> Self {
        Self { board, known: HashMap::new(), nodes: 0, max_nodes, budget }
    }

    /// The free tiles these penguins can ever come to.
    fn reach(&self, free: u128, penguins: u128) -> u128 {
        let mut reach = 0;
        let mut edge = self.board.around(penguins) & free;
        while edge != 0 {
            reach |= edge;
            edge = self.board.around(edge) & free & !reach;
        }
        reach
    }

    fn fish(&self, cells: u128) -> u32 {
        bits(cells).map(|bit| u32::from(self.board.fish_at(bit))).sum()
    }

    /// The penguins that can move, in groups that do not touch each other.
    fn groups(&self, free: u128, penguins: u128) -> Vec<Group> {
        let mut groups: Vec<Group> = vec![];
        for bit in bits(penguins) {
            let (mut tiles, mut members) = (self.reach(free, 1 << bit), 1 << bit);
            if tiles == 0 {
                continue;
            }
            groups.retain(|&(other, others)| {
                let joined = other & tiles != 0;
                if joined {
                    tiles |= other;
                    members |= others;
                }
                !joined
            });
            groups.push((tiles, members));
        }
        groups
    }

    /// No plan catches more: all fish, less those of the tiles on which the penguins end.
    fn at_most(&self, (free, penguins): Group) -> u32 {
        let mut counts = [0u32; 10];
        for bit in bits(free | penguins) {
            counts[usize::from(self.board.fish_at(bit).min(9))] += 1;
        }
        let mut left = penguins.count_ones();
        let mut most = self.fish(free | penguins);
        for (fish, count) in counts.into_iter().enumerate() {
            let here = count.min(left);
            most -= here * fish as u32;
            left -= here;
        }
        most
    }

    /// The most fish that penguins of one side can catch from here on; `None` if it takes too long to find out.
    pub(crate) fn best(&mut self, free: u128, penguins: u128) -> Option<u32> {
        let groups = self.groups(free, penguins);
        let mut sum = 0;
        for group in groups {
            sum += self.best_of_group(group)?.0;
        }
        Some(sum)
    }

    /// The most fish of a group, and if it was not known before the slide to begin with.
    fn best_of_group(&mut self, group: Group) -> Option<(u32, Option<(u32, u32)>)> {
        if let Some(&best) = self.known.get(&group) {
            return Some((best, None));
        }
        self.nodes += 1;
        if self.nodes > self.max_nodes || (self.nodes.is_multiple_of(CLOCK_EVERY) && self.budget.is_spent(0))
        {
            return None;
        }
        let (free, penguins) = group;
        let limit = self.at_most(group);
        let mut slides: Vec<(u32, u32)> = bits(penguins)
            .flat_map(|from| bits(self.board.slides(from, free)).map(move |to| (from, to)))
            .collect();
        // Short ways first: they leave the most behind them.
        slides.sort_by_key(|&(from, to)| {
            let exits = (self.board.near(to) & free).count_ones();
            (self.board.near(from) >> to & 1 == 0, exits)
        });
        let mut best = (0, None);
        for (from, to) in slides {
            let (left, moved) = (free & !(1 << to), penguins & !(1 << from) | 1 << to);
            let caught = u32::from(self.board.fish_at(from));
            let bound: u32 = self.groups(left, moved).into_iter().map(|group| self.at_most(group)).sum();
            if best.1.is_some() && caught + bound <= best.0 {
                continue;
            }
            let value = caught + self.best(left, moved)?;
            if best.1.is_none() || value > best.0 {
                best = (value, Some((from, to)));
                if value == limit {
                    break;
                }
            }
        }
        self.known.insert(group, best.0);
        Some(best)
    }
}

/// The best slide of a seat whose penguins nobody disturbs; `None` if somebody does, or if it takes too long.
pub(crate) fn undisturbed_move(position: &Position, max_nodes: u64, budget: &Budget) -> Option<Move> {
    let me = position.to_move()?;
    if position.phase() != Phase::Moving {
        return None;
    }
    let board = position.board();
    let mut endgame = Endgame::new(board, max_nodes, budget);
    let (free, mine) = (position.free_tiles(), position.penguin_tiles(me));
    let enemies = Seat::all(position.n_seats())
        .filter(|&seat| seat != me)
        .fold(0, |all, seat| all | position.penguin_tiles(seat));
    if endgame.reach(free, mine) & board.around(enemies) != 0 {
        return None;
    }
    let groups = endgame.groups(free, mine);
    let (from, to) = groups.into_iter().find_map(|group| endgame.best_of_group(group)?.1)?;
    let cols = u32::from(board.cols());
    let cell = |bit: u32| rookery_games::fish::Cell::new((bit / cols) as u8, (bit % cols) as u8);
    Some(Move::Slide { from: cell(from), to: cell(to) })
}

#[cfg(test)]
mod tests {
    use rookery_rules::{Notation as _, Seed, Setup as _};

    use super::*;

    /// The most fish the first seat can have in the end, alone on the board: by trying everything.
    fn brute_force(position: &Position, me: Seat) -> u32 {
        if position.to_move().is_none() {
            return position.score(me);
        }
        let after = |mv| {
            let mut child = position.clone();
            child.play_unchecked(mv);
            brute_force(&child, me)
        };
        position.legal_moves().map(after).max().unwrap()
    }

    #[test]
    fn finds_as_many_fish_as_brute_force() {
        for seed in 0..60 {
            let options = format!("rows=5,cols=2,holes=2,seed={seed}");
            let mut position = rookery_games::fish::Setup::parse(&options).unwrap().start();
            position.remove(Seat::new(1));
            let mut rng = Seed(seed).rng();
            while position.phase() == Phase::Placing {
                let mv = position.random_move(&mut rng).unwrap();
                position.play_unchecked(mv);
            }
            let me = Seat::new(0);
            let budget = Budget::default();
            let mut endgame = Endgame::new(position.board(), u64::MAX, &budget);
            let most = endgame.best(position.free_tiles(), position.penguin_tiles(me)).unwrap();
            assert_eq!(position.score(me) + most, brute_force(&position, me), "{}", position.to_text());
            let mut end = position.clone();
            while end.to_move().is_some() {
                end.play(undisturbed_move(&end, u64::MAX, &budget).expect("nobody else is there")).unwrap();
            }
            assert_eq!(end.score(me), position.score(me) + most, "{}", position.to_text());
        }
    }

    #[test]
    fn one_penguin_on_a_board_with_a_dead_end() {
        let position = Position::from_text("p1 1a2222/11111/33333/1 0").unwrap();
        let budget = Budget::default();
        let mut endgame = Endgame::new(position.board(), u64::MAX, &budget);
        let most = endgame.best(position.free_tiles(), position.penguin_tiles(Seat::new(0))).unwrap();
        assert_eq!(most, brute_force(&position, Seat::new(0)));
    }

    #[test]
    fn gives_up_when_it_takes_too_long() {
        let mut position = rookery_games::fish::Setup::parse("rows=8,cols=8").unwrap().start();
        position.remove(Seat::new(1));
        while position.phase() == Phase::Placing {
            let mv = position.legal_moves().next().unwrap();
            position.play_unchecked(mv);
        }
        assert_eq!(undisturbed_move(&position, 10, &Budget::default()), None);
    }
}
