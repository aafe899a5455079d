//! Boards that a window hardly holds, or does not hold. `cargo xtask bless` rewrites the files in `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;

use common::{Stage, table};
use ratatui::crossterm::event::KeyCode;
use rookery_terminal::Look;
use rookery_testkit::golden;

#[track_caller]
fn golden(name: &str, stage: &Stage) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join(format!("{name}.txt")), &stage.text());
}

#[test]
fn a_part_of_a_large_board_follows_the_cursor() {
    for (name, spec) in [
        ("fish", "fish:board=classic"),
        ("hexapawn", "hexapawn:rows=8,cols=8"),
        ("renpaarden", "renpaarden"),
        ("stones", "stones:rows=16,cols=16"),
    ] {
        let small = || Stage::with(table(spec, &["human", "human"]), (44, 13), Look::MONO);
        golden(&format!("part-{name}"), &small());
        for size in [(37, 11), (44, 13), (80, 13), (38, 14)] {
            let mut stage = Stage::with(table(spec, &["human", "human"]), size, Look::MONO);
            stage.shows("PgUp/PgDn/</> board");
            for key in [KeyCode::Right, KeyCode::Down, KeyCode::Left, KeyCode::Up, KeyCode::Tab] {
                for _ in 0..20 {
                    stage.press(key);
                    // Also the sign of its right edge, so that all of the cell is seen.
                    let shown = stage.text();
                    let cursor = shown
                        .lines()
                        .any(|line| line.split_once('[').is_some_and(|(_, rest)| rest.contains(']')));
                    assert!(cursor, "{spec}: {key:?}\n{shown}");
                }
            }
        }
        // A move can be made there.
        let mut stage = small();
        while stage.moves().is_empty() {
            stage.press(KeyCode::Tab);
            stage.press(KeyCode::Enter);
        }
    }
}

/// Stones 16 x 16 takes 51 columns, and the list beside it 23.
#[test]
fn the_list_of_moves_gives_way_where_only_that_keeps_the_board_whole() {
    let spec = "stones:rows=16,cols=16";
    for (width, has_list) in [(70, false), (71, false), (72, false), (73, false), (74, true), (75, true)] {
        let stage = Stage::with(table(spec, &["human", "human"]), (width, 24), Look::MONO);
        let shown = stage.text();
        assert!(!shown.contains("PgUp/PgDn"), "{width} columns show all of the board:\n{shown}");
        assert_eq!(shown.contains("Moves"), has_list, "{width} columns:\n{shown}");
    }
    // Too high a board is not whole without the list either.
    let stage = Stage::with(table(spec, &["human", "human"]), (73, 18), Look::MONO);
    stage.shows("PgUp/PgDn");
    stage.shows("Moves");
}

#[test]
fn a_large_board_is_moved_by_keys_clicks_and_the_wheel() {
    let spec = "stones:rows=16,cols=16";
    let mut stage = Stage::with(table(spec, &["human", "human"]), (50, 15), Look::MONO);
    let has = |stage: &Stage, sign: &str| stage.text().lines().any(|line| line.contains(sign));
    let start = stage.text();
    for _ in 0..20 {
        stage.press(KeyCode::PageDown);
    }
    assert!(has(&stage, "^ PgUp ^") && !has(&stage, "v PgDn v"), "{}", stage.text());
    for _ in 0..20 {
        stage.press(KeyCode::PageUp);
    }
    assert!(!has(&stage, "^ PgUp ^") && has(&stage, "v PgDn v"), "{}", stage.text());
    let at_top = stage.text();
    let (x, y) = stage.find("v PgDn v");
    stage.click(x, y);
    assert!(has(&stage, "^ PgUp ^"), "{}", stage.text());
    stage.wheel(false);
    assert_eq!(stage.text(), at_top);
    stage.press(KeyCode::Char('>'));
    assert_ne!(stage.text(), at_top);
    stage.press(KeyCode::Char('<'));
    assert_eq!(stage.text(), at_top);
    assert_eq!(stage.moves().len(), 0, "nothing was played");
    // The next step of the cursor brings it back.
    stage.press(KeyCode::Right);
    stage.press(KeyCode::Left);
    assert_eq!(stage.text().contains('['), start.contains('['), "{}", stage.text());
}
