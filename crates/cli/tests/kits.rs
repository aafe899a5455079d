//! The starter kits: in every language a bot that plays at once, also where a path has a space.
//!
//! A language that this machine lacks is skipped, unless `ROOKERY_ALL_KITS` is set: `cargo xtask test` sets it when it has
//! found or installed them all.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::env;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use rookery_testkit::{TempFolder, skip, tell_skipped};
use serde_json::{Value, json};

const ROOKERY: &str = env!("CARGO_BIN_EXE_rookery");

/// The languages, and the programs that build and run their bots.
const KITS: [(&str, &[&str]); 10] = [
    ("python", &["python3"]),
    ("javascript", &["node"]),
    ("typescript", &["tsc", "node"]),
    ("java", &["javac", "java"]),
    ("c", &["cc"]),
    ("cpp", &["c++"]),
    ("rust", &["rustc"]),
    ("go", &["go"]),
    ("csharp", &["mcs", "mono"]),
    ("bash", &["bash"]),
];

/// A new bot in a folder of its own.
struct Kit {
    folder: TempFolder,
    /// Its seat spec, as `new-bot` prints it.
    spec: String,
}

impl Kit {
    /// Makes it, or says that it is skipped.
    fn new(language: &str) -> Option<Self> {
        let (_, programs) = KITS.iter().find(|(name, _)| *name == language).unwrap();
        let missing: Vec<&str> = programs.iter().copied().filter(|program| !on_path(program)).collect();
        if !missing.is_empty() {
            let missing = missing.join(" and ");
            let all = env::var_os("ROOKERY_ALL_KITS").is_some();
            assert!(!all, "{missing} is not on the PATH, and ROOKERY_ALL_KITS asks for every language");
            tell_skipped(&format!("the {language} kit, because {missing} is not on the PATH"));
            return None;
        }
        let folder = TempFolder::new(&format!("{language} kit"));
        let made = Command::new(ROOKERY).args(["new-bot", language]).arg(folder.join("my bot")).output();
        let printed = shown(&made.unwrap());
        let spec = printed.lines().last().unwrap().to_owned();
        assert!(spec.starts_with("cmd:"), "{printed}");
        Some(Self { folder, spec })
    }

    /// Whether the command of the spec, read as a shell reads it, passes the check.
    fn passes_the_check(&self) {
        passes(self.spec.strip_prefix("cmd:").unwrap(), &self.folder);
        passes_in_a_sandbox(self.spec.strip_prefix("cmd:").unwrap(), &self.folder);
    }
}

fn on_path(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|dir| dir.join(program).is_file())
}

/// The standard output of a command that succeeded.
fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// `rookery check` with a command, as it would be typed in that folder.
fn passes(command: &str, folder: &Path) {
    let typed = format!("exec \"$0\" check fish:rows=4,cols=4,players=3 -- {command}");
    let checked = Command::new("sh").args(["-c", &typed, ROOKERY]).current_dir(folder).output().unwrap();
    let printed = shown(&checked);
    assert!(printed.contains("on seat 3") && printed.contains("steps passed."), "{printed}");
}

/// The same with nothing but play allowed, where this machine can enforce that.
fn passes_in_a_sandbox(command: &str, folder: &Path) {
    let typed = format!("exec \"$0\" check hexapawn:rows=3,cols=3 --sandbox full -- {command}");
    let checked = Command::new("sh").args(["-c", &typed, ROOKERY]).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&checked.stderr);
    if checked.status.code() == Some(2) && said.contains("--sandbox full:") {
        skip(&format!("{command} is not checked in a full sandbox: {said}"));
        return;
    }
    assert!(said.starts_with("sandbox: full"), "{said}");
    assert!(shown(&checked).contains("steps passed."));
}

/// Plays games, all of which end by the rules.
fn plays(game: &str, players: [&str; 2], n_games: usize) {
    let mut command = Command::new(ROOKERY);
    command.args(["match", game]).args(players).args(["--games", &n_games.to_string(), "--json"]);
    let printed = shown(&command.output().unwrap());
    let report: Value = serde_json::from_str(&printed).unwrap();
    let games = report["games"].as_array().unwrap();
    assert_eq!(games.len(), n_games, "{printed}");
    for game in games {
        assert_eq!(
            (&game["ending"], &game["offender"], &game["removed"]),
            (&json!("normal"), &Value::Null, &json!([])),
            "{players:?}: {printed}"
        );
    }
}

macro_rules! languages {
    ($($language:ident),+) => {$(
        #[test]
        fn $language() {
            let Some(kit) = Kit::new(stringify!($language)) else { return };
            kit.passes_the_check();
            plays("hexapawn", [&kit.spec, "random"], 4);
        }
    )+};
}

languages!(python, javascript, typescript, java, c, cpp, rust, go, csharp, bash);

/// Each against the next in the list, and the last against the first, every game twice.
#[test]
fn all_languages_play_against_each_other() {
    let kits: Vec<(&str, Kit)> = thread::scope(|scope| {
        let made = KITS.map(|(language, _)| scope.spawn(move || Some((language, Kit::new(language)?))));
        made.into_iter().filter_map(|kit| kit.join().unwrap()).collect()
    });
    let games =
        ["hexapawn", "four", "stones:rows=3,cols=3", "renpaarden:width=3,height=5,max-turns=40", "fish"];
    for (idx, (language, kit)) in kits.iter().enumerate() {
        let (other, against) = &kits[(idx + 1) % kits.len()];
        let players = [format!("{language}={}", kit.spec), format!("{other}-too={}", against.spec)];
        plays(games[idx % games.len()], players.each_ref().map(String::as_str), 2);
    }
}

#[test]
fn the_example_of_the_javascript_library() {
    let Some(kit) = Kit::new("javascript") else { return };
    passes("node 'my bot/with-library.js'", &kit.folder);
}

#[test]
fn the_example_of_the_rust_library() {
    let Some(kit) = Kit::new("rust") else { return };
    let mut compiler = Command::new("rustc");
    compiler.args(["-O", "--edition", "2021", "with_library.rs"]).current_dir(kit.folder.join("my bot"));
    shown(&compiler.output().unwrap());
    passes("'my bot/with_library'", &kit.folder);
}
