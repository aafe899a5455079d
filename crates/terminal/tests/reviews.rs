//! What is learnt on the full screen: the review after a match, results, hints that get better, rules with boards to move on.
//! `cargo xtask bless` rewrites the files in `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{Stage, agreed, runtime, table};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode};
use rookery_catalog::CATALOG;
use rookery_terminal::run::Screen;
use rookery_terminal::{App, Depth, Keep, Leave, Look, RulesScreen, Table};
use rookery_testkit::{TempFolder, golden};

#[track_caller]
fn golden(name: &str, stage: &Stage) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join(format!("{name}.txt")), &stage.text());
}

/// A short game in which the second player gives the win away, and then the first one does.
const GAME: [&str; 4] = ["a2", "c2", "bxc2", "b3xc2"];

fn played(size: (u16, u16), look: Look) -> Stage {
    let mut stage = Stage::with(table("hexapawn:rows=3,cols=3", &["Ann=human", "Bob=human"]), size, look);
    for mv in GAME {
        stage.type_text(&format!(":{mv}\n"));
    }
    stage
}

#[test]
fn a_match_that_is_over_is_reviewed_move_by_move() {
    let mut stage = played((80, 24), Look::MONO);
    stage.shows("r: review");
    stage.type_text("r");
    golden("review", &stage);
    stage.shows("The decisive moment.");
    stage.shows("Better: ");
    // From its first move to its end and back.
    stage.press(KeyCode::Home);
    stage.shows("review, move 1 of 4");
    stage.press(KeyCode::Right);
    stage.shows("review, move 2 of 4");
    stage.press(KeyCode::End);
    stage.shows("review, the end");
    stage.shows("Accuracy: Ann ");
    stage.press(KeyCode::Left);
    stage.shows("review, move 4 of 4");
    // All mistakes in a list, of which one is chosen.
    stage.type_text("m");
    stage.shows("Mistakes, the largest first");
    stage.press(KeyCode::Enter);
    stage.shows("Better: ");
    stage.type_text("?");
    stage.shows("play on from here");
    stage.press(KeyCode::Esc);
    stage.press(KeyCode::Esc);
    stage.shows("n: a new match");
    assert_eq!(stage.moves().len(), GAME.len(), "nothing has happened to the match");
}

#[test]
fn a_review_is_drawn_in_every_window_and_look() {
    for (name, look) in [
        ("dark", Look::DARK),
        ("light", Look::LIGHT),
        ("16", Look { depth: Depth::Sixteen, ..Look::DARK }),
        ("ascii", Look { ascii: true, ..Look::DARK }),
        ("none", Look::MONO),
    ] {
        let mut stage = played((120, 40), look);
        stage.type_text("r");
        if name == "none" {
            golden("review-large", &stage);
        }
        assert!(!look.ascii || stage.text().is_ascii(), "{}", stage.text());
        for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12), (10, 3)] {
            stage.resize(width, height);
        }
        stage.resize(60, 20);
        stage.shows("Better: ");
    }
}

#[test]
fn who_reviews_can_play_on_from_there() {
    let mut stage = played((80, 24), Look::MONO);
    stage.type_text("r");
    stage.press(KeyCode::Home);
    stage.press(KeyCode::Right);
    stage.type_text("p");
    stage.shows("A new match goes on from here.");
    assert!(stage.app.table().is_live());
    assert_eq!(stage.moves(), ["a1-a2"]);
    stage.type_text(":bxa2\n");
    assert_eq!(stage.moves().len(), 2);
    stage.type_text("r");
    stage.shows("The review comes when the match is over.");
}

