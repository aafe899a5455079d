//! Thousands of simulated matches, each twice: alone, and among others that started in another order.
//!
//! A failure prints the command that shows it again.

use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::Path;

use rookery_testkit::sim::{self, Report, alone, together};

/// How many matches run at the same time.
const BATCH: u64 = 40;

fn fail(seed: u64, why: &str) -> ! {
    panic!(
        "{why}\nto see it again: SIM_SEED={seed:#x} cargo nextest run -p rookery-testkit --test sim one_seed"
    )
}

fn checked(seed: u64) -> Report {
    catch_unwind(|| alone(seed))
        .unwrap_or_else(|_| fail(seed, "a simulated match broke an invariant (above)"))
}

/// Plays a range of seeds, and says how often each cause of an end occurred.
fn simulate(seeds: std::ops::Range<u64>) -> BTreeMap<&'static str, u32> {
    let mut causes = BTreeMap::new();
    let mut batches = seeds.clone().step_by(BATCH as usize).enumerate();
    batches.by_ref().for_each(|(idx, first)| {
        let batch: Vec<u64> = (first..(first + BATCH).min(seeds.end)).collect();
        let reports: Vec<Report> = batch.iter().map(|&seed| checked(seed)).collect();
        let again = together(&batch, idx % 2 == 0);
        for ((&seed, report), again) in batch.iter().zip(&reports).zip(&again) {
            if report.seen() != again.seen() {
                fail(seed, &format!("alone {report:?}, among {} others {again:?}", BATCH - 1));
            }
            *causes.entry(report.cause).or_default() += 1;
        }
    });
    causes
}

// Several tests, so that they run on several cores.
#[test]
fn first_seeds() {
    let causes = simulate(0..10_000);
    // All kinds of ends occur: the simulation does what it is meant to.
    for cause in [
        "normal",
        "resigned",
        "timeout",
        "disconnected",
        "malformed",
        "illegal_move",
        "out_of_turn",
        "output_limit",
        "platform_abort",
    ] {
        assert!(causes.get(cause).is_some_and(|&n| n >= 10), "{cause} occurs: {causes:?}");
    }
}

#[test]
fn second_seeds() {
    simulate(10_000..20_000);
}

#[test]
fn third_seeds() {
    simulate(20_000..30_000);
}

#[test]
fn fourth_seeds() {
    simulate(30_000..40_000);
}

/// Some of them with real programs behind real pipes.
#[test]
fn with_programs() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let bot = Path::new(env!("CARGO_BIN_EXE_sim-bot"));
    let mut causes = BTreeMap::<_, u32>::new();
    for seed in 0..150 {
        let report = runtime.block_on(sim::with_programs(seed, bot));
        *causes.entry(report.cause).or_default() += 1;
    }
    for cause in ["normal", "resigned", "crashed", "malformed", "illegal_move", "out_of_turn", "output_limit"]
    {
        assert!(causes.contains_key(cause), "{cause} occurs: {causes:?}");
    }
}

/// One match, given in the environment variable `SIM_SEED`, twice.
#[test]
fn one_seed() {
    let text = std::env::var("SIM_SEED").unwrap_or_else(|_| "0x7".to_owned());
    let seed = text.strip_prefix("0x").map_or_else(|| text.parse(), |hex| u64::from_str_radix(hex, 16));
    let seed = seed.unwrap_or_else(|_| panic!("SIM_SEED is a number such as 0x7, not {text:?}"));
    let report = alone(seed);
    assert_eq!(report, alone(seed), "the same seed gives the same match");
    assert_eq!(report.seen(), together(&[seed], false)[0].seen());
}
