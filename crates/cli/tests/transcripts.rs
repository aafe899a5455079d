//! docs/transcripts: whole sessions of the bot protocol, as they travel, with a word of explanation at each new message.
//!
//! Real matches of the real program, followed by `--trace`. `cargo xtask bless` writes the files.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jsonschema::Validator;
use rookery_testkit::{TempFolder, golden, protocol_schema};
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// A session that is written down.
struct Session {
    /// The name of the file, without its end.
    name: String,
    /// What the file begins with.
    title: String,
    /// What Rookery is told to do, but for the trace; each transport has its own seat of a bot.
    command: String,
    /// How the bot says hello, and how it answers its turns: a shell's cases by the number of the question.
    hello: &'static str,
    turns: &'static str,
}

const HELLO: &str = r#"{"type":"hello","version":1,"name":"first-bot"}"#;
/// The first legal move of every turn.
const FIRST: &str = r#"*) echo '{"type":"move","id":'$id',"index":0}' ;;"#;

/// The seat of a bot that is started.
const STARTED: &str = "bot=\"cmd:sh bot.sh\"";

/// A game that is played over every transport: its name, what is special about it, and the rest of the command, with `BOT` at
/// the seat of the bot.
struct Played(&'static str, &'static str, &'static str, &'static str);

const PLAYED: [Played; 5] = [
    Played(
        "fish",
        "Fish",
        "The bot always takes the first legal move.",
        "fish:rows=3,cols=3 BOT first --seed 1",
    ),
    Played(
        "hexapawn",
        "Hexapawn",
        "The bot always takes the first legal move.",
        "hexapawn:rows=3,cols=3 BOT first --seed 1",
    ),
    Played(
        "renpaarden",
        "Renpaarden",
        "A turn of the game can be several moves: a horse that
has landed on another one goes on, and each of its hops is asked for by a turn of the protocol.",
        "renpaarden:width=3,height=5,max-turns=10 BOT random --seed 4",
    ),
    Played("stones", "Stones", "The bot has the second seat.", "stones:rows=3,cols=3 first BOT --seed 1"),
    Played(
        "four",
        "Four in a row",
        "The bot has the second seat.",
        "four:rows=4,cols=4,line=3 first BOT --seed 1",
    ),
];

/// The sessions of a game: by pipes, over TCP and over WebSocket.
fn over_every_transport(Played(name, game, special, rest): &Played) -> [Session; 3] {
    let session = |name: String, title: String, bot: &str| {
        let command = format!("watch {}", rest.replace("BOT", bot));
        Session { name, title, command, hello: HELLO, turns: FIRST }
    };
    [
        session((*name).to_owned(), format!("{game} over the standard input and output. {special}"), STARTED),
        session(
            format!("{name}-tcp"),
            format!(
                "{game} over TCP. The messages are the same; who connects is the bot, and Rookery speaks first."
            ),
            "bot=tcp:0",
        ),
        session(
            format!("{name}-ws"),
            format!(
                "{game} over WebSocket: each message is one text message. The bot comes by `rookery connect`."
            ),
            "bot=ws:0",
        ),
    ]
}

fn sessions() -> Vec<Session> {
    let mut sessions: Vec<Session> = PLAYED.iter().flat_map(over_every_transport).collect();
    sessions.push(Session {
        name: "hexapawn-delta".to_owned(),
        title: "Hexapawn for a bot that keeps the position itself: with the feature `delta` no turn has the position or
the legal moves, and all that is needed for them is in `moves`."
            .to_owned(),
        command: format!("watch hexapawn:rows=3,cols=3 {STARTED} first --seed 1"),
        hello: r#"{"type":"hello","version":1,"name":"delta-bot","features":["delta"]}"#,
        turns: FIRST,
    });
    sessions.push(Session {
        name: "hexapawn-more".to_owned(),
        title:
            "Hexapawn with everything a bot need not do: it says what it thinks, talks, sends a message that does not
exist and a move that is not legal, and resigns."
                .to_owned(),
        command: format!(
            "match hexapawn:rows=4,cols=4 {STARTED} first --seed 1 --conduct retry=1 --concurrency 1"
        ),
        hello: r#"{"type":"hello","version":1,"name":"talker","author":"somebody","games":["hexapawn"]}"#,
        turns: r#"1) echo '{"type":"info","depth":1,"text":"still thinking"}'
           echo '{"type":"move","id":1,"move":"b1-b2","info":{"depth":2,"score":50,"line":["b1-b2","a4-a3"]}}' ;;
        2) echo '{"type":"say","text":"Good luck!"}'
           echo '{"type":"dance","steps":3}'
           echo '{"type":"move","id":2,"move":"b1-b4"}' ;;
        3) echo '{"type":"move","id":3,"index":0}' ;;
        *) echo '{"type":"resign","id":'$id'}' ;;"#,
    });
    sessions
}

