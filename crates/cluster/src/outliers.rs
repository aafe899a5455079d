//! Which worker's games end otherwise than those of the others. Numbers in, numbers out.
//!
//! Only like is compared with like: games of the same tournament between the same players at the same seats are one stratum. In
//! each the games of a worker are seen as drawn from all games there, without being put back; what is too much over all strata is
//! summed, as Cochran, Mantel and Haenszel do it. So a worker that had only games of one pairing is compared with nobody else's.

use std::collections::{BTreeMap, BTreeSet};

use rookery_referee::{Cause, Offence, Verdict};

use crate::core::Name;

/// How many games a worker and those it is compared with must have at least.
const FEW: f64 = 20.0;
/// How many counts are kept apart before they are summed and forgotten.
const MOST_CELLS: usize = 50_000;
/// How many workers are taken out one after the other at most.
const MOST_ROUNDS: usize = 16;

/// How a game ended for whoever moves first, and what went wrong in it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Games.
    pub games: u64,
    /// Won by the first seat.
    pub wins: u64,
    /// Won by nobody, or by several.
    pub draws: u64,
    /// In which somebody ran out of time.
    pub timeouts: u64,
    /// In which a program ended, broke a limit, or did not come.
    pub crashes: u64,
}

impl Tally {
    /// What one game counts.
    pub fn of(verdict: &Verdict) -> Self {
        let winners = verdict.outcome.as_ref().map(|outcome| outcome.winners.iter().collect::<Vec<_>>());
        let offences: Vec<Offence> = verdict
            .removed
            .iter()
            .chain([&verdict.ending])
            .filter_map(|ending| match ending.cause {
                Cause::Offence(offence) => Some(offence),
                _ => None,
            })
            .collect();
        let winner = match winners.as_deref() {
            Some([only]) => Some(only.index()),
            _ => None,
        };
        let is_crash = |offence: &Offence| {
            !matches!(
                offence,
                Offence::Timeout | Offence::Malformed | Offence::IllegalMove | Offence::OutOfTurn
            )
        };
        Self {
            games: 1,
            wins: u64::from(winner == Some(0)),
            draws: u64::from(winner.is_none()),
            timeouts: u64::from(offences.contains(&Offence::Timeout)),
            crashes: u64::from(offences.iter().any(is_crash)),
        }
    }

    fn add(&mut self, other: Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.timeouts += other.timeouts;
        self.crashes += other.crashes;
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aspect {
    /// Who wins: a chi-squared test of win, draw and loss of the first seat.
    Results,
    /// More games in which somebody ran out of time.
    Timeouts,
    /// More games in which a program failed.
    Crashes,
}

impl Aspect {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Timeouts => "time-outs",
            Self::Crashes => "crashes",
        }
    }
}

/// How far a worker is from the others in one respect.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Deviation {
    /// In which.
    pub aspect: Aspect,
    /// How many games it has that can be compared.
    pub games: u64,
    /// Wins of the first seat, time-outs or crashes it has.
    pub observed: f64,
    /// And would have, were it like the others.
    pub expected: f64,
    /// The statistic, for results.
    pub chi2: Option<f64>,
    /// How likely as much or more is by chance alone.
    pub p: f64,
}

/// Sums over strata.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Sums {
    games: f64,
    others: f64,
    wins: f64,
    expected_wins: f64,
    draws: f64,
    expected_draws: f64,
    var_wins: f64,
    var_draws: f64,
    cov: f64,
    timeouts: f64,
    expected_timeouts: f64,
    crashes: f64,
    expected_crashes: f64,
}

impl Sums {
    /// One stratum: what this worker has, and what all have together.
    fn add(&mut self, own: Tally, all: Tally) {
        // Who played all games there, or the only one, cannot be compared.
        if own.games == 0 || own.games == all.games {
            return;
        }
        let (n, total) = (own.games as f64, all.games as f64);
        let share = n / total;
        let (wins, draws) = (all.wins as f64, all.draws as f64);
        let spread = n * (total - n) / (total * total * (total - 1.0));
        self.games += n;
        self.others += total - n;
        self.wins += own.wins as f64;
        self.expected_wins += share * wins;
        self.draws += own.draws as f64;
        self.expected_draws += share * draws;
        self.var_wins += spread * wins * (total - wins);
        self.var_draws += spread * draws * (total - draws);
        self.cov -= spread * wins * draws;
        self.timeouts += own.timeouts as f64;
        self.expected_timeouts += share * all.timeouts as f64;
        self.crashes += own.crashes as f64;
        self.expected_crashes += share * all.crashes as f64;
    }

