//! Real programs that play Stones over pipes and over TCP, most of them badly.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rookery_catalog::{PlayerSpec, Stones, agree, strategy};
use rookery_games::stones::{Move, Position, Setup};
use rookery_live::{Guest, Opened, Opening, Wanted, open, prepare};
use rookery_originals::stones::{LineCodec, Message, Thinker, attend, protocol, register};
use rookery_record::{Archive as _, Key, OneFile, verify};
use rookery_referee::{
    Answering, Conduct, Entry, Event, EventOf, MatchSpec, Observer, Offence, Player, Question, Referee,
    Scripted, Session, Terms, TimeControl, Verdict, play, words,
};
use rookery_rules::{GameSpec, Notation, Seat, Seed};
use rookery_testkit::TempFolder;
use rookery_wire::{Bounds, Connection, Framing, Lent, Protocols, Remote};

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

    /// How it ended, in a sentence.
    fn sentence(&self) -> String {
        words::verdict(&self.verdict, &|seat| format!("player {}", seat.index()))
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

/// What is agreed, and how programs are treated.
struct Agreed {
    spec: MatchSpec,
    warm_up: Duration,
    tell_eliminated: bool,
}

impl Agreed {
    fn new(game: &str, players: &[&str]) -> Self {
        let entries: Vec<Entry> = players.iter().map(|player| player.parse().unwrap()).collect();
        let spec = agree(&GameSpec::parse(game).unwrap(), &entries, Seed(0)).unwrap();
        Self { spec, warm_up: Duration::from_secs(3), tell_eliminated: true }
    }

    fn timed(mut self, time: Duration) -> Self {
        self.spec.time = TimeControl::PerMove(time);
        self
    }

    /// Plays it; whoever is awaited at a port is `connected`. Every record is a right one.
    async fn play(
        self,
        mut connected: impl FnMut(SocketAddr) + Send,
        seat_person: impl Fn() -> Guest,
    ) -> Played {
        let Self { spec, warm_up, tell_eliminated } = self;
        let seats = Wanted::all(&spec, protocol());
        let opening = Opening { wait: PATIENCE, ..Opening::default() };
        let Opened { mut guests, closing, .. } =
            open(&seats, &opening, &mut |_, address| connected(address)).await.unwrap();
        for guest in guests.iter_mut().filter(|guest| matches!(guest, Guest::Person)) {
            *guest = seat_person();
        }
        let mut protocols = Protocols::default();
        register(&mut protocols, warm_up, tell_eliminated);
        let folder = TempFolder::new("stones");
        let path = folder.join("game.rookery.jsonl");
        let slot = OneFile::new(&path, false).open(&Key::first(1)).unwrap();
        let (sender, events) = std::sync::mpsc::channel();
        let ready = prepare(spec, guests, &protocols, Some(slot)).unwrap().with_observer(Tell(sender));
        let played = tokio::time::timeout(PATIENCE, ready.run()).await.unwrap();
        played.receipt.unwrap().await.unwrap();
        closing.done().await;
        let verdict = played.end.verdict().unwrap();
        let record = std::fs::read(path).unwrap();
        assert_eq!(verify::<Setup>(&record[..]).unwrap().verdict.as_ref(), Some(&verdict));
        Played { verdict, events: events.iter().collect(), record }
    }
}

struct Tell(std::sync::mpsc::Sender<EventOf<Position>>);

impl Observer<Position> for Tell {
    fn see(&mut self, event: &EventOf<Position>, _: &Position) {
        self.0.send(event.clone()).unwrap();
    }
}

/// A program as a seat.
fn seat(way: Way, command: &str) -> String {
    match way {
        Way::Pipe => format!("cmd:{command}"),
        Way::Tcp => "tcp:0".to_owned(),
    }
}

/// Programs at sockets, ended with the test.
#[derive(Default)]
struct Children(Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn nobody() -> Guest {
    unreachable!("nobody is human")
}

/// A match of a `random` player with a program.
async fn play_with(way: Way, command: &str, change: impl FnOnce(&mut Agreed)) -> Played {
    let mut agreed = Agreed::new("stones:rows=3,cols=3", &["random", &seat(way, command)]).timed(PATIENCE);
    change(&mut agreed);
    let mut children = Children::default();
    agreed.play(|address| children.0.push(connect(command, address)), nobody).await
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
        let played = play_with(way, command, |_| {}).await;
        assert_eq!(played.cause(), offence.word(), "{way:?}: {}", played.sentence());
        assert_eq!(played.verdict.ending.seat, Some(Seat::new(1)), "{way:?}");
    }
}

#[tokio::test]
async fn fault_t01_late_answers_time_out_on_either_way() {
    for way in [Way::Pipe, Way::Tcp] {
        let played = play_with(way, "sleep 1000", |agreed| {
            agreed.spec.time = TimeControl::PerMove(Duration::from_millis(200));
            agreed.warm_up = Duration::from_millis(100);
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
        assert!(played.events.iter().any(moved), "{way:?}: {}", played.sentence());
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
        let agreed = Agreed::new("stones:rows=3,cols=3", &["human", &seat(way, command)]);
        let mut children = Children::default();
        let pensive = Pensive(moves.iter().rev().map(|mv| mv.parse().unwrap()).collect());
        let connected = |address| children.0.push(connect(command, address));
        let played = agreed.play(connected, || Guest::own(pensive.clone())).await;
        let verdict = &played.verdict;
        assert_eq!(verdict.ending.cause.word(), "out_of_turn", "{way:?}: {}", played.sentence());
        assert_eq!((verdict.ending.seat, verdict.plies), (Some(Seat::new(1)), plies), "{way:?}");
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
    let players = ["random", "random", &seat(Way::Pipe, command)];
    let mut agreed = Agreed::new("stones:rows=3,cols=3,players=3", &players).timed(PATIENCE);
    agreed.spec.conduct = Conduct::removing();
    let played = agreed.play(|_| {}, nobody).await;
    assert_eq!(played.cause(), "normal", "{}", played.sentence());
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
        assert_eq!(played.cause(), "output_limit", "{}", played.sentence());
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
    let deaf = Remote::new(Lent::owned(Box::new(connection)), LineCodec::new());
    let honest = Scripted::new(["0.0-1.0".parse().unwrap()]);
    let mut players: Vec<Box<dyn Player<Position>>> = vec![Box::new(honest), Box::new(deaf)];
    let terms = Terms { startup: Duration::from_millis(300), ..Terms::default() };
    let mut spec = MatchSpec::new("stones", ["cmd:x", "cmd:y"], Seed(1)).unwrap();
    spec.conduct = Conduct::aborting();
    let referee = Referee::of_spec(&spec, Position::from_text("0 00/../11").unwrap());
    let end = play(referee, &mut players, &Session::new(&spec, &terms), &mut ()).await;
    let verdict = end.verdict().unwrap();
    assert_eq!(verdict.ending.cause.word(), "timeout");
    assert_eq!(verdict.ending.seat, Some(Seat::new(1)));
}

#[tokio::test]
async fn fault_t18_a_program_that_closes_its_output_has_gone() {
    // With a socket the input is the same connection, which stays open while it is read.
    let played = play_with(Way::Pipe, "sh -c 'exec >&-; exec sleep 1000'", |_| {}).await;
    assert_eq!(played.cause(), "crashed", "{}", played.sentence());
    let played = play_with(Way::Tcp, "sh -c 'exec <&- >&-; exec sleep 1000'", |_| {}).await;
    assert_eq!(played.cause(), "disconnected", "{}", played.sentence());
}

#[tokio::test]
async fn fault_t19_a_byte_now_and_then_does_not_move_the_deadline() {
    for way in [Way::Pipe, Way::Tcp] {
        let command = on_turn("while :; do printf x; sleep 0.1; done");
        let played = play_with(way, &command, |agreed| {
            agreed.spec.time = TimeControl::PerMove(Duration::from_millis(300));
            agreed.warm_up = Duration::from_millis(500);
        })
        .await;
        assert_eq!(played.cause(), "timeout", "{way:?}: {}", played.sentence());
    }
}

#[tokio::test]
async fn who_has_lost_may_leave_and_the_others_play_on() {
    // Player 1 is hit at once and leaves; 0 and 2 go on by the original's rule, where any error ends the game.
    for (way, told) in [(Way::Pipe, true), (Way::Tcp, true), (Way::Pipe, false)] {
        let command = "sh -c 'while read -r line; do case \"$line\" in *PlayerLost*) exit 0;; esac; done'";
        let players = ["aggressive", &seat(way, command), "aggressive"];
        let mut agreed = Agreed::new("stones:layout=01.2/....,players=3", &players);
        agreed.tell_eliminated = told;
        let mut children = Children::default();
        let played = agreed.play(|address| children.0.push(connect(command, address)), nobody).await;
        assert_eq!(played.cause(), "normal", "{way:?}: {}", played.sentence());
    }
}

#[tokio::test]
async fn our_own_players_play_over_a_socket_and_chat_is_in_the_record() {
    let agreed = Agreed::new("stones:rows=3,cols=3", &["tcp:0", "tcp:0"]).timed(PATIENCE);
    let mut threads = vec![];
    let connected = |address| {
        threads.push(std::thread::spawn(move || {
            let stream = TcpStream::connect(address).unwrap();
            let reader = std::io::BufReader::new(stream.try_clone().unwrap());
            attend(reader, stream, |time| {
                let player: PlayerSpec = "aggressive".parse().unwrap();
                Chatty(Thinker::new(strategy::<Stones>(&player).unwrap().0, time, Seed(1)))
            })
        }));
    };
    let played = agreed.play(connected, nobody).await;
    assert_eq!((played.sentence().as_str(), played.verdict.plies), ("player 1 won", 6));
    for thread in threads {
        let last = thread.join().unwrap().unwrap();
        assert_eq!(last, Some(Message::PlayerWon { player: 1 }));
    }
    let record = String::from_utf8(played.record).unwrap();
    assert!(record.contains("{\"said\":{\"seat\":1,\"text\":\"TurnTo 1\"}}"), "{record}");
    // What somebody said before its move comes before it, and not after what follows.
    let mut said = [None, None];
    for event in &played.events {
        match event {
            Event::Said { seat, text } => said[seat.index()] = Some(text.clone()),
            Event::Moved { seat, .. } => {
                let expected = format!("TurnTo {}", seat.index());
                assert_eq!(said[seat.index()].take(), Some(expected), "{:?}", played.events);
            }
            _ => {}
        }
    }
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
    let spec = Agreed::new("stones:rows=3,cols=3", &["random", "tcp:0"]).spec;
    let seats = Wanted::all(&spec, protocol());
    let opening = Opening { wait: Duration::from_millis(50), ..Opening::default() };
    let Opened { guests, .. } = open(&seats, &opening, &mut |_, _| {}).await.unwrap();
    let mut protocols = Protocols::default();
    rookery_originals::stones::protocols(&mut protocols);
    let played = prepare(spec.clone(), guests, &protocols, None).unwrap().run().await;
    let verdict = played.end.verdict().unwrap();
    assert_eq!(
        spec.sentence(&verdict),
        "crashed by player 1 (tcp:0), who did not come: nobody connected within 50ms"
    );
}

#[tokio::test]
async fn programs_may_share_a_port_and_sit_in_the_order_they_connect() {
    // Any port that is free now.
    let port = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let tcp = format!("tcp:{port}");
    let agreed = Agreed::new("stones:rows=3,cols=3", &[&tcp, &tcp]).timed(PATIENCE);
    let mut threads = vec![];
    let connected = |address| {
        let stream = TcpStream::connect(address).unwrap();
        threads.push(std::thread::spawn(move || {
            let reader = std::io::BufReader::new(stream.try_clone().unwrap());
            let player: PlayerSpec = "aggressive".parse().unwrap();
            attend(reader, stream, |time| Thinker::new(strategy::<Stones>(&player).unwrap().0, time, Seed(1)))
        }));
    };
    let played = agreed.play(connected, nobody).await;
    assert_eq!(played.sentence(), "player 1 won");
    for thread in threads {
        assert_eq!(thread.join().unwrap().unwrap(), Some(Message::PlayerWon { player: 1 }));
    }
}

#[tokio::test]
async fn fault_c01_a_program_that_is_not_there_has_crashed() {
    let played = play_with(Way::Pipe, "/no/such/program", |_| {}).await;
    assert_eq!(played.cause(), "crashed");
    assert!(played.sentence().contains("No such file"), "{}", played.sentence());
}