impl Session {
    /// The bot: a script for the shell, so that no language has to be there.
    fn bot(&self) -> String {
        format!(
            r#"while IFS= read -r line; do
    case $line in
    '{{"type":"hello"'*) echo '{hello}' ;;
    '{{"type":"new_game"'*) echo '{{"type":"ready"}}' ;;
    '{{"type":"turn"'*)
        id=${{line#*'"id":'}}
        id=${{id%%,*}}
        case $id in
        {turns}
        esac ;;
    '{{"type":"quit"'*) exit ;;
    esac
done
"#,
            hello = self.hello,
            turns = self.turns
        )
    }

    /// Plays it, and gives the lines that travelled, with their direction.
    fn travelled(&self) -> Vec<(char, String)> {
        let folder = TempFolder::new("transcript");
        fs::write(folder.join("bot.sh"), self.bot()).unwrap();
        let plain = if self.command.starts_with("watch") { "--plain --delay 1ms" } else { "" };
        let typed = format!("exec \"$0\" {} {plain} --trace trace.txt", self.command);
        let mut shell = Command::new("sh");
        shell.args(["-c", &typed, ROOKERY]).current_dir(&folder).stdin(Stdio::null());
        let mut rookery = shell.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(rookery.stderr.take().unwrap());
        let mut told = String::new();
        if self.command.contains("tcp:0") {
            stderr.read_line(&mut told).unwrap();
            let address = told.trim_end().strip_prefix("waiting for bot on ").unwrap();
            let link = TcpStream::connect(address).unwrap();
            let mut bot = Command::new("sh");
            bot.arg("bot.sh").current_dir(&folder).stdin(OwnedFd::from(link.try_clone().unwrap()));
            assert!(bot.stdout(OwnedFd::from(link)).status().unwrap().success());
        }
        if self.command.contains("ws:0") {
            stderr.read_line(&mut told).unwrap();
            let address = told.trim_end().strip_prefix("waiting for bot on ").unwrap();
            let mut connect = Command::new(ROOKERY);
            connect.args(["connect", &format!("ws://{address}"), "--", "sh", "bot.sh"]).current_dir(&folder);
            assert!(connect.stdout(Stdio::null()).status().unwrap().success());
        }
        stderr.read_to_string(&mut told).unwrap();
        assert!(rookery.wait().unwrap().success(), "{}: {told}", self.name);
        first_session(&fs::read_to_string(folder.join("trace.txt")).unwrap())
    }
}

/// The lines of a trace up to the end of the first link. Times are left out, and so are its notes on the link.
fn first_session(trace: &str) -> Vec<(char, String)> {
    let mut lines = vec![];
    for line in trace.lines() {
        let mut parts = line.trim_start().splitn(4, ' ').skip(2);
        let (direction, text) = (parts.next().unwrap(), parts.next().unwrap());
        match direction {
            "=" if text == "closed" => return lines,
            "=" => {}
            _ => lines.push((direction.chars().next().unwrap(), without_token(text))),
        }
    }
    panic!("the link was never closed: {trace}")
}

/// A token is another one each time.
fn without_token(text: &str) -> String {
    const BEGIN: &str = "\"token\":\"";
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let after = rest.split_once('"').map_or("", |(_, after)| after);
    format!("{before}{BEGIN}0123456789abcdef0123456789abcdef\"{after}")
}

