//! People in a tournament, the bar of those who look on, a record from a file, the check of a bot: in a browser.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size, first_move_bot};
use serde_json::{Value, json};

fn sign_in(browser: &Browser, name: &str) {
    browser.open("/");
    browser.post("/api/v1/login", &json!({"name": name, "password": "correct horse", "claim": true}));
}

#[test]
fn two_people_sign_up_for_a_tournament_and_play_it() {
    let site = Site::open("browser-people");
    let (Some(ann), Some(bob)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    bob.prefer("dark");
    sign_in(&ann, "ann");
    sign_in(&bob, "bob");
    ann.open("/t/new?game=hexapawn&board=hexapawn:rows=3,cols=3&format=round-robin&games=1&signup=people&time=5m%2B3s&name=Evening");
    ann.click("main form button.primary");
    ann.wait("location.pathname.startsWith('/t/') && location.pathname !== '/t/new'");
    let cup = ann.path();
    ann.click("[data-live=enter] button.primary");
    ann.read("main", "You take part.");
    bob.open(&cup);
    bob.click("[data-live=enter] button.primary");
    bob.read("main", "You take part.");
    ann.wait("document.querySelectorAll('.entrants li').length === 2");
    ann.click("[data-live=state] button.primary");
    // Both are called by themselves, and the game begins when both have come.
    bob.see("[data-yours]");
    assert!(bob.value("document.title").as_str().unwrap().contains("Your game"));
    bob.click("[data-yours]");
    bob.read("[data-part=status]", "Waiting for ann");
    ann.see("[data-yours]");
    ann.click("[data-yours]");
    let last = |moves: &[Value]| moves.len() - 1;
    loop {
        let is_over = ann.turn_or_over(&bob);
        if is_over {
            break;
        }
        if ann.state()["can"]["move"] == true {
            ann.play_once(last)
        } else {
            bob.play_once(last)
        };
    }
    ann.see("[data-part=over] a[href^='/t/']");
    ann.click("[data-part=over] a[href^='/t/']");
    ann.wait("document.querySelectorAll('main table tbody tr').length >= 2");
    for browser in [&ann, &bob] {
        browser.expect_quiet();
    }
}

#[test]
fn who_looks_on_sees_the_bar_and_who_plays_does_not() {
    let site = Site::open("browser-bar");
    let (Some(ann), Some(eve)) = (site.browser(Size::Desktop), site.browser(Size::Desktop)) else { return };
    ann.open("/new?spec=hexapawn:rows=4,cols=4&seats=me,first");
    ann.click("form.newgame button.primary");
    ann.turn();
    eve.open(&format!("/m/{}", ann.match_id()));
    eve.wait("document.querySelector('[data-part=evaluated]')?.textContent.includes('is to move')");
    eve.see("[data-part=eval] i");
    assert_eq!(ann.value("document.querySelector('[data-part=evaluated]')"), Value::Null);
    assert_eq!(ann.value("document.querySelector('[data-part=eval]').hidden"), true);
    eve.expect_quiet();
}

#[test]
fn a_record_from_a_file_is_reviewed() {
    let site = Site::open("browser-file");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let wanted = json!({"game": "hexapawn:rows=4,cols=4", "seats": ["random", "first"], "seed": "7"});
    let id = browser.post("/api/v1/matches", &wanted)["id"].as_str().unwrap().to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // What dropping a file onto a page does.
    browser.value(&format!(
        "(() => {{ const ask = new XMLHttpRequest(); ask.open('GET', '/m/{id}.jsonl', false); ask.send(); sessionStorage.setItem('record', ask.responseText); }})()"
    ));
    browser.open("/replay");
    browser.see("[data-part=graph] svg");
    browser.wait("document.querySelectorAll('[data-part=table] tr').length > 3");
    browser.expect_quiet();
}

#[test]
fn a_connected_bot_lights_up_and_is_checked() {
    let site = Site::open("browser-check");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/connect?name=mine");
    first_move_bot(site.bots(), "mine");
    browser.read("[data-part=light]", "online");
    browser.click("[data-part=check]");
    browser.wait("document.querySelectorAll('[data-part=report] .yes').length > 3 && !document.querySelector('[data-part=report] .wait')");
    assert_eq!(browser.value("document.querySelectorAll('[data-part=report] .no').length"), 0);
    browser.open("/");
}
