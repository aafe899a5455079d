//! Renpaarden against its laws, its naive twin, its perft files and its golden game.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::path::Path;

use rookery_games::renpaarden::{Cell, Move, Position, Setup, Turn, TurnPosition, split_chain};
use rookery_rules::{
    Notation, Options, Position as _, Rng, Seat, Seed, Setup as _, SetupError, Status, below,
};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn position(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

fn cell(text: &str) -> Cell {
    text.parse().unwrap()
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

/// The players counted from 1 who won; nobody if the game goes on, both after a draw.
fn winners(position: &Position) -> Vec<usize> {
    match position.status() {
        Status::ToMove(_) => vec![],
        Status::Over(outcome) => outcome.winners.iter().map(|seat| seat.index() + 1).collect(),
    }
}

fn play_all(position: &mut Position, chains: &[&str]) {
    for chain in chains {
        for hop in split_chain(chain).unwrap() {
            position.play(hop).unwrap_or_else(|error| panic!("{chain}: {error}"));
        }
    }
}

/// Optional rules, alone and together.
const RULES: [&str; 14] = [
    "win=turn",
    "null-turn=no",
    "revisit=no",
    "revisit=no,win=turn",
    "repetition=2",
    "repetition=3,null-turn=no",
    "parlett=yes",
    "leave-home=12",
    "return-home=no",
    "return-home=no,null-turn=no",
    "return-home=no,revisit=no,win=turn",
    "leave-home=30,parlett=yes,repetition=2",
    "return-home=no,leave-home=20,parlett=yes,null-turn=no",
    "max-chain=24,win=turn",
];

/// The whole game by turns, so that the laws can be asked about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct TurnSetup(Setup);

impl rookery_rules::Setup for TurnSetup {
    type Position = TurnPosition;
    const GAME: &'static str = Setup::GAME;
    const KEYS: &'static [rookery_rules::Key] = Setup::KEYS;

    fn from_options(options: &Options<'_>) -> Result<Self, SetupError> {
        Setup::from_options(options).map(Self)
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        self.0.options()
    }

    fn start(&self) -> TurnPosition {
        self.0.start().into()
    }
}

#[test]
fn laws_hold() {
    for width in 3..=11 {
        for height in 5..=11 {
            laws::check(&setup(&format!("width={width},height={height},max-turns=60")), 2, Seed(1));
        }
    }
    for rules in RULES {
        for size in ["width=3,height=5,max-turns=150", "width=5,height=5,max-turns=100", "max-turns=60"] {
            laws::check(&setup(&format!("{size},{rules}")), 4, Seed(2));
        }
    }
    laws::check(&setup("max-turns=200,repetition=128"), 2, Seed(3));
}

#[test]
fn laws_hold_by_turns() {
    for rules in RULES {
        for size in ["width=3,height=5,max-turns=150", "width=5,height=5,max-turns=100", "max-turns=60"] {
            laws::check(&TurnSetup(setup(&format!("{size},{rules}"))), 4, Seed(4));
        }
    }
}

#[test]
fn agrees_with_the_naive_game() {
    type Twin = naive::renpaarden::Renpaarden;
    for (options, n_games) in [
        ("width=3,height=5,max-turns=30", 3000),
        // Long enough that about half of the games are won; the short ones practically never are.
        ("width=3,height=5,max-turns=3000", 20),
        ("width=3,height=5,max-turns=3000,win=turn", 10),
        ("width=4,height=6,max-turns=20", 2000),
        ("width=5,height=5,max-turns=20", 1000),
        ("width=11,height=5,max-turns=20", 100),
        ("width=3,height=11,max-turns=30", 300),
        ("width=11,height=11,max-turns=20", 100),
        ("max-turns=60", 100),
    ] {
        naive::compare::<Twin>(&setup(options), n_games, Seed(5));
    }
    for rules in RULES {
        naive::compare::<Twin>(&setup(&format!("width=3,height=5,max-turns=40,{rules}")), 250, Seed(6));
        naive::compare::<Twin>(&setup(&format!("width=4,height=5,max-turns=30,{rules}")), 60, Seed(7));
        naive::compare::<Twin>(&setup(&format!("width=5,height=6,max-turns=20,{rules}")), 20, Seed(8));
    }
}

#[test]
fn perft_by_hops() {
    perft_file::check::<Setup>(&tests_dir().join("renpaarden.perft"));
}

#[test]
fn perft_by_turns() {
    perft_file::check_as::<Setup, _>(&tests_dir().join("renpaarden-turns.perft"), TurnPosition::from);
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&setup("width=4,height=5,max-turns=25,revisit=no"), Seed(9));
    golden::check(&tests_dir().join("playthroughs/renpaarden.txt"), &text);
}

#[test]
fn a_full_goal_wins() {
    let middle = "........./........./........./........./.........";
    let (o, x) = ("ooooooooo", "xxxxxxxxx");
    let away = |letter: char| format!("{}/{}", letter.to_string().repeat(9), letter.to_string().repeat(9));
    let enemy_row = "........./........./xxxxxxxxx/xxxxxxxx./.........";
    let own_row = "........./.oooooooo/ooooooooo/........./.........";
    for (text, by_hop, by_turn) in [
        // Player 1 on all goal cells; the same with a piece on top of an enemy, in the midst of a chain.
        (format!("p2 {o}/{o}/........./{x}/{x}/........./........./........./........."), vec![1], vec![1]),
        (format!("p1 Ooooooooo/{o}/{enemy_row}/........./......... hops=1"), vec![1], vec![]),
        // Player 2 likewise.
        (format!("p1 ........./........./........./........./{o}/{o}/........./{x}/{x}"), vec![2], vec![2]),
        (format!("p2 ........./........./{own_row}/xxxxxxxxX/{x} hops=1"), vec![2], vec![]),
        // Both: no game comes to this.
        (format!("p1 {}/{middle}/{}", away('o'), away('x')), vec![1], vec![1]),
        // One piece is missing.
        (
            format!("p2 .oooooooo/{o}/o......../{x}/{x}/........./........./........./........."),
            vec![],
            vec![],
        ),
    ] {
        assert_eq!(winners(&position(&text)), by_hop, "{text}");
        assert_eq!(winners(&position(&format!("{text} win=turn"))), by_turn, "{text}");
    }
}

#[test]
fn one_sitter_blocks_only_the_test_by_turns() {
    // All but one of player 1's pieces are in their goal, and an x still sits at home, on a5.
    let text = "p1 xoooo/ooooo/.o.../.xxxx/xxxxx";
    for (win, expected) in [("hop", vec![1]), ("turn", vec![])] {
        let mut game = position(&format!("{text} win={win}"));
        let hop = Move { from: cell("b3"), to: cell("a5") };
        game.play(hop).unwrap();
        assert_eq!(winners(&game), expected, "{win}");
        assert_eq!(game.chain(), Some(cell("a5")));
    }
    // With two sitters there is no cell for the last but one.
    let game = position("p1 xxooo/ooooo/oo.../.xxxx/.xxxx");
    assert!(game.legal_moves().all(|mv| {
        let mut next = game.clone();
        next.play_unchecked(mv);
        winners(&next).is_empty()
    }));
}

#[test]
fn a_null_turn_changes_only_the_turn() {
    let start = setup("width=5,height=5").start();
    let mut game = start.clone();
    play_all(&mut game, &["b2-c4-b2"]);
    assert_eq!(game.to_text(), "p2 xxxxx/xxxxx/...../ooooo/ooooo turn=1");
    for (rule, reason) in [
        ("null-turn=no", "the turn began on b2, and may not end there"),
        ("revisit=no", "the piece has been on b2 in this turn, and may not return to a cell"),
    ] {
        let mut game = setup(&format!("width=5,height=5,{rule}")).start();
        play_all(&mut game, &["b2-c4"]);
        let error = game.play("c4-b2".parse().unwrap()).unwrap_err();
        assert_eq!(error.reason, reason);
    }
}

#[test]
fn a_chain_may_bounce_until_the_limit() {
    let mut game = setup("width=5,height=5,max-chain=24").start();
    play_all(&mut game, &["b2-c4-a5"]);
    for _ in 0..11 {
        play_all(&mut game, &["a5-c4-a5"]);
    }
    assert_eq!((game.hops(), winners(&game)), (24, vec![1, 2]), "a draw");
    assert_eq!(game.max_plies(), 0);
}

#[test]
fn repetition_draws() {
    let mut game = setup("width=5,height=5,repetition=3").start();
    play_all(&mut game, &["a2-b4-a2", "a4-b2-a4", "a2-b4-a2"]);
    assert_eq!(winners(&game), [0; 0]);
    play_all(&mut game, &["a4-b2-a4"]);
    assert_eq!(winners(&game), [1, 2], "the start for the third time");
    assert_eq!(position(&game.to_text()), game);

    let mut game = setup("repetition=3,max-turns=20").start();
    play_all(&mut game, &["a1-b3", "a9-b7", "b3-a1", "b7-a9", "a1-b3", "a9-b7", "b3-a1"]);
    assert_eq!(winners(&game), [0; 0]);
    play_all(&mut game, &["b7-a9"]);
    assert_eq!(winners(&game), [1, 2]);
}

#[test]
fn turns_run_out() {
    let mut game = setup("max-turns=2").start();
    play_all(&mut game, &["a1-b3", "a9-b7"]);
    assert_eq!(winners(&game), [1, 2]);
}

#[test]
fn rules_against_sitting_at_home() {
    // Whoever has a piece at home after its second turn loses.
    let mut game = setup("leave-home=2").start();
    play_all(&mut game, &["a1-b3", "a9-b7", "b1-c3"]);
    assert_eq!(winners(&game), [2]);

    // A full goal with one own piece.
    let mut game = position("p1 xxxxx/xxx.x/xo.../.oooo/ooooo parlett=yes");
    assert_eq!(winners(&game), [0; 0]);
    play_all(&mut game, &["b3-d4"]);
    assert_eq!(winners(&game), [1]);
    // On top of an enemy it does not count: the goal was full before, with enemy pieces.
    let mut game = setup("width=5,height=5,parlett=yes").start();
    play_all(&mut game, &["b2-c4"]);
    assert_eq!(winners(&game), [0; 0]);

    let mut game = setup("return-home=no").start();
    play_all(&mut game, &["a1-b3", "a9-b7"]);
    let error = game.play("b3-a1".parse().unwrap()).unwrap_err();
    assert_eq!(error.reason, "a piece that has left its home rows may not return to them");
}

#[test]
fn who_cannot_move_loses() {
    // Every empty cell lies in the home rows of player 1, whose pieces have all left.
    let text = "ooooo/ooooo/xxxxx/xxxxx/.....";
    assert_eq!(winners(&position(&format!("p2 {text}"))), [1], "a full goal");
    let text = "xoooo/ooooo/oxxxx/xxxxx/.....";
    assert_eq!(winners(&position(&format!("p1 {text} win=turn null-turn=no return-home=no"))), [2]);
    assert_eq!(winners(&position(&format!("p1 {text} win=turn null-turn=no"))), [0; 0]);
    assert_eq!(
        winners(&position(&format!("p1 {text} win=turn return-home=no"))),
        [0; 0],
        "a null turn is left"
    );
}

const DIAGRAM: &str =
    "x.w..x.xx/xx..x.xx./..w..w.x./ww....x.x/...x..x../..w..x.w./.wx...x../wwww.x.ww/ww...ww..";

#[test]
fn the_example_of_the_published_rules() {
    let game = position(&format!("p1 {DIAGRAM}"));
    let turns = TurnPosition::from(game.clone());
    let from_b1: Vec<Turn> =
        turns.legal_moves().filter(|turn| turn.from == cell("b1") && turn.to != turn.from).collect();
    let mut ends: Vec<String> = from_b1.iter().map(|turn| turn.to.to_string()).collect();
    ends.sort();
    let expected = "a3 a4 b4 b5 d1 d3 d8 e2 e3 e4 e5 e6 e7 e9 f3 f6 f8 g2 g7 g9 h3 h5 h6 i4 i5 i7";
    assert_eq!(ends.join(" "), expected);

    // The published chain ends on an enemy stone, so it goes on; two ways to bring it to rank 9.
    for chain in ["b1-c3-d5-f4-g6-h8-i6-g5-h7-g9", "b1-c3-d5-f4-g6-h8-i6-g5-h7-i9-g8-e9"] {
        let mut game = game.clone();
        play_all(&mut game, &[chain]);
        assert_eq!(game.to_move(), Some(Seat::new(1)), "{chain}");
    }
    let mut unfinished = game.clone();
    play_all(&mut unfinished, &["b1-c3-d5-f4-g6-h8-f9"]);
    assert_eq!(unfinished.to_move(), Some(Seat::new(0)));

    for turn in from_b1 {
        let mut by_hops = game.clone();
        for hop in game.path(turn).unwrap().hops() {
            by_hops.play(hop).unwrap();
        }
        let mut by_turn = turns.clone();
        by_turn.play(turn).unwrap();
        assert_eq!(by_turn.hops(), &by_hops, "{turn}");
    }
}

/// Every turn of a position, hop by hop through all ways without a cell twice; null turns included.
fn turns_by_hops(game: &Position) -> BTreeSet<Turn> {
    fn go(game: &Position, from: Cell, seen: &mut BTreeSet<Cell>, turns: &mut BTreeSet<Turn>) {
        for mv in game.legal_moves() {
            let mut next = game.clone();
            next.play_unchecked(mv);
            if next.chain().is_none() || next.to_move().is_none() {
                turns.insert(Turn { from, to: mv.to });
            } else if seen.insert(mv.to) {
                go(&next, from, seen, turns);
            }
        }
    }
    let mut turns = BTreeSet::new();
    let froms: BTreeSet<Cell> = game.legal_moves().map(|mv| mv.from).collect();
    for from in froms {
        for mv in game.moves_from(from) {
            let mut next = game.clone();
            next.play_unchecked(mv);
            if next.chain().is_none() || next.to_move().is_none() {
                turns.insert(Turn { from, to: mv.to });
            } else {
                go(&next, from, &mut [mv.to].into(), &mut turns);
            }
        }
    }
    turns
}

#[test]
fn turns_are_chains_of_hops() {
    // With `revisit=no` a search over single cells would miss ways, so that rule is left to perft.
    for rules in ["", "null-turn=no", "return-home=no", "win=turn", "return-home=no,null-turn=no,win=turn"] {
        for (size, seed) in [("width=5,height=5", 10), ("width=3,height=6", 11), ("", 12)] {
            let mut rng = Seed(seed).rng();
            let mut game = TurnPosition::from(setup(&format!("{size},max-turns=40,{rules}")).start());
            while let Some(turn) = game.random_move(&mut rng) {
                let turns: BTreeSet<Turn> = game.legal_moves().collect();
                assert_eq!(turns, turns_by_hops(game.hops()), "{}", game.to_text());
                let path = game.hops().path(turn).unwrap();
                let mut by_hops = game.hops().clone();
                path.hops().for_each(|hop| by_hops.play(hop).unwrap());
                game.play_unchecked(turn);
                assert_eq!(game.hops(), &by_hops, "{turn}");
            }
        }
    }
}

#[test]
fn a_turn_may_end_by_winning_on_an_enemy() {
    let game = TurnPosition::from(position("p1 xoooo/ooooo/.o.../.xxxx/xxxxx"));
    let turn: Turn = "b3>a5".parse().unwrap();
    let mut won = game.clone();
    won.play(turn).unwrap();
    assert_eq!(winners(won.hops()), [1]);
    let text = won.to_text();
    assert_eq!(TurnPosition::from_text(&text).unwrap(), won, "{text}");
    let by_turn = TurnPosition::from_text(&format!("{} win=turn", game.to_text())).unwrap();
    assert!(!by_turn.is_legal(turn), "by turns nothing is won there, and the chain goes on");
}

#[test]
fn moves_of_one_piece_come_in_the_order_of_the_original() {
    let game = position(
        "p1 xxxxxxxxx/xxxxxxxxx/........./........./....o..../........./........./oooo.oooo/ooooooooo",
    );
    let e5 = game.cell_at(4, 4).unwrap();
    assert_eq!(e5, cell("e5"));
    let targets: Vec<(u8, u8)> = game.moves_from(e5).map(|mv| game.x_y(mv.to)).collect();
    assert_eq!(targets, [(3, 2), (2, 3), (2, 5), (3, 6), (5, 6), (6, 5), (6, 3), (5, 2)]);
    assert_eq!(game.moves_from(cell("a9")).count(), 0, "an enemy piece");
    assert_eq!(game.moves_from(cell("e4")).count(), 0, "an empty cell");
    assert_eq!(game.cell_at(9, 0), None);

    // 46 first hops: on the back row 1, 2 each, 1; on the front row 2, 3, 4 each, 3, 2.
    let start = setup("").start();
    let by_rank =
        |y| (0..9).map(|x| start.moves_from(start.cell_at(x, y).unwrap()).count()).collect::<Vec<_>>();
    assert_eq!(by_rank(8), [1, 2, 2, 2, 2, 2, 2, 2, 1]);
    assert_eq!(by_rank(7), [2, 3, 4, 4, 4, 4, 4, 3, 2]);
}

/// Turns of a game of random hops, in which a piece that has reached its goal rests there.
fn race(setup: &Setup, rng: &mut Rng) -> u32 {
    let mut game = setup.start();
    while let Some(seat) = game.to_move() {
        let in_goal =
            |from: Cell| if seat.index() == 0 { from.rank() >= setup.height - 2 } else { from.rank() < 2 };
        let mut moves: Vec<Move> = game.legal_moves().collect();
        if game.chain().is_none() && moves.iter().any(|mv| !in_goal(mv.from)) {
            moves.retain(|mv| !in_goal(mv.from));
        }
        game.play_unchecked(moves[below(rng, moves.len() as u32) as usize]);
    }
    game.turn()
}

#[test]
fn races_of_pieces_outside_their_goal_end() {
    for (options, expected) in
        [("width=5,height=5", 109.0), ("width=5,height=6", 176.0), ("width=6,height=6", 232.0)]
    {
        let mut rng = Seed(13).rng();
        let total: u32 = (0..300).map(|_| race(&setup(options), &mut rng)).sum();
        let mean = f64::from(total) / 300.0;
        assert!((mean - expected).abs() < 0.1 * expected, "{options}: {mean} turns");
    }
}

#[test]
fn positions_are_shown_with_what_is_covered() {
    let mut game = setup("width=5,height=5").start();
    play_all(&mut game, &["b2-c4"]);
    let shown = "   a b c d e
 5 x x x x x
 4 x x O x x
 3 _ _ _ _ _
 2 o _ o o o
 1 o o o o o
O on c4 stands on an x
player 1 must jump on from c4, after 1 hop";
    assert_eq!(game.to_string(), shown);
    assert_eq!(game.parse_move("e3").unwrap().to_string(), "c4-e3", "the short form within a chain");
    game.remove(Seat::new(0));
    assert_eq!(winners(&game), [2]);
}

#[test]
fn positions_read_from_text_play_on() {
    // Random moves come from lists of pieces, which a position that was read must have right too, also in a chain.
    for rules in RULES {
        let mut rng = Seed(14).rng();
        let mut game = setup(&format!("width=4,height=5,max-turns=60,{rules}")).start();
        for ply in 0.. {
            if ply % 3 == 0 {
                game = position(&game.to_text());
            }
            let Some(mv) = game.random_move(&mut rng) else { break };
            game.play(mv).unwrap_or_else(|error| panic!("{}: {error}", game.to_text()));
        }
    }
}

#[test]
fn refusals_say_why() {
    let mut game = setup("width=5,height=5").start();
    for (text, reason) in [
        ("b3-c5", "player 1 has no piece on b3"),
        ("b5-c3", "player 1 has no piece on b5"),
        ("e2-g3", "g3 lies outside the board"),
        ("b2-b3", "a piece hops like a chess knight, so not from b2 to b3"),
        ("b2-d1", "player 1 has a piece of its own on d1"),
    ] {
        assert_eq!(game.play(text.parse().unwrap()).unwrap_err().reason, reason, "{text}");
    }
    play_all(&mut game, &["b2-c4"]);
    let error = game.play("a2-b4".parse().unwrap()).unwrap_err();
    assert_eq!(error.reason, "player 1 must jump on with the piece on c4");
    for text in ["", "b1", "b1-", "b1-c3-d5", "b0-c2", "b1-c12", "l1-k3", "b1xc3", "B1-C3", "b1-c3 "] {
        assert!(text.parse::<Move>().is_err(), "{text:?} is no hop");
    }
    assert_eq!("k11-j9".parse::<Move>().unwrap().to_string(), "k11-j9");
    for text in ["", "b1", "b1-c3-", "b1>c3"] {
        assert!(split_chain(text).is_err(), "{text:?} is no chain");
    }
    let turns = TurnPosition::from(game);
    for (text, reason) in [
        ("a2>b4", "the turn goes on with the piece on c4"),
        ("c4>c4", "no chain of hops from c4 can end on c4"),
    ] {
        assert_eq!(turns.clone().play(text.parse().unwrap()).unwrap_err().reason, reason, "{text}");
    }
}
