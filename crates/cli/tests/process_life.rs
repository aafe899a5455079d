//! How long the processes of bots live, what they use, and how long they wait when they crash: real programs in real commands.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use rookery_testkit::TempFolder;
use serde_json::Value;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// Plays the first legal move. It writes down the number of its process for each game, and a line to its standard error; `LIFE`
/// is a part of its hello, and `DEED` is done at the first turn of a game, whose number in this process is `n_games`.
const BOT: &str = r#"
import json, os, sys, time
n_games = 0
def send(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", version=1, LIFE)
    elif message["type"] == "new_game":
        n_games += 1
        n_turns = 0
        with open(os.path.join(os.path.dirname(__file__), "games"), "a") as file:
            print(os.getpid(), n_games, file=file)
        print("game", n_games, file=sys.stderr, flush=True)
        send(type="ready")
    elif message["type"] == "turn":
        n_turns += 1
        if n_turns == 1:
            DEED
        send(type="move", id=message["id"], index=0)
    elif message["type"] == "quit":
        with open(os.path.join(os.path.dirname(__file__), "quits"), "a") as file:
            print(os.getpid(), file=file)
        break
"#;

struct Bot(TempFolder);

impl Bot {
    fn new(life: &str, deed: &str) -> Self {
        let folder = TempFolder::new("process-life");
        fs::write(folder.join("bot.py"), BOT.replace("LIFE", life).replace("DEED", deed)).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// The seat of it.
    fn seat(&self) -> String {
        format!("bot=cmd:python3 {}", self.path("bot.py"))
    }

    /// Its processes, in the order of the games.
    fn processes(&self) -> Vec<u32> {
        let games = fs::read_to_string(self.0.join("games")).unwrap_or_default();
        games.lines().map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect()
    }

    fn n_quits(&self) -> usize {
        fs::read_to_string(self.0.join("quits")).unwrap_or_default().lines().count()
    }
}

fn rookery(args: &[&str]) -> Output {
    let output = Command::new(ROOKERY).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A series on one board, one game at a time.
fn series(bot: &Bot, more: &[&str]) -> Value {
    let seat = bot.seat();
    let args = [
        "match",
        "hexapawn:rows=3,cols=3",
        &seat,
        "first",
        "--games",
        "4",
        "-c",
        "1",
        "--json",
        "--cpu-time",
        "--quiet",
    ];
    serde_json::from_slice(&rookery(&[&args[..], more].concat()).stdout).unwrap()
}

fn n_different(processes: &[u32]) -> usize {
    processes.iter().collect::<BTreeSet<_>>().len()
}

const SESSION: &str = "process='session'";

#[test]
fn a_bot_chooses_whether_its_process_plays_one_game_or_many() {
    for (life, n_processes) in [("", 4), ("process='game'", 4), (SESSION, 1)] {
        let bot = Bot::new(life, "pass");
        let records = bot.path("records");
        let report = series(&bot, &["--record", &records]);
        assert_eq!(report["games"].as_array().unwrap().len(), 4, "{report}");
        assert!(report["games"][3]["removed"].as_array().unwrap().is_empty(), "{report}");
        let processes = bot.processes();
        assert_eq!((processes.len(), n_different(&processes)), (4, n_processes), "{life}");
        assert_eq!(bot.n_quits(), n_processes, "{life}: each is told to quit");
        // What it says in a game is kept with that game, and with no other.
        let logs = fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().path());
        let mut said: Vec<String> = logs
            .filter(|path| path.extension().is_some_and(|end| end == "stderr" || end == "log"))
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        said.sort_unstable();
        let game = |n: usize| format!("game {}\n", if n_processes == 1 { n } else { 1 });
        assert_eq!(said, (1..=4).map(game).collect::<Vec<_>>(), "{life}");
    }
}

#[test]
fn a_tournament_and_a_drill_keep_a_bot_that_asks_for_it() {
    let bot = Bot::new(SESSION, "pass");
    let (store, seat) = (bot.path("s.db"), bot.seat());
    let run =
        ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", &seat, "first", "random"];
    rookery(&[&run[..], &["--games", "2", "-c", "1", "--quiet", "--store", &store]].concat());
    let processes = bot.processes();
    // The game before the first round has a process of its own, which is told of its end as well.
    assert_eq!((processes.len(), n_different(&processes), bot.n_quits()), (5, 2, 2));

    let bot = Bot::new(SESSION, "pass");
    rookery(&["drill", "hexapawn:rows=3,cols=3", &bot.seat(), "--positions", "3"]);
    let processes = bot.processes();
    assert_eq!((processes.len(), n_different(&processes), bot.n_quits()), (3, 1, 1));
}

/// Nobody inherits a mess: neither what it has not answered nor the process that did not.
#[test]
fn fault_c03_whoever_was_removed_begins_its_next_game_in_a_new_process() {
    for (deed, cause) in [
        ("n_games == 2 and sys.exit(3)", "crashed"),
        ("n_games == 2 and time.sleep(60)", "timeout"),
        ("n_games == 2 and send(type='move', id=message['id'], move='nonsense')", "malformed"),
    ] {
        let bot = Bot::new(SESSION, deed);
        let report = series(&bot, &["--time", "1s", "--conduct", "forfeit"]);
        let causes: Vec<&str> =
            report["games"].as_array().unwrap().iter().map(|game| game["ending"].as_str().unwrap()).collect();
        // The second game of each process fails.
        assert_eq!(causes, ["normal", cause, "normal", cause], "{deed}: {report}");
        let processes = bot.processes();
        assert_eq!((processes.len(), n_different(&processes)), (4, 2), "{deed}: {processes:?}");
        assert!(processes[0] == processes[1] && processes[2] == processes[3], "{deed}: {processes:?}");
    }
}

/// Burns 300 ms of processor time, in a child as well.
const BURNS: &str = "pid = os.fork()
            while time.process_time() < (0.15 if pid == 0 else n_games * 0.15): pass
            if pid == 0: os._exit(0)
            os.waitpid(pid, 0)";

#[test]
fn fault_c08_the_processor_time_of_a_bot_is_told_for_each_game() {
    for (life, deed, least, most) in [
        ("", BURNS, 270.0, 3000.0),
        (SESSION, BURNS, 230.0, 3000.0),
        (SESSION, "time.sleep(0.4)", 0.0, 200.0),
    ] {
        let bot = Bot::new(life, deed);
        let report = series(&bot, &[]);
        for (number, game) in report["games"].as_array().unwrap().iter().enumerate() {
            let cpu = game["cpu_ms"].as_array().unwrap_or_else(|| panic!("{game}"));
            assert!(cpu[1].is_null(), "a built-in player is no program: {game}");
            let used = cpu[0].as_f64().unwrap();
            // The first game has the start of the interpreter as well.
            let most = if number == 0 { most + 1000.0 } else { most };
            assert!((least..=most).contains(&used), "{life} {deed}: game {number} used {used} ms");
        }
    }
    let args = ["match", "hexapawn:rows=3,cols=3", "first", "first", "--json", "--quiet"];
    let report: Value = serde_json::from_slice(&rookery(&args).stdout).unwrap();
    assert!(report["games"][0].get("cpu_ms").is_none(), "nothing is told of nobody: {report}");
}

/// When a program was started, in nanoseconds.
fn starts(path: &Path) -> Vec<u128> {
    fs::read_to_string(path).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn fault_c03_a_program_that_crashes_again_and_again_waits_before_it_is_started_anew() {
    let folder = TempFolder::new("restarts");
    let (log, store) = (folder.join("starts"), folder.join("s.db"));
    fs::write(folder.join("bot.sh"), format!("date +%s%N >> {}\nexit 1\n", log.display())).unwrap();
    let seat = format!("bad=cmd:sh {}", folder.join("bot.sh").display());
    let run =
        ["tournament", "run", "--format", "round-robin", "hexapawn:rows=3,cols=3", &seat, "first", "random"];
    let more = ["--games", "3", "-c", "1", "--keep-failing", "--restart-wait", "200ms", "--json"];
    let kept = ["--store", store.to_str().unwrap()];
    let result: Value = serde_json::from_slice(&rookery(&[&run[..], &more, &kept].concat()).stdout).unwrap();
    assert_eq!((&result["games"], &result["aborted"]), (&Value::from(9), &Value::from(0)), "{result}");
    let rows = result["standings"].as_array().unwrap();
    let bad = rows.iter().find(|row| row["name"] == "bad").unwrap();
    assert_eq!(bad["crashes"], 6, "it has lost all of its games, and the tournament went on: {bad}");
    let starts = starts(&log);
    assert_eq!(starts.len(), 7, "once before the first round, and once for each game");
    let gaps: Vec<Duration> = starts[1..]
        .windows(2)
        .map(|pair| Duration::from_nanos(u64::try_from(pair[1] - pair[0]).unwrap()))
        .collect();
    for (gap, least) in gaps.iter().zip([0, 0, 200, 400, 800]) {
        assert!(*gap >= Duration::from_millis(least), "{gaps:?}");
    }
}
