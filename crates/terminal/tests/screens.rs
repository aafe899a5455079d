//! What the full screen shows and what keys do to it, on a screen in memory. `cargo xtask bless` rewrites the files in
//! `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{Stage, agreed, runtime, table};
use ratatui::crossterm::event::KeyCode;
use rookery_live::{Asked, Story, read_story};
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::run::Screen;
use rookery_terminal::{App, Keep, Leave, Palette, Table};
use rookery_testkit::{TempFolder, golden};

#[track_caller]
fn golden(name: &str, stage: &Stage) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join(format!("{name}.txt")), &stage.text());
}

#[test]
fn every_game_fits_into_80_by_24() {
    for (name, spec) in [
        ("fish", "fish:seed=2,players=3"),
        ("fish-classic", "fish:board=classic,players=4"),
        ("four", "four"),
        ("hexapawn", "hexapawn:rows=8,cols=8"),
        ("renpaarden", "renpaarden"),
        ("stones", "stones:players=4"),
        ("stones-large", "stones:rows=16,cols=16,players=4"),
    ] {
        let n_seats = rookery_catalog::start(spec).unwrap().n_seats();
        let players: Vec<&str> = ["human", "first", "first", "first"].into_iter().take(n_seats).collect();
        for palette in [Palette::Mono, Palette::Rich] {
            let mut stage = Stage::with(table(spec, &players), (80, 24), palette);
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
    let large = Stage::with(table("fish", &["human", "first"]), (130, 45), Palette::Mono);
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
        let small = || Stage::with(table(spec, &["human", "human"]), (44, 13), Palette::Mono);
        golden(&format!("part-{name}"), &small());
        for size in [(37, 11), (44, 13), (80, 13), (44, 24)] {
            let mut stage = Stage::with(table(spec, &["human", "human"]), size, Palette::Mono);
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
    let mut stage = Stage::with(table(spec, &["human", "human"]), (50, 15), Palette::Mono);
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
    let table = table("stones:rows=16,cols=16", &["first", "random"]);
    let app = App::watching(table, Duration::from_secs(1), Palette::Mono, now);
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
fn a_letter_that_is_a_whole_move_is_played() {
    let mut stage = Stage::new("four:cols=8", &["human", "first"]);
    stage.type_text("h");
    stage.shows("Press Enter to play h, or type the whole word for a hint.");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves(), ["h", "a"]);
    stage.type_text("hint\n");
    stage.shows("Hint: ");
    stage.press(KeyCode::Esc);
    stage.type_text("d\n");
    assert_eq!(stage.moves()[2], "d");
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
    stage.shows("You resigned. Player 1 (first) won.");
    stage.type_text("u");
    stage.shows("Player 0 to move.");
    stage.shows("Taken back: a new match goes on from here.");
}

#[test]
fn fault_21_resigning_against_one_other_ends_the_match_also_out_of_turn() {
    let mut stage = Stage::new("fish", &["human", "first"]);
    stage.type_text("R");
    stage.type_text("y");
    stage.shows("You resigned. Player 2 (first) won.");
    assert_eq!(stage.moves(), ["resigned"]);

    // Drawn only when it is seen that the computer thinks.
    let now = Instant::now();
    let app = App::new(table("fish", &["mcts:playouts=100000000", "human"]), Palette::Mono, now);
    let mut thinking = Stage { app, terminal: stage.terminal, now };
    while thinking.app.table().thinking().is_none() {
        thinking.app.tick(now);
    }
    for key in ['R', 'y'] {
        thinking.app.update(&ratatui::crossterm::event::Event::Key(KeyCode::Char(key).into()));
    }
    thinking.settle();
    thinking.shows("You resigned. Player 1 (mcts:playouts=100000000) won.");
}

#[test]
fn escape_makes_a_computer_move_now() {
    let now = Instant::now();
    let app = App::new(table("fish", &["mcts:playouts=100000000", "human"]), Palette::Mono, now);
    let terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(80, 24)).unwrap();
    let mut stage = Stage { app, terminal, now };
    while stage.app.table().thinking().is_none() {
        stage.app.tick(now);
    }
    stage.draw();
    stage.shows("Player 1 (mcts:playouts=100000000) thinks; Esc: move now");
    while stage.moves().is_empty() {
        stage.app.update(&ratatui::crossterm::event::Event::Key(KeyCode::Esc.into()));
        stage.app.tick(now);
        std::thread::sleep(Duration::from_millis(5));
    }
    stage.settle();
    stage.shows("Player 2 places a penguin");
}

#[test]
fn undo_goes_back_beyond_the_beginning_of_a_match_from_the_middle() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    for mv in ["b2\n", "a2\n"] {
        stage.type_text(mv);
    }
    let moves = stage.moves();
    assert_eq!(moves.len(), 4);
    stage.type_text("Ry");
    assert_eq!(stage.moves().len(), 5);
    // What was resigned goes on, with its history.
    stage.type_text("u");
    assert_eq!(stage.moves(), moves);
    assert_eq!(stage.app.table().spec().start.as_ref().unwrap().moves, moves);
    stage.type_text("u");
    assert_eq!(stage.moves(), moves[..2]);
    stage.type_text("u");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text("u");
    stage.shows("There is no move of yours to take back.");
}

#[test]
fn two_persons_at_one_screen_take_back_and_agree() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["Ann=human", "Bob=human"]);
    stage.type_text("b2\n");
    stage.type_text("u");
    stage.shows("Taken back.");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text("b2\n");
    stage.type_text("D");
    stage.shows("Do all agree on a draw?");
    stage.type_text("n");
    assert!(stage.app.table().verdict().is_none());
    stage.type_text("Dy");
    stage.shows("Drawn by agreement.");
    // Whoever is to move gives up.
    stage.type_text("n:resign\ny");
    stage.shows("Player 1 (Ann) resigned. Player 2 (Bob) won.");
    let mut alone = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    alone.type_text("Dy");
    alone.shows("A draw can be offered only where all others are persons.");
}

