//! What holds for every report.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use allocation_counter::measure;
use common::{evaluated, fours, full_report, pairings, pairs, result_of, results, spec};
use rookery_ratings::bradley_terry::{self, Draws, Score};
use rookery_ratings::{Errors, plackett_luce, tables};
use rookery_referee::{Cause, Offence};
use rookery_report::{Context, Evaluation, METHOD, Model, RatingError, RatingOptions, Ratings, Report};
use rookery_rules::{BySeat, Outcome, Seat, Seats, Seed, below};
use rookery_tournament::{Entrant, GameResult, Pairing, Reason, Series, TournamentSpec};
use serde_json::json;

fn shuffled(results: &[GameResult], seed: u64) -> Vec<&GameResult> {
    let mut rng = Seed(seed).rng();
    let mut order: Vec<&GameResult> = results.iter().collect();
    for idx in (1..order.len()).rev() {
        order.swap(idx, below(&mut rng, idx as u32 + 1) as usize);
    }
    order
}

#[test]
fn the_order_of_games_changes_no_bit() {
    for spec in [pairs(), fours()] {
        let results = results(&spec);
        let evaluation = evaluated(&spec, &results);
        let expected = full_report(&evaluation);
        for seed in 0..5 {
            let other = evaluated(&spec, shuffled(&results, seed));
            assert_eq!(other, evaluation);
            assert_eq!(full_report(&other).to_json(), expected.to_json());
        }
        // Also in the middle of it.
        let half = &results[..results.len() / 2];
        assert_eq!(evaluated(&spec, half), evaluated(&spec, shuffled(half, 9)));
    }
}

fn fit(evaluation: &Evaluation, model: Model) -> Ratings {
    Ratings::fit(evaluation, &RatingOptions { model: Some(model), ..RatingOptions::default() }).unwrap()
}

/// Every game that has a winner, with its players and their places.
fn counting(results: &[GameResult]) -> Vec<(u64, Vec<usize>, Vec<usize>)> {
    let game = |result: &GameResult| {
        let outcome = result.outcome.as_ref().filter(|outcome| !outcome.winners.is_empty())?;
        let players = result.entrants.iter().map(|entrant| entrant.index()).collect();
        Some((result.block, players, outcome.places().as_slice().to_vec()))
    };
    results.iter().filter_map(game).collect()
}

/// Enough games that errors are those of blocks alone.
fn long(games: u64) -> (TournamentSpec, Vec<GameResult>) {
    let spec = spec(&json!({"kind": "round-robin", "games": games}), 2, &["a", "b", "c", "d"]);
    let results = results(&spec);
    (spec, results)
}

#[test]
fn ratings_of_two_are_those_of_the_fits() {
    let (spec, results) = long(20);
    let mut direct = bradley_terry::Results::new(4);
    let games = counting(&results);
    for block in games.chunk_by(|one, other| one.0 == other.0) {
        let game = |(_, players, places): &(u64, Vec<usize>, Vec<usize>)| {
            let score = match places[0].cmp(&places[1]) {
                std::cmp::Ordering::Less => Score::Win,
                std::cmp::Ordering::Equal => Score::Draw,
                std::cmp::Ordering::Greater => Score::Loss,
            };
            bradley_terry::Game { first: players[0], second: players[1], score }
        };
        direct.add_block(&block.iter().map(game).collect::<Vec<_>>()).unwrap();
    }
    let evaluation = evaluated(&spec, &results);
    for (model, draws) in [
        (Model::BradleyTerry, Draws::Half),
        (Model::Davidson, Draws::Davidson),
        (Model::RaoKupper, Draws::RaoKupper),
    ] {
        let expected =
            direct.fit(&bradley_terry::Options { draws, ..bradley_terry::Options::default() }).unwrap();
        let ratings = fit(&evaluation, model);
        for entrant in Entrant::all(4) {
            let error = expected.error_to_mean(entrant.index(), Errors::Blocks).unwrap();
            assert_eq!(ratings.numbers(entrant), [expected.elo()[entrant.index()], error], "{model}");
        }
        assert_eq!(ratings.los(Entrant(0), Entrant(3)), expected.los(0, 3, Errors::Blocks));
        assert_eq!(ratings.draw_weight(), expected.draw_weight());
    }
    let usual = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert_eq!(usual.model(), Model::BradleyTerry);
    assert_eq!(usual.method(), format!("{METHOD} bradley-terry prior=1"));
}

