//! Hexapawn's players and referee as threads: the order of messages, and the games of the original's player.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rookery_games::hexapawn::{Board, Move, Position};
use rookery_originals::hexapawn::oz::Value;
use rookery_originals::hexapawn::ports::{
    Game, RefereePort, Table, create_player, create_player_with, player_port, referee_for,
};
use rookery_originals::hexapawn::records::{Order, PlayerType};
use rookery_referee::Verdict;
use rookery_search::{Budget, First, Strategy};

/// Longer than any of this takes on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// Two players that do what the test says.
struct Puppets {
    game: Game,
    orders: [Receiver<Order>; 2],
}

impl Puppets {
    fn new(rows: u8, cols: u8) -> Self {
        let ((p1, orders1), (p2, orders2)) = (player_port(), player_port());
        let game = Table::new(rows, cols).unwrap().with_time(PATIENCE).start(p1, p2);
        Self { game, orders: [orders1, orders2] }
    }

    fn send(&self, player: PlayerType, record: &str) {
        let ports = [&self.game.ports.0, &self.game.ports.1];
        ports[player as usize].send(record.parse::<Value>().unwrap());
    }

    /// What the referee sends to a player next, as text.
    fn next(&self, player: PlayerType) -> String {
        self.orders[player as usize].recv_timeout(PATIENCE).unwrap().to_value().to_string()
    }

    /// Nothing more is sent to anybody but how it ended.
    fn ends_with(self, winner: PlayerType, cause: &str) -> Verdict {
        for player in PlayerType::BOTH {
            assert_eq!(self.next(player), format!("gameEnded(winner:{winner})"));
        }
        let verdict = self.game.verdict();
        assert_eq!(verdict.ending.cause.word(), cause, "{:?}", verdict.ending);
        for orders in self.orders {
            assert!(orders.recv().is_err(), "nothing comes after the end");
        }
        verdict
    }
}

use PlayerType::{P1, P2};

#[test]
fn a_normal_turn_a_second_chance_and_its_return() {
    let game = Puppets::new(5, 5);
    let request = |rows: &str| format!("request(board:board({rows}))");
    let b0 = request(
        "row(p1 p1 p1 p1 p1) row(empty empty empty empty empty) row(empty empty empty empty empty) \
         row(empty empty empty empty empty) row(p2 p2 p2 p2 p2)",
    );
    let b1 = request(
        "row(p1 p1 empty p1 p1) row(empty empty p1 empty empty) row(empty empty empty empty empty) \
         row(empty empty empty empty empty) row(p2 p2 p2 p2 p2)",
    );
    let b2 = request(
        "row(p1 p1 empty p1 p1) row(empty empty p1 empty empty) row(empty empty empty empty empty) \
         row(p2 empty empty empty empty) row(empty p2 p2 p2 p2)",
    );
    assert_eq!(game.next(P1), b0);
    game.send(P1, "move(f(1 3) t(2 3))");
    assert_eq!(game.next(P2), b1);
    game.send(P2, "move(f(9 9) t(1 1))");
    assert_eq!(game.next(P2), b1, "the second chance has the same board");
    game.send(P2, "move(f(5 1) t(4 1))");
    assert_eq!(game.next(P1), b2);
    // The next turn has its own second chance, whatever was sent.
    game.send(P1, "['any thing' at_all]");
    assert_eq!(game.next(P1), b2);
    game.send(P1, "move(f(2 3) t(3 3))");
    game.next(P2);
    game.send(P2, "move(f(4 1) t(4 1))");
    game.next(P2);
    game.send(P2, "mv(f(4 1) t(3 1))");
    game.ends_with(P1, "malformed");
}

#[test]
fn fault_t14_two_illegal_moves_in_one_turn_lose() {
    let game = Puppets::new(3, 3);
    game.next(P1);
    game.send(P1, "move(f(1 1) t(3 1))");
    game.next(P1);
    game.send(P1, "move(f(3 1) t(2 1))");
    assert_eq!(game.ends_with(P2, "illegal_move").plies, 0);
}

#[test]
fn fault_t06_whoever_speaks_out_of_turn_loses_at_once_whatever_is_said() {
    for record in ["move(f(3 1) t(2 1))", "garbage", "nil", "~1"] {
        let game = Puppets::new(3, 3);
        game.next(P1);
        game.send(P2, record);
        game.ends_with(P1, "out_of_turn");
    }
}

