//! Watching, replays, tournaments, and every page for everybody.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size, axe};
use serde_json::{Value, json};

/// A match of computers that is over.
fn played(browser: &Browser, game: &str) -> String {
    browser.open("/");
    let made =
        browser.post("/api/v1/matches", &json!({"game": game, "seats": ["random", "first"], "seed": "7"}));
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    id
}

#[test]
fn whoever_comes_late_sees_the_game_as_it_stands_and_every_move_after() {
    let site = Site::open("browser-watch");
    let (Some(ann), Some(eve)) = (site.browser(Size::Desktop), site.browser(Size::Desktop)) else { return };
    ann.open("/new?spec=hexapawn:rows=4,cols=4&seats=me,first");
    ann.click("form.newgame button.primary");
    let first = |moves: &[Value]| moves.len() - 1;
    ann.play_once(first);
    ann.turn();
    eve.open("/watch");
    eve.see(&format!("a[href*=\"{}\"]", ann.match_id()));
    eve.open(&format!("/m/{}", ann.match_id()));
    eve.wait("document.querySelector('rk-match').state?.ply >= 2");
    assert_eq!(eve.state()["can"]["move"], false);
    assert!(!eve.state().to_string().contains("\"seed\""), "nobody is told the seed of a running match");
    ann.play_once(first);
    eve.wait("document.querySelector('rk-match').state?.ply >= 3");
    let board = "[...document.querySelectorAll('rk-match rk-board .pieces, rk-match rk-board svg g[data-id]')].length";
    assert_eq!(ann.value(board), eve.value(board), "both see the same pieces");
}

#[test]
fn a_finished_game_is_replayed_reviewed_and_its_record_is_right() {
    let site = Site::open("browser-replay");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    let id = played(&browser, "hexapawn:rows=4,cols=4");
    browser.open(&format!("/m/{id}"));
    browser.see("[data-part=scrub]");
    let plies = browser.state()["ply"].as_u64().unwrap();
    let range = "Number(document.querySelector('[data-part=range]').value)";
    browser.wait(&format!("{range} === {plies}"));
    browser.click("[data-act=prev]");
    browser.wait(&format!("{range} === {}", plies - 1));
    browser.click("[data-act=first]");
    browser.wait(&format!("{range} === 0"));
    // The review comes by itself, and its graph has a table for those who cannot see it.
    browser.see("[data-part=graph] svg");
    browser.wait("document.querySelectorAll('[data-part=table] tr').length > 3");
    browser.click("[data-part=analyse]");
    browser.see("[data-part=lines] li:not(.ghost)");
    let record = browser.value(&format!(
        "(() => {{ const ask = new XMLHttpRequest(); ask.open('GET', '/m/{id}.jsonl', false); ask.send(); return ask.responseText; }})()"
    ));
    let record = record.as_str().unwrap();
    assert_eq!(record.lines().count() as u64, plies + 2, "a header, the moves, the verdict");
}

#[test]
fn a_tournament_is_made_with_the_form_and_followed_to_its_end() {
    let site = Site::open("browser-cup");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/t/new?game=fish&board=fish:rows=6,cols=5&format=round-robin&games=2&who=medium&who=hard");
    browser.click("main form button.primary");
    browser.wait("location.pathname.startsWith('/t/') && location.pathname !== '/t/new'");
    browser.read("[data-live=state]", "Playing");
    browser.wait("document.querySelectorAll('main table tbody tr').length >= 2");
    // From here on nobody loads the page again: it follows by itself.
    let won =
        "[...document.querySelectorAll('[data-live=table] tbody tr')].map((row) => row.innerText).join()";
    let before = browser.value(won);
    browser.read("[data-live=state]", "finished");
    browser.read("[data-live=rounds]", "2 games played");
    assert_ne!(browser.value(won), before, "the table has changed");
    browser.read("main", "Why");
    let id = browser.path().trim_start_matches("/t/").to_owned();
    assert_eq!(browser.api(&format!("/api/v1/tournaments/{id}"))["complete"], true);
}

#[test]
fn boards_of_a_filtered_list_come_and_go_by_themselves() {
    let site = Site::open("browser-filter");
    let (Some(ann), Some(eve)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    eve.open("/watch?game=four&who=people");
    eve.read("main", "Nobody plays at the moment.");
    ann.open("/");
    let begin = |game: &str| {
        let made = ann.post("/api/v1/matches", &json!({"game": game, "seats": ["me", "first"]}));
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    };
    let (other, wanted) = (begin("hexapawn"), begin("four"));
    eve.see(&format!("[data-match=\"{wanted}\"] rk-board"));
    assert_eq!(eve.value(&format!("document.querySelector('[data-match=\"{other}\"]')")), Value::Null);
    eve.wait("!document.querySelector('[data-part=nothing]').checkVisibility()");
    ann.open(&format!("/m/{wanted}"));
    ann.play_once(|_| 0);
    eve.wait(&format!("Number(document.querySelector('[data-match=\"{wanted}\"]').dataset.ply) >= 2"));
    ann.turn();
    ann.keys("R");
    ann.click("[data-part=question] [data-act=resign]");
    eve.read(&format!("[data-match=\"{wanted}\"]"), "Over");
    eve.wait(&format!("!document.querySelector('[data-match=\"{wanted}\"]')"));
    eve.read("main", "Nobody plays at the moment.");
}

#[test]
fn every_page_is_for_everybody_in_both_themes() {
    let Some(axe) = axe() else { return };
    let site = Site::open("browser-axe");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    let id = played(&browser, "fish:rows=4,cols=4");
    let own = format!("/m/{id}");
    let pages = [
        "/",
        "/new",
        &own,
        "/watch",
        "/t",
        "/t/new",
        "/players",
        "/connect",
        "/rules/hexapawn",
        "/docs/protocol",
        "/puzzle",
        "/settings",
        "/login",
    ];
    let mut all = vec![];
    for size in [Size::Desktop, Size::Phone] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            for page in pages {
                browser.open(page);
                browser.wait("document.readyState === 'complete'");
                let found = browser.barriers(&axe);
                all.extend(found.into_iter().map(|what| format!("{page} {theme} {size:?}: {what}")));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
