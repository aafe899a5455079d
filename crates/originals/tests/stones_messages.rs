//! The messages of Stones, their order and the state after each, in this process and as bytes on the wire.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use rookery_catalog::{PlayerSpec, Stones, strategy};
use rookery_games::stones::{Position, Setup};
use rookery_originals::stones::{
    Audience, Chat, LineCodec, Message, Move, Narrator, Player, Point, State, Thinker, Update, reasons, sign,
};
use rookery_referee::{
    Conduct, Event, EventOf, MatchSpec, Offence, Player as AtTable, Referee, Scripted, Session, Terms,
    TimeControl, Verdict, play, words,
};
use rookery_rules::{Notation, Position as _, Seat, Seed, Setup as _};
use rookery_testkit::golden;
use rookery_wire::{Bounds, Connection, Framing, Lent, Remote};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

type Log = Arc<Mutex<Vec<(u8, String)>>>;

fn thinker(name: &str) -> impl Player + use<> {
    let player: PlayerSpec = name.parse().unwrap();
    Thinker::new(strategy::<Stones>(&player).unwrap().0, None, Seed(1))
}

/// Writes down everything it is told, with the board after it, and plays as another does.
struct Witness<P> {
    player: P,
    id: u8,
    log: Log,
}

impl<P: Player> Player for Witness<P> {
    fn initialize(&mut self, chat: Chat) {
        self.id = chat.player();
        self.log.lock().unwrap().push((self.id, "initialize".to_owned()));
        self.player.initialize(chat);
    }

    fn update(&mut self, message: &Message, state: &State) {
        self.log.lock().unwrap().push((self.id, format!("{message} {}", rows(state))));
        self.player.update(message, state);
    }

    fn next_move(&mut self) -> Move {
        self.log.lock().unwrap().push((self.id, "next_move".to_owned()));
        self.player.next_move()
    }
}

fn rows(state: &State) -> String {
    let rows: Vec<String> =
        state.board.iter().map(|row| row.iter().map(|&tile| sign(tile)).collect()).collect();
    rows.join("/")
}

fn start(text: &str) -> Position {
    Position::from_text(text).unwrap()
}

async fn run(
    start: Position,
    conduct: Conduct,
    mut players: Vec<Box<dyn AtTable<Position>>>,
) -> (Verdict, Vec<Update>) {
    let (verdict, events) = timed(start, conduct, "untimed", &mut players).await;
    let mut narrator = Narrator::new();
    (verdict, events.iter().flat_map(|event| narrator.tell(event)).collect())
}

async fn timed(
    start: Position,
    conduct: Conduct,
    time: &str,
    players: &mut [Box<dyn AtTable<Position>>],
) -> (Verdict, Vec<EventOf<Position>>) {
    let mut spec = MatchSpec::new("stones", vec!["cmd:x"; start.n_seats()], Seed(1)).unwrap();
    (spec.conduct, spec.time) = (conduct, time.parse::<TimeControl>().unwrap());
    let mut events = vec![];
    let terms = Terms::default();
    let referee = Referee::of_spec(&spec, start);
    let end = play(referee, players, &Session::new(&spec, &terms), &mut events).await;
    (end.verdict().unwrap(), events)
}

/// Players of one match in this process.
fn seats<P: Player + 'static>(players: impl IntoIterator<Item = P>) -> Vec<Box<dyn AtTable<Position>>> {
    let audience = Audience::default();
    players.into_iter().map(|player| audience.inline(player)).collect()
}

/// How it ended, in a sentence.
fn sentence(verdict: &Verdict) -> String {
    words::verdict(verdict, &|seat| format!("player {}", seat.index()))
}

fn texts(updates: &[Update]) -> Vec<String> {
    updates.iter().map(|update| update.message.to_string()).collect()
}

