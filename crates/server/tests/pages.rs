//! Pages as somebody without script sees them: a game can be begun, played, watched and looked at again.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{Running, folder};

/// More than most games last against somebody who plays the first move each time.
const MOST_TURNS: u32 = 60;

#[test]
fn every_game_is_played_without_script() {
    let folder = folder("server-pages");
    let server = Running::start(&folder);
    for game in rookery_catalog::CATALOG {
        let mut guest = server.client();
        assert!(guest.get("/").text().contains(game.title()), "{}", game.name());
        let begun = guest.send("/new", &format!("game={}&level=random", game.name()));
        assert_eq!(begun.status, 303, "{}", begun.text());
        let path = begun.header("location").unwrap().to_owned();
        let api = format!("/api/v1/matches/{}", path.strip_prefix("/m/").unwrap());
        // A game that does not end by itself is given up.
        for turn in 0..=MOST_TURNS {
            let state =
                guest.wait_for(&api, |state| state["can"]["move"] == true || !state["over"].is_null());
            if !state["over"].is_null() {
                break;
            }
            let page = guest.get(&path).text();
            assert!(page.contains("Your turn."), "{page}");
            let (mv, ply) = (state["scene"]["moves"][0]["id"].as_str().unwrap(), &state["ply"]);
            let form = match turn {
                MOST_TURNS => "what=resign".to_owned(),
                _ => format!("what=move&ply={ply}&text={mv}"),
            };
            let answer = guest.send(&format!("{path}/do"), &form);
            assert_eq!(answer.status, 303, "{form}: {}", answer.text());
        }
        let over = guest.wait_for(&api, |state| !state["over"].is_null());
        assert!(over["over"]["sentence"].is_string(), "{}: {}", game.name(), over["over"]);
        let page = guest.get(&path).text();
        assert!(!page.contains("Your turn."), "{page}");
    }
}

