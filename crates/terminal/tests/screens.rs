//! What the full screen shows and what keys do to it, on a screen in memory. `cargo xtask bless` rewrites the files in
//! `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{Stage, load, sitting};
use ratatui::crossterm::event::KeyCode;
use rookery_catalog::{MatchOrder, sit};
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::run::Screen;
use rookery_terminal::{App, Leave, Palette, Table};
use rookery_testkit::{TempFolder, golden};

#[track_caller]
fn golden(name: &str, stage: &Stage) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join(format!("{name}.txt")), &stage.text());
}

/// A folder for one test, empty at the start.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screens").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn every_game_fits_into_80_by_24() {
    for (name, spec) in [
        ("fish", "fish:seed=2,players=3"),
        ("fish-classic", "fish:board=classic,players=4"),
        ("hexapawn", "hexapawn:rows=8,cols=8"),
        ("renpaarden", "renpaarden"),
        ("stones", "stones:players=4"),
        ("stones-large", "stones:rows=16,cols=16,players=4"),
    ] {
        let n_seats = rookery_catalog::start(spec).unwrap().n_seats();
        let players: Vec<&str> = ["human", "first", "first", "first"].into_iter().take(n_seats).collect();
        for palette in [Palette::Mono, Palette::Rich] {
            let mut stage = Stage::with(sitting(spec, &players), (80, 24), palette);
            for _ in 0..6 {
                stage.press(KeyCode::Tab);
                stage.press(KeyCode::Enter);
            }
            if palette == Palette::Mono {
                golden(name, &stage);
            }
            stage.shows("q quit");
        }
    }
}

#[test]
fn larger_windows_have_larger_boards() {
    let large = Stage::with(sitting("fish", &["human", "first"]), (130, 45), Palette::Mono);
    golden("fish-large", &large);
}

#[test]
fn any_size_is_drawn_without_a_crash() {
    let mut stage = Stage::new("hexapawn", &["human", "first"]);
    for width in (1..100).step_by(7) {
        for height in 1..40 {
            stage.resize(width, height);
        }
    }
    stage.resize(60, 8);
    golden("too-small", &stage);
    stage.press(KeyCode::Char('?'));
    for (width, height) in [(80, 24), (20, 5), (1, 1)] {
        stage.resize(width, height);
    }
}

#[test]
fn a_part_of_a_large_board_follows_the_cursor() {
    for (name, spec) in [
        ("fish", "fish:board=classic"),
        ("hexapawn", "hexapawn:rows=8,cols=8"),
        ("renpaarden", "renpaarden"),
        ("stones", "stones:rows=16,cols=16"),
    ] {
        let small = || Stage::with(sitting(spec, &["human", "human"]), (44, 13), Palette::Mono);
        golden(&format!("part-{name}"), &small());
        for size in [(37, 11), (44, 13), (80, 13), (44, 24)] {
            let mut stage = Stage::with(sitting(spec, &["human", "human"]), size, Palette::Mono);
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

#[test]
fn a_large_board_is_moved_by_keys_clicks_and_the_wheel() {
    let spec = "stones:rows=16,cols=16";
    let mut stage = Stage::with(sitting(spec, &["human", "human"]), (50, 15), Palette::Mono);
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

#[test]
fn a_match_that_is_watched_shows_its_last_move() {
    let now = Instant::now();
    let table = Table::new(sitting("stones:rows=16,cols=16", &["first", "random"]), None, now);
    let app = App::watching(table, Duration::from_secs(1), true, Palette::Mono, now);
    let mut stage = Stage::of(app, (40, 12), now);
    for _ in 0..20 {
        stage.wait(Duration::from_secs(1));
        assert!(stage.text().contains('\''), "the mark of the last move is seen\n{}", stage.text());
    }
    stage.press(KeyCode::Char(' '));
    let before = stage.text();
    for _ in 0..9 {
        stage.press(KeyCode::PageDown);
    }
    stage.press(KeyCode::PageUp);
    assert_ne!(stage.text(), before, "keys move the board where there is no cursor");
}

#[test]
fn arrows_and_enter_make_a_move() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.shows("Cursor: d1, pawn of player 1");
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Enter);
    golden("selected", &stage);
    stage.press(KeyCode::Up);
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves().len(), 0, "a pawn does not stay");
    stage.press(KeyCode::Enter);
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves().len(), 2);
    assert_eq!(stage.moves()[0], "c1-c2");
}

