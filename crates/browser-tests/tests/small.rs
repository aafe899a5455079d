//! What small screens show: all of every page, and whoever plays below the board.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::Duration;

use rookery_browser_tests::{Browser, Site, Size};
use serde_json::{Value, json};

fn make(browser: &Browser, game: &str, seats: &[&str]) -> String {
    let made = browser.post("/api/v1/matches", &json!({"game": game, "seats": seats, "seed": "7"}));
    format!("/m/{}", made["id"].as_str().unwrap_or_else(|| panic!("{made}")))
}

fn announce(browser: &Browser, spec: &Value) -> String {
    let made = browser.post("/api/v1/tournaments", spec);
    format!("/t/{}", made["id"].as_str().unwrap_or_else(|| panic!("{made}")))
}

/// A tournament of computers that is over, and one of its games.
fn cup(browser: &Browser, game: &str) -> [String; 2] {
    let entrants = ["random", "first", "easy"].map(|player| json!({"name": player, "player": player}));
    let format = json!({"kind": "round-robin", "games": 2});
    let spec =
        json!({"name": "Cup", "games": [game], "format": format, "entrants": entrants, "time": "untimed"});
    let path = announce(browser, &spec);
    while browser.api(&path.replacen("/t/", "/api/v1/tournaments/", 1))["complete"] != true {
        std::thread::sleep(Duration::from_millis(100));
    }
    browser.open(&path);
    browser.see("main a[href^='/m/']");
    let game = browser.value("document.querySelector('main a[href^=\"/m/\"]').getAttribute('href')");
    [path, game.as_str().unwrap().to_owned()]
}

/// One for which people sign up, with a name as long as names may be.
fn opening(browser: &Browser) -> String {
    let sign_up = json!({"people": true, "bots": true, "late": true});
    let spec = json!({
        "name": "A tournament with a name of Wwwwwwwwwwwwwwwwwwwwwwww", "games": ["hexapawn"], "time": "300s+3s",
        "format": {"kind": "swiss", "rounds": 3}, "entrants": [{"name": "easy", "player": "easy"}], "sign_up": sign_up,
    });
    announce(browser, &spec)
}

/// Plots of which only a part can be seen.
const CUT: &str = "[...document.querySelectorAll('figure')].filter((figure) => figure.checkVisibility() && \
     figure.scrollWidth > figure.clientWidth).length";

/// The first of what reaches too far to the right.
const WIDEST: &str = "[...document.querySelectorAll('body *')].filter((one) => \
     one.getBoundingClientRect().right > document.documentElement.clientWidth + 1).slice(0, 8) \
     .map((one) => `${one.tagName} ${one.className} ${(one.textContent ?? '').slice(0, 40)}`).join(' | ')";

#[test]
fn no_page_sticks_out_at_the_side_of_a_small_screen() {
    let site = Site::open("browser-small");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.open("/");
    let name = "W".repeat(24);
    let claim =
        json!({"name": name, "password": "correct horse", "claim": true, "operator": site.operator_token()});
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    let places =
        ["/", "/new", "/watch", "/t", "/t/new", "/players", "/p/random", "/connect?name=mine", "/bundles"];
    let more = [
        "/rules/fish",
        "/docs/protocol",
        "/puzzle",
        "/replay",
        "/settings",
        "/login",
        "/operator",
        "/nowhere",
    ];
    let mut pages: Vec<String> = places.iter().chain(&more).map(|path| (*path).to_owned()).collect();
    // Hexapawn and Four in a row have a long line above the board, and Stones has more than two seats.
    for game in ["hexapawn", "four", "stones:players=3,rows=4,cols=4,max-turns=12"] {
        pages.extend(cup(&browser, game));
    }
    pages.push(opening(&browser));
    pages.push(make(&browser, "fish:rows=6,cols=4", &["me", "first"]));
    pages.push(make(&browser, "hexapawn", &["me", "friend"]));
    let mut wrong = vec![];
    for size in [Size::Phone, Size::Small] {
        browser.resize(size);
        for page in &pages {
            browser.open(page);
            browser.wait("document.readyState === 'complete'");
            if page.starts_with("/m/") {
                browser.wait("document.querySelector('rk-match').state");
            }
            let (out, cut) = (browser.sticks_out(), browser.value(CUT));
            if out > 0 || cut != 0 {
                let what = browser.value(WIDEST);
                wrong.push(format!("{page} {size:?}: {out} pixels stick out ({what}), {cut} plots are cut"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // There is no such page, and that is what it shows.
    browser.expect_only_refusals();
}

#[test]
fn a_puzzle_is_solved_on_a_phone() {
    let site = Site::open("browser-puzzle-small");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.open("/puzzle");
    browser.wait("document.querySelector('rk-puzzle rk-board').scene");
    // Nothing lies over the buttons.
    browser.click("[data-part=ask]");
    browser.read("[data-part=hint]", "Hint 1 of 3");
    browser.click("[data-part=solution]");
    browser.click("[data-part=solution]");
    browser.see(".walk li svg");
}

/// Where something is: left, top and bottom.
fn places(browser: &Browser, css: &str) -> Vec<[i64; 3]> {
    let found = browser.value(&format!(
        "[...document.querySelectorAll({})].map((node) => node.getBoundingClientRect()).map(({{ left, top, bottom }}) => [left, top, bottom].map(Math.round))",
        json!(css)
    ));
    let whole = |place: &Value| [0, 1, 2].map(|idx| place[idx].as_i64().unwrap());
    found.as_array().unwrap().iter().map(whole).collect()
}

#[test]
fn whoever_plays_with_several_others_sits_below_the_board_of_a_phone() {
    let site = Site::open("browser-below");
    let Some(browser) = site.browser(Size::Phone) else { return };
    browser.open("/");
    let eight: Vec<&str> = (0..8).map(|seat| if seat == 1 { "me" } else { "first" }).collect();
    for (game, seats) in
        [("fish:board=classic,players=3", &["first", "me", "random"][..]), ("stones:players=8", &eight)]
    {
        let path = make(&browser, game, seats);
        browser.resize(Size::Phone);
        browser.open(&path);
        browser.turn();
        let others = places(&browser, ".others .seat");
        let [board, status, own, actions] =
            ["rk-match rk-board", "[data-part=status]", ".oneself .seat", "[data-part=actions]"]
                .map(|css| places(&browser, css)[0]);
        assert_eq!(others.len(), seats.len() - 1);
        assert!(others.iter().all(|other| other[1] == others[0][1]), "{game}: a row of others: {others:?}");
        assert!(others[0][2] <= board[1], "{game}: others above the board");
        assert!(board[2] <= status[1] && status[2] <= own[1], "{game}: {board:?} {status:?} {own:?}");
        assert!(own[2] <= actions[1], "{game}: all of it is on the screen");
        assert_eq!(
            browser.value("document.documentElement.scrollHeight"),
            844,
            "{game}: nothing is to be scrolled to"
        );
        assert_eq!(browser.sticks_out(), 0, "{game}");
        browser.resize(Size::Desktop);
        browser.open(&path);
        browser.turn();
        let all: Vec<i64> =
            (0..seats.len()).map(|seat| places(&browser, &format!("[data-seat=\"{seat}\"]"))[0][1]).collect();
        assert!(all.is_sorted_by(|one, next| one < next), "{game}: in turn order at the side: {all:?}");
    }
}
