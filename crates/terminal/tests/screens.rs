//! What the full screen shows and what keys do to it, on a screen in memory. `cargo xtask bless` rewrites the files in
//! `screens`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{Stage, table};
use ratatui::crossterm::event::KeyCode;
use rookery_terminal::{App, Depth, Leave, Look};
use rookery_testkit::golden;

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
        for look in [Look::MONO, Look::DARK] {
            let mut stage = Stage::with(table(spec, &players), (80, 24), look);
            for _ in 0..6 {
                stage.press(KeyCode::Tab);
                stage.press(KeyCode::Enter);
            }
            if look == Look::MONO {
                golden(name, &stage);
            }
            stage.shows("q quit");
        }
    }
}

/// The looks, each with what its terminal can show.
fn looks() -> [(&'static str, Look); 6] {
    [
        ("dark", Look::DARK),
        ("light", Look::LIGHT),
        ("256", Look { depth: Depth::Indexed, ..Look::DARK }),
        ("16", Look { depth: Depth::Sixteen, ..Look::DARK }),
        ("ascii", Look { ascii: true, ..Look::DARK }),
        ("none-ascii", Look { ascii: true, ..Look::MONO }),
    ]
}

#[test]
fn each_look_uses_only_what_its_terminal_has() {
    use ratatui::style::Color;
    for (name, look) in looks() {
        for spec in ["fish:seed=2", "fish:board=classic", "hexapawn", "renpaarden", "stones", "four"] {
            for size in [(60, 20), (80, 24), (120, 40)] {
                let mut stage = Stage::with(table(spec, &["human", "first"]), size, look);
                stage.press(KeyCode::Tab);
                stage.press(KeyCode::Enter);
                stage.shows("q quit");
                let is_allowed = |colour: Color| match (look.depth, colour) {
                    (_, Color::Reset)
                    | (Depth::True, Color::Rgb(..))
                    | (Depth::Indexed, Color::Indexed(_)) => true,
                    (Depth::Sixteen, colour) => !matches!(colour, Color::Rgb(..) | Color::Indexed(_)),
                    _ => false,
                };
                for cell in stage.buffer().content() {
                    assert!(is_allowed(cell.fg) && is_allowed(cell.bg), "{name} {spec}: {cell:?}");
                    let is_ascii = cell.symbol().is_ascii();
                    assert!(!look.ascii || is_ascii, "{name} {spec}: {:?}\n{}", cell.symbol(), stage.text());
                }
            }
        }
    }
}

#[test]
fn boards_are_pictures_where_there_are_colours() {
    for (name, spec, size, look) in [
        ("figures-fish", "fish:seed=2", (80, 24), Look::DARK),
        ("figures-fish-large", "fish:rows=4,cols=3,seed=2", (120, 40), Look::DARK),
        ("figures-renpaarden", "renpaarden", (80, 24), Look::LIGHT),
        ("figures-four", "four", (80, 24), Look::DARK),
        ("ascii-fish", "fish:seed=2", (80, 24), Look { ascii: true, ..Look::DARK }),
        ("narrow-fish", "fish:seed=2", (60, 20), Look::MONO),
    ] {
        let mut stage = Stage::with(table(spec, &["human", "first"]), size, look);
        for _ in 0..6 {
            stage.press(KeyCode::Tab);
            stage.press(KeyCode::Enter);
        }
        golden(name, &stage);
    }
}

#[test]
fn larger_windows_have_larger_boards() {
    let large = Stage::with(table("fish", &["human", "first"]), (130, 45), Look::MONO);
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
fn a_match_that_is_watched_shows_its_last_move() {
    let now = Instant::now();
    let table = table("stones:rows=16,cols=16", &["first", "random"]);
    let app = App::watching(table, Duration::from_secs(1), Look::MONO, now);
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
fn the_last_move_is_told_in_a_small_window() {
    let now = Instant::now();
    let app = App::new(table("hexapawn:rows=4,cols=4", &["human", "first"]), Look::MONO, now);
    let mut stage = Stage::of(app, (60, 20), now);
    stage.type_text("b2\n");
    let text = stage.text();
    let (last, cursor) = (text.find("Last: "), text.find("Cursor: "));
    assert!(
        last.is_some() && last < cursor,
        "what is under the cursor may be cut off, the last move not:\n{text}"
    );
}

#[test]
fn escape_lets_go_of_a_piece_and_strange_targets_are_explained() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.press(KeyCode::Enter);
    stage.shows("(   •   )");
    stage.press(KeyCode::Esc);
    assert!(!stage.text().contains("(   •   )"), "{}", stage.text());
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
    stage.shows("Press Enter to play h, or type hint for a hint.");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.moves(), ["h", "a"]);
    stage.type_text("hint\n");
    stage.shows("Hint: ");
    stage.press(KeyCode::Esc);
    stage.type_text("d\n");
    assert_eq!(stage.moves()[2], "d");
    stage.type_text("c");
    stage.shows("Press Enter to play c, or type chat for a line to the others.");
    stage.type_text("hat\nHello!\n");
    hears(&mut stage, "Hello!");
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
    stage.shows("Your turn: player 1 places a penguin");
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
    stage.shows("Your turn.");
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
    let app = App::new(table("fish", &["mcts:playouts=100000000", "human"]), Look::MONO, now);
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
    let app = App::new(table("fish", &["mcts:playouts=100000000", "human"]), Look::MONO, now);
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
    stage.shows("Your turn: player 2 places a penguin");
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
    stage.shows("Ann to move.");
    stage.type_text("b2\n");
    stage.shows("Bob to move.");
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

/// A line that somebody said stands among the moves, a moment later.
fn hears(stage: &mut Stage, text: &str) {
    let (said, patience) = (format!("\"{text}\""), Instant::now() + Duration::from_mins(1));
    while !stage.moves().contains(&said) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(1));
        stage.settle();
    }
    stage.shows(&said);
}

#[test]
fn what_somebody_says_stands_among_the_moves() {
    let mut stage = Stage::new("hexapawn:rows=4,cols=4", &["human", "first"]);
    stage.type_text(":say Hello!\n");
    hears(&mut stage, "Hello!");
}
