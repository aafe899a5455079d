//! The pages around the match: settings, the operator, bots, rules, puzzles; and texts that mean harm.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Answer, Client, Running, folder};
use serde_json::json;

fn send(client: &mut Client, path: &str, fields: &[(&str, &str)]) -> Answer {
    let encoded = |text: &str| -> String {
        text.bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect()
    };
    let form: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    client.send(path, &form.join("&"))
}

fn claimed(server: &Running, name: &str, operator: Option<&str>) -> Client {
    let mut client = server.client();
    let claim = json!({"name": name, "password": "correct horse", "claim": true, "operator": operator});
    assert_eq!(client.post("/api/v1/login", &claim).status, 200);
    client
}

#[test]
fn tokens_are_shown_once_and_revoked() {
    let folder = folder("server-settings");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann", None);
    let page = send(&mut ann, "/connect", &[("name", "ann-bot"), ("lang", "rust")]).text();
    let token =
        page.split("<code class=\"spec grow\">").nth(1).and_then(|rest| rest.split('<').next()).unwrap();
    assert_eq!(token.len(), 64, "{page}");
    assert!(page.contains("--secret-file ann-bot.token") && page.contains("rookery check"), "{page}");
    assert!(!ann.get("/connect?name=ann-bot").text().contains(token));
    let mut program = server.client();
    program.bearer = Some(token.to_owned());
    assert_eq!(program.get("/api/v1/me").json()["name"], "ann");
    let id = ann.get("/api/v1/tokens").json()[0]["id"].to_string();
    assert_eq!(
        send(&mut claimed(&server, "eve", None), "/settings", &[("what", "revoke"), ("id", &id)]).status,
        404
    );
    assert_eq!(send(&mut ann, "/settings", &[("what", "revoke"), ("id", &id)]).status, 200);
    assert_eq!(program.get("/api/v1/me").status, 401);
    // A name that somebody has is no name for a bot.
    assert_eq!(send(&mut ann, "/connect", &[("name", "eve")]).status, 409);
    assert_eq!(server.client().ask("POST", "/connect", None).status, 401);
}

#[test]
fn a_name_is_deleted_and_its_games_stay() {
    let folder = folder("server-delete");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann", None);
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    send(&mut ann, &format!("/m/{id}/do"), &[("what", "resign")]);
    ann.wait_for("/api/v1/matches?player=ann", |list| list["matches"].as_array().unwrap().len() == 1);
    let mut other = server.client();
    assert_eq!(other.post("/api/v1/login", &json!({"name": "ann", "password": "correct horse"})).status, 200);
    assert_eq!(send(&mut ann, "/settings", &[("what", "delete"), ("name", "anna")]).status, 422);
    assert_eq!(other.get("/api/v1/me").json()["name"], "ann", "not by mistake");
    assert_eq!(send(&mut ann, "/settings", &[("what", "delete"), ("name", "ann")]).status, 303);
    assert_eq!(other.get("/api/v1/me").json()["kind"], "nobody", "all sessions are over");
    assert_eq!(ann.get("/api/v1/players/ann").status, 404);
    assert_eq!(ann.get(&format!("/api/v1/matches/{id}")).status, 200, "the game stays");
    let listed = ann.get("/api/v1/matches").json();
    assert!(!listed.to_string().contains("\"ann\""), "{listed}");
    let login = json!({"name": "ann", "password": "correct horse"});
    assert_eq!(server.client().post("/api/v1/login", &login).status, 401);
}

#[test]
fn sessions_end_and_passwords_change() {
    let folder = folder("server-sessions");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann", None);
    let mut phone = server.client();
    phone.post("/api/v1/login", &json!({"name": "ann", "password": "correct horse"}));
    assert_eq!(send(&mut ann, "/settings", &[("what", "sessions")]).status, 200);
    assert_eq!(
        (phone.get("/api/v1/me").json()["kind"].as_str(), ann.get("/api/v1/me").json()["kind"].as_str()),
        (Some("nobody"), Some("person"))
    );
    assert_eq!(send(&mut ann, "/settings", &[("what", "password"), ("password", "short")]).status, 422);
    assert_eq!(
        send(
            &mut ann,
            "/settings",
            &[("what", "password"), ("old", "correct horse"), ("password", "another horse")]
        )
        .status,
        200
    );
    let login = |password: &str| {
        server.client().post("/api/v1/login", &json!({"name": "ann", "password": password})).status
    };
    assert_eq!((login("correct horse"), login("another horse")), (401, 200));
    let theme = send(&mut ann, "/settings/theme", &[("theme", "dark")]);
    assert!(theme.header("set-cookie").unwrap().starts_with("theme=dark;"));
}

