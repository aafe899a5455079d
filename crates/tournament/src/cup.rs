//! A knock-out with a seeded bracket, with groups before it if one likes.

use std::collections::BTreeMap;

use crate::round_robin::berger_rounds;
use crate::rounds::{NewTable, RoundRule, Rounds, Table};
use crate::{Entrant, FormatOptions, Points, Reason};

/// Who loses is out; the entrants' order is their seeding.
///
/// - Tables of two play a bracket in which seeds 1 and 2 can meet only in the last round, and the sum of two favourites'
///   seeds is always the same; where the bracket is not full, the best seeds have no opponent in the first round.
/// - A meeting plays `games`, whole blocks unless told otherwise. If it is tied, one block more is played, up to
///   [`CupOptions::extra_blocks`]; then the better seed goes on.
/// - `bronze` plays for the third place beside the last meeting.
/// - `groups` come first: everybody of a group meets everybody, and its best go on, seeded by their place in the group, then
///   their points, then their seed. Equal points in a group are told apart by the games among the equals, then by seed.
/// - Larger tables: seeds are dealt out to and fro over the tables, the best few of each table go on, by points and then by
///   seed, until there is one table. Where the numbers do not divide, the best seeds rest. Where too few would be left for a
///   table, more of each go on.
///
/// Who leaves or is suspended is out, and whoever would have met it goes on. Nobody comes late. Forbidden pairs do not hold:
/// the bracket decides.
///
/// ```
/// use rookery_tournament::{Cup, CupOptions, Entrant, Format, FormatOptions, Next};
///
/// let mut format = Cup::new(6, &FormatOptions::default(), &CupOptions::default());
/// let Next::Play(pairings) = format.next(10) else { panic!("two meetings of two games") };
/// assert_eq!(pairings[0].entrants, [Entrant(3), Entrant(4)], "seeds 1 and 2 have no opponent yet");
/// assert_eq!(pairings[0].reason.to_string(), "quarter-final: seed 4 meets seed 5: game 1 of 2");
/// ```
pub type Cup = Rounds<CupRule>;

/// What is particular to a [`Cup`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CupOptions {
    /// Whether the third place is played for, at tables of two.
    pub bronze: bool,
    /// Groups before the bracket, at tables of two.
    pub groups: Option<Groups>,
    /// How many blocks more a tied meeting plays at most.
    pub extra_blocks: u32,
    /// How many of a larger table go on.
    pub advance: usize,
}

/// Groups in which everybody meets everybody.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Groups {
    /// How many are in a group, at most.
    pub size: usize,
    /// How many of each go on.
    pub advance: usize,
}

impl Default for CupOptions {
    fn default() -> Self {
        Self { bronze: false, groups: None, extra_blocks: 3, advance: 1 }
    }
}

