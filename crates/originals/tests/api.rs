//! Players that drive, in matches with others.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::sync::Arc;
use std::time::Duration;

use rookery_games::fish::{Cell, Color, Phase, Position, Setup};
use rookery_originals::fish::CONDUCT;
use rookery_originals::fish::api::{ApiPlayer, Refused, SharedInfo, Table, attend};
use rookery_referee::{
    Answering, EventOf, MatchSpec, Offence, Player, Question, Referee, Session, Strategist, Terms,
    TimeControl, Verdict, play,
};
use rookery_rules::{Notation, Position as _, Seat, Seed, Setup as _};
use rookery_search::Random;
use rookery_wire::{Bounds, Connection, Framing, Lent, Transport, TransportExt as _};
use serde_json::{Value, json};
use tokio::io::{duplex, split};
use tokio::sync::Semaphore;

/// The far end of a connection: asks and gets answers.
struct Driver(Connection);

impl Driver {
    async fn call(&mut self, call: Value) -> Value {
        self.0.send(call.to_string().as_bytes()).await.unwrap();
        self.answer().await.expect("there is an answer")
    }

    async fn answer(&mut self) -> Option<Value> {
        let answer = self.0.receive().await.ok()?;
        Some(serde_json::from_slice(&answer).unwrap())
    }

    async fn ask(&mut self, name: &str) -> Value {
        self.call(json!([name, []])).await
    }

    /// Waits until it is this colour's turn; `false` if the game ends first.
    async fn wait_for(&mut self, color: &str) -> bool {
        loop {
            match self.ask("current-player").await {
                now if now == json!(color) => return true,
                now if now == json!("game is over") => return false,
                _ => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    }

    /// Plays the first of the next states until the game is over.
    async fn play_on(&mut self, color: &str) {
        while self.wait_for(color).await {
            let next = self.ask("next-states").await;
            let action = &next[0]["action"];
            let call =
                if action[0].is_array() { json!(["move", action]) } else { json!(["place", [action]]) };
            assert_eq!(self.call(call).await, json!(true));
        }
    }
}

fn pair(size: usize) -> (Box<dyn Transport>, Driver) {
    let bounds = Bounds { bytes: 1 << 20, ..Bounds::default() };
    let end = |stream| {
        let (reader, writer) = split(stream);
        Connection::new(reader, writer, "test", Framing::Json, bounds)
    };
    let (here, there) = duplex(size);
    (Box::new(end(here)), Driver(end(there)))
}

fn start(options: &str) -> Position {
    Setup::parse(options).unwrap().start()
}

/// A match of a driving player at the first seat against others. The link comes back.
async fn against(
    position: Position,
    link: Box<dyn Transport>,
    others: Vec<Box<dyn Player<Position>>>,
    time: TimeControl,
) -> (Verdict, Vec<EventOf<Position>>, Box<dyn Transport>) {
    let (lent, home) = Lent::new(link);
    let mut players: Vec<Box<dyn Player<Position>>> = vec![Box::new(ApiPlayer::new(lent))];
    players.extend(others);
    let names = vec!["random"; players.len()];
    let spec = MatchSpec { time, conduct: CONDUCT, ..MatchSpec::new("fish", names, Seed(1)).unwrap() };
    let (terms, mut events) = (Terms::default(), vec![]);
    let session = Session::new(&spec, &terms);
    let end = play(Referee::of_spec(&spec, position), &mut players, &session, &mut events).await;
    drop(players);
    (end.verdict().unwrap(), events, home.await.unwrap())
}

/// Answers like `First`, but only when it gets a permit.
struct OnPermit(Arc<Semaphore>);

impl Player<Position> for OnPermit {
    fn choose<'a>(
        &'a mut self,
        question: Question<'a, Position>,
    ) -> Answering<'a, rookery_games::fish::Move> {
        Answering::Later(Box::pin(async move {
            self.0.acquire().await.unwrap().forget();
            Ok(question.position.legal_moves().next().unwrap())
        }))
    }
}

fn ai() -> Vec<Box<dyn Player<Position>>> {
    vec![Box::new(Strategist::inline(Random))]
}

const UNTIMED: TimeControl = TimeControl::Untimed;