#[test]
fn fault_w07_a_password_changes_only_for_who_knows_it() {
    let folder = folder("server-password");
    let server = Running::start(&folder);
    let mut ann = claimed(&server, "ann", None);
    // Whoever finds a session left open does not know the password, and changes nothing.
    for wrong in [&[][..], &[("old", "wrong horse")]] {
        let fields = [&[("what", "password"), ("password", "thief's horse")], wrong].concat();
        let refused = send(&mut ann, "/settings", &fields);
        assert_eq!(refused.status, 422, "{fields:?}");
        assert!(refused.text().contains("not your password"), "{}", refused.text());
    }
    let login = json!({"name": "ann", "password": "correct horse"});
    assert_eq!(server.client().post("/api/v1/login", &login).status, 200, "nothing has changed");
}

#[test]
fn the_operator_acts_and_each_act_is_written_down() {
    let folder = folder("server-operator");
    let server = Running::start(&folder);
    let mut boss = claimed(&server, "boss", server.operator_token.as_deref());
    let mut ann = claimed(&server, "ann", None);
    assert_eq!((ann.get("/operator").status, server.client().get("/operator").status), (403, 401));
    assert_eq!(send(&mut ann, "/operator", &[("what", "ban"), ("name", "boss")]).status, 403);
    let made = ann.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    assert!(boss.get("/operator").text().contains(&id));
    assert_eq!(
        send(&mut boss, "/operator", &[("what", "cancel"), ("match", &id), ("reason", "rude")]).status,
        200
    );
    ann.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    assert_eq!(send(&mut boss, "/operator", &[("what", "sign_up"), ("open", "false")]).status, 200);
    let claim = json!({"name": "late", "password": "correct horse", "claim": true});
    assert_eq!(server.client().post("/api/v1/login", &claim).status, 401);
    assert_eq!(send(&mut boss, "/operator", &[("what", "ban"), ("name", "ann")]).status, 200);
    assert_ne!(ann.get("/api/v1/me").json()["kind"], "person");
    assert_eq!(send(&mut boss, "/operator", &[("what", "ban"), ("name", "nobody")]).status, 404);
    let log = boss.get("/operator").text();
    for act in ["cancelled a match", "closed sign-up", "banned", "ended the sessions of"] {
        assert!(log.contains(act), "{act}");
    }
}

#[test]
fn rules_have_boards_and_documents_are_served() {
    let folder = folder("server-rules");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for game in rookery_catalog::CATALOG {
        let page = guest.get(&format!("/rules/{}", game.name())).text();
        assert!(page.contains("<rk-try") && page.contains("id=\"notation\""), "{}: {page}", game.name());
    }
    for name in ["protocol", "api", "first-bot", "record"] {
        assert_eq!(guest.get(&format!("/docs/{name}")).status, 200, "{name}");
    }
    assert_eq!((guest.get("/rules/chess").status, guest.get("/docs/..%2fCargo").status), (404, 404));
    let tried = guest
        .post("/api/v1/try", &json!({"game": "hexapawn", "position": "p1 111/.../222", "move": "b1-b2"}))
        .json();
    assert_eq!(
        (tried["position"].as_str(), tried["said"].as_str()),
        (Some("p2 1.1/.1./222"), Some("Player 2 has 4 moves."))
    );
    assert_eq!(
        guest
            .post("/api/v1/try", &json!({"game": "hexapawn", "position": "p1 111/.../222", "move": "b1-b3"}))
            .status,
        422
    );
}

