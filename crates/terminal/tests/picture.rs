//! The picture of the terminal in the README is a real screen. `cargo xtask bless` rewrites it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;

use common::{Stage, table};
use ratatui::crossterm::event::KeyCode;
use rookery_terminal::Palette;
use rookery_testkit::golden;

#[test]
fn the_picture_is_a_real_screen() {
    let table = table("fish:rows=5,cols=5,players=2,seed=4", &["human", "medium"]);
    let mut stage = Stage::with(table, (84, 24), Palette::Rich);
    // Four penguins each, then three turns, always as the hint says.
    for _ in 0..7 {
        stage.press(KeyCode::Char('h'));
        stage.press(KeyCode::Enter);
    }
    stage.press(KeyCode::Char('h'));
    let picture = common::svg::svg(stage.buffer(), "A game of Fish in the terminal, with a hint");
    roxmltree::Document::parse(&picture).expect("the picture is well formed");
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/terminal.svg"));
    golden::check(path, &picture);
}