#[test]
fn escape_lets_go_of_a_piece_and_strange_targets_are_explained() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.press(KeyCode::Enter);
    stage.shows("(       )");
    stage.press(KeyCode::Esc);
    assert!(!stage.text().contains("(       )"), "{}", stage.text());
    stage.press(KeyCode::Enter);
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Enter);
    stage.shows("No move from d1 to b2");
    assert_eq!(stage.moves().len(), 0);
}

#[test]
fn typed_moves_may_begin_with_the_letter_of_a_command() {
    let mut stage = Stage::new("hexapawn:rows=8,cols=8", &["human", "first"]);
    stage.type_text("h");
    stage.shows("press Enter for a hint");
    stage.type_text("2\n");
    assert_eq!(stage.moves()[0], "h1-h2");
    stage.type_text("h\n");
    stage.shows("Hint: ");
    stage.type_text("q9\n");
    stage.press(KeyCode::Esc);
    stage.type_text(":undo\n");
    assert_eq!(stage.moves().len(), 0, "words work, too");
}

#[test]
fn a_hint_is_played_by_enter() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.type_text("h");
    stage.shows("Hint: ");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves().len(), 2);
}

#[test]
fn moves_without_cells_and_with_one_only_can_be_chosen() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=3,eliminate=choose", &["human", "first"]);
    stage.press(KeyCode::Enter);
    golden("choice", &stage);
    stage.press(KeyCode::Char('2'));
    assert_eq!(stage.moves()[0], "k=1");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    assert!(stage.moves()[1].starts_with("off="), "{:?}", stage.moves());
}

#[test]
fn a_chain_goes_on_from_where_it_is() {
    let mut stage = Stage::new("renpaarden:width=3,height=5", &["human", "human"]);
    stage.type_text("a2-b4\n");
    stage.shows("must jump on from b4");
    // The piece that must move is chosen already.
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves().len(), 2);
    assert!(stage.moves()[1].starts_with("b4-"));
}

#[test]
fn clicks_work_on_hexagons_and_on_the_line_of_keys() {
    let mut stage = Stage::new("fish", &["human", "first"]);
    let (x, y) = stage.find("2.2");
    stage.click(x, y);
    assert_eq!(stage.moves()[0], "2.2");
    let (x, y) = stage.find("u undo");
    stage.click(x, y);
    assert_eq!(stage.moves().len(), 0);
    let (x, y) = stage.find("? help");
    stage.click(x, y);
    stage.shows("Keys and rules");
    golden("rules", &stage);
    stage.press(KeyCode::PageDown);
    stage.press(KeyCode::End);
    stage.shows("Esc: back");
    stage.press(KeyCode::Esc);
    stage.shows("Player 1 places a penguin");
}

#[test]
fn leaving_asks_while_a_match_runs() {
    let mut stage = Stage::new("hexapawn", &["human", "first"]);
    stage.type_text("c2\n");
    stage.type_text("q");
    golden("leave", &stage);
    stage.type_text("n");
    assert_eq!(stage.app.leave(), None);
    stage.type_text("qy");
    assert_eq!(stage.app.leave(), Some(Leave::Quit));
}

#[test]
fn resigning_asks_and_can_be_taken_back() {
    let mut stage = Stage::new("stones:rows=3,cols=3", &["human", "first"]);
    stage.type_text("R");
    stage.shows("Resign this match?");
    stage.type_text("y");
    stage.shows("Player 0 resigned. Player 1 has won.");
    stage.type_text("u");
    stage.shows("Player 0 to move.");
}

#[test]
fn matches_are_saved_loaded_and_begun_anew() {
    let dir = folder("save");
    let copy = dir.join("copy.rookery.jsonl");
    let mut stage = Stage::new("hexapawn", &["human", "first"]);
    stage.type_text("c2\n");
    stage.type_text("s");
    stage.type_text(copy.to_str().unwrap());
    stage.shows("Save a copy of the record as");
    stage.type_text("\n");
    stage.shows("Saved as ");
    assert_eq!(load(&copy).history().len(), 2);
    stage.type_text("n");
    stage.shows("Begin a new match?");
    stage.type_text("y");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text("l/no/such/file\n");
    stage.shows("Cannot open /no/such/file: ");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text(&format!("l{}\n", copy.display()));
    assert_eq!(stage.moves().len(), 2);
}

