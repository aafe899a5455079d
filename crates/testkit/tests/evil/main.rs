//! Every fault that a bot can commit, over every transport: how the match ends, whose fault it is, what the evidence says,
//! and that nothing is left of it. Names carry the fault they cover.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod answers;
mod check;
mod host;
mod ours;
mod processes;
mod run;

use rookery_testkit::evil::{Way, modes};

/// A mode that has no test would not be noticed.
#[test]
fn every_mode_is_tested_on_every_transport_it_knows() {
    let tested = [answers::TESTED, processes::TESTED].concat();
    for mode in modes() {
        for way in mode.ways {
            let is_tested =
                |(name, over): &(&str, check::Over)| *name == mode.name && over.iter().any(|(w, _)| w == way);
            assert!(tested.iter().any(is_tested), "{} over {way:?}", mode.name);
        }
    }
    for (name, over) in tested {
        let mode = modes().find(|mode| mode.name == name);
        let ways: &[Way] = mode.unwrap_or_else(|| panic!("{name} is no mode")).ways;
        assert!(over.iter().all(|(way, _)| ways.contains(way)), "{name}");
    }
}
