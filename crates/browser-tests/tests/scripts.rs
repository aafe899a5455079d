//! The scripts of the page without a page: their types, and what they reckon.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rookery_browser_tests::npm;

fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../server").canonicalize().unwrap()
}

fn expect_success(command: &mut Command) {
    let done = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}\n{err}");
}

#[test]
fn the_types_of_all_scripts_are_right() {
    let Some(tsc) = npm("typescript@5.9.3", "typescript/bin/tsc") else { return };
    let files = fs::read_dir(server().join("assets")).unwrap().map(|file| file.unwrap().path());
    let scripts: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "js")).collect();
    assert!(scripts.len() > 10, "they are found: {scripts:?}");
    let mut command = Command::new("node");
    command.arg(tsc).args(["--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals"]);
    command.args(["--target", "es2023", "--module", "esnext", "--moduleResolution", "bundler"]);
    command.args(["--lib", "es2023,dom,dom.iterable"]).args(scripts);
    expect_success(&mut command);
}

#[test]
fn the_scripts_reckon_right() {
    if Command::new("node").arg("--version").output().is_err() {
        rookery_testkit::tell_skipped("the tests of the scripts: there is no node");
        return;
    }
    expect_success(Command::new("node").arg("--test").arg(server().join("tests/page/moves.test.mjs")));
}