#[test]
fn fault_t05_a_second_answer_is_out_of_turn() {
    let game = Puppets::new(3, 3);
    game.next(P1);
    game.send(P1, "move(f(1 1) t(2 1))");
    game.send(P1, "move(f(1 2) t(2 2))");
    game.next(P2);
    game.ends_with(P2, "out_of_turn");
}

#[test]
fn fault_t06_also_while_the_other_has_its_second_chance() {
    let game = Puppets::new(3, 3);
    game.next(P1);
    game.send(P1, "oops");
    game.next(P1);
    game.send(P2, "move(f(3 1) t(2 1))");
    game.ends_with(P1, "out_of_turn");
}

#[test]
fn after_the_end_nothing_matters() {
    let game = Puppets::new(3, 3);
    let ports = game.game.ports.clone();
    game.next(P1);
    game.send(P2, "x");
    game.ends_with(P1, "out_of_turn");
    for port in [ports.0, ports.1] {
        for _ in 0..1000 {
            port.send(Value::nil());
        }
    }
}

#[test]
fn fault_t01_a_player_that_never_answers_loses_when_its_time_is_up() {
    let (p1, _orders) = player_port();
    let pr2 = RefereePort::unbound();
    let p2 = create_player(P2, pr2.clone());
    let table = Table::new(3, 3).unwrap().with_time(Duration::from_millis(50));
    let start = Instant::now();
    let game = table.start(p1, p2);
    pr2.bind(&game.ports.1).unwrap();
    let verdict = game.verdict();
    assert_eq!(verdict.ending.cause.word(), "timeout");
    assert!(verdict.outcome.unwrap().winners.contains(P2.seat()));
    assert!(start.elapsed() >= Duration::from_millis(50));
}

#[test]
fn fault_t03_a_player_whose_thread_has_ended_loses_at_once() {
    let pr1 = RefereePort::unbound();
    let p1 = create_player(P1, pr1.clone());
    let (p2, orders) = player_port();
    drop(orders);
    let game = Table::new(3, 3).unwrap().with_time(PATIENCE).start(p1, p2);
    pr1.bind(&game.ports.0).unwrap();
    let verdict = game.verdict();
    assert_eq!((verdict.plies, verdict.ending.cause.word()), (1, "disconnected"));
}

#[test]
fn sizes_are_those_of_the_rules() {
    for (rows, cols) in [(1, 3), (3, 0), (9, 3), (3, 9), (0, 0), (255, 255)] {
        let ((p1, _o1), (p2, _o2)) = (player_port(), player_port());
        let error = referee_for(p1, p2, rows, cols).unwrap_err().to_string();
        let expected = format!(
            "a board of {rows} rows and {cols} columns is not possible; rows go from 2 to 8, columns from 1 to 8"
        );
        assert_eq!(error, expected);
    }
    // Player 1 takes a pawn, which reaches the other side.
    assert_eq!((self_play(2, 2).0, self_play(2, 2).2), (P1, true));
}

/// Plays as the original's player, and tells what it played.
struct Spy(std::sync::mpsc::Sender<Move>);

impl Strategy<Position> for Spy {
    fn choose(&mut self, position: &Position, budget: &Budget) -> Move {
        let mv = First.choose(position, budget);
        self.0.send(mv).unwrap();
        mv
    }
}

/// A game of the original's player against itself: winner, moves, and whether the far side was reached.
fn self_play(rows: u8, cols: u8) -> (PlayerType, Vec<Move>, bool) {
    let (spy, moves) = channel();
    let (pr1, pr2) = (RefereePort::unbound(), RefereePort::unbound());
    let p1 = create_player_with(P1, pr1.clone(), Spy(spy.clone()));
    let p2 = create_player_with(P2, pr2.clone(), Spy(spy));
    let game = Table::new(rows, cols).unwrap().with_time(PATIENCE).start(p1, p2);
    pr1.bind(&game.ports.0).unwrap();
    pr2.bind(&game.ports.1).unwrap();
    let winner = PlayerType::at(game.verdict().outcome.unwrap().winners.iter().next().unwrap());
    let moves: Vec<Move> = moves.into_iter().collect();
    let Some(Move::Pawn { to, .. }) = moves.last() else { panic!("somebody moved") };
    let far = if winner == P1 { rows - 1 } else { 0 };
    (winner, moves.clone(), to.row() == far)
}

