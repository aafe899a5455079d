//! The page in a classroom: plain HTTP at a name, where browsers allow less than on their own machine.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Site, Size};
use serde_json::json;

#[test]
fn no_page_of_a_classroom_has_anything_to_complain_of() {
    let site = Site::classroom("browser-classroom");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    assert_eq!(browser.value("window.isSecureContext"), false, "it is no machine of its own");
    let body = json!({"game": "hexapawn", "seats": ["first", "first"], "seed": "7"});
    let made = browser.post("/api/v1/matches", &body);
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let (replay, embedded) = (format!("/m/{id}"), format!("/embed/{id}"));
    let pages = [
        "/",
        "/new",
        "/watch",
        "/players",
        "/t",
        "/t/new",
        "/puzzle",
        "/rules",
        "/rules/fish",
        "/connect",
        "/bundles",
        "/replay",
        "/login",
        "/settings",
        &replay,
        &embedded,
    ];
    for page in pages {
        browser.open(page);
        browser.see("main, rk-match");
        // What the console says of any of them is named with it.
        browser.expect_quiet();
    }
    // A game that is played there.
    browser.open("/new?spec=hexapawn&seats=me,first");
    browser.click("form.newgame button.primary");
    browser.turn();
    browser.play_once(|_| 0);
    browser.wait("document.querySelector('rk-match').state?.ply >= 2");
}
