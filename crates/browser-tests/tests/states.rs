//! Pages in states that are rarely seen: an invitation, a game of one's own, a loss by fault, a page that is none; all of them
//! for everybody.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::Duration;

use rookery_browser_tests::{Browser, Site, Size, axe, named_bot};
use serde_json::{Value, json};

fn make(browser: &Browser, wanted: &Value) -> Value {
    let made = browser.post("/api/v1/matches", wanted);
    assert!(made["id"].is_string(), "{made}");
    made
}

/// Where all these pages are.
fn furnish(site: &Site, browser: &Browser) -> Vec<String> {
    browser.open("/");
    browser.post("/api/v1/login", &json!({"name": "ann", "password": "correct horse", "claim": true}));
    // It says what it must not, so that it loses.
    named_bot(site.bots(), &json!({"name": "mine"}), json!({"nonsense": "?"}));
    while browser.api("/api/v1/bots")[0]["name"] != "mine" {
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
    let lost = id(&make(browser, &json!({"game": "hexapawn", "seats": ["@mine", "first"], "casual": false})));
    while browser.api(&format!("/api/v1/matches/{lost}"))["over"].is_null() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let own = id(&make(browser, &json!({"game": "hexapawn", "seats": ["me", "first"]})));
    let friend = make(browser, &json!({"game": "hexapawn", "seats": ["me", "friend"]}));
    let join = friend["seats"][1]["join"].as_str().unwrap().to_owned();
    let join = join.split("/join/").nth(1).map(|code| format!("/join/{code}")).unwrap();
    vec![
        format!("/m/{own}"),
        format!("/m/{}", id(&friend)),
        format!("/m/{lost}"),
        format!("/embed/{lost}"),
        join,
        "/p/mine".to_owned(),
        "/p/ann".to_owned(),
        "/puzzle".to_owned(),
        "/nowhere".to_owned(),
    ]
}

#[test]
fn rare_states_are_for_everybody_in_both_themes() {
    let Some(axe) = axe() else { return };
    let site = Site::open("browser-states");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    let pages = furnish(&site, &browser);
    let mut all = vec![];
    for (size, theme) in [(Size::Desktop, "light"), (Size::Desktop, "dark"), (Size::Phone, "light")] {
        browser.resize(size);
        browser.prefer(theme);
        for page in &pages {
            browser.open(page);
            browser.wait("document.readyState === 'complete'");
            if page == "/puzzle" {
                // As it is when it was solved.
                browser.see("[data-part=solution]");
                // It asks once; on phones the bar below may lie over it.
                browser.script(
                    "for (const _ of [1, 2]) document.querySelector('[data-part=solution]').click();",
                    vec![],
                );
                browser.see(".walk li svg");
            }
            let found = browser.barriers(&axe);
            all.extend(found.into_iter().map(|what| format!("{page} {theme} {size:?}: {what}")));
        }
    }
    browser.expect_only_refusals();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn whoever_stays_sees_for_how_long_the_other_is_waited_for() {
    let site = Site::open("browser-away");
    let (Some(ann), Some(bob)) = (site.browser(Size::Desktop), site.browser(Size::Phone)) else { return };
    ann.open("/");
    let made = make(&ann, &json!({"game": "hexapawn", "seats": ["me", "friend"]}));
    let path = format!("/m/{}", made["id"].as_str().unwrap());
    bob.open(made["seats"][1]["join"].as_str().unwrap());
    bob.click("main form button.primary, main button.primary");
    bob.see("rk-match rk-board");
    ann.open(&path);
    ann.play_once(|_| 0);
    bob.open("/");
    ann.read("[data-seat=\"1\"] .sub", "away, back within 0:");
    let refused = ann.script_later(
        "const done = arguments[arguments.length - 1]; const match = document.querySelector('rk-match'); \
         const socket = new WebSocket(new URL('/api/v1/live', location.href).href.replace('http', 'ws')); \
         socket.onmessage = (event) => { socket.close(); done(JSON.parse(event.data).reply.error); }; \
         socket.onopen = () => socket.send(JSON.stringify({ do: { match: match.state.id, n: 1, end: {} } }));",
    );
    assert!(refused.as_str().unwrap().contains("s to come back"), "{refused}");
    bob.open(&path);
    ann.wait("!document.querySelector('[data-seat=\"1\"] .sub').textContent.includes('away')");
}