#[test]
fn a_puzzle_is_solved_by_its_solution() {
    let folder = folder("server-puzzle");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let page = guest.get("/puzzle/2026-11-17").text();
    assert!(page.contains("<rk-puzzle") && page.contains("Win in"), "{page}");
    assert_eq!(guest.get("/puzzle/2026-02-30").status, 404);
    let puzzle = guest.get("/api/v1/puzzles/2026-11-17").json();
    let solution = guest.get("/api/v1/puzzles/2026-11-17/solution").json();
    assert_eq!(solution["moves"].as_array().unwrap().len(), solution["pictures"].as_array().unwrap().len());
    // One move wins, and every other one is told with its value.
    let all = solution["all"].as_array().unwrap();
    assert_eq!(all.len(), puzzle["scene"]["moves"].as_array().unwrap().len());
    assert_eq!((&all[0]["move"], &all[0]["wins"]), (&solution["moves"][0], &json!(true)));
    assert!(
        all[1..].iter().all(|one| one["wins"] == false && one["worth"].as_str().unwrap().len() > 4),
        "{all:?}"
    );
    // Nobody searches for it a second time: a hundred answers take less than the search of one may.
    let begin = std::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(guest.get("/api/v1/puzzles/2026-11-17/solution").json(), solution);
    }
    assert!(begin.elapsed() < std::time::Duration::from_secs(15), "{:?}", begin.elapsed());
    let ask = json!({"game": puzzle["game"], "position": puzzle["position"], "step": 3});
    let hint = guest.post("/api/v1/puzzles/2026-11-17/hint", &ask).json();
    assert!(hint["said"].as_str().unwrap().contains("wins"), "{hint}");
    let attempt =
        json!({"game": puzzle["game"], "position": puzzle["position"], "move": solution["moves"][0]});
    let tried = guest.post("/api/v1/puzzles/2026-11-17/attempt", &attempt).json();
    assert!(tried["result"] == "solved" || tried["result"]["right"].is_object(), "{tried}");
}

/// Texts that mean harm, for every field.
fn hostile() -> Vec<String> {
    let seeds = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' or 1=1 --",
        "{{7*7}}",
        "${7*7}",
        "../../etc/passwd",
        "%00",
        "\0",
        "\r\nSet-Cookie: a=b",
        "\u{202e}txt",
        "🦀".repeat(40).as_str(),
        "a".repeat(60_000).as_str(),
        "-1",
        "1e999",
        "9".repeat(400).as_str(),
        "null",
        "javascript:alert(1)",
        "</textarea><script>",
        "\\",
        "\u{feff}",
        "@",
        "@@",
        "remote:x",
        "cmd:rm -rf /",
        "hexapawn:rows=99999999999",
        "fish:players=0",
    ]
    .map(str::to_owned);
    let doubled =
        seeds.iter().map(|seed| format!("{}\u{301}{}", seed.chars().take(50).collect::<String>(), '"'));
    seeds.iter().cloned().chain(doubled).collect()
}

#[test]
fn fault_w03_fifty_hostile_texts_do_no_harm() {
    let folder = folder("server-hostile");
    let server = Running::start(&folder);
    let mut boss = claimed(&server, "boss", server.operator_token.as_deref());
    let fields: [(&str, &[&str]); 5] = [
        (
            "/t/new",
            &[
                "game", "board", "format", "rounds", "games", "elo", "first", "who", "time", "name",
                "signup", "start",
            ],
        ),
        ("/connect", &["name", "lang"]),
        ("/settings", &["what", "note", "name", "password", "id"]),
        ("/operator", &["what", "name", "match", "reason", "open"]),
        ("/settings/theme", &["theme"]),
    ];
    let texts = hostile();
    assert!(texts.len() >= 50);
    for text in &texts {
        for (path, names) in fields {
            let form: Vec<(&str, &str)> = names.iter().map(|name| (*name, text.as_str())).collect();
            let answer = send(&mut boss, path, &form);
            assert!(answer.status < 500 && answer.status != 0, "{path} {text:?}: {}", answer.status);
            let page = answer.text();
            assert!(
                !page.contains("<script>alert") && !page.contains("<img src=x"),
                "{path} {text:?}: {page}"
            );
        }
        let encoded =
            text.bytes().take(2000).fold(String::new(), |encoded, byte| encoded + &format!("%{byte:02X}"));
        for path in [
            "/p/",
            "/players?game=",
            "/players?name=",
            "/rules/",
            "/docs/",
            "/puzzle/",
            "/t/",
            "/t/new?name=",
            "/t/new?board=hexapawn:",
            "/connect?name=",
        ] {
            let answer = boss.get(&format!("{path}{encoded}"));
            assert!(answer.status < 500 && answer.status != 0, "{path} {text:?}: {}", answer.status);
            assert!(
                !answer.text().contains("<script>alert") && !answer.text().contains("<img src=x"),
                "{path} {text:?}"
            );
        }
    }
    assert_eq!(boss.get("/health").status, 200);
}
