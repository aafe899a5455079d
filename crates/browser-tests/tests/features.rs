//! People in a tournament, the bar of those who look on, a record from a file, the check of a bot: in a browser.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size, axe, first_move_bot};
use serde_json::{Value, json};
use thirtyfour::Key;

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
    bob.see(&format!("[data-live=rounds] a[href=\"{}\"]", cup.replacen("/t/", "/watch?t=", 1)));
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
    let dropped = browser.value(&format!(
        "(() => {{ const ask = new XMLHttpRequest(); ask.open('GET', '/m/{id}.jsonl', false); ask.send(); \
         const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([ask.responseText], 'game.rookery.jsonl')); \
         const drag = (name) => !document.body.dispatchEvent(new DragEvent(name, {{ dataTransfer, bubbles: true, cancelable: true }})); \
         return [drag('dragover'), drag('drop')]; }})()"
    ));
    assert_eq!(dropped, json!([true, true]), "the page takes it, and not the browser");
    browser.wait("location.pathname === '/replay'");
    browser.see("[data-part=graph] svg");
    browser.wait("document.querySelectorAll('[data-part=table] tr').length > 3");
    browser.expect_quiet();
}

const DATA: &str = "const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([new Uint8Array(arguments[0])], 'game.rookery.jsonl'));";

/// Drops a file of so many bytes onto the page.
fn drop_file(browser: &Browser, bytes: usize) {
    let drop = "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));";
    browser.script(&format!("{DATA} {drop}"), vec![json!(bytes)]);
}

/// Chooses one where records are looked at.
fn choose_file(browser: &Browser, bytes: usize) {
    let choose = "const input = document.querySelector('rk-record input'); input.files = dataTransfer.files; input.dispatchEvent(new Event('change'));";
    browser.wait("customElements.get('rk-record')");
    browser.script(&format!("{DATA} {choose}"), vec![json!(bytes)]);
}

#[test]
fn a_file_that_cannot_be_shown_is_said_to_be_so() {
    const LARGE: usize = 6_000_000;
    let site = Site::open("browser-no-record");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    let (dropped, problem) = ("[data-part=dropped]", "rk-record [data-part=problem]");
    browser.open("/");
    browser.wait("customElements.get('rk-theme')");
    drop_file(&browser, LARGE);
    browser.read(dropped, "too large for a record");
    assert_eq!(browser.path(), "/");
    browser.offline(true);
    browser.wait("!navigator.onLine");
    drop_file(&browser, 100);
    browser.read(dropped, "You are offline");
    browser.offline(false);
    browser.wait("navigator.onLine");
    // What was no record is read by the server, which says so where it was to be seen.
    drop_file(&browser, 100);
    browser.wait("location.pathname === '/replay'");
    browser.read(problem, "line 1");
    browser.expect_only_refusals();
    choose_file(&browser, LARGE);
    browser.read(problem, "too large for a record");
    browser.offline(true);
    choose_file(&browser, 100);
    browser.read(problem, "cannot be reached");
    browser.offline(false);
}

