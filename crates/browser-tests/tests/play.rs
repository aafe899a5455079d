//! Whole games in a browser, by mouse, touch and keyboard.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::cell::RefCell;

use rookery_browser_tests::{Browser, Site, Size, cell_css, first_move_bot, named_bot, pipe_bot};
use serde_json::Value;
use thirtyfour::Key;

/// Boards on which a game does not take long, and how many turns it takes at the most.
const BOARDS: [(&str, usize); 5] = [
    ("fish:rows=4,cols=4,players=2", 40),
    ("hexapawn:rows=4,cols=4", 30),
    // Whoever has still a horse at home after five turns loses, and with eight horses somebody has.
    ("renpaarden:width=4,height=5,leave-home=5", 80),
    ("stones:rows=4,cols=4,max-turns=24", 30),
    ("four", 30),
];

/// Some moves of all kinds, the same each time.
fn some(turn: usize, moves: &[Value]) -> usize {
    turn * 7 % moves.len()
}

/// Resigns, as the page asks for it.
fn resign(browser: &Browser) {
    if browser.value("Boolean(document.querySelector('[data-act=ask_resign]')?.checkVisibility())") != true {
        browser.click("[data-act=more]");
    }
    browser.click("[data-act=ask_resign]");
    browser.click("[data-part=question] [data-act=resign]");
}

fn expect_over(browser: &Browser) {
    let state = browser.state();
    let sentence = state["over"]["sentence"].as_str().unwrap_or_else(|| panic!("it goes on: {state}"));
    browser.wait(&format!(
        "document.querySelector('rk-match').state?.over?.sentence === {}",
        Value::from(sentence)
    ));
    browser.see("[data-part=over]");
}

#[test]
fn every_game_is_played_to_its_end_against_a_computer() {
    let site = Site::open("browser-games");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    let known: Vec<&str> = rookery_catalog::CATALOG.iter().map(|game| game.name()).collect();
    assert_eq!(known, BOARDS.map(|(spec, _)| spec.split(':').next().unwrap()), "every game is played");
    for (spec, most) in BOARDS {
        browser.begin(spec, "me,random");
        assert!(browser.play(most, some), "{spec} ends: {}", browser.state());
        expect_over(&browser);
    }
}

#[test]
fn the_first_move_of_a_new_visitor_is_two_clicks_away() {
    let site = Site::open("browser-first");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.open("/");
    browser.click("form.quick button.primary");
    assert!(!browser.play(1, some), "it has only begun");
    assert_eq!(browser.state()["seats"][1]["kind"], "computer");
    // Everything that matters is on the screen of a phone at once.
    assert_eq!(browser.sticks_out(), 0, "nothing sticks out at the side");
    if !browser.play(3, some) {
        resign(&browser);
        browser.wait("document.querySelector('rk-match').state?.over");
    }
    expect_over(&browser);
}

#[test]
fn two_persons_and_a_bot_play_one_game_and_one_of_them_comes_back() {
    let site = Site::open("browser-friends");
    let said = serde_json::json!({"depth": 3, "score": -20, "line": ["0.0", "1.0"], "text": "by the book"});
    named_bot(site.bots(), &serde_json::json!({"name": "mine"}), serde_json::json!({"info": said}));
    two_persons_and_a_bot(&site, "fish:rows=4,cols=4,players=3", |ann| {
        ann.read("[data-seat=\"2\"] .sub", "depth 3, score -20, expects 0.0 1.0, “by the book”");
    });
}

#[test]
fn two_persons_play_with_a_program_at_a_pipe() {
    let site = Site::open("browser-pipe");
    let Some(_bot) = pipe_bot(site.bots(), "mine") else { return };
    two_persons_and_a_bot(&site, "stones:rows=4,cols=4,players=3,max-turns=24", |_| {});
}