/// The messages and boards of the reference game of two aggressive players on 3 x 3.
const REFERENCE: &[&str] = &[
    "GameStart 000/---/111 000/---/111",
    "TurnTo 0 000/---/111",
    "Move 0 (0,0) (1,0) -00/0--/111",
    "TurnTo 1 -00/0--/111",
    "Hit 0 (1,0) -00/---/111",
    "Move 1 (2,0) (1,0) -00/1--/-11",
    "TurnTo 0 -00/1--/-11",
    "Hit 1 (1,0) -00/---/-11",
    "Move 0 (0,1) (1,0) --0/0--/-11",
    "TurnTo 1 --0/0--/-11",
    "Hit 0 (1,0) --0/---/-11",
    "Move 1 (2,1) (1,0) --0/1--/--1",
    "TurnTo 0 --0/1--/--1",
    "Move 0 (0,2) (1,2) ---/1-0/--1",
    "TurnTo 1 ---/1-0/--1",
    "Hit 0 (1,2) ---/1--/--1",
    "PlayerLost 0 ---/1--/--1",
    "Move 1 (2,2) (1,2) ---/1-1/---",
    "PlayerWon 1 ---/1-1/---",
];

#[tokio::test]
async fn the_reference_game_in_the_order_of_the_text() {
    let log = Log::default();
    let witness = |_| Witness { player: thinker("aggressive"), id: 9, log: Arc::clone(&log) };
    let (verdict, _) = run(start("0 000/.../111"), Conduct::aborting(), seats((0..2).map(witness))).await;
    assert_eq!(verdict.plies, 6);
    // Each message goes to everybody in the order of the numbers, and then the next; then whoever has the turn is asked.
    let mut expected = vec![(0, "initialize".to_owned()), (1, "initialize".to_owned())];
    for line in REFERENCE {
        expected.extend([0, 1].map(|id| (id, (*line).to_owned())));
        if let Some(asked) = line.strip_prefix("TurnTo ") {
            expected.push((asked[..1].parse().unwrap(), "next_move".to_owned()));
        }
    }
    assert_eq!(*log.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_thread_of_its_own_changes_nothing() {
    let log = Log::default();
    let audience = Audience::default();
    let seat = |_| audience.threaded(Witness { player: thinker("aggressive"), id: 9, log: Arc::clone(&log) });
    let (verdict, updates) =
        run(start("0 000/.../111"), Conduct::aborting(), (0..2).map(seat).collect()).await;
    assert_eq!(verdict.plies, 6);
    let shown: Vec<String> =
        updates.iter().map(|update| format!("{} {}", update.message, rows(&update.state))).collect();
    assert_eq!(shown, REFERENCE);
}

/// What both players receive as bytes, and what they answer; rewritten by `cargo xtask bless`.
#[tokio::test]
async fn the_reference_game_on_the_wire() {
    let mut players: Vec<Box<dyn AtTable<Position>>> = vec![];
    let mut ends = vec![];
    for _ in 0..2 {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(ours);
        let connection = Connection::new(reader, writer, "a pipe", Framing::Lines, Bounds::default());
        players.push(Box::new(Remote::new(Lent::owned(Box::new(connection)), LineCodec::new())));
        ends.push(tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            let mut player = thinker("aggressive");
            let first = lines.next_line().await.unwrap().unwrap();
            let id = u8::from(!first.contains("\"player\":0,"));
            player.initialize(Chat::new(id, |_| {}));
            let mut transcript = vec![format!("< {first}\n")];
            while let Some(line) = lines.next_line().await.unwrap() {
                transcript.push(format!("< {line}\n"));
                let update: Update = serde_json::from_str(&line).unwrap();
                player.update(&update.message, &update.state);
                if update.message == (Message::TurnTo { player: id }) {
                    let Move { from, to, .. } = player.next_move();
                    let answer = format!(
                        r#"{{"move":{{"from":[{},{}],"to":[{},{}]}}}}"#,
                        from.row, from.col, to.row, to.col
                    );
                    transcript.push(format!("> {answer}\n"));
                    writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
                }
            }
            transcript.concat()
        }));
    }
    let (verdict, _) = timed(start("0 000/.../111"), Conduct::aborting(), "2s", &mut players).await;
    drop(players);
    assert_eq!(sentence(&verdict), "player 1 won", "as the messages count");
    let mut whole = vec![];
    for (id, end) in ends.into_iter().enumerate() {
        whole.push(format!("player {id}\n{}", end.await.unwrap()));
    }
    golden::check(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/stones-wire.txt"),
        &whole.concat(),
    );
}

