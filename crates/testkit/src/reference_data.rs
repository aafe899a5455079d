//! Where the cases and numbers of other systems are, which are no part of the project.

use std::path::PathBuf;

/// The folder that `ROOKERY_DATA` names while the tests run, or the one beside the project. The latter may not be there: a test
/// that needs it then says that it is skipped.
///
/// # Panics
/// If the folder that is named is not there: whoever names it wants the tests to run.
pub fn reference_data() -> PathBuf {
    let Some(named) = std::env::var_os("ROOKERY_DATA").map(PathBuf::from) else {
        return PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    };
    assert!(named.is_dir(), "ROOKERY_DATA: there is no folder {}", named.display());
    named
}
