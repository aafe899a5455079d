//! The pictures in `docs/pictures` are what the commands in `docs/rules` draw, to the letter. `cargo xtask bless`
//! rewrites them.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rookery_catalog::CATALOG;
use rookery_testkit::golden;

fn rookery(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery")).args(args).output().unwrap()
}

/// The words of a command, of which those in quotes may have spaces.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(idx, part)| if idx % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

#[test]
fn the_commands_of_the_rules_pages_draw_the_pictures() {
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    let dir = folder();
    for game in CATALOG {
        let name = game.name();
        let command =
            game.rules().split("```sh\nrookery ").nth(1).and_then(|rest| rest.split("\n```").next());
        let command =
            command.unwrap_or_else(|| panic!("docs/rules/{name}.md shows how its picture is drawn"));
        let link = format!("](../pictures/{name}.svg)");
        assert!(game.rules().contains(&link), "docs/rules/{name}.md shows its picture");

        let drawn = dir.join(format!("{name}.svg"));
        let in_docs = format!("docs/pictures/{name}.svg");
        let drawn_text = drawn.to_str().unwrap();
        let args: Vec<&str> =
            words(command).into_iter().map(|word| if word == in_docs { drawn_text } else { word }).collect();
        let output = rookery(&args);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let picture = fs::read_to_string(&drawn).unwrap();
        assert!(picture.len() < 20_000, "{name}: {} bytes are a large picture", picture.len());
        golden::check(&docs.join(format!("pictures/{name}.svg")), &picture);
    }
}

/// A folder for this test, in the build folder.
fn folder() -> std::path::PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn a_picture_that_cannot_be_written_is_an_error() {
    let output = rookery(&["show", "fish", "--svg", "/no/such/folder/fish.svg"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.starts_with("error: the picture could not be written to /no/such/folder/fish.svg: "),
        "{error}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_finished_position_is_no_flag() {
    let output = rookery(&["show", "fish", "--position", "- 1a05c/2b2c3a/02b0/2b1a1c/000 6,3,0"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
