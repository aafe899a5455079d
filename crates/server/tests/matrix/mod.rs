//! Who gets what at every address, and the things that are somebody's.

use rookery_server::accounts::hash_password;
use rookery_store::{NewBundle, Options, Reserve, Store};
use serde_json::{Value, json};
use std::path::Path;

use crate::common::{Client, Running, bot_that_waits};

/// Who asks, in the order of the table.
pub(crate) const ROLES: [&str; 6] =
    ["nobody", "a guest", "another", "a program of the owner", "the owner", "the operator"];

/// What an address is asked about. All of it is the owner's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    /// Nothing that is anybody's.
    All,
    /// A match that runs.
    Match,
    /// One that is over.
    Over,
    /// One that waits for somebody.
    Open,
    /// A token.
    Token,
    /// A tournament for which one can sign up.
    Cup,
    /// One that is played.
    Played,
    /// One that is paused.
    Paused,
    /// A connected bot.
    Bot,
    /// An uploaded bot.
    Bundle,
    /// The session of a guest at a table, which is the operator's business alone.
    Session,
}

/// What everybody is told at an address.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) route: &'static str,
    /// Behind the address.
    pub(crate) query: &'static str,
    pub(crate) of: Of,
    /// JSON, a form, or nothing; `CODE` is that of the open seat.
    pub(crate) body: &'static str,
    /// By role.
    pub(crate) expected: [u16; 6],
}

/// Addresses that this table cannot ask, and the tests that do: who ends a session would be nobody for the rest.
pub(crate) const ASKED_ELSEWHERE: &[(&str, &str)] = &[
    ("GET /bots", "bots.rs"),
    ("GET /api/v1/live", "live.rs"),
    ("POST /login", "http.rs"),
    ("POST /logout", "http.rs"),
    ("POST /api/v1/login", "who_signs_in_is_told_as_it_is_described"),
    ("POST /api/v1/logout", "who_signs_in_is_told_as_it_is_described"),
    ("DELETE /api/v1/me", "who_signs_in_is_told_as_it_is_described"),
];

const fn row(route: &'static str, of: Of, body: &'static str, expected: [u16; 6]) -> Row {
    Row { route, query: "", of, body, expected }
}

const fn asked(route: &'static str, query: &'static str, of: Of, expected: [u16; 6]) -> Row {
    Row { route, query, of, body: "", expected }
}

/// Everybody is told the same.
const fn same(status: u16) -> [u16; 6] {
    [status; 6]
}

/// Whoever has a name, in a browser.
const fn people(status: u16) -> [u16; 6] {
    [401, 403, status, 403, status, status]
}

/// The owner, its programs and the operator.
const fn owner(status: u16) -> [u16; 6] {
    [401, 403, 403, status, status, status]
}

/// The operator.
const fn operator(status: u16) -> [u16; 6] {
    [401, 403, 403, 403, 403, status]
}

