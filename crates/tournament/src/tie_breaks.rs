//! Who stands before whom when points are equal: named, in an order that can be chosen, and in whole numbers.

use std::collections::BTreeMap;

use rookery_rules::MAX_SEATS;
use serde::{Deserialize, Serialize};

use crate::standings::{Record, Standings};
use crate::{Entrant, Points};

/// A way to tell apart who has equal points. A larger value stands before.
///
/// Opponents count with all their points as they stand. At a table of more than two every opponent counts with its share
/// of the game: 1/(seats - 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The points in the games among those who are still equal; decides only if each has met each other.
    DirectEncounter,
    /// The points of all opponents met, once for each game.
    Buchholz,
    /// The same without the lowest opponent.
    BuchholzCut1,
    /// The same without the lowest and the highest one.
    Median,
    /// The points of the opponents beaten, and half of those drawn with.
    SonnebornBerger,
    /// First places, not shared.
    Wins,
    /// How far behind the first seat one sat, summed over all games: moving later is harder.
    SeatBalance,
}

impl TieBreak {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::DirectEncounter,
        Self::Buchholz,
        Self::BuchholzCut1,
        Self::Median,
        Self::SonnebornBerger,
        Self::Wins,
        Self::SeatBalance,
    ];

    /// Its name, as in files and on command lines.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DirectEncounter => "direct-encounter",
            Self::Buchholz => "buchholz",
            Self::BuchholzCut1 => "buchholz-cut1",
            Self::Median => "median",
            Self::SonnebornBerger => "sonneborn-berger",
            Self::Wins => "wins",
            Self::SeatBalance => "seat-balance",
        }
    }
}

/// How a bye counts in Buchholz and Sonneborn-Berger.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ByeRule {
    /// As a win against an opponent with one's own final points (FIDE since 2023).
    #[default]
    Own,
    /// As a win against an opponent with one's points before the round, which lost it and drew all rounds behind.
    Virtual,
    /// Not at all.
    LeftOut,
}

/// Tie-breaks in the order in which they decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TieBreaks {
    /// From the first to the last.
    pub order: Vec<TieBreak>,
    /// How a bye counts.
    pub byes: ByeRule,
    /// How many games a meeting has: as many are left out where one opponent is.
    pub meeting: u64,
    /// How many rounds there are in all, for [`ByeRule::Virtual`].
    pub rounds: u32,
}

impl Default for TieBreaks {
    fn default() -> Self {
        let order =
            [TieBreak::DirectEncounter, TieBreak::Buchholz, TieBreak::SonnebornBerger, TieBreak::Wins];
        Self { order: order.to_vec(), byes: ByeRule::default(), meeting: 1, rounds: 0 }
    }
}

/// The share of one opponent in a game, and its parts: divisible by the number of opponents at any table.
pub(crate) const SHARE: i64 = 420;
const _: () = assert!(MAX_SEATS == 8, "420 is divisible by 1 to 7");

impl TieBreaks {
    /// The values of one tie-break for those who are still equal, in whole parts; and how many parts make 1.
    pub(crate) fn values(&self, of: TieBreak, equal: &[Entrant], all: &Standings) -> (Vec<i128>, f64) {
        let points = Points::ONE.parts() as f64;
        let weighed = points * SHARE as f64;
        // A result of half a point is half a point, so this has parts of both.
        let beaten = weighed * points;
        let each = |value: &dyn Fn(Entrant, &Record) -> i128| {
            equal.iter().map(|&entrant| value(entrant, all.record(entrant))).collect()
        };
        match of {
            TieBreak::DirectEncounter => (among(equal, all), points),
            TieBreak::Buchholz => (each(&|entrant, _| self.buchholz(entrant, all, 0, 0)), weighed),
            TieBreak::BuchholzCut1 => (each(&|entrant, _| self.buchholz(entrant, all, 1, 0)), weighed),
            TieBreak::Median => (each(&|entrant, _| self.buchholz(entrant, all, 1, 1)), weighed),
            TieBreak::SonnebornBerger => (each(&|entrant, _| self.beaten(entrant, all)), beaten),
            TieBreak::Wins => (each(&|_, record| i128::from(record.total().wins)), 1.0),
            TieBreak::SeatBalance => (each(&|_, record| record.seats_behind()), 1.0),
        }
    }

    /// The opponent that a bye stands for: its points.
    fn bye_opponents(&self, entrant: Entrant, all: &Standings) -> Vec<i64> {
        let record = all.record(entrant);
        let opponent = |bye: &crate::Bye| match self.byes {
            ByeRule::Own => Some(record.points.parts()),
            ByeRule::LeftOut => None,
            ByeRule::Virtual => {
                let behind = u64::from(self.rounds.saturating_sub(bye.round));
                Some((bye.before + Points::HALF * (behind * self.meeting)).parts())
            }
        };
        record.byes.iter().filter_map(opponent).collect()
    }

    fn buchholz(&self, entrant: Entrant, all: &Standings, lowest: u64, highest: u64) -> i128 {
        // The points of opponents, and how much each counts.
        let mut met: BTreeMap<i64, i64> = BTreeMap::new();
        for (&opponent, versus) in &all.record(entrant).versus {
            *met.entry(all.record(opponent).points.parts()).or_default() += versus.weight;
        }
        let meeting = SHARE * self.meeting as i64;
        for points in self.bye_opponents(entrant, all) {
            *met.entry(points).or_default() += meeting;
        }
        let mut cut = lowest as i64 * meeting;
        for weight in met.values_mut() {
            let off = cut.min(*weight);
            (*weight, cut) = (*weight - off, cut - off);
        }
        let mut cut = highest as i64 * meeting;
        for weight in met.values_mut().rev() {
            let off = cut.min(*weight);
            (*weight, cut) = (*weight - off, cut - off);
        }
        met.into_iter().map(|(points, weight)| i128::from(points) * i128::from(weight)).sum()
    }

    /// Sonneborn-Berger.
    fn beaten(&self, entrant: Entrant, all: &Standings) -> i128 {
        let against = |(&opponent, versus): (&Entrant, &crate::Versus)| {
            i128::from(all.record(opponent).points.parts()) * i128::from(versus.weighed)
        };
        let one = SHARE * Points::ONE.parts() * self.meeting as i64;
        let byes = self.bye_opponents(entrant, all).into_iter();
        all.record(entrant).versus.iter().map(against).sum::<i128>()
            + byes.map(|points| i128::from(points) * i128::from(one)).sum::<i128>()
    }
}

/// The points of each in the games against the others of these; zero for all if some have not met.
fn among(equal: &[Entrant], all: &Standings) -> Vec<i128> {
    let versus = |one: &Entrant, other: &Entrant| all.record(*one).versus.get(other);
    let met = |one: &Entrant| equal.iter().all(|other| one == other || versus(one, other).is_some());
    if !equal.iter().all(met) {
        return vec![0; equal.len()];
    }
    let points = |one: &Entrant| {
        equal
            .iter()
            .filter_map(|other| versus(one, other))
            .map(|versus| i128::from(versus.points.parts()))
            .sum()
    };
    equal.iter().map(points).collect()
}