/// What stands above the first message of a kind: `<` to the bot, `>` from it.
fn explanation(direction: char, message: &Value) -> &'static str {
    match (direction, message["type"].as_str().unwrap()) {
        ('<', "hello") => "Rookery speaks first, and says what it can.",
        ('>', "hello") => {
            "The bot answers with the version it speaks. Everything else in its hello may be left out."
        }
        ('<', "new_game") => {
            "A game begins: its setup, which seat the bot has, who the others are, how much time there is, and a seed\n\
             of its own for whatever it wants to leave to chance."
        }
        ('>', "ready") => "The bot is prepared.",
        ('<', "turn") if message["legal"].is_null() => {
            "It is the bot's turn: how many moves are legal, what happened since its last turn, the clocks."
        }
        ('<', "turn") => {
            "It is the bot's turn: the position as text and as data, what happened since its last turn, the clocks."
        }
        ('>', "move") => {
            "The answer has the id of the turn, and a move: its text, or its index among the legal ones."
        }
        ('<', "moved") => {
            "The move was made. With a time control this says what it has cost and what is left."
        }
        ('>', "info") => "What it thinks, for the record and for whoever watches. This needs no answer.",
        ('>', "say") => "A word to all.",
        ('<', "said") => "Everybody is told what was said, also who said it.",
        ('>', "dance") => "A message of a type that does not exist ...",
        ('<', "error") => "... is answered, and ignored.",
        ('<', "reject") => {
            "The answer did not count: why, what is legal, and how often the bot may still try. The next turn asks again."
        }
        ('>', "resign") => "The bot gives up.",
        ('<', "game_over") => "The game is over: why, and what it was worth to each seat.",
        ('<', "quit") => "There is no further game, and the bot ends. Otherwise a new_game would come here.",
        _ => panic!("{direction} {message} has no explanation"),
    }
}

fn validator(direction: &str) -> Validator {
    jsonschema::validator_for(&protocol_schema(direction)).unwrap()
}

/// Checks every line, and writes them down with explanations.
fn transcript(session: &Session) -> String {
    let validators = BTreeMap::from([('<', validator("to_bot")), ('>', validator("from_bot"))]);
    let mut text = String::new();
    for line in session.title.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "#\n# rookery {} --trace FILE", session.command);
    let mut seen = BTreeSet::new();
    for (direction, line) in session.travelled() {
        let message: Value = serde_json::from_str(&line).unwrap();
        let kind = message["type"].as_str().unwrap();
        // What is no message is the bot's mistake, and stands there to be one.
        if kind != "dance"
            && let Err(error) = validators[&direction].validate(&message)
        {
            panic!("{}: {error}\n{line}", session.name);
        }
        if seen.insert((direction, kind.to_owned())) {
            text.push('\n');
            for line in explanation(direction, &message).lines() {
                let _ = writeln!(text, "# {line}");
            }
        }
        let _ = writeln!(text, "{direction} {line}");
    }
    text
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/transcripts")
}

fn check(name: &str) {
    let session = sessions().into_iter().find(|session| session.name == name).unwrap();
    let text = transcript(&session);
    assert!(text.ends_with("< {\"type\":\"quit\"}\n"), "{text}");
    assert!(text.lines().count() <= 70, "short enough to be read: {text}");
    golden::check(&folder().join(format!("{name}.txt")), &text);
}

macro_rules! sessions {
    ($($test:ident: $name:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            check($name);
        })+

        #[test]
        fn the_folder_has_these_sessions_and_no_others() {
            let files = fs::read_dir(folder()).unwrap();
            let mut files: Vec<String> =
                files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            let mut named = vec!["README.md".to_owned(), $(format!("{}.txt", $name)),+];
            files.sort_unstable();
            named.sort_unstable();
            assert_eq!(files, named);
            assert_eq!(named.len(), sessions().len() + 1);
            let readme = fs::read_to_string(folder().join("README.md")).unwrap();
            for session in sessions() {
                assert!(readme.contains(&format!("]({}.txt)", session.name)), "{}", session.name);
            }
        }
    };
}

sessions! {
    fish: "fish",
    hexapawn: "hexapawn",
    renpaarden: "renpaarden",
    stones: "stones",
    four: "four",
    fish_over_tcp: "fish-tcp",
    hexapawn_over_tcp: "hexapawn-tcp",
    renpaarden_over_tcp: "renpaarden-tcp",
    stones_over_tcp: "stones-tcp",
    four_over_tcp: "four-tcp",
    fish_over_websocket: "fish-ws",
    hexapawn_over_websocket: "hexapawn-ws",
    renpaarden_over_websocket: "renpaarden-ws",
    stones_over_websocket: "stones-ws",
    four_over_websocket: "four-ws",
    delta: "hexapawn-delta",
    everything_else_that_can_be_said: "hexapawn-more",
}