#[tokio::test]
async fn the_next_player_was_just_eliminated_and_the_game_goes_on() {
    let script = |moves: &[&str]| -> Box<dyn AtTable<Position>> {
        Box::new(Scripted::new(moves.iter().map(|mv| mv.parse().unwrap())))
    };
    let players = vec![script(&["0.0-0.1", "0.1-0.2"]), script(&[]), script(&["0.3-0.2"])];
    // The board of the original's stall, with a second row because one row is no board here.
    let (verdict, updates) = run(start("0 01.2/...."), Conduct::aborting(), players).await;
    assert_eq!(
        texts(&updates),
        [
            "GameStart 01-2/----",
            "TurnTo 0",
            "Hit 1 (0,1)",
            "PlayerLost 1",
            "Move 0 (0,0) (0,1)",
            "TurnTo 2",
            "Move 2 (0,3) (0,2)",
            "TurnTo 0",
            "Hit 2 (0,2)",
            "PlayerLost 2",
            "Move 0 (0,1) (0,2)",
            "PlayerWon 0",
        ]
    );
    assert_eq!(updates[3].state.playing, [true, false, true]);
    assert_eq!(verdict.outcome.unwrap().scores.as_slice(), [3, 0, 1]);
}

/// Plays the first legal move, but what it was told to once.
struct Wrong {
    mv: Option<Move>,
    state: Option<State>,
    panics_in: Option<&'static str>,
}

impl Wrong {
    fn new(mv: Option<Move>) -> Self {
        Self { mv, state: None, panics_in: None }
    }
}

impl Player for Wrong {
    fn update(&mut self, message: &Message, state: &State) {
        let text = message.to_string();
        if let Some(place) = self.panics_in {
            assert!(!text.starts_with(place), "no plan for {text}");
        }
        self.state = Some(state.clone());
    }

    fn next_move(&mut self) -> Move {
        assert!(self.panics_in != Some("next_move"), "no idea");
        let state = self.state.as_ref().unwrap();
        let legal = rookery_rules::Position::legal_moves(&state.position().unwrap()).next().unwrap();
        let player = state.player.unwrap();
        self.mv.take().unwrap_or(Move { player, from: legal.from.into(), to: legal.to.into() })
    }
}

fn mv(player: u8, from: (i32, i32), to: (i32, i32)) -> Move {
    Move { player, from: Point::new(from.0, from.1), to: Point::new(to.0, to.1) }
}

