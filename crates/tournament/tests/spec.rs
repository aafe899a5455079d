//! Tournament specs: what is written reads back, and what cannot be is refused with a reason.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_tournament::{FormatSpec, MAX_FAULTS, Next, SpecError, TieBreak, TournamentSpec};
use serde_json::{Value, json};

fn spec(format: &Value, n_entrants: usize) -> Value {
    let entrant = |number: usize| json!({"name": format!("bot{number}"), "player": "cmd:./bot"});
    let mut spec = json!({
        "name": "evening",
        "games": ["hexapawn"],
        "format": format,
        "entrants": (1..=n_entrants).map(entrant).collect::<Vec<_>>(),
        "seed": "18446744073709551615",
    });
    // All of them sit at one table.
    if [format, &format["kind"]].into_iter().any(|kind| *kind == "series" || *kind == "sprt")
        && n_entrants > 2
    {
        spec["seats"] = json!(n_entrants.min(8));
    }
    spec
}

fn read(value: &Value) -> TournamentSpec {
    serde_json::from_value(value.clone()).unwrap()
}

fn with(key: &str, value: Value) -> Value {
    let mut spec = spec(&json!({"kind": "round-robin"}), 4);
    spec[key] = value;
    spec
}

#[test]
fn everything_reads_back_and_only_what_was_said_is_written() {
    let formats = [
        json!({"kind": "series", "games": 10}),
        json!({"kind": "round-robin"}),
        json!({"kind": "round-robin", "double": true, "games": 4}),
        json!({"kind": "swiss", "rounds": 5}),
        json!({"kind": "knock-out"}),
        json!({"kind": "knock-out", "best_of": 4, "bronze": true, "groups": {"size": 4, "advance": 2}, "extra_blocks": 0}),
        json!({"kind": "fish-knock-out"}),
        json!({"kind": "gauntlet", "challengers": 2, "games": 6}),
        json!({"kind": "ladder"}),
        json!({"kind": "ladder", "games": 100}),
        json!({
            "kind": "sprt", "elo0": -5.0, "elo1": 25.5, "alpha": 0.1, "beta": 0.02, "model": "normalized", "games": 4000,
        }),
    ];
    for format in formats {
        let kind = format["kind"].as_str().unwrap();
        assert!(FormatSpec::KINDS.contains(&kind));
        let mut value = spec(&format, 6);
        if kind == "fish-knock-out" {
            (value["seats"], value["min_seats"]) = (json!(4), json!(2));
        }
        let spec = read(&value);
        let written = serde_json::to_value(&spec).unwrap();
        assert_eq!(written["format"], format);
        assert_eq!(written["seed"], value["seed"]);
        assert_eq!(read(&written), spec);
        let mut built = spec.format().unwrap();
        assert_eq!(built.n_entrants(), 6);
        assert!(matches!(built.next(1), Next::Play(_)), "{kind} begins");
        let plan = spec.plan().unwrap();
        assert!(!plan.first.is_empty() && plan.games.is_none_or(|games| games >= plan.first.len() as u64));
    }
}

#[test]
fn games_of_a_pairing_have_one_word_in_all_formats() {
    let cup = read(&spec(&json!({"kind": "knock-out", "games": 4}), 8));
    assert_eq!(cup.format, read(&spec(&json!({"kind": "knock-out", "best_of": 4}), 8)).format);
    for (n_entrants, games) in [(2, 2), (3, 6)] {
        let series = read(&spec(&json!("series"), n_entrants));
        assert_eq!(series.plan().unwrap().games, Some(games), "one block");
    }
}