#[tokio::test]
async fn a_driving_player_plays_whole_games_with_others_and_hears_of_the_tournament_between() {
    for n_others in 1..=3 {
        let (link, mut driver) = pair(1 << 16);
        let info = SharedInfo::default();
        info.lock().unwrap().round = 1;
        let position = start(&format!("fish=2,players={}", n_others + 1));
        let others = (0..n_others).flat_map(|_| ai()).collect();
        let game = against(position, link, others, UNTIMED);
        let mut seen = Box::pin(async {
            // Before the game begins there is none.
            driver.play_on("red").await;
            driver
        });
        let (verdict, events, mut link) = tokio::select! {
            ended = game => ended,
            _ = &mut seen => panic!("the game ended for the player before it ended for the referee"),
        };
        assert_eq!(verdict.ending.cause.word(), "normal", "{verdict:?}");
        assert!(events.len() > 10);
        let won = verdict.outcome.unwrap().winners.contains(Seat::new(0));
        info.lock().unwrap().won = Some(won);
        let mut driver = tokio::select! {
            driver = seen => driver,
            fault = attend(&mut *link, &info) => panic!("{fault:?}"),
        };
        let between = async {
            for call in ["state", "phase", "current-player", "next-states", "pass"] {
                assert_eq!(driver.ask(call).await, json!("game is over"), "{call}");
            }
            assert_eq!(driver.call(json!(["place", [[0, 0]]])).await, json!("game is over"));
            driver.ask("tournament-info").await
        };
        let told = tokio::select! {
            told = between => told,
            fault = attend(&mut *link, &info) => panic!("{fault:?}"),
        };
        assert_eq!((&told["round"], &told["won"]), (&json!(1), &json!(won)));
    }
}

#[tokio::test]
async fn every_question_is_answered_in_every_phase_also_while_others_think() {
    let (link, mut driver) = pair(1 << 16);
    let info = SharedInfo::default();
    let permits = Arc::new(Semaphore::new(0));
    let others: Vec<Box<dyn Player<Position>>> = vec![Box::new(OnPermit(Arc::clone(&permits)))];
    let game = against(start("board=11111/11111/11111/11111"), link, others, UNTIMED);
    let script = async {
        assert!(driver.wait_for("red").await);
        assert_eq!(driver.ask("phase").await, json!("placing"));
        assert_eq!(driver.ask("tournament-info").await, json!("cannot query now"));
        assert_eq!(driver.ask("state").await["players"][0]["color"], json!("red"));
        assert_eq!(driver.ask("next-states").await.as_array().unwrap().len(), 20);
        assert_eq!(driver.call(json!(["pass-legal", ["red"]])).await, json!(false));
        assert_eq!(driver.call(json!(["move-legal", ["red", [0, 0], [1, 0]]])).await, json!(false));
        // What cannot be answered is explained, and costs nothing.
        let unknown = driver.ask("dance").await;
        assert!(
            unknown["error"].as_str().unwrap().starts_with("there is no call `dance`; the calls are place,")
        );
        let wrong = driver.call(json!(["move-legal", ["green", [0, 0], [1, 0]]])).await;
        assert!(wrong["error"].as_str().unwrap().contains("takes [COLOR,[ROW,COLUMN],[ROW,COLUMN]]"));
        assert!(driver.call(json!(["next-states", [2]])).await["error"].is_string());
        assert!(driver.call(json!(["state", [1]])).await["error"].is_string());
        assert_eq!(driver.call(json!(["place", [[3, 4]]])).await, json!(true));

        // The other one thinks until it gets its permit.
        for _ in 0..50 {
            assert_eq!(driver.ask("current-player").await, json!("white"));
        }
        let state = driver.ask("state").await;
        assert_eq!(state["players"][1], json!({"color": "red", "score": 0, "places": [[3, 4]]}));
        permits.add_permits(1000);
        for col in 0..3 {
            assert!(driver.wait_for("red").await);
            assert_eq!(driver.call(json!(["place", [[3, col]]])).await, json!(true));
        }
        assert!(driver.wait_for("red").await);
        assert_eq!(driver.ask("phase").await, json!("playing"));
        let next = driver.ask("next-states").await;
        let [from, to] = [&next[0]["action"][0], &next[0]["action"][1]];
        let after = driver.call(json!(["move-legal", ["red", from, to]])).await;
        assert_eq!(after, next[0]["state"]);
        assert_eq!(driver.call(json!(["move-legal", ["white", from, to]])).await, json!(false));
        assert_eq!(driver.call(json!(["pass-legal", ["white"]])).await, json!(false));
        driver.play_on("red").await;
    };
    // The last question comes after the end, so somebody answers it.
    let mut script = Box::pin(script);
    let (verdict, _, mut link) =
        tokio::select! { ended = game => ended, () = &mut script => panic!("the game goes on") };
    tokio::select! { () = script => {}, fault = attend(&mut *link, &info) => panic!("{fault:?}") }
    assert_eq!(verdict.ending.cause.word(), "normal");
}

