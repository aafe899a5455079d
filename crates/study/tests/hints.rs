//! Who follows the hints in a won position wins, also against perfect play.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::thread;
use std::time::Duration;

use rookery_catalog::{Game, game, strategy};
use rookery_games::fish::Fish;
use rookery_games::hexapawn::Hexapawn;
use rookery_players::SolveOrder;
use rookery_rules::{Notation, Position, PositionOf, Seed, Setup, Status, below};
use rookery_search::{Budget, Want};
use rookery_study::{Order, advise};

/// Positions of random games that are won for whoever is to move, with so many positions for the solver at the most.
fn won_positions<G: Game>(setups: &[String], n: usize, nodes: u64, late: usize) -> Vec<PositionOf<G>> {
    let mut found = vec![];
    for seed in 0.. {
        let mut rng = Seed(seed).rng();
        let setup = &setups[seed as usize % setups.len()];
        let mut position = G::Setup::parse(setup).unwrap().start();
        let mut game = vec![];
        while let Some(mv) = position.random_move(&mut rng) {
            game.push(position.clone());
            position.play_unchecked(mv);
        }
        let first = game.len().saturating_sub(late).min(game.len() - 1);
        let position = game.swap_remove(first + below(&mut rng, (game.len() - first) as u32) as usize);
        let order = SolveOrder { want: Want::Winner, nodes: Some(nodes), ..SolveOrder::default() };
        let solved = (G::EXPERTISE.solve)(&position, &order);
        if solved.is_ok_and(|solved| solved.value.winner == position.to_move()) {
            found.push(position);
            if found.len() == n {
                return found;
            }
        }
    }
    found
}

/// Follows hints from a won position against perfect play.
fn follow<G: Game>(start: &PositionOf<G>) {
    let (mut perfect, _) = strategy::<G>(&"perfect".parse().unwrap()).unwrap();
    let mut position = start.clone();
    let me = position.to_move().unwrap();
    let mut played = vec![];
    while let Some(seat) = position.to_move() {
        let mv = if seat == me {
            let order = Order { time: Duration::from_secs(20), ..Order::default() };
            let advice = advise(G::Setup::GAME, &position, &order, &mut |_| {}).unwrap();
            position.parse_move(advice.lines[0].mv()).unwrap()
        } else {
            perfect.choose(&position, &Budget { seed: Seed(played.len() as u64), ..Budget::default() })
        };
        played.push(mv.to_string());
        position.play(mv).unwrap();
    }
    let Status::Over(outcome) = position.status() else { unreachable!() };
    assert!(outcome.winners.contains(me) && outcome.winners.len() == 1, "{}: {played:?}", start.to_text());
}

/// Each of them, on two cores.
fn follow_all<G: Game>(starts: &[PositionOf<G>]) {
    thread::scope(|scope| {
        for half in starts.chunks(starts.len().div_ceil(2)) {
            scope.spawn(|| half.iter().for_each(follow::<G>));
        }
    });
}

#[test]
fn hints_win_every_won_position_of_hexapawn_up_to_6_x_6() {
    let setups: Vec<String> =
        (3..=6).flat_map(|rows| (3..=6).map(move |cols| format!("rows={rows},cols={cols}"))).collect();
    follow_all::<Hexapawn>(&won_positions::<Hexapawn>(&setups, 2500, u64::MAX, usize::MAX));
}

#[test]
fn hints_win_every_won_endgame_of_fish() {
    let setups: Vec<String> = (0..100).map(|seed| format!("rows=5,cols=5,seed={seed}")).collect();
    follow_all::<Fish>(&won_positions::<Fish>(&setups, 500, 20_000, 10));
}

/// The solver finds the winner of this endgame of Fish with 113,877 positions, and what each move is worth with millions.
const LONG: &str = "p1 23b43b3b/11113/2a2a22a2a/115b51/22111 0,0";

/// Who wins is known long before all lengths are, and then the hint wins already.
#[test]
fn a_move_that_keeps_the_win_is_proved_before_its_length_is() {
    let start = game("fish").unwrap().position(LONG).unwrap();
    let order = Order { time: Duration::from_mins(5), ..Order::default() };
    let advice = advise("fish", &*start, &order, &mut |advice| {
        if advice.lines[0].proven {
            order.stop.set();
        }
    });
    let advice = advice.unwrap();
    assert_eq!(advice.lines[0].worth(), "wins (proved)");
    assert!(advice.done && advice.lines[1..].iter().all(|line| line.mv() != advice.lines[0].mv()));
}
