//! Every example of docs/api.md, run by curl against a server.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::process::Command;

use common::{Running, folder};
use serde_json::json;

#[test]
fn the_examples_of_the_api_work() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md")).unwrap();
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the examples of docs/api.md, because there is no curl here");
        return;
    }
    let folder = folder("server-docs");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let made =
        guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "random"]})).json();
    let id = made["id"].as_str().unwrap();
    guest.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    let examples: Vec<&str> = text.lines().filter(|line| line.starts_with("curl ")).collect();
    assert!(examples.len() > 12, "they are found");
    for example in examples {
        let ran = Command::new("sh")
            .args(["-c", &example.replacen("curl -s", "curl -s -S --fail-with-body --max-time 60", 1)])
            .env("URL", format!("http://{}", server.address))
            .env("ID", id)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(
            ran.status.success() && !said.is_empty(),
            "{example}: {said} {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        assert!(!said.starts_with("{\"error\""), "{example}: {said}");
    }
}
