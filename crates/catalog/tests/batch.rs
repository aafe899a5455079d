//! A batch plays the same games on one thread and on many, and refuses what is not legal.

use rookery_catalog::{AnyBatch, NoBatch, Rows, batch};
use rookery_rules::Seed;

struct Arrays {
    to_move: Vec<i8>,
    rewards: Vec<f32>,
    dones: Vec<u8>,
    masks: Vec<u8>,
    observations: Vec<u8>,
}

impl Arrays {
    fn of(games: &dyn AnyBatch, n: usize) -> Self {
        let sizes = games.sizes();
        Self {
            to_move: vec![0; n],
            rewards: vec![0.0; n * sizes.seats],
            dones: vec![0; n],
            masks: vec![0; n * sizes.actions],
            observations: vec![0; n * sizes.observation()],
        }
    }

    fn rows(&mut self) -> Rows<'_> {
        Rows {
            to_move: &mut self.to_move,
            rewards: &mut self.rewards,
            dones: &mut self.dones,
            masks: &mut self.masks,
            observations: Some(&mut self.observations),
        }
    }
}

/// What is seen after a step: actions, rewards, masks, observations.
type Step = (Vec<i64>, Vec<f32>, Vec<u8>, Vec<u8>);

/// Plays random games and writes down everything that is seen of the first `few`.
fn played(spec: &str, n: usize, few: usize) -> Vec<Step> {
    let mut games = batch(spec, n, Seed(3)).expect("the spec is right");
    let sizes = games.sizes();
    let mut arrays = Arrays::of(&*games, n);
    games.reset(arrays.rows());
    let mut actions = vec![0; n];
    let step = |_| {
        games.sample(&mut actions);
        games.step(&actions, arrays.rows()).expect("what is sampled is legal");
        (
            actions[..few].to_vec(),
            arrays.rewards[..few * sizes.seats].to_vec(),
            arrays.masks[..few * sizes.actions].to_vec(),
            arrays.observations[..few * sizes.observation()].to_vec(),
        )
    };
    (0..40).map(step).collect()
}

#[test]
fn large_batches_on_many_threads_are_the_same_games() {
    for spec in ["hexapawn:rows=4,cols=4", "hexapawn:rows=8,cols=7", "fish:players=3", "four"] {
        assert_eq!(played(spec, 8, 8), played(spec, 2051, 8), "{spec}");
    }
}

#[test]
fn one_illegal_action_is_named_and_no_game_goes_on() {
    let n = 1500;
    let mut games = batch("hexapawn", n, Seed(1)).expect("the spec is right");
    let mut arrays = Arrays::of(&*games, n);
    games.reset(arrays.rows());
    let mut actions = vec![0; n];
    games.sample(&mut actions);
    let texts: Vec<String> = (0..n).map(|game| games.text(game)).collect();
    for (game, wrong) in [(1403, -1), (700, i64::MAX), (1, games.sizes().actions as i64 - 1)] {
        let right = std::mem::replace(&mut actions[game], wrong);
        let error = games.step(&actions, arrays.rows()).expect_err("it is not legal");
        assert_eq!(error.game, game, "{error}");
        actions[game] = right;
    }
    let right = [40, 1499].map(|game| std::mem::replace(&mut actions[game], -1));
    let error = games.step(&actions, arrays.rows()).expect_err("two are not legal");
    assert_eq!(error.game, 40, "the first of them is named");
    [actions[40], actions[1499]] = right;
    assert_eq!(texts, (0..n).map(|game| games.text(game)).collect::<Vec<_>>());
    games.step(&actions, arrays.rows()).expect("all are legal now");
}

#[test]
fn a_game_that_is_over_before_its_first_move_makes_no_batch() {
    let error = batch("hexapawn:rows=2,cols=1", 2, Seed(1)).expect_err("nobody can move");
    assert_eq!(error, NoBatch::Over("hexapawn"));
    assert!(error.to_string().contains("over before the first move"), "{error}");
}
