//! Every address for nobody, a guest, another, the owner and its program, and the operator, made from the router itself; and
//! what is answered is as it is described.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;
mod matrix;

use std::collections::BTreeSet;

use common::{Answer, Client, Running, folder};
use jsonschema::Validator;
use matrix::{ASKED_ELSEWHERE, Row, TABLE, World};
use rookery_server::http::{Access, Listed, openapi};
use rookery_server::routes::routes;
use serde_json::{Value, json};

/// What a kind of answer has to fit.
fn validator(described: &Value, schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = described["components"].clone();
    jsonschema::validator_for(&schema).unwrap()
}

/// Holds every answer to its description, and remembers for which there was one.
struct Described {
    all: Value,
    error: Validator,
    seen: BTreeSet<String>,
}

impl Described {
    fn new(list: &[Listed]) -> Self {
        let all = openapi(list);
        let error = validator(&all, &json!({"$ref": "#/components/schemas/Error"}));
        Self { all, error, seen: BTreeSet::new() }
    }

    fn check(&mut self, listed: &Listed, answer: &Answer, what: &str) {
        if !listed.path.starts_with("/api/") {
            return;
        }
        if answer.status >= 400 {
            let told = answer.json();
            assert!(self.error.is_valid(&told), "{what}: {told}");
            return;
        }
        assert_eq!(answer.status, listed.ok, "{what}: {}", answer.text());
        let method = listed.method.as_str().to_ascii_lowercase();
        let content = &self.all["paths"][listed.path][&method]["responses"][listed.ok.to_string()]["content"];
        if content.is_null() {
            assert!(answer.body.is_empty(), "{what} tells what nobody described: {}", answer.text());
        } else {
            let kind = answer.header("content-type").unwrap().split(';').next().unwrap().to_owned();
            assert!(content[&kind].is_object(), "{what}: {kind} is not described");
            if kind == "application/json" {
                let told = answer.json();
                let validator = validator(&self.all, &content[&kind]["schema"]);
                if let Err(error) = validator.validate(&told) {
                    panic!("{what}: {error} at {}: {told}", error.instance_path());
                }
            }
        }
        self.seen.insert(format!("{} {}", listed.method, listed.path));
    }
}

/// Whether those who are not known, or have no name, or are no operator, are kept out; programs have no session.
fn kept_out(access: Access) -> [bool; 6] {
    match access {
        Access::Anybody => [false; 6],
        Access::Known => [true, false, false, false, false, false],
        Access::Person => [true, true, false, true, false, false],
        Access::Operator => [true, true, true, true, true, false],
    }
}

fn ask(world: &mut World, client: &Client, listed: &Listed, row: &Row) -> Answer {
    let path = world.path(row);
    let mut client = client.clone();
    match row.body {
        "" => client.ask(listed.method.as_str(), &path, None),
        "a record" => client.raw_body(&path, "application/jsonl", &world.record.clone()),
        json if json.starts_with('{') => {
            let body: Value = serde_json::from_str(&world.filled(json, row.of)).unwrap();
            client.ask(listed.method.as_str(), &path, Some(&body))
        }
        form => client.send(&path, &world.filled(form, row.of)),
    }
}

