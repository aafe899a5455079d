//! What people do with each other in a match, and what whoever plays alone has: a hint, the board turned, keys, playing on.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size};
use serde_json::{Value, json};
use thirtyfour::Key;

const QUESTION: &str = "[data-part=question]";
const RANGE: &str = "Number(document.querySelector('[data-part=range]').value)";

/// Waits until nothing is asked any more.
fn unasked(browser: &Browser) {
    browser.wait("document.querySelector('[data-part=question]').hidden");
}

fn press(browser: &Browser, act: &str) {
    browser.click(&format!("{QUESTION} [data-act={act}]"));
}

/// Ann asks for her move back, and Bob refuses once and agrees then.
fn take_back(ann: &Browser, bob: &Browser) {
    ann.turn();
    ann.click("[data-act=take_back]");
    ann.read(QUESTION, "You have asked");
    bob.read(QUESTION, "wants to take moves back");
    press(bob, "refuse");
    unasked(ann);
    assert_eq!(ann.state()["ply"], 2, "it stands");
    ann.click("[data-act=take_back]");
    bob.read(QUESTION, "wants to take moves back");
    press(bob, "accept");
    for browser in [ann, bob] {
        let is_back = "document.querySelector('rk-match').state?.ply === 0 && document.querySelector('rk-match').isNewest";
        browser.wait(is_back);
        browser.wait("!document.querySelector('[data-part=moves] a')");
        unasked(browser);
    }
}

/// Each says something, and hears the other.
fn talk(ann: &Browser, bob: &Browser) {
    ann.click("#tab-chat");
    ann.write("[data-part=say] input", "good luck");
    ann.key(Key::Enter);
    bob.read(".actions [data-part=unread]", "1");
    bob.click("[data-act=sheet_chat]");
    bob.read("[data-part=chat] li", "good luck");
    bob.wait("document.querySelector('.actions [data-part=unread]').hidden");
    bob.write("[data-part=say] input", "you too");
    bob.key(Key::Enter);
    ann.read("[data-part=chat] li", "you too");
    assert_eq!(ann.value("document.querySelectorAll('[data-part=chat] li').length"), 2);
    bob.click("[data-act=sheet_chat]");
}

/// Ann offers a draw in vain; then Bob offers one, and she agrees.
fn agree(ann: &Browser, bob: &Browser) {
    ann.click("[data-act=draw]");
    press(ann, "offer_draw");
    bob.read(QUESTION, "offers a draw");
    press(bob, "refuse");
    unasked(ann);
    assert!(ann.state()["over"].is_null(), "it goes on");
    bob.click("[data-act=more]");
    bob.click("[data-act=draw]");
    press(bob, "offer_draw");
    ann.read(QUESTION, "offers a draw");
    press(ann, "accept");
    for browser in [ann, bob] {
        browser.read("[data-part=over]", "A draw.");
        unasked(browser);
    }
}