/// All addresses.
pub(crate) const TABLE: &[Row] = &[
    row("GET /", Of::All, "", same(200)),
    row("GET /new", Of::All, "", same(200)),
    row("POST /new", Of::All, "game=hexapawn&level=easy", same(303)),
    row("GET /m/{id}", Of::Match, "", same(200)),
    // Nobody else moves or resigns, the operator neither.
    row("POST /m/{id}/do", Of::Match, "what=resign", [401, 403, 403, 303, 303, 403]),
    row("POST /m/{id}/on", Of::Over, "ply=0", same(303)),
    row("GET /replay", Of::All, "", same(200)),
    row("GET /embed/{id}", Of::Match, "", same(200)),
    row("GET /watch", Of::All, "", same(200)),
    row("GET /join/{code}", Of::Open, "", same(200)),
    row("POST /join/{code}", Of::Open, "a=b", same(303)),
    row("GET /login", Of::All, "", same(200)),
    row("GET /settings", Of::All, "", same(200)),
    row("POST /settings", Of::All, "what=sessions", people(200)),
    row("POST /settings/theme", Of::All, "theme=dark", same(303)),
    row("GET /operator", Of::All, "", operator(200)),
    row("POST /operator", Of::All, "what=sign_up&open=true", operator(200)),
    row("GET /operator/machines", Of::All, "", operator(200)),
    row("POST /operator/machines", Of::All, "a=b", operator(200)),
    row("GET /connect", Of::All, "", same(200)),
    // The name of a bot is its owner's.
    row("POST /connect", Of::Bot, "name=annbot", [401, 403, 409, 403, 200, 409]),
    row("GET /bundles", Of::All, "", same(200)),
    // No form with a file.
    row("POST /bundles", Of::All, "a=b", people(400)),
    row("POST /bundles/retire", Of::Bundle, "name=mine", [401, 403, 403, 403, 200, 200]),
    row("GET /rules", Of::All, "", same(303)),
    row("GET /rules/{game}", Of::All, "", same(200)),
    row("GET /docs/{name}", Of::All, "", same(200)),
    row("GET /puzzle", Of::All, "", same(200)),
    row("GET /puzzle/{date}", Of::All, "", same(200)),
    row("GET /t", Of::All, "", same(200)),
    row("GET /t/new", Of::All, "", same(200)),
    row("POST /t/new", Of::All, "sign_up=bots", same(303)),
    row("GET /t/{id}", Of::Cup, "", same(200)),
    row("POST /t/{id}/do", Of::Cup, "what=remove", owner(303)),
    row("GET /players", Of::All, "", same(200)),
    row("GET /p/{name}", Of::All, "", same(200)),
    row("GET /health", Of::All, "", same(200)),
    row("GET /metrics", Of::All, "", same(200)),
    row("GET /assets/{*name}", Of::All, "", same(200)),
    row("GET /api/v1/openapi.json", Of::All, "", same(200)),
    row("GET /api/v1/games", Of::All, "", same(200)),
    asked("GET /api/v1/preview", "?spec=hexapawn", Of::All, same(200)),
    row("GET /api/v1/bots", Of::Bot, "", same(200)),
    row("GET /api/v1/bots/{name}/check", Of::Bot, "", same(200)),
    // The owner has begun a check when the operator asks for another; who has no session gets one and is told no.
    row("POST /api/v1/bots/{name}/check", Of::Bot, "", [403, 403, 403, 202, 409, 409]),
    asked("GET /api/v1/matches", "?live=1", Of::Match, same(200)),
    row("POST /api/v1/matches", Of::All, r#"{"game": "hexapawn", "seats": ["easy", "random"]}"#, same(201)),
    row("GET /api/v1/matches/{id}", Of::Over, "", same(200)),
    row("GET /api/v1/matches/{id}/scenes", Of::Over, "", same(200)),
    row("POST /api/v1/matches/{id}/join", Of::Open, r#"{"code": "CODE"}"#, same(200)),
    // Whoever played or made it; the operator did neither.
    row("POST /api/v1/matches/{id}/rematch", Of::Over, "", [401, 403, 403, 201, 201, 403]),
    row("POST /api/v1/matches/{id}/cancel", Of::Match, "{}", operator(204)),
    row("POST /api/v1/records", Of::All, "a record", same(200)),
    row("GET /api/v1/players", Of::All, "", same(200)),
    row("GET /api/v1/players/{name}", Of::All, "", same(200)),
    row("GET /api/v1/me", Of::All, "", same(200)),
    row("GET /api/v1/me/data", Of::Over, "", people(200)),
    row("DELETE /api/v1/me/sessions", Of::All, "", people(204)),
    row("GET /api/v1/tokens", Of::Token, "", people(200)),
    row("POST /api/v1/tokens", Of::All, r#"{"note": "mine"}"#, people(201)),
    // What is somebody's own, another does not even see, the operator neither.
    row("DELETE /api/v1/tokens/{id}", Of::Token, "", [401, 403, 404, 403, 204, 404]),
    row("POST /api/v1/operator/sign-up", Of::All, r#"{"open": true}"#, operator(204)),
    row("POST /api/v1/operator/people/{name}", Of::All, r#"{"muted": false}"#, operator(204)),
    row("GET /api/v1/operator/guests", Of::Session, "", operator(200)),
    row("POST /api/v1/operator/guests/{session}", Of::Session, r#"{"muted": true}"#, operator(204)),
    row("GET /api/v1/operator/audit", Of::All, "", operator(200)),
    row("GET /api/v1/operator/machines", Of::All, "", operator(200)),
    row("POST /api/v1/operator/machines/retry", Of::All, "{}", operator(200)),
    row("GET /api/v1/matches/{id}/review", Of::Over, "", same(200)),
    asked("GET /api/v1/matches/{id}/analysis", "?ply=0", Of::Over, same(200)),
    asked("GET /api/v1/puzzles/{date}", "?game=hexapawn", Of::All, same(200)),
    asked("GET /api/v1/puzzles/{date}/solution", "?game=hexapawn", Of::All, same(200)),
    row(
        "POST /api/v1/puzzles/{date}/hint",
        Of::All,
        r#"{"game": "hexapawn", "position": "p1 111/.../222", "step": 3}"#,
        same(200),
    ),
    row(
        "POST /api/v1/try",
        Of::All,
        r#"{"game": "hexapawn", "position": "p1 111/.../222", "move": "b1-b2"}"#,
        same(200),
    ),
    row(
        "POST /api/v1/puzzles/{date}/attempt",
        Of::All,
        r#"{"game": "hexapawn", "position": "p1 111/.../222", "move": "b1-b2"}"#,
        same(200),
    ),
    asked("GET /api/v1/ladder", "?game=hexapawn", Of::All, same(200)),
    row("GET /api/v1/tournaments", Of::Cup, "", same(200)),
    row("POST /api/v1/tournaments", Of::All, CUP, [401, 201, 201, 201, 201, 201]),
    row("POST /api/v1/tournaments/plan", Of::All, PLAN, same(200)),
    row("GET /api/v1/tournaments/{id}", Of::Cup, "", same(200)),
    row("GET /api/v1/tournaments/{id}/pairings", Of::Played, "", same(200)),
    // People enter themselves, in a browser: guests have no name to enter under, and a program is no person.
    row(
        "POST /api/v1/tournaments/{id}/enter",
        Of::Cup,
        r#"{"entrant": "me"}"#,
        [401, 403, 204, 403, 204, 204],
    ),
    row("POST /api/v1/tournaments/{id}/begin", Of::Cup, "", owner(204)),
    row("POST /api/v1/tournaments/{id}/pause", Of::Played, "", owner(204)),
    row("POST /api/v1/tournaments/{id}/resume", Of::Paused, "", owner(204)),
    row("POST /api/v1/tournaments/{id}/withdraw", Of::Cup, r#"{"entrant": "easy"}"#, owner(204)),
    row("DELETE /api/v1/tournaments/{id}", Of::Cup, "", owner(204)),
    row("GET /api/v1/bundles", Of::Bundle, "", same(200)),
    // This server has no sandbox, and says so to those who have a name.
    row("POST /api/v1/bundles", Of::All, "{}", [401, 409, 409, 409, 409, 409]),
    row("POST /api/v1/bundles/{name}/retire", Of::Bundle, "", owner(200)),
];

/// A tournament that waits for people.
const CUP: &str = r#"{"name": "evening", "games": ["hexapawn"], "format": "round-robin", "time": "60s+1s",
    "entrants": ["easy", "random"], "sign_up": {"people": true, "bots": true}}"#;
/// One that takes a while.
const PLAN: &str = r#"{"name": "night", "games": ["hexapawn:rows=5,cols=5"],
    "format": {"kind": "round-robin", "games": 1000}, "entrants": ["easy", "medium"]}"#;

/// A server, those who ask, and what is the owner's.
pub(crate) struct World {
    server: Running,
    guest: Client,
    other: Client,
    program: Client,
    owner: Client,
    operator: Client,
    pub(crate) record: String,
    session: String,
    things: Vec<(Of, String, String)>,
}

impl World {
    pub(crate) fn new(folder: &Path) -> Self {
        let small = Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() };
        let store = Store::open(folder.join("test.db").to_str().unwrap(), &small).unwrap();
        let ann = store.claim_name("ann", Some(&hash_password("correct horse").unwrap())).unwrap();
        let bundle = NewBundle {
            name: "mine".to_owned(),
            owner: Some(ann),
            label: "1".to_owned(),
            contents: "0".repeat(64),
            bytes: b"an archive".to_vec(),
        };
        store.put_bundle(bundle).unwrap();
        drop(store);
        let server = Running::start(folder);
        let operator = server.claimed("boss", server.operator_token.as_deref());
        let mut owner = server.claimed("ann", None);
        let other = server.claimed("eve", None);
        let mut guest = server.client();
        let begun = guest.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": ["me", "first"]}));
        assert_eq!(begun.status, 201);
        let token = owner.post("/api/v1/tokens", &json!({})).json()["token"].as_str().unwrap().to_owned();
        bot_that_waits(server.bots, "annbot", &token);
        owner.wait_for("/api/v1/bots", |list| list[0]["name"] == "annbot");
        let program = Client { bearer: Some(token), ..server.client() };
        let guests = operator.clone().get("/api/v1/operator/guests").json();
        let session = guests[0]["session"].to_string();
        let mut world = Self {
            server,
            guest,
            other,
            program,
            owner,
            operator,
            record: String::new(),
            session,
            things: vec![],
        };
        let over = world.thing(Of::Over).0;
        world.record = world.owner.get(&format!("/m/{over}.jsonl")).text();
        world
    }

    /// Those who ask, in the order of the table.
    pub(crate) fn roles(&self) -> [Client; 6] {
        let Self { guest, other, program, owner, operator, .. } = self;
        [self.server.client(), guest.clone(), other.clone(), program.clone(), owner.clone(), operator.clone()]
    }

    fn begun(&mut self, seats: &Value) -> Value {
        let made = self.owner.post("/api/v1/matches", &json!({"game": "hexapawn", "seats": seats}));
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()
    }

    fn cup(&mut self, spec: &str) -> String {
        let made = self.owner.post("/api/v1/tournaments", &serde_json::from_str(spec).unwrap());
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// The id of something that is the owner's, and a code to it.
    fn thing(&mut self, of: Of) -> (String, String) {
        if let Some((_, id, code)) = self.things.iter().find(|(known, ..)| *known == of) {
            return (id.clone(), code.clone());
        }
        let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
        let mut code = String::new();
        let new = match of {
            Of::All => "nothing".to_owned(),
            Of::Match => id(&self.begun(&json!(["me", "first"]))),
            Of::Over => {
                let id = id(&self.begun(&json!(["first", "random"])));
                self.owner.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
                let path = format!("/api/v1/matches/{id}/review");
                self.owner.wait_for(&path, |review| review["done"] == true);
                id
            }
            Of::Open => {
                let made = self.begun(&json!(["me", "friend"]));
                let link = made["seats"][1]["join"].as_str().unwrap();
                link.rsplit('/').next().unwrap().clone_into(&mut code);
                id(&made)
            }
            Of::Token => self.owner.post("/api/v1/tokens", &json!({})).json()["id"].to_string(),
            Of::Cup => self.cup(CUP),
            Of::Played => self.cup(PLAN),
            Of::Paused => {
                let id = self.cup(PLAN);
                let paused = self.owner.ask("POST", &format!("/api/v1/tournaments/{id}/pause"), None);
                assert_eq!(paused.status, 204, "{}", paused.text());
                // Its games take a moment to stop.
                let is_still = |cup: &Value| cup["id"] != id.as_str() || cup["held"] == false;
                self.owner.wait_for("/api/v1/tournaments", |list| {
                    list["tournaments"].as_array().unwrap().iter().all(is_still)
                });
                id
            }
            Of::Bot => "annbot".to_owned(),
            Of::Bundle => "mine".to_owned(),
            Of::Session => self.session.clone(),
        };
        self.things.push((of, new.clone(), code.clone()));
        (new, code)
    }

    /// Something has happened to it: the next one who asks gets another.
    pub(crate) fn forget(&mut self, of: Of) {
        self.things.retain(|(known, ..)| *known != of);
    }

    /// An address with everything in its place.
    pub(crate) fn path(&mut self, row: &Row) -> String {
        let (id, code) = self.thing(row.of);
        let path = row.route.split_once(' ').unwrap().1;
        let name = match row.of {
            Of::Bot | Of::Bundle => id.as_str(),
            _ if path.starts_with("/docs/") => "protocol",
            _ => "ann",
        };
        let path = path.replace("{id}", &id).replace("{code}", &code).replace("{session}", &id);
        let path = path.replace("{name}", name).replace("{game}", "hexapawn").replace("{date}", "2026-11-17");
        path.replace("{*name}", "style.css") + row.query
    }

    /// A body with the code in its place.
    pub(crate) fn filled(&mut self, body: &str, of: Of) -> String {
        body.replace("CODE", &self.thing(of).1)
    }
}
