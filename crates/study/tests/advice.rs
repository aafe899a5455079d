//! What is said about moves.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::{Duration, Instant};

use rookery_catalog::{CATALOG, Game, Visit, game, visit};
use rookery_players::analyse;
use rookery_rules::{GameSpec, Seed, Setup, below};
use rookery_search::{Budget, Line};
use rookery_study::{Advice, HintQuestion, Order, advise};

fn advice(name: &str, position: &str, time: Duration) -> Advice {
    let position = game(name).unwrap().position(position).unwrap();
    advise(name, &*position, &Order { time, max_lines: 10, ..Order::default() }, &mut |_| {}).unwrap()
}

#[test]
fn what_is_proved_is_said_to_be() {
    let second = Duration::from_secs(20);
    let best = &advice("hexapawn", "p1 1.../..1./2..2/2...", second).lines[0];
    assert_eq!((best.mv(), best.worth().as_str()), ("c2xd3", "wins in 3 moves (proved)"));
    let lost = advice("hexapawn", "p1 111/.../222", second);
    assert!(lost.done && lost.lines.iter().all(|line| line.proven && line.value <= 0.0));
    assert_eq!(lost.lines[0].worth(), "loses in 6 moves against best play (proved)");
}

#[test]
fn every_game_has_advice_in_time_with_lines_that_are_legal() {
    for &game in CATALOG {
        let spec = GameSpec::parse(game.name()).unwrap();
        let mut position = game.start(&spec).unwrap();
        let mut rng = Seed(3).rng();
        for _ in 0..6 {
            let begin = Instant::now();
            let (mut reports, mut n_done, mut last) = (0, 0, None);
            let order = Order { time: Duration::from_millis(300), ..Order::default() };
            let advice = advise(game.name(), &*position, &order, &mut |advice| {
                reports += 1;
                n_done += usize::from(advice.done);
                last = Some(advice.clone());
            });
            let advice = advice.unwrap();
            // Far more than it takes, since the machine may be busy.
            assert!(begin.elapsed() < Duration::from_secs(30), "{}: {:?}", game.name(), begin.elapsed());
            assert!(reports > 0 && last.as_ref() == Some(&advice) && !advice.lines.is_empty());
            assert!(
                advice.done && n_done == 1,
                "{}: {n_done} of {reports} reports are the last",
                game.name()
            );
            assert!(!advice.lines[0].reason().is_empty(), "{}: {}", game.name(), position.text());
            for line in &advice.lines {
                assert!((0.0..=1.0).contains(&line.value) && (line.error > 0.0) != line.proven, "{line:?}");
                let mut there = position.boxed_clone();
                line.moves.iter().for_each(|mv| there.play(mv).unwrap());
            }
            let moves = position.moves();
            position.play(&moves[below(&mut rng, moves.len() as u32) as usize]).unwrap();
        }
    }
}

#[test]
fn a_hint_comes_at_once_when_it_is_hurried_and_says_why() {
    let position = game("hexapawn").unwrap().position("p1 111./..../...1/222.").unwrap();
    let question = HintQuestion::new("hexapawn", position.into(), Duration::from_mins(1));
    question.stop().set();
    let begin = Instant::now();
    let hint = question.think(&mut |_| {}).unwrap();
    // Of the minute that it might take.
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert!(hint.reason.starts_with(&hint.mv), "{}", hint.reason);
}

#[test]
fn general_reasons_of_a_game_that_has_none_of_its_own() {
    // Four in a row on a small board: the first player has two in a row of three, open at one end.
    let game = game("four").unwrap();
    let mut position = game.start(&GameSpec::parse("four:rows=4,cols=4,line=3").unwrap()).unwrap();
    for mv in ["a", "d", "b"] {
        position.play(mv).unwrap();
    }
    let advice = advise("four", &*position, &Order::default(), &mut |_| {}).unwrap();
    let best = &advice.lines[0];
    assert_eq!((best.mv(), best.reasons[0].kind), ("c", "prevents"), "{best:?}");
    position.play("d").unwrap();
    let advice = advise("four", &*position, &Order::default(), &mut |_| {}).unwrap();
    assert_eq!((advice.lines[0].mv(), advice.lines[0].reason().as_str()), ("c", "wins at once"));
}

/// What the search says of the first position of a game on the board where levels are measured, with more and more work.
struct Start(&'static str);

impl Visit for Start {
    type Out = Vec<(f32, bool)>;

    fn visit<G: Game>(self) -> Self::Out {
        let start = G::Setup::parse(self.0).unwrap().start();
        let value = |work| {
            let mut best = None;
            let budget = Budget { work: Some(work), ..Budget::default() };
            analyse::<G>(&G::EXPERTISE, &start, &budget, 1, &mut |analysis| {
                best = analysis.lines.first().map(|line: &Line<_>| (line.value, line.proven));
            });
            best.unwrap()
        };
        [1_000, 10_000, 50_000].map(value).to_vec()
    }
}

/// Nobody has an advantage that shows in three games of four, unless it is proved.
#[test]
fn the_start_of_every_game_is_worth_about_half() {
    for &game in CATALOG {
        let options = match game.name() {
            "hexapawn" => "rows=6,cols=6",
            "renpaarden" => "width=5,height=5",
            _ => "",
        };
        for (value, proven) in visit(game.name(), Start(options)).unwrap() {
            assert!(proven || (0.25..=0.75).contains(&value), "{}: {value}", game.name());
        }
    }
}

/// A paranoid search lets all others play against one: a loss that only all of them together can bring about is none.
#[test]
fn with_three_players_a_loss_is_not_proved_by_a_search_that_lets_the_others_play_together() {
    let game = game("fish").unwrap();
    let mut position = game.start(&GameSpec::parse("fish:rows=4,cols=4,players=3,seed=1").unwrap()).unwrap();
    let (mut rng, mut losses) = (Seed(1).rng(), 0);
    while !position.moves().is_empty() {
        let order = Order { time: Duration::from_millis(100), max_lines: 100, ..Order::default() };
        let advice = advise("fish", &*position, &order, &mut |_| {}).unwrap();
        for line in advice.lines.iter().filter(|line| line.value <= 0.0) {
            losses += 1;
            let mut after = position.boxed_clone();
            after.play(line.mv()).unwrap();
            let over = after.moves().is_empty();
            assert_eq!(
                (line.proven, line.plies),
                (over, over.then_some(1)),
                "{} {}",
                position.text(),
                line.mv()
            );
        }
        let moves = position.moves();
        position.play(&moves[below(&mut rng, moves.len() as u32) as usize]).unwrap();
    }
    assert!(losses > 0);
}

#[test]
fn with_three_players_an_even_position_is_worth_a_third() {
    let start = game("stones").unwrap().start(&GameSpec::parse("stones:players=3").unwrap()).unwrap();
    let order = Order { time: Duration::from_millis(50), ..Order::default() };
    let value = advise("stones", &*start, &order, &mut |_| {}).unwrap().lines[0].value;
    assert!((0.2..0.45).contains(&value), "{value}");
}