/// Its tables are of four, three and two, so all of them must be possible.
#[test]
fn fish_s_own_rule_asks_for_the_tables_it_makes() {
    let with_seats = |n_entrants, seats: &Value| {
        let mut value = spec(&json!({"kind": "fish-knock-out"}), n_entrants);
        for (key, content) in seats.as_object().unwrap() {
            value[key] = content.clone();
        }
        read(&value).check().map(|entrants| entrants.len()).map_err(|error| error.to_string())
    };
    assert_eq!(with_seats(2, &json!({})), Ok(2));
    assert_eq!(with_seats(3, &json!({"seats": 3, "min_seats": 2})), Ok(3));
    assert_eq!(with_seats(9, &json!({"seats": 4, "min_seats": 2})), Ok(9));
    for (n_entrants, seats) in
        [(3, json!({})), (5, json!({"seats": 4})), (5, json!({"seats": 3, "min_seats": 2}))]
    {
        let refused = with_seats(n_entrants, &seats).unwrap_err();
        assert!(
            refused.contains("expected seats = ") && refused.contains("min_seats = 2"),
            "{seats}: {refused}"
        );
    }
}

#[test]
fn all_keys_read_back() {
    let mut value = spec(&json!({"kind": "swiss", "rounds": 3, "games": 2}), 5);
    let more = json!({
        "games": ["hexapawn", "fish:players=2"],
        "time": "10s+100ms",
        "limits": {"nodes": 1000},
        "conduct": "remove,retry=1",
        "max_turns": 200,
        "openings": [{"game": "hexapawn", "moves": ["a2a3"]}, {"game": "fish:players=2", "position": "text"}],
        "forbidden": [["bot1", "bot2"]],
        "tie_breaks": ["buchholz-cut1", "direct-encounter"],
        "byes": "virtual",
        "points": "wins",
        "max_faults": 3,
        "adjudicate": "proved",
        "sandbox": "full",
    });
    for (key, content) in more.as_object().unwrap() {
        value[key] = content.clone();
    }
    value["entrants"][0]["version"] = json!("2");
    let spec = read(&value);
    assert_eq!(serde_json::to_value(&spec).unwrap(), value);
    assert_eq!(spec.tie_breaks().order, [TieBreak::BuchholzCut1, TieBreak::DirectEncounter]);
    let all = spec.check().unwrap();
    assert_eq!(all.len(), 5);
}

#[test]
fn every_start_has_the_next_game_and_its_next_opening() {
    let mut value = spec(&json!({"kind": "round-robin", "games": 12}), 2);
    value["games"] = json!(["one", "two"]);
    value["openings"] = json!([
        {"game": "one", "moves": ["a"]}, {"game": "one", "moves": ["b"]}, {"game": "two", "moves": ["c"]},
    ]);
    let spec = read(&value);
    let Next::Play(pairings) = spec.format().unwrap().next(12) else { panic!("twelve games") };
    let boards: Vec<(&str, &str)> = pairings
        .iter()
        .step_by(2)
        .map(|pairing| spec.board(pairing))
        .map(|board| (board.game, &board.opening.unwrap().moves[0][..]))
        .collect();
    assert_eq!(boards, [("one", "a"), ("two", "c"), ("one", "b"), ("two", "c"), ("one", "a"), ("two", "c")]);
    assert!(pairings.chunks(2).all(|pair| pair[0].start == pair[1].start && pair[0].block == pair[1].block));
}

#[test]
fn plans_count_what_is_played() {
    for (format, n_entrants, games, exact) in [
        (json!({"kind": "round-robin"}), 5, 20, true),
        (json!({"kind": "round-robin", "double": true}), 4, 24, true),
        (json!({"kind": "swiss", "rounds": 3}), 7, 18, true),
        (json!({"kind": "knock-out", "extra_blocks": 0}), 8, 14, true),
        (json!({"kind": "knock-out", "best_of": 4}), 8, 70, false),
        (json!({"kind": "gauntlet"}), 9, 16, true),
        (json!({"kind": "ladder", "games": 31}), 9, 32, true),
        (json!({"kind": "series", "games": 31}), 3, 36, true),
        (json!({"kind": "sprt", "games": 31}), 3, 36, false),
        (json!("sprt"), 2, 1_000_000, false),
    ] {
        let plan = read(&spec(&format, n_entrants)).plan().unwrap();
        assert_eq!((plan.games, plan.exact), (Some(games), exact), "{format}");
    }
    assert_eq!(read(&spec(&json!({"kind": "ladder"}), 3)).plan().unwrap().games, None);
}

