//! Records, clocks, watching and the launcher on a screen in memory. `cargo xtask bless` rewrites the files in `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{Stage, agreed, runtime, table};
use ratatui::crossterm::event::KeyCode;
use rookery_live::{Asked, Story, read_story};
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::results::{Results, Tally};
use rookery_terminal::run::Screen;
use rookery_terminal::{App, Keep, Leave, Look, Table};
use rookery_testkit::{TempFolder, golden};

#[track_caller]
fn golden(name: &str, stage: &Stage) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens"));
    golden::check(&folder.join(format!("{name}.txt")), &stage.text());
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
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Look::MONO);
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
    let unfinished = Stage::with(Table::resume(runtime(), &second).unwrap(), (80, 24), Look::MONO);
    assert!(unfinished.app.table().is_live());
    assert_eq!(unfinished.moves().len(), 2, "the opening");
    let finished = Stage::with(Table::resume(runtime(), &first).unwrap(), (80, 24), Look::MONO);
    finished.shows("You resigned.");
}

#[test]
fn a_record_that_cannot_be_kept_does_not_keep_anybody_from_playing() {
    let dir = TempFolder::new("in-the-way");
    let in_the_way = dir.join("file");
    fs::write(&in_the_way, "").unwrap();
    let spec = || agreed("hexapawn", &["human", "first"]);
    let near = Keep::Near(in_the_way.join("a.rookery.jsonl"));
    let mut stage = Stage::with(Table::begin(runtime(), spec(), &near).unwrap(), (80, 24), Look::MONO);
    stage.shows("Problem with the record: ");
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
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Look::MONO);
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
    let app = App::new(Table::still(snapshot), Look::MONO, now);
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
    let mut stage = Stage::with(Table::begin(runtime(), spec, &Keep::No).unwrap(), (80, 24), Look::MONO);
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
    let mut stage = Stage::with(Table::read(&path).unwrap(), (80, 24), Look::MONO);
    stage.press(KeyCode::Home);
    stage.press(KeyCode::End);
    let text = stage.text();
    assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
    assert!(text.contains('\u{fffd}'), "{text}");
    let problem = Table::resume(runtime(), &path).unwrap_err();
    assert!(!problem.chars().any(|c| c.is_control() || c == '\u{202e}'), "{problem:?}");
}