#[test]
fn who_plays_can_look_back_and_nothing_happens() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    let start = stage.app.table().position().text();
    for mv in ["b2\n", "a2\n"] {
        stage.type_text(mv);
    }
    let (moves, now) = (stage.moves(), stage.app.table().position().text());
    stage.type_text("[");
    golden("back", &stage);
    stage.shows("after move 3 of 4");
    assert_eq!(stage.moves(), moves[..3]);
    stage.press(KeyCode::Left);
    assert_eq!(stage.moves(), moves[..2]);
    stage.press(KeyCode::Right);
    assert_eq!(stage.moves(), moves[..3]);
    stage.press(KeyCode::Home);
    assert_eq!(stage.app.table().position().text(), start);
    stage.type_text("[");
    stage.shows("This is the first position.");
    for back in [KeyCode::Esc, KeyCode::Enter, KeyCode::End] {
        stage.press(KeyCode::Home);
        stage.press(back);
        assert_eq!((stage.moves(), stage.app.table().position().text()), (moves.clone(), now.clone()));
    }
    // A move is one of the present.
    stage.press(KeyCode::Home);
    stage.type_text("d2\n");
    assert_eq!(stage.moves().len(), 6);
    // So is what comes by itself: the place that is looked at stays.
    stage.type_text("[");
    stage.type_text("u");
    assert_eq!(stage.moves(), moves);
}

#[test]
fn what_somebody_says_stands_among_the_moves() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.type_text(":say Hello!\n");
    for _ in 0..1000 {
        if !stage.moves().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
        stage.settle();
    }
    stage.shows("\"Hello!\"");
}

#[test]
fn matches_are_saved_loaded_and_begun_anew() {
    let dir = TempFolder::new("save");
    let copy = dir.join("copy.rookery.jsonl");
    let mut stage = Stage::new("hexapawn", &["human", "first"]);
    stage.type_text("c2\n");
    stage.type_text("s");
    stage.type_text(copy.to_str().unwrap());
    stage.shows("Save a copy of the record as");
    stage.type_text("\n");
    stage.shows("Saved as ");
    assert_eq!(story(&copy).entries.len(), 2);
    stage.type_text("n");
    stage.shows("Begin a new match?");
    stage.type_text("y");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text("l/no/such/file\n");
    stage.shows("Cannot open /no/such/file: ");
    assert_eq!(stage.moves().len(), 0);
    stage.type_text(&format!("l{}\n", copy.display()));
    assert_eq!(stage.moves().len(), 2);
    stage.type_text(&format!("l{}\n", copy.display()));
    stage.shows("That match is on the screen already.");
}

fn story(path: &Path) -> Story {
    read_story(&fs::read(path).unwrap()[..]).unwrap()
}

