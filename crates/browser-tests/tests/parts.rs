//! Parts of pages: clocks on small boards, the bracket, what phones have behind a button, a puzzle that is played on.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::Duration;

use rookery_browser_tests::{Browser, Site, Size, axe};
use serde_json::{Value, json};
use thirtyfour::Key;

fn make(browser: &Browser, wanted: &Value) -> String {
    let made = browser.post("/api/v1/matches", wanted);
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

#[test]
fn the_clock_of_whoever_is_to_move_runs_on_a_small_board() {
    let site = Site::open("browser-clocks");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let id = make(&browser, &json!({"game": "hexapawn", "seats": ["me", "first"], "time": "300s+3s"}));
    let left = "[...document.querySelectorAll('[data-match] .clock')].map((clock) => clock.textContent)";
    for path in ["/", "/watch"] {
        browser.open(path);
        browser.see(&format!("[data-match=\"{id}\"] .turn .clock"));
        let seen = browser.value(left)[0].clone();
        browser.wait(&format!("{left}[0] !== {seen}"));
        assert_eq!(browser.value(left)[1], "5:00", "the other one stands");
        let shown = browser.value(left)[0].as_str().unwrap().to_owned();
        assert!(shown.starts_with("4:"), "{shown}");
    }
}

/// A knock-out of six computers, played to its end: two of them have no opponent in the first round.
fn cup(browser: &Browser) -> String {
    let computers = ["random", "first", "easy", "medium", "hard", "level:2"];
    let entrants: Vec<Value> =
        computers.iter().map(|player| json!({"name": player, "player": player})).collect();
    let spec = json!({
        "name": "Cup", "games": ["hexapawn:rows=4,cols=4"], "format": {"kind": "knock-out", "bronze": true}, "entrants": entrants,
        "time": "untimed",
    });
    let begun = browser.post("/api/v1/tournaments", &spec);
    let id = begun["id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    while browser.api(&format!("/api/v1/tournaments/{id}"))["complete"] != true {
        std::thread::sleep(Duration::from_millis(200));
    }
    format!("/t/{id}")
}

#[test]
fn a_bracket_has_lines_between_its_rounds_and_one_round_at_a_time_on_phones() {
    let site = Site::open("browser-bracket");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    browser.post("/api/v1/login", &json!({"name": "ann", "password": "correct horse", "claim": true}));
    let path = cup(&browser);
    browser.open(&path);
    browser.see(".ko .kcol");
    assert_eq!(browser.value("document.querySelectorAll('.kcol').length"), 3);
    assert_eq!(browser.value("document.querySelectorAll('.krest').length"), 2, "two of six rest");
    browser.read(".kthird", "Third place");
    // Where lines come in is the middle of the places they come from.
    let middles = "(() => { const middle = (node) => { const { top, height } = node.getBoundingClientRect(); return top + height / 2; }; \
        const columns = [...document.querySelectorAll('.kcol')].map((column) => [...column.querySelectorAll('.kslot')].map(middle)); \
        return columns.slice(1).map((column, idx) => column.map((at, k) => Math.abs(at - (columns[idx][2 * k] + columns[idx][2 * k + 1]) / 2))); })()";
    let off = browser.value(middles);
    let all: Vec<f64> = off
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|column| column.as_array().unwrap())
        .map(|off| off.as_f64().unwrap())
        .collect();
    assert!(all.len() == 3 && all.iter().all(|off| *off < 1.5), "{off}");
    browser.resize(Size::Phone);
    browser.open(&path);
    let seen = "[...document.querySelectorAll('.kcol')].filter((column) => column.checkVisibility()).map((column) => column.querySelector('h2').textContent)";
    assert_eq!(browser.value(seen), json!(["Final"]));
    browser.click(".kswitch label:first-child");
    assert_eq!(browser.value(seen), json!(["Quarter-final"]));
    assert_eq!(browser.sticks_out(), 0);
    let Some(axe) = axe() else { return };
    for size in [Size::Phone, Size::Desktop] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            browser.open(&path);
            assert_eq!(browser.barriers(&axe), Vec::<String>::new(), "{theme} {size:?}");
        }
    }
}