type Bad = (u8, (i32, i32), (i32, i32), &'static str);

const BAD_MOVES: &[Bad] = &[
    (0, (-1, 0), (9, 9), "'From' out of bounds, 'To' out of bounds"),
    (0, (0, 0), (0, 300), "'To' out of bounds"),
    (1, (300, 0), (0, -5), "'From' out of bounds, 'To' out of bounds, Wrong player ID provided"),
    (0, (2, 0), (1, 0), "'From' not occupied by this player"),
    (0, (0, 0), (0, 1), "'To' occupied by this player"),
    (0, (0, 0), (2, 0), "'To' not adjacent to 'From'"),
    (1, (0, 0), (1, 0), "Wrong player ID provided"),
    (
        1,
        (2, 2),
        (0, 0),
        "'From' not occupied by this player, 'To' occupied by this player, Wrong player ID provided, 'To' not adjacent to 'From'",
    ),
];

#[tokio::test]
async fn fault_t14_an_invalid_move_ends_the_game_with_the_reasons_in_the_original_order() {
    for &(player, from, to, expected) in BAD_MOVES {
        let bad = mv(player, from, to);
        let position = start("0 000/.../111");
        assert_eq!(reasons(bad, &position).join(", "), expected);
        let players = seats([Wrong::new(Some(bad)), Wrong::new(None)]);
        let (verdict, updates) = run(position, Conduct::aborting(), players).await;
        assert_eq!(verdict.ending.cause.word(), "illegal_move", "{expected}");
        assert_eq!(verdict.outcome, None);
        let Some(Update { message: Message::GameOver { winners, reason }, .. }) = updates.last() else {
            panic!("{updates:?}")
        };
        assert!(winners.is_empty());
        assert!(
            reason.starts_with("Player 0 made an error: sent ") && reason.ends_with(expected),
            "{reason}"
        );
        assert_eq!(texts(&updates)[..2], ["GameStart 000/---/111", "TurnTo 0"], "nothing else happened");
    }
}

#[tokio::test]
async fn a_forfeit_takes_all_stones_and_the_others_play_on() {
    let bad = mv(1, (0, 0), (5, 5));
    let audience = Audience::default();
    let players = vec![
        audience.inline(Wrong::new(None)),
        audience.inline(Wrong::new(Some(bad))),
        audience.inline(thinker("aggressive")),
    ];
    let (verdict, updates) = run(start("0 0../1.1/..2 turn=0/60"), Conduct::removing(), players).await;
    assert_eq!(
        texts(&updates)[3..8],
        ["TurnTo 1", "Hit 1 (1,0)", "Hit 1 (1,2)", "PlayerLost 1", "TurnTo 2"],
        "{:?}",
        texts(&updates)
    );
    let Message::Hit { by, .. } = updates[4].message else { panic!("a hit") };
    assert_eq!(by, None, "nobody hit it");
    assert_eq!(updates[4].state.board[1], [-1, -1, 1], "stone by stone");
    assert_eq!(verdict.removed.len(), 1);
    assert!(verdict.outcome.is_some());
}

#[tokio::test]
async fn the_last_one_left_by_a_forfeit_has_won() {
    let players = seats([Wrong::new(Some(mv(0, (9, 9), (9, 9)))), Wrong::new(None)]);
    let (_, updates) = run(start("0 00/11"), Conduct::removing(), players).await;
    assert_eq!(texts(&updates)[2..], ["Hit 0 (0,0)", "Hit 0 (0,1)", "PlayerLost 0", "PlayerWon 1"]);
}

#[tokio::test]
async fn draws_say_which_cap_was_reached() {
    for (options, expected) in [
        ("rows=4,cols=2,quiet=3", "a draw: 3 turns without a hit"),
        ("rows=4,cols=2,max-turns=2", "a draw: 2 turns in all"),
    ] {
        let players = seats([Wrong::new(None), Wrong::new(None)]);
        let (_, updates) = run(Setup::parse(options).unwrap().start(), Conduct::aborting(), players).await;
        let last = &updates.last().unwrap().message;
        assert_eq!(*last, Message::GameOver { winners: vec![0, 1], reason: expected.to_owned() });
    }
}

#[tokio::test]
async fn fault_t03_a_player_that_panics_crashes_the_game_and_nothing_else() {
    let seat = |audience: &Audience, in_thread, player| {
        if in_thread { audience.threaded(player) } else { audience.inline(player) }
    };
    for (place, in_thread) in
        [("next_move", false), ("GameStart", false), ("next_move", true), ("TurnTo", true)]
    {
        let mut wrong = Wrong::new(None);
        wrong.panics_in = Some(place);
        let audience = Audience::default();
        let players = vec![seat(&audience, in_thread, wrong), audience.inline(Wrong::new(None))];
        let (verdict, updates) = run(start("0 00/11"), Conduct::aborting(), players).await;
        assert_eq!(verdict.ending.cause.word(), "crashed", "{place}");
        assert_eq!(verdict.ending.seat, Some(Seat::new(0)), "{place}");
        let last = updates.last().unwrap().message.to_string();
        assert!(last.starts_with("GameOver: Player 0 made an error: the player panicked: no "), "{last}");
    }
}

#[tokio::test]
async fn who_is_out_may_panic() {
    let mut wrong = Wrong::new(None);
    wrong.panics_in = Some("PlayerLost 1");
    let audience = Audience::default();
    let players = vec![
        audience.inline(thinker("aggressive")),
        audience.inline(wrong),
        audience.inline(thinker("aggressive")),
    ];
    let (verdict, _) = run(start("0 01.2/...."), Conduct::aborting(), players).await;
    assert_eq!(verdict.ending.cause.word(), "normal", "{}", sentence(&verdict));
}

/// Never answers.
struct Stuck;

impl Player for Stuck {
    fn next_move(&mut self) -> Move {
        loop {
            std::thread::park();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t01_a_player_in_a_thread_can_be_late() {
    let audience = Audience::default();
    let mut players = vec![audience.threaded(Stuck), audience.inline(Wrong::new(None))];
    let (verdict, _) = timed(start("0 00/11"), Conduct::aborting(), "1s", &mut players).await;
    assert_eq!(verdict.ending.cause.word(), Offence::Timeout.word());
}

/// Says what it hears.
struct Talker(Option<Chat>);

impl Player for Talker {
    fn initialize(&mut self, chat: Chat) {
        chat.say("hello\u{7}");
        self.0 = Some(chat);
    }

    fn update(&mut self, message: &Message, _: &State) {
        if let (Some(chat), Message::Hit { .. }) = (&self.0, message) {
            chat.say("ouch");
        }
    }

    fn next_move(&mut self) -> Move {
        mv(1, (1, 0), (0, 0))
    }
}

#[tokio::test]
async fn chat_is_kept_in_order_and_changes_nothing() {
    let audience = Audience::default();
    let mut players =
        vec![audience.inline(Wrong::new(Some(mv(0, (0, 0), (1, 1))))), audience.inline(Talker(None))];
    let (_, events) = timed(start("0 00/11"), Conduct::aborting(), "untimed", &mut players).await;
    let said: Vec<(usize, &str)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Said { seat, text } => Some((seat.index(), text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(said[..2], [(1, "hello "), (1, "ouch")]);
}

/// Announces its move, and plays the first.
struct Announcer {
    player: Wrong,
    chat: Option<Chat>,
}

impl Player for Announcer {
    fn initialize(&mut self, chat: Chat) {
        self.chat = Some(chat);
    }

    fn update(&mut self, message: &Message, state: &State) {
        self.player.update(message, state);
    }

    fn next_move(&mut self) -> Move {
        let mv = self.player.next_move();
        self.chat.as_ref().unwrap().say(&format!("{} to {}", mv.from, mv.to));
        mv
    }
}

#[tokio::test]
async fn fault_17_what_is_said_before_a_move_appears_before_it() {
    for in_thread in [false, true] {
        let audience = Audience::default();
        let seat = |_| {
            let player = Announcer { player: Wrong::new(None), chat: None };
            if in_thread { audience.threaded(player) } else { audience.inline(player) }
        };
        let mut players: Vec<_> = (0..2).map(seat).collect();
        let (verdict, events) =
            timed(start("0 00/../11 turn=0/6"), Conduct::aborting(), "untimed", &mut players).await;
        let mut said = None;
        let mut n_moves = 0;
        for event in &events {
            match event {
                Event::Said { seat, text } => said = Some((*seat, text.clone())),
                Event::Moved { seat, mv, .. } => {
                    let (from, to) = (Point::from(mv.from), Point::from(mv.to));
                    assert_eq!(said.take(), Some((*seat, format!("{from} to {to}"))), "{events:?}");
                    n_moves += 1;
                }
                _ => {}
            }
        }
        assert_eq!(n_moves, verdict.plies);
        assert!(n_moves > 1);
    }
}
