//! What several commands do, they do alike: naming players, reading times, keeping records, telling an end, blaming, stopping.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;

fn rookery(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rookery")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every command that seats players, with a place for one of them.
const SEATING: [&str; 7] = [
    "match hexapawn PLAYER first --games 2 --quiet",
    "watch hexapawn PLAYER first --plain --delay 1ms",
    "play hexapawn PLAYER human --plain",
    "hexapawn referee --p1 PLAYER --p2 first",
    "stones referee --player PLAYER --player first",
    "drill hexapawn:rows=3,cols=3 PLAYER --positions 1",
    "drill hexapawn:rows=3,cols=3 first --against PLAYER --positions 1",
];

#[test]
fn every_command_reads_players_by_the_same_grammar() {
    let seat = |line: &str, player: &str| {
        let line = line.replace("PLAYER", player);
        let output = rookery(&words(&line));
        (output.status.code(), text(&output.stderr), line)
    };
    let long = format!("{}=first", "n".repeat(25));
    for line in SEATING {
        for good in ["first", "mine=first", "my-own_1=first", "playouts:games=9", "mine=playouts:games=9"] {
            let (code, said, line) = seat(line, good);
            assert_eq!(code, Some(0), "{line}: {said}");
        }
        for (bad, why) in [
            ("a.b=first", "it is no player spec"),
            (&*long, "it is no player spec"),
            ("person", "has no player `person`"),
            ("nobody", "has no player `nobody`"),
        ] {
            let (code, said, line) = seat(line, bad);
            assert_eq!(code, Some(2), "{line}: {said}");
            assert!(said.contains(why), "{line}: {said}");
        }
    }
}

#[test]
fn every_command_reads_times_by_the_same_grammar() {
    let places = [
        "match hexapawn first first --quiet --time TIME",
        "match hexapawn first first --quiet --tc TIME",
        "match hexapawn first first --quiet --grace TIME",
        "watch hexapawn first first --plain --delay 1ms --think TIME",
        "play hexapawn human first --plain --think TIME",
        "hexapawn referee --p1 first --p2 first --time TIME",
        "hexapawn referee --p1 first --p2 first --grace TIME",
        "stones referee --player first --player first --time TIME",
        "drill hexapawn:rows=3,cols=3 first --positions 1 --time TIME",
    ];
    for place in places {
        for good in ["500ms", "2s", "1.5s", "3m", "7"] {
            let line = place.replace("TIME", good);
            let output = rookery(&words(&line));
            assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        }
        for bad in ["1x", "-1s", "25h", "1 s s", "NaN", "1e3s"] {
            let line = place.replace("TIME", "@");
            let args: Vec<&str> =
                words(&line).into_iter().map(|word| if word == "@" { bad } else { word }).collect();
            let output = rookery(&args);
            assert_eq!(output.status.code(), Some(2), "{line} {bad}");
            let said = text(&output.stderr);
            assert!(
                said.contains("expected a time such as 500ms") || bad.starts_with('-'),
                "{line} {bad}: {said}"
            );
        }
    }
}

/// Commands that play one match of `first` against itself and keep a record of it: in which file.
fn keeping(folder: &TempFolder) -> Vec<(String, String)> {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let file = path("game.rookery.jsonl");
    vec![
        (
            format!("match stones:rows=3,cols=3 first first --games 1 --quiet --record {}", path("match")),
            path("match/game-000001.rookery.jsonl"),
        ),
        (format!("stones referee --width 3 --height 3 --player first --player first --record {file}"), file),
        (
            format!(
                "hexapawn referee --rows 3 --cols 3 --p1 first --p2 first --record {}",
                path("hexapawn.jsonl")
            ),
            path("hexapawn.jsonl"),
        ),
    ]
}

/// The first record of a folder or the file itself.
fn record_at(path: &str) -> String {
    if fs::metadata(path).is_ok() {
        return path.to_owned();
    }
    let folder = std::path::Path::new(path).parent().unwrap();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.first().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_record_is_of_one_kind_and_tells_one_end() {
    let folder = TempFolder::new("agree-records");
    for (line, path) in keeping(&folder) {
        let output = rookery(&words(&line));
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
        let record = record_at(&path);
        let lines = fs::read_to_string(&record).unwrap();
        assert!(lines.starts_with(r#"{"record":{"version":2,"match":{"game":""#), "{line}: {lines}");
        assert!(lines.contains(r#""name":"first#1""#) && lines.contains(r#""name":"first#2""#), "{line}");
        let verified = rookery(&["verify", "--finished", &record]);
        assert_eq!(verified.status.code(), Some(0), "{line}: {}", text(&verified.stdout));
        // It is never written over, and going on with what is over changes nothing.
        assert_eq!(rookery(&words(&line)).status.code(), Some(1), "{line}");
        let again = rookery(&words(&format!("{line} --resume")));
        assert_eq!(again.status.code(), Some(0), "{line}: {}", text(&again.stderr));
        assert_eq!(fs::read_to_string(&record).unwrap(), lines, "{line}");
    }
    // The same match, whoever played it: the same moves and the same verdict, told in the same words.
    let tail = |path: &str| {
        let lines = fs::read_to_string(record_at(path)).unwrap();
        lines.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let kept = keeping(&folder);
    let moves = |path: &str| {
        tail(path).into_iter().filter(|line| line.starts_with(r#"{"moved""#)).collect::<Vec<_>>()
    };
    assert_eq!(moves(&kept[0].1), moves(&kept[1].1));
    let told = |path: &str| {
        let replayed = text(&rookery(&["replay", &record_at(path)]).stdout);
        replayed.lines().last().unwrap().to_owned()
    };
    assert_eq!(told(&kept[0].1), told(&kept[1].1));
    assert_eq!(told(&kept[0].1), "normal after 6 moves: player 1 (first#2) won, scores 0 4");
    let json =
        text(&rookery(&words("match stones:rows=3,cols=3 first first --games 1 --quiet --json")).stdout);
    assert!(json.contains(r#""sentence":"player 1 (first#2) won""#), "{json}");
}

#[test]
fn misconduct_costs_the_same_in_every_command() {
    let folder = TempFolder::new("agree-conduct");
    for (idx, (bot, cause)) in [
        ("cmd:true", "crashed"),
        ("cmd:./no-such-program", "crashed"),
        ("cmd:sh -c 'while read x; do echo nonsense; done'", "malformed"),
    ]
    .into_iter()
    .enumerate()
    {
        let record = folder.join(format!("referee-{idx}.jsonl"));
        let referee =
            ["hexapawn", "referee", "--p1", bot, "--p2", "first", "--record", record.to_str().unwrap()];
        rookery(&referee);
        let records = folder.join(format!("match-{idx}"));
        let series = [
            "match",
            "hexapawn",
            bot,
            "first",
            "--games",
            "1",
            "--quiet",
            "--protocol",
            "hexapawn",
            "--record",
            records.to_str().unwrap(),
        ];
        rookery(&series);
        let ending = |record: &str| {
            let lines = fs::read_to_string(record).unwrap();
            let verdict: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
            let verdict = &verdict["verdict"];
            (verdict["ending"].clone(), verdict["seat"].clone(), verdict["winners"].clone())
        };
        let ours = ending(record.to_str().unwrap());
        assert_eq!(ours.0, cause, "{bot}");
        assert_eq!(ours, ending(&record_at(records.join("x").to_str().unwrap())), "{bot}");
    }
}

/// Runs a command that would go on for long, and stops it.
#[cfg(unix)]
fn stopped(line: &str, signal: &str) -> (Option<i32>, String, Duration) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(words(line))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "{line}: it is over before it is stopped");
    let start = Instant::now();
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    let output = loop {
        if child.try_wait().unwrap().is_some() {
            break child.wait_with_output().unwrap();
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{line}: it goes on");
        sleep(Duration::from_millis(10));
    };
    (output.status.code(), text(&output.stderr), start.elapsed())
}

/// Whoever thinks long, alone or in a series, is stopped.
#[cfg(unix)]
#[test]
fn fault_s14_every_command_stops_alike() {
    let folder = TempFolder::new("agree-stop");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let think = "mcts:playouts=100000000";
    let lines = [
        format!("match renpaarden {think} hard --quiet --grace 0s --record {}", path("match")),
        format!(
            "stones referee --player {think} --player {think} --grace 0s --record {}",
            path("stones.jsonl")
        ),
        format!(
            "hexapawn referee --rows 8 --cols 8 --time 20m --p1 {think} --p2 {think} --grace 0s --record {}",
            path("hexapawn.jsonl")
        ),
        format!("solve hexapawn:rows=8,cols=8 --memory 64MiB --db {}", path("tables")),
    ];
    for line in &lines {
        for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
            let line = if signal == "-INT" && line.contains("--record") {
                format!("{line} --resume")
            } else {
                line.clone()
            };
            let (status, said, _) = stopped(&line, signal);
            assert_eq!(status, Some(code), "{line}: {said}");
            let goes_on = said.lines().any(|said| said.starts_with("rookery "));
            assert!(goes_on, "{line}: the command that goes on is not told: {said}");
        }
    }
    let line = format!("drill hexapawn:rows=5,cols=5 {think} --grace 0s");
    let (status, said, _) = stopped(&line, "-TERM");
    assert_eq!(status, Some(143), "{said}");
}
