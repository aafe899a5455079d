//! Real programs that play Stones over pipes and over TCP, most of them badly.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rookery_catalog::{PlayerSpec, SeatSpec, Stones, strategy};
use rookery_games::stones::{Move, Position, Setup};
use rookery_originals::stones::{LineCodec, Message, Table, TableError, Thinker, attend};
use rookery_record::{RecordWriter, verify};
use rookery_referee::{
    Answering, Conduct, Event, EventOf, Offence, Player, Question, Referee, Scripted, Terms, TimeControl,
    Verdict, play,
};
use rookery_rules::{Notation, Seat, Seed, Setup as _};
use rookery_wire::{Bounds, Connection, Framing, Remote};

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Longer than any of this takes on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Pipe,
    Tcp,
}

/// What came of a match, and its record.
struct Played {
    verdict: Verdict,
    events: Vec<EventOf<Position>>,
    record: Vec<u8>,
}

impl Played {
    fn cause(&self) -> &'static str {
        self.verdict.ending.cause.word()
    }

    fn n_said(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Said { .. })).count()
    }
}

/// A program whose standard input and output are a socket.
fn connect(command: &str, address: SocketAddr) -> Child {
    let stream = TcpStream::connect(address).unwrap();
    let input = Stdio::from(OwnedFd::from(stream.try_clone().unwrap()));
    let output = Stdio::from(OwnedFd::from(stream));
    Command::new("sh").args(["-c", &format!("exec {command}")]).stdin(input).stdout(output).spawn().unwrap()
}

/// A match of `random` players with a program at the last seat. Every record is a right one.
async fn play_with(way: Way, command: &str, change: impl FnOnce(&mut Table)) -> Played {
    let setup = Setup::parse("rows=3,cols=3").unwrap();
    let mut table = Table::new(setup, vec![]);
    table.time = TimeControl::PerMove(PATIENCE);
    change(&mut table);
    table.seats = vec!["random".parse().unwrap(); usize::from(table.setup.players()) - 1];
    table.seats.push(match way {
        Way::Pipe => SeatSpec::Command(command.to_owned()),
        Way::Tcp => SeatSpec::Tcp(0),
    });
    let mut children = vec![];
    let gathered =
        table.gather(HOME, PATIENCE, &mut |_, address| children.push(connect(command, address))).await;
    let mut record = vec![];
    let mut observer = (vec![], RecordWriter::new(&mut record, table.header()));
    let verdict =
        table.play(gathered.unwrap(), &mut |_| unreachable!("nobody is human"), &mut observer).await;
    let (events, writer) = observer;
    writer.finish().unwrap();
    for mut child in children {
        let _ = child.kill();
        let _ = child.wait();
    }
    let verdict = verdict.unwrap();
    assert_eq!(verify::<Setup>(&record[..]).unwrap().verdict.as_ref(), Some(&verdict));
    Played { verdict, events, record }
}

/// A shell program that does something whenever it has the turn as player 1.
fn on_turn(action: &str) -> String {
    format!(
        "sh -c 'while read -r line; do case \"$line\" in *TurnTo*player*:1,*state*) {action};; esac; done'"
    )
}

const A_MOVE: &str = r#"{\"move\":{\"from\":[2,0],\"to\":[1,0]}}"#;

/// Plays against a program both ways, and expects the same offence of it.
async fn offends(command: &str, by_pipe: Offence, by_tcp: Offence) {
    for (way, offence) in [(Way::Pipe, by_pipe), (Way::Tcp, by_tcp)] {
        let played = play_with(way, command, |table| {
            table.time = TimeControl::PerMove(PATIENCE);
        })
        .await;
        assert_eq!(played.cause(), offence.word(), "{way:?}: {}", played.verdict.ending.sentence);
        assert_eq!(played.verdict.ending.seat, Some(Seat::new(1)), "{way:?}");
    }
}

#[tokio::test]
async fn fault_t01_late_answers_time_out_on_either_way() {
    for way in [Way::Pipe, Way::Tcp] {
        let played = play_with(way, "sleep 1000", |table| {
            table.time = TimeControl::PerMove(Duration::from_millis(200));
            table.warm_up = Duration::from_millis(100);
        })
        .await;
        assert_eq!(played.cause(), "timeout", "{way:?}");
        assert_eq!(played.verdict.plies, 1);
    }
}

