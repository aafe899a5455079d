//! The laws every game obeys, checked at the positions of random games.

use std::collections::{HashMap, HashSet};

use rookery_rules::{Keyed, Learnable, Notation, Position, Rng, Seat, Seats, Seed, Setup, Status, below};

use crate::conceivable::Conceivable;
use crate::{scenes, tensors};

/// How often moves are drawn to see that each is as likely as another: so many times for each of them, and in all.
const DRAWN_EACH: u32 = 30;
const DRAWN_IN_ALL: u32 = 400;

/// Checks all laws on `n_games` random games of a setup. In every second game players are removed at random.
///
/// # Panics
/// If a law is broken; the message names the law, the setup, the seed and the position.
pub fn check<S>(setup: &S, n_games: u64, seed: Seed)
where
    S: Setup,
    S::Position: Keyed + Notation + Learnable + Conceivable,
{
    setup_law(setup);
    scenes::check(setup, seed);
    tensors::check(setup, seed);
    for game in 0..n_games {
        let seed = seed.derive(game);
        let context = format!("{} with {seed:?}", setup.spec());
        let history = play_one(&setup.start(), seed, game % 2 == 1, &context);
        assert_eq!(
            history,
            play_one(&setup.start(), seed, game % 2 == 1, &context),
            "same seed, same game: {context}"
        );
    }
}

/// A setup's spec gives the same setup again.
fn setup_law<S: Setup>(setup: &S) {
    let spec = setup.spec();
    let again = S::from_spec(&rookery_rules::GameSpec::parse(&spec).expect("a spec is well formed"));
    assert_eq!(again.as_ref(), Ok(setup), "a setup's spec gives the setup again: {spec}");
    // Also with every option spelled out, which the shortest spec leaves away where it is the default.
    let options: Vec<String> =
        setup.options().iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        S::parse(&options.join(",")).as_ref(),
        Ok(setup),
        "its options give the setup again: {options:?}"
    );
    let order: Vec<_> =
        setup.options().iter().map(|(name, _)| S::KEYS.iter().position(|k| k.name == *name)).collect();
    assert!(
        order.is_sorted_by(|a, b| a < b),
        "options are those of the table, once, in its order: {options:?}"
    );
    assert!(order.iter().all(Option::is_some), "an option is in the table of keys: {options:?}");
    for (name, value) in setup.options() {
        let twice = format!("{},{name}={value}", options.join(","));
        assert!(S::parse(&twice).is_err(), "a key is given once: {twice}");
    }
    let unknown = S::parse("no-such-key=1").expect_err("an unknown key is refused").to_string();
    assert!(S::KEYS.iter().all(|key| unknown.contains(key.name)), "the refusal names all keys: {unknown}");
}

/// Plays a random game, checks each position, and returns the keys on the way.
fn play_one<P>(start: &P, seed: Seed, removals: bool, context: &str) -> Vec<u64>
where
    P: Keyed + Notation + Conceivable,
{
    let mut rng = seed.rng();
    let mut position = start.clone();
    let mut removed = Seats::NONE;
    let mut keys = vec![position.key()];
    let mut bound = position.max_plies();
    let mut in_play = false;
    // The dear laws are checked at the first positions and then ever more rarely, so that long games stay cheap.
    let mut next_full_check = 0;
    while let Status::ToMove(seat) = position.status() {
        let context = &format!("{context} at ply {} in {}", keys.len() - 1, position.to_text());
        assert!(!removed.contains(seat), "a removed seat is never to move: {context}");
        assert!(bound > 0, "the game ends within its bound: {context}");
        assert!(!(in_play && position.is_preparing()), "nothing is prepared once play has begun: {context}");
        in_play = !position.is_preparing();
        cheap_laws(&position, context);
        if keys.len() >= next_full_check {
            dear_laws(&position, &mut rng, context);
            next_full_check = keys.len() + keys.len() / 4;
        }
        if removals && below(&mut rng, 12) == 0 {
            let out = Seat::new(below(&mut rng, position.n_seats() as u32) as u8);
            removed.put_in(out);
            position.remove(out);
            round_trip(&position, context);
            let mut again = position.clone();
            again.remove(out);
            assert_eq!(again, position, "a seat is removed once: {context}");
            let can_win = position.to_move().is_some() && position.playing().contains(out);
            assert!(!can_win, "who was removed cannot win: {context}");
        } else {
            let mv = position.random_move(&mut rng).expect("who is to move has a move");
            position.play_unchecked(mv);
            bound = (bound - 1).min(position.max_plies());
        }
        keys.push(position.key());
    }
    over_laws(&position, removed, &format!("{context} at its end in {}", position.to_text()));
    keys
}

fn cheap_laws<P: Keyed + Notation + Conceivable>(position: &P, context: &str) {
    assert_eq!(position.key(), position.full_key(), "the key kept up to date is the full key: {context}");
    assert_eq!(position.to_move().map(Status::ToMove), Some(position.status()), "to_move agrees: {context}");
    assert_eq!(position.count_moves(), position.legal_moves().count(), "count_moves counts: {context}");
    assert!(position.count_moves() > 0, "who is to move has a move: {context}");
    assert_eq!(position.scores().n_seats(), position.n_seats(), "every seat has a score: {context}");
}