#[test]
fn a_record_of_computers_is_reviewed_and_played_on_by_whoever_was_to_move() {
    let dir = TempFolder::new("watched");
    let kept = dir.join("kept.rookery.jsonl");
    let game = rookery_rules::GameSpec::parse("hexapawn:rows=3,cols=3").unwrap();
    let record = rookery_live::random_record(&game, rookery_rules::Seed(3)).unwrap();
    let path = dir.join("one.rookery.jsonl");
    fs::write(&path, &record).unwrap();
    let look_at = || Table::look(runtime(), &path, |_| Keep::Near(kept.clone())).unwrap();
    let now = Instant::now();
    let app = App::watching(look_at(), Duration::from_secs(1), Look::MONO, now);
    let mut stage = Stage::of(app, (80, 24), now);
    stage.type_text("r");
    stage.shows("review, move");
    stage.press(KeyCode::End);
    stage.type_text("p");
    stage.shows("The game is over here");
    stage.press(KeyCode::Home);
    stage.type_text("p");
    stage.shows("A new match goes on from here.");
    assert!(stage.app.table().person_to_move().is_some() && !stage.app.is_watching());
    assert_eq!(stage.app.table().record(), Some(&*kept));
    assert_eq!(fs::read(&path).unwrap(), record, "the record stays as it was");
}

#[test]
fn a_review_is_kept_with_its_record() {
    let dir = TempFolder::new("kept-review");
    let record = dir.join("hexapawn.rookery.jsonl");
    let spec = agreed("hexapawn:rows=3,cols=3", &["Ann=human", "Bob=human"]);
    let begun = Table::begin(runtime(), spec, &Keep::Near(record.clone())).unwrap();
    let table = begun.keeping_reviews(|record, review| {
        fs::write(record.with_extension("told"), review.moves.len().to_string())
            .map_err(|error| error.to_string())
    });
    let mut stage = Stage::with(table, (80, 24), Look::MONO);
    for mv in GAME {
        stage.type_text(&format!(":{mv}\n"));
    }
    stage.type_text("r");
    assert_eq!(fs::read_to_string(record.with_extension("told")).unwrap(), "4");
}

#[test]
fn a_review_can_be_stopped() {
    let table = table("fish:rows=5,cols=5", &["Ann=human", "Bob=human"]);
    let mut stage = Stage::with(table, (80, 24), Look::MONO);
    while stage.moves().len() < 8 {
        stage.press(KeyCode::Tab);
        stage.press(KeyCode::Enter);
    }
    stage.type_text("Ry");
    stage.app.update(&Event::Key(KeyCode::Char('r').into()));
    stage.draw();
    stage.shows("Review: [");
    stage.press(KeyCode::Esc);
    stage.shows("The review was stopped.");
}

#[test]
fn the_end_of_a_match_tells_what_it_changed() {
    let dir = TempFolder::new("results");
    let begin = || {
        let spec = agreed("hexapawn:rows=3,cols=3", &["human", "first"]);
        let near = Keep::Near(dir.join("hexapawn.rookery.jsonl"));
        Stage::with(Table::begin(runtime(), spec, &near).unwrap(), (80, 24), Look::MONO)
    };
    let mut stage = begin();
    stage.type_text("Ry");
    stage.shows("You against first: 0 won, 1 lost. The first match against it.");
    stage.shows("n: a new match   u: take it back   r: review   q: leave");
    drop(stage);
    let mut stage = begin();
    stage.type_text("Ry");
    stage.shows("You against first: 0 won, 2 lost. Before: 0 won, 1 lost.");
    // A match that is only looked at has changed nothing.
    let path = stage.app.table().record().unwrap().to_owned();
    drop(stage);
    let again = Stage::with(Table::resume(runtime(), &path).unwrap(), (80, 24), Look::MONO);
    assert!(!again.text().contains("You against"), "{}", again.text());
}

#[test]
fn a_hint_gets_better_until_the_position_changes() {
    let mut stage = Stage::new("four", &["human", "first"]);
    stage.type_text("h");
    stage.shows("Hint: ");
    assert!(stage.app.table().is_hinting(), "nobody has solved this at once");
    // Who looks elsewhere is left alone, and asks again.
    let first = stage.app.table().best_hint().unwrap().clone();
    stage.press(KeyCode::Left);
    stage.type_text("h");
    stage.shows("Hint: ");
    assert!(!first.reason.is_empty());
    stage.press(KeyCode::Esc);
    stage.type_text(":a\n");
    assert!(!stage.app.table().is_hinting() && stage.app.table().best_hint().is_none());
    assert_eq!(stage.moves().len(), 2);
}