#[tokio::test]
async fn fault_t03_a_program_that_dies_on_its_turn() {
    offends(&on_turn("exit 3"), Offence::Crashed, Offence::Disconnected).await;
}

#[tokio::test]
async fn fault_t03_an_answer_before_the_end_counts() {
    let command = on_turn(&format!("echo \"{A_MOVE}\"; exit 0"));
    for way in [Way::Pipe, Way::Tcp] {
        let played = play_with(way, &command, |_| {}).await;
        let moved =
            |event: &EventOf<Position>| matches!(event, Event::Moved { seat, .. } if seat.index() == 1);
        assert!(played.events.iter().any(moved), "{way:?}: {}", played.verdict.ending.sentence);
    }
}

#[tokio::test]
async fn fault_t05_a_second_answer_that_says_its_turn_is_never_the_next_answer() {
    // The other player answers at once, so the second answer may come before or after the next question.
    let answer = A_MOVE.replace("\\\"to\\\"", "\\\"turn\\\":1,\\\"to\\\"");
    let command = on_turn(&format!("echo \"{answer}\"; echo \"{answer}\""));
    offends(&command, Offence::OutOfTurn, Offence::OutOfTurn).await;
}

#[tokio::test]
async fn fault_t05_a_second_answer_is_out_of_turn() {
    let command = on_turn(&format!("echo \"{A_MOVE}\"; echo \"{A_MOVE}\""));
    speaks_while_another_thinks(&command, &["0.2-1.2"], 2).await;
}

#[tokio::test]
async fn fault_t06_an_answer_before_the_question_is_out_of_turn() {
    let command = format!("sh -c 'echo \"{A_MOVE}\"; cat >/dev/null'");
    speaks_while_another_thinks(&command, &[], 0).await;
}