#[test]
fn two_people_take_back_talk_agree_on_a_draw_and_play_again() {
    let site = Site::open("browser-together");
    let (Some(ann), Some(bob)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    ann.invite(&bob, "hexapawn:rows=4,cols=4", "me,friend");
    ann.play_once(|_| 0);
    bob.play_once(|_| 0);
    take_back(&ann, &bob);
    // It goes on with another move, which both see.
    ann.play_once(|_| 1);
    bob.play_once(|_| 0);
    let moved = "document.querySelector('[data-part=moves] a')?.textContent";
    ann.wait(moved);
    assert_eq!(ann.value(moved), bob.value(moved));
    talk(&ann, &bob);
    agree(&ann, &bob);
    let before = ann.match_id();
    ann.click("[data-part=over] [data-act=rematch]");
    // The small screen shows it when it is scrolled to.
    bob.see("[data-part=over] a[href^='/m/']");
    bob.script("document.querySelector('[data-part=over] a').scrollIntoView({ block: 'center' });", vec![]);
    bob.click("[data-part=over] a[href^='/m/']");
    for browser in [&ann, &bob] {
        browser.wait(&format!("location.pathname.startsWith('/m/') && location.pathname !== '/m/{before}'"));
    }
    assert_eq!(ann.match_id(), bob.match_id());
    assert_eq!((&ann.state()["you"], &bob.state()["you"]), (&json!(1), &json!(0)), "they change seats");
    bob.play_once(|_| 0);
    assert!(!ann.play_once(|_| 0), "it has only begun");
}

/// Where a cell lies on the board.
fn place(browser: &Browser, cell: &str) -> Value {
    browser.value(&format!(
        "(({{ left, top }}) => [left, top])(document.querySelector('rk-match rk-board button[data-cell=\"{cell}\"]').style)"
    ))
}

/// Who stands where, as it is shown.
const PIECES: &str = "document.querySelector('rk-match rk-board').scene.pieces.map((piece) => `${piece.cell} ${piece.seat}`).sort()";

#[test]
fn who_plays_alone_gets_a_hint_with_its_reason_and_can_turn_the_board() {
    let site = Site::open("browser-hint");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.begin("hexapawn:rows=4,cols=4", "me,first");
    browser.turn();
    browser.click("[data-act=hint]");
    browser.see("rk-match rk-board .m-arrow.best");
    browser.see("[data-part=hint]");
    browser.wait("/ looks best: .+\\./.test(document.querySelector('[data-part=hint] p').textContent)");
    let before = place(&browser, "a1");
    browser.click(".about [data-act=flip]");
    assert_ne!(place(&browser, "a1"), before, "it is turned");
    browser.see("rk-match rk-board .m-arrow.best");
    // On a turned board a move is made where the cells are seen.
    assert!(!browser.play_once(|_| 0), "it has only begun");
    browser.wait("document.querySelector('[data-part=hint]').hidden");
    browser.turn();
    browser.click(".about [data-act=flip]");
    assert_eq!(place(&browser, "a1"), before, "and turned back");
}

/// Presses a key, and waits until the replay is there.
fn key_to(browser: &Browser, key: &str, ply: u64) {
    browser.keys(key);
    browser.wait(&format!("{RANGE} === {ply}"));
}

fn speed(browser: &Browser) -> Value {
    browser.value("document.querySelector('[data-speed][aria-pressed=true]').dataset.speed")
}

fn focus(browser: &Browser, css: &str) {
    browser.script("document.querySelector(arguments[0]).focus();", vec![json!(css)]);
    browser.wait(&format!("document.activeElement.matches({})", json!(css)));
}

#[test]
fn a_replay_has_keys_and_is_played_on_from() {
    let site = Site::open("browser-replay-keys");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let wanted = json!({"game": "hexapawn:rows=4,cols=4", "seats": ["random", "first"], "seed": "7"});
    let id = browser.post("/api/v1/matches", &wanted)["id"].as_str().unwrap().to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    browser.open(&format!("/m/{id}"));
    browser.see("[data-part=scrub]");
    let most = browser.state()["ply"].as_u64().unwrap();
    assert!(most > 2, "there is something to look at");
    browser.wait(&format!("{RANGE} === {most}"));
    let [left, right, home, end] =
        [Key::Left, Key::Right, Key::Home, Key::End].map(|key| char::from(key).to_string());
    key_to(&browser, &home, 0);
    key_to(&browser, &right, 1);
    key_to(&browser, &end, most);
    key_to(&browser, &left, most - 1);
    key_to(&browser, &home, 0);
    let plays = "document.querySelector('[data-act=play]').ariaLabel === 'Stop'";
    browser.keys(" ");
    browser.wait(plays);
    browser.wait(&format!("{RANGE} > 0"));
    browser.keys(" ");
    browser.wait(&format!("!({plays})"));
    letters(&browser);
    key_to(&browser, &home, 0);
    key_to(&browser, &right, 1);
    let looked_at = browser.value(PIECES);
    browser.click(".tools [data-act=play_on]");
    browser.wait(&format!("location.pathname !== '/m/{id}' && document.querySelector('rk-match')?.state"));
    let state = browser.turn().expect("it has only begun");
    assert_eq!((&state["ply"], &state["over"]), (&json!(0), &Value::Null));
    assert_eq!(browser.value(PIECES), looked_at, "it begins where it was looked at");
}

/// Single letters and signs act on the page and on the board, on nothing else, and can be switched off.
fn letters(browser: &Browser) {
    assert_eq!(speed(browser), "1");
    browser.keys(">");
    browser.wait("document.querySelector('[data-speed=\"4\"]').ariaPressed === 'true'");
    browser.keys("<");
    assert_eq!(speed(browser), "1");
    focus(browser, "a.logo");
    browser.keys(">");
    assert_eq!(speed(browser), "1", "on a link it is no key of ours");
    focus(browser, "rk-match rk-board button[tabindex=\"0\"]");
    browser.keys(">");
    assert_eq!(speed(browser), "4", "on the board it is");
    browser.script("localStorage.setItem('keys', 'off'); document.activeElement.blur();", vec![]);
    browser.keys("<");
    assert_eq!(speed(browser), "4", "they are switched off");
    browser.script("localStorage.removeItem('keys');", vec![]);
}
