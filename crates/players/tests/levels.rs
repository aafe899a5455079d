//! What holds for the levels of every game: those with players of their own, one that brings an evaluation only, and one
//! that brings nothing.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::time::{Duration, Instant};

use rookery_games::renpaarden::{Position as Hops, TurnPosition};
use rookery_games::{fish, four, hexapawn, renpaarden, stones};
use rookery_players::{self as players, Expertise, PlayerError, strategy};
use rookery_rules::{Game, Position, PositionOf, Seat, Seed, Setup, Status};
use rookery_search::{Budget, Strategy};

/// Hexapawn for somebody who knows nothing of it.
struct Bare;

impl Game for Bare {
    type Setup = hexapawn::Setup;
    const TITLE: &'static str = "Bare";
    const SUMMARY: &'static str = "only what must be there";
    const SEATS: &'static str = "2";
    const RULES: &'static str = "";
}

const LEVELS: [&str; 8] =
    ["level:1", "level:2", "level:3", "level:4", "level:5", "level:6", "level:7", "level:8"];

/// A small amount of work, so that the tests are quick: what they check holds for any.
const WORK: u64 = 150;

fn player<G: Game>(expertise: &Expertise<PositionOf<G>>, name: &str) -> Box<dyn Strategy<PositionOf<G>>> {
    strategy::<G>(expertise, &name.parse().unwrap()).unwrap().0
}

fn budget(seed: u64) -> Budget {
    Budget { work: Some(WORK), seed: Seed(seed), ..Budget::default() }
}

fn after<P: Position>(position: &P, mv: P::Move) -> P {
    let mut child = position.clone();
    child.play(mv).unwrap();
    child
}

/// Whether the game is over and this seat has won it alone.
fn is_won(position: &impl Position, seat: Seat) -> bool {
    matches!(position.status(), Status::Over(outcome) if outcome.winners.iter().eq([seat]))
}

/// Whether the game is over without a share of the win for this seat.
fn is_lost(position: &impl Position, seat: Seat) -> bool {
    matches!(position.status(), Status::Over(outcome) if !outcome.winners.contains(seat))
}

/// Whether the game is lost, or whoever is to move now can end it with a loss for this seat.
fn in_danger<P: Position>(position: &P, seat: Seat) -> bool {
    is_lost(position, seat)
        || position.to_move().is_some_and(|next| next != seat)
            && position.legal_moves().any(|mv| is_lost(&after(position, mv), seat))
}

/// The positions of some games between weak levels.
fn positions<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    options: &str,
    n_games: u64,
) -> Vec<PositionOf<G>> {
    let mut positions = vec![];
    for game in 0..n_games {
        let mut position = G::Setup::parse(options).unwrap().start();
        let mut player = player::<G>(expertise, if game % 2 == 0 { "level:1" } else { "level:4" });
        for ply in 0..400 {
            if position.to_move().is_none() {
                break;
            }
            positions.push(position.clone());
            let mv = player.choose(&position, &budget(1000 * game + ply));
            position.play(mv).unwrap();
        }
    }
    positions
}

/// Every level takes a win in one, and from 3 on none allows a loss in one that can be avoided.
fn check_care<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str, n_games: u64) {
    let (mut wins, mut dangers) = (0, 0);
    for (idx, position) in positions::<G>(expertise, options, n_games).iter().enumerate() {
        let me = position.to_move().unwrap();
        let can_win = position.legal_moves().any(|mv| is_won(&after(position, mv), me));
        let careless = position.legal_moves().filter(|&mv| in_danger(&after(position, mv), me)).count();
        let can_help = careless > 0 && careless < position.count_moves();
        if !can_win && !can_help {
            continue;
        }
        for (level, name) in LEVELS.iter().enumerate() {
            let next = after(position, player::<G>(expertise, name).choose(position, &budget(idx as u64)));
            if can_win {
                wins += 1;
                assert!(is_won(&next, me), "{name} of {} does not win in\n{position}", G::Setup::GAME);
            } else if level >= 2 {
                dangers += 1;
                assert!(!in_danger(&next, me), "{name} of {} allows a loss in\n{position}", G::Setup::GAME);
            }
        }
    }
    assert!(wins >= 24 && dangers >= 24, "{}: {wins} wins and {dangers} dangers", G::Setup::GAME);
}

#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_avoided_in_fish() {
    check_care::<fish::Fish>(&players::fish::EXPERTISE, "rows=4,cols=4", 60);
    check_care::<fish::Fish>(&players::fish::EXPERTISE, "rows=4,cols=4,players=3", 60);
}

