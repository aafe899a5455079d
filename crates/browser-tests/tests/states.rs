//! Pages in states that are rarely seen: somebody has gone away, something is lost, empty, open, wrong or very long.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_browser_tests::{Browser, Site, Size, axe, wrong_move_bot};
use rookery_store::{EntrantKind, Hash, Store};
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

/// A bot of which some versions are known.
fn versions(store: &Store) {
    let bot = store.entrant("wrong", EntrantKind::Bot).unwrap();
    for (n, note) in
        ["1.0 (3f2a91c0)", "", "a version with a name that is longer than most"].into_iter().enumerate()
    {
        store.put_version(bot, Hash::of(&[u8::try_from(n).unwrap()]), note, None).unwrap();
    }
}

fn over(browser: &Browser, wanted: &Value) -> String {
    let id = make(browser, wanted)["id"].as_str().unwrap().to_owned();
    while browser.api(&format!("/api/v1/matches/{id}"))["over"].is_null() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    format!("/m/{id}")
}

/// What axe finds in every state, in both themes and both sizes. A state is where to go, what to do there and what is seen then.
fn barriers(browser: &Browser, axe: &str, states: &[(&str, &str, &str)]) -> Vec<String> {
    let mut all = vec![];
    for size in [Size::Desktop, Size::Phone] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            for (path, act, seen) in states {
                browser.open(path);
                browser.wait("document.readyState === 'complete'");
                if path.starts_with("/m/") {
                    browser.wait(
                        "!document.querySelector('rk-match') || document.querySelector('rk-match').state",
                    );
                }
                browser.script(act, vec![]);
                browser.see(seen);
                let found = browser.barriers(axe);
                all.extend(found.into_iter().map(|what| format!("{path} {act} {theme} {size:?}: {what}")));
            }
        }
    }
    all
}

#[test]
fn rare_states_are_for_everybody_too() {
    let Some(axe) = axe() else { return };
    let site = Site::furnished("browser-rare", versions);
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let long = "W".repeat(24);
    let claim =
        json!({"name": long, "password": "correct horse", "claim": true, "operator": site.operator_token()});
    assert_eq!(browser.post("/api/v1/login", &claim)["operator"], true);
    wrong_move_bot(site.bots(), "wrong");
    while browser.api("/api/v1/bots").as_array().is_none_or(Vec::is_empty) {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let lost = over(&browser, &json!({"game": "hexapawn", "seats": ["@wrong", "me"]}));
    browser.open(&lost);
    browser.see("[data-part=evidence] > *");
    let own = make(&browser, &json!({"game": "fish:rows=6,cols=4", "seats": ["me", "first"]}));
    let own = format!("/m/{}", own["id"].as_str().unwrap());
    let key = |key: &str| {
        format!(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}));"
        )
    };
    let [keys, legal, resign] = ["?", "m", "R"].map(key);
    let profile = format!("/p/{long}");
    let solve = "for (const _ of [1, 2]) document.querySelector('[data-part=solution]').click();";
    let states: [(&str, &str, &str); 18] = [
        ("/nowhere", "", "main h1"),
        ("/m/000000000000", "", "main h1"),
        ("/join/gone", "", "main h1"),
        ("/watch?game=four", "", "[data-part=nothing]"),
        ("/t", "", "main h1"),
        ("/players?game=four", "", "main h1"),
        ("/bundles", "", "main h1"),
        ("/p/wrong", "", ".stats"),
        (&profile, "", ".stats"),
        (&lost, "", "[data-part=evidence] > *"),
        (&own, &keys, "[data-part=keys][open]"),
        (&own, &legal, "[data-part=legal][open]"),
        (&own, &resign, "[data-part=question]"),
        ("/puzzle", solve, ".walk li svg"),
        ("/operator", "", "main h1"),
        ("/operator/machines", "", "main table"),
        ("/settings", "", "main h1"),
        ("/replay", "", "main h1"),
    ];
    let all = barriers(&browser, &axe, &states);
    assert!(all.is_empty(), "{}", all.join("\n"));
    browser.expect_only_refusals();
}

/// A tournament of computers without a bracket, played to its end.
fn table(browser: &Browser) -> String {
    let entrants = ["random", "first", "easy"].map(|player| json!({"name": player, "player": player}));
    let spec = json!({
        "name": "Cup", "games": ["hexapawn"], "format": {"kind": "round-robin", "games": 2}, "entrants": entrants,
        "time": "untimed",
    });
    let made = browser.post("/api/v1/tournaments", &spec);
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    while browser.api(&format!("/api/v1/tournaments/{id}"))["complete"] != true {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    format!("/t/{id}")
}

#[test]
fn frames_invitations_sheets_lists_and_records_are_for_everybody_too() {
    let Some(axe) = axe() else { return };
    let site = Site::open("browser-seldom");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    browser.post("/api/v1/login", &json!({"name": "ann", "password": "correct horse", "claim": true}));
    let cup = table(&browser);
    let past = over(&browser, &json!({"game": "hexapawn", "seats": ["random", "first"], "seed": "7"}));
    let own = make(&browser, &json!({"game": "fish:players=3", "seats": ["first", "me", "random"]}));
    let own = format!("/m/{}", own["id"].as_str().unwrap());
    let friend = make(&browser, &json!({"game": "hexapawn", "seats": ["me", "friend"]}));
    let waiting = format!("/m/{}", friend["id"].as_str().unwrap());
    let join = friend["seats"][1]["join"].as_str().unwrap();
    let [past_frame, own_frame] = [&past, &own].map(|path| path.replacen("/m/", "/embed/", 1));
    let read = format!(
        "const ask = new XMLHttpRequest(); ask.open('GET', '{past}.jsonl', false); ask.send(); const data = new DataTransfer(); \
         data.items.add(new File([ask.responseText], 'game.jsonl')); const input = document.querySelector('rk-record input'); \
         customElements.whenDefined('rk-record').then(() => {{ input.files = data.files; input.dispatchEvent(new Event('change')); }});"
    );
    let press = |act: &str| format!("document.querySelector('.actions [data-act={act}]').click();");
    let [moves, chat, more] = ["sheet_moves", "sheet_chat", "more"].map(press);
    let states: [(&str, &str, &str); 10] = [
        (&past_frame, "", "rk-board svg"),
        (&own_frame, "", "rk-board svg"),
        (join, "", "main form button.primary"),
        (&waiting, "", "[data-part=waiting] code"),
        ("/watch", "", "[data-match] rk-board svg"),
        (&cup, "", ".cross"),
        (&own, &moves, "#pane-moves"),
        (&own, &chat, "#pane-chat"),
        (&own, &more, "rk-match.more"),
        ("/replay", &read, "rk-record [data-part=range]"),
    ];
    let all = barriers(&browser, &axe, &states);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn without_a_connection_the_page_is_for_everybody_too() {
    let Some(axe) = axe() else { return };
    let site = Site::open("browser-rare-offline");
    let Some(browser) = site.browser(Size::Desktop) else { return };
    browser.open("/");
    let id = make(&browser, &json!({"game": "hexapawn", "seats": ["me", "first"]}));
    browser.open(&format!("/m/{}", id["id"].as_str().unwrap()));
    browser.turn();
    for size in [Size::Desktop, Size::Phone] {
        browser.resize(size);
        for theme in ["light", "dark"] {
            browser.prefer(theme);
            browser.offline(true);
            browser.see(".away-note");
            assert_eq!(browser.barriers(&axe), Vec::<String>::new(), "{theme} {size:?}");
            browser.offline(false);
            browser.wait("document.querySelector('rk-match').isNewest");
        }
    }
}
