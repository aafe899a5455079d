//! What programs that learn do most does not allocate: steps of a batch, listing actions, playing by number.

use allocation_counter::measure;
use rookery_catalog::{Rows, batch, state};
use rookery_rules::Seed;

/// Steps a batch of a few games, with masks and observations.
fn check_batch(spec: &str, steps: usize) -> u64 {
    const N: usize = 16;
    let mut games = batch(spec, N, Seed(7)).expect("the spec is right");
    let sizes = games.sizes();
    let mut actions = [0; N];
    let (mut to_move, mut dones) = ([0; N], [0; N]);
    let mut rewards = vec![0.0; N * sizes.seats];
    let mut masks = vec![0; N * sizes.actions];
    let mut observations = vec![0; N * sizes.observation()];
    let mut ended = 0;
    // The first call finds out how many cores there are, once for the whole process.
    games.sample(&mut actions);
    let info = measure(|| {
        for _ in 0..steps {
            games.sample(&mut actions);
            let rows = Rows {
                to_move: &mut to_move,
                rewards: &mut rewards,
                dones: &mut dones,
                masks: &mut masks,
                observations: Some(&mut observations),
            };
            games.step(&actions, rows).expect("what is sampled is legal");
            ended += dones.iter().map(|&done| u64::from(done)).sum::<u64>();
        }
    });
    assert_eq!(info.count_total, 0, "{spec}");
    ended
}

#[test]
fn steps_of_a_batch_do_not_allocate() {
    // Also where games end and begin anew.
    assert!(check_batch("hexapawn:rows=8,cols=8", 300) > 0, "games end");
    assert!(check_batch("four", 100) > 0, "games end");
}

#[test]
fn steps_by_number_do_not_allocate() {
    for spec in ["fish:rows=8,cols=8,players=4", "hexapawn:rows=8,cols=8", "renpaarden", "stones", "four"] {
        let mut state = state(spec).expect("the spec is right");
        let mut mask = vec![0; state.n_actions()];
        let mut actions = Vec::with_capacity(state.n_actions());
        let mut plies = 0;
        let info = measure(|| {
            while !state.is_over() && plies < 60 {
                state.legal_actions(&mut actions);
                state.mask(&mut mask);
                let action = actions[plies * 7 % actions.len()];
                state.play_action(action as usize).expect("it is legal");
                plies += 1;
            }
        });
        assert!(plies > 5, "{spec}: a game was played");
        assert_eq!(info.count_total, 0, "{spec}");
    }
}