#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_avoided_in_hexapawn() {
    check_care::<hexapawn::Hexapawn>(&players::hexapawn::EXPERTISE, "rows=5,cols=5", 12);
}

#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_avoided_in_stones() {
    check_care::<stones::Stones>(&players::stones::EXPERTISE, "rows=4,cols=3", 12);
}

#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_avoided_in_games_without_players_of_their_own() {
    check_care::<four::Four>(&Expertise::NONE, "", 4);
    check_care::<Bare>(&Expertise::NONE, "rows=4,cols=4", 8);
}

/// In Renpaarden a turn is several hops, and what matters is where it ends.
#[test]
fn a_win_in_one_is_taken_and_a_loss_in_one_avoided_in_renpaarden() {
    let expertise = &players::renpaarden::EXPERTISE;
    let turn_of = |position: &Hops, name: &str, seed: u64| {
        let (mut player, me) = (player::<renpaarden::Renpaarden>(expertise, name), position.to_move());
        let mut position = position.clone();
        for hop in 0..200 {
            if position.to_move() != me {
                return TurnPosition::from(position);
            }
            position.play(player.choose(&position, &budget(seed + hop))).unwrap();
        }
        panic!("{name} does not end its turn");
    };
    let (mut wins, mut dangers) = (0, 0);
    let positions = positions::<renpaarden::Renpaarden>(expertise, "width=5,height=5", 24);
    for (idx, position) in positions.iter().filter(|position| position.chain().is_none()).enumerate() {
        let me = position.to_move().unwrap();
        let turns = TurnPosition::from(position.clone());
        let can_win = turns.legal_moves().any(|turn| is_won(&after(&turns, turn), me));
        let careless = turns.legal_moves().filter(|&turn| in_danger(&after(&turns, turn), me)).count();
        if !can_win && (careless == 0 || careless == turns.count_moves()) {
            continue;
        }
        for (level, name) in LEVELS.iter().enumerate() {
            let next = turn_of(position, name, idx as u64);
            if can_win {
                wins += 1;
                assert!(is_won(&next, me), "{name} does not win in\n{position}");
            } else if level >= 2 {
                dangers += 1;
                assert!(!in_danger(&next, me), "{name} allows a loss in\n{position}");
            }
        }
    }
    assert!(wins >= 24 && dangers >= 24, "{wins} wins and {dangers} dangers");
}

/// The moves of a game of a player against itself, at most so many.
fn game<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str, name: &str, seed: u64) -> Vec<String> {
    let mut position = G::Setup::parse(options).unwrap().start();
    let mut player = player::<G>(expertise, name);
    let mut moves = vec![];
    while position.to_move().is_some() && moves.len() < 60 {
        let mv = player.choose(&position, &budget(seed * 1000 + moves.len() as u64));
        position.play(mv).unwrap();
        moves.push(mv.to_string());
    }
    moves
}