/// The rule of a [`Cup`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CupRule {
    options: FormatOptions,
    cup: CupOptions,
    stage: Stage,
    /// Who is out, the last first; equals together.
    out: Vec<Vec<Entrant>>,
    /// The seed of each, from 1: in the bracket another one than in the groups.
    seeds: BTreeMap<Entrant, u32>,
    /// Who lost a round before the last one, if the third place is played for.
    bronze: Vec<Entrant>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Stage {
    Groups(GroupStage),
    /// The slots of the bracket, neighbours meet.
    Bracket(Vec<Option<Entrant>>),
    /// Larger tables: who is left, by seed.
    Tables(Vec<Entrant>),
    /// The places of all who came to the end.
    Over(Vec<Vec<Entrant>>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct GroupStage {
    groups: Vec<Vec<Entrant>>,
    /// How many rounds they play.
    rounds: u32,
    /// The points of one against another.
    points: BTreeMap<(Entrant, Entrant), Points>,
}

impl Cup {
    /// Of so many entrants, the best first.
    ///
    /// # Panics
    /// If a table or a group is too small or too large, or nobody or everybody of it would go on.
    pub fn new(n_entrants: usize, options: &FormatOptions, cup: &CupOptions) -> Self {
        options.check();
        assert!((1..options.size.min).contains(&cup.advance), "some of a table go on and some do not");
        let all: Vec<Entrant> = Entrant::all(n_entrants).collect();
        let mut rule = CupRule {
            options: options.clone(),
            cup: cup.clone(),
            stage: Stage::Over(vec![]),
            out: vec![],
            seeds: BTreeMap::new(),
            bronze: vec![],
        };
        match cup.groups {
            Some(Groups { size, advance }) if options.size.max == 2 => {
                assert!(size >= 2 && (1..size).contains(&advance), "some of a group go on and some do not");
                rule.seed(&all);
                let groups = deal(&all, n_entrants.div_ceil(size));
                let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
                let rounds = berger_rounds(largest, false).len() as u32;
                rule.stage = Stage::Groups(GroupStage { groups, rounds, points: BTreeMap::new() });
            }
            _ => rule.begin_bracket(&all),
        }
        Self::by_rule(n_entrants, rule, options.points, options.max_faults)
    }
}

/// Deals these out over so many groups, to and fro.
fn deal(entrants: &[Entrant], n_groups: usize) -> Vec<Vec<Entrant>> {
    let mut groups = vec![vec![]; n_groups];
    for (turn, round) in entrants.chunks(n_groups.max(1)).enumerate() {
        for (idx, &entrant) in round.iter().enumerate() {
            groups[if turn % 2 == 0 { idx } else { n_groups - 1 - idx }].push(entrant);
        }
    }
    groups
}

/// The seeds of the slots of a bracket of this size, a power of two: from one slot each is split into its seed and the one
/// that makes up the sum.
fn slots(size: usize) -> Vec<usize> {
    let mut slots = vec![1];
    while slots.len() < size {
        let sum = 2 * slots.len() + 1;
        slots = slots.into_iter().flat_map(|seed| [seed, sum - seed]).collect();
    }
    slots
}

impl CupRule {
    fn seed(&mut self, order: &[Entrant]) {
        self.seeds = order.iter().copied().zip(1..).collect();
    }

    fn begin_bracket(&mut self, order: &[Entrant]) {
        self.seed(order);
        self.stage = if self.options.size.max > 2 {
            Stage::Tables(order.to_vec())
        } else {
            let seeds = slots(order.len().next_power_of_two());
            Stage::Bracket(seeds.into_iter().map(|seed| order.get(seed - 1).copied()).collect())
        };
    }

    /// Those of a group from the best: by points, by points among equals, by seed.
    fn group_order(stage: &GroupStage, group: &[Entrant]) -> Vec<Entrant> {
        let against = |one: Entrant, others: &[Entrant]| -> Points {
            others.iter().filter_map(|&other| stage.points.get(&(one, other))).copied().sum()
        };
        let total = |entrant: Entrant| against(entrant, group);
        let mut order = group.to_vec();
        order.sort_by_key(|&entrant| {
            let equals: Vec<Entrant> =
                group.iter().copied().filter(|&other| total(other) == total(entrant)).collect();
            (std::cmp::Reverse((total(entrant), against(entrant, &equals))), entrant)
        });
        order
    }

    /// The groups are over: the best of them, first all who are first in their group.
    fn end_groups(&mut self, stage: &GroupStage) {
        let advance = self.cup.groups.map_or(1, |groups| groups.advance);
        let orders: Vec<Vec<Entrant>> =
            stage.groups.iter().map(|group| Self::group_order(stage, group)).collect();
        let points = |entrant: Entrant| -> Points {
            let own =
                |(&(one, _), &points): (&(Entrant, Entrant), &Points)| (one == entrant).then_some(points);
            stage.points.iter().filter_map(own).sum()
        };
        let mut through = vec![];
        let most = orders.iter().map(Vec::len).max().unwrap_or(0);
        for place in 0..most {
            let mut of_place: Vec<Entrant> =
                orders.iter().filter_map(|order| order.get(place)).copied().collect();
            of_place.sort_by_key(|&entrant| (std::cmp::Reverse(points(entrant)), entrant));
            if place < advance {
                through.extend(of_place);
            } else {
                // Lower places are further back.
                self.out.insert(self.out.len() - (place - advance), of_place);
            }
        }
        self.begin_bracket(&through);
    }

    /// Who of a table stands before whom.
    fn table_order(&self, table: &Table) -> Vec<Entrant> {
        let mut order = table.meeting.entrants.clone();
        order.sort_by_key(|entrant| (std::cmp::Reverse(table.points_of(*entrant)), self.seeds.get(entrant)));
        order
    }

    /// How the tables of larger ones are made: who rests, who sits together, how many of each go on.
    fn table_plan(&self, alive: &[Entrant]) -> (Vec<Entrant>, Vec<Vec<Entrant>>, usize) {
        let (sizes, rests) = self.options.size.sizes(alive.len());
        let (resting, playing) = alive.split_at(rests);
        let tables = deal(playing, sizes.len());
        let needed = self.options.size.min.saturating_sub(rests).div_ceil(sizes.len().max(1));
        (resting.to_vec(), tables, self.cup.advance.max(needed))
    }

    /// Everybody who is not out yet.
    fn alive(&self) -> Vec<Entrant> {
        match &self.stage {
            Stage::Groups(stage) => stage.groups.concat(),
            Stage::Bracket(slots) => slots.iter().flatten().copied().collect(),
            Stage::Tables(alive) => alive.clone(),
            Stage::Over(places) => places.first().cloned().unwrap_or_default(),
        }
    }

    fn new_table(&self, round: u32, entrants: Vec<Entrant>) -> NewTable {
        let games = self.options.games_at(entrants.len());
        // Room for the blocks that ties may need.
        let starts = self.options.starts() + u64::from(self.cup.extra_blocks);
        NewTable { entrants, games, start: u64::from(round - 1) * starts }
    }

    /// Takes those out of the bracket who are not there any more.
    fn remove_absent(&mut self, present: &[Entrant]) {
        let mut gone = vec![];
        let mut keep = |entrant: Entrant| {
            let is_there = present.contains(&entrant);
            if !is_there {
                gone.push(entrant);
            }
            is_there
        };
        match &mut self.stage {
            Stage::Bracket(slots) => {
                for slot in slots {
                    *slot = slot.take_if(|entrant| keep(*entrant));
                }
            }
            Stage::Tables(alive) => alive.retain(|&entrant| keep(entrant)),
            Stage::Groups(_) | Stage::Over(_) => {}
        }
        if !gone.is_empty() {
            gone.sort_unstable();
            self.out.push(gone);
        }
    }

    fn finish_bracket(&mut self, slots: &[Option<Entrant>], tables: &[Table]) {
        let is_final = slots.len() == 2;
        let (mut next, mut lost) = (vec![], vec![]);
        for pair in slots.chunks(2) {
            let meeting = tables.iter().find(|table| {
                pair[0].is_some_and(|entrant| table.meeting.entrants.contains(&entrant)) && pair[1].is_some()
            });
            let order = meeting.map(|table| self.table_order(table));
            next.push(order.as_ref().map_or(pair[0].or(pair[1]), |order| Some(order[0])));
            lost.extend(order.map(|order| order[1]));
        }
        lost.sort_unstable();
        if !is_final {
            self.bronze = if self.cup.bronze && slots.len() == 4 { lost.clone() } else { vec![] };
            self.push_out(lost);
            self.stage = Stage::Bracket(next);
            return;
        }
        let mut places: Vec<Vec<Entrant>> =
            next.into_iter().map(|winner| winner.into_iter().collect()).collect();
        places.push(lost);
        if let Some(third) = tables.iter().find(|table| table.meeting.table == 1) {
            let order = self.table_order(third);
            self.out.iter_mut().for_each(|equals| equals.retain(|entrant| !order.contains(entrant)));
            places.extend(order.into_iter().map(|entrant| vec![entrant]));
        }
        places.retain(|equals| !equals.is_empty());
        self.stage = Stage::Over(places);
    }

    fn finish_tables(&mut self, alive: &[Entrant], tables: &[Table]) {
        let (resting, _, advance) = self.table_plan(alive);
        if tables.len() == 1 && resting.is_empty() {
            self.stage =
                Stage::Over(self.table_order(&tables[0]).into_iter().map(|entrant| vec![entrant]).collect());
            return;
        }
        let (mut next, mut lost) = (resting, vec![]);
        for table in tables {
            let mut order = self.table_order(table);
            lost.extend(order.split_off(advance.min(order.len())));
            next.extend(order);
        }
        next.sort_by_key(|entrant| self.seeds.get(entrant));
        lost.sort_unstable();
        self.push_out(lost);
        self.stage = Stage::Tables(next);
    }

    fn push_out(&mut self, lost: Vec<Entrant>) {
        if !lost.is_empty() {
            self.out.push(lost);
        }
    }
}

impl RoundRule for CupRule {
    fn is_over(&self, _round: u32, present: &[Entrant]) -> bool {
        if matches!(self.stage, Stage::Over(_)) {
            return true;
        }
        let there = self.alive().iter().filter(|entrant| present.contains(entrant)).count();
        there < if let Stage::Tables(_) = self.stage { self.options.size.min } else { 2 }
    }

    fn begin(&mut self, round: u32, present: &[Entrant]) -> Vec<NewTable> {
        self.remove_absent(present);
        let tables: Vec<Vec<Entrant>> = match &self.stage {
            Stage::Groups(stage) => {
                let of_group = |group: &Vec<Entrant>| {
                    let tables = berger_rounds(group.len(), false).into_iter().nth(round as usize - 1);
                    let seat = |table: Vec<Entrant>| {
                        table.into_iter().map(|place| group[place.index()]).collect::<Vec<_>>()
                    };
                    tables.unwrap_or_default().into_iter().map(seat).collect::<Vec<_>>()
                };
                let all = stage.groups.iter().flat_map(of_group);
                all.filter(|table| table.iter().all(|entrant| present.contains(entrant))).collect()
            }
            Stage::Bracket(slots) => {
                let full = |pair: &[Option<Entrant>]| pair.iter().copied().collect::<Option<Vec<_>>>();
                let mut tables: Vec<Vec<Entrant>> = slots.chunks(2).filter_map(full).collect();
                let third: Vec<Entrant> =
                    self.bronze.iter().copied().filter(|entrant| present.contains(entrant)).collect();
                if slots.len() == 2 && third.len() == 2 {
                    tables.push(third);
                }
                tables
            }
            Stage::Tables(alive) => self.table_plan(alive).1,
            Stage::Over(_) => vec![],
        };
        tables.into_iter().map(|table| self.new_table(round, table)).collect()
    }

    fn more(&self, table: &Table) -> u64 {
        let [one, other] = table.points[..] else { return 0 };
        let block = table.meeting.block_games();
        let extra = table.games - self.options.games_at(2);
        let is_group = matches!(self.stage, Stage::Groups(_));
        let may = !is_group && extra < u64::from(self.cup.extra_blocks) * block;
        if one == other && may { block } else { 0 }
    }

    fn finish(&mut self, round: u32, tables: &[Table]) {
        match self.stage.clone() {
            Stage::Groups(mut stage) => {
                for table in tables {
                    let [one, other] = table.meeting.entrants[..] else { continue };
                    stage.points.insert((one, other), table.points[0]);
                    stage.points.insert((other, one), table.points[1]);
                }
                if round >= stage.rounds {
                    self.end_groups(&stage);
                } else {
                    self.stage = Stage::Groups(stage);
                }
            }
            Stage::Bracket(slots) => self.finish_bracket(&slots, tables),
            Stage::Tables(alive) => self.finish_tables(&alive, tables),
            Stage::Over(_) => {}
        }
    }

    fn reason(&self, table: &Table, game: u64) -> Reason {
        let entrants = &table.meeting.entrants;
        let mut seeds: Vec<u32> =
            entrants.iter().filter_map(|entrant| self.seeds.get(entrant)).copied().collect();
        seeds.sort_unstable();
        let number = table.meeting.table as u32;
        let (game, games) = (game + 1, self.options.games_at(entrants.len()));
        match &self.stage {
            Stage::Groups(stage) => {
                let of = |group: &Vec<Entrant>| group.contains(&entrants[0]);
                let group = stage.groups.iter().position(of).unwrap_or(0) as u32 + 1;
                Reason::CupGroup { group, round: table.meeting.round, of: stage.rounds, game, games }
            }
            Stage::Bracket(slots) => {
                let bronze = slots.len() == 2 && number == 1;
                let players = slots.len() as u32;
                Reason::Cup { left: if bronze { 0 } else { players }, seeds, game, games }
            }
            Stage::Tables(alive) => Reason::CupTable {
                round: table.meeting.round,
                table: number + 1,
                left: alive.len() as u32,
                game,
                games,
            },
            Stage::Over(_) => Reason::Cup { left: 2, seeds, game, games },
        }
    }

    fn winners(&self) -> Vec<Entrant> {
        self.alive()
    }

    fn ranking(&self) -> Vec<Vec<Entrant>> {
        let mut ranking = match &self.stage {
            Stage::Over(places) => places.clone(),
            _ => vec![self.alive()],
        };
        ranking.extend(self.out.iter().rev().cloned());
        ranking.retain(|equals| !equals.is_empty());
        ranking
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn favourites_sum_up_to_one_more_than_the_size_in_every_round() {
        assert_eq!(slots(1), [1]);
        for size in [2, 4, 8, 16, 32, 64] {
            let mut left = slots(size);
            while left.len() > 1 {
                let sum = left.len() + 1;
                assert!(left.chunks(2).all(|pair| pair[0] + pair[1] == sum));
                left = left.chunks(2).map(|pair| pair[0].min(pair[1])).collect();
            }
        }
    }

    #[test]
    fn seeds_are_dealt_to_and_fro() {
        let all: Vec<Entrant> = Entrant::all(7).collect();
        let numbers = |group: &Vec<Entrant>| group.iter().map(|entrant| entrant.0).collect::<Vec<_>>();
        let groups: Vec<Vec<u32>> = deal(&all, 3).iter().map(numbers).collect();
        assert_eq!(groups, [vec![0, 5, 6], vec![1, 4], vec![2, 3]]);
    }
}
