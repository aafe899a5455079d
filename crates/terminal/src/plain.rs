//! Play line by line: no escape codes, nothing that needs to be seen at a certain place. For pipes and screen readers.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rookery_catalog::Sitter;
use rookery_rules::Seat;

use crate::command::{Command, HELP, MAX_INPUT};
use crate::table::{Announcement, capital, seat_name};
use crate::{Table, Typed, clean, markdown, quoted, read_typed};

/// The width of texts where nobody says how wide a line may be.
const COLUMNS: usize = 80;

/// Plays until the input ends or says `quit`. `keep_note` is told the farewell whenever it changes, for whoever is
/// interrupted.
pub fn play(
    table: &mut Table,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    keep_note: &mut dyn FnMut(String),
) -> io::Result<()> {
    introduce(table, out)?;
    loop {
        computers(table, out)?;
        keep_note(farewell(table));
        say_board(table, out)?;
        // The board is shown again when something has happened.
        loop {
            out.flush()?;
            let Some(line) = read_line(input)? else {
                return write!(out, "{}", farewell(table));
            };
            let state = |table: &Table| (table.sitting().history().len(), table.sitting().position().text());
            let before = state(table);
            match line {
                Err(problem) => writeln!(out, "{problem}")?,
                Ok(line) => {
                    if !obey(table, &Command::parse(&line), out)? {
                        return write!(out, "{}", farewell(table));
                    }
                }
            }
            if state(table) != before || table.thinking().is_some() {
                break;
            }
            keep_note(farewell(table));
        }
    }
}

/// Shows a match of computers, or a record, with a pause after each move.
pub fn watch(table: &mut Table, delay: Duration, live: bool, out: &mut dyn Write) -> io::Result<()> {
    introduce(table, out)?;
    writeln!(out, "\n{}", table.sitting().position().board())?;
    loop {
        out.flush()?;
        if table.sitting().verdict().is_none() || table.sitting().can_redo() {
            std::thread::sleep(delay);
        }
        let stepped = table.step(true, Instant::now());
        if !stepped {
            if !live {
                break;
            }
            table.attend(Instant::now());
            if table.wait().is_none() {
                break;
            }
        }
        if let Some(entry) = table.sitting().history().pop() {
            say_entry(table, entry.seat, &entry.text, entry.is_move, out)?;
        }
        writeln!(out, "\n{}", table.sitting().position().board())?;
    }
    let scene = table.sitting().scene();
    match table.sitting().verdict() {
        Some(_) => writeln!(out, "\n{}", table.status(&scene)),
        None => writeln!(out, "\nThe record ends here; the match is unfinished."),
    }
}

/// What to say at the end: how it stands, where the record is, how to go on.
pub fn farewell(table: &Table) -> String {
    let sitting = table.sitting();
    let ending = sitting.verdict().map(|_| format!("{}\n", table.status(&sitting.scene())));
    let text = ending.unwrap_or_default();
    let Some(path) = sitting.path().filter(|_| sitting.is_kept()) else { return text };
    let file = quoted(path);
    let (what, command) = match sitting.verdict() {
        Some(_) => ("The record is kept. Look at it with", "watch"),
        None => ("The match is kept. Go on with", "play --resume"),
    };
    text + &format!("{what}: rookery {command} {file}\n")
}

fn introduce(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let sitting = table.sitting();
    let scene = sitting.scene();
    writeln!(out, "{}", sitting.header().game)?;
    for seat in Seat::all(sitting.header().seats.len()) {
        writeln!(out, "{}: {}", seat_name(&scene, seat), table.player(seat))?;
    }
    Ok(())
}

/// Lets computers move until a person is to move or the match is over.
fn computers(table: &mut Table, out: &mut dyn Write) -> io::Result<()> {
    loop {
        out.flush()?;
        table.attend(Instant::now());
        if table.wait().is_none() {
            return Ok(());
        }
        if let Some(entry) = table.sitting().history().pop() {
            say_entry(table, entry.seat, &entry.text, entry.is_move, out)?;
        }
    }
}

fn say_entry(table: &Table, seat: Seat, text: &str, is_move: bool, out: &mut dyn Write) -> io::Result<()> {
    let name = capital(&seat_name(&table.sitting().scene(), seat));
    let verb = if is_move { " plays" } else { ":" };
    writeln!(out, "{name} ({}){verb} {}", table.player(seat), clean(text))
}

