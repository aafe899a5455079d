//! `schemathesis` (of `PyPI`) reads the description of the API and tries everything that it says, and what it does not say, against
//! a running server. `cargo xtask test` brings it and names it by `ROOKERY_SCHEMATHESIS`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::process::Command;

use common::{Running, folder};
use rookery_testkit::tell_skipped;
use serde_json::json;

/// How long it looks, each time.
const SECONDS: &str = "30";

/// Lets it look at the server with these headers, and at no address that these patterns fit.
fn look(server: &Running, name: &str, headers: &[&str], without: &str, unchecked: &str) {
    let Some(program) = std::env::var_os("ROOKERY_SCHEMATHESIS") else {
        tell_skipped(
            "schemathesis: ROOKERY_SCHEMATHESIS names no program; `cargo xtask test` brings it from PyPI",
        );
        return;
    };
    let scratch = folder(&format!("schemathesis-{name}"));
    let mut command = Command::new(program);
    command.current_dir(&*scratch).args(["run", &format!("http://{}/api/v1/openapi.json", server.address)]);
    // One worker: the parser of CPython 3.11 fails now and then in several threads.
    command.args(["--max-time", SECONDS, "--workers", "1", "--seed", "7", "--request-timeout", "60"]);
    command.args(["--no-shrink", "--suppress-health-check", "all", "--warnings", "off"]);
    // That a text is the spec of a game, or the name of a player, no schema says.
    let unchecked = format!("positive_data_acceptance{unchecked}");
    command.args(["--exclude-path-regex", without, "--exclude-checks", &unchecked]);
    for header in headers {
        command.args(["--header", header]);
    }
    let done = command.output().unwrap();
    assert!(
        done.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
    assert_eq!(server.client().get("/health").status, 200);
}

#[test]
fn the_api_is_as_it_is_described_for_nobody() {
    let folder = folder("server-api-nobody");
    let server = Running::start(&folder);
    look(&server, "nobody", &["Sec-Fetch-Site: same-origin"], "^/api/v1/live$", "");
}

#[test]
fn the_api_is_as_it_is_described_for_the_operator() {
    let folder = folder("server-api-operator");
    let server = Running::start(&folder);
    let mut boss = server.client();
    let claim = json!({
        "name": "boss", "password": "correct horse", "claim": true, "operator": server.operator_token,
    });
    assert_eq!(boss.post("/api/v1/login", &claim).status, 200);
    let made = boss.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]}));
    assert_eq!(made.status, 201);
    let cookie = format!("Cookie: {}", boss.cookie.as_deref().unwrap());
    // Who ends the session would be nobody for the rest.
    let without = "^/api/v1/(live|login|logout)$";
    // The cookie is who it is, whatever else is sent or missing.
    look(
        &server,
        "operator",
        &["Sec-Fetch-Site: same-origin", &cookie],
        without,
        ",ignored_auth,missing_required_header,negative_data_rejection",
    );
}
