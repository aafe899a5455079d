//! docs/course.md: its commands are typed as they stand, with a few bots instead of sixty, and the power goes in the middle.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rookery_testkit::TempFolder;
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

struct Staff {
    folder: TempFolder,
    path: String,
}

impl Staff {
    fn type_in(&self, line: &str, folder: &Path) -> Command {
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

#[test]
fn the_evening_goes_as_the_page_says() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("ROOKERY_ALL_KITS").is_none(), "python3 cannot be run");
        eprintln!("SKIPPED: docs/course.md, because there is no python3");
        return;
    }
    let (programs, folder) = (TempFolder::new("course-path"), TempFolder::new("course"));
    symlink(env!("CARGO_BIN_EXE_rookery"), programs.join("rookery")).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let staff = Staff { folder, path };
    fs::create_dir(staff.folder.join("bots")).unwrap();
    for name in ["ann", "bob", "cleo"] {
        staff.done(&format!("rookery new-bot python bots/{name}"));
        let toml = staff.folder.join("bots").join(name).join("bot.toml");
        let text = fs::read_to_string(&toml).unwrap();
        let named: Vec<String> = text
            .lines()
            .map(|line| if line.starts_with("name") { format!("name = \"{name}\"") } else { line.to_owned() })
            .collect();
        fs::write(&toml, named.join("\n")).unwrap();
    }
    fs::create_dir(staff.folder.join("bots/dud")).unwrap();
    fs::write(staff.folder.join("bots/dud/bot.toml"), "name = 'dud'\nrun = 'false'\n").unwrap();
    assert!(PAGE.contains("`rookery check hexapawn -- python3 bot.py`"), "what a student types");
    let checked = staff.type_in("rookery check hexapawn -- python3 bot.py", &staff.folder.join("bots/ann"));
    let mut checked = checked;
    assert!(checked.output().unwrap().status.success());

    let commands = commands();
    let [dry_run, run, resume, after @ ..] = &commands[..] else { panic!("{commands:?}") };
    let plan = staff.done(dry_run);
    assert!(plan.contains("4 players") && plan.contains("9 rounds"), "{plan}");
    assert!(!staff.folder.join("evening.db").exists(), "nothing is begun");

    let mut power = staff.type_in(run, &staff.folder).stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while staff.games() < 3 {
        assert!(power.try_wait().unwrap().is_none() && begin.elapsed() < Duration::from_mins(2), "it plays");
        sleep(Duration::from_millis(20));
    }
    power.kill().unwrap();
    power.wait().unwrap();
    let before = staff.games();
    let table = staff.done(resume);
    assert!(table.contains("complete") && table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("Left out before the first round: dud"), "{table}");
    assert!(staff.games() > before);

    assert_eq!(after.len(), 3, "{after:?}");
    for line in after {
        staff.done(line);
    }
    let report = fs::read_to_string(staff.folder.join("report.html")).unwrap();
    for part in ["ann", "bob", "cleo", "Time per move", "Reasons of losses", "dud"] {
        assert!(report.contains(part), "{part}");
    }
    assert!(!report.contains("<script"));
    for name in ["ann", "bob", "cleo"] {
        let files = fs::read_dir(staff.folder.join("hand-back").join(name)).unwrap().count();
        assert!(files > 3, "{name} has its games");
    }
    staff.done("rookery db check --store evening-copy.db");
    staff.done("rookery ratings --store evening-copy.db --recompute");
}
