//! A ladder: whoever is known least plays next, against whom the game says most.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::meeting::Meeting;
use crate::{Change, Entrant, Format, FormatOptions, GameResult, Next, Pairing, Reason};

/// Goes on until so many games were played. Next is whoever has the fewest meetings running, of these whoever's rating is
/// known least; it meets, of those it met least, the one against whom a game says most.
///
/// For this it keeps a rating of everybody (Weng and Lin, all pairs of a game), which is a help for pairing and no result.
/// Ratings take whole meetings in the order in which they were paired. Each time one is taken another meeting is paired,
/// so that always [`Ladder::AHEAD`] of them are open: who meets whom then depends on results alone, and nobody waits for a
/// slow one until all others are done.
///
/// A forbidden pair never meets. Who leaves or is suspended is in no meeting that is paired afterwards; in those that are
/// open its seat is empty. Who comes late is known least, and so plays soon and often.
///
/// ```
/// use rookery_tournament::{Format, FormatOptions, Ladder, Next};
///
/// let mut ladder = Ladder::new(6, &FormatOptions::default(), 100);
/// let Next::Play(pairings) = ladder.next(3) else { panic!("games are to be played") };
/// assert_eq!(
///     pairings[2].reason.to_string(),
///     "game 3 of 100: entrant 3 is known least, and learns most from entrant 4",
/// );
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Ladder {
    options: FormatOptions,
    games: u64,
    skills: Vec<Skill>,
    /// How often two were paired, the lower number first.
    met: BTreeMap<(Entrant, Entrant), u64>,
    /// The first meeting that is not taken yet, by number.
    taken: u64,
    /// The meetings from there on that are paired.
    open: VecDeque<Open>,
    /// Results of what is to come.
    early: BTreeMap<u64, GameResult>,
    changes: Vec<Change>,
    suspended: BTreeSet<Entrant>,
}

#[derive(Clone, PartialEq, Debug)]
struct Skill {
    mean: f64,
    deviation: f64,
    /// Meetings that are paired and not taken.
    open: u64,
    games: u64,
    /// Games failed in a row.
    faults: u32,
}

#[derive(Clone, PartialEq, Debug)]
struct Open {
    meeting: Meeting,
    games: u64,
    given: u64,
    results: BTreeMap<u64, GameResult>,
}

const MEAN: f64 = 25.0;
const DEVIATION: f64 = 25.0 / 3.0;
const BETA: f64 = 25.0 / 6.0;
/// No rating gets surer than this share of what it was by one game.
const LEAST: f64 = 1e-6;

impl Ladder {
    /// How many meetings are paired ahead.
    pub const AHEAD: u64 = 16;

    /// Of so many entrants, until at least so many games were played.
    ///
    /// # Panics
    /// If a table has fewer than two or more than eight seats.
    pub fn new(n_entrants: usize, options: &FormatOptions, games: u64) -> Self {
        options.check();
        let skill = Skill { mean: MEAN, deviation: DEVIATION, open: 0, games: 0, faults: 0 };
        let mut ladder = Self {
            options: options.clone(),
            games,
            skills: vec![skill; n_entrants],
            met: BTreeMap::new(),
            taken: 0,
            open: VecDeque::new(),
            early: BTreeMap::new(),
            changes: vec![],
            suspended: BTreeSet::new(),
        };
        ladder.fill();
        ladder
    }

    /// How many numbers a meeting has for its games.
    fn stride(&self) -> u64 {
        (self.options.size.min..=self.options.size.max)
            .map(|seats| self.options.games_at(seats))
            .max()
            .unwrap_or(1)
    }

    /// The number of the next meeting that is paired.
    fn next_meeting(&self) -> u64 {
        self.taken + self.open.len() as u64
    }

    /// Pairs meetings until enough are open, or all are paired, or too few are left.
    fn fill(&mut self) {
        while (self.open.len() as u64) < Self::AHEAD
            && self.next_meeting().saturating_mul(self.stride()) < self.games
        {
            let Some(entrants) = self.choose() else { return };
            let number = self.next_meeting();
            let games = self.options.games_at(entrants.len());
            for (idx, &one) in entrants.iter().enumerate() {
                self.skills[one.index()].open += 1;
                self.skills[one.index()].games += games;
                for &other in &entrants[idx + 1..] {
                    *self.met.entry((one.min(other), one.max(other))).or_default() += 1;
                }
            }
            let starts = self.options.starts();
            let meeting = Meeting { round: 0, table: 0, entrants, start: number * starts };
            self.open.push_back(Open { meeting, games, given: 0, results: BTreeMap::new() });
            let first = number * self.stride();
            let mut now = self.early.split_off(&first);
            let mut later = now.split_off(&(first + self.stride()));
            self.early.append(&mut later);
            for result in now.values() {
                self.note(result);
            }
        }
    }

