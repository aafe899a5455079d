//! The laws of what programs learn from: an action means one move and back, equal positions have equal tensors.

use std::collections::HashSet;

use rookery_rules::{Actions, Frame, Learnable, Notation, Position as _, Seat, Seed, Setup};

/// Checks two random games of a setup; in the second one a player is removed on the way.
///
/// # Panics
/// If a law is broken; the message names the law, the setup, the seed and the position.
pub fn check<S: Setup<Position: Notation + Learnable>>(setup: &S, seed: Seed) {
    let start = setup.start();
    let (actions, frame) = (Actions::of(&start), start.frame());
    actions_law(&start, &actions, &setup.spec());
    assert!(!frame.is_empty(), "there is something to see: {}", setup.spec());
    for game in 0..2 {
        let seed = seed.derive(game);
        let mut rng = seed.rng();
        let mut position = start.clone();
        let mut next_check = 0;
        for ply in 0.. {
            let to_move = position.to_move();
            if ply >= next_check || to_move.is_none() {
                let context =
                    format!("{} with {seed:?} at ply {ply} in {}", setup.spec(), position.to_text());
                assert_eq!(
                    start.all_moves(),
                    position.all_moves(),
                    "a setup has one list of moves: {context}"
                );
                assert_eq!(position.frame(), frame, "a setup has one frame: {context}");
                moves_law(&position, &actions, &context);
                observation_law(&position, &frame, &context);
                next_check = ply + 1 + ply / 2;
            }
            match (to_move, position.random_move(&mut rng)) {
                (Some(seat), _) if game == 1 && ply == 5 => position.remove(seat),
                (_, Some(mv)) => position.play_unchecked(mv),
                _ => break,
            }
        }
    }
}

/// Every action is a move with a text of its own, and the move has the number of the action.
fn actions_law<P: Learnable>(start: &P, actions: &Actions<P>, context: &str) {
    assert!(!actions.is_empty(), "there are actions: {context}");
    let mut texts = HashSet::new();
    for number in 0..actions.len() {
        let mv = actions.get(number).expect("there are so many actions");
        assert_eq!(actions.number(start, mv), number, "{mv} means one action: {context}");
        assert!(texts.insert(mv.to_string()), "{mv} is one action: {context}");
    }
    assert_eq!(actions.get(actions.len()), None, "actions end: {context}");
}

/// The legal actions are the legal moves, in their order, and the mask has just them.
fn moves_law<P: Learnable>(position: &P, actions: &Actions<P>, context: &str) {
    let legal: Vec<P::Move> = position.legal_moves().collect();
    for &mv in &legal {
        assert!(actions.find(mv).is_some(), "{mv} has a number: {context}");
    }
    let numbers: Vec<usize> = actions.legal(position).collect();
    let moves: Vec<P::Move> = numbers.iter().filter_map(|&number| actions.get(number)).collect();
    assert_eq!(moves, legal, "legal actions are the legal moves, in their order: {context}");
    let mut listed = vec![];
    position.list_legal(actions, &mut listed);
    let expected: Vec<u32> = numbers.iter().map(|&number| number as u32).collect();
    assert_eq!(listed, expected, "the list has the legal actions, in their order: {context}");
    let mut mask = vec![7; actions.len()];
    actions.mask(position, &mut mask);
    let masked: Vec<usize> = (0..mask.len()).filter(|&number| mask[number] != 0).collect();
    let mut sorted = numbers;
    sorted.sort_unstable();
    assert_eq!(masked, sorted, "the mask has the legal actions: {context}");
    assert!(mask.iter().all(|&byte| byte <= 1), "a mask has 0 and 1: {context}");
}

/// What is observed follows from the position alone, and shows the pieces and values of the scene.
fn observation_law<P: Notation + Learnable>(position: &P, frame: &Frame, context: &str) {
    let again = P::from_text(&position.to_text()).expect("the text of a position reads back");
    let scene_frame = Frame::of(&position.scene(), position.n_seats(), P::KINDS);
    assert_eq!((scene_frame.rows, scene_frame.cols), (frame.rows, frame.cols), "the scene's size: {context}");
    let common = scene_frame.len();
    assert_eq!(scene_frame.names, frame.names[..scene_frame.names.len()], "the scene's planes: {context}");
    for viewer in Seat::all(position.n_seats()) {
        let (mut seen, mut seen_again) = (vec![7; frame.len()], vec![9; frame.len()]);
        position.observe(viewer, frame, &mut seen);
        again.observe(viewer, &again.frame(), &mut seen_again);
        assert_eq!(seen, seen_again, "equal positions have equal tensors: {viewer:?}, {context}");
        let mut drawn = vec![7; common];
        scene_frame.draw_scene(position, viewer, &mut drawn);
        assert_eq!(seen[..common], drawn, "the first planes are those of the scene: {viewer:?}, {context}");
    }
}