#[test]
fn a_match_without_a_person_is_only_looked_at() {
    let dir = TempFolder::new("program");
    let path = dir.join("match.rookery.jsonl");
    for (player, expected) in
        [(r#""cmd:./bot""#, "no person plays in "), (r#""first""#, "no person plays in ")]
    {
        let line = header(r#""Ann""#, player);
        fs::write(&path, &line).unwrap();
        let problem = Table::resume(runtime(), &path).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), line);
        let mut stage = Stage::with(Table::read(&path).unwrap(), (80, 24), Look::MONO);
        stage.type_text("b2\n");
        assert_eq!(stage.moves().len(), 0);
        stage.shows("The match is over; begin a new one.");
    }
}

#[test]
fn watching_stops_steps_and_changes_its_speed() {
    let now = Instant::now();
    let table = table("hexapawn:rows=4,cols=4", &["first", "first"]);
    let app = App::watching(table, Duration::from_secs(1), Look::MONO, now);
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
    let mut launcher = Launcher::new(vec![recent], Results::default(), Look::MONO);
    let mut pages = String::new();
    for keys in ["", "2", "2", "\u{1b}7", "\u{1b}?"] {
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
    let mut launcher = Launcher::new(vec![], Results::default(), Look::MONO);
    let mut pages = launch(&mut launcher, "1↓↓→↓→→←");
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
        ("11", play("fish", &["human", "level:1"])),
        ("1→→1", play("fish", &["human", "level:3"])),
        ("1←1", play("fish", &["human", "level:8"])),
        ("1↓↓→1", play("fish:players=3", &["human", "level:1", "level:1"])),
        ("1331", play("fish:players=4", &["human", "level:1", "level:1", "level:1"])),
        ("1321", play("fish:players=3", &["level:1", "level:1", "human"])),
        ("136", play("fish:players=3", &["human", "human", "human"])),
        ("2↓↓←1", play("hexapawn:rows=4,cols=4", &["human", "level:1"])),
        ("24rows=3,cols=7\n1", play("hexapawn:rows=3,cols=7", &["human", "level:1"])),
        ("24rows=3\u{1b}1", play("hexapawn", &["human", "level:1"])),
        ("24rows=99\n\u{1b}1", play("hexapawn", &["human", "level:1"])),
        ("13\u{1b}11", play("fish", &["human", "level:1"])),
        ("6", Wish::Guide),
        (
            "4→37",
            Wish::Watch {
                game: "stones:players=3".to_owned(),
                players: text(&["level:2", "level:2", "level:2"]),
            },
        ),
    ] {
        let mut launcher = Launcher::new(vec![], Results::default(), Look::MONO);
        launch(&mut launcher, keys);
        assert_eq!(launcher.wish(), Some(expected), "{keys}");
    }
}

#[test]
fn results_are_folded_from_first_and_last_lines() {
    let dir = TempFolder::new("results");
    let keep = Keep::Near(dir.join("stones.rookery.jsonl"));
    // Resigned against easy, which is level 2; and a match that goes on.
    for resigns in [true, false] {
        let spec = agreed("stones:rows=3,cols=3", &["human", "easy"]);
        let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Look::MONO);
        if resigns {
            stage.type_text("Ry");
        }
        stage.app.into_table().close();
    }
    // The person resigns against a person of the same table: nobody's result.
    let spec = agreed("stones:rows=3,cols=3", &["human", "human"]);
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Look::MONO);
    stage.type_text("Ry");
    stage.app.into_table().close();
    // Resigned, taken back and resigned again: the second match began in the middle of the first.
    let spec = agreed("stones:rows=3,cols=3", &["human", "first"]);
    let mut stage = Stage::with(Table::begin(runtime(), spec, &keep).unwrap(), (80, 24), Look::MONO);
    stage.type_text("m\n");
    assert_eq!(stage.moves().len(), 2);
    stage.type_text("Ry");
    stage.type_text("u");
    stage.type_text("Ry");
    stage.app.into_table().close();
    fs::write(dir.join("broken.rookery.jsonl"), b"\xff{").unwrap();
    fs::write(dir.join("empty.rookery.jsonl"), b"").unwrap();
    let results = Results::read(&dir);
    assert!(!results.is_empty());
    let lost = Some(Tally { won: 0, drawn: 0, lost: 1 });
    assert_eq!((results.against("stones", "level:2"), results.against("stones", "easy")), (lost, lost));
    assert_eq!(results.against("stones", "first"), lost, "once");
    for (game, player) in [("stones", "level:1"), ("stones", "human"), ("fish", "level:2")] {
        assert_eq!(results.against(game, player), None, "{game} {player}");
    }
    assert!(Results::read(&dir.join("none")).is_empty());
    let mut launcher = Launcher::new(vec![], results, Look::MONO);
    let page = launch(&mut launcher, "4→");
    assert!(page.contains("You against level:2    0 won, 1 lost; "), "{page}");
    assert!(!launch(&mut launcher, "\u{1b}").contains("A first game"), "only before any game");
}

#[test]
fn a_first_game_is_explained_until_it_is_over() {
    let (game, players) = rookery_terminal::FIRST_GAME;
    let now = Instant::now();
    let app = App::new(table(game, &[players[0], "first"]), Look::MONO, now).guided();
    let mut stage = Stage::of(app, (80, 24), now);
    stage.shows("move from a1, b1, c1: Tab goes there, Enter takes the piece.");
    stage.shows("g stop explaining");
    stage.type_text("g");
    stage.shows("No more explanations");
    stage.type_text("g");
    stage.type_text("b2\n");
    stage.shows("Player 2 (first): ");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    stage.shows("You hold ");
    stage.press(KeyCode::Esc);
    while stage.app.table().verdict().is_none() {
        stage.type_text("m\n");
    }
    stage.shows("This is what it was about: ");
    // Whoever plays for the first time hears of it, and nothing is in the way.
    let mut app = App::new(table("fish", &["human", "first"]), Look::MONO, now);
    app.offer_guide();
    let mut stage = Stage::of(app, (80, 24), now);
    stage.shows("New here? Press g");
    stage.type_text("g");
    stage.shows("You can place a piece on ");
}
