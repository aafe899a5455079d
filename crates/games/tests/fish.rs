//! Fish against its laws, its naive twin, its perft file and its golden game. Real cases from elsewhere are with the
//! test harnesses, in `originals`.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;

use rookery_games::fish::{Board, Cell, Color, Direction, Move, Phase, Position, Setup};
use rookery_rules::{Notation, Outcome, Position as _, Seat, Seed, Setup as _, Status};
use rookery_testkit::{golden, laws, naive, perft_file};

fn setup(options: &str) -> Setup {
    Setup::parse(options).unwrap()
}

fn read(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

fn tests_dir() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

fn outcome(position: &Position) -> Outcome {
    match position.status() {
        Status::Over(outcome) => outcome,
        Status::ToMove(seat) => panic!("{seat:?} is to move in {}", position.to_text()),
    }
}

fn winners(position: &Position) -> Vec<usize> {
    outcome(position).winners.iter().map(|seat| seat.index() + 1).collect()
}

#[test]
fn laws_hold() {
    for players in 2..=4 {
        for (options, n_games) in [
            ("", 8),
            ("fish=2", 8),
            ("rows=1,cols=25", 2),
            ("rows=25,cols=1", 8),
            ("rows=2,cols=2", 8),
            ("rows=3,cols=3,holes=2,ones=3,seed=5", 8),
            ("rows=8,cols=8,holes=10,seed=6", 4),
            ("rows=13,cols=5", 2),
            ("rows=16,cols=8", 2),
            ("rows=128,cols=1", 2),
            ("rows=1,cols=128", 1),
            ("board=classic,seed=9", 4),
            ("board=123/405/11", 20),
            ("board=1", 8),
            ("board=12", 8),
            ("board=1/0/1/0/1/1/1", 8),
        ] {
            laws::check(&setup(&format!("players={players},{options}")), n_games, Seed(1));
        }
    }
}

#[test]
fn agrees_with_the_naive_game() {
    for players in 2..=4 {
        for (options, n_games) in [
            ("", 1500),
            ("fish=1,holes=7", 800),
            ("rows=8,cols=8,holes=5", 60),
            ("rows=9,cols=8", 40),
            ("rows=16,cols=8", 12),
            ("rows=8,cols=16", 12),
            ("rows=32,cols=4", 12),
            ("rows=64,cols=2", 12),
            ("rows=128,cols=1", 12),
            ("rows=25,cols=1", 300),
            ("rows=2,cols=12", 200),
            ("board=classic", 60),
            ("board=123/405/11", 500),
            ("board=11/11/1", 300),
            ("board=1", 50),
        ] {
            let setup = setup(&format!("players={players},{options}"));
            naive::compare::<naive::fish::Fish>(&setup, n_games, Seed(3));
        }
    }
}

#[test]
fn perft() {
    perft_file::check::<Setup>(&tests_dir().join("fish.perft"));
}

#[test]
fn many_penguins() {
    // More than a game has, as positions from outside may; random moves then take another way.
    let mut position = read("p1 1a1a1a1a1a1/111111/1b1b1b1b1b1b/1a1a1a1a1a1/111111/111b111b 0,0");
    let mut rng = Seed(5).rng();
    while let Some(mv) = position.random_move(&mut rng) {
        assert!((0..500).all(|_| position.is_legal(position.random_move(&mut rng).unwrap())));
        position.play(mv).unwrap();
        assert_eq!(read(&position.to_text()), position);
    }
    assert_eq!(position.max_plies(), 0);
}

#[test]
fn golden_playthrough() {
    let text = golden::playthrough(&setup("rows=5,cols=3,players=3,holes=2"), Seed(4));
    golden::check(&tests_dir().join("playthroughs/fish.txt"), &text);
}

/// The move of the original's player when it looks one move ahead: the first free tile; then the slide that earns the
/// most fish, and among equals the least by row and column.
fn greedy(position: &Position) -> Move {
    let fish = |mv: &Move| match mv {
        Move::Place(_) => 0,
        Move::Slide { from, .. } => position.board().fish(*from),
    };
    if position.phase() == Phase::Placing {
        return position.legal_moves().next().unwrap();
    }
    let most = position.legal_moves().map(|mv| fish(&mv)).max().unwrap();
    position.legal_moves().filter(|mv| fish(mv) == most).min().unwrap()
}

fn play_greedily(options: &str) -> Position {
    let mut position = setup(options).start();
    while position.to_move().is_some() {
        position.play(greedy(&position)).unwrap();
    }
    position
}

#[test]
fn the_tournament_board_between_equal_players() {
    for (players, scores) in [(2, [18, 16].as_slice()), (3, &[12, 10, 10]), (4, &[10, 6, 8, 10])] {
        let position = play_greedily(&format!("fish=2,players={players}"));
        assert_eq!(outcome(&position).scores.as_slice(), scores);
    }
    assert_eq!(winners(&play_greedily("fish=2,players=4")), [1, 4]);
}

#[test]
fn who_finds_no_tile_is_thrown_out() {
    // Eight tiles for nine penguins: the third player cannot place its last one, the others share the game.
    let position = play_greedily("rows=4,cols=2,fish=1,players=3");
    assert_eq!(winners(&position), [1, 2]);
    assert_eq!(outcome(&position).scores.as_slice(), [1, 1, -1]);
    assert!(position.is_removed(Seat::new(2)));

    // A single tile: first the second player finds it taken, then the first has no place for its next penguin.
    let mut position = setup("board=3").start();
    position.play("0.0".parse().unwrap()).unwrap();
    assert_eq!(position.to_text(), "- 3 -,-");
    assert_eq!(winners(&position), [0; 0]);
    assert_eq!(outcome(&position).scores.as_slice(), [-1, -1]);
}

#[test]
fn removals() {
    // Before the first penguin the others get six less the number of those left, afterwards nothing changes.
    let mut position = setup("fish=2,players=4").start();
    for (seat, each) in [(1, 3), (3, 4), (0, 5)] {
        position.remove(Seat::new(seat));
        assert_eq!(position.penguins_each(), Some(each));
    }
    assert_eq!(position.to_move(), Some(Seat::new(2)));
    position.remove(Seat::new(2));
    assert_eq!(winners(&position), [0; 0]);

    let mut position = setup("fish=2,players=3").start();
    position.play("2.2".parse().unwrap()).unwrap();
    for seat in [0, 1] {
        position.remove(Seat::new(seat));
        assert_eq!(position.to_text(), read(&position.to_text()).to_text());
        assert_eq!(position.to_place(Seat::new(2)), 3, "a penguin was placed, though it is gone");
    }

    // The tiles stay, the score is gone, and a player alone goes on.
    let mut position = read("p1 1a1b/11/11 7,2");
    position.remove(Seat::new(0));
    assert_eq!(position.to_text(), "p2 11b/11/11 -,2");
    while let Some(mv) = { position.legal_moves().next() } {
        position.play(mv).unwrap();
    }
    assert_eq!((winners(&position), outcome(&position).scores[Seat::new(0)]), (vec![2], -1));

    // A player who was blocked by the one removed can move again.
    let mut position = read("p2 1a/0/1b/1b/0/1 0,0");
    assert_eq!(position.to_move(), Some(Seat::new(1)));
    position.remove(Seat::new(1));
    assert_eq!(position.legal_moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["0.0-2.0"]);
}

#[test]
fn who_cannot_move_is_passed_over() {
    let mut position = read("p2 1a/5/1b/1/0/3 0,0");
    assert_eq!(position.to_move(), Some(Seat::new(1)));
    position.play("2.0-1.0".parse().unwrap()).unwrap();
    // Player 1 is shut in by a hole and a penguin, so player 2 goes on alone.
    assert_eq!(position.to_text(), "p2 1a/5b/0/1/0/3 0,1");
    position.play("1.0-3.0".parse().unwrap()).unwrap();
    assert_eq!(position.to_move(), Some(Seat::new(1)), "the tile went under, so player 1 is not freed");
    position.play("3.0-5.0".parse().unwrap()).unwrap();
    assert_eq!(position.to_text(), "- 1a/0/0/0/0/3b 0,7");
}

#[test]
fn the_board_and_its_directions() {
    let names = |cell: Cell| Direction::ALL.map(|direction| cell.neighbour(direction).unwrap().to_string());
    assert_eq!(names(Cell::new(4, 3)), ["2.3", "3.3", "5.3", "6.3", "5.2", "3.2"]);
    assert_eq!(names(Cell::new(3, 3)), ["1.3", "2.4", "4.4", "5.3", "4.3", "2.3"]);

    let board: Board = "111/111/111/111/111".parse().unwrap();
    let tiles: Vec<String> = board.reachable(Cell::new(2, 1)).map(|cell| cell.to_string()).collect();
    assert_eq!(tiles, ["0.1", "1.1", "0.2", "3.1", "4.2", "4.1", "3.0", "4.0", "1.0", "0.0"]);
    assert_eq!(board.reachable(Cell::new(9, 9)).count(), 0);
    assert_eq!(board.neighbour(Cell::new(4, 2), Direction::South), None);

    let position = setup("players=4").start();
    assert_eq!(Seat::all(4).map(|seat| position.color(seat)).collect::<Vec<_>>(), Color::ALL);
}

#[test]
fn classic_board() {
    let board = setup("board=classic,seed=3").board();
    assert_eq!((board.rows(), board.cols()), (15, 4));
    let n_tiles = |fish| board.cells().filter(|&cell| board.fish(cell) == fish).count();
    assert_eq!([0, 1, 2, 3, 4, 5].map(n_tiles), [0, 30, 20, 10, 0, 0]);
    assert_ne!(board, setup("board=classic,seed=4").board());
    for (players, each) in [(2, 4), (3, 3), (4, 2)] {
        let position = setup(&format!("board=classic,players={players}")).start();
        assert_eq!(position.penguins_each(), Some(each));
    }
}

#[test]
fn made_boards_are_as_ordered() {
    for seed in 0..50 {
        let board = setup(&format!("rows=7,cols=3,holes=6,ones=9,seed={seed}")).board();
        let n_tiles = |fish| board.cells().filter(|&cell| board.fish(cell) == fish).count();
        assert_eq!(n_tiles(0), 6);
        assert!(n_tiles(1) >= 9);
    }
}

#[test]
fn bad_setups_are_refused() {
    for (options, message) in [
        (
            "rows=16,cols=9",
            "fish: `rows=16` is not possible; `rows` takes with the other side at most 128 cells; 16 rows of 9 are 144",
        ),
        (
            "cols=26",
            "fish: `cols=26` is not possible; `cols` takes with the other side at most 128 cells; 5 rows of 26 are 130",
        ),
        (
            "rows=2,cols=2,holes=4",
            "fish: `holes=4` is not possible; `holes` takes fewer than the 4 cells of the board",
        ),
        (
            "rows=2,cols=2,holes=2,ones=3",
            "fish: `ones=3` is not possible; `ones` takes at most 2, the number of tiles",
        ),
        (
            "fish=3,ones=1",
            "fish: `ones=1` is not possible; `ones` takes 0 where every tile has 3 fish (`fish=3`)",
        ),
        (
            "board=classic,rows=15",
            "fish: `rows=15` is not possible; `rows` takes no value where the board is classic; leave it out",
        ),
        (
            "board=11/11,seed=1",
            "fish: `seed=1` is not possible; `seed` takes no value where the board is given in rows; leave it out",
        ),
        ("board=00/0", "fish: `board=00/0` is not possible; `board` takes a board with at least one tile"),
        (
            "board=16",
            "fish: `board=16` is not possible; `board` takes tiles of 1 to 5 fish, and 0 for a hole",
        ),
        (
            "board=old",
            "fish: `board=old` is not possible; `board` takes made, classic or rows of digits such as 123/405/11: a row is made of digits, not of 'o'",
        ),
        ("players=5", "fish: `players=5` is not possible; `players` takes a number from 2 to 4"),
        ("fish=6", "fish: `fish=6` is not possible; `fish` takes a number from 1 to 5, or random"),
    ] {
        assert_eq!(Setup::parse(options).unwrap_err().to_string(), message, "{options}");
    }
    assert!(Setup::parse(&format!("board={}", "1".repeat(129))).is_err());
}

#[test]
fn bad_positions_are_refused() {
    for (text, problem) in [
        ("", "it begins with p1 to p4, the player to move, or - when it is over"),
        ("p5 11 0,0", "it begins with p1 to p4, the player to move, or - when it is over"),
        ("p1", "a board has 1 to 128 cells, so not 1 rows and 0 columns"),
        ("p1 1x 0,0", "a row is made of digits, each perhaps with a penguin a to d behind it"),
        ("p1 a1 0,0", "a row is made of digits, each perhaps with a penguin a to d behind it"),
        ("p1 1a1", "behind the board stand the scores, for example `3,0`, with - for a removed player"),
        ("p1 1a1 0,-3", "behind the board stand the scores, for example `3,0`, with - for a removed player"),
        ("p1 0a1 0,0", "player 1 has a penguin on 0.0, where there is no tile"),
        ("p1 1ab1 0,0", "there are two penguins on 0.0"),
        ("p1 1a1 -,0", "a removed player has no penguins"),
        ("p1 1c1 0,0", "there is a penguin of a player without a score"),
        ("p3 1a1 0,0", "there is no player 3"),
        ("p1 1a1 0,0,0,0,0", "there are 1 to 4 players, not 5"),
        ("p1 1a1 2000000000", "a score is at most 1000000000"),
        ("p1 1a1 0,0 place=", "behind the scores there is nothing, or `place=1` to `place=5`"),
        ("p1 1a1 0,0 place=6", "each player places 1 to 5 penguins"),
        ("p1 1a1 0,0 place=4 more", "there is something behind its end"),
        ("- 1a/1/1 0,0", "the game is not over, so it begins with p1 to p4, the player to move"),
    ] {
        assert_eq!(Position::from_text(text).unwrap_err().problem, problem, "{text}");
    }
    let long = format!("p1 {}1a 0", "1".repeat(600));
    assert!(Position::from_text(&long).is_err());
    assert!(Position::from_text(&format!("p1 {}1a 0", "1/".repeat(600))).is_err());
}

#[test]
fn refusals_say_why() {
    let placing = read("p2 1a23/405/11 0,0 place=4");
    let moving = read("p1 1a23/405/11/1b1/11 0,0");
    for (position, text, reason) in [
        (&placing, "0.0", "a penguin of player 1 stands on 0.0"),
        (&placing, "1.1", "1.1 is a hole"),
        (&placing, "0.3", "0.3 lies outside the board of 3 rows and 3 columns"),
        (&placing, "0.0-1.0", "player 2 places a penguin first, for example `2.3`"),
        (&moving, "0.1", "all penguins are placed; a move is from tile to tile, for example `2.3-4.3`"),
        (&moving, "0.1-1.0", "player 1 has no penguin on 0.1"),
        (&moving, "3.0-2.0", "player 1 has no penguin on 3.0"),
        (&moving, "9.0-2.0", "9.0 lies outside the board of 5 rows and 3 columns"),
        (&moving, "0.0-9.0", "9.0 lies outside the board of 5 rows and 3 columns"),
        (&moving, "0.0-0.0", "a penguin slides at least one tile"),
        (&moving, "0.0-3.0", "a penguin of player 2 stands on 3.0"),
        (&moving, "0.0-1.1", "1.1 is a hole"),
        (&moving, "0.0-0.1", "a penguin slides in a straight line, and 0.1 is in none of the six from 0.0"),
        (&read("p1 1a/0/1/1/1b 0,0"), "0.0-2.0", "nothing"),
        (&read("p1 1a/1/1b/1/1 0,0"), "0.0-4.0", "a penguin of player 2 on 2.0 is in the way"),
        (&read("p1 1a/1/0/1/1b 0,0"), "0.0-1.0", "nothing"),
        (&read("p1 1a/1/0/1/1 0,0"), "0.0-4.0", "the hole at 2.0 is in the way"),
        (&read("- 1a/0/0/0/1b 0,0"), "0.0-4.0", "the game is over"),
    ] {
        let mv = text.parse().unwrap();
        match position.clone().play(mv) {
            Ok(()) => assert_eq!(reason, "nothing", "{text}"),
            Err(error) => assert_eq!(error.reason, reason, "{text}"),
        }
    }
}

#[test]
fn bad_moves_are_refused() {
    for text in
        ["", "1", "1.", ".1", "1.1-", "-1.1", "1.1-2", "01.1", "+1.1", "1.128", "1.1-2.2-3.3", "1.1 ", "a1"]
    {
        assert!(text.parse::<Move>().is_err(), "{text:?} is refused");
    }
    assert_eq!("127.0-3.10".parse(), Ok(Move::Slide { from: Cell::new(127, 0), to: Cell::new(3, 10) }));
}
