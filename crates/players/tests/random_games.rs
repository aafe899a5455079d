//! Random games of a game that hardly ends by itself are left after some moves and judged.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_games::renpaarden::{Position, Renpaarden, Setup};
use rookery_games::{hexapawn, stones};
use rookery_players::{Expertise, random_games, renpaarden};
use rookery_rules::{Notation as _, Position as _, Seat, Seed, Setup as _};
use rookery_search::Playout;

/// Moves after which a long random game is left.
const AFTER: u64 = 40;

#[test]
fn random_games_of_renpaarden_are_left_after_forty_moves() {
    let start = Setup::parse("width=5,height=5").unwrap().start();
    let policy = random_games::<Renpaarden>(&renpaarden::EXPERTISE);
    assert!(start.max_plies() > 1_000, "it hardly ends by itself");
    assert_eq!(policy.longest(&start), AFTER);
    let mut left = 0;
    for seed in 0..200 {
        let (mut position, mut expected) = (start.clone(), start.clone());
        policy.play_out(&mut position, &mut Seed(seed).rng());
        let mut rng = Seed(seed).rng();
        for _ in 0..AFTER {
            let Some(mv) = expected.random_move(&mut rng) else { break };
            expected.play_unchecked(mv);
        }
        assert_eq!(position.to_text(), expected.to_text(), "seed {seed}");
        left += usize::from(position.to_move().is_some());
    }
    assert!(left > 150, "{left} of 200 games are left before their end");
}

#[test]
fn who_is_ahead_in_a_game_that_was_left_may_hope_for_more() {
    let policy = random_games::<Renpaarden>(&renpaarden::EXPERTISE);
    let hopes = |text: &str| {
        let position = Position::from_text(text).unwrap();
        [0, 1].map(|seat| policy.hope(&position, Seat::new(seat)))
    };
    let even = hopes("p1 xxx/xxx/.../ooo/ooo");
    assert!((even[0] - 0.5).abs() < 0.01 && (even[1] - 0.5).abs() < 0.01, "{even:?}");
    // Six horses that are two rows further, against three that have arrived.
    let ahead = hopes("p1 xxx/ooo/ooo/.../xxx");
    assert!(ahead[0] > 0.6 && (ahead[0] + ahead[1] - 1.0).abs() < 1e-6, "{ahead:?}");
    let behind = hopes("p1 ooo/.../xxx/xxx/ooo");
    assert!(behind[1] > 0.6, "{behind:?}");
}

#[test]
fn games_that_end_soon_are_played_to_their_end() {
    let start = hexapawn::Setup::parse("rows=6,cols=6").unwrap().start();
    let policy = random_games::<hexapawn::Hexapawn>(&Expertise::NONE);
    assert_eq!(policy.longest(&start), start.max_plies());
    for seed in 0..50 {
        let mut position = start.clone();
        policy.play_out(&mut position, &mut Seed(seed).rng());
        assert!(position.to_move().is_none(), "seed {seed}");
    }
    // Stones goes on for long, too.
    let start = stones::Setup::default().start();
    assert_eq!(random_games::<stones::Stones>(&rookery_players::stones::EXPERTISE).longest(&start), AFTER);
}
