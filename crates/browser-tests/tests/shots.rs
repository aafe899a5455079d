//! Pictures of every page, in both themes and both sizes: `cargo xtask shots`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rookery_browser_tests::{Browser, Site, Size, first_move_bot, wrong_move_bot};
use rookery_store::{EntrantKind, Hash, Store};
use serde_json::{Value, json};

fn make(browser: &Browser, game: &str, seats: &Value) -> String {
    let made = browser.post("/api/v1/matches", &json!({"game": game, "seats": seats, "seed": "7"}));
    format!("/m/{}", made["id"].as_str().unwrap_or_else(|| panic!("{made}")))
}

/// Makes a tournament of computers; it is waited for unless others may sign up.
fn hold(browser: &Browser, name: &str, format: &Value, sign_up: &Value) -> String {
    let computers = ["easy", "medium", "hard", "random"];
    let is_open = !sign_up.is_null();
    let entrants = computers.iter().take(if is_open { 2 } else { 4 });
    let entrants: Vec<Value> = entrants.map(|player| json!({"name": player, "player": player})).collect();
    let time = if is_open { "300s+3s" } else { "untimed" };
    let spec = json!({
        "name": name, "games": ["hexapawn"], "format": format, "entrants": entrants, "time": time, "sign_up": sign_up,
    });
    let begun = browser.post("/api/v1/tournaments", &spec);
    let id = begun["id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    while !is_open && browser.api(&format!("/api/v1/tournaments/{id}"))["complete"] != true {
        std::thread::sleep(Duration::from_millis(200));
    }
    format!("/t/{id}")
}

/// Makes everything that the pages are to show, and says where it is.
fn furnish(site: &Site, browser: &Browser) -> Vec<(&'static str, String)> {
    browser.open("/");
    let claim = json!({
        "name": "ann", "password": "correct horse", "claim": true, "operator": site.operator_token(),
    });
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    first_move_bot(site.bots(), "mine");
    let over = make(browser, "hexapawn:rows=6,cols=6", &json!(["easy", "medium"]));
    let running = make(browser, "fish:rows=6,cols=4", &json!(["me", "hard"]));
    let three = make(browser, "fish:board=classic,players=3", &json!(["easy", "me", "@mine"]));
    for game in ["hexapawn", "renpaarden", "stones"] {
        make(browser, game, &json!(["easy", "me"]));
    }
    wrong_move_bot(site.bots(), "wrong");
    while browser.api("/api/v1/bots").as_array().is_none_or(|bots| bots.len() < 2) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let lost = make(browser, "hexapawn:rows=4,cols=4", &json!(["@wrong", "easy"]));
    let cup = hold(browser, "Autumn Floe", &json!({"kind": "round-robin", "games": 2}), &Value::Null);
    let bracket = hold(browser, "Pawn Cup", &json!({"kind": "knock-out"}), &Value::Null);
    let open = json!({"people": true, "bots": true, "late": true});
    let opening = hold(browser, "Friday evening", &json!({"kind": "swiss", "rounds": 3}), &open);
    for (path, turns) in [(&running, 8), (&three, 6)] {
        browser.open(path);
        browser.play(turns, |turn, moves| turn * 7 % moves.len());
    }
    first_move_bot(site.bots(), "tested");
    browser.open("/connect?name=tested");
    browser.read("[data-part=light]", "online");
    browser.click("[data-part=check]");
    browser.wait("document.querySelectorAll('[data-part=report] .yes').length > 3 && !document.querySelector('[data-part=report] .wait')");
    browser.api("/api/v1/puzzles/today");
    let embed = over.replacen("/m/", "/embed/", 1);
    let friend = browser.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "friend"]}));
    let join = friend["seats"][1]["join"].as_str().unwrap_or_else(|| panic!("{friend}")).to_owned();
    vec![
        ("home", "/".to_owned()),
        ("new-game", "/new".to_owned()),
        ("replay", over),
        ("play", running),
        ("play-three", three.clone()),
        ("sheet-moves", three.clone()),
        ("sheet-chat", three.clone()),
        ("sheet-more", three.clone()),
        ("keys", three),
        ("lost", lost),
        ("watch", "/watch".to_owned()),
        ("tournaments", "/t".to_owned()),
        ("tournament-new", "/t/new".to_owned()),
        ("tournament", cup),
        ("bracket", bracket),
        ("bracket-before", opening),
        ("players", "/players".to_owned()),
        ("player", "/p/hard".to_owned()),
        ("player-bot", "/p/mine".to_owned()),
        ("connect", "/connect?name=tested".to_owned()),
        ("bundles", "/bundles".to_owned()),
        ("rules", "/rules/hexapawn".to_owned()),
        ("puzzle", "/puzzle".to_owned()),
        ("puzzle-solved", "/puzzle".to_owned()),
        ("protocol", "/docs/protocol".to_owned()),
        ("join", join),
        ("record", "/replay".to_owned()),
        ("embed", embed),
        ("settings", "/settings".to_owned()),
        ("login", "/login".to_owned()),
        ("operator", "/operator".to_owned()),
        ("machines", "/operator/machines".to_owned()),
        ("not-found", "/nowhere".to_owned()),
    ]
}

/// Clicks on whichever of them is there: phones have sheets where desks have tabs.
fn click(browser: &Browser, css: &str) {
    browser.wait("document.querySelector('rk-match').state");
    browser.click(css);
}

/// A bot with versions.
fn versions(store: &Store) {
    let bot = store.entrant("mine", EntrantKind::Bot).unwrap();
    for note in ["1.0 (3f2a91c0)", "1.1 (b07d44e1)", "2.0 (91ce02aa)"] {
        store.put_version(bot, Hash::of(note.as_bytes()), note, None).unwrap();
    }
}

#[test]
#[ignore = "it writes pictures to target/shots: cargo xtask shots"]
fn every_page() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/shots");
    fs::create_dir_all(&folder).unwrap();
    let site = Site::furnished("browser-shots", versions);
    let browser = site.browser(Size::Desktop).expect("pictures need chromium and chromium-driver");
    let pages = furnish(&site, &browser);
    for (size, size_name) in [(Size::Desktop, "desktop"), (Size::Phone, "phone")] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            for (name, path) in &pages {
                browser.open(path);
                browser.wait("document.readyState === 'complete'");
                if *name == "replay" {
                    browser.see("[data-part=graph] svg");
                }
                if *name == "puzzle-solved" {
                    browser.see("[data-part=solution]");
                    // It asks once.
                    browser.click("[data-part=solution]");
                    browser.click("[data-part=solution]");
                    browser.see(".walk li svg");
                }
                match *name {
                    "lost" => browser.see("[data-part=evidence] > *"),
                    "sheet-moves" => click(&browser, "[data-act=moves], [data-act=sheet_moves]"),
                    "sheet-chat" => click(&browser, "[data-act=chat], [data-act=sheet_chat]"),
                    "sheet-more" => click(&browser, "[data-act=more], [data-act=details]"),
                    "keys" => browser.keys("?"),
                    _ => {}
                }
                // What moves has come to rest.
                std::thread::sleep(Duration::from_millis(900));
                // Boards are as large as the screen lets them be.
                let picture = browser.picture(
                    size,
                    !matches!(
                        *name,
                        "play" | "play-three" | "sheet-moves" | "sheet-chat" | "sheet-more" | "keys"
                    ),
                );
                fs::write(folder.join(format!("{name}-{size_name}-{theme}.png")), picture).unwrap();
            }
        }
    }
    // There is no such page, and that is what it shows.
    browser.expect_only_refusals();
}