#[test]
fn ratings_of_four_are_those_of_the_fits() {
    let spec =
        spec(&json!({"kind": "round-robin", "rounds": 12}), 4, &["a", "b", "c", "d", "e", "f", "g", "h"]);
    let results = results(&spec);
    let (mut placed, mut by_blocks) = (plackett_luce::Results::new(8), tables::Results::new(8));
    for block in counting(&results).chunk_by(|one, other| one.0 == other.0) {
        let mut table = block[0].1.clone();
        table.sort_unstable();
        let mut games = vec![];
        for (_, players, places) in block {
            placed.add_block(&[plackett_luce::Game::new(players, places).unwrap()]).unwrap();
            let place = |player: &usize| places[players.iter().position(|other| other == player).unwrap()];
            games.push(table.iter().map(place).collect::<Vec<usize>>());
        }
        by_blocks.add_block(&table, &games).unwrap();
    }
    let (elo, errors) = (placed.fit(1.0).unwrap(), by_blocks.fit(1.0).unwrap());
    let evaluation = evaluated(&spec, &results);
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert_eq!(ratings.model(), Model::PlackettLuce);
    for entrant in Entrant::all(8) {
        let error = errors.error_to_mean(entrant.index(), Errors::Blocks).unwrap();
        assert_eq!(ratings.numbers(entrant), [elo.elo()[entrant.index()], error]);
    }
    let pairwise = fit(&evaluation, Model::BradleyTerry);
    assert_eq!(pairwise.of(Entrant(2)).unwrap().rating.to_bits(), errors.elo()[2].to_bits());
    let two_only = RatingOptions { model: Some(Model::Davidson), ..RatingOptions::default() };
    assert_eq!(Ratings::fit(&evaluation, &two_only), Err(RatingError::TwoOnly(Model::Davidson)));
}

#[test]
fn few_blocks_are_no_certainty() {
    // Three blocks that all end alike differ by nothing, and still nobody knows much.
    let spec = spec(&json!({"kind": "round-robin", "games": 6}), 2, &["a", "b"]);
    let evaluation = {
        let mut evaluation = Evaluation::new(&spec);
        for pairing in pairings(&spec) {
            let first = pairing.entrants[0];
            let outcome = Outcome::win(2, Seat::new(u8::from(first != Entrant(0))));
            evaluation.add(&GameResult::new(&pairing, Some(outcome), Cause::Normal));
        }
        evaluation
    };
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert!(ratings.of(Entrant(0)).unwrap().error.unwrap() > 150.0);
    assert!(ratings.los(Entrant(0), Entrant(1)).unwrap() < 0.99);
}

#[test]
fn anchors_move_everybody_and_errors_are_against_them() {
    let (spec, results) = long(20);
    let evaluation = evaluated(&spec, &results);
    let free = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    let anchor = Some((Entrant(1), 1500.0));
    let anchored = Ratings::fit(&evaluation, &RatingOptions { anchor, ..RatingOptions::default() }).unwrap();
    assert_eq!(anchored.numbers(Entrant(1)), [1500.0, 0.0]);
    let difference =
        |ratings: &Ratings| ratings.of(Entrant(3)).unwrap().rating - ratings.of(Entrant(1)).unwrap().rating;
    assert!((difference(&free) - difference(&anchored)).abs() < 1e-9);
    assert!(anchored.method().ends_with(" anchor=1:1500"));
    for anchor in [(Entrant(4), 0.0), (Entrant(0), f64::NAN), (Entrant(0), 1e9)] {
        let options = RatingOptions { anchor: Some(anchor), ..RatingOptions::default() };
        assert!(matches!(Ratings::fit(&evaluation, &options), Err(RatingError::Anchor(..))));
    }
}

#[test]
fn weng_lin_goes_by_the_numbers_of_pairings() {
    let (spec, results) = long(6);
    let options = RatingOptions { model: Some(Model::WengLin), ..RatingOptions::default() };
    let rate = |order: Vec<&GameResult>| {
        let mut evaluation = Evaluation::new(&spec).keeping_games();
        for result in order {
            assert!(evaluation.add(result));
        }
        Ratings::fit(&evaluation, &options).unwrap()
    };
    let ratings = rate(results.iter().collect());
    assert_eq!(ratings, rate(shuffled(&results, 4)));
    assert!(ratings.of(Entrant(0)).unwrap().rating > ratings.of(Entrant(3)).unwrap().rating);
    assert_eq!(ratings.of(Entrant(0)).unwrap().error, None);
    let not_kept = Ratings::fit(&evaluated(&spec, &results), &options);
    assert_eq!(not_kept, Err(RatingError::NoGames(Model::WengLin)));
}

