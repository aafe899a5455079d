//! What speaks for a move: in the words of each game, and in those for a game that has none.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_games::fish::Fish;
use rookery_games::renpaarden::Renpaarden;
use rookery_games::stones::Stones;
use rookery_rules::{Game, Notation as _, PositionOf};

/// The reasons that a game itself has for a move: a word for programs, and the text.
fn own<G: Game>(position: &str, mv: &str) -> Vec<String> {
    let position = PositionOf::<G>::from_text(position).unwrap();
    let mv = position.parse_move(mv).unwrap();
    let reasons = G::REASONS.unwrap()(&position, mv);
    reasons.iter().map(|reason| format!("{}: {}", reason.kind, reason.text)).collect()
}

#[test]
fn fish_has_reasons() {
    let of = own::<Fish>;
    assert_eq!(
        of("p1 1a12/110/1b00 0,0", "0.0-1.0"),
        [
            "shuts-in: shuts in a white penguin",
            "cuts-off: cuts off 3 floes with 4 fish for itself",
            "collects: takes 1 fish and stands on 1",
        ]
    );
    let before = "p1 12a1b/11111/11111 0,0";
    assert_eq!(
        of(before, "0.1-1.1"),
        ["cuts-off: cuts off 4 floes with 4 fish for itself", "collects: takes 2 fish and stands on 1"]
    );
    assert_eq!(of(before, "0.1-2.0"), ["collects: takes 2 fish and stands on 1"]);
    // While penguins are to come nothing is cut off from them.
    assert_eq!(of("p1 152/315/222 0,0 place=4", "0.1"), ["collects: stands on 5 fish with 5 floes in reach"]);
}

#[test]
fn renpaarden_has_reasons() {
    let of = |mv| own::<Renpaarden>("p1 xxx/xxx/.../ooo/ooo", mv);
    assert_eq!(
        of("a2-b4"),
        ["arrives: brings a horse to its goal, 1 there now", "chains: opens a chain of two hops"]
    );
    assert_eq!(of("b2-a4")[1], "chains: opens a chain of six hops", "the longest that is looked for");
    assert_eq!(of("c1-b3"), ["advances: goes 2 rows ahead"]);
    assert_eq!(of("c2-a3"), ["advances: goes 1 row ahead"]);
}

#[test]
fn stones_has_reasons() {
    let of = own::<Stones>;
    assert_eq!(
        of("0 0.../1.../..../...1", "0.0-1.0"),
        ["hits: hits a stone of player 1", "escapes: gets out of reach of the others"]
    );
    assert_eq!(of("0 0.../.1../..../0...", "0.0-1.1")[0], "hits: hits the last stone of player 1");
    let before = "0 .00./..../..1./.1..";
    assert_eq!(of(before, "0.1-0.0"), ["waits: keeps just out of reach: whoever comes closer can be hit"]);
    assert!(of(before, "0.1-1.1").is_empty(), "there it can be hit");
}
