//! docs/course.md: its commands are typed as they stand, with a few bots instead of sixty, and the power goes in the middle.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![allow(clippy::print_stderr, reason = "whoever runs the tests is told how long they took")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::{TempFolder, tell_skipped};
use serde_json::Value;

const PAGE: &str = include_str!("../../../docs/course.md");

/// The commands of all blocks, in order; one that goes on in the next line is whole.
fn commands() -> Vec<String> {
    let mut commands: Vec<String> = vec![];
    let (mut in_block, mut goes_on) = (false, false);
    for line in PAGE.lines().map(str::trim) {
        if line.starts_with("```") {
            in_block = line.starts_with("```console");
        } else if in_block {
            let begun = line.strip_prefix("$ ");
            let text = begun.unwrap_or(line);
            let part = text.strip_suffix('\\').unwrap_or(text);
            match (begun, goes_on) {
                (Some(_), _) => commands.push(part.to_owned()),
                (None, true) => commands.last_mut().unwrap().push_str(part),
                (None, false) => panic!("{line:?} is no command"),
            }
            goes_on = text.ends_with('\\');
        }
    }
    commands
}

/// The clock on the page.
const CLOCK: &str = "--time 1s ";

struct Staff {
    folder: TempFolder,
    path: String,
    /// What is typed instead of the clock on the page. Where tests run beside each other, a bot can need more than a second for
    /// a move.
    clock: &'static str,
    /// Where `rookery` is.
    _programs: TempFolder,
}

impl Staff {
    fn type_in(&self, line: &str, folder: &Path) -> Command {
        let line = line.replace(CLOCK, self.clock);
        let mut command = Command::new("sh");
        // exec, so that what is killed is the program itself.
        command.args(["-c", &format!("exec {line}")]).current_dir(folder).env("PATH", &self.path);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn done(&self, line: &str) -> String {
        let output = self.type_in(line, &self.folder).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn games(&self) -> usize {
        let output =
            self.type_in("rookery games list --store evening.db --json", &self.folder).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout)
            .ok()
            .and_then(|games| games.as_array().map(Vec::len))
            .unwrap_or(0)
    }
}

/// Somebody hands in the kit of a language.
fn hand_in(staff: &Staff, language: &str, name: &str) {
    staff.done(&format!("rookery new-bot {language} bots/{name}"));
}

/// Somebody hands in a bot that plays its game before the first round, whose opponent has a sign that no student's name has,
/// and goes wrong in every other one.
fn hand_in_faulty(staff: &Staff, name: &str, wrong: &str) {
    let folder = staff.folder.join("bots").join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("bot.toml"), "run = 'python3 bot.py'\n").unwrap();
    let bot = format!(
        "\
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    kind = message['type']
    if kind == 'hello': print('{{\"type\":\"hello\",\"version\":1}}', flush=True)
    elif kind == 'new_game':
        counts = not any('#' in seat['name'] for seat in message['seats'])
        print('{{\"type\":\"ready\"}}', flush=True)
    elif kind == 'turn':
        move = message['legal'][0]
        if counts and message['ply'] > 3: {wrong}
        print(json.dumps({{'type': 'move', 'id': message['id'], 'move': move}}), flush=True)
    elif kind == 'quit': break
"
    );
    fs::write(folder.join("bot.py"), bot).unwrap();
}

/// What goes wrong, in the words of Python.
const CRASH: &str = "sys.exit('boom: my list was empty')";
const ILLEGAL: &str = "move = 'z9-z8'";
const SLEEP: &str = "time.sleep(3)";

/// Somebody hands in what cannot be started.
fn hand_in_dud(staff: &Staff, name: &str) {
    fs::create_dir(staff.folder.join("bots").join(name)).unwrap();
    fs::write(staff.folder.join("bots").join(name).join("bot.toml"), "run = 'false'\n").unwrap();
}

/// The staff with its clock and an empty folder for bots; nobody where a language is missing.
fn staff(languages: &[&str], clock: &'static str) -> Option<Staff> {
    for program in languages {
        if !Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()) {
            assert!(std::env::var_os("ROOKERY_ALL_KITS").is_none(), "{program} cannot be run");
            tell_skipped(&format!("docs/course.md, because there is no {program}"));
            return None;
        }
    }
    let (programs, folder) = (TempFolder::new("course-path"), TempFolder::new("course"));
    symlink(env!("CARGO_BIN_EXE_rookery"), programs.join("rookery")).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    fs::create_dir(folder.join("bots")).unwrap();
    Some(Staff { folder, path, clock, _programs: programs })
}