#[test]
fn records_are_kept_from_the_first_moment_each_match_in_a_file_of_its_own() {
    let dir = TempFolder::new("kept");
    let first = dir.join("fish.rookery.jsonl");
    let keep = Keep::Near(first.clone());
    let spec = agreed("fish:rows=4,cols=3,seed=1", &["human", "first"]);
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Palette::Mono);
    assert!(story(&first).entries.is_empty(), "it is there before the first move");
    stage.type_text("0.0\n");
    // Another program cannot write there.
    let locked = Table::resume(runtime(), &first).unwrap_err();
    assert!(locked.contains("writes there already"), "{locked}");
    stage.type_text("u");
    stage.type_text("0.0\n");
    let copy = dir.join("copy.rookery.jsonl");
    stage.type_text(&format!(":save {}\n", copy.display()));
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&first).unwrap(), "take-backs included");
    stage.type_text(&format!(":save {}\n", copy.display()));
    stage.shows("Cannot write ");
    // Resigned, and taken back: the end stays, and another match goes on from there.
    stage.press(KeyCode::Esc);
    stage.type_text("Ry");
    stage.type_text("u");
    let second = dir.join("fish-2.rookery.jsonl");
    assert_eq!(stage.app.table().record(), Some(&*second));
    assert!(story(&first).verdict.is_some());
    stage.type_text("ny");
    let third = dir.join("fish-3.rookery.jsonl");
    assert_eq!(stage.app.table().record(), Some(&*third));
    let games: Vec<String> = [&first, &second, &third].map(|path| story(path).spec.game.clone()).into();
    assert_eq!(games[0], games[1]);
    assert_ne!(games[0], games[2], "a board that was drawn is drawn anew");
    stage.app.into_table().close();
    for path in [&first, &second, &third] {
        rookery_live::verify(&fs::read(path).unwrap()[..]).unwrap();
    }

    // An unfinished one goes on, a finished one is looked at.
    let unfinished = Stage::with(Table::resume(runtime(), &second).unwrap(), (80, 24), Palette::Mono);
    assert!(unfinished.app.table().is_live());
    assert_eq!(unfinished.moves().len(), 2, "the opening");
    let finished = Stage::with(Table::resume(runtime(), &first).unwrap(), (80, 24), Palette::Mono);
    finished.shows("You resigned.");
}

#[test]
fn a_record_that_cannot_be_kept_does_not_keep_anybody_from_playing() {
    let dir = TempFolder::new("in-the-way");
    let in_the_way = dir.join("file");
    fs::write(&in_the_way, "").unwrap();
    let spec = || agreed("hexapawn", &["human", "first"]);
    let near = Keep::Near(in_the_way.join("a.rookery.jsonl"));
    let mut stage = Stage::with(Table::begin(runtime(), spec(), &near).unwrap(), (80, 24), Palette::Mono);
    stage.shows("The record is not as it should be: ");
    stage.type_text("c2\n");
    assert_eq!(stage.moves().len(), 2);
    // But whoever named a file wants that file.
    assert!(Table::begin(runtime(), spec(), &Keep::At(in_the_way.clone())).is_err());
    assert_eq!(fs::read(&in_the_way).unwrap(), b"");
}

#[test]
fn what_is_no_record_is_left_as_it_is() {
    let dir = TempFolder::new("no-record");
    let letter = dir.join("letter.txt");
    fs::write(&letter, "Dear Ann,\n").unwrap();
    let problem = Table::resume(runtime(), &letter).unwrap_err();
    assert!(problem.contains("line 1"), "{problem}");
    assert_eq!(fs::read(&letter).unwrap(), b"Dear Ann,\n");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    assert!(Table::resume(runtime(), &dir).unwrap_err().contains("it is a folder and no file"));
    let none = dir.join("none.rookery.jsonl");
    assert!(Table::resume(runtime(), &none).unwrap_err().starts_with("cannot open "));
    assert!(!none.exists());
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
    let keep = Keep::At(dir.join("mine.rookery.jsonl"));
    let spec = agreed("hexapawn:rows=4,cols=4", &["human", "first"]);
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Palette::Mono);
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
    let board = |stage: &Stage| stage.app.table().position().text();
    // Drawn for the match, as `rookery play` begins one, and from a spec that leaves it open.
    for spec in ["fish:seed=1", "fish", "fish:rows=4,cols=4,holes=3"] {
        let mut stage = Stage::new(spec, &["human", "human"]);
        let mut seen = vec![board(&stage)];
        for _ in 0..3 {
            stage.type_text("n");
            assert!(!seen.contains(&board(&stage)), "{spec}: {seen:?}");
            seen.push(board(&stage));
            let game = &stage.app.table().spec().game;
            assert_eq!(rookery_catalog::start(game).unwrap().text(), board(&stage), "{game}");
        }
    }
    for spec in ["fish:seed=7", "fish:fish=2", "fish:board=123/405/11", "hexapawn", "stones"] {
        let mut stage = Stage::new(spec, &["human", "human"]);
        let (before, seed) = (board(&stage), stage.app.table().spec().seed);
        stage.type_text("n");
        assert_eq!(board(&stage), before, "{spec}");
        assert_ne!(stage.app.table().spec().seed, seed);
    }
}