fn dear_laws<P: Keyed + Notation + Conceivable>(position: &P, rng: &mut Rng, context: &str) {
    round_trip(position, context);
    let legal: Vec<P::Move> = position.legal_moves().collect();
    let set: HashSet<P::Move> = legal.iter().copied().collect();
    assert_eq!(set.len(), legal.len(), "each legal move is listed once: {context}");
    let conceivable: HashSet<P::Move> = position.conceivable_moves().into_iter().collect();
    assert!(set.is_subset(&conceivable), "every legal move is conceivable: {context}");
    for &mv in &conceivable {
        assert_eq!(
            position.is_legal(mv),
            set.contains(&mv),
            "{mv} is legal if and only if it is listed: {context}"
        );
        if set.contains(&mv) {
            let text = mv.to_string();
            assert_eq!(text.parse().as_ref(), Ok(&mv), "{text} reads back: {context}");
            assert_eq!(position.parse_move(&text).as_ref(), Ok(&mv), "{text} reads back here: {context}");
        }
    }
    // Refusing a move costs an error text each, so a sample of the illegal ones is tried.
    let illegal: Vec<P::Move> = conceivable.difference(&set).copied().collect();
    for _ in 0..illegal.len().min(20) {
        let mv = illegal[below(rng, illegal.len() as u32) as usize];
        let mut copy = position.clone();
        let error = copy.play(mv).expect_err("an illegal move is refused");
        assert!(!error.reason.is_empty(), "a refusal has a reason: {mv} {context}");
        assert_eq!(&copy, position, "an illegal move changes nothing: {mv} {context}");
    }
    uniform_law(position, &legal, rng, context);
}

/// Random moves are legal, each of them comes, and all are about equally likely. They are drawn so often that a move that
/// can come does (with the chance of 10^-13 that it does not), and the limit is eight standard deviations: it never fails by
/// chance.
fn uniform_law<P: Position>(position: &P, legal: &[P::Move], rng: &mut Rng, context: &str) {
    let mut counts: HashMap<P::Move, u32> = legal.iter().map(|&mv| (mv, 0)).collect();
    let n_drawn = DRAWN_IN_ALL.max(DRAWN_EACH * legal.len() as u32);
    for _ in 0..n_drawn {
        let mv = position.random_move(rng).expect("who is to move has a move");
        let count = counts.get_mut(&mv).unwrap_or_else(|| panic!("random move {mv} is legal: {context}"));
        *count += 1;
    }
    let share = 1.0 / legal.len() as f64;
    let expected = f64::from(n_drawn) * share;
    let limit = 8.0 * (expected * (1.0 - share)).sqrt();
    for (mv, count) in counts {
        assert!(count > 0, "{mv} can be drawn: {context}");
        let deviation = (f64::from(count) - expected).abs();
        assert!(deviation <= limit, "{mv} is drawn {count} times, not {expected}: {context}");
    }
}

fn round_trip<P: Keyed + Notation>(position: &P, context: &str) {
    let text = position.to_text();
    assert!(!text.contains('\n'), "a position is one line: {context}");
    match P::from_text(&text) {
        Ok(again) => {
            assert_eq!(&again, position, "the text {text} reads back as the same position: {context}");
            assert_eq!(again.key(), position.key(), "equal positions have equal keys: {context}");
        }
        Err(error) => panic!("the text {text} reads back: {error}: {context}"),
    }
}

fn over_laws<P: Keyed + Notation + Conceivable>(position: &P, removed: Seats, context: &str) {
    assert_eq!(position.key(), position.full_key(), "the key kept up to date is the full key: {context}");
    assert_eq!(position.to_move(), None, "nobody is to move: {context}");
    assert!(!position.is_preparing(), "nothing is prepared after the end: {context}");
    assert_eq!(position.legal_moves().count(), 0, "nobody can move: {context}");
    assert_eq!(position.count_moves(), 0, "nobody can move: {context}");
    assert_eq!(position.random_move(&mut Seed(0).rng()), None, "nobody can move: {context}");
    assert!(
        position.conceivable_moves().iter().all(|&mv| !position.is_legal(mv)),
        "no move is legal: {context}"
    );
    round_trip(position, context);
    let Status::Over(outcome) = position.status() else { unreachable!("the caller saw the end") };
    assert_eq!(outcome.scores.n_seats(), position.n_seats(), "every seat has a score: {context}");
    assert_eq!(
        outcome.scores,
        position.scores(),
        "the scores at the end are those of the outcome: {context}"
    );
    let can_win = |seat| Seat::all(position.n_seats()).any(|own| own == seat) && !removed.contains(seat);
    assert!(outcome.winners.iter().all(can_win), "who wins sits here and was not removed: {context}");
    for seat in Seat::all(position.n_seats()) {
        let mut copy = position.clone();
        copy.remove(seat);
        assert_eq!(&copy, position, "removing after the end changes nothing: {context}");
    }
}
