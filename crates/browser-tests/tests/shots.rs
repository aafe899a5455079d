//! Pictures of every page, in both themes and both sizes: `cargo xtask shots`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::PathBuf;

use rookery_browser_tests::{Site, Size};
use serde_json::{Value, json};

#[test]
#[ignore = "it writes pictures to target/shots: cargo xtask shots"]
fn every_page() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/shots");
    fs::create_dir_all(&folder).unwrap();
    let site = Site::open("browser-shots");
    let browser = site.browser(Size::Desktop).expect("pictures need chromium and chromium-driver");
    browser.open("/");
    let make = |seats: Value| {
        let made = browser.post("/api/v1/matches", &json!({"game": "fish", "seats": seats, "seed": "7"}));
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    };
    let (over, running) = (make(json!(["easy", "medium"])), make(json!(["me", "hard"])));
    let entrants =
        ["easy", "medium", "hard", "random"].map(|player| json!({"name": player, "player": player}));
    let cup = browser.post(
        "/api/v1/tournaments",
        &json!({
            "name": "Evening", "games": ["hexapawn"], "format": {"kind": "round-robin", "games": 2},
            "entrants": entrants,
        }),
    );
    let cup = cup["id"].as_str().unwrap_or_else(|| panic!("{cup}")).to_owned();
    browser.open(&format!("/m/{running}"));
    browser.play_once(|_| 0);
    browser.turn();
    while browser.api(&format!("/api/v1/tournaments/{cup}"))["complete"] != true {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let (over, running, cup) = (format!("/m/{over}"), format!("/m/{running}"), format!("/t/{cup}"));
    let pages = [
        ("home", "/"),
        ("new-game", "/new"),
        ("replay", &over),
        ("play", &running),
        ("watch", "/watch"),
        ("tournaments", "/t"),
        ("tournament-new", "/t/new"),
        ("tournament", &cup),
        ("players", "/players"),
        ("player", "/p/hard"),
        ("connect", "/connect"),
        ("rules", "/rules/hexapawn"),
        ("puzzle", "/puzzle"),
        ("settings", "/settings"),
        ("login", "/login"),
    ];
    for (size, size_name) in [(Size::Desktop, "desktop"), (Size::Phone, "phone")] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            for (name, path) in pages {
                browser.open(path);
                browser.wait("document.readyState === 'complete'");
                // What moves has come to rest, and a review that was begun is there.
                std::thread::sleep(std::time::Duration::from_millis(if name == "replay" {
                    4000
                } else {
                    700
                }));
                fs::write(folder.join(format!("{name}-{size_name}-{theme}.png")), browser.picture()).unwrap();
            }
        }
    }
}