/// Everything on the screen follows from a snapshot and the time.
#[test]
fn clocks_run_as_the_time_goes_by() {
    let now = Instant::now();
    let mut spec = agreed("hexapawn", &["human", "human"]);
    spec.time = "1m+1s".parse().unwrap();
    let start: std::sync::Arc<dyn rookery_catalog::AnyPosition> =
        std::sync::Arc::from(rookery_catalog::start("hexapawn").unwrap());
    let story = Story { spec: spec.into(), start, entries: vec![], verdict: None };
    let mut snapshot = story.snapshot();
    let minute = Duration::from_mins(1);
    assert_eq!(snapshot.clocks, [minute, minute]);
    snapshot.asked =
        Some(Asked { seat: rookery_rules::Seat::new(0), ply: 0, since: now, time: Some(minute) });
    let app = App::new(Table::still(snapshot), Palette::Mono, now);
    let mut stage = Stage::of(app, (80, 24), now);
    stage.wait(Duration::from_secs(15));
    golden("clocks", &stage);
    stage.wait(Duration::from_millis(39_500));
    stage.shows("0:05.5");
    stage.wait(Duration::from_secs(6));
    stage.shows("0:00.0");
}

#[test]
fn who_runs_out_of_time_loses() {
    let mut spec = agreed("hexapawn", &["human", "human"]);
    spec.time = "100ms".parse().unwrap();
    let mut stage = Stage::with(Table::begin(runtime(), spec, &Keep::No).unwrap(), (80, 24), Palette::Mono);
    while stage.app.table().verdict().is_none() {
        std::thread::sleep(Duration::from_millis(5));
        stage.settle();
    }
    stage.shows("Player 1 (human#1) did not answer in time: ");
    assert!(!stage.text().contains("legal were"), "{}", stage.text());
}

/// The first line of a record, with one text in place of a name.
fn header(name: &str, player: &str) -> String {
    let mut spec = agreed("hexapawn:rows=3,cols=3", &["human", "random"]);
    spec.seats[0].name = String::from("N");
    let header = rookery_record::Header::new(spec, "p1 111/.../222".to_owned());
    let line = serde_json::json!({ "record": header }).to_string();
    line.replace(r#""N""#, name).replace(r#""human""#, player) + "\n"
}

#[test]
fn a_hostile_record_cannot_move_the_cursor() {
    let dir = TempFolder::new("hostile");
    let path = dir.join("match.rookery.jsonl");
    let said = r#"{"said":{"seat":0,"text":"\u202eolleh"}}"#;
    let line = header(r#""A\u001b[2J\u202e""#, r#""cmd:x\u001b]0;y\u0007""#);
    fs::write(&path, format!("{line}{said}\n")).unwrap();
    let mut stage = Stage::with(Table::read(&path).unwrap(), (80, 24), Palette::Mono);
    stage.press(KeyCode::Home);
    stage.press(KeyCode::End);
    let text = stage.text();
    assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
    assert!(text.contains('\u{fffd}'), "{text}");
    let problem = Table::resume(runtime(), &path).unwrap_err();
    assert!(!problem.chars().any(|c| c.is_control() || c == '\u{202e}'), "{problem:?}");
}

#[test]
fn a_match_with_a_program_is_only_looked_at() {
    let dir = TempFolder::new("program");
    let path = dir.join("match.rookery.jsonl");
    for (player, expected) in [
        (
            r#""cmd:./bot""#,
            "player 1 is `cmd:./bot`, and programs cannot sit at this screen yet; look at the match",
        ),
        (r#""first""#, "no person plays in "),
    ] {
        let line = header(r#""Ann""#, player);
        fs::write(&path, &line).unwrap();
        let problem = Table::resume(runtime(), &path).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), line);
        let mut stage = Stage::with(Table::read(&path).unwrap(), (80, 24), Palette::Mono);
        stage.type_text("b2\n");
        assert_eq!(stage.moves().len(), 0);
        stage.shows("The match is over; begin a new one.");
    }
}

#[test]
fn watching_stops_steps_and_changes_its_speed() {
    let now = Instant::now();
    let table = table("hexapawn:rows=4,cols=4", &["first", "first"]);
    let app = App::watching(table, Duration::from_secs(1), Palette::Mono, now);
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
    assert_eq!(stage.moves().len(), 4, "the match is ahead of what is shown");
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
    for keys in ["", "2", "4", "\u{1b}6", "\u{1b}?"] {
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