#[test]
fn a_name_is_offered_for_a_copy() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.type_text("b2\n");
    stage.type_text("s");
    stage.shows("│ hexapawn.rookery.jsonl ");
    golden("save", &stage);
    // What is typed takes its place, and Tab takes it over.
    stage.type_text("x");
    stage.shows("│ x_ ");
    stage.press(KeyCode::Backspace);
    stage.press(KeyCode::Tab);
    stage.shows("│ hexapawn.rookery.jsonl_ ");
    stage.press(KeyCode::Esc);

    let dir = TempFolder::new("copy");
    let mut kept = sitting("hexapawn:rows=4,cols=4", &["human", "first"]);
    kept.keep(Some(dir.join("mine.rookery.jsonl")));
    let mut stage = Stage::with(kept, (80, 24), Palette::Mono);
    stage.type_text("b2\n");
    stage.type_text("s");
    stage.shows("│ mine.rookery.jsonl ");
    stage.press(KeyCode::Esc);
    // Nothing is offered to be loaded, so Enter closes the line.
    stage.type_text("l\n");
    assert!(!stage.text().contains("Go on with the record in"), "{}", stage.text());
}

#[test]
fn a_new_match_has_another_board_unless_somebody_chose_it() {
    let board = |stage: &Stage| stage.app.table().sitting().position().text();
    // Drawn for the match: as `rookery` and `rookery play` begin one, and from a spec that leaves it open.
    for spec in ["fish:seed=1", "fish", "fish:rows=4,cols=4,holes=3"] {
        let mut stage = Stage::new(spec, &["human", "human"]);
        let mut seen = vec![board(&stage)];
        for _ in 0..3 {
            stage.type_text("n");
            assert!(!seen.contains(&board(&stage)), "{spec}: {seen:?}");
            seen.push(board(&stage));
            let header = stage.app.table().sitting().header();
            assert_eq!(header.start, board(&stage));
            assert_eq!(rookery_catalog::start(&header.game).unwrap().text(), header.start, "{}", header.game);
        }
    }
    for spec in ["fish:seed=7", "fish:fish=2", "fish:board=123/405/11", "hexapawn", "stones"] {
        let mut stage = Stage::new(spec, &["human", "human"]);
        let before = board(&stage);
        stage.type_text("n");
        assert_eq!(board(&stage), before, "{spec}");
    }
}

#[test]
fn clocks_run_and_run_out() {
    let order = MatchOrder {
        control: "1m+1s".parse().unwrap(),
        ..MatchOrder::new("hexapawn", &["human", "human"]).unwrap()
    };
    let mut stage = Stage::with(sit(&order).unwrap(), (80, 24), Palette::Mono);
    stage.wait(Duration::from_secs(15));
    golden("clocks", &stage);
    stage.type_text("c2\n");
    stage.shows("0:46");
    stage.wait(Duration::from_millis(54_500));
    stage.shows("0:05.5");
    stage.wait(Duration::from_secs(6));
    stage.shows("Player 2 did not answer in time: the clock ran out. Player 1 has won.");
}

#[test]
fn a_hostile_record_cannot_move_the_cursor() {
    let path = folder("hostile").join("match.rookery.jsonl");
    let line = r#"{"record":{"version":1,"game":"hexapawn:rows=3,cols=3","start":"p1 111/.../222","seats":[{"name":"A\u001b[2J\u202e","player":"x\u001b]0;y\u0007"},{"name":"B","player":"random"}],"seed":7,"time":"untimed","conduct":"remove","software":"s"}}"#;
    let said = r#"{"said":{"seat":0,"text":"\u202eolleh"}}"#;
    fs::write(&path, format!("{line}\n{said}\n")).unwrap();
    let stage = Stage::with(load(&path), (80, 24), Palette::Mono);
    let text = stage.text();
    assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
    assert!(text.contains('\u{fffd}'), "{text}");
}

#[test]
fn a_stranger_in_a_record_is_only_looked_at() {
    let path = folder("stranger").join("match.rookery.jsonl");
    let line = r#"{"record":{"version":1,"game":"hexapawn:rows=3,cols=3","start":"p1 111/.../222","seats":[{"name":"Ann","player":"pipe"},{"name":"B","player":"random"}],"seed":7,"time":"untimed","conduct":"remove","software":"s"}}"#;
    fs::write(&path, format!("{line}\n")).unwrap();
    let mut stage = Stage::with(load(&path), (80, 24), Palette::Mono);
    stage.type_text("b2\n");
    assert_eq!(stage.moves().len(), 0);
}

