//! How fast this machine is: a short game of built-in players that is the same everywhere, measured by processor time.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use rookery_arena::SingleGame;
use rookery_referee::MatchSpec;
use rookery_rules::Seed;

/// What is played: some ten thousand positions, the same ones on every machine, so that it takes long enough to be measured.
const GAME: &str = "stones:rows=5,cols=5";
const PLAYERS: [&str; 2] = ["level:6", "level:6"];
const MOST_TURNS: u64 = 12;
/// How often; the quickest counts, for whatever else delays us only makes it slower.
const TIMES: usize = 3;

/// How many thousandths of such a game a second of processor time is good for. `None` where the time of a thread is not known.
pub fn speed() -> Option<u32> {
    let quickest = (0..TIMES).map(|_| once()).min_by_key(|time| time.unwrap_or(Duration::MAX))??;
    let seconds = quickest.as_secs_f64().max(1e-6);
    Some((1000.0 / seconds).min(f64::from(u32::MAX)) as u32)
}

fn once() -> Option<Duration> {
    let spec = MatchSpec::new(GAME, PLAYERS, Seed(16)).ok()?;
    let spec = MatchSpec { max_turns: Some(MOST_TURNS), ..spec };
    let game = SingleGame::new(spec, false, Arc::new(AtomicU64::new(0))).ok()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
    let begun = processor_time()?;
    // Without a clock built-in players think on this thread.
    runtime.block_on(game.play()).ok()??;
    processor_time()?.checked_sub(begun)
}

/// What this thread has used.
fn processor_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?);
    Some(Duration::new(seconds, nanos))
}

/// How fast a machine is beside the one in the middle of all, whose speeds are in order.
pub fn beside_median(speed: u32, all: &[u32]) -> Option<f64> {
    let median = *all.get(all.len() / 2)?;
    (median > 0).then(|| f64::from(speed) / f64::from(median))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    #[test]
    fn a_machine_has_a_speed_and_is_compared_with_the_one_in_the_middle() {
        assert!(speed().unwrap() > 0);
        assert_eq!(beside_median(50, &[50, 100, 400]), Some(0.5));
        assert_eq!(beside_median(100, &[100]), Some(1.0));
        assert_eq!(beside_median(7, &[]), None);
    }
}
