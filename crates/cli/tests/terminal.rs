//! The full screen in a real pseudo-terminal: keys go in, a terminal's screen is looked at.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![cfg(unix)]

mod pty;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use portable_pty::CommandBuilder;
use pty::Pty;

/// A folder for one test, empty at the start.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn records(data: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(data.join("rookery/games"));
    let mut files: Vec<PathBuf> = folder.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn verify(path: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rookery")).arg("verify").arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A person is to move, or the match is over.
fn is_ready(shown: &str) -> bool {
    shown.contains("Cursor: ") || is_over(shown)
}

fn is_over(shown: &str) -> bool {
    shown.contains("n: a new match")
}

/// Plays the first legal move until the match is over.
fn play_to_the_end(pty: &mut Pty) {
    for _ in 0..200 {
        // The screen may be seen while it is drawn, and a key that comes while a computer thinks does nothing. So the
        // list is asked for until it is there; once it is, the key means nothing to it.
        let is_there = |shown: &str| shown.contains("Which move?") || is_over(shown);
        let shown = pty.send_until("m", "the list of moves", is_there);
        if is_over(&shown) {
            return;
        }
        pty.send("\r");
        pty.until("the list to go", |shown| !shown.contains("Which move?"));
    }
    panic!("the match ends; the screen shows\n{}", pty.text());
}

fn whole_game(spec: &str) {
    let data = folder(&spec.replace([':', ',', '='], "-"));
    let mut pty = Pty::start(&["play", spec, "human", "random", "--seed", "4"], &data);
    play_to_the_end(&mut pty);
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
    let files = records(&data);
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(verify(&files[0]).contains("1 right"), "{}", verify(&files[0]));
}

#[test]
fn a_whole_game_of_fish() {
    whole_game("fish:rows=4,cols=3");
}

#[test]
fn a_whole_game_of_hexapawn() {
    whole_game("hexapawn:rows=4,cols=3,eliminate=choose");
}

#[test]
fn a_whole_game_of_renpaarden() {
    whole_game("renpaarden:width=3,height=5,max-turns=12");
}

#[test]
fn a_whole_game_of_stones() {
    whole_game("stones:rows=3,cols=3,players=2");
}

#[test]
fn undo_hint_and_bad_input() {
    let data = folder("undo");
    let mut pty = Pty::start(&["play", "hexapawn:rows=4,cols=4", "human", "first"], &data);
    pty.until("the board", is_ready);
    pty.send("z9\r");
    pty.wait_for("\"z9\" is no move; expected");
    pty.send("\x1b");
    pty.until("the line to close", |shown| !shown.contains("z9"));
    pty.send("b2\r");
    pty.until("both moves", |shown| shown.contains("b1-b2") && shown.contains("move 3"));
    pty.send("u");
    pty.wait_for("Taken back");
    pty.until("the start", |shown| shown.contains("move 1") && !shown.contains("b1-b2"));
    pty.send("b2\r");
    pty.until("both moves again", |shown| shown.contains("b1-b2") && shown.contains("move 3"));
    pty.send("[");
    pty.wait_for("after move 1 of 2");
    pty.send("\x1b[H");
    pty.wait_for("after move 0 of 2");
    pty.send("\r");
    pty.until("the present", is_ready);
    pty.send("h");
    pty.wait_for("Hint: ");
    pty.send("?");
    pty.wait_for("Keys and rules");
    pty.send("\x1b");
    pty.until("the board again", |shown| !shown.contains("Keys and rules"));
    pty.send("R");
    pty.wait_for("Resign this match?");
    pty.send("y");
    pty.wait_for("You resigned. Player 2 (first) won.");
    pty.send("u");
    pty.wait_for("Taken back: a new match goes on from here.");
    pty.send("qy");
    assert_eq!(pty.end().exit_code(), 0);
    let files = records(&data);
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(verify(&files[0]).contains("unfinished"), "the new one, hexapawn-2");
    assert!(verify(&files[1]).contains("1 right"));
}

#[test]
fn the_window_may_have_any_size() {
    let mut pty = Pty::start(&["play", "renpaarden", "--no-record"], &folder("resize"));
    pty.until("the board", is_ready);
    pty.resize(40, 8);
    pty.wait_for("This board needs a window");
    pty.resize(3, 2);
    pty.resize(120, 40);
    pty.until("the board", is_ready);
    pty.resize(80, 24);
    pty.until("the board with its edges", |shown| is_ready(shown) && shown.contains("q quit"));
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
}

#[test]
fn ctrl_c_tells_how_to_go_on_and_it_works() {
    let data = folder("interrupt");
    let mut pty = Pty::start(&["play", "hexapawn:rows=4,cols=4", "human", "first"], &data);
    pty.until("the board", is_ready);
    pty.send("b2\r");
    pty.until("both moves", |shown| shown.contains("b1-b2") && shown.contains("move 3"));
    pty.send("\x03");
    assert_eq!(pty.end().exit_code(), 130);
    let farewell = pty.wait_for("rookery play --resume ");
    let told: Vec<&str> = farewell.lines().filter(|line| line.starts_with("rookery ")).collect();
    assert_eq!(told.len(), 1, "the command has a line of its own: {farewell}");
    assert!(!farewell.contains("q quit"), "the screen from before is back: {farewell}");
    let file = records(&data).remove(0);
    // The terminal may have broken the line.
    assert!(farewell.replace('\n', "").contains(file.to_str().unwrap()), "{farewell}");
    assert!(verify(&file).contains("unfinished"));

    let mut again = Pty::start(&["play", "--resume", file.to_str().unwrap()], &data);
    again.until("both moves", |shown| shown.contains("b1-b2") && shown.contains("move 3"));
    again.send("u");
    again.wait_for("Taken back");
    again.send("qy");
    assert_eq!(again.end().exit_code(), 0);
}

#[test]
fn fault_s15_the_terminal_is_given_back_when_the_program_is_told_to_end() {
    let mut pty = Pty::start(&["play", "fish", "--no-record"], &folder("sigterm"));
    pty.until("the board", is_ready);
    let killed = Command::new("kill").args(["-TERM", &pty.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(pty.end().exit_code(), 143);
    pty.until("the screen from before", |shown| !shown.contains("q quit"));
    let raw = pty.raw();
    let tail = String::from_utf8_lossy(&raw[raw.len().saturating_sub(200)..]).into_owned();
    for code in ["\x1b[?1049l", "\x1b[?1000l", "\x1b[?25h"] {
        assert!(tail.contains(code), "{code:?} in {tail:?}");
    }
}

/// Far more than it takes to notice that the terminal is gone.
const CLOSED: Duration = Duration::from_secs(20);

#[test]
fn fault_s15_a_closed_terminal_ends_every_screen() {
    for (name, args, shown) in [
        ("play", &["play", "hexapawn", "human", "first"][..], "Cursor: "),
        ("thinking", &["play", "fish", "mcts:playouts=100000000", "human", "--no-record"], "thinks"),
        ("watch", &["watch", "fish", "first", "first", "--delay", "10s"], "10.00 s a move"),
        ("launcher", &["play"], "What would you like to play?"),
    ] {
        let data = folder(&format!("closed-{name}"));
        let mut pty = Pty::start(args, &data);
        pty.wait_for(shown);
        if name == "play" {
            pty.send("c2\r");
            pty.until("both moves", |shown| shown.contains("move 3"));
        }
        let closed = Instant::now();
        pty.close();
        // By its own decision, not by the signal.
        assert_eq!(pty.end().exit_code(), 130, "{name}");
        assert!(closed.elapsed() < CLOSED, "{name}: {:?}", closed.elapsed());
        if name == "play" {
            assert!(verify(&records(&data)[0]).contains("unfinished"), "the match is kept");
        }
    }
}

/// Ends the program whose id is in a file, if the test has failed and so may have left it behind.
#[cfg(target_os = "linux")]
struct LeftBehind(PathBuf);

#[cfg(target_os = "linux")]
impl Drop for LeftBehind {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(id) = fs::read_to_string(&self.0)
        {
            let _ = Command::new("kill").args(["-KILL", id.trim()]).status();
        }
    }
}

/// A program in a session of its own gets no signal when the terminal is closed; it can only see that nothing more
/// comes.
#[cfg(target_os = "linux")]
#[test]
fn fault_s15_a_closed_terminal_is_noticed_without_a_signal() {
    const SCRIPT: &str = r#"
        cd "$XDG_DATA_HOME"
        trap '' HUP
        setsid -w sh -c 'echo $$ >id; exec "$0" play hexapawn human first --no-record' "$0"
        echo $? >ended"#;
    let data = folder("closed-quietly");
    let _left_behind = LeftBehind(data.join("id"));
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_rookery")]);
    let mut pty = Pty::spawn(command, &data, &[]);
    pty.until("the board", is_ready);
    let closed = Instant::now();
    pty.close();
    assert!(pty.end().success());
    assert!(closed.elapsed() < CLOSED, "{:?}", closed.elapsed());
    assert_eq!(fs::read_to_string(data.join("ended")).unwrap().trim(), "130");
}

/// Whether the output sets any colour.
fn has_colours(raw: &[u8]) -> bool {
    let text = String::from_utf8_lossy(raw).into_owned();
    text.split("\x1b[").skip(1).any(|rest| {
        let Some((codes, _)) =
            rest.split_once('m').filter(|(codes, _)| codes.chars().all(|c| c.is_ascii_digit() || c == ';'))
        else {
            return false;
        };
        codes.split(';').any(|code| matches!(code.parse(), Ok(30..=38 | 40..=48 | 90..=107)))
    })
}

#[test]
fn no_color_is_respected() {
    let data = folder("colour");
    for (vars, expected) in [(&[("NO_COLOR", "1")][..], false), (&[][..], true)] {
        let mut pty = Pty::start_with(&["play", "fish", "human", "first", "--no-record"], &data, vars);
        pty.until("the board", is_ready);
        pty.send("\r");
        pty.until("the answer", |shown| shown.contains("move 3") && is_ready(shown));
        pty.send("\x03");
        assert_eq!(pty.end().exit_code(), 130);
        assert_eq!(has_colours(&pty.raw()), expected, "{vars:?}");
    }
}

#[test]
fn a_click_chooses_a_piece_and_where_it_goes() {
    let mut pty =
        Pty::start(&["play", "hexapawn:rows=3,cols=3", "human", "first", "--no-record"], &folder("mouse"));
    pty.until("the board", is_ready);
    // The column of the letter below the board, and the lines of the numbers beside it.
    let shown = pty.text();
    let letters = shown.lines().find(|line| line.split_whitespace().take(3).eq(["a", "b", "c"])).unwrap();
    let col = letters.find('b').unwrap() + 1;
    let line_of = |number: &str| {
        1 + shown.lines().position(|line| line.split_whitespace().next() == Some(number)).unwrap()
    };
    pty.click(col, line_of("1"));
    pty.wait_for("Cursor: b1");
    pty.click(col, line_of("2"));
    pty.wait_for("b1-b2");
    pty.click_on("u undo");
    pty.wait_for("Taken back");
    pty.click_on("q quit");
    assert_eq!(pty.end().exit_code(), 0);
}

#[test]
fn the_launcher_leads_to_a_match_and_back() {
    let data = folder("launcher");
    let mut pty = Pty::start(&["play"], &data);
    let shown = pty.wait_for("What would you like to play?");
    assert!(!shown.contains("Your matches"), "there are none yet");
    pty.click_on("Hexapawn");
    pty.wait_for("You against level:1");
    pty.send("1");
    pty.until("the board", is_ready);
    pty.send("c2\r");
    pty.wait_for("c1-c2");
    pty.until("the answer", |shown| shown.contains("move 3"));
    pty.send("q");
    pty.wait_for("Leave this match?");
    pty.send("y");
    pty.wait_for("Your matches");
    pty.send("6");
    pty.wait_for("unfinished after 2 moves");
    pty.send("\r");
    pty.until("the match again", |shown| shown.contains("c1-c2") && is_ready(shown));
    pty.send("qy");
    pty.wait_for("What would you like to play?");
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
    assert_eq!(records(&data).len(), 1);
}

#[test]
fn the_launcher_begins_matches_as_the_command_line_says() {
    let data = folder("launcher-flags");
    let mut pty = Pty::start(&["play", "--no-record", "--time", "10m"], &data);
    pty.click_on("Hexapawn");
    pty.wait_for("You against level:1");
    pty.send("1");
    pty.until("a clock", |shown| shown.contains("10:00") || shown.contains("9:5"));
    pty.send("qy");
    pty.wait_for("What would you like to play?");
    pty.send("q");
    assert_eq!((pty.end().exit_code(), records(&data).len()), (0, 0));
    assert_eq!(Pty::start(&["play", "--record", "a.jsonl"], &data).end().exit_code(), 2);
}

#[test]
fn a_record_is_watched_forth_and_back() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/records.in/matches/finished.rookery.jsonl");
    let before = fs::read(record).unwrap();
    let mut pty = Pty::start(&["watch", record, "--delay", "20ms"], &folder("watch"));
    pty.wait_for(" resigned. ");
    pty.send("\x1b[D");
    pty.wait_for("stopped, move 2");
    pty.send("\x1b[D");
    pty.wait_for("stopped, move 1");
    pty.send("\x1b[C");
    pty.wait_for("stopped, move 2");
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
    assert_eq!(fs::read(record).unwrap(), before);

    let mut live = Pty::start(&["watch", "hexapawn:rows=3,cols=3", "--delay", "20ms"], &folder("watch-live"));
    live.until("the end", |shown| shown.contains(") won."));
    live.send("q");
    assert_eq!(live.end().exit_code(), 0);
}

#[test]
fn rules_are_as_wide_as_the_terminal() {
    let data = folder("rules");
    for (vars, bold) in [(&[][..], true), (&[("NO_COLOR", "1")][..], false)] {
        let mut pty = Pty::start_with(&["rules", "hexapawn", "--plain"], &data, vars);
        assert_eq!(pty.end().exit_code(), 0);
        pty.wait_for("loses.");
        let raw = String::from_utf8(pty.raw()).unwrap();
        let codes = ["\x1b[1m", "\x1b[22m", "\x1b[3m", "\x1b[23m"];
        let text = codes.iter().fold(raw.clone(), |text, code| text.replace(code, ""));
        assert!(text.lines().all(|line| line.chars().count() <= 80) && !text.contains('\x1b'), "{text}");
        assert!(raw.contains("Doubtful points") && !raw.contains("](") && !raw.contains("##"), "{raw}");
        assert_eq!(raw.contains("\x1b[1m"), bold, "{raw}");
    }
}

#[test]
fn rules_on_the_screen_have_boards_to_move_on() {
    let mut pty = Pty::start(&["rules", "hexapawn"], &folder("rules-screen"));
    pty.wait_for("Two players, pawns only");
    pty.send("\t\t");
    pty.wait_for("> Board 2: player 2 to move");
    pty.send("\r");
    pty.wait_for("a board of the rules");
    pty.send("a3xb2\r");
    pty.until("the move", |shown| shown.contains("player 1 to move") || shown.contains("Player 1 to move"));
    pty.send("q");
    pty.wait_for("> Board 2: player 2 to move");
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
}

#[test]
fn a_game_is_reviewed_and_played_on() {
    let data = folder("review");
    let mut pty = Pty::start(&["play", "hexapawn:rows=3,cols=3", "human", "random", "--seed", "4"], &data);
    play_to_the_end(&mut pty);
    pty.wait_for("You against random: ");
    pty.send("r");
    pty.wait_for("review, ");
    pty.send("\x1b[H");
    pty.wait_for("review, move 1 of ");
    pty.send("p");
    pty.wait_for("A new match goes on from here.");
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
    let files: Vec<String> = records(&data).iter().map(|path| path.display().to_string()).collect();
    assert!(files.iter().any(|file| file.ends_with("hexapawn.rookery.review.json")), "{files:?}");
    // The list of games knows it, and a later look as well.
    let output = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(["history", "--json"])
        .env("XDG_DATA_HOME", &data)
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let reviewed = listed.as_array().unwrap().iter().find(|row| row["id"] == "hexapawn").unwrap();
    assert!(reviewed["accuracy"].is_number(), "{listed}");
    let mut launcher = Pty::start(&["play"], &data);
    launcher.wait_for("Your matches");
    launcher.send("6");
    launcher.wait_for("r review");
    // The newest may be the one that was played on from, without a move; only those that have begun are listed.
    launcher.send("r");
    launcher.wait_for("review, ");
    launcher.send("q");
    launcher.wait_for("What would you like to play?");
    launcher.send("q");
    assert_eq!(launcher.end().exit_code(), 0);
}

#[test]
fn who_plays_for_the_first_time_is_offered_a_guided_game() {
    let mut pty = Pty::start(&["play"], &folder("first"));
    pty.wait_for("A first game");
    pty.send("\r");
    pty.wait_for("Tab goes there, Enter takes the piece.");
    pty.send("q");
    pty.wait_for("What would you like to play?");
    pty.send("q");
    assert_eq!(pty.end().exit_code(), 0);
}

/// A shell with jobs, as people use it.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_until_it_calls_back() {
    const SCRIPT: &str = r#"
        set -m
        "$0" play hexapawn:rows=4,cols=4 human first --no-record
        echo "the shell has $? it"
        stty -a | tr ' ;' '\n\n' | grep -x -e '-*icanon' -e '-*echo'
        read answer
        fg >/dev/null
        echo "ended with $?""#;
    for outside in [false, true] {
        let mut command = CommandBuilder::new("sh");
        command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_rookery")]);
        let mut pty = Pty::spawn(command, &folder("suspend"), &[]);
        pty.until("the board", is_ready);
        pty.send("b2\r");
        pty.until("both moves", |shown| shown.contains("b1-b2") && shown.contains("move 3"));
        if outside {
            // Nobody can give the terminal back then, but it is taken again.
            let children = format!("/proc/{0}/task/{0}/children", pty.id());
            let child = fs::read_to_string(children).unwrap();
            assert!(Command::new("kill").args(["-STOP", child.trim()]).status().unwrap().success());
            pty.wait_for("the shell has 147 it");
        } else {
            pty.send("\x1a");
            let shown = pty.wait_for("the shell has 148 it");
            assert!(!shown.contains("q quit"), "the screen from before is back: {shown}");
            let shown = pty.wait_for("echo");
            assert!(shown.contains("\nicanon\n") && shown.contains("\necho"), "it is not raw: {shown}");
        }
        pty.send("\n");
        pty.until("the whole match again", |shown| {
            is_ready(shown)
                && shown.contains("b1-b2")
                && shown.contains("q quit")
                && !shown.contains("the shell has")
        });
        // Keys work as before, without Enter.
        pty.send("u");
        pty.wait_for("Taken back");
        pty.send("q");
        pty.wait_for("ended with 0");
        assert!(pty.end().success());
    }
}