/// A match in which the first player makes these moves and then thinks for ever: only an offence of the other ends it.
async fn speaks_while_another_thinks(command: &str, moves: &[&str], plies: u64) {
    for way in [Way::Pipe, Way::Tcp] {
        let setup = Setup::parse("rows=3,cols=3").unwrap();
        let mut table = Table::new(setup, vec![SeatSpec::Human]);
        table.seats.push(if way == Way::Pipe {
            SeatSpec::Command(command.to_owned())
        } else {
            SeatSpec::Tcp(0)
        });
        let mut children = vec![];
        let gathered =
            table.gather(HOME, PATIENCE, &mut |_, address| children.push(connect(command, address))).await;
        let pensive = Pensive(moves.iter().rev().map(|mv| mv.parse().unwrap()).collect());
        let verdict =
            table.play(gathered.unwrap(), &mut |_| Box::new(pensive.clone()), &mut ()).await.unwrap();
        assert_eq!(verdict.ending.cause.word(), "out_of_turn", "{way:?}: {}", verdict.ending.sentence);
        assert_eq!((verdict.ending.seat, verdict.plies), (Some(Seat::new(1)), plies), "{way:?}");
        for mut child in children {
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
}

/// Makes its moves, the last of the list first, and then thinks for ever.
#[derive(Clone)]
struct Pensive(Vec<Move>);

impl Player<Position> for Pensive {
    fn choose<'a>(&'a mut self, _: Question<'a, Position>) -> Answering<'a, Move> {
        match self.0.pop() {
            Some(mv) => Answering::Now(Ok(mv)),
            None => Answering::Later(Box::pin(std::future::pending())),
        }
    }
}

#[tokio::test]
async fn fault_t07_garbage_is_malformed() {
    offends(&on_turn("echo hello"), Offence::Malformed, Offence::Malformed).await;
}

#[tokio::test]
async fn fault_t07_garbage_costs_only_its_player_if_it_is_a_forfeit() {
    let command =
        "sh -c 'while read -r line; do case \"$line\" in *TurnTo*player*:2,*state*) echo hello;; esac; done'";
    let played = play_with(Way::Pipe, command, |table| {
        table.setup = Setup::parse("rows=3,cols=3,players=3").unwrap();
        table.conduct = Conduct::removing();
    })
    .await;
    assert_eq!(played.cause(), "normal", "{}", played.verdict.ending.sentence);
    assert_eq!(played.verdict.removed[0].seat, Some(Seat::new(2)));
    assert!(
        String::from_utf8(played.record)
            .unwrap()
            .contains("\"offence\":\"malformed\",\"ruling\":\"removed\"")
    );
}

#[tokio::test]
async fn fault_t09_a_line_without_end_is_cut_off() {
    let command = on_turn("while :; do printf aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done");
    offends(&command, Offence::OutputLimit, Offence::OutputLimit).await;
}

#[tokio::test]
async fn fault_t09_a_flood_of_chat_is_cut_off() {
    for way in [Way::Pipe, Way::Tcp] {
        let command = on_turn("while :; do echo \"{\\\"chat\\\":\\\"ha\\\"}\"; done");
        let played = play_with(way, &command, |_| {}).await;
        assert_eq!(played.cause(), "output_limit", "{}", played.verdict.ending.sentence);
        assert!(played.n_said() <= rookery_referee::MAX_CHAT_LINES);
    }
}

#[tokio::test]
async fn fault_t14_an_illegal_move_crashes_the_game() {
    let command = on_turn("echo \"{\\\"move\\\":{\\\"from\\\":[2,0],\\\"to\\\":[3,-1]}}\"");
    offends(&command, Offence::IllegalMove, Offence::IllegalMove).await;
}

#[tokio::test]
async fn fault_t17_a_program_that_never_reads_is_late_and_blocks_nobody() {
    // Only a few bytes fit into this pipe, and nobody takes them out.
    let (ours, _theirs) = tokio::io::duplex(16);
    let (reader, writer) = tokio::io::split(ours);
    let connection = Connection::new(reader, writer, "a pipe", Framing::Lines, Bounds::default());
    let deaf = Remote::new(connection, LineCodec::new(None));
    let honest = Scripted::new(["0.0-1.0".parse().unwrap()]);
    let mut players: Vec<Box<dyn Player<Position>>> = vec![Box::new(honest), Box::new(deaf)];
    let mut terms = Terms::untimed(Seed(1));
    terms.startup = Duration::from_millis(300);
    let referee = Referee::new(Position::from_text("0 00/../11").unwrap(), Conduct::aborting());
    let verdict = play(referee, &mut players, &terms, &mut ()).await;
    assert_eq!(verdict.ending.cause.word(), "timeout");
    assert_eq!(verdict.ending.seat, Some(Seat::new(1)));
}

#[tokio::test]
async fn fault_t18_a_program_that_closes_its_output_has_gone() {
    // With a socket the input is the same connection, which stays open while it is read.
    let played = play_with(Way::Pipe, "sh -c 'exec >&-; exec sleep 1000'", |_| {}).await;
    assert_eq!(played.cause(), "crashed", "{}", played.verdict.ending.sentence);
    let played = play_with(Way::Tcp, "sh -c 'exec <&- >&-; exec sleep 1000'", |_| {}).await;
    assert_eq!(played.cause(), "disconnected", "{}", played.verdict.ending.sentence);
}

#[tokio::test]
async fn fault_t19_a_byte_now_and_then_does_not_move_the_deadline() {
    for way in [Way::Pipe, Way::Tcp] {
        let command = on_turn("while :; do printf x; sleep 0.1; done");
        let played = play_with(way, &command, |table| {
            table.time = TimeControl::PerMove(Duration::from_millis(300));
            table.warm_up = Duration::from_millis(500);
        })
        .await;
        assert_eq!(played.cause(), "timeout", "{way:?}: {}", played.verdict.ending.sentence);
    }
}

#[tokio::test]
async fn who_has_lost_may_leave_and_the_others_play_on() {
    // Player 1 is hit at once and leaves; 0 and 2 go on by the original's rule, where any error ends the game.
    for (way, told) in [(Way::Pipe, true), (Way::Tcp, true), (Way::Pipe, false)] {
        let mut table = Table::new(Setup::parse("layout=01.2/....").unwrap(), vec![]);
        table.tell_eliminated = told;
        let command = "sh -c 'while read -r line; do case \"$line\" in *PlayerLost*) exit 0;; esac; done'";
        let program = if way == Way::Pipe { format!("cmd:{command}") } else { "tcp:0".to_owned() };
        table.seats = ["aggressive", &program, "aggressive"].map(|spec| spec.parse().unwrap()).to_vec();
        let mut children = vec![];
        let gathered =
            table.gather(HOME, PATIENCE, &mut |_, address| children.push(connect(command, address))).await;
        let verdict = table.play(gathered.unwrap(), &mut |_| unreachable!(), &mut ()).await.unwrap();
        assert_eq!(verdict.ending.cause.word(), "normal", "{way:?}: {}", verdict.ending.sentence);
        for mut child in children {
            child.wait().unwrap();
        }
    }
}

#[tokio::test]
async fn our_own_players_play_over_a_socket_and_chat_is_in_the_record() {
    let mut table = Table::new(Setup::parse("rows=3,cols=3").unwrap(), vec![]);
    table.seats = vec!["tcp:0".parse().unwrap(), "tcp:0".parse().unwrap()];
    table.time = TimeControl::PerMove(PATIENCE);
    let mut threads = vec![];
    let gathered = table
        .gather(HOME, PATIENCE, &mut |_, address| {
            threads.push(std::thread::spawn(move || {
                let stream = TcpStream::connect(address).unwrap();
                let reader = std::io::BufReader::new(stream.try_clone().unwrap());
                attend(reader, stream, |time| {
                    let player: PlayerSpec = "aggressive".parse().unwrap();
                    Chatty(Thinker::new(strategy::<Stones>(&player).unwrap().0, time, Seed(1)))
                })
            }));
        })
        .await;
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, table.header());
    let verdict = table.play(gathered.unwrap(), &mut |_| unreachable!(), &mut writer).await.unwrap();
    writer.finish().unwrap();
    assert_eq!((verdict.ending.sentence.as_str(), verdict.plies), ("player 2 won", 6));
    for thread in threads {
        let last = thread.join().unwrap().unwrap();
        assert_eq!(last, Some(Message::PlayerWon { player: 1 }));
    }
    assert_eq!(verify::<Setup>(&record[..]).unwrap().verdict, Some(verdict));
    let record = String::from_utf8(record).unwrap();
    assert!(record.contains("{\"said\":{\"seat\":1,\"text\":\"TurnTo 1\"}}"), "{record}");
}

/// Says what it is told before it plays.
struct Chatty<P>(P);

impl<P: rookery_originals::stones::Player> rookery_originals::stones::Player for Chatty<P> {
    fn initialize(&mut self, chat: rookery_originals::stones::Chat) {
        CHAT.with_borrow_mut(|kept| *kept = Some(chat.clone()));
        self.0.initialize(chat);
    }

    fn update(&mut self, message: &Message, state: &rookery_originals::stones::State) {
        if let Message::TurnTo { .. } = message {
            CHAT.with_borrow(|chat| chat.as_ref().unwrap().say(&message.to_string()));
        }
        self.0.update(message, state);
    }

    fn next_move(&mut self) -> rookery_originals::stones::Move {
        self.0.next_move()
    }
}

thread_local! {
    static CHAT: std::cell::RefCell<Option<rookery_originals::stones::Chat>> =
        const { std::cell::RefCell::new(None) };
}

#[tokio::test]
async fn fault_j01_who_does_not_connect_is_named() {
    let mut table = Table::new(Setup::parse("rows=3,cols=3").unwrap(), vec![]);
    table.seats = ["random", "tcp:0"].map(|spec| spec.parse().unwrap()).to_vec();
    let error = table.gather(HOME, Duration::from_millis(50), &mut |_, _| {}).await.unwrap_err();
    assert!(matches!(error, TableError::NoShow(seat, _, _) if seat.index() == 1));
    let text = error.to_string();
    assert!(text.starts_with("player 1 did not connect to 127.0.0.1:"), "{text}");
    assert!(text.ends_with(" within 50ms; no game was played"), "{text}");
}

#[tokio::test]
async fn fault_c01_a_program_that_is_not_there_has_crashed() {
    let played = play_with(Way::Pipe, "/no/such/program", |_| {}).await;
    assert_eq!(played.cause(), "crashed");
    assert!(played.verdict.ending.sentence.contains("not found"), "{}", played.verdict.ending.sentence);
}
