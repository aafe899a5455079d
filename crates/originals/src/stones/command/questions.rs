//! Lines that somebody types, and the questions before a game.

use std::io::{self, BufRead, Write};

use rookery_catalog::{AnyGame, Stones};
use rookery_referee::{Entry, SeatSpec};
use rookery_rules::text::{Typed, clean, read_typed};

use super::TableArgs;

/// The most bytes of one typed line.
const MAX_LINE: usize = 1000;

/// Reads a typed line, without control characters. `None` at the end of the input.
pub(super) fn read_line(input: &mut dyn BufRead) -> io::Result<Option<String>> {
    let line = match read_typed(input, MAX_LINE)? {
        Typed::End => return Ok(None),
        // Nobody types so much; what there is will be found wrong.
        Typed::Line(line) | Typed::TooLong(line) => line,
    };
    let text = String::from_utf8_lossy(&line);
    Ok(Some(clean(text.trim())))
}

/// The beginning of what somebody typed, for a message.
pub(super) fn short(text: &str) -> String {
    const SHOWN: usize = 40;
    let more = if text.chars().count() > SHOWN { ".." } else { "" };
    text.chars().take(SHOWN).chain(more.chars()).collect()
}

/// Asks until the answer will do. `None` at the end of the input.
fn ask<T>(
    question: &str,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    read: impl Fn(&str) -> Result<T, String>,
) -> io::Result<Option<T>> {
    loop {
        write!(out, "{question}: ")?;
        out.flush()?;
        let Some(line) = read_line(input)? else { return Ok(None) };
        match read(&line) {
            Ok(value) => return Ok(Some(value)),
            Err(problem) => writeln!(out, "{problem}")?,
        }
    }
}

fn ask_number(
    what: &str,
    (low, high): (u8, u8),
    usual: u8,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<Option<u8>> {
    let usual = usual.clamp(low, high);
    ask(&format!("{what} ({low} to {high}) [{usual}]"), input, out, |line| match line.parse() {
        _ if line.is_empty() => Ok(usual),
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!(
            "`{}` will not do; type a number from {low} to {high}, or nothing for {usual}",
            short(line)
        )),
    })
}

/// The kinds of players, in the order of their numbers: a person, those of the original, then the others.
pub(super) fn kinds() -> Vec<&'static str> {
    let mut names: Vec<&str> = Stones.players().iter().map(|info| info.name).collect();
    names.sort_by_key(|&name| match name {
        "random" => 0,
        "aggressive" => 1,
        "cautious" => 2,
        "first" | "playouts" | "mcts" => 4,
        _ => 3,
    });
    names.insert(0, "human");
    names
}

fn ask_kind(id: usize, input: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Option<SeatSpec>> {
    let kinds = kinds();
    let last = kinds.len() - 1;
    ask(&format!("Type of player {id} (0 to {last})"), input, out, |line| {
        let by_number = line.parse::<usize>().ok().and_then(|idx| kinds.get(idx).copied());
        let known = by_number.or_else(|| kinds.iter().copied().find(|kind| *kind == line));
        let spec = known.unwrap_or(line).parse::<SeatSpec>();
        let expected = || {
            format!(
                "`{}` is no type; type a number from 0 to {last}, a name of the list, or cmd:COMMAND",
                short(line)
            )
        };
        match spec {
            Ok(SeatSpec::BuiltIn(player)) => {
                Stones.check_player(&player).map(|()| SeatSpec::BuiltIn(player)).map_err(|_| expected())
            }
            Ok(spec) => Ok(spec),
            Err(_) => Err(expected()),
        }
    })
}

/// Asks for what the flags do not say: the options of the setup, and the players. `None` at the end of the input.
pub(super) fn ask_missing(
    args: &TableArgs,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<Option<(String, Vec<Entry>)>> {
    let mut setup = args.setup_text();
    let mut say = |word: String| setup = if setup.is_empty() { word } else { format!("{word},{setup}") };
    let mut height = args.height.unwrap_or(8);
    // A setup in words may say the size itself, or have a board of its own.
    if args.setup.is_none() {
        if args.width.is_none() {
            let Some(width) = ask_number("Width", (1, 16), 8, input, out)? else { return Ok(None) };
            say(format!("cols={width}"));
        }
        if args.height.is_none() {
            let Some(asked) = ask_number("Height", (2, 16), 8, input, out)? else { return Ok(None) };
            height = asked;
            say(format!("rows={height}"));
        }
    }
    if !args.players.is_empty() {
        return Ok(Some((setup, args.players.clone())));
    }
    // Each player has a row of its own.
    let most = if args.setup.is_none() { height.min(8) } else { 8 };
    let Some(n_players) = ask_number("Players", (2, most), 2, input, out)? else { return Ok(None) };
    writeln!(out, "Types of players:")?;
    for (idx, kind) in kinds().iter().enumerate() {
        writeln!(out, "  {idx} {kind}")?;
    }
    let mut players = vec![];
    for id in 0..usize::from(n_players) {
        let Some(kind) = ask_kind(id, input, out)? else { return Ok(None) };
        players.push(Entry::nameless(kind));
    }
    Ok(Some((setup, players)))
}