#[test]
fn parts_that_never_met_are_named_and_not_compared() {
    let (spec, results) = long(4);
    let apart = |result: &&GameResult| {
        let both =
            |one, other| [one, other].iter().all(|&entrant| result.entrants.contains(&Entrant(entrant)));
        both(0, 1) || both(2, 3)
    };
    let evaluation = evaluated(&spec, results.iter().filter(apart));
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert_eq!(ratings.parts(), [[Entrant(0), Entrant(1)], [Entrant(2), Entrant(3)]]);
    assert_eq!(ratings.los(Entrant(0), Entrant(2)), None);
    assert!(ratings.los(Entrant(0), Entrant(1)).is_some());
    let text = Report::new(&evaluation, Some(&ratings), &Context::default()).to_text(200);
    assert!(text.contains("never met, so compare nobody across them: a, b | c, d."), "{text}");
}

#[test]
fn who_has_not_played_has_no_rating() {
    let (spec, results) = long(4);
    let two = results.iter().filter(|result| result.entrants.iter().all(|entrant| entrant.0 < 2));
    let mut evaluation = evaluated(&spec, two);
    let late = evaluation.join("late");
    assert_eq!((late, evaluation.names().len()), (Entrant(4), 5));
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert_eq!((ratings.of(late), ratings.numbers(Entrant(2))), (None, vec![]));
    let pairing = Pairing {
        id: 1 << 50,
        entrants: vec![late, Entrant(0)],
        block: 1 << 50,
        start: 0,
        round: None,
        reason: Reason::Group { round: 1, table: 1, of: 1 },
    };
    assert!(evaluation.add(&GameResult::new(&pairing, Some(Outcome::win(2, Seat::new(0))), Cause::Normal)));
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    assert!(ratings.of(late).unwrap().rating > 0.0, "a block that is not complete counts");
    assert_eq!((ratings.games(late), evaluation.open_blocks()), (1, (1, 1)));
}

#[test]
fn games_that_nobody_won_are_in_no_rating() {
    let spec = spec(&json!({"kind": "round-robin"}), 2, &["a", "b"]);
    let mut evaluation = Evaluation::new(&spec);
    for pairing in pairings(&spec) {
        let outcome = Outcome { scores: BySeat::filled(2, 0), winners: Seats::NONE };
        let result = GameResult::new(&pairing, Some(outcome), Cause::Offence(Offence::Crashed));
        evaluation.add(&GameResult { failed: pairing.entrants.clone(), ..result });
    }
    let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
    let report = Report::new(&evaluation, Some(&ratings), &Context::default());
    assert_eq!(report.standings[0].rating, None);
    assert_eq!((report.standings[0].total.losses, report.standings[0].crashes), (2, 2));
    assert!(report.legend.iter().any(|line| line.starts_with("2 games in which everybody was removed")));
}

#[test]
fn text_fits_every_width() {
    let many: Vec<String> =
        (0..30).map(|n| format!("player number {n} with quite a long name {}", "x".repeat(n))).collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    for spec in [pairs(), fours(), spec(&json!({"kind": "round-robin"}), 2, &names)] {
        let report = full_report(&evaluated(&spec, &results(&spec)));
        for width in [40, 60, 80, 120, 250] {
            let text = report.to_text(width);
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width}: {line}");
                assert_eq!(line.trim_end(), line);
            }
            for title in
                ["points", "score", "Elo", "LOS", "0-½-1-1½-2", "late", "crashed", "other faults", "seat 2"]
            {
                // At larger tables there are no pairs.
                let is_shown = title != "0-½-1-1½-2" || spec.seats == 2;
                assert_eq!(text.contains(title), is_shown, "{title} at {width}");
            }
        }
    }
}

/// How many games a test has had played when it decided depends on how fast they were: no table may.
#[test]
fn games_beyond_the_decision_of_a_test_are_in_no_table() {
    let format = json!({"kind": "sprt", "elo1": 200, "alpha": 0.2, "beta": 0.2, "games": 400});
    let spec = spec(&format, 2, &["Ann", "Ben"]);
    let series = Series::new(2, 400);
    let result = |game: u64| {
        let pairing = series.pairing(game).unwrap();
        let ann = pairing.entrants.iter().position(|&entrant| entrant == Entrant(0)).unwrap();
        GameResult::new(&pairing, Some(Outcome::win(2, Seat::new(ann as u8))), Cause::Normal)
    };
    let mut needed = Evaluation::new(&spec);
    let games = (1..=400).find(|&games| {
        needed.add(&result(games - 1));
        needed.test().unwrap().decision().is_some()
    });
    let games = games.unwrap();
    assert!(games < 100 && games % 2 == 0, "{games}");
    for beyond in [1, 2, 31] {
        let mut more = Evaluation::new(&spec);
        (0..games + beyond).rev().for_each(|game| assert!(more.add(&result(game))));
        assert_eq!(full_report(&more).to_json(), full_report(&needed).to_json(), "{beyond} beyond it");
        assert_eq!(more.test(), needed.test());
    }
    let report = Report::new(&needed, None, &Context::default());
    assert_eq!((report.games, report.test.unwrap().decision.as_deref()), (games, Some("H1")));
}