    /// Takes back the meetings from this one on, none of which was begun.
    fn unpair(&mut self, from: u64) {
        while self.next_meeting() > from
            && self.open.back().is_some_and(|open| open.given == 0 && open.results.is_empty())
            && let Some(open) = self.open.pop_back()
        {
            for (idx, &one) in open.meeting.entrants.iter().enumerate() {
                self.skills[one.index()].open -= 1;
                self.skills[one.index()].games -= open.games;
                for &other in &open.meeting.entrants[idx + 1..] {
                    *self.met.entry((one.min(other), one.max(other))).or_insert(1) -= 1;
                }
            }
        }
    }

    fn is_there(&self, entrant: Entrant, number: u64) -> bool {
        let id = number * self.stride();
        !self.suspended.contains(&entrant)
            && self.changes.iter().all(|change| match change {
                Change::Join { entrant: other, from } => *other != entrant || *from <= id,
                Change::Leave { entrant: other, from } => *other != entrant || *from > id,
            })
    }

    fn met(&self, one: Entrant, other: Entrant) -> u64 {
        self.met.get(&(one.min(other), one.max(other))).copied().unwrap_or(0)
    }

    /// Who meets next, by their seats in the first game.
    fn choose(&self) -> Option<Vec<Entrant>> {
        let number = self.next_meeting();
        let there: Vec<Entrant> =
            Entrant::all(self.skills.len()).filter(|&entrant| self.is_there(entrant, number)).collect();
        let skill = |entrant: &Entrant| &self.skills[entrant.index()];
        let mut first = there.clone();
        first.sort_by(|one, other| {
            let (a, b) = (skill(one), skill(other));
            a.open
                .cmp(&b.open)
                .then(b.deviation.total_cmp(&a.deviation))
                .then(a.games.cmp(&b.games))
                .then(one.cmp(other))
        });
        first.into_iter().find_map(|first| self.with_opponents(first, &there))
    }

    /// Somebody with those against whom a game says most; `None` if there are not enough who may meet.
    fn with_opponents(&self, first: Entrant, there: &[Entrant]) -> Option<Vec<Entrant>> {
        let own = &self.skills[first.index()];
        // Each key is found out once, for sorting compares most of them several times.
        let key = |other: Entrant| {
            let its = &self.skills[other.index()];
            let spread = own.deviation * own.deviation + its.deviation * its.deviation;
            let wins = wins(own, its);
            (self.met(first, other), its.open, wins * (1.0 - wins) * spread, other)
        };
        let mut others: Vec<(u64, u64, f64, Entrant)> =
            there.iter().filter(|&&other| other != first).map(|&other| key(other)).collect();
        others.sort_unstable_by(|one, other| {
            let order = (one.0, one.1).cmp(&(other.0, other.1));
            order.then(other.2.total_cmp(&one.2)).then(one.3.cmp(&other.3))
        });
        let mut table = vec![first];
        for (.., other) in others {
            table.push(other);
            if self.options.is_forbidden(&table) {
                table.pop();
            }
            if table.len() == self.options.size.max {
                break;
            }
        }
        if table.len() < self.options.size.min {
            return None;
        }
        // Where the games do not fill whole blocks, who sits first changes from meeting to meeting.
        let turn = (self.next_meeting() % table.len() as u64) as usize;
        table.rotate_left(turn);
        Some(table)
    }

    /// The first meeting that somebody who comes or goes now takes notice of. As long as no rating has changed those can be
    /// paired anew that were not begun.
    fn next_change(&self) -> u64 {
        if self.taken > 0 {
            return self.next_meeting();
        }
        let begun = self.open.iter().rposition(|open| open.given > 0 || !open.results.is_empty());
        begun.map_or(0, |last| last as u64 + 1)
    }

    /// Takes note of a result of a meeting that is open.
    fn note(&mut self, result: &GameResult) {
        let (number, game) = (result.pairing / self.stride(), result.pairing % self.stride());
        let Some(open) = number.checked_sub(self.taken).and_then(|idx| self.open.get_mut(idx as usize))
        else {
            return;
        };
        if game < open.games && open.meeting.seated(game) == result.entrants {
            open.results.entry(game).or_insert_with(|| result.clone());
        }
    }

    /// Takes meetings whose games are all over into the ratings, in their order, and pairs others for them.
    fn settle(&mut self) {
        while let Some(open) = self.open.front()
            && open.results.len() as u64 == open.games
            && let Some(open) = self.open.pop_front()
        {
            self.taken += 1;
            for result in open.results.values() {
                self.rate(result);
                self.count_faults(result);
            }
            for entrant in &open.meeting.entrants {
                self.skills[entrant.index()].open -= 1;
            }
            self.fill();
        }
    }

    fn count_faults(&mut self, result: &GameResult) {
        for &entrant in &result.entrants {
            let faults = &mut self.skills[entrant.index()].faults;
            *faults = if result.failed.contains(&entrant) { *faults + 1 } else { 0 };
            if self.options.max_faults.is_some_and(|most| *faults >= most) {
                self.suspended.insert(entrant);
            }
        }
    }