/// Two play in turn until the match is over, or for so many turns; each sees what the other has played.
fn play_in_turn(ann: &Browser, bob: &Browser, most: usize, choose: impl Fn(bool, usize, &[Value]) -> usize) {
    for turn in 0..most {
        if ann.turn_or_over(bob) {
            return;
        }
        let is_first = ann.state()["can"]["move"] == true;
        let (player, other) = if is_first { (ann, bob) } else { (bob, ann) };
        player.play_once(|moves| choose(is_first, turn, moves));
        let ply = player.value("document.querySelector('rk-match').state.ply");
        other.wait(&format!("document.querySelector('rk-match').state?.ply >= {ply}"));
    }
    if !ann.turn_or_over(bob) {
        resign(ann);
    }
}

/// Renpaarden where one horse of each is still to come home, with a friend who comes by the link.
fn invite_to_horses(ann: &Browser, bob: &Browser) {
    ann.open("/");
    let made = ann.post("/api/v1/matches", &horses(&["me", "friend"]));
    bob.accept(made["seats"][1]["join"].as_str().unwrap_or_else(|| panic!("{made}")));
    ann.open(&format!("/m/{}", made["id"].as_str().unwrap()));
}

#[test]
fn two_persons_play_every_game_in_two_browsers() {
    let site = Site::open("browser-two");
    let (Some(ann), Some(bob)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    for (spec, most) in BOARDS {
        if spec.starts_with("renpaarden") {
            invite_to_horses(&ann, &bob);
            let at = RefCell::new(HOME.0.to_owned());
            play_in_turn(&ann, &bob, 24, |is_first, _, moves| if is_first { hop(&at, moves) } else { 0 });
            assert_eq!(ann.state()["over"]["winners"], serde_json::json!([0]), "{}", ann.state());
        } else {
            ann.invite(&bob, spec, "me,friend");
            play_in_turn(&ann, &bob, 2 * most, |_, turn, moves| some(turn, moves));
        }
        for browser in [&ann, &bob] {
            expect_over(browser);
        }
        let how =
            |browser: &Browser| browser.value("document.querySelector('[data-part=over] .how').textContent");
        let mut both = [how(&ann), how(&bob)];
        both.sort_by_key(Value::to_string);
        let winners = ann.state()["over"]["winners"].as_array().unwrap().len();
        let expected = if winners == 1 { ["You lost.", "You won."] } else { ["A draw."; 2] };
        assert_eq!(both, expected, "{spec}");
    }
}

/// How many hops of a horse it is from one cell to another, if nothing is in its way.
fn hops(from: &str, to: &str) -> u32 {
    const LONG: u32 = 99;
    fn search(file: i32, rank: i32, to: (i32, i32), left: u32) -> u32 {
        if (file, rank) == to {
            return 0;
        }
        let ways = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let inside = |n: i32| (0..5).contains(&n);
        let next = ways.iter().map(|(by_file, by_rank)| (file + by_file, rank + by_rank));
        let reached = next.filter(|(file, rank)| left > 0 && inside(*file) && inside(*rank));
        reached.map(|(file, rank)| 1 + search(file, rank, to, left - 1)).min().unwrap_or(LONG)
    }
    let place = |cell: &str| (i32::from(cell.as_bytes()[0] - b'a'), i32::from(cell.as_bytes()[1] - b'1'));
    let (from, to) = (place(from), place(to));
    search(from.0, from.1, to, 4)
}

/// Where the horse stands that is left to bring home, and where home is.
const HOME: (&str, &str) = ("a1", "e4");

/// A match in which one horse is left to bring home, over those of the other player.
fn horses(seats: &[&str]) -> Value {
    serde_json::json!({
        "game": "renpaarden:width=5,height=5", "seats": seats, "seed": "7",
        "start": {"position": "p1 ooooo/oooo./..x../xxxxx/oxxxx"},
    })
}

/// The next hop on the way home.
fn hop(at: &RefCell<String>, moves: &[Value]) -> usize {
    let own = moves.iter().enumerate().filter(|(_, mv)| mv["from"] == at.borrow().as_str());
    let (idx, next) =
        own.min_by_key(|(_, mv)| hops(mv["to"].as_str().unwrap(), HOME.1)).expect("it can hop on");
    next["to"].as_str().unwrap().clone_into(&mut at.borrow_mut());
    idx
}

#[test]
fn a_game_of_renpaarden_is_played_to_its_end_by_clicks() {
    let site = Site::open("browser-horses");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let made = browser.post("/api/v1/matches", &horses(&["me", "first"]));
    browser.open(&format!("/m/{}", made["id"].as_str().unwrap_or_else(|| panic!("{made}"))));
    let at = RefCell::new(HOME.0.to_owned());
    browser.play(12, |_, moves| hop(&at, moves));
    assert_eq!(browser.state()["over"]["winners"], serde_json::json!([0]), "{}", browser.state());
    expect_over(&browser);
    browser.read("[data-part=over]", "You won.");
}

/// Both play with `mine`; at the end the first one looks whether everything is there.
fn two_persons_and_a_bot(site: &Site, spec: &str, look: impl Fn(&Browser)) {
    let (Some(ann), Some(bob)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    ann.open("/");
    while ann.api("/api/v1/bots")[0]["name"] != "mine" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    ann.invite(&bob, spec, "me,friend,@mine");
    let mut is_over = false;
    for turn in 0..40 {
        if ann.turn_or_over(&bob) {
            is_over = true;
            break;
        }
        let player = if ann.state()["can"]["move"] == true { &ann } else { &bob };
        if turn == 3 {
            bob.open(&format!("/m/{}", ann.match_id()));
            assert_eq!(bob.state()["you"], 1, "it is the same seat");
        }
        player.play_once(|moves| some(turn, moves));
    }
    assert!(is_over, "it ends");
    for browser in [&ann, &bob] {
        browser.wait("document.querySelector('rk-match').state?.over");
        expect_over(browser);
    }
    assert_eq!(ann.state()["seats"][2]["kind"], "bot");
    look(&ann);
}

#[test]
fn a_game_is_played_by_keyboard_alone() {
    let site = Site::open("browser-keys");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/new?spec=hexapawn:rows=4,cols=4&seats=me,first");
    browser.tab_to("form.newgame button.primary");
    browser.key(Key::Enter);
    browser.see("rk-match rk-board");
    for _ in 0..20 {
        let Some(state) = browser.turn() else { break };
        // From the first cell Tab goes to the next one where something can be done; Enter chooses it, and then where it goes.
        browser.tab_to("rk-match rk-board button");
        browser.key(Key::Home);
        for _ in 0..2 {
            browser.key(Key::Tab);
            browser.wait("document.activeElement.matches('rk-board button')");
            browser.key(Key::Enter);
        }
        let ply = &state["ply"];
        browser.wait(&format!("(document.querySelector('rk-match').state?.ply ?? 0) > {ply} || document.querySelector('rk-match').state?.over"));
    }
    assert!(browser.turn().is_none(), "it ends");
    expect_over(&browser);
}

/// Plays by a way of its own from cell to cell, until the match is over or for so many turns.
fn play_between_cells(browser: &Browser, most: usize, go: impl Fn(&str, &str)) {
    for _ in 0..most {
        let Some(state) = browser.turn() else { return };
        let mv = &state["scene"]["moves"][0];
        go(&cell_css(mv["from"].as_str().unwrap()), &cell_css(mv["to"].as_str().unwrap()));
        let ply = &state["ply"];
        browser.wait(&format!("(document.querySelector('rk-match').state?.ply ?? 0) > {ply} || document.querySelector('rk-match').state?.over"));
    }
}

#[test]
fn a_game_is_played_by_dragging_pieces() {
    let site = Site::open("browser-drag");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("hexapawn:rows=4,cols=4", "me,first");
    play_between_cells(&browser, 20, |from, to| browser.drag(from, to));
    assert!(browser.turn().is_none(), "it ends");
    expect_over(&browser);
}

#[test]
fn a_game_is_played_by_touch() {
    let site = Site::open("browser-touch");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.begin("hexapawn:rows=4,cols=4", "me,first");
    play_between_cells(&browser, 20, |from, to| {
        browser.touch(from);
        browser.touch(to);
    });
    assert!(browser.turn().is_none(), "it ends");
    expect_over(&browser);
}

#[test]
fn fault_t21_double_clicks_and_two_tabs_play_one_move() {
    let site = Site::open("browser-tabs");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("four", "me,first");
    let state = browser.turn().unwrap();
    let cell = state["scene"]["moves"][0]["to"].as_str().unwrap().to_owned();
    browser.double_click(&format!("rk-match rk-board button[data-cell=\"{cell}\"]"));
    browser.wait("document.querySelector('rk-match').state?.ply >= 2");
    assert!(browser.turn().is_some());
    let ply = browser.state()["ply"].as_u64().unwrap();
    assert_eq!(ply, 2, "the second click made no move of its own");
    // What one tab has played, the other shows; and a move of a stale page is answered by how it stands.
    let path = browser.path();
    let first = browser.second_tab();
    browser.open(&path);
    browser.play(1, some);
    browser.switch_to(first);
    let ply = browser.state()["ply"].as_u64().unwrap();
    browser.wait(&format!("document.querySelector('rk-match').state?.ply >= {ply}"));
    assert!(browser.state()["over"].is_null() || browser.state()["over"]["offender"].is_null());
    browser.play(1, some);
}

#[test]
fn fault_t21_going_back_and_forth_in_the_browser_plays_nothing_and_loses_nothing() {
    let site = Site::open("browser-back");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("four", "me,first");
    assert!(!browser.play(2, some), "it has only begun");
    let (id, state) = (browser.match_id(), browser.turn().unwrap());
    let stands_as_it_was = || {
        assert_eq!(browser.match_id(), id);
        let now = browser.turn().unwrap();
        assert_eq!((&now["ply"], &now["entries"]), (&state["ply"], &state["entries"]));
    };
    // To the form that began it, which begins no second one, and on again.
    browser.back();
    browser.wait("location.pathname === '/new'");
    browser.forward();
    stands_as_it_was();
    browser.open("/");
    browser.back();
    stands_as_it_was();
    let running = browser.api("/api/v1/matches?live=1");
    assert_eq!(running["matches"].as_array().map(Vec::len), Some(1), "{running}");
    assert!(!browser.play(1, some), "it goes on");
}

#[test]
fn a_restart_of_the_server_and_a_lost_network_cost_nothing() {
    let mut site = Site::open("browser-restart");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("hexapawn:rows=5,cols=5", "me,random");
    browser.play(1, some);
    browser.turn();
    site.restart(|| browser.read("rk-match", "onnection lost"));
    browser.wait("!document.querySelector('rk-match').innerText.includes('onnection lost')");
    browser.play(1, some);
    browser.offline(true);
    browser.wait("!navigator.onLine");
    // Looking works, moving does not, and both are said.
    browser.read("[data-part=away]", "You are offline");
    browser.wait("document.querySelector('rk-match rk-board').getAttribute('mode') === 'watch'");
    browser.offline(false);
    browser.wait("navigator.onLine");
    assert!(browser.play(30, some), "it ends: {}", browser.state());
    expect_over(&browser);
}

#[test]
fn whoever_is_back_before_the_bot_waits_at_the_board() {
    let mut site = Site::open("browser-bot-late");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    first_move_bot(site.bots(), "mine");
    browser.open("/");
    while browser.api("/api/v1/bots")[0]["name"] != "mine" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    browser.begin("hexapawn:rows=4,cols=4", "me,@mine");
    browser.play(1, some);
    site.restart(|| browser.read("rk-match", "onnection lost"));
    browser.read("[data-part=status]", "It goes on when mine is back.");
    first_move_bot(site.bots(), "mine");
    assert!(browser.play(30, some), "it ends: {}", browser.state());
    expect_over(&browser);
}