/// What a first player gets who says this at once, and how the match ends for it.
async fn ejected(text: &str, call: &str, control: TimeControl) -> (Option<Value>, Offence) {
    let (link, mut driver) = pair(1 << 16);
    let position = Position::from_text(text).unwrap();
    driver.0.send(call.as_bytes()).await.unwrap();
    let (verdict, _, link) = against(position, link, ai(), control).await;
    drop(link);
    let ending = &verdict.removed[0];
    assert_eq!(ending.seat, Some(Seat::new(0)), "{call}");
    assert!(!verdict.outcome.unwrap().winners.contains(Seat::new(0)), "{call}: the other one has played on");
    let rookery_referee::Cause::Offence(offence) = ending.cause else { panic!("{call}: {ending:?}") };
    (driver.answer().await, offence)
}

#[tokio::test]
async fn fault_t14_an_action_that_is_not_legal_is_answered_with_false_and_the_others_play_on() {
    let placing = "p1 11/11/11/11/11 0,0 place=1";
    let moving = "p1 1a1/11/11/11/1b1 0,0";
    for (position, call, offence) in [
        (placing, r#"["place",[[9,9]]]"#, Offence::IllegalMove),
        (placing, r#"["move",[[0,0],[1,0]]]"#, Offence::IllegalMove),
        (placing, r#"["pass",[]]"#, Offence::IllegalMove),
        (moving, r#"["place",[[0,1]]]"#, Offence::IllegalMove),
        (moving, r#"["move",[[4,0],[3,0]]]"#, Offence::IllegalMove),
        (moving, r#"["pass",[]]"#, Offence::IllegalMove),
        (moving, r#"["move",[[0,0]]]"#, Offence::Malformed),
        (moving, r#"["move",[[0,0],[1,-1]]]"#, Offence::Malformed),
        (moving, r#"["pass",[1]]"#, Offence::Malformed),
    ] {
        assert_eq!(ejected(position, call, UNTIMED).await, (Some(json!(false)), offence), "{call}");
    }
}

#[tokio::test]
async fn fault_t06_an_action_out_of_turn_is_answered_with_false() {
    let moving = "p2 1a1/11/11/11/1b1 0,0";
    let call = r#"["move",[[0,0],[2,0]]]"#;
    assert_eq!(ejected(moving, call, UNTIMED).await, (Some(json!(false)), Offence::OutOfTurn));
}

#[tokio::test]
async fn fault_t07_what_is_no_call_ejects() {
    let moving = "p1 1a1/11/11/11/1b1 0,0";
    for call in ["[1,2]", "{}", "\"state\"", "[\"state\"]", "]"] {
        assert_eq!(ejected(moving, call, UNTIMED).await, (None, Offence::Malformed), "{call}");
    }
}

#[tokio::test(start_paused = true)]
async fn fault_t01_who_only_asks_and_never_acts_is_timed_out() {
    let control = TimeControl::PerMove(Duration::from_secs(1));
    let (answer, offence) = ejected("p1 1a1/11/11/11/1b1 0,0", r#"["phase",[]]"#, control).await;
    assert_eq!((answer, offence), (Some(json!("playing")), Offence::Timeout));
}

#[tokio::test(start_paused = true)]
async fn fault_t17_who_asks_without_listening_is_timed_out_and_costs_no_memory() {
    let (link, mut driver) = pair(1000);
    let flood = async { while driver.0.send(br#"["next-states",[]]"#).await.is_ok() {} };
    let control = TimeControl::PerMove(Duration::from_secs(1));
    let game = against(start("fish=2"), link, ai(), control);
    let (verdict, ..) = tokio::select! { ended = game => ended, () = flood => panic!("the pipe broke") };
    assert_eq!(verdict.removed[0].cause.word(), "timeout");
    assert_eq!(verdict.removed[0].seat, Some(Seat::new(0)));
}

#[tokio::test]
async fn every_answer_ends_with_a_newline_so_that_lines_can_be_read() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    let (here, there) = duplex(1 << 16);
    let (reader, writer) = split(here);
    let mut link = Connection::new(reader, writer, "test", Framing::Json, Bounds::default());
    let info = SharedInfo::default();
    let mut player = BufReader::new(there);
    let asking = async {
        for (call, answer) in [
            ("[\"phase\",[]]", "\"game is over\"\n"),
            ("[\"dance\",[]]", "{\"error\":"),
            ("[\"place\",[[0,0]]]", "\"game is over\"\n"),
            ("[\"tournament-info\",[]]", "{\"round\":0,"),
        ] {
            player.write_all(call.as_bytes()).await.unwrap();
            let mut text = String::new();
            player.read_line(&mut text).await.unwrap();
            assert!(text.starts_with(answer) && text.ends_with('\n'), "{call}: {text:?}");
        }
    };
    let asking = tokio::time::timeout(Duration::from_secs(20), asking);
    tokio::select! {
        asked = asking => asked.expect("whoever reads lines gets them"),
        fault = attend(&mut link, &info) => panic!("{fault:?}"),
    }
}

#[tokio::test]
async fn a_stuck_player_may_pass_and_nothing_changes() {
    // The first player is shut in by a hole and a penguin; the second one has a way to go.
    let position = Position::from_text("p2 1a0/1b1/01/11/11 0,0").unwrap();
    assert!(!position.can_move(Seat::new(0)));
    let (link, mut driver) = pair(1 << 16);
    let permits = Arc::new(Semaphore::new(0));
    let others: Vec<Box<dyn Player<Position>>> = vec![Box::new(OnPermit(Arc::clone(&permits)))];
    let game = against(position, link, others, UNTIMED);
    let script = async {
        let state = driver.ask("state").await;
        assert_eq!(driver.call(json!(["pass-legal", ["red"]])).await, state);
        assert_eq!(driver.ask("pass").await, json!(true));
        assert_eq!(driver.ask("state").await, state);
        permits.add_permits(1000);
    };
    let ((verdict, ..), ()) = tokio::join!(game, script);
    assert!(verdict.removed.is_empty(), "{verdict:?}");
}

#[test]
fn a_table_in_this_process_is_driven_by_its_players() {
    let table = Table::new(start("board=11/11/11/11/11,players=2"));
    let handles = [0, 1].map(|idx| table.seat(Seat::new(idx)));
    while let Ok(color) = handles[0].current_player() {
        let me = &handles[usize::from(color == Color::White)];
        assert_eq!(me.tournament_info(), Err(Refused::CannotQueryNow));
        let states = me.next_states(|mv, position| (mv, position.clone())).unwrap();
        let &(mv, ref after) = states.first().unwrap();
        let done = match mv {
            rookery_games::fish::Move::Place(cell) => me.place(cell),
            rookery_games::fish::Move::Slide { from, to } => {
                assert_eq!(me.move_legal(color, from, to), Ok(Some(after.clone())));
                me.slide(from, to)
            }
        };
        assert_eq!((done, &table.position()), (Ok(true), after));
    }
    assert_eq!(handles[0].phase(), Err(Refused::GameOver));
    assert_eq!(handles[0].place(Cell::new(0, 0)), Err(Refused::GameOver));
    assert_eq!(handles[0].tournament_info().map(|info| info.round), Ok(0));
    assert_eq!(Refused::GameOver.to_string(), "game is over");
}

#[test]
fn at_a_table_questions_are_free_and_what_is_not_legal_ejects() {
    let table = Table::new(start("fish=2,players=3"));
    let [red, white, brown] = [0, 1, 2].map(|idx| table.seat(Seat::new(idx)));
    assert_eq!(white.move_legal(Color::White, Cell::new(9, 9), Cell::new(0, 0)), Ok(None));
    assert_eq!(white.pass_legal(Color::Black), Ok(None), "nobody plays black");
    assert_eq!(white.place(Cell::new(0, 0)), Ok(false), "out of turn");
    assert_eq!(white.place(Cell::new(0, 0)), Ok(false), "and it stays so");
    assert_eq!(red.pass(), Ok(false));
    assert_eq!((brown.current_player(), brown.phase()), (Ok(Color::Brown), Ok(Phase::Placing)));
    assert_eq!(brown.tree().unwrap().next().count(), 25);
}
