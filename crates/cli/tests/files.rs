//! What commands read and write, and what they say about files that are not as they should be.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rookery_testkit::TempFolder;

/// Runs it in this folder.
fn rookery(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_solution_is_printed_also_if_its_table_cannot_be_kept() {
    let folder = TempFolder::new("solve");
    symlink("missing", folder.join("nowhere")).unwrap();
    for more in [&[][..], &["--json"]] {
        let args = [&["solve", "hexapawn:rows=3,cols=3", "--db", "nowhere"], more].concat();
        let output = rookery(&folder, &args);
        let (shown, error) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(shown.contains("second player wins in 6") || shown.contains("\"plies\":6"), "{shown}");
        assert!(error.starts_with("error: the table could not be saved as nowhere/hexapawn-303-"), "{error}");
    }
    assert_eq!(rookery(&folder, &["solve", "hexapawn", "--db", "tables"]).status.code(), Some(0));
}
