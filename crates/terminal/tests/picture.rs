//! The picture of the terminal in the README is a real screen. `cargo xtask bless` rewrites it.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;

use common::Stage;
use ratatui::crossterm::event::KeyCode;
use rookery_terminal::{Depth, Keep, Look, Table, Theme};
use rookery_testkit::golden;

const MOVES: [&str; 14] = [
    "3.4", "4.4", "0.2", "3.1", "1.0", "1.1", "4.0", "2.1", "0.2-2.2", "2.1-4.1", "4.0-3.0", "1.1-0.1",
    "2.2-0.3", "4.4-0.4",
];

fn check(name: &str, title: &str, stage: &Stage, look: Look) {
    let picture = common::svg::svg(stage.buffer(), title, look.theme == Theme::Light);
    roxmltree::Document::parse(&picture).expect("the picture is well formed");
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures"));
    golden::check(&folder.join(format!("{name}.svg")), &picture);
}

#[test]
fn the_pictures_are_real_screens() {
    for (name, look) in [("terminal", Look::DARK), ("terminal-light", Look::LIGHT)] {
        let table = common::table("fish:seed=4", &["Ann=human", "Bob=human"]);
        let mut stage = Stage::with(table, (80, 24), look);
        for mv in MOVES {
            stage.type_text(&format!(":{mv}\n"));
        }
        stage.click_cell("0.3");
        for _ in 0..4 {
            stage.press(KeyCode::Tab);
        }
        check(name, "A game of Fish in the terminal: a penguin is chosen, and where it can go", &stage, look);
    }
    let table = common::table("fish:seed=4", &["Ann=human", "Bob=human"]);
    let mut stage = Stage::with(table, (120, 40), Look::DARK);
    for mv in MOVES {
        stage.type_text(&format!(":{mv}\n"));
    }
    check("terminal-large", "The same game in a larger window", &stage, Look::DARK);
    let table = common::table("renpaarden", &["Ann=human", "Bob=human"]);
    let mut stage = Stage::with(table, (80, 24), Look::LIGHT);
    for mv in ["b2-c4", "b8-c6", "c4-d6", "g8-f6"] {
        stage.type_text(&format!(":{mv}\n"));
    }
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    check("terminal-renpaarden", "A race of horses in the terminal", &stage, Look::LIGHT);
    let table = common::table("four", &["Ann=human", "Bob=human"]);
    let mut stage = Stage::with(table, (80, 24), Look::DARK);
    for mv in ["d", "c", "d", "e", "d", "d", "e", "f", "g", "c", "b", "b"] {
        stage.type_text(&format!(":{mv}\n"));
    }
    check("terminal-four", "Four in a row in the terminal", &stage, Look::DARK);
}

#[test]
fn the_pictures_of_learning_are_real_screens() {
    let table = common::table("hexapawn:rows=4,cols=4", &["Ann=human", "Bob=human"]);
    let mut stage = Stage::with(table, (104, 30), Look::DARK);
    for mv in ["b2", "c3", "c2", "b3", "cxb3", "axb3", "bxc3", "dxc3", "d2", "cxd2", "a2", "bxa2"] {
        stage.type_text(&format!(":{mv}\n"));
    }
    stage.type_text("r");
    check(
        "terminal-review",
        "The review of a game of Hexapawn: a mistake, and what would have been better",
        &stage,
        Look::DARK,
    );
    let mut stage =
        Stage::with(common::table("hexapawn", &["Ann=human", "Bob=human"]), (80, 24), Look::LIGHT);
    stage.type_text("?");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Tab);
    check("terminal-rules", "The rules of Hexapawn, with a board to move on", &stage, Look::LIGHT);
}

/// Writes many screens into the folder of `ROOKERY_PICTURES`, to be looked at.
#[test]
fn pictures_to_look_at() {
    let Some(folder) = std::env::var_os("ROOKERY_PICTURES") else { return };
    let looks = [
        ("dark", Look::DARK),
        ("light", Look::LIGHT),
        ("16", Look { depth: Depth::Sixteen, ..Look::DARK }),
        ("256", Look { depth: Depth::Indexed, ..Look::DARK }),
        ("none", Look::MONO),
        ("ascii", Look { ascii: true, ..Look::DARK }),
    ];
    for (name, spec, n_seats) in [
        ("fish", "fish:seed=4", 2),
        ("fish4", "fish:board=classic,players=4", 4),
        ("hexapawn", "hexapawn", 2),
        ("renpaarden", "renpaarden", 2),
        ("stones", "stones:players=3", 3),
        ("four", "four", 2),
    ] {
        for (look_name, look) in looks {
            for size in [(60, 20), (80, 24), (120, 40)] {
                let players: Vec<&str> =
                    ["human", "random", "random", "random"].into_iter().take(n_seats).collect();
                let mut spec = common::agreed(spec, &players);
                spec.time = "5m+1s".parse().unwrap();
                let table = Table::begin(common::runtime(), spec, &Keep::No).unwrap();
                let mut stage = Stage::with(table, size, look);
                for _ in 0..7 {
                    stage.press(KeyCode::Char('m'));
                    stage.press(KeyCode::Enter);
                }
                stage.type_text(":hint\n");
                stage.press(KeyCode::Tab);
                let picture = common::svg::svg(stage.buffer(), name, look.theme == Theme::Light);
                let file = format!("{name}-{}x{}-{look_name}.svg", size.0, size.1);
                std::fs::write(Path::new(&folder).join(file), picture).unwrap();
            }
        }
    }
}
