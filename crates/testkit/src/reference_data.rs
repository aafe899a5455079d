//! Where the cases and numbers of other systems are, which are no part of the project.

use std::path::PathBuf;

/// The folder that `ROOKERY_DATA` names while the tests run, or the one beside the project. It may not be there: a test that
/// needs it then says that it is skipped.
pub fn reference_data() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    std::env::var_os("ROOKERY_DATA").map_or_else(beside, PathBuf::from)
}
