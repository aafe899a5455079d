//! A program that fails gives the terminal back before it says why.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]
#![cfg(unix)]

use std::io::Read;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::Frame;
use ratatui::crossterm::event::Event;
use rookery_live::Stopping;
use rookery_terminal::run::{Screen, show};

/// Set for the copy of this test that runs in a pseudo-terminal and fails there.
const CHILD: &str = "ROOKERY_TEST_PANICS";

struct Failing;

impl Screen for Failing {
    fn tick(&mut self, _: Instant) {}
    fn update(&mut self, _: &Event) {}
    fn draw(&mut self, _: &mut Frame<'_>) {
        panic!("this screen fails on purpose");
    }
    fn is_done(&self) -> bool {
        false
    }
    fn interrupt(&mut self) {}
    fn patience(&self) -> Duration {
        Duration::from_millis(10)
    }
}

#[test]
fn the_terminal_is_given_back_before_a_panic_is_reported() {
    if std::env::var_os(CHILD).is_some() {
        show(&mut Failing, std::io::stdout, &Stopping::new(Duration::ZERO)).unwrap();
        return;
    }
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["--nocapture", "--exact", "the_terminal_is_given_back_before_a_panic_is_reported"]);
    command.env(CHILD, "1");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut raw = vec![];
    let mut buffer = [0; 1024];
    // A terminal whose program has ended gives an error, not an end.
    while let Ok(n @ 1..) = reader.read(&mut buffer) {
        raw.extend_from_slice(&buffer[..n]);
    }
    child.wait().unwrap();
    let text = String::from_utf8_lossy(&raw).into_owned();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what:?} is in {text:?}"));
    assert!(at("\x1b[?1049h") < at("\x1b[?1049l"));
    assert!(at("\x1b[?1049l") < at("this screen fails on purpose"), "{text:?}");
    assert_eq!(text.matches("\x1b[?1049l").count(), 1, "it is given back once");
}
