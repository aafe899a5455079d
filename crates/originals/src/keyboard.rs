//! What is typed, so that whoever waits for it can be called away.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How often somebody who waits for a line looks up.
const LOOK_UP: Duration = Duration::from_millis(20);
/// The most of a line that is kept at once; the rest comes when it is wanted.
const MOST: u64 = 8 << 10;

/// An input that is read by a thread of its own, a line whenever one is wanted. Reading from it ends with
/// [`CalledAway`] when there is something more urgent; the line that was waited for comes the next time.
pub(crate) struct Keyboard<'a> {
    wants: Sender<()>,
    lines: Receiver<io::Result<Vec<u8>>>,
    /// Whether a line was wanted that has not come.
    waiting: bool,
    line: Vec<u8>,
    /// How much of the line was read.
    at: usize,
    is_called: Box<dyn Fn() -> bool + 'a>,
}

/// The reason of an error: nobody is to wait for a line any more.
#[derive(Debug)]
pub(crate) struct CalledAway;

impl fmt::Display for CalledAway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody waits for what is typed any more")
    }
}

impl std::error::Error for CalledAway {}

impl CalledAway {
    /// Whether it is the reason of this error.
    pub(crate) fn is_reason_of(error: &io::Error) -> bool {
        error.get_ref().and_then(|reason| reason.downcast_ref::<Self>()).is_some()
    }
}

impl<'a> Keyboard<'a> {
    /// Reads this input until it is called away. Its thread ends with this, or when the line has come that it waits for.
    pub(crate) fn new(mut input: impl BufRead + Send + 'static, is_called: impl Fn() -> bool + 'a) -> Self {
        let (wants, wanted) = mpsc::channel();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for () in wanted {
                let mut line = vec![];
                let read = (&mut input).take(MOST).read_until(b'\n', &mut line);
                if sender.send(read.map(|_| line)).is_err() {
                    return;
                }
            }
        });
        Self { wants, lines, waiting: false, line: vec![], at: 0, is_called: Box::new(is_called) }
    }

    /// From now on this calls away.
    pub(crate) fn call_when(&mut self, is_called: impl Fn() -> bool + 'a) {
        self.is_called = Box::new(is_called);
    }

    /// Waits for the next line; it is empty at the end of the input.
    fn wait(&mut self) -> io::Result<()> {
        if !self.waiting {
            self.waiting = self.wants.send(()).is_ok();
        }
        loop {
            match self.lines.recv_timeout(LOOK_UP) {
                Ok(line) => {
                    self.waiting = false;
                    (self.line, self.at) = (line?, 0);
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) if (self.is_called)() => {
                    return Err(io::Error::other(CalledAway));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the thread that reads what is typed has ended"));
                }
            }
        }
    }
}

impl Read for Keyboard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Keyboard<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.line.len() {
            self.wait()?;
        }
        Ok(&self.line[self.at..])
    }

    fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.line.len());
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn lines_come_as_they_are_and_then_the_end() {
        let mut keyboard = Keyboard::new(&b"one\ntwo\n\nlast"[..], || false);
        let mut all = String::new();
        keyboard.read_to_string(&mut all).unwrap();
        assert_eq!(all, "one\ntwo\n\nlast");
        assert_eq!(keyboard.read(&mut [0; 8]).unwrap(), 0, "the end stays");
    }

    #[test]
    fn whoever_waits_is_called_away_and_no_line_is_lost() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let called = Cell::new(true);
        let mut keyboard = Keyboard::new(io::BufReader::new(reader), || called.get());
        let mut line = String::new();
        assert!(CalledAway::is_reason_of(&keyboard.read_line(&mut line).unwrap_err()));
        called.set(false);
        io::Write::write_all(&mut writer, b"late\n").unwrap();
        assert_eq!((keyboard.read_line(&mut line).unwrap(), line.as_str()), (5, "late\n"));
    }
}