#[test]
fn fault_w09_every_address_asks_who_is_there() {
    let folder = folder("server-matrix");
    let mut world = World::new(&folder);
    let (_, list) = routes().done();
    let mut described = Described::new(&list);
    let mut wrong = vec![];
    for listed in &list {
        let name = format!("{} {}", listed.method, listed.path);
        if ASKED_ELSEWHERE.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let row = TABLE.iter().find(|row| row.route == name);
        let row = row.unwrap_or_else(|| {
            panic!("{name} is not in the table of tests/matrix/mod.rs; say there who gets what")
        });
        let mut statuses = [0; 6];
        for (idx, client) in world.roles().into_iter().enumerate() {
            let mut answer = ask(&mut world, &client, listed, row);
            // The first puzzle of a day takes a while on a busy machine, and says so.
            for _ in 0..30 {
                if answer.status != 503 {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_secs(2));
                answer = ask(&mut world, &client, listed, row);
            }
            statuses[idx] = answer.status;
            described.check(listed, &answer, &format!("{name} for {}", matrix::ROLES[idx]));
            if answer.status < 400 && name.split(' ').next() != Some("GET") {
                world.forget(row.of);
            }
        }
        if statuses != row.expected {
            wrong.push(format!("{name}: {statuses:?} instead of {:?}", row.expected));
        }
        for (status, is_out) in row.expected.into_iter().zip(kept_out(listed.access)) {
            assert!(!is_out || matches!(status, 401 | 403), "{name} lets somebody in: {:?}", row.expected);
        }
        assert!(
            !kept_out(listed.access)[0] || row.expected[0] == 401,
            "{name}: nobody is told to say who it is"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for row in TABLE {
        let is_there = list.iter().any(|listed| format!("{} {}", listed.method, listed.path) == row.route);
        assert!(is_there, "{} is in the table, but there is no such address", row.route);
    }
    let unseen = list.iter().filter(|listed| listed.path.starts_with("/api/"));
    let unseen = unseen.map(|listed| format!("{} {}", listed.method, listed.path));
    let unseen: Vec<String> = unseen
        .filter(|name| !described.seen.contains(name))
        .filter(|name| !ASKED_ELSEWHERE.iter().any(|(other, _)| other == name))
        .collect();
    // No sandbox, no bundle; the list tells the same of one.
    assert_eq!(
        unseen,
        ["POST /api/v1/bundles"],
        "nobody has got an answer there that could be held to its description"
    );
}

#[test]
fn who_signs_in_is_told_as_it_is_described() {
    let folder = folder("server-matrix-login");
    let server = Running::start(&folder);
    let (_, list) = routes().done();
    let mut described = Described::new(&list);
    let mut ann = server.client();
    let claim = json!({"name": "ann", "password": "correct horse", "claim": true});
    for (path, body) in [("/api/v1/login", Some(&claim)), ("/api/v1/logout", None)] {
        let listed = list.iter().find(|listed| listed.path == path).unwrap();
        let answer = ann.ask("POST", path, body);
        described.check(listed, &answer, path);
    }
    assert_eq!(described.seen.len(), 2);
    let meant = json!({"name": "ann"});
    let mut ann = server.client();
    ann.post("/api/v1/login", &claim);
    let gone = ann.ask("DELETE", "/api/v1/me", Some(&meant));
    let listed = list.iter().find(|listed| listed.path == "/api/v1/me" && listed.method == "DELETE").unwrap();
    described.check(listed, &gone, "DELETE /api/v1/me");
    assert_eq!(gone.status, 204);
}

#[test]
fn fault_w09_what_a_guest_left_is_not_the_next_guest_s() {
    let folder = folder("server-next-guest");
    let server = Running::start(&folder);
    let spec = json!({"game": "hexapawn", "seats": ["me", "first"]});
    let mut first = server.client();
    let made = first.post("/api/v1/matches", &spec).json();
    let path = format!("/api/v1/matches/{}", made["id"].as_str().unwrap());
    assert_eq!(first.get(&path).json()["you"], 0);
    assert_eq!(first.post("/api/v1/logout", &json!({})).status, 204);
    let mut next = server.client();
    next.post("/api/v1/matches", &spec);
    assert_eq!(next.get(&path).json()["you"], Value::Null, "the number of a session is given once");
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
        let is_told = listed.answer.is_some() || !listed.others.is_empty();
        assert_eq!(is_told, !matches!(listed.ok, 101 | 204), "{method} {} says what it answers", listed.path);
    }
    for name in described["components"]["schemas"].as_object().unwrap().keys() {
        let schema = json!({"$ref": format!("#/components/schemas/{name}")});
        validator(&described, &schema);
    }
}