fn transcript(moves: &[Move]) -> String {
    let mut board_moves = vec![];
    for mv in moves {
        let Move::Pawn { from, to } = mv else { panic!("there are only pawns") };
        let sign = if from.col() == to.col() { "" } else { "x" };
        board_moves.push(format!(
            "({} {}){sign}({} {})",
            from.row() + 1,
            from.col() + 1,
            to.row() + 1,
            to.col() + 1
        ));
    }
    board_moves.join(";")
}

#[test]
fn the_games_of_the_original_player_against_itself() {
    // Winner, moves, reached or blocked; rows from 3, columns 3 to 8.
    let table = [
        "p2/4/B p2/6/B p1/7/B p1/9/B p2/10/B p2/12/B",
        "p1/9/R p1/9/R p1/9/R p1/9/R p1/9/R p1/9/R",
        "p2/14/R p2/14/B p1/13/R p1/13/R p1/13/R p1/13/R",
        "p1/9/R p1/9/R p1/9/R p1/9/R p1/9/R p1/9/R",
        "p1/17/B p1/11/R p1/11/R p1/11/R p1/11/R p1/11/R",
        "p1/23/R p2/28/B p1/13/R p1/13/R p1/13/R p1/13/R",
    ];
    for (rows, line) in (3..).zip(table) {
        for (cols, expected) in (3..).zip(line.split(' ')) {
            let (winner, moves, reached) = self_play(rows, cols);
            let how = if reached { "R" } else { "B" };
            assert_eq!(format!("{winner}/{}/{how}", moves.len()), expected, "{rows} x {cols}");
        }
    }
}

#[test]
fn two_whole_games_of_the_original_player() {
    assert_eq!(transcript(&self_play(3, 3).1), "(1 3)(2 3);(3 2)x(2 3);(1 2)x(2 3);(3 1)(2 1)");
    assert_eq!(
        transcript(&self_play(5, 5).1),
        "(1 5)(2 5);(5 5)(4 5);(2 5)(3 5);(5 4)(4 4);(3 5)x(4 4);(5 3)x(4 4);(1 4)(2 4);(5 2)(4 2);(2 4)(3 4);\
         (5 1)(4 1);(3 4)x(4 5);(4 4)(3 4);(4 5)(5 5)"
    );
}

/// Threads of this process that belong to games, by the system's own count.
fn threads() -> Option<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    Some(names.filter(|name| name.starts_with("hexapawn-")).count())
}

#[test]
fn no_thread_is_left_after_the_end() {
    let Some(_) = threads() else {
        rookery_testkit::tell_skipped("whether a thread is left: there is no /proc to count them in");
        return;
    };
    // One that ends well, one by a fault while the other player still thinks, one without a referee.
    self_play(4, 4);
    let (pr1, pr2) = (RefereePort::unbound(), RefereePort::unbound());
    let (p1, p2) = (create_player(P1, pr1), create_player(P2, pr2.clone()));
    let game = Table::new(5, 5).unwrap().with_time(PATIENCE).start(p1, p2);
    wait_until(|threads| threads >= 3);
    pr2.bind(&game.ports.1).unwrap();
    pr2.send(Value::atom("hurry"));
    drop(create_player(P1, RefereePort::unbound()));
    wait_until(|threads| threads == 0);
}

fn wait_until(enough: impl Fn(usize) -> bool) {
    let start = Instant::now();
    while !enough(threads().unwrap()) {
        assert!(start.elapsed() < PATIENCE, "there are {:?} threads", threads());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn valid_moves_come_in_the_order_of_the_original() {
    let moves = |player: PlayerType| {
        let moves: Vec<Move> = Board::init(5, 5).valid_moves_for(player.seat()).collect();
        transcript(&moves)
    };
    assert_eq!(moves(P1), "(1 5)(2 5);(1 4)(2 4);(1 3)(2 3);(1 2)(2 2);(1 1)(2 1)");
    assert_eq!(moves(P2), "(5 5)(4 5);(5 4)(4 4);(5 3)(4 3);(5 2)(4 2);(5 1)(4 1)");
}