fn check_seeds<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str) {
    for name in LEVELS {
        let first = game::<G>(expertise, options, name, 1);
        assert_eq!(first, game::<G>(expertise, options, name, 1), "{name} of {}", G::Setup::GAME);
        let others = (2..6).map(|seed| game::<G>(expertise, options, name, seed));
        let n_others = others.filter(|other| *other != first).count();
        assert!(n_others >= 3, "{name} of {} plays the same game with other seeds", G::Setup::GAME);
    }
    for (name, level) in [("easy", "level:2"), ("medium", "level:5"), ("hard", "level:8")] {
        for seed in 0..3 {
            let moves = game::<G>(expertise, options, name, seed);
            assert_eq!(moves, game::<G>(expertise, options, level, seed), "{name} of {}", G::Setup::GAME);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_game_another_seed_another_one_and_easy_is_level_2() {
    check_seeds::<fish::Fish>(&players::fish::EXPERTISE, "");
    check_seeds::<hexapawn::Hexapawn>(&players::hexapawn::EXPERTISE, "rows=6,cols=6");
    check_seeds::<renpaarden::Renpaarden>(&players::renpaarden::EXPERTISE, "width=5,height=5");
    check_seeds::<stones::Stones>(&players::stones::EXPERTISE, "");
    check_seeds::<four::Four>(&Expertise::NONE, "");
    check_seeds::<Bare>(&Expertise::NONE, "rows=6,cols=6");
}

/// The share of the wins that one level gets against another, in games on both seats with its full strength.
fn share<G: Game>(
    expertise: &Expertise<PositionOf<G>>,
    options: &str,
    strong: &str,
    weak: &str,
    n_games: u64,
) -> f64 {
    let mut points = 0.0;
    for game in 0..n_games {
        let mut position = G::Setup::parse(options).unwrap().start();
        let me = (game % 2) as usize;
        let mut seats = [strong, weak].map(|name| player::<G>(expertise, name));
        let mut ply = 0;
        while let Some(seat) = position.to_move() {
            let budget = Budget { seed: Seed(game).derive(ply), ..Budget::default() };
            let mv = seats[(seat.index() + me) % 2].choose(&position, &budget);
            position.play(mv).unwrap();
            ply += 1;
        }
        let Status::Over(outcome) = position.status() else { panic!("the game has an end") };
        if outcome.winners.contains(Seat::new(me as u8)) {
            points += 1.0 / outcome.winners.len() as f64;
        }
    }
    points / n_games as f64
}

/// Two levels apart a player wins more than three games of four; less than half of twenty is next to impossible then.
fn check_steps<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str, top: usize) {
    for upper in 2..top {
        let (strong, weak) = (LEVELS[upper], LEVELS[upper - 2]);
        let won = share::<G>(expertise, options, strong, weak, 20);
        assert!(won > 0.5, "{strong} of {} wins {won} against {weak}", G::Setup::GAME);
    }
}

#[test]
fn levels_get_stronger_in_fish() {
    check_steps::<fish::Fish>(&players::fish::EXPERTISE, "", 8);
}

#[test]
fn levels_get_stronger_in_hexapawn() {
    check_steps::<hexapawn::Hexapawn>(&players::hexapawn::EXPERTISE, "rows=6,cols=6", 8);
}

#[test]
fn levels_get_stronger_in_renpaarden() {
    check_steps::<renpaarden::Renpaarden>(&players::renpaarden::EXPERTISE, "width=5,height=5", 8);
}

#[test]
fn levels_get_stronger_in_stones() {
    check_steps::<stones::Stones>(&players::stones::EXPERTISE, "rows=5,cols=5,quiet=100", 6);
}

#[test]
fn levels_get_stronger_in_games_without_players_of_their_own() {
    check_steps::<four::Four>(&Expertise::NONE, "", 8);
    check_steps::<Bare>(&Expertise::NONE, "rows=6,cols=6", 7);
}

/// The strongest level as it plays without a clock, against one three levels below, so many games on each of these boards.
/// Somebody who plays at random wins hardly a game.
fn check_top<G: Game>(expertise: &Expertise<PositionOf<G>>, boards: &[&str], n_games: u64) {
    let won = boards.iter().map(|options| share::<G>(expertise, options, "level:8", "level:5", n_games));
    let won = won.sum::<f64>() / boards.len() as f64;
    assert!(won >= 0.7, "level:8 of {} wins {won} against level:5", G::Setup::GAME);
}

/// On one board of Fish whoever begins wins most games, whatever the level, so each pair of games has another one.
#[test]
fn the_top_level_of_fish_is_strong() {
    let boards: Vec<String> = (1..=10).map(|seed| format!("seed={seed}")).collect();
    let boards: Vec<&str> = boards.iter().map(String::as_str).collect();
    check_top::<fish::Fish>(&players::fish::EXPERTISE, &boards, 2);
}

#[test]
fn the_top_level_of_renpaarden_is_strong() {
    check_top::<renpaarden::Renpaarden>(&players::renpaarden::EXPERTISE, &["width=5,height=5"], 10);
}

#[test]
fn the_top_level_of_stones_is_strong() {
    check_top::<stones::Stones>(&players::stones::EXPERTISE, &[""], 6);
}

/// A sample of what `cargo xtask levels` measures: a step is 60 to 80 % of the points, so less than 45 % of forty games
/// would be a step that is gone.
#[test]
fn each_level_beats_the_one_below_and_the_top_level_beats_easy() {
    let share = |strong: &str, weak: &str| share::<four::Four>(&Expertise::NONE, "", strong, weak, 40);
    for (weak, strong) in LEVELS.iter().zip(&LEVELS[1..]) {
        let won = share(strong, weak);
        assert!(won >= 0.45, "{strong} wins {won} against {weak}");
    }
    let won = share("hard", "easy");
    assert!(won >= 0.9, "hard wins {won} against easy");
}

/// The strongest level thinks as long as it may; a level below thinks no longer than without a clock, and so answers the
/// same.
fn check_clock<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str) {
    let start = G::Setup::parse(options).unwrap().start();
    let (begin, time) = (Instant::now(), Duration::from_millis(200));
    let timed = |time| Budget { deadline: Some(Instant::now() + time), seed: Seed(3), ..Budget::default() };
    player::<G>(expertise, "level:8").choose(&start, &timed(time));
    let took = begin.elapsed();
    assert!(took > time / 2, "level:8 of {} answers after {took:?} of {time:?}", G::Setup::GAME);
    // Far more than it takes, since the machine may be busy.
    assert!(took < 50 * time, "level:8 of {} answers after {took:?} of {time:?}", G::Setup::GAME);
    for name in &LEVELS[..7] {
        let untimed = Budget { deadline: None, ..timed(time) };
        let [with, without] = [timed(Duration::from_mins(10)), untimed]
            .map(|budget| player::<G>(expertise, name).choose(&start, &budget));
        assert_eq!(with, without, "{name} of {}", G::Setup::GAME);
    }
}

#[test]
fn with_a_clock_the_top_level_uses_its_time_and_no_other_gets_stronger() {
    check_clock::<fish::Fish>(&players::fish::EXPERTISE, "");
    check_clock::<hexapawn::Hexapawn>(&players::hexapawn::EXPERTISE, "rows=8,cols=8");
    check_clock::<renpaarden::Renpaarden>(&players::renpaarden::EXPERTISE, "");
    check_clock::<stones::Stones>(&players::stones::EXPERTISE, "");
    check_clock::<four::Four>(&Expertise::NONE, "");
    check_clock::<Bare>(&Expertise::NONE, "rows=8,cols=8");
}

#[test]
fn levels_that_do_not_exist_are_refused_by_name() {
    for text in ["level:0", "level:9", "level:x", "level:08"] {
        let found =
            strategy::<four::Four>(&Expertise::NONE, &text.parse().unwrap()).map(|(_, info)| info.name);
        let error = found.unwrap_err();
        assert!(matches!(error, PlayerError::Level { .. }), "{text}: {error:?}");
        let expected = format!("there is no {text}; the levels are level:1 to level:8, from weak to strong");
        assert_eq!(error.to_string(), expected);
    }
    let spec = "level".parse().unwrap();
    let error = strategy::<four::Four>(&Expertise::NONE, &spec).map(|(_, info)| info.name).unwrap_err();
    assert!(error.to_string().contains("level:1 to level:8"), "{error}");
    assert!("level:".parse::<players::PlayerSpec>().is_ok_and(|spec| spec.name() == "level"));
    assert!("level:3,x".parse::<players::PlayerSpec>().is_err());
}

#[test]
fn an_analysis_has_a_proven_win_first_and_legal_lines() {
    fn check<G: Game>(expertise: &Expertise<PositionOf<G>>, options: &str) {
        for (idx, position) in positions::<G>(expertise, options, 2).iter().enumerate().step_by(5) {
            let me = position.to_move().unwrap();
            let can_win = position.legal_moves().any(|mv| is_won(&after(position, mv), me));
            let mut reports = vec![];
            let limit = Budget { work: Some(3_000), ..budget(idx as u64) };
            players::analyse::<G>(expertise, position, &limit, 3, &mut |report| reports.push(report.clone()));
            let last = reports.last().unwrap();
            assert!(last.done && reports.iter().filter(|report| report.done).count() == 1);
            assert!(!last.lines.is_empty() && last.lines.len() <= 3);
            assert!(last.lines.iter().all(|line| (0.0..=1.0).contains(&line.value)));
            assert!(!can_win || last.lines[0].proven && last.lines[0].value >= 1.0, "{position}");
            for line in &last.lines {
                let mut position = position.clone();
                line.moves.iter().for_each(|&mv| position.play(mv).unwrap());
            }
        }
    }
    check::<fish::Fish>(&players::fish::EXPERTISE, "");
    check::<hexapawn::Hexapawn>(&players::hexapawn::EXPERTISE, "rows=6,cols=6");
    check::<renpaarden::Renpaarden>(&players::renpaarden::EXPERTISE, "width=5,height=5");
    check::<stones::Stones>(&players::stones::EXPERTISE, "");
    check::<four::Four>(&Expertise::NONE, "");
    check::<Bare>(&Expertise::NONE, "rows=5,cols=5");
}
