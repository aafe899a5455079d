//! The tests of the store: one suite on both engines, and its faults by their IDs.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "children speak by it, and cases are named")]

mod bundles;
#[cfg(target_os = "linux")]
mod child;
mod common;
mod damage;
mod faults;
mod figures;
#[cfg(target_os = "linux")]
mod kill;
#[cfg(all(feature = "cluster", target_os = "linux"))]
mod postgres;
mod sqlite;
mod suite;
mod together;