    /// Moves the ratings of all who played, by everybody's place against everybody's.
    fn rate(&mut self, result: &GameResult) {
        let Some(outcome) = &result.outcome else { return };
        if outcome.scores.n_seats() != result.entrants.len() {
            return;
        }
        let places = outcome.places();
        let seats: Vec<_> = result
            .entrants
            .iter()
            .filter_map(|&entrant| Some((entrant, places[result.seat_of(entrant)?])))
            .collect();
        let before = self.skills.clone();
        for &(one, place) in &seats {
            let own = &before[one.index()];
            let variance = own.deviation * own.deviation;
            let (mut shift, mut certainty) = (0.0, 0.0);
            for &(other, its_place) in seats.iter().filter(|&&(other, _)| other != one) {
                let rival = &before[other.index()];
                let c = distance(own, rival);
                let wins = wins(own, rival);
                let score = match place.cmp(&its_place) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                shift += variance / c * (score - wins);
                certainty += own.deviation / c * (variance / (c * c)) * wins * (1.0 - wins);
            }
            let skill = &mut self.skills[one.index()];
            skill.mean += shift;
            skill.deviation *= (1.0 - certainty).max(LEAST).sqrt();
        }
    }
}

/// The scale of a game between two.
fn distance(one: &Skill, other: &Skill) -> f64 {
    (one.deviation * one.deviation + other.deviation * other.deviation + 2.0 * BETA * BETA).sqrt()
}

/// How likely one beats the other.
fn wins(one: &Skill, other: &Skill) -> f64 {
    1.0 / (1.0 + exp((other.mean - one.mean) / distance(one, other)))
}

/// The exponential function by additions and multiplications alone, so that it has the same bits on any machine.
fn exp(x: f64) -> f64 {
    let x = x.clamp(-40.0, 40.0);
    // Of a 1024th, whose series is short; then squared ten times.
    let small = x / 1024.0;
    let mut power =
        1.0 + small * (1.0 + small / 2.0 * (1.0 + small / 3.0 * (1.0 + small / 4.0 * (1.0 + small / 5.0))));
    for _ in 0..10 {
        power *= power;
    }
    power
}

impl Format for Ladder {
    fn n_entrants(&self) -> usize {
        self.skills.len()
    }

    fn take(&mut self, result: &GameResult) {
        let number = result.pairing / self.stride();
        if number >= self.next_meeting() {
            if result.pairing < self.games.saturating_add(self.stride()) {
                self.early.entry(result.pairing).or_insert_with(|| result.clone());
            }
            return;
        }
        self.note(result);
        self.settle();
    }

    fn leave(&mut self, entrant: Entrant) {
        self.change(&Change::Leave { entrant, from: self.next_change() * self.stride() });
    }

    fn next(&mut self, room: usize) -> Next {
        if self.open.is_empty() {
            return Next::End;
        }
        let (stride, of, taken) = (self.stride(), self.games, self.taken);
        let mut pairings = vec![];
        for (number, open) in (taken..).zip(&mut self.open) {
            while pairings.len() < room && open.given < open.games {
                let game = open.given;
                open.given += 1;
                if !open.results.contains_key(&game) {
                    pairings.push(open.pairing(number, game, stride, of));
                }
            }
        }
        if pairings.is_empty() { Next::Wait } else { Next::Play(pairings) }
    }

    fn follows_results(&self) -> bool {
        true
    }

    fn join(&mut self) -> Option<Entrant> {
        let entrant = Entrant(self.skills.len() as u32);
        self.change(&Change::Join { entrant, from: self.next_change() * self.stride() });
        Some(entrant)
    }

    fn changes(&self) -> Vec<Change> {
        self.changes.clone()
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Join { entrant, .. } if entrant.index() == self.skills.len() => {
                let skill = Skill { mean: MEAN, deviation: DEVIATION, open: 0, games: 0, faults: 0 };
                self.skills.push(skill);
            }
            Change::Leave { entrant, .. } if entrant.index() < self.skills.len() => {}
            _ => return,
        }
        self.changes.push(change.clone());
        let (Change::Join { from, .. } | Change::Leave { from, .. }) = change;
        if self.taken == 0 {
            self.unpair(from / self.stride());
        }
        self.fill();
    }

    fn suspended(&self) -> Vec<Entrant> {
        self.suspended.iter().copied().collect()
    }
}

impl Open {
    fn pairing(&self, number: u64, game: u64, stride: u64, of: u64) -> Pairing {
        let plain = self.meeting.pairing(game, Reason::Ladder { game: 0, of, first: 0, others: vec![] });
        let turn = (number % self.meeting.entrants.len() as u64) as usize;
        let mut table: Vec<u32> = self.meeting.entrants.iter().map(|entrant| entrant.0 + 1).collect();
        table.rotate_right(turn);
        let id = number * stride + game;
        let first = table.remove(0);
        Pairing {
            id,
            block: number * stride + game - game % self.meeting.block_games(),
            round: None,
            reason: Reason::Ladder { game: id + 1, of, first, others: table },
            ..plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_one() {
        for tenth in -300..300 {
            let x = f64::from(tenth) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-9, "{x}");
        }
    }
}