#[test]
fn a_million_games_need_no_memory() {
    for (n, games, most) in [(2_usize, 1_000_000, 32 << 10), (4, 200_000, 256 << 10)] {
        let names: Vec<String> = (0..n).map(|n| format!("p{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let spec = spec(&json!({"kind": "series", "games": games}), n, &names);
        let series = Series::new(n, games);
        let used = measure(|| {
            let mut evaluation = Evaluation::new(&spec);
            for game in 0..games {
                assert!(evaluation.add(&result_of(&series.pairing(game).unwrap(), Seed(1))));
            }
            assert_eq!(evaluation.open_blocks(), (0, 0));
            let ratings = Ratings::fit(&evaluation, &RatingOptions::default()).unwrap();
            assert!(ratings.of(Entrant(0)).unwrap().error.unwrap() < 5.0);
        });
        assert!(used.bytes_max < most, "{} bytes at tables of {n}", used.bytes_max);
    }
}

#[test]
fn fault_w16_hostile_names_do_no_harm_in_any_export() {
    let names = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "=HYPERLINK(\"http://x\",\"y\")",
        "a|b*c_d`e`[f](http://g)",
        "x\u{202e}y, \"z\"",
        "</title></svg></style><svg onload=alert(1)>",
    ];
    let spec = spec(&json!({"kind": "round-robin"}), 2, &names);
    let report = full_report(&evaluated(&spec, &results(&spec)));
    let html = report.to_html(&|_| Some("javascript:alert(1)".to_owned()));
    let tags = ["<script", "<img", "onerror=", "onload=", "javascript:"];
    // What a name says may be seen, but only as text.
    let without_texts = html.replace("&lt;", "").replace("&quot;", "\u{1}");
    assert!(
        !without_texts.contains("<script") && !html.contains("<img") && !html.contains("javascript:"),
        "{tags:?}"
    );
    assert!(!html.contains('\u{202e}'));
    // Everything but the doctype is XML too, so a reader of XML sees each element.
    let body = html.strip_prefix("<!doctype html>\n").unwrap();
    let closed = body.replace("<meta charset=\"utf-8\">", "").replace("<br>", "<br/>");
    let closed: String =
        closed.lines().filter(|line| !line.starts_with("<meta")).collect::<Vec<_>>().join("\n");
    let document = roxmltree::Document::parse(&closed).unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        assert!(!["script", "img", "iframe"].contains(&node.tag_name().name()));
        assert!(
            node.attributes()
                .all(|attribute| !attribute.name().starts_with("on") && attribute.name() != "style")
        );
        assert_ne!(node.tag_name().name(), "a", "that link is none");
    }
    let seen =
        document.descendants().filter(roxmltree::Node::is_text).any(|node| node.text() == Some(names[0]));
    assert!(seen, "the name is shown as it is");
    for csv in [report.to_csv(), report.to_csv_by_opponent()] {
        assert!(csv.lines().all(|line| !line.starts_with('=') && !line.contains(",=")), "{csv}");
        assert!(csv.contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""));
    }
    let markdown = report.to_markdown();
    assert!(
        markdown.contains("\\<script\\>") && markdown.contains("a\\|b\\*c\\_d\\`e\\`\\[f\\](http\\://g)")
    );
    let text = report.to_text(80);
    assert!(!text.contains('\u{202e}') && !text.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn results_of_others_are_refused_and_change_nothing() {
    let spec = pairs();
    let results = results(&spec);
    let evaluation = evaluated(&spec, &results);
    let mut other = evaluation.clone();
    let stranger = GameResult { entrants: vec![Entrant(0), Entrant(9)], ..results[0].clone() };
    let twice = GameResult { entrants: vec![Entrant(0), Entrant(0)], ..results[0].clone() };
    assert!(!other.add(&stranger) && !other.add(&twice));
    assert_eq!(other, evaluation);
}

#[test]
fn models_have_names_and_mistyped_ones_are_guessed() {
    for model in Model::ALL {
        assert_eq!(model.to_string().parse(), Ok(model));
    }
    let error = "davison".parse::<Model>().unwrap_err().to_string();
    assert!(error.contains("\"davison\"") && error.ends_with("did you mean davidson?"), "{error}");
}