    fn join(&mut self, other: &Self) {
        self.games += other.games;
        self.others += other.others;
        self.wins += other.wins;
        self.expected_wins += other.expected_wins;
        self.draws += other.draws;
        self.expected_draws += other.expected_draws;
        self.var_wins += other.var_wins;
        self.var_draws += other.var_draws;
        self.cov += other.cov;
        self.timeouts += other.timeouts;
        self.expected_timeouts += other.expected_timeouts;
        self.crashes += other.crashes;
        self.expected_crashes += other.expected_crashes;
    }

    /// The statistic, and how likely as much is.
    fn results(&self) -> (f64, f64) {
        let (win, draw) = (self.wins - self.expected_wins, self.draws - self.expected_draws);
        let det = self.var_wins * self.var_draws - self.cov * self.cov;
        if det > 1e-9 * self.var_wins * self.var_draws && det > 0.0 {
            let chi2 = (win * win * self.var_draws - 2.0 * win * draw * self.cov
                + draw * draw * self.var_wins)
                / det;
            return (chi2, libm::exp(-chi2 / 2.0));
        }
        // Two of the three results never happen, or the third follows from them.
        let (difference, variance) =
            if self.var_wins > 0.0 { (win, self.var_wins) } else { (draw, self.var_draws) };
        if variance <= 0.0 {
            return (0.0, 1.0);
        }
        let chi2 = difference * difference / variance;
        (chi2, libm::erfc(libm::sqrt(chi2 / 2.0)))
    }

    fn deviations(&self) -> Vec<Deviation> {
        if self.games < FEW || self.others < FEW {
            return vec![];
        }
        let games = self.games as u64;
        let (chi2, p) = self.results();
        let rare = |aspect, observed, expected| {
            let p = at_least(observed, expected);
            Deviation { aspect, games, observed, expected, chi2: None, p }
        };
        vec![
            Deviation {
                aspect: Aspect::Results,
                games,
                observed: self.wins,
                expected: self.expected_wins,
                chi2: Some(chi2),
                p,
            },
            rare(Aspect::Timeouts, self.timeouts, self.expected_timeouts),
            rare(Aspect::Crashes, self.crashes, self.expected_crashes),
        ]
    }
}

/// How likely a Poisson variable is at least so much: for what is rare, where a chi-squared test would cry at the first one.
fn at_least(observed: f64, expected: f64) -> f64 {
    if observed <= 0.0 {
        return 1.0;
    }
    if expected <= 0.0 {
        return 0.0;
    }
    // From the top, so that a small tail is not lost in one minus nearly one.
    let ln = |k: f64| k * libm::log(expected) - expected - libm::lgamma(k + 1.0);
    let (mut k, mut tail) = (observed, 0.0);
    loop {
        let term = libm::exp(ln(k));
        tail += term;
        if k > expected && term <= tail * 1e-15 {
            return tail.min(1.0);
        }
        k += 1.0;
    }
}

/// What is counted of all workers.
#[derive(Clone, Default, Debug)]
pub struct Comparison<S: Ord> {
    strata: BTreeMap<S, BTreeMap<Name, Tally>>,
    n_cells: usize,
    /// What strata said that are over.
    summed: BTreeMap<Name, Sums>,
}

/// Those who are unlike the others: in what, how far, and how likely that is with all tests together.
pub type Outliers = BTreeMap<(Name, Aspect), (Deviation, f64)>;

