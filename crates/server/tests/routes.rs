//! Every address for nobody, another, the owner and the operator, made from the router itself.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Client, Running, folder};
use rookery_server::http::{Access, Listed, openapi};
use rookery_server::routes::routes;
use serde_json::{Value, json};

/// A body that fits the schema, with nothing but what must be there.
fn body(listed: &Listed) -> Option<Value> {
    if listed.path == "/api/v1/records" {
        return Some(json!("no record"));
    }
    let schema = listed.body.as_ref()?;
    let mut body = json!({});
    for name in schema["required"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        body[name] = match schema["properties"][name]["type"].as_str() {
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            _ => json!("not-there"),
        };
    }
    Some(body)
}

fn claimed(server: &Running, name: &str, operator: Option<&str>) -> Client {
    let mut client = server.client();
    let claim = json!({"name": name, "password": "correct horse", "claim": true, "operator": operator});
    let answer = client.post("/api/v1/login", &claim);
    assert_eq!(answer.status, 200, "{}", answer.text());
    client
}

#[test]
fn fault_w09_every_address_asks_who_is_there() {
    let folder = folder("server-matrix");
    let server = Running::start(&folder);
    let operator = claimed(&server, "boss", server.operator_token.as_deref());
    let mut owner = claimed(&server, "ann", None);
    let other = claimed(&server, "eve", None);
    let mut guest = server.client();
    guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["first", "first"]}));
    let made = owner.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    let token = owner.post("/api/v1/tokens", &json!({})).json()["id"].to_string();
    let (_, list) = routes().done();
    assert!(list.len() > 25, "the list is there");
    for listed in &list {
        // Sockets are asked in tests of their own; who ends a session here would be nobody for the rest.
        let ends = ["/login", "/logout", "/api/v1/login", "/api/v1/logout"];
        if matches!(listed.path, "/bots" | "/api/v1/live") || ends.contains(&listed.path) {
            continue;
        }
        let of = if listed.path.starts_with("/api/v1/tokens") { &token } else { &id };
        let path = listed.path.replace("{id}", of).replace("{name}", "nobody").replace("{date}", "today");
        let path = path.replace("{*name}", "none.css");
        let ask = |client: &Client| {
            let answer = client.clone().ask(listed.method.as_str(), &path, body(listed).as_ref());
            assert_ne!(answer.status, 500, "{} {path}: {}", listed.method, answer.text());
            assert_ne!(answer.status, 405, "{} {path}", listed.method);
            answer.status
        };
        let (nobody, guest, other) = (ask(&server.client()), ask(&guest), ask(&other));
        let expected = match listed.access {
            Access::Anybody => [false, false, false],
            Access::Known => [true, false, false],
            Access::Person => [true, true, false],
            Access::Operator => [true, true, true],
        };
        let of_another = matches!(listed.path, "/api/v1/matches/{id}/rematch");
        for (status, kept_out, who) in [
            (nobody, expected[0], "nobody"),
            (guest, expected[1], "a guest"),
            (other, expected[2], "another"),
        ] {
            let is_out = matches!(status, 401 | 403);
            let what = format!("{} {path} for {who}: {status}", listed.method);
            assert_eq!(is_out, kept_out || of_another, "{what}");
            assert!(who != "nobody" || !kept_out || status == 401, "{what}");
        }
        // What is somebody's own, another does not even see.
        if listed.path == "/api/v1/tokens/{id}" {
            assert_eq!(other, 404, "the token of another");
        }
        let boss = ask(&operator);
        assert!(listed.access != Access::Operator || !matches!(boss, 401 | 403), "{path}: {boss}");
    }
    assert_eq!(
        owner.ask("DELETE", &format!("/api/v1/tokens/{token}"), None).status,
        204,
        "nobody took it away"
    );
}

#[test]
fn the_description_names_every_address_of_the_api() {
    let (_, list) = routes().done();
    let described = openapi(&list);
    for listed in list.iter().filter(|listed| listed.path.starts_with("/api/")) {
        let method = listed.method.as_str().to_ascii_lowercase();
        let operation = &described["paths"][listed.path][&method];
        assert_eq!(operation["summary"], listed.summary, "{method} {}", listed.path);
        let n_parts = listed.path.matches('{').count();
        let in_path = operation["parameters"].as_array().unwrap().iter().filter(|part| part["in"] == "path");
        assert_eq!(in_path.count(), n_parts, "{}", listed.path);
    }
}
