//! `rookery renpaarden` as a person has it: the real program, at a terminal and through pipes.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::io::{Read as _, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Far more than anything here takes, also on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_mins(2);

/// The program at a terminal of its own.
struct Session {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    screen: Receiver<Vec<u8>>,
    /// Everything that was shown and not yet waited for.
    shown: String,
    _terminal: Box<dyn MasterPty + Send>,
}

impl Session {
    fn start(args: &[&str]) -> Self {
        let size = PtySize { rows: 50, cols: 120, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_rookery"));
        command.args(args);
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        Self { child, keyboard, screen, shown: String::new(), _terminal: pair.master }
    }

    /// Waits until this is shown, and gives everything up to it.
    fn until(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.shown.find(text) {
                let rest = self.shown.split_off(at + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.shown.push_str(&String::from_utf8_lossy(&bytes)),
                Err(why) => panic!("{text:?} was not shown ({why}); there is {:?}", self.shown),
            }
        }
    }

    fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits for the end of the program, which is a good one.
    fn ends(mut self) {
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

#[test]
fn a_person_plays_a_turn_against_the_computer_and_leaves() {
    let mut session = Session::start(&["renpaarden", "--seed", "1"]);
    session.until("5  Quit\r\n");
    session.until("Your choice (1 to 5)> ");
    session.types("2\r");
    session.until("Level (1 to 5, or Enter for medium)> ");
    session.types("\r");
    let board = session.until("Player 1 (o): X and Y of a piece, or hops> ");
    assert!(board.contains("   7   o  o  o  o  o  o  o  o  o   2\r\n"), "{board}");
    session.types("4 7\r");
    let list = session.until("number of the hop (0 to 3)> ");
    assert!(list.contains("   3  5:5 (f4)\r\n"), "{list}");
    session.types("3\r");
    session.until("Player 1 (o): 4:7 (e2) to 5:5 (f4)\r\n");
    let answer = session.until("Player 1 (o): X and Y of a piece, or hops> ");
    assert!(answer.contains("Player 2 (x): ") && answer.contains("turn 3"), "{answer}");
    // The terminal shows what is typed; the program does not repeat it.
    session.types("quit\r");
    let bye = session.until("Good bye.\r\n");
    assert_eq!(bye, "quit\r\nGood bye.\r\n");
    session.ends();
}

#[test]
fn the_original_s_dialogue_works_at_a_terminal_and_ctrl_d_leaves() {
    let mut session = Session::start(&["renpaarden", "--classic"]);
    session.until("choose a game mode: (1 - 4)\r\n");
    session.types("1.\r");
    session.until("choose X and Y to play: (0 - 8)\r\n");
    session.types("4.\r7.\r");
    session.until("Valid moves: [(3,5),(2,6),(6,6),(5,5)]\r\nchoose index of move to use:\r\n");
    session.types("3.\r");
    session.until("moved piece in position 4:7 to position 5:5\r\n");
    session.until("choose X and Y to play: (0 - 8)\r\n");
    session.types("\u{4}");
    session.until("end of input, the game stops here\r\n");
    session.ends();
}

#[test]
fn the_recorded_dialogue_replays_through_pipes() {
    let folder = rookery_testkit::reference_data().join("renpaarden");
    let read = |name| fs::read_to_string(folder.join(name));
    let (Ok(input), Ok(output)) = (read("dialogue-in.txt"), read("dialogue-out.txt")) else {
        let folder = folder.display();
        rookery_testkit::tell_skipped(&format!("the recorded dialogue: {folder} has none; set ROOKERY_DATA"));
        return;
    };
    let said = piped(&["renpaarden", "--classic"], &input);
    let game = &said[said.find("player 1: o\n").unwrap()..];
    let expected = &output[..output.rfind("ERROR:").unwrap()];
    assert_eq!(game, format!("{expected}end of input, the game stops here\n"));
}

#[test]
fn a_game_through_pipes_is_echoed_and_its_record_is_right() {
    let record = Path::new(env!("CARGO_TARGET_TMPDIR")).join("renpaarden-pipes.rookery.jsonl");
    let _ = fs::remove_file(&record);
    let file = record.to_str().unwrap();
    let args =
        ["renpaarden", "--mode", "player-player", "--game", "renpaarden:width=5,height=5", "--record", file];
    let said = piped(&args, "b2-c4-e3\nb4>d3\nundo\nb4-a2-b4\nresign\nn\n");
    assert!(said.contains("or hops> b2-c4-e3\nPlayer 1 (o): 1:3 (b2) to 2:1 (c4), onto an x\n"), "{said}");
    assert!(
        said.ends_with("Player 1 (o) resigns. Player 2 (x) wins!\nPlay again? (y/n)> n\nGood bye.\n"),
        "{said}"
    );
    assert!(piped(&["verify", file], "").starts_with("1 checked: 1 right, 0 unfinished, 0 wrong; 4 moves;"));
}

/// What the program says to these lines, when it ends well.
fn piped(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rookery"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