#[test]
fn phones_have_details_and_sound_behind_more() {
    let site = Site::open("browser-more");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.open("/");
    let id = make(&browser, &json!({"game": "hexapawn:rows=4,cols=4", "seats": ["me", "first"]}));
    browser.open(&format!("/m/{id}"));
    browser.turn();
    browser.click("[data-act=more]");
    browser.click(".actions [data-act=sound]");
    assert_eq!(browser.value("document.querySelector('.actions [data-act=sound]').ariaPressed"), "true");
    browser.click(".actions [data-act=sheet_details]");
    browser.read("#pane-details", "The game spec");
    browser.see("#pane-details .facts");
    assert_eq!(browser.value("document.querySelector('#pane-moves').checkVisibility()"), false);
    // The button that led there takes it away again, and the game goes on.
    browser.click("[data-act=more]");
    browser.wait("!document.querySelector('#pane-details').checkVisibility()");
    browser.click("[data-act=more]");
    browser.play_once(|_| 0);
}

#[test]
fn enter_in_a_field_of_a_new_game_shows_what_was_typed_and_shuffles_nothing() {
    let site = Site::open("browser-enter");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/new?spec=fish");
    let spec = "document.querySelector('rk-new-game').dataset.spec";
    let seed = |spec: &Value| spec.as_str().unwrap().split_once("seed=").unwrap().1.to_owned();
    let before = browser.value(spec);
    browser.write("[name='k.rows']", "6");
    browser.wait(&format!("{spec}.includes('rows=6')"));
    browser.script(
        "const ask = window.fetch; window.asked = []; \
         window.fetch = (...all) => { window.asked.push(String(all[0])); return ask(...all); };",
        vec![],
    );
    browser.key(Key::Enter);
    browser.wait("window.asked?.length");
    let asked = browser.value("window.asked.join()");
    assert!(!asked.as_str().unwrap().contains("shuffle"), "{asked}");
    browser.wait(&format!("{spec}.includes('rows=6')"));
    assert_eq!(seed(&browser.value(spec)), seed(&before), "it is the same board, with other rows");
}

#[test]
fn nothing_is_animated_for_whoever_wants_less_motion() {
    let site = Site::open("browser-motion");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    for (wish, is_still) in [("reduce", true), ("no-preference", false)] {
        let features = json!([{"name": "prefers-reduced-motion", "value": wish}]);
        browser.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
        // Penguins are placed, then they slide, and what they leave sinks.
        browser.begin("fish:rows=4,cols=4,players=2", "me,first");
        browser.turn();
        let watch = "window.moved = []; const { animate } = Element.prototype; \
             Element.prototype.animate = function (...all) { window.moved.push('animate'); return animate.apply(this, all); }; \
             for (const name of ['transitionrun', 'animationstart']) document.addEventListener(name, () => window.moved.push(name), true);";
        browser.script(watch, vec![]);
        assert!(!browser.play(6, |turn, _| turn), "it has only begun");
        assert!(browser.state()["entries"].as_array().unwrap().len() >= 10, "pieces have moved");
        let moved = browser.value("window.moved.length").as_u64().unwrap();
        assert_eq!(moved == 0, is_still, "{wish}: {}", browser.value("window.moved"));
    }
}

#[test]
fn a_puzzle_is_played_on_from_where_it_begins() {
    let site = Site::open("browser-puzzle-on");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/puzzle");
    browser.wait("document.querySelector('rk-puzzle rk-board').scene");
    let begins =
        browser.value("document.querySelector('rk-puzzle rk-board').scene.moves.map((move) => move.id)");
    assert_eq!(
        browser.value("document.querySelector('[data-part=on]').checkVisibility()"),
        false,
        "after it is solved"
    );
    browser.click("[data-part=solution]");
    browser.click("[data-part=solution]");
    browser.see(".walk li");
    browser.click("[data-part=on]");
    browser.see("rk-match rk-board");
    let state = browser.turn().expect("it has only begun");
    assert_eq!((&state["ply"], &state["can"]["move"]), (&json!(0), &json!(true)));
    let moves: Vec<&Value> = state["scene"]["moves"].as_array().unwrap().iter().map(|mv| &mv["id"]).collect();
    assert_eq!(json!(moves), begins, "it is the same position");
}

#[test]
fn a_new_tournament_says_how_long_it_takes_before_it_is_made() {
    let site = Site::open("browser-length");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/t/new?game=hexapawn&board=hexapawn:rows=3,cols=3&format=round-robin&games=2&who=easy&who=hard&who=first&time=5s");
    browser.read(".sum", "6 games");
    browser.read(".sum", "at most about");
    // It changes with the form, without a click.
    browser.click("label:has([name=time][value=untimed])");
    browser.read(".sum", "there is no clock");
    browser.open(
        "/t/new?game=hexapawn&board=hexapawn:rows=3,cols=3&format=round-robin&signup=people&time=5m%2B3s",
    );
    browser.read(".sum", "by how many come; 8 players");
    browser.read(".sum", "at most about");
}