fn say_board(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let sitting = table.sitting();
    writeln!(out, "\n{}", sitting.position().board())?;
    match sitting.to_ask() {
        None => {
            writeln!(out, "{}", table.status(&sitting.scene()))?;
            writeln!(out, "Type undo, restart, load FILE or quit.")?;
        }
        Some(seat) => {
            let name = capital(&seat_name(&sitting.scene(), seat));
            let time = table.time_left(seat, Instant::now());
            let time = time.map(|time| format!(" {} left.", clock_text(time))).unwrap_or_default();
            match sitting.sitter(seat) {
                Sitter::Person => writeln!(out, "{name}, your move.{time} Type a move, or help.")?,
                _ => writeln!(
                    out,
                    "{name} ({}) cannot play here. Type load FILE or quit.",
                    table.player(seat)
                )?,
            }
        }
    }
    if let Some(problem) = sitting.keeping_problem() {
        writeln!(out, "The record could not be written: {problem}")?;
    }
    Ok(())
}

/// Minutes and seconds; tenths when little is left.
pub(crate) fn clock_text(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 10 {
        format!("0:{:04.1}", time.as_millis().div_euclid(100) as f64 / 10.0)
    } else {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

/// Does what a line asks for. Whether to go on.
fn obey(table: &mut Table, command: &Command, out: &mut dyn Write) -> io::Result<bool> {
    let now = Instant::now();
    let done = match command {
        Command::Nothing => Ok(()),
        Command::Quit => return Ok(false),
        Command::Move(text) => table.play(text, now).map_err(|error| match table.sitting().to_ask() {
            Some(_) => format!("{error}. `moves` lists the legal ones"),
            None => error.to_string(),
        }),
        Command::Undo => table.undo(now).map_err(|error| error.to_string()),
        Command::Redo => table.redo(now).map_err(|error| error.to_string()),
        Command::Resign => table.resign(now).map_err(|error| error.to_string()),
        Command::Restart => {
            table.restart(now);
            writeln!(out, "A new match begins.")?;
            Ok(())
        }
        Command::Hint => hint(table, out)?,
        Command::Help => {
            for (command, what) in HELP {
                writeln!(out, "{command:10} {what}")?;
            }
            Ok(())
        }
        Command::Moves => {
            let moves = table.sitting().position().moves();
            writeln!(out, "{} legal moves: {}", moves.len(), moves.join(" "))?;
            Ok(())
        }
        Command::Board => {
            say_board(table, out)?;
            Ok(())
        }
        Command::Rules => {
            for line in markdown::render(table.rules(), COLUMNS) {
                writeln!(out, "{}", line.text())?;
            }
            Ok(())
        }
        Command::Save(path) => save(table, path.as_deref(), out)?,
        Command::Load(None) => Err("name the file: load FILE".to_owned()),
        Command::Load(Some(path)) => table.load(path, now).map(|()| table.attend(now)),
    };
    if let Err(problem) = done {
        writeln!(out, "{}.", capital(&clean(&problem)))?;
    }
    Ok(true)
}

fn hint(table: &mut Table, out: &mut dyn Write) -> io::Result<Result<(), String>> {
    if !table.ask_hint() {
        return Ok(Err("there is no hint now: it is not your move".to_owned()));
    }
    if let Some(Announcement::Hint(hint)) = table.wait() {
        writeln!(out, "Hint: {}.", hint.reason)?;
    }
    Ok(Ok(()))
}

fn save(table: &mut Table, path: Option<&Path>, out: &mut dyn Write) -> io::Result<Result<(), String>> {
    let saved = match path {
        Some(path) => {
            table.sitting().save_as(path).map(|()| path.to_owned()).map_err(|error| error.to_string())
        }
        None => match table.sitting().path().map(Path::to_owned) {
            Some(path) => table.sitting_mut().save().map(|()| path).map_err(|error| error.to_string()),
            None => Err("no record is kept; name a file: save FILE".to_owned()),
        },
    };
    Ok(match saved {
        Ok(path) => {
            writeln!(out, "Saved as {}", quoted(&path))?;
            Ok(())
        }
        Err(problem) => Err(problem),
    })
}

/// The next line; `None` at the end of the input. A line that is too long, or no text, is a problem to tell of.
fn read_line(input: &mut dyn BufRead) -> io::Result<Option<Result<String, String>>> {
    Ok(match read_typed(input, MAX_INPUT)? {
        Typed::End => None,
        Typed::TooLong(_) => Some(Err(format!(
            "The line is longer than {MAX_INPUT} bytes; expected a move or a command. Type help for a list."
        ))),
        Typed::Line(line) => Some(
            String::from_utf8(line)
                .map_err(|_| "The line is no text in UTF-8; expected a move or a command.".to_owned()),
        ),
    })
}
