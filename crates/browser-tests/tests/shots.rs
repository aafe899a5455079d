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
    let claim = json!({
        "name": "ann", "password": "correct horse", "claim": true, "operator": site.operator_token(),
    });
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    let make = |game: &str, seats: Value| {
        let made = browser.post("/api/v1/matches", &json!({"game": game, "seats": seats, "seed": "7"}));
        made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    };
    let (over, running) =
        (make("hexapawn:rows=6,cols=6", json!(["easy", "medium"])), make("fish", json!(["me", "hard"])));
    for game in ["hexapawn", "renpaarden", "stones"] {
        make(game, json!(["easy", "me"]));
    }
    let hold = |name: &str, format: Value| {
        let entrants =
            ["easy", "medium", "hard", "random"].map(|player| json!({"name": player, "player": player}));
        let spec = json!({"name": name, "games": ["hexapawn"], "format": format, "entrants": entrants});
        let begun = browser.post("/api/v1/tournaments", &spec);
        let id = begun["id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
        while browser.api(&format!("/api/v1/tournaments/{id}"))["complete"] != true {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        format!("/t/{id}")
    };
    let cup = hold("Autumn Floe", json!({"kind": "round-robin", "games": 2}));
    let bracket = hold("Pawn Cup", json!({"kind": "knock-out"}));
    browser.open(&format!("/m/{running}"));
    browser.play_once(|_| 0);
    browser.turn();
    let (over, running) = (format!("/m/{over}"), format!("/m/{running}"));
    let pages = [
        ("home", "/"),
        ("new-game", "/new"),
        ("replay", &over),
        ("play", &running),
        ("watch", "/watch"),
        ("tournaments", "/t"),
        ("tournament-new", "/t/new"),
        ("tournament", &cup),
        ("bracket", &bracket),
        ("players", "/players"),
        ("player", "/p/hard"),
        ("connect", "/connect"),
        ("rules", "/rules/hexapawn"),
        ("puzzle", "/puzzle"),
        ("settings", "/settings"),
        ("login", "/login"),
        ("operator", "/operator"),
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
                fs::write(folder.join(format!("{name}-{size_name}-{theme}.png")), browser.picture(size))
                    .unwrap();
            }
        }
    }
}
