//! Stones against its laws, its naive twin, its perft file, its golden game and the numbers of the original.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;

use rookery_games::stones::{Move, Position, Setup, Tile};
use rookery_rules::{Keyed, Notation, Outcome, Position as _, Seat, Seed, Setup as _, Status, playout};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn at(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

fn outcome(position: &Position) -> Outcome {
    match position.status() {
        Status::Over(outcome) => outcome,
        Status::ToMove(seat) => panic!("{seat:?} is still to move in {}", position.to_text()),
    }
}

/// Ids of the winners, and the scores.
fn result(position: &Position) -> (Vec<usize>, Vec<i32>) {
    let outcome = outcome(position);
    (outcome.winners.iter().map(Seat::index).collect(), outcome.scores.as_slice().to_vec())
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

#[test]
fn laws_hold() {
    for rows in [2, 3, 5] {
        for cols in 1..=5 {
            for neighbours in [4, 8] {
                laws::check(&setup(&format!("rows={rows},cols={cols},neighbours={neighbours}")), 4, Seed(1));
            }
        }
    }
    for players in 2..=8 {
        for layout in ["rows", "corners", "ring"] {
            laws::check(
                &setup(&format!("players={players},layout={layout},stones=2,max-turns=300")),
                4,
                Seed(2),
            );
        }
    }
    for options in [
        "",
        "players=4,stones=6",
        "rows=16,cols=16,players=8,max-turns=60",
        "rows=16,cols=16,players=8,layout=corners,stones=32,neighbours=4,max-turns=40",
        "rows=16,cols=1,layout=ring,quiet=20",
        "rows=2,cols=16,quiet=3",
        "layout=012/3.4/567",
        "layout=0/1",
        "layout=-1-/000,max-turns=1",
    ] {
        laws::check(&setup(options), 6, Seed(3));
    }
}

#[test]
fn agrees_with_the_naive_game() {
    for (options, n_games) in [
        ("rows=3,cols=3", 2000),
        ("rows=2,cols=5", 1000),
        ("rows=4,cols=3,neighbours=4", 1000),
        ("rows=6,cols=1,quiet=12", 500),
        ("rows=5,cols=5", 400),
        ("rows=5,cols=5,neighbours=4", 200),
        ("", 40),
        ("rows=4,cols=4,players=3", 1000),
        ("rows=4,cols=4,players=4,layout=corners", 1000),
        ("rows=5,cols=4,players=5,layout=ring", 1000),
        ("rows=5,cols=5,players=8,layout=ring,stones=2,neighbours=4", 500),
        ("players=4,stones=6,max-turns=200", 100),
        ("layout=0123/4567/....,max-turns=40,quiet=9", 1500),
        ("rows=16,cols=16,players=8,layout=corners,max-turns=50", 40),
        ("rows=16,cols=16,players=8,layout=corners,stones=32,max-turns=50", 20),
        ("rows=16,cols=16,layout=rows,max-turns=100", 20),
    ] {
        naive::compare::<naive::stones::Stones>(&setup(options), n_games, Seed(4));
    }
}

/// Every start that the keys can name, on some sizes of board.
#[test]
fn starts_agree_with_the_naive_game() {
    use rookery_testkit::naive::Naive as _;
    let mut n_starts = 0;
    for rows in [2, 3, 4, 5, 8, 11, 16] {
        for cols in [1, 2, 3, 6, 8, 16] {
            for players in 2..=8 {
                for layout in ["rows", "corners", "ring"] {
                    for stones in ["auto", "1", "2", "3", "5", "16", "30"] {
                        let options = format!(
                            "rows={rows},cols={cols},players={players},layout={layout},stones={stones}"
                        );
                        let Ok(setup) = Setup::parse(&options) else { continue };
                        let start = setup.start();
                        assert_eq!(
                            start.to_text(),
                            naive::stones::Stones::start(&setup).to_text(),
                            "{options}"
                        );
                        let counts: Vec<usize> =
                            Seat::all(players).map(|seat| start.board().count(seat)).collect();
                        let expected = stones.parse().unwrap_or(counts[0]);
                        assert_eq!(counts, vec![expected; players], "{options}: equally many stones each");
                        assert!(expected > 0, "{options}");
                        assert_eq!(start.to_move(), Some(Seat::new(0)));
                        n_starts += 1;
                    }
                }
            }
        }
    }
    assert!(n_starts > 2000, "most of the options are possible: {n_starts}");
}

#[test]
fn perft() {
    perft_file::check::<Setup>(&tests_dir().join("stones.perft"));
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&setup("rows=4,cols=4,players=3,stones=2"), Seed(5));
    golden::check(&tests_dir().join("playthroughs/stones.txt"), &text);
}

/// The deterministic player of the original: of all pairs of an own and an enemy stone, both row by row, the first
/// with the smallest distance; one step of that stone towards that enemy.
fn aggressive(position: &Position) -> Move {
    let me = position.to_move().unwrap();
    let board = position.board();
    let enemies: Vec<Tile> =
        board.tiles().filter(|&tile| board.get(tile).is_some_and(|seat| seat != me)).collect();
    let pairs = board.stones(me).flat_map(|own| enemies.iter().map(move |&enemy| (own, enemy)));
    let distance = |(own, enemy): &(Tile, Tile)| {
        u32::from(own.row.abs_diff(enemy.row)).pow(2) + u32::from(own.col.abs_diff(enemy.col)).pow(2)
    };
    let (from, enemy) = pairs.min_by_key(distance).unwrap();
    let towards = |here: u8, there: u8| match here.cmp(&there) {
        std::cmp::Ordering::Less => here + 1,
        std::cmp::Ordering::Equal => here,
        std::cmp::Ordering::Greater => here - 1,
    };
    Move { from, to: Tile::new(towards(from.row, enemy.row), towards(from.col, enemy.col)) }
}

/// Winner, moves and hits of a game of the aggressive player against itself.
fn aggressive_game(rows: u8, cols: u8) -> (usize, u32, usize) {
    let mut position = setup(&format!("rows={rows},cols={cols}")).start();
    while position.to_move().is_some() {
        let mv = aggressive(&position);
        position.play(mv).unwrap();
    }
    let left: usize = Seat::all(2).map(|seat| position.board().count(seat)).sum();
    (result(&position).0[0], position.turn(), 2 * usize::from(cols) - left)
}

#[test]
fn the_aggressive_player_against_himself() {
    // Winner, moves, hits with 1 to 8 columns, as the original played.
    let table = [
        (2, [(0, 1, 1), (0, 3, 3), (0, 5, 5), (1, 8, 7), (1, 12, 9), (0, 11, 10), (0, 15, 12), (0, 15, 14)]),
        (3, [(1, 2, 1), (1, 4, 3), (1, 6, 4), (1, 8, 6), (1, 10, 7), (1, 12, 9), (1, 14, 10), (1, 16, 12)]),
        (4, [(0, 3, 1), (1, 6, 3), (1, 8, 4), (1, 10, 5), (1, 12, 6), (1, 14, 7), (1, 16, 8), (1, 18, 9)]),
        (5, [(1, 4, 1), (1, 6, 2), (1, 8, 3), (1, 10, 4), (1, 12, 5), (1, 14, 6), (1, 16, 7), (1, 18, 8)]),
        (6, [(0, 5, 1), (0, 7, 2), (0, 9, 3), (0, 11, 4), (0, 13, 5), (0, 15, 6), (0, 17, 7), (0, 19, 8)]),
        (7, [(1, 6, 1), (0, 13, 3), (0, 15, 4), (0, 17, 5), (0, 19, 6), (0, 21, 7), (0, 23, 8), (0, 25, 9)]),
        (8, [(0, 7, 1), (0, 15, 3), (0, 19, 4), (0, 21, 5), (0, 23, 6), (0, 25, 7), (0, 27, 8), (0, 29, 9)]),
    ];
    for (rows, results) in table {
        for (cols, expected) in (1..).zip(results) {
            assert_eq!(aggressive_game(rows, cols), expected, "{rows} x {cols}");
        }
    }
}

#[test]
fn the_game_of_the_original_on_3_x_3() {
    let mut position = setup("rows=3,cols=3").start();
    assert_eq!(position.to_text(), "0 000/.../111");
    let moves = ["(0,0)-(1,0)", "(2,0)x(1,0)", "(0,1)x(1,0)", "(2,1)x(1,0)", "(0,2)-(1,2)", "(2,2)x(1,2)"];
    for (ply, text) in moves.into_iter().enumerate() {
        assert_eq!(position.to_move(), Some(Seat::new(ply as u8 % 2)));
        let mv = position.parse_move(text).unwrap();
        assert_eq!(mv, aggressive(&position), "{text}");
        assert_eq!(position.board().get(mv.to).is_some(), text.contains('x'), "{text}");
        position.play(mv).unwrap();
    }
    assert_eq!(position.to_text(), "1 .../1.1/... turn=6 out=0");
    assert_eq!(result(&position), (vec![1], vec![0, 3]));
}

/// The original's random games lasted 124 moves on 5 x 5 and 564 on 8 x 8 in the mean of 400. Its random player drew
/// the first and the last stone and direction half as often as the others; ours draws all moves alike, so the means
/// agree only roughly.
#[test]
fn random_games_last_about_as_long_as_in_the_original() {
    for (options, n_games, mean, tolerance) in
        [("rows=5,cols=5", 2000, 124.0, 0.15), ("rows=8,cols=8", 1000, 564.0, 0.15)]
    {
        let start = setup(options).start();
        let mut rng = Seed(6).rng();
        let (mut moves, mut wins) = (0, 0);
        for _ in 0..n_games {
            let mut position = start.clone();
            moves += playout(&mut position, &mut rng);
            wins += usize::from(outcome(&position).winners.contains(Seat::new(0)));
        }
        let found = f64::from(moves) / f64::from(n_games);
        assert!((found - mean).abs() < tolerance * mean, "{options}: {found} moves in the mean, not {mean}");
        let share = wins as f64 / f64::from(n_games);
        assert!((0.4..0.6).contains(&share), "{options}: about even, not {share}");
    }
}

/// A player who acts at random never beat the aggressive one in the original, from either seat.
#[test]
fn the_aggressive_player_beats_the_random_one() {
    let mut rng = Seed(7).rng();
    for hunter in Seat::all(2) {
        for _ in 0..200 {
            let mut position = setup("rows=5,cols=5").start();
            while let Some(seat) = position.to_move() {
                let mv = if seat == hunter {
                    aggressive(&position)
                } else {
                    position.random_move(&mut rng).unwrap()
                };
                position.play(mv).unwrap();
            }
            assert_eq!(result(&position).0, [hunter.index()]);
        }
    }
}

#[test]
fn layouts() {
    for (options, text) in [
        ("rows=3,cols=3", "000/.../111"),
        ("rows=2,cols=1", "0/1"),
        ("rows=3,cols=4,stones=1", ".0../..../.1.."),
        ("rows=3,cols=5,stones=2", ".00../...../.11.."),
        ("players=4,stones=6", ".000000./......../.111111./......../......../.222222./......../.333333."),
        ("rows=4,cols=4,layout=corners", "00../..../..../..11"),
        ("rows=4,cols=4,layout=corners,players=4,stones=3", "0011/0..1/3..2/3322"),
        ("rows=3,cols=5,layout=corners,players=8", "0.1.2/7...3/6.5.4"),
        ("rows=3,cols=3,layout=ring", "0.1/.../1.0"),
        ("rows=3,cols=3,layout=ring,stones=4", "010/1.1/010"),
        ("rows=5,cols=1,layout=ring,stones=2", "0/1/0/1/."),
        ("rows=4,cols=4,layout=ring,players=3,stones=2", "0.1./...2/2.../.1.0"),
        ("layout=0-1/2-0", "0.1/2.0"),
    ] {
        assert_eq!(setup(options).start().board().to_rows(), text, "{options}");
    }
    assert_eq!(setup("layout=0-1/2-0").spec(), "stones:layout=0.1/2.0");
    assert_eq!(setup("rows=2,cols=3,players=3,layout=0-1/2-0"), setup("layout=0.1/2.0"));
    assert_eq!(setup("cols=8,stones=auto,neighbours=8").spec(), "stones");
    assert_eq!(setup("").start(), setup("").start());
    assert_eq!(Setup::default(), setup(""));
}

#[test]
fn the_turn_skips_who_is_out() {
    // With the original's order of messages this game stalled: 1 lost its last stone and was then asked for a move.
    let mut position = at("0 01.2/....");
    position.play("0.0-0.1".parse().unwrap()).unwrap();
    assert_eq!(position.to_text(), "2 .0.2/.... turn=1 out=1");
    position.play("0.3-0.2".parse().unwrap()).unwrap();
    assert_eq!(position.to_move(), Some(Seat::new(0)));
    position.play("0.1-0.2".parse().unwrap()).unwrap();
    assert_eq!(result(&position), (vec![0], vec![3, 0, 1]));
    assert_eq!(position.out().map(Seat::index).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn the_order_of_going_out_is_the_ranking() {
    let first = at("0 00../.... out=2,3,1");
    let other = at("0 00../.... out=1,2,3");
    assert_eq!(result(&first), (vec![0], vec![5, 2, 0, 1]));
    assert_eq!(result(&other), (vec![0], vec![5, 0, 1, 2]));
    assert_eq!(outcome(&first).places().as_slice(), [1, 2, 4, 3]);
    assert_ne!(first, other);
    assert_ne!(first.key(), other.key());
}

#[test]
fn caps_make_a_draw() {
    let play = |position: &mut Position, text: &str| position.play(text.parse().unwrap()).unwrap();
    let mut quiet = setup("layout=0.00/..../1..2,quiet=3").start();
    play(&mut quiet, "0.0-1.0");
    play(&mut quiet, "2.0-1.0");
    assert_eq!(quiet.quiet(), 0, "a hit begins the count again");
    play(&mut quiet, "2.3-2.2");
    play(&mut quiet, "0.2-0.1");
    assert_eq!(quiet.max_plies(), 7, "one quiet turn, or a hit and three more turns for each of two stones");
    play(&mut quiet, "1.0-2.0");
    assert_eq!(result(&quiet), (vec![0, 1, 2], vec![2, 1, 1]), "all who are left share, ranked by stones");

    let mut turns = setup("layout=00/../12,max-turns=2").start();
    play(&mut turns, "0.0-1.0");
    play(&mut turns, "2.0-1.0");
    assert_eq!(turns.to_text(), "2 .0/1./.2 turn=2/2");
    assert_eq!(result(&turns), (vec![0, 1, 2], vec![1, 1, 1]));

    let mut won = setup("layout=0/1,max-turns=1,quiet=1").start();
    play(&mut won, "0.0-1.0");
    assert_eq!(result(&won), (vec![0], vec![2, 0]), "a win in the last turn is a win");

    let mut one_out = at("0 01./..2/... turn=9999");
    play(&mut one_out, "0.0-0.1");
    assert_eq!(result(&one_out), (vec![0, 2], vec![2, 0, 2]), "who is out does not share the draw");
}

#[test]
fn removed_players_are_out() {
    let mut position = setup("layout=0.1/.../2.1").start();
    position.remove(Seat::new(0));
    assert_eq!(position.to_text(), "1 ..1/.../2.1 out=0", "the removed player was to move");
    let once = position.clone();
    position.remove(Seat::new(0));
    position.remove(Seat::new(5));
    assert_eq!(position, once, "nothing left to remove");
    position.play("2.2-2.1".parse().unwrap()).unwrap();
    position.remove(Seat::new(1));
    assert_eq!(position.to_text(), "2 .../.../2.. turn=1 quiet=1 out=0,1");
    assert_eq!(result(&position), (vec![2], vec![0, 1, 3]));

    // Reached by a hit or by a removal, with the same order: the same key.
    let hit = at("0 0.1/.2./..0");
    let mut removed = hit.clone();
    removed.remove(Seat::new(2));
    removed.remove(Seat::new(0));
    assert_eq!(result(&removed), (vec![1], vec![1, 3, 0]));
    assert_eq!(removed.key(), removed.full_key());
    assert_eq!(removed, at("1 ..1/.../... out=2,0"));
}

#[test]
fn positions_are_equal_whatever_the_order_of_moves() {
    let play = |texts: &[&str]| {
        let mut position = setup("rows=5,cols=3").start();
        for text in texts {
            position.play(text.parse().unwrap()).unwrap();
        }
        position
    };
    let one = play(&["0.0-1.0", "4.0-3.0", "0.1-1.1", "4.1-3.1"]);
    let two = play(&["0.1-1.0", "4.1-3.1", "0.0-1.1", "4.0-3.0"]);
    assert_eq!(one, two);
    assert_eq!(one.key(), two.key());
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
}