#[test]
fn what_needs_the_server_says_that_it_cannot_be_reached() {
    let site = Site::open("browser-no-server");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("hexapawn:rows=4,cols=4", "me,first");
    browser.turn();
    browser.keys("R");
    browser.click("[data-part=question] [data-act=resign]");
    browser.see("[data-part=over] [data-act=rematch]");
    browser.offline(true);
    browser.click("[data-part=over] [data-act=rematch]");
    browser.read("[data-part=status]", "cannot be reached");
    browser.offline(false);
    first_move_bot(site.bots(), "mine");
    browser.open("/connect?name=mine");
    browser.read("[data-part=light]", "online");
    browser.offline(true);
    for act in ["check", "test"] {
        browser.click(&format!("[data-part={act}]"));
        browser.read("rk-connect [data-part=problem]", "cannot be reached");
    }
    browser.offline(false);
    browser.click("[data-part=check]");
    browser.wait("document.querySelector('rk-connect [data-part=problem]').hidden");
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

/// A tournament for which people and bots can sign up.
fn announce(browser: &Browser, name: &str) -> String {
    let spec = json!({
        "name": name, "games": ["hexapawn:rows=3,cols=3"], "format": {"kind": "round-robin", "games": 2}, "time": "300s+3s",
        "entrants": [{"name": "first", "player": "first"}], "sign_up": {"people": true, "bots": true, "late": true},
    });
    let made = browser.post("/api/v1/tournaments", &spec);
    format!("/t/{}", made["id"].as_str().unwrap_or_else(|| panic!("{made}")))
}

#[test]
fn a_tournament_is_entered_and_a_bot_checked_by_keyboard_alone() {
    let site = Site::open("browser-keys-more");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    sign_in(&browser, "ann");
    let cup = announce(&browser, "Evening");
    browser.open(&cup);
    // That bots play too is agreed to first.
    browser.tab_to("[data-live=enter] input[type=checkbox]");
    browser.keys(" ");
    browser.tab_to("[data-live=enter] button.primary");
    browser.key(Key::Enter);
    browser.read("main", "You take part.");
    browser.tab_to("[data-live=state] button.primary");
    browser.key(Key::Enter);
    browser.see("[data-yours]");
    first_move_bot(site.bots(), "mine");
    browser.open("/connect?name=mine");
    browser.read("[data-part=light]", "online");
    browser.tab_to("[data-part=check]");
    browser.key(Key::Enter);
    browser.wait("document.querySelectorAll('[data-part=report] .yes').length > 3 && !document.querySelector('[data-part=report] .wait')");
    assert_eq!(browser.value("document.querySelectorAll('[data-part=report] .no').length"), 0);
}

#[test]
fn who_looks_on_at_three_sees_a_bar_of_three_parts() {
    let site = Site::open("browser-bar-three");
    let (Some(ann), Some(eve)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    ann.open("/new?spec=fish:rows=4,cols=4,players=3&seats=me,first,random");
    ann.click("form.newgame button.primary");
    ann.turn();
    eve.open(&format!("/m/{}", ann.match_id()));
    eve.wait("document.querySelector('[data-part=evaluated]')?.textContent.includes('random')");
    eve.wait("(document.querySelector('[data-part=eval]').ariaLabel.match(/%/g) ?? []).length === 3");
    assert_eq!(eve.value("document.querySelectorAll('[data-part=eval] i').length"), 3);
    let high = "[...document.querySelectorAll('[data-part=eval] i')].every((part) => part.getBoundingClientRect().height > 0)";
    assert_eq!(eve.value(high), true);
    eve.expect_quiet();
}

#[test]
fn the_newer_pages_are_for_everybody_in_both_themes() {
    let Some(axe) = axe() else { return };
    let site = Site::open("browser-axe-more");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let made = browser.post(
        "/api/v1/matches",
        &json!({"game": "fish:rows=4,cols=4,players=3", "seats": ["me", "first", "random"]}),
    );
    let looked_at = format!("/m/{}", made["id"].as_str().unwrap());
    let claim = json!({"name": "boss", "password": "correct horse", "claim": true, "operator": site.operator_token()});
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    // Somebody else plays there, and boss looks on.
    browser.post("/api/v1/logout", &json!({}));
    browser.post("/api/v1/login", &json!({"name": "boss", "password": "correct horse"}));
    let (open, begun) = (announce(&browser, "Friday"), announce(&browser, "Saturday"));
    browser.post(
        &format!("/api/v1{}/enter", begun.replacen("/t/", "/tournaments/", 1)),
        &json!({"entrant": "me"}),
    );
    browser.post(&format!("/api/v1{}/begin", begun.replacen("/t/", "/tournaments/", 1)), &json!({}));
    first_move_bot(site.bots(), "mine");
    browser.open("/connect?name=mine");
    browser.click("[data-part=check]");
    browser.wait("document.querySelectorAll('[data-part=report] .yes').length > 3 && !document.querySelector('[data-part=report] .wait')");
    let mut all = vec![];
    for size in [Size::Desktop, Size::Phone] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            for page in [
                &open,
                &begun,
                "/connect?name=mine",
                "/bundles",
                &looked_at,
                "/",
                "/settings",
                "/operator",
                "/replay",
            ] {
                browser.open(page);
                browser.wait("document.readyState === 'complete'");
                if page.starts_with("/connect") {
                    browser.see("[data-part=report] .yes");
                }
                let found = browser.barriers(&axe);
                all.extend(found.into_iter().map(|what| format!("{page} {theme} {size:?}: {what}")));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
