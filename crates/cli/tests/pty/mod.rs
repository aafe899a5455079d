//! The real program in a pseudo-terminal, and what its screen shows.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// Far more than anything takes, since the machine may be busy.
const PATIENCE: Duration = Duration::from_mins(1);

struct Seen {
    screen: vt100::Parser,
    raw: Vec<u8>,
}

pub(crate) struct Pty {
    /// Both are gone once the window is closed.
    window: Option<(Box<dyn MasterPty + Send>, Box<dyn Write + Send>)>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    /// Asks the thread that reads to stop after what comes next.
    closing: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Pty {
    /// Starts `rookery` with these arguments in a window of 80 by 24; matches are kept below `data`.
    pub(crate) fn start(args: &[&str], data: &Path) -> Self {
        Self::start_with(args, data, &[])
    }

    pub(crate) fn start_with(args: &[&str], data: &Path, vars: &[(&str, &str)]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_rookery"));
        command.args(args);
        Self::spawn(command, data, vars)
    }

    /// The same for a command that starts `rookery`.
    pub(crate) fn spawn(mut command: CommandBuilder, data: &Path, vars: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        command.cwd(env!("CARGO_TARGET_TMPDIR"));
        command.env("TERM", "xterm-256color");
        command.env("XDG_DATA_HOME", data);
        command.env_remove("NO_COLOR");
        for (name, value) in vars {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen { screen: vt100::Parser::new(24, 80, 0), raw: vec![] }));
        let (mut reader, shared) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&seen));
        let closing = Arc::new(AtomicBool::new(false));
        let is_closing = Arc::clone(&closing);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal whose program has ended gives an error, not an end.
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let mut seen = shared.lock().unwrap();
                seen.screen.process(&buffer[..n]);
                seen.raw.extend_from_slice(&buffer[..n]);
                if is_closing.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self { window: Some((pair.master, writer)), child, seen, closing, reader: Some(reader) }
    }

    pub(crate) fn text(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    pub(crate) fn raw(&self) -> Vec<u8> {
        self.seen.lock().unwrap().raw.clone()
    }

    /// Sends keys as a terminal does.
    pub(crate) fn send(&mut self, keys: &str) {
        let (_, writer) = self.window.as_mut().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        self.seen.lock().unwrap().screen.screen_mut().set_size(rows, cols);
        self.window.as_ref().unwrap().0.resize(size(cols, rows)).unwrap();
    }

    /// Closes the window, as if its terminal had crashed or a connection was lost.
    pub(crate) fn close(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        // The window is closed when nobody holds it any more, and whoever reads it waits for something to be drawn.
        self.resize(79, 23);
        self.reader.take().unwrap().join().unwrap();
        self.window = None;
    }

    /// Waits until the screen is as it should be.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, is_right: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        self.seen_before(end, &is_right).unwrap_or_else(|| self.missed(what))
    }

    /// Sends the same key again and again until the screen is as it should be.
    #[track_caller]
    pub(crate) fn send_until(&mut self, key: &str, what: &str, is_right: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            self.send(key);
            if let Some(text) = self.seen_before(Instant::now() + Duration::from_millis(300), &is_right) {
                return text;
            }
        }
        self.missed(what)
    }

    /// The screen as soon as it is as it should be, unless that takes too long. A screen may be seen while it is
    /// drawn, so it is looked at again once nothing more comes; what is gone by then was there.
    fn seen_before(&self, end: Instant, is_right: &impl Fn(&str) -> bool) -> Option<String> {
        loop {
            let text = self.text();
            if is_right(&text) {
                self.settle();
                let settled = self.text();
                return Some(if is_right(&settled) { settled } else { text });
            }
            if Instant::now() >= end {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn settle(&self) {
        for _ in 0..20 {
            let before = self.raw().len();
            thread::sleep(Duration::from_millis(20));
            if self.raw().len() == before {
                return;
            }
        }
    }

    #[track_caller]
    fn missed(&self, what: &str) -> ! {
        panic!("waiting for {what}; the screen shows\n{}", self.text())
    }

    /// Waits until the screen says this.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.until(text, |shown| shown.contains(text))
    }

    /// Waits for the end of the program, and for the last that it has drawn.
    #[track_caller]
    pub(crate) fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && Instant::now() < end
                {
                    thread::sleep(Duration::from_millis(5));
                }
                return status;
            }
            assert!(Instant::now() < end, "the program ends; the screen shows\n{}", self.text());
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// A click on the column and row where this text stands, both counted from 1 by the terminal.
    pub(crate) fn click_on(&mut self, text: &str) {
        let shown = self.wait_for(text);
        let (row, line) = shown.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let col = line.split(text).next().unwrap().chars().count();
        self.click(col + 1, row + 1);
    }

    pub(crate) fn click(&mut self, col: usize, row: usize) {
        self.send(&format!("\x1b[<0;{col};{row}M\x1b[<0;{col};{row}m"));
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ = self.child.kill();
    }
}
