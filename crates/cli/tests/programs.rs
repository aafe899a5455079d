//! Programs end with their match, whatever they and we do.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");
const PAGE: &str = include_str!("../../../docs/protocol.md");

/// A bot that starts something in a session of its own, then waits for ever.
const DAEMON: &str = "\
while read line; do
  case $line in
    *hello*) (setsid sleep MARK >/dev/null 2>&1 &); echo '{\"type\":\"hello\",\"version\":1}' ;;
    *new_game*) echo '{\"type\":\"ready\"}' ;;
  esac
done
";

/// How many processes have this in their command line.
fn running(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    processes
        .map(command)
        .filter(|line| line.split(|&byte| byte == 0).any(|word| word == mark.as_bytes()))
        .count()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn fault_c18_programs_and_what_they_have_started_end_with_us_also_after_kill_9() {
    for (signal, seconds) in [("-KILL", 4711), ("-TERM", 4712)] {
        // Nobody else sleeps as long.
        let mark = &format!("{seconds}.{}", std::process::id());
        let folder = TempFolder::new("daemon");
        let bot = folder.join("bot.sh");
        fs::write(&bot, DAEMON.replace("MARK", mark)).unwrap();
        let mut rookery = Command::new(ROOKERY)
            .args([
                "match",
                "hexapawn",
                &format!("cmd:sh {}", bot.display()),
                "random",
                "--quiet",
                "--grace",
                "0s",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("the bot starts its daemon", || running(mark) > 0);
        Command::new("kill").args([signal, &rookery.id().to_string()]).status().unwrap();
        rookery.wait().unwrap();
        until("nothing is left", || running(mark) == 0 && running(&bot.display().to_string()) == 0);
    }
}

#[test]
fn fault_c12_a_program_gets_few_of_our_variables_and_descriptors_and_no_terminal() {
    let folder = TempFolder::new("surroundings");
    let bot = folder.join("bot.sh");
    fs::write(&bot, "env | cut -d= -f1 | sort >&2; echo fds: $(ls /proc/self/fd) >&2\n(: < /dev/tty) 2>/dev/null && echo tty >&2\n")
        .unwrap();
    let records = folder.join("records");
    let status = Command::new(ROOKERY)
        .args([
            "match",
            "hexapawn",
            &format!("cmd:sh {}", bot.display()),
            "random",
            "--games",
            "2",
            "--quiet",
        ])
        .arg("--record")
        .arg(&records)
        .args(["--keep-env", "KEPT"])
        .envs([("SECRET", "1"), ("KEPT", "2")])
        .status()
        .unwrap();
    assert!(status.success());
    let log = fs::read_to_string(records.join("game-0001.seat-1.stderr")).unwrap();
    assert!(!log.contains("SECRET") && !log.contains("tty"), "{log}");
    assert!(log.contains("KEPT") && log.contains("PATH"), "{log}");
    // `ls` itself has the folder open.
    assert!(log.contains("fds: 0 1 2 3\n"), "{log}");
}

#[test]
fn a_program_runs_where_and_with_what_it_was_told() {
    let folder = TempFolder::new("places");
    let (bot, records) = (folder.join("bot.sh"), folder.join("records"));
    fs::write(&bot, "echo $(basename \"$PWD\") $LEVEL >&2\n").unwrap();
    fs::create_dir(folder.join("own")).unwrap();
    let seat = |name: &str| format!("{name}=cmd:sh {}", bot.display());
    let status = Command::new(ROOKERY)
        .args(["match", "hexapawn", &seat("one"), &seat("two"), "--games", "1", "--quiet", "--record"])
        .arg(&records)
        .args(["--cwd", &format!("one={}", folder.join("own").display())])
        .args(["--cwd", &folder.join(".").display().to_string()])
        .args(["--env", "LEVEL=3", "--env", "two:LEVEL=4"])
        .status()
        .unwrap();
    assert!(status.success());
    let log = |seat: u8| fs::read_to_string(records.join(format!("game-0001.seat-{seat}.stderr"))).unwrap();
    let here = folder.join("own").parent().unwrap().file_name().unwrap().display().to_string();
    assert_eq!(log(1), "own 3\n", "what is said for one player wins");
    assert_eq!(log(2), format!("{here} 4\n"));
}

#[test]
fn fault_c20_no_shell_reads_the_command() {
    let folder = TempFolder::new("shell");
    let made = folder.join("made");
    let seat = format!("cmd:true ; touch {}", made.display());
    let output = Command::new(ROOKERY)
        .args(["match", "hexapawn", &seat, "random", "--games", "1", "--json"])
        .output()
        .unwrap();
    assert!(!made.exists());
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("it cannot be started"), "{told}");
}

#[test]
fn fault_c10_what_a_program_writes_is_kept_beside_the_record_of_a_match_at_this_screen() {
    let folder = TempFolder::new("log");
    let (bot, record) = (folder.join("bot.sh"), folder.join("mine.rookery.jsonl"));
    // More than is kept.
    let script =
        "echo 'a first word' >&2; yes | head -c 600000 >&2; echo 'a last word' >&2\nexec \"$0\" echo-bot\n";
    fs::write(&bot, script.replace("$0", ROOKERY)).unwrap();
    let (seat, log) = (format!("cmd:sh {}", bot.display()), folder.join("mine.seat-2.stderr"));
    let rookery = |args: &[&str], n_parts: usize| {
        let mut command = Command::new(ROOKERY);
        command.args(args).arg("--plain").env("XDG_DATA_HOME", &*folder).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.starts_with("a first word\n") && log.ends_with("a last word\n"), "{args:?}");
        let count = |text| log.matches(text).count();
        assert_eq!([count("a first word"), count("bytes were left out here]")], [n_parts; 2], "{args:?}");
        assert!(log.len() < 300_000 * n_parts, "{args:?}: {}", log.len());
    };
    let record = record.to_str().unwrap();
    rookery(&["play", "hexapawn:rows=3,cols=3", "human", &seat, "--record", record], 1);
    // What it wrote in the first part of the match stays.
    rookery(&["play", "--resume", record], 2);
}

/// Answers like the kits, after a pause at the start and at its first turn.
fn slow_bot(folder: &TempFolder, at_start: &str, at_turn: &str) -> String {
    let bot = folder.join("slow.sh");
    let script = format!(
        "sleep {at_start}\nn=0\nwhile read line; do case $line in\n\
         *hello*) echo '{{\"type\":\"hello\",\"version\":1}}' ;;\n\
         *new_game*) echo '{{\"type\":\"ready\"}}' ;;\n\
         *'\"turn\"'*) n=$((n+1)); sleep {at_turn}; echo \"{{\\\"type\\\":\\\"move\\\",\\\"id\\\":$n,\\\"index\\\":0}}\" ;;\n\
         *quit*) exit ;;\nesac; done\n"
    );
    fs::write(&bot, script).unwrap();
    format!("cmd:sh {}", bot.display())
}

fn ending(seat: &str, time: &str, more: &[&str]) -> String {
    let mut command = Command::new(ROOKERY);
    command.args([
        "match",
        "hexapawn:rows=3,cols=3",
        seat,
        "first",
        "--games",
        "1",
        "--json",
        "--time",
        time,
    ]);
    let output = command.args(["--conduct", "forfeit"]).args(more).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    report["games"][0]["ending"].as_str().unwrap().to_owned()
}

#[test]
fn fault_c02_a_slow_start_is_not_charged_to_the_clock() {
    let folder = TempFolder::new("slow-start");
    assert_eq!(ending(&slow_bot(&folder, "1.2", "0"), "600ms", &[]), "normal");
}

#[test]
fn fault_c09_who_sleeps_at_its_turn_runs_out_of_time() {
    let folder = TempFolder::new("sleeper");
    let begin = Instant::now();
    assert_eq!(ending(&slow_bot(&folder, "0", "100"), "300ms", &[]), "timeout");
    assert!(begin.elapsed() < Duration::from_secs(10), "nobody waits for it");
}

#[test]
fn nobody_is_late_without_a_clock() {
    let folder = TempFolder::new("no-clock");
    let bot = slow_bot(&folder, "0", "0.8");
    assert_eq!(ending(&bot, "100ms", &[]), "timeout");
    assert_eq!(ending(&bot, "100ms", &["--no-clock"]), "normal");
}

#[test]
fn a_level_of_the_sandbox_that_was_asked_for_is_reported() {
    let said = |more: &[&str]| {
        let bot = format!("cmd:{ROOKERY} echo-bot");
        let args = ["match", "hexapawn:rows=3,cols=3", &bot, "first", "--games", "2", "--quiet"];
        let output = Command::new(ROOKERY).args(args).args(more).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(said(&["--sandbox", "none"]).matches("sandbox: none\n").count(), 1);
    assert!(said(&["--sandbox", "auto"]).contains("sandbox: "));
    assert!(!said(&[]).contains("sandbox"), "what is usual is no news");
}

/// A client of the original's Fish by its standard input and output: it answers each call as the page of that protocol says.
const FISH_CLIENT: &str = r#"
import json, os
def free(state, row, col):
    board = state["board"]
    taken = [place for player in state["players"] for place in player["places"]]
    inside = 0 <= row < len(board) and 0 <= col < len(board[row])
    return inside and board[row][col] > 0 and [row, col] not in taken
def setup(state):
    tiles = [[r, c] for r, fish in enumerate(state["board"]) for c in range(len(fish))]
    return next(tile for tile in tiles if free(state, *tile))
def take_turn(state, _actions):
    for row, col in state["players"][0]["places"]:
        odd = row % 2
        for down, right in [(-2, 0), (-1, odd), (1, odd), (2, 0), (1, odd - 1), (-1, odd - 1)]:
            if free(state, row + down, col + right):
                return [[row, col], [row + down, col + right]]
text, decoder = "", json.JSONDecoder()
while True:
    try:
        (method, arguments), end = decoder.raw_decode(text)
    except ValueError:
        received = os.read(0, 4096)
        if not received:
            break
        text = (text + received.decode()).lstrip()
        continue
    text = text[end:].lstrip()
    answer = {"setup": setup, "take-turn": take_turn}.get(method, lambda *_: "void")(*arguments)
    os.write(1, json.dumps(answer).encode())
"#;

#[test]
fn a_program_of_an_original_sits_beside_one_of_the_bot_protocol() {
    let folder = TempFolder::new("original");
    let client = folder.join("client.py");
    fs::write(&client, FISH_CLIENT).unwrap();
    let (old, new) = (format!("old=cmd:python3 {}", client.display()), format!("new=cmd:{ROOKERY} echo-bot"));
    let run = |protocol: &str| {
        let args =
            ["match", "fish:rows=3,cols=4", &old, &new, "--games", "2", "--json", "--protocol", protocol];
        Command::new(ROOKERY).args(args).output().unwrap()
    };
    let played = run("old=fish");
    assert!(played.status.success(), "{played:?}");
    let report: serde_json::Value = serde_json::from_slice(&played.stdout).unwrap();
    for game in report["games"].as_array().unwrap() {
        assert_eq!((&game["ending"], &game["removed"]), (&"normal".into(), &serde_json::json!([])), "{game}");
        assert!(game["plies"].as_u64().unwrap() > 8, "both have moved: {game}");
    }
    for (protocol, why) in [
        ("bob=fish", "--protocol bob=..: no player has this name; they are old, new"),
        (
            "old=hexapawn",
            "--protocol hexapawn: fish has no protocol `hexapawn`; expected `fish` or `fish-api`, or `rookery`",
        ),
    ] {
        let refused = run(protocol);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

/// Others read these figures by their names.
#[test]
fn the_figures_of_the_wire_have_their_names_for_each_transport() {
    let args = ["bench", "wire", "--json", "--seconds", "0.05", "-c", "1"];
    let output = Command::new(ROOKERY).args(args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let transports: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["transport"].clone()).collect();
    assert_eq!(transports, ["pipe", "tcp", "websocket"]);
    let (_, table) = PAGE.split_once("\n| field of `rookery bench wire --json` ").unwrap();
    let named = table.lines().skip(2).map_while(|row| row.strip_prefix("| `"));
    let mut named: Vec<&str> = named.map(|row| row.split('`').next().unwrap()).collect();
    named.sort_unstable();
    for row in rows.as_array().unwrap() {
        let mut keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        keys.sort_unstable();
        assert_eq!(keys, named, "the page has the same fields");
        for key in ["us_per_ply", "us_per_ply_bare", "plies_per_s"] {
            assert!(
                row[key].as_f64().is_some_and(|figure| figure.is_finite() && figure >= 0.0),
                "{key}: {row}"
            );
        }
        assert!(row["plies_per_s"].as_f64() > Some(0.0), "{row}");
    }
}

/// A match of two echo bots, or of two of ours: its result, and what was said beside it.
fn played(player: &str, more: &[&str]) -> (serde_json::Value, String) {
    let args = ["match", "fish:rows=3,cols=4", player, "random", "--games", "4", "--tc", "10s+1s", "--json"];
    let output = Command::new(ROOKERY).args(args).args(more).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

/// Who knows the seed of a match can reckon those of all seats.
#[test]
fn a_seed_that_no_program_can_guess_is_drawn_where_programs_play() {
    let echo = &format!("cmd:{ROOKERY} echo-bot");
    let (one, said) = played(echo, &[]);
    let (other, _) = played(echo, &[]);
    assert_ne!(one["seed"], other["seed"]);
    let seed = one["seed"].to_string();
    assert!(said.contains(&format!("--seed {seed} plays the same again")), "{said}");
    let (again, said) = played(echo, &["--seed", &seed]);
    assert_eq!((&again["seed"], said.contains("drawn")), (&one["seed"], false), "{said}");
    let (ours, said) = played("first", &[]);
    assert_eq!((ours["seed"].as_u64(), said.contains("drawn")), (Some(0), false), "{said}");
}

/// The seed that was drawn is found again in the records.
#[test]
fn a_series_with_a_drawn_seed_goes_on_with_it() {
    let (folder, echo) = (TempFolder::new("drawn"), &format!("cmd:{ROOKERY} echo-bot"));
    let records = folder.join("games");
    let keep = ["--record", records.to_str().unwrap()];
    let (one, _) = played(echo, &keep);
    fs::remove_file(records.join("game-0001.rookery.jsonl")).unwrap();
    let (again, said) = played(echo, &[&keep[..], &["--resume"]].concat());
    assert_eq!((&again["seed"], said.contains("drawn")), (&one["seed"], false), "{said}");
}

/// The seeds of its seat that a program was told by a command, with a seed that nobody gave.
fn told(folder: &TempFolder, args: &[&str]) -> Vec<String> {
    let (echo, trace) = (format!("echo=cmd:{ROOKERY} echo-bot"), folder.join("trace"));
    let mut command = Command::new(ROOKERY);
    command.args(args).args([&echo, "--trace", trace.to_str().unwrap()]);
    command.current_dir(&**folder).env("XDG_DATA_HOME", &**folder);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let trace = fs::read_to_string(trace).unwrap_or_default();
    let games = trace.lines().filter_map(|line| line.split_once(r#"{"type":"new_game""#));
    let told: Vec<_> = games
        .map(|(_, game)| {
            let game: serde_json::Value =
                serde_json::from_str(&format!(r#"{{"type":"new_game"{game}"#)).unwrap();
            game["seed"].to_string()
        })
        .collect();
    assert!(!told.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    told
}

#[test]
fn the_other_commands_draw_a_seed_too_where_programs_play() {
    let fish = "fish:rows=3,cols=4";
    for args in [
        &["play", fish, "human", "--plain", "--no-record"][..],
        &["watch", fish, "first", "--plain", "--delay", "1ms"],
        &["drill", "hexapawn:rows=3,cols=3", "--positions", "1"],
        &["tournament", "run", fish, "first", "--games", "2", "--quiet", "--store", "games.db"],
    ] {
        let [one, other] = ["drawn-one", "drawn-other"].map(|name| told(&TempFolder::new(name), args));
        assert!(
            one.iter().all(|seed| !other.contains(seed)),
            "{args:?}: nobody can guess it: {one:?} {other:?}"
        );
    }
}