impl<S: Ord> Comparison<S> {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self { strata: BTreeMap::new(), n_cells: 0, summed: BTreeMap::new() }
    }

    /// A game of a worker.
    pub fn add(&mut self, stratum: S, worker: &Name, tally: Tally) {
        let workers = self.strata.entry(stratum).or_default();
        if !workers.contains_key(worker) {
            self.n_cells += 1;
        }
        workers.entry(worker.clone()).or_default().add(tally);
        if self.n_cells > MOST_CELLS {
            self.sum_up();
        }
    }

    /// Sums up what was counted: what comes later is compared among itself.
    fn sum_up(&mut self) {
        self.summed = self.sums(&BTreeSet::new());
        self.strata.clear();
        self.n_cells = 0;
    }

    /// What is too much, of all but these.
    fn sums(&self, without: &BTreeSet<Name>) -> BTreeMap<Name, Sums> {
        let mut sums = self.summed.clone();
        sums.retain(|worker, _| !without.contains(worker));
        for workers in self.strata.values() {
            let mut all = Tally::default();
            let of_all = || workers.iter().filter(|(worker, _)| !without.contains(*worker));
            of_all().for_each(|(_, own)| all.add(*own));
            for (worker, own) in of_all() {
                let mut of_stratum = Sums::default();
                of_stratum.add(*own, all);
                sums.entry(worker.clone()).or_default().join(&of_stratum);
            }
        }
        sums
    }

    /// How far each worker is from the others, where there is enough to compare.
    pub fn deviations(&self) -> BTreeMap<Name, Vec<Deviation>> {
        self.deviations_without(&BTreeSet::new())
    }

    fn deviations_without(&self, without: &BTreeSet<Name>) -> BTreeMap<Name, Vec<Deviation>> {
        let sums = self.sums(without).into_iter().map(|(name, sums)| (name, sums.deviations()));
        sums.filter(|(_, deviations)| !deviations.is_empty()).collect()
    }

    /// Who is so unlike the others that it is less likely than the bound, with all tests together (Bonferroni). One at a time, the
    /// most unlikely first, and the rest is compared without it: one that lies makes nobody else look like a liar. Of two alone
    /// nobody can tell which one it is, and both are flagged.
    pub fn outliers(&self, bound: f64) -> Outliers {
        let (mut found, mut without) = (Outliers::new(), BTreeSet::new());
        for _ in 0..MOST_ROUNDS {
            let deviations = self.deviations_without(&without);
            let n_tests = deviations.values().map(Vec::len).sum::<usize>() as f64;
            let all = || {
                let of_worker = |(name, list): (&Name, &Vec<Deviation>)| {
                    list.iter().map(|one| (name.clone(), *one, one.p * n_tests)).collect::<Vec<_>>()
                };
                deviations.iter().flat_map(of_worker)
            };
            let least = all().map(|(.., p)| p).fold(f64::INFINITY, f64::min);
            if least >= bound {
                return found;
            }
            // Equal but for rounding.
            let worst: BTreeSet<Name> =
                all().filter(|(.., p)| *p <= least * (1.0 + 1e-6)).map(|(name, ..)| name).collect();
            let told = all().filter(|(name, _, p)| *p < bound && worst.contains(name));
            found.extend(told.map(|(name, one, p)| ((name, one.aspect), (one, p))));
            without.extend(worst);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    fn tally(games: u64, wins: u64, draws: u64) -> Tally {
        Tally { games, wins, draws, ..Tally::default() }
    }

    fn is_near(value: f64, expected: f64) {
        assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1e-9), "{value} is not {expected}");
    }

    fn of(counts: &[(u8, &str, Tally)], worker: &str, aspect: Aspect) -> Option<Deviation> {
        let mut all = Comparison::new();
        for (stratum, name, tally) in counts {
            all.add(*stratum, &Name::from(*name), *tally);
        }
        let deviations = all.deviations().remove(&Name::from(worker))?;
        deviations.into_iter().find(|deviation| deviation.aspect == aspect)
    }

    #[test]
    fn fault_q12_two_results_are_compared_as_by_hand() {
        // 100 games, 60 wins; ann has 40 games: 24 wins expected, variance 40*60*60*40 / (100^2 * 99) = 5.818182.
        let found = of(&[(1, "ann", tally(40, 30, 0)), (1, "bob", tally(60, 30, 0))], "ann", Aspect::Results);
        let found = found.unwrap();
        is_near(found.expected, 24.0);
        is_near(found.chi2.unwrap(), 6.1875);
        is_near(found.p, 0.012_865_581_3);
    }

    #[test]
    fn fault_q12_three_results_are_compared_as_by_hand() {
        // ann 20/10/10, bob 10/20/30: all 30/30/40 of 100. Differences (8, -2); spread 40*60/(10000*99) = 0.00242424; variances
        // 0.00242424*30*70 = 5.090909 twice, covariance -0.00242424*900 = -2.181818. Determinant 21.15702;
        // (64*5.090909 - 2*8*-2*-2.181818 + 4*5.090909) / 21.15702 = (325.818176 - 69.818176 + 20.363636) / 21.15702.
        let counts = [(1, "ann", tally(40, 20, 10)), (1, "bob", tally(60, 10, 20))];
        let found = of(&counts, "ann", Aspect::Results).unwrap();
        is_near(found.chi2.unwrap(), 13.0625);
        is_near(found.p, (-13.0625_f64 / 2.0).exp());
        // With two workers what one has too much the other has too little.
        is_near(of(&counts, "bob", Aspect::Results).unwrap().chi2.unwrap(), 13.0625);
    }

    #[test]
    fn fault_q12_strata_are_compared_among_themselves_only() {
        // ann has only games that everybody wins, bob only games that nobody does: nothing to compare.
        let apart = [(1, "ann", tally(100, 100, 0)), (2, "bob", tally(100, 0, 0))];
        assert_eq!(of(&apart, "ann", Aspect::Results), None);
        // Mostly so, and in each stratum both are alike.
        let alike = [
            (1, "ann", tally(90, 81, 0)),
            (1, "bob", tally(10, 9, 0)),
            (2, "ann", tally(10, 1, 0)),
            (2, "bob", tally(90, 9, 0)),
        ];
        is_near(of(&alike, "ann", Aspect::Results).unwrap().p, 1.0);
    }

    #[test]
    fn fault_q12_rare_failures_are_judged_by_how_rare_they_are() {
        let fails = |games, crashes| Tally { games, crashes, ..Tally::default() };
        // One crash where 0.5 are expected is nothing: 1 - exp(-0.5).
        let one = [(1, "ann", fails(50, 1)), (1, "bob", fails(50, 0))];
        is_near(of(&one, "ann", Aspect::Crashes).unwrap().p, 0.393_469_34);
        // Ten of 100 where the others have none of 900 are: one is expected. The tail of Poisson(1) from 10 on is 1.1142548e-7.
        let ten = [(1, "ann", fails(100, 10)), (1, "bob", fails(900, 0))];
        let found = of(&ten, "ann", Aspect::Crashes).unwrap();
        assert!(found.p > 1.114e-7 && found.p < 1.115e-7, "{found:?}");
        // And who has fewer is no outlier.
        is_near(of(&ten, "bob", Aspect::Crashes).unwrap().p, 1.0);
    }

    #[test]
    fn too_few_games_say_nothing_and_sums_say_what_was_summed() {
        let few = [(1, "ann", tally(19, 19, 0)), (1, "bob", tally(900, 0, 0))];
        assert_eq!(of(&few, "ann", Aspect::Results), None);
        let mut all = Comparison::new();
        all.add(1, &Name::from("ann"), tally(40, 30, 0));
        all.add(1, &Name::from("bob"), tally(60, 30, 0));
        let before = all.deviations();
        all.sum_up();
        assert_eq!(all.deviations(), before);
        assert_eq!(all.n_cells, 0);
    }

    #[test]
    fn fault_q12_one_that_lies_makes_nobody_else_look_like_a_liar() {
        let mut all = Comparison::new();
        all.add(1, &Name::from("eve"), tally(300, 300, 0));
        for name in ["ann", "bob", "cid"] {
            all.add(1, &Name::from(name), tally(300, 150, 0));
        }
        assert!(all.deviations()["ann"][0].p < 1e-3, "beside eve she looks odd");
        let found = all.outliers(0.001);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&(Name::from("eve"), Aspect::Results)]);
        // Of two alone nobody can tell which one it is.
        let mut two = Comparison::new();
        two.add(1, &Name::from("ann"), tally(100, 50, 0));
        two.add(1, &Name::from("eve"), tally(100, 100, 0));
        assert_eq!(two.outliers(0.001).len(), 2);
        assert!(two.outliers(0.0).is_empty());
    }
}