#[test]
fn what_is_proved_is_told_as_such_and_ends_the_thinking() {
    let mut stage = Stage::new("hexapawn:rows=3,cols=3", &["human", "first"]);
    stage.type_text("h");
    for _ in 0..1000 {
        if !stage.app.table().is_hinting() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        stage.settle();
    }
    stage.shows("(proved)");
    assert!(!stage.app.table().is_hinting());
}

#[test]
fn people_at_one_table_talk_by_name() {
    let mut stage = Stage::new("fish", &["Ann=human", "Bob=human"]);
    stage.type_text("c");
    stage.shows("Enter says it");
    stage.type_text("Hello!\n");
    stage.type_text(":say bob: And to you.\n");
    for _ in 0..1000 {
        if stage.moves().len() >= 2 {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        stage.settle();
    }
    let table = stage.app.table();
    let said: Vec<String> = table.history().iter().map(|entry| table.told(entry)).collect();
    assert_eq!(said, ["Player 1 (Ann): Hello!", "Player 2 (Bob): And to you."]);
}

#[test]
fn the_rules_have_boards_to_move_on() {
    let mut stage = Stage::new("hexapawn", &["human", "first"]);
    stage.type_text("c2\n?");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Tab);
    golden("rules-boards", &stage);
    stage.shows("> Board 2: player 2 to move");
    stage.press(KeyCode::Enter);
    stage.shows("a board of the rules");
    golden("rules-trial", &stage);
    stage.type_text(":a3xb2\n");
    stage.shows("a3xb2");
    stage.type_text("n");
    assert!(!stage.text().contains("a3xb2"), "once more:\n{}", stage.text());
    stage.press(KeyCode::Esc);
    stage.shows("> Board 2: player 2 to move");
    stage.press(KeyCode::Esc);
    assert_eq!(stage.moves().len(), 2, "the match has not noticed");
}

/// A rules page on a screen in memory.
fn page(screen: &mut RulesScreen, keys: &[KeyCode], size: (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    for key in keys {
        screen.update(&Event::Key((*key).into()));
        screen.tick(Instant::now());
        terminal.draw(|frame| screen.draw(frame)).unwrap();
    }
    let buffer = terminal.backend().buffer().clone();
    let rows = buffer.area.rows().map(|row| {
        let line: String = row.columns().map(|cell| buffer[(cell.x, cell.y)].symbol()).collect();
        line.trim_end().to_owned() + "\n"
    });
    rows.collect()
}

#[test]
fn every_board_of_every_rules_page_can_be_tried() {
    for (&game, size) in CATALOG.iter().zip([(60, 20), (80, 24), (120, 40)].into_iter().cycle()) {
        let mut screen = RulesScreen::new(game, runtime(), Look::DARK);
        for number in 1..=2 {
            let shown = page(&mut screen, &[KeyCode::Tab], size);
            assert!(shown.contains(&format!("> Board {number}")), "{shown}");
            let shown = page(&mut screen, &[KeyCode::Enter], size);
            assert!(shown.contains("a board of the rules") && shown.contains("move 1"), "{shown}");
            // The first move of the list is made. The match behind it takes a moment to ask, and to answer.
            let patience = Instant::now() + Duration::from_mins(1);
            for (key, expected) in [(KeyCode::Char('m'), "Which move?"), (KeyCode::F(9), "move 2")] {
                while !page(&mut screen, &[key], size).contains(expected) {
                    assert!(Instant::now() < patience, "{}: {expected}", game.name());
                    std::thread::sleep(Duration::from_millis(5));
                }
                page(&mut screen, &[KeyCode::Enter], size);
            }
            page(&mut screen, &[KeyCode::Char('q')], size);
            assert!(screen.leave().is_none());
        }
        for size in [(20, 5), (1, 1)] {
            page(&mut screen, &[KeyCode::Down, KeyCode::End, KeyCode::Home], size);
        }
        page(&mut screen, &[KeyCode::Char('q')], size);
        assert_eq!(screen.leave(), Some(Leave::Quit));
    }
}