/// Types everything on the page; the power goes after so many games. The table as JSON.
fn hold_the_evening(staff: &Staff, n_handed_in: usize, games_before: usize) -> Value {
    let commands = commands();
    let [dry_run, run, resume, after @ ..] = &commands[..] else { panic!("{commands:?}") };
    assert!(dry_run.contains(CLOCK) && run.contains(CLOCK), "{dry_run}, {run}");
    let plan = staff.done(dry_run);
    assert!(plan.contains(&format!("{n_handed_in} players")) && plan.contains("9 rounds"), "{plan}");
    assert!(!staff.folder.join("evening.db").exists(), "nothing is begun");

    let mut power = staff.type_in(run, &staff.folder).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while staff.games() < games_before {
        let lasts = begin.elapsed() < Duration::from_mins(20);
        assert!(power.try_wait().unwrap().is_none() && lasts, "it plays");
        sleep(Duration::from_millis(20));
    }
    power.kill().unwrap();
    power.wait().unwrap();
    let before = staff.games();
    let (played, begin) = (begin.elapsed(), Instant::now());
    let table = staff.done(resume);
    eprintln!("{before} games in {played:?}, all others in {:?}", begin.elapsed());
    assert!(table.contains("complete") && table.lines().all(|line| line.chars().count() <= 80), "{table}");

    assert_eq!(after.len(), 3, "{after:?}");
    for line in after {
        let begin = Instant::now();
        staff.done(line);
        eprintln!("{line}: {:?}", begin.elapsed());
    }
    staff.done("rookery db check --store evening-copy.db");
    staff.done("rookery ratings --store evening-copy.db --recompute");
    let shown = staff.done("rookery tournament show --store evening.db --json");
    let result: Value = serde_json::from_str(&shown).unwrap();
    assert!(result["games"].as_u64().unwrap() > before as u64, "{before}: {result}");
    result
}

fn row<'a>(result: &'a Value, name: &str) -> &'a Value {
    let rows = result["standings"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {result}"))
}

#[test]
fn the_evening_goes_as_the_page_says() {
    let Some(staff) = staff(&["python3", "bash"], "--time 20s ") else { return };
    for (name, language) in [("ann", "python"), ("bob", "bash"), ("cleo", "python"), ("eve", "bash")] {
        hand_in(&staff, language, name);
    }
    hand_in_faulty(&staff, "dan", CRASH);
    hand_in_dud(&staff, "dud");
    assert!(PAGE.contains("`rookery check hexapawn -- python3 bot.py`"), "what a student types");
    let check = staff.type_in("rookery check hexapawn -- python3 bot.py", &staff.folder.join("bots/ann"));
    let mut check = check;
    assert!(check.output().unwrap().status.success());

    let result = hold_the_evening(&staff, 6, 3);
    let dan = row(&result, "dan");
    assert!(dan["suspended"] == true && dan["crashes"].as_u64().unwrap() >= 4, "{dan}");
    let rows = result["standings"].as_array().unwrap();
    assert_eq!(rows.len(), 5, "dud was left out");
    assert!(rows.iter().any(|row| row["byes"].as_u64().unwrap() > 0), "five had a bye each round: {result}");
    let report = fs::read_to_string(staff.folder.join("report.html")).unwrap();
    for part in ["ann", "bob", "cleo", "dan", "eve", "Time per move", "Reasons of losses", "dud"] {
        assert!(report.contains(part), "{part}");
    }
    assert!(!report.contains("<script"));
    for name in ["ann", "bob", "cleo", "dan", "eve"] {
        let files = fs::read_dir(staff.folder.join("hand-back").join(name)).unwrap().count();
        assert!(files > 3, "{name} has its games");
    }
    let faults = fs::read_to_string(staff.folder.join("hand-back/dan/faults.txt")).unwrap();
    assert!(faults.contains("boom: my list was empty"), "{faults}");
}

#[test]
#[ignore = "takes all cores for a minute; the figures of docs/course.md come from it"]
fn sixty_bots_of_three_languages_hold_their_evening() {
    let Some(staff) = staff(&["python3", "node", "bash"], CLOCK) else { return };
    for number in 0..60 {
        let name = format!("bot{number:02}");
        match number {
            9 | 39 => hand_in_dud(&staff, &name),
            19 | 49 => hand_in_faulty(&staff, &name, CRASH),
            29 => hand_in_faulty(&staff, &name, ILLEGAL),
            59 => hand_in_faulty(&staff, &name, SLEEP),
            _ => hand_in(&staff, ["python", "javascript", "bash"][number % 3], &name),
        }
    }
    let result = hold_the_evening(&staff, 60, 200);
    assert_eq!(result["standings"].as_array().unwrap().len(), 58);
    for name in ["bot19", "bot29", "bot49", "bot59"] {
        assert_eq!(row(&result, name)["suspended"], true, "{name}");
    }
}