#[test]
fn watching_stops_steps_and_changes_its_speed() {
    let now = Instant::now();
    let table = Table::new(sitting("hexapawn:rows=4,cols=4", &["first", "first"]), None, now);
    let app = App::watching(table, Duration::from_secs(1), true, Palette::Mono, now);
    let mut stage = Stage::of(app, (80, 24), now);
    assert_eq!(stage.moves().len(), 0);
    for n_moves in 1..=3 {
        stage.wait(Duration::from_secs(1));
        assert_eq!(stage.moves().len(), n_moves);
    }
    golden("watch", &stage);
    stage.press(KeyCode::Char(' '));
    stage.wait(Duration::from_secs(5));
    assert_eq!(stage.moves().len(), 3);
    stage.press(KeyCode::Left);
    assert_eq!(stage.moves().len(), 2);
    stage.press(KeyCode::Right);
    stage.press(KeyCode::Right);
    assert_eq!(stage.moves().len(), 4, "at the end a computer is asked");
    stage.press(KeyCode::Home);
    assert_eq!(stage.moves().len(), 0);
    stage.press(KeyCode::Char('-'));
    stage.press(KeyCode::Char(' '));
    stage.wait(Duration::from_millis(1400));
    assert_eq!(stage.moves().len(), 0, "it is slower now");
    stage.wait(Duration::from_millis(200));
    assert_eq!(stage.moves().len(), 1);
    stage.type_text("c2");
    assert_eq!(stage.moves().len(), 1, "who watches does not play");
    stage.type_text("q");
    assert_eq!(stage.app.leave(), Some(Leave::Quit));
}

#[test]
fn the_launcher_shows_games_levels_and_records() {
    let recent =
        Recent { path: "games/fish.rookery.jsonl".into(), text: "fish: you - easy".into(), finished: false };
    let mut launcher = Launcher::new(vec![recent], Palette::Mono);
    let mut pages = String::new();
    for keys in ["", "2", "4", "\u{1b}5", "\u{1b}?"] {
        pages += &launch(&mut launcher, keys);
        pages += "\n";
    }
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join("launcher.txt"), &pages);
}

/// What the launcher shows after these keys; `\n` is Enter, and arrows are themselves.
fn launch(launcher: &mut Launcher, keys: &str) -> String {
    for c in keys.chars() {
        let code = match c {
            '\u{1b}' => KeyCode::Esc,
            '\n' => KeyCode::Enter,
            '←' => KeyCode::Left,
            '→' => KeyCode::Right,
            '↓' => KeyCode::Down,
            '⌫' => KeyCode::Backspace,
            c => KeyCode::Char(c),
        };
        launcher.update(&ratatui::crossterm::event::Event::Key(code.into()));
    }
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(80, 18)).unwrap();
    terminal.draw(|frame| launcher.draw(frame)).unwrap();
    let shown = terminal.backend().to_string().replace('"', "");
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn the_launcher_offers_players_boards_and_typed_setups() {
    let mut launcher = Launcher::new(vec![], Palette::Mono);
    let mut pages = launch(&mut launcher, "1↓↓↓↓→↓→→←");
    pages += &launch(&mut launcher, "↓\n,row=3\n");
    assert!(pages.contains("fish has no key `row`; did you mean `rows`?"), "{pages}");
    pages += &launch(&mut launcher, "⌫⌫⌫⌫⌫fish=2\n");
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join("launcher-setup.txt"), &pages);
}

#[test]
fn what_is_chosen_in_the_launcher_is_what_is_played() {
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let play = |game: &str, players: &[&str]| Wish::Play { game: game.to_owned(), players: text(players) };
    for (keys, expected) in [
        ("12", play("fish", &["human", "medium"])),
        ("1↓↓↓↓→1", play("fish:players=3", &["human", "easy", "easy"])),
        ("1552", play("fish:players=4", &["human", "medium", "medium", "medium"])),
        ("1541", play("fish:players=3", &["easy", "easy", "human"])),
        ("158", play("fish:players=3", &["human", "human", "human"])),
        ("2↓↓↓↓←1", play("hexapawn:rows=4,cols=4", &["human", "easy"])),
        ("26rows=3,cols=7\n1", play("hexapawn:rows=3,cols=7", &["human", "easy"])),
        ("26rows=3\u{1b}1", play("hexapawn", &["human", "easy"])),
        ("26rows=99\n\u{1b}1", play("hexapawn", &["human", "easy"])),
        ("15\u{1b}11", play("fish", &["human", "easy"])),
        (
            "459",
            Wish::Watch { game: "stones:players=3".to_owned(), players: text(&["hard", "medium", "hard"]) },
        ),
    ] {
        let mut launcher = Launcher::new(vec![], Palette::Mono);
        launch(&mut launcher, keys);
        assert_eq!(launcher.wish(), Some(expected), "{keys}");
    }
}
