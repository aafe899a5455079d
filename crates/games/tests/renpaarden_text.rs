//! Positions and setups that Renpaarden refuses.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_games::renpaarden::{Position, Setup};
use rookery_rules::{Notation, Setup as _};

#[test]
fn bad_positions_are_refused() {
    for (text, problem) in [
        ("", "it begins with p1 or p2"),
        ("p3 xxx/xxx/.../ooo/ooo", "it begins with p1 or p2"),
        ("p1 xxx/xxx/ooo/ooo", "a board has 5 to 11 ranks"),
        ("p1 xx/xx/../oo/oo", "a board has 5 to 11 ranks"),
        ("p1 xxx/xxx/../ooo/ooo", "the same number of cells"),
        ("p1 xxx/xxx/.?./ooo/ooo", "a cell is o, x, O, X or ."),
        ("p1 xxx/xx./.../ooo/ooo", "player 2 has 5 pieces, and must have 6"),
        ("p2 xxO/xxx/.../.oo/ooo hops=1", "belongs to the player to move"),
        ("p1 xOO/xxx/.../..o/ooo hops=1", "at most one piece stands on an enemy"),
        ("p1 xxO/xxx/.../.oo/ooo", "`hops` are given if and only if"),
        ("p1 xxx/xxx/.../ooo/ooo hops=1", "`hops` are given if and only if"),
        ("p1 xxx/xxx/.../ooo/ooo turn", "words like `turn=3`"),
        ("p1 xxx/xxx/.../ooo/ooo turn=x", "`turn` takes a number"),
        ("p1 xxx/xxx/.../ooo/ooo turn=1 turn=1", "given twice"),
        ("p1 xxx/xxx/.../ooo/ooo turn=11 max-turns=10", "more turns than max-turns=10"),
        ("p1 xxx/xxx/.../ooo/ooo width=3", "shows its size"),
        ("p1 xxx/xxx/.../ooo/ooo win=never", "`win` takes hop | turn"),
        ("p1 xxx/xxx/.../ooo/ooo left=me", "`left` takes p1 or p2"),
        ("p1 xxx/xxx/.../ooo/ooo turn=10 max-turns=10 left=p1", "nobody leaves a game that is over"),
        ("p1 xxx/xxx/.../ooo/ooo barred=a1", "0 cells are barred here"),
        ("p1 xxO/xxx/.../.oo/ooo hops=1 revisit=no", "1 cells are barred here"),
        ("p1 xxO/xxx/.../.oo/ooo hops=1 revisit=no barred=b2", "barred are the empty cell"),
        ("p1 xxO/xxx/.../.oo/ooo hops=1 revisit=no barred=z9", "`barred` takes cells"),
        ("p1 xxO/xxx/.../.oo/ooo hops=2000", "the game was over before"),
        ("p1 xxx/xxx/.../ooo/ooo past=1", "`past` needs the rule"),
        ("p1 xxx/xxx/.../ooo/ooo past=1 repetition=2", "is not the key of this position"),
        ("p1 xxx/xxx/.../ooo/ooo past=1,2 repetition=2", "more positions than turns"),
        ("p1 xxx/xxx/.../ooo/ooo past=q repetition=2", "hexadecimal"),
    ] {
        let error = Position::from_text(text).expect_err(text).to_string();
        assert!(error.contains(problem), "{text:?}: {error}");
    }
}

#[test]
fn bad_setups_are_refused() {
    for (options, problem) in [
        ("width=2", "`width` takes a number from 3 to 11"),
        ("height=4", "`height` takes a number from 5 to 11"),
        ("repetition=1", "`repetition` takes 0, or a number from 2 to 128"),
        ("max-chain=3", "`max-chain` takes a number from 24"),
        ("max-turns=0", "`max-turns` takes a number from 1"),
        ("win=later", "`win` takes hop | turn"),
        ("nullturn=no", "did you mean `null-turn`?"),
    ] {
        let error = Setup::parse(options).expect_err(options).to_string();
        assert!(error.contains(problem), "{options}: {error}");
    }
}
