//! Every example of docs/api.md, run by curl against a server; and its list of all addresses.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::process::Command;

use common::{Running, folder};
use rookery_server::http::Access;
use rookery_server::routes::routes;
use serde_json::json;

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md")).unwrap()
}

/// The lines of all examples for a shell.
fn examples(page: &str) -> Vec<&str> {
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    blocks.flat_map(str::lines).collect()
}

#[test]
fn the_examples_of_the_api_work() {
    if Command::new("curl").arg("--version").output().is_err() {
        rookery_testkit::tell_skipped("the examples of docs/api.md, because there is no curl here");
        return;
    }
    let text = page();
    let folder = folder("server-docs");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let made =
        guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "random"]})).json();
    let id = made["id"].as_str().unwrap();
    guest.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    guest.wait_for("/api/v1/players", |list| list.as_array().unwrap().len() == 2);
    let token = server.claimed("docs", None).post("/api/v1/tokens", &json!({})).json();
    let examples = examples(&text);
    assert!(examples.len() > 30, "they are found: {}", examples.len());
    assert_eq!(examples.len(), text.matches("\ncurl ").count(), "each stands in a block of its own kind");
    for example in examples {
        assert!(example.starts_with("curl -s "), "this is not run: {example}");
        let ran = Command::new("sh")
            .args(["-c", &example.replace("curl -s", "curl -s -S --fail-with-body --max-time 60")])
            .current_dir(&*folder)
            .env("URL", format!("http://{}", server.address))
            .env("ID", id)
            .env("TOKEN", token["token"].as_str().unwrap())
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

#[test]
fn the_list_of_all_addresses_is_that_of_the_server() {
    let row = |listed: &rookery_server::http::Listed| {
        let who = match listed.access {
            Access::Anybody => "anybody",
            Access::Known => "a session or a token",
            Access::Person => "a name, in a browser",
            Access::Operator => "the operator",
        };
        format!("| `{} {}` | {who} | {} |", listed.method, listed.path, listed.summary)
    };
    let (_, list) = routes().done();
    let expected: Vec<String> =
        list.iter().filter(|listed| listed.path.starts_with("/api/")).map(row).collect();
    let text = page();
    let told = text.split("## All addresses").nth(1).unwrap();
    let told: Vec<&str> = told.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(told, expected, "docs/api.md should have:\n{}\n", expected.join("\n"));
}
