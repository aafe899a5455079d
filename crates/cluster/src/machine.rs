//! How this machine does: how fast it is, and whether others use it so much that clocks would be unfair.

use std::time::Instant;

/// Above so much of the processors' time that other guests of the host have taken, clocks are unfair.
const MOST_STEAL: f64 = 0.05;
/// With so many tasks that want to run for each core, beyond what our games and the cores account for, they are unfair as well.
const MOST_LOAD: f64 = 0.5;

/// Processor time of a machine since it started, in ticks: all of it, and what its host gave to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticks {
    /// All.
    pub total: u64,
    /// Stolen.
    pub steal: u64,
}

impl Ticks {
    /// From the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user.
    pub fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).take(8).collect();
        let steal = *ticks.get(7)?;
        Some(Self { total: ticks.iter().sum(), steal })
    }

    /// The share that was stolen since an earlier look.
    pub fn stolen_since(self, before: Self) -> Option<f64> {
        let total = self.total.checked_sub(before.total).filter(|total| *total > 0)?;
        Some(self.steal.saturating_sub(before.steal) as f64 / total as f64)
    }
}

/// How many tasks wanted to run over the last minute, from `/proc/loadavg`.
pub fn parse_load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok().filter(|load: &f64| load.is_finite())
}

/// What was seen of the machine.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Condition {
    /// Tasks that want to run, over the last minute.
    pub load: Option<f64>,
    /// The share of processor time that others have taken, since the look before.
    pub steal: Option<f64>,
}

impl Condition {
    /// Why clocks would be unfair now, if they would: with so many cores, and so many games of our own.
    pub fn overload(self, cores: usize, own: usize) -> Option<String> {
        if let Some(steal) = self.steal.filter(|steal| *steal > MOST_STEAL) {
            let percent = 100.0 * steal;
            return Some(format!(
                "no games with clocks now: the host of this machine takes {percent:.0} % of its processor time away"
            ));
        }
        let most = own.max(cores) as f64 + MOST_LOAD * cores as f64;
        let load = self.load?;
        (load > most).then(|| {
            format!("no games with clocks now: {load:.1} tasks want to run on {cores} cores, {own} of them our games")
        })
    }
}

/// Looks at the machine now and then.
#[derive(Debug)]
pub(crate) struct Watch {
    cores: usize,
    ticks: Option<Ticks>,
    looked_at: Option<Instant>,
    condition: Condition,
}

impl Watch {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cores, ticks: system::ticks(), looked_at: None, condition: Condition::default() }
    }

    /// Looks again, if the last look is long ago.
    pub(crate) fn look(&mut self) {
        if self.looked_at.is_some_and(|at| at.elapsed() < LOOK) {
            return;
        }
        let ticks = system::ticks();
        let steal = ticks.zip(self.ticks).and_then(|(now, before)| now.stolen_since(before));
        self.condition = Condition { load: system::load(), steal: steal.or(self.condition.steal) };
        (self.ticks, self.looked_at) = (ticks, Some(Instant::now()));
    }

    /// Why no game with clocks is begun now, if none is.
    pub(crate) fn overload(&self, own: usize) -> Option<String> {
        self.condition.overload(self.cores, own)
    }

    pub(crate) fn condition(&self) -> Condition {
        self.condition
    }
}

/// How often it is looked at.
const LOOK: std::time::Duration = std::time::Duration::from_secs(2);

#[cfg(target_os = "linux")]
mod system {
    use super::{Ticks, parse_load};

    pub(super) fn ticks() -> Option<Ticks> {
        Ticks::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    pub(super) fn load() -> Option<f64> {
        parse_load(&std::fs::read_to_string("/proc/loadavg").ok()?)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Nothing is known, and so nothing refused.
    pub(super) fn ticks() -> Option<super::Ticks> {
        None
    }

    pub(super) fn load() -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    #[test]
    fn steal_is_read_from_the_systems_own_counts() {
        let before = Ticks::parse("cpu  100 0 50 800 10 0 0 40 0 0\ncpu0 1 2 3\n").unwrap();
        assert_eq!(before, Ticks { total: 1000, steal: 40 });
        let after = Ticks::parse("cpu  150 0 60 860 10 0 0 120 7 7\n").unwrap();
        assert_eq!(after.stolen_since(before), Some(0.4), "80 of 200");
        assert_eq!(after.stolen_since(after), None, "no time has passed");
        for wrong in ["", "cpu0 1 2 3 4 5 6 7 8", "cpu  1 2 3", "cpu  a b c d e f g h"] {
            assert_eq!(Ticks::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(parse_load("1.50 0.70 0.30 2/300 1234\n"), Some(1.5));
        assert_eq!((parse_load(""), parse_load("nan")), (None, None));
    }

    #[test]
    fn a_machine_that_others_use_begins_no_games_with_clocks() {
        let with = |load: f64, steal: f64| Condition { load: Some(load), steal: Some(steal) };
        assert_eq!(with(4.0, 0.0).overload(4, 4), None, "our own games are no load of others");
        assert_eq!(with(1.0, 0.04).overload(4, 0), None);
        assert!(with(0.0, 0.06).overload(4, 0).unwrap().contains("6 %"));
        assert!(with(6.5, 0.0).overload(4, 4).unwrap().contains("6.5 tasks"));
        assert!(with(6.5, 0.0).overload(4, 0).is_some());
        assert_eq!(Condition::default().overload(1, 1), None, "where nothing is known nothing is refused");
        #[cfg(target_os = "linux")]
        {
            let mut watch = Watch::new();
            watch.look();
            assert!(watch.condition().load.is_some(), "it is there on Linux");
        }
    }
}