#[test]
fn fault_c03_programs_are_suspended_after_ten_faults_in_a_row_unless_told() {
    let spec = |player: &str, rule: Value| {
        let mut spec = with("max_faults", rule);
        for entrant in spec["entrants"].as_array_mut().unwrap() {
            entrant["player"] = json!(player);
        }
        let mut spec = read(&spec);
        spec.suspend_as_usual();
        spec
    };
    for (player, rule, agreed, counts) in [
        ("cmd:./bot", Value::Null, Some(MAX_FAULTS), true),
        ("remote:bot", Value::Null, Some(MAX_FAULTS), true),
        ("cmd:./bot", json!(3), Some(3), true),
        ("cmd:./bot", json!(0), Some(0), false),
        ("easy", Value::Null, None, false),
    ] {
        let spec = spec(player, rule);
        assert_eq!(spec.max_faults, agreed, "{player}");
        // Only where nobody can be suspended is it known how many games there are.
        assert_eq!(spec.plan().unwrap().exact, !counts, "{player}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    for (value, said) in [
        (with("name", json!("")), "`name`: expected 1 to 100 characters"),
        (with("name", json!("a\nb")), "none of them a control character"),
        (with("games", json!([])), "`games`: expected at least one game spec"),
        (with("seats", json!(9)), "expected 2 to 8 seats"),
        (with("min_seats", json!(3)), "`seats` = 2, `min_seats` = 3"),
        (with("entrants", json!([])), "`entrants`: 0 of them; expected 2 to 4096"),
        (with("forbidden", json!([["bot1", "bto2"]])), "nobody is called \"bto2\"; did you mean \"bot2\"?"),
        (with("forbidden", json!([["bot1", "bot1"]])), "never meets itself anyway"),
        (with("max_turns", json!(0)), "`max_turns`: expected 1 or more"),
        (with("sandbox", json!("ful")), "`sandbox`: \"ful\" is no level; expected auto, full, none"),
        (with("tie_breaks", json!(["wins", "wins"])), "one is named twice"),
        (with("balanced", json!({"boards": 0})), "`balanced`: 0 boards; expected 1 to 1000"),
        (with("balanced", json!({"boards": 4, "plies": 101})), "`balanced`: 101 plies; expected at most 100"),
        (
            with("openings", json!([{"game": "hexapwan"}])),
            "\"hexapwan\" is none of `games`; did you mean \"hexapawn\"?",
        ),
        (spec(&json!({"kind": "series", "games": 4}), 9), "try kind = \"round-robin\""),
        (
            {
                let mut three = spec(&json!("sprt"), 3);
                three["seats"] = json!(2);
                three
            },
            "all 3 entrants sit at one table, which has seats = 2; try as many entrants",
        ),
        (spec(&json!("sprt"), 9), "a series has one table of at most 8 entrants, not 9"),
        (spec(&json!({"kind": "sprt", "games": 0}), 2), "games = 0; expected 1 to 100000000"),
        (
            spec(&json!({"kind": "sprt", "elo0": 60}), 2),
            "elo0 is 60 and elo1 is 50: elo0 must be less than elo1",
        ),
        (spec(&json!({"kind": "sprt", "alpha": 0.0}), 2), "both must be above 0, and their sum below 1"),
        (spec(&json!({"kind": "swiss", "rounds": 0}), 4), "`format`: rounds = 0; expected 1 to 4095"),
        (spec(&json!({"kind": "swiss", "rounds": 3, "games": 0}), 4), "games = 0; expected 1 to 100000"),
        (spec(&json!({"kind": "gauntlet", "challengers": 4}), 4), "challengers = 4; expected 1 to 3"),
        (spec(&json!({"kind": "knock-out", "best_of": 3}), 4), "best_of = 3; expected an even number"),
        (spec(&json!({"kind": "knock-out", "advance": 2}), 4), "advance: expected 1 to 1"),
        (
            spec(&json!({"kind": "knock-out", "groups": {"size": 3, "advance": 3}}), 9),
            "some go on and some do not",
        ),
        (spec(&json!({"kind": "round-robin"}), 3000), "try kind = \"swiss\""),
    ] {
        let spec = read(&value);
        let error = spec.format().err().expect(said).to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(spec.plan().unwrap_err().to_string(), error);
    }
}

#[test]
fn names_are_unique() {
    let mut value = spec(&json!({"kind": "round-robin"}), 2);
    value["entrants"][1]["name"] = json!("bot1");
    let error = read(&value).check().unwrap_err().to_string();
    assert_eq!(
        error,
        "`entrants`: entrants 1 and 2 are both called \"bot1\"; give every entrant a name of its own"
    );
}

#[test]
fn unknown_keys_are_refused_with_what_was_probably_meant() {
    let said = |value: Value| {
        let error = serde_json::from_value::<TournamentSpec>(value).unwrap_err();
        SpecError::reading(error).to_string()
    };
    let text = said(with("tiebreaks", json!([])));
    assert!(
        text.contains("unknown field `tiebreaks`") && text.ends_with("did you mean `tie_breaks`?"),
        "{text}"
    );
    let text = said(spec(&json!({"kind": "swis", "rounds": 3}), 4));
    assert!(text.ends_with("did you mean `swiss`?"), "{text}");
    let text = said(spec(&json!({"kind": "swiss", "rounds": 3, "gmaes": 3}), 4));
    assert!(text.ends_with("did you mean `games`?"), "{text}");
    let text = said(spec(&json!({"kind": "sprt", "elo_0": 3}), 2));
    assert!(text.ends_with("did you mean `elo0`?"), "{text}");
    let text = said(spec(&json!({"kind": "sprt", "model": "normal"}), 2));
    assert!(text.contains("expected logistic or normalized"), "{text}");
    let text = said(with("seed", json!("-1")));
    assert!(text.contains("expected a seed as a text of digits"), "{text}");
    let text = said(with("time", json!("soon")));
    assert!(text.contains("expected a time such as 500ms"), "{text}");
}

#[test]
fn entrants_and_forms_may_be_written_in_short() {
    let mut short = spec(&json!("round-robin"), 0);
    short["entrants"] = json!(["hard", "mine=cmd:./bot a=b", "remote:Ann", "bundle:bea"]);
    let mut full = spec(&json!({"kind": "round-robin"}), 0);
    full["entrants"] = json!([
        {"name": "hard", "player": "hard"},
        {"name": "mine", "player": "cmd:./bot a=b"},
        {"name": "Ann", "player": "remote:Ann"},
        {"name": "bea", "player": "bundle:bea"},
    ]);
    assert_eq!(read(&short), read(&full));
    let said = |value: Value| serde_json::from_value::<TournamentSpec>(value).unwrap_err().to_string();
    let text = said(spec(&json!("swiss"), 4));
    assert!(text.contains("missing field `rounds`"), "{text}");
    let text = said(spec(&json!("swis"), 4));
    assert!(text.contains("unknown variant `swis`"), "{text}");
    let text = said(with("entrants", json!([7])));
    assert!(text.contains("expected a player (`hard`, `mine=cmd:./bot`) or a table"), "{text}");
    let text = said(with("entrants", json!(["cmd:"])));
    assert!(text.contains("cmd"), "{text}");
}

#[test]
fn games_begin_in_one_way() {
    let mut value = with("balanced", json!({"boards": 4}));
    assert!(read(&value).check().is_ok());
    value["openings"] = json!([{"moves": ["a"]}]);
    let both = read(&value).check().unwrap_err().to_string();
    assert!(both.starts_with("`balanced` and `openings` both say"), "{both}");
    let mut value = with("balanced", json!({"boards": 4}));
    (value["seats"], value["min_seats"]) = (json!(4), json!(3));
    let sizes = read(&value).check().unwrap_err().to_string();
    assert!(sizes.contains("leave `min_seats` out"), "{sizes}");
}
