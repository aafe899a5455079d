//! Listing, counting, drawing, testing and playing moves does not allocate, in any game.

use allocation_counter::measure;
use rookery_games::{fish, four, hexapawn, renpaarden, stones};
use rookery_rules::{Position, Seed, Setup};

/// Plays random games and asks everything at each position.
fn check<S: Setup>(options: &str) {
    let setup = S::parse(options).expect("the options are right");
    let mut plies = 0;
    for game in 0..5 {
        let mut rng = Seed(7).derive(game).rng();
        // A position may allocate when it is set up, not afterwards.
        let mut position = setup.start();
        let info = measure(|| {
            while let Some(mv) = position.random_move(&mut rng) {
                let listed = position.legal_moves().filter(|&mv| position.is_legal(mv)).count();
                assert_eq!(listed, position.count_moves());
                position.play_unchecked(mv);
                plies += 1;
                if plies % 400 == 0 {
                    break;
                }
            }
        });
        assert_eq!(info.count_total, 0, "{}:{options}, game {game}", S::GAME);
    }
    assert!(plies >= 10, "games were played");
}

#[test]
fn hexapawn_does_not_allocate() {
    for options in ["", "rows=8,cols=8", "rows=6,cols=7,eliminate=choose"] {
        check::<hexapawn::Setup>(options);
    }
}

#[test]
fn fish_does_not_allocate() {
    for options in ["", "rows=8,cols=8,players=4", "board=classic,players=3", "rows=16,cols=8"] {
        check::<fish::Setup>(options);
    }
}

#[test]
fn four_does_not_allocate() {
    for options in ["", "rows=8,cols=8,line=6", "rows=3,cols=3,line=3"] {
        check::<four::Setup>(options);
    }
}

#[test]
fn renpaarden_does_not_allocate() {
    for options in ["", "width=5,height=5", "repetition=3", "revisit=no,null-turn=no", "win=turn,parlett=yes"]
    {
        check::<renpaarden::Setup>(options);
    }
}

#[test]
fn stones_does_not_allocate() {
    for options in ["", "rows=16,cols=16,players=8,layout=ring", "neighbours=4,rows=5,cols=5"] {
        check::<stones::Setup>(options);
    }
}
