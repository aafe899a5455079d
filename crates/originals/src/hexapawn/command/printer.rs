//! What is printed while a match runs, from wherever it comes, in one order.

use std::io::{self, ErrorKind, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Hands what is to be printed to the thread that prints, whole pieces at a time. If that has gone, nothing is printed any
/// more.
#[derive(Debug)]
pub(super) struct Printer {
    pieces: Sender<Piece>,
    /// What was written since the last flush.
    open: Vec<u8>,
}

/// Something that is printed at once.
#[derive(Debug)]
pub(super) enum Piece {
    /// A part of the log.
    Log(Vec<u8>),
    /// Something for the person at the terminal.
    Person(String),
}

impl Printer {
    /// A printer, and what it prints.
    pub(super) fn new() -> (Self, Receiver<Piece>) {
        let (sender, pieces) = channel();
        (Self { pieces: sender, open: vec![] }, pieces)
    }

    /// Shows something to the person at the terminal, after everything that was flushed before.
    pub(super) fn show_person(&self, text: String) {
        // Nobody prints any more: the match is being stopped.
        let _ = self.pieces.send(Piece::Person(text));
    }
}

impl Clone for Printer {
    fn clone(&self) -> Self {
        Self { pieces: self.pieces.clone(), open: vec![] }
    }
}

impl Write for Printer {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.open.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = Piece::Log(std::mem::take(&mut self.open));
        self.pieces.send(piece).map_err(|_| ErrorKind::BrokenPipe.into())
    }
}

/// Prints until all printers are gone: the log on `out`, the rest on `err`. An output that fails is told at
/// the end; the match does not stop for it.
pub(super) fn print_all(pieces: Receiver<Piece>, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<()> {
    let mut done = Ok(());
    for piece in pieces {
        match piece {
            Piece::Log(text) if done.is_ok() => done = out.write_all(&text).and_then(|()| out.flush()),
            Piece::Log(_) => {}
            Piece::Person(text) => {
                // Without an error output nobody can be asked, but the answer may still come.
                let _ = err.write_all(text.as_bytes());
            }
        }
    }
    done
}
