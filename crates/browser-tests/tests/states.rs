//! Pages in states that are rarely seen: somebody has gone away.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size};
use serde_json::{Value, json};

fn make(browser: &Browser, wanted: &Value) -> Value {
    let made = browser.post("/api/v1/matches", wanted);
    assert!(made["id"].is_string(), "{made}");
    made
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