#[test]
fn errors_are_pages_for_people_and_what_others_frame_has_no_cookie() {
    let folder = folder("server-error-pages");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let page = guest.ask_as("GET", "/m/000000000000", None, "Accept: text/html\r\n");
    assert_eq!(page.status, 404);
    assert!(page.text().contains("This page went under"), "{}", page.text());
    let begun = guest.send("/new", "game=hexapawn&level=first");
    let id = begun.header("location").unwrap().strip_prefix("/m/").unwrap().to_owned();
    let framed = server.client().get(&format!("/embed/{id}"));
    assert!(framed.header("content-security-policy").unwrap().contains("frame-ancestors *"));
    assert_eq!(framed.header("set-cookie"), None);
    let other = server.client().get(&format!("/m/{id}"));
    assert!(other.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
    assert!(!other.text().contains("Resign"), "who looks on has nothing to do");
}

#[test]
fn a_new_game_is_one_form_and_says_what_is_wrong_under_its_field() {
    let folder = folder("server-new-game");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let page = guest.get("/new?spec=hexapawn:rows=4,cols=4&seats=hard,me&time=5m%2B3s").text();
    assert!(page.contains("data-spec=\"hexapawn:rows=4,cols=4\"") && page.contains("16 cells"), "{page}");
    assert!(page.contains("data-seats=\"hard,me\"") && page.contains("data-time=\"5m+3s\""), "{page}");
    // Enter in a field sends the form by its first button.
    let fish = guest.get("/new?spec=fish").text();
    let first = fish.split("type=\"submit\"").next().unwrap().rsplit('<').next().unwrap();
    assert!(fish.contains("name=\"shuffle\"") && first.starts_with("button class=\"sr\""), "{first}");
    // The fields of the form say the same as the spec.
    let form = "game=hexapawn&k.rows=4&k.cols=4&s0=hard&s1=me&time=5m%2B3s";
    assert!(guest.get(&format!("/new?{form}")).text().contains("data-spec=\"hexapawn:rows=4,cols=4\""));
    let begun = guest.send("/new", form);
    assert_eq!(begun.status, 303, "{}", begun.text());
    let state = guest
        .get(&format!("/api/v1{}", begun.header("location").unwrap().replace("/m/", "/matches/")))
        .json();
    assert_eq!((&state["you"], &state["game"]), (&1.into(), &"hexapawn:rows=4,cols=4".into()));
    for (form, field) in [
        ("game=hexapawn&k.rows=99&s0=me&s1=easy", "problem-game"),
        ("game=hexapawn&s0=me&s1=cmd:true", "problem-seats"),
        ("game=hexapawn&s0=me&s1=easy&time=other&other=soon", "problem-time"),
        ("spec=%3Cscript%3E", "problem-game"),
    ] {
        let refused = guest.send("/new", form);
        assert_eq!(refused.status, 422, "{form}");
        let text = refused.text();
        let place = text.find(&format!("data-live=\"{field}\"")).unwrap();
        let problem = text.find("role=\"alert\"").unwrap_or_else(|| panic!("{form}: {text}"));
        assert!(problem > place && problem < place + 200, "{form}: the problem stands under {field}");
        assert!(!text.contains("<script>"), "{form}");
    }
}

#[test]
fn a_board_by_chance_is_played_as_it_was_shown() {
    let folder = folder("server-shown-board");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let page = guest.get("/new?spec=fish").text();
    let shown = page.split("data-spec=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(shown.contains("seed="), "{shown}");
    let made = guest.get(&format!("/new?spec={shown}")).text();
    assert!(made.contains(&format!("data-spec=\"{shown}\"")), "the same again");
    let begun = guest.send("/new", &format!("spec={shown}&s0=me&s1=first"));
    let state = guest
        .get(&format!("/api/v1{}", begun.header("location").unwrap().replace("/m/", "/matches/")))
        .json();
    assert_eq!(state["game"], shown.as_str());
}

#[test]
fn a_match_that_is_over_is_played_on_from_any_move_and_one_that_runs_is_not() {
    let folder = folder("server-play-on");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let running = guest.send("/new", "game=hexapawn&level=first");
    let refused = guest.send(&format!("{}/on", running.header("location").unwrap()), "ply=0");
    assert_eq!(refused.status, 409, "{}", refused.text());
    let made = guest
        .post("/api/v1/matches", &serde_json::json!({"game": "hexapawn", "seats": ["first", "first"]}))
        .json();
    let id = made["id"].as_str().unwrap().to_owned();
    let over = guest.wait_for(&format!("/api/v1/matches/{id}"), |state| !state["over"].is_null());
    let begun = guest.send(&format!("/m/{id}/on"), "ply=1&level=first");
    assert_eq!(begun.status, 303, "{}", begun.text());
    let api = format!("/api/v1{}", begun.header("location").unwrap().replace("/m/", "/matches/"));
    let state = guest.wait_for(&api, |state| state["can"]["move"] == true);
    assert_eq!(state["you"], 1, "whoever asks takes the side to move");
    let scenes = guest.get(&format!("/api/v1/matches/{id}/scenes?from=1&to=1&moves=1")).json();
    assert_eq!(state["scene"]["cells"], scenes["scenes"][0]["scene"]["cells"]);
    assert_eq!(
        state["scene"]["moves"], scenes["scenes"][0]["scene"]["moves"],
        "the same moves are legal there"
    );
    let last = guest.send(&format!("/m/{id}/on"), &format!("ply={}", over["ply"]));
    assert_eq!(last.status, 409, "nobody plays on where the game is over");
    assert_eq!(guest.send(&format!("/m/{id}/on"), "ply=999").status, 404);
}

#[test]
fn scenes_of_a_running_match_have_no_moves() {
    let folder = folder("server-scene-moves");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let begun = guest.send("/new", "game=hexapawn&level=first");
    let path = begun.header("location").unwrap().replace("/m/", "/api/v1/matches/");
    let scenes = server.client().get(&format!("{path}/scenes?moves=1")).json();
    assert_eq!(scenes["scenes"][0]["scene"]["moves"], serde_json::json!([]));
}

#[test]
fn running_matches_are_watched_by_game_and_by_who_plays() {
    let folder = folder("server-watch");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let begun = guest.send("/new", "game=hexapawn&level=first");
    let id = begun.header("location").unwrap().strip_prefix("/m/").unwrap().to_owned();
    let shown = format!("data-match=\"{id}\"");
    for (path, is_there) in [
        ("/", true),
        ("/watch", true),
        ("/watch?game=hexapawn", true),
        ("/watch?game=fish", false),
        ("/watch?who=people", true),
        ("/watch?who=bots", false),
        ("/watch?game=nonsense&who=nobody", true),
    ] {
        assert_eq!(guest.get(path).text().contains(&shown), is_there, "{path}");
    }
    assert!(guest.get("/watch?only=none").text().contains("Nobody plays at the moment."));
}

#[test]
fn fault_w03_names_and_chat_stay_text() {
    let folder = folder("server-w03");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for hostile in ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' or 1=1 --"] {
        let form = format!("name={hostile}&password=correct+horse&claim=true");
        let page = guest.send("/login", &form);
        assert!(matches!(page.status, 400 | 401 | 422), "{hostile}: {}", page.status);
        assert!(
            !page.text().contains("<script>alert") && !page.text().contains("<img src=x"),
            "{}",
            page.text()
        );
        let operator = guest.get(&format!(
            "/login?operator={}",
            hostile.replace(' ', "%20").replace('"', "%22").replace('<', "%3C").replace('>', "%3E")
        ));
        assert!(!operator.text().contains("<script>alert") && !operator.text().contains("<img src=x"));
    }
}

#[test]
fn home_is_small_on_the_way_with_everything_it_needs() {
    let folder = folder("server-small");
    let server = Running::start(&folder);
    let mut guest = server.client();
    let packed = "Accept-Encoding: gzip\r\nAccept: text/html\r\n";
    let page = guest.get("/").text();
    let home = guest.ask_as("GET", "/", None, packed);
    assert_eq!(home.header("content-encoding"), Some("gzip"));
    let (mut whole, mut sheets, mut scripts) = (home.body.len(), 0, 0);
    let files = |text: &str| -> Vec<String> {
        let parts = text.split(['"', '\'', '(', ')']);
        parts
            .filter(|part| part.starts_with("/assets/") || part.starts_with("./"))
            .map(str::to_owned)
            .collect()
    };
    let mut wanted = files(&page);
    let mut seen = std::collections::BTreeSet::new();
    while let Some(path) = wanted.pop() {
        let path = path.replacen("./", "/assets/", 1);
        if !seen.insert(path.split('?').next().unwrap().to_owned()) {
            continue;
        }
        let file = guest.ask_as("GET", &path, None, packed);
        assert_eq!(file.status, 200, "{path}");
        whole += file.body.len();
        if path.contains(".css") {
            sheets += file.body.len();
        } else if path.contains(".js") {
            scripts += file.body.len();
            wanted.extend(files(&guest.get(&path).text()));
        }
    }
    assert!(scripts > 1000 && sheets > 1000, "they are found: {seen:?}");
    assert!(
        whole <= 100_000 && sheets <= 12_000 && scripts <= 40_000,
        "{whole} bytes, {sheets} of sheets, {scripts} of scripts"
    );
}

#[test]
fn what_is_chosen_from_a_long_list_is_not_lost_to_a_page_that_loads_itself_again() {
    let folder = folder("server-plain-choice");
    let server = Running::start(&folder);
    let mut guest = server.client();
    for (game, is_list) in [("hexapawn", false), ("fish:rows=8,cols=8", true)] {
        let made =
            guest.post("/api/v1/matches", &serde_json::json!({"game": game, "seats": ["me", "first"]}));
        let page = guest.get(&format!("/m/{}", made.json()["id"].as_str().unwrap())).text();
        assert_eq!(page.contains("<select name=\"text\""), is_list, "{game}: {page}");
        assert_eq!(page.contains("http-equiv=\"refresh\""), !is_list, "{game}");
        assert_eq!(page.contains("Look again</a>"), is_list, "{game}");
    }
}
