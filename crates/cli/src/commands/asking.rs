//! `rookery play` without a game where there is no full screen: it asks line by line what to play.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use rookery_catalog::CATALOG;
use rookery_referee::Entry;
use rookery_terminal::plain::Explain;
use rookery_terminal::{FIRST_GAME, Typed, clean, read_typed};

use super::play::{Args, begin};
use crate::spec::{CheckedSpec, UsageError};

/// The longest answer that is read.
const MAX_ANSWER: usize = 1000;

/// What somebody wants to play.
#[derive(Debug)]
enum Answer {
    /// A small game that is explained step by step.
    Guide,
    Game(CheckedSpec),
    Quit,
    /// There is nobody who answers.
    Nothing,
}

/// Asks what to play, and plays it.
pub(super) fn run(
    args: &Args,
    is_first: bool,
    mut input: impl BufRead + Send + 'static,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (args, explain) = match ask(is_first, &mut input, out)? {
        Answer::Quit => return Ok(ExitCode::SUCCESS),
        Answer::Nothing => {
            let expected = "name a game, for example `rookery play hexapawn`; `rookery games` lists them";
            return Err(UsageError(expected.to_owned()).into());
        }
        Answer::Game(spec) => (args.with_game(spec, vec![]), Explain::No),
        Answer::Guide => {
            let (spec, players) = FIRST_GAME;
            let players = players.iter().map(|player| player.parse()).collect::<Result<Vec<Entry>, _>>()?;
            (args.with_game(spec.parse()?, players), Explain::Yes)
        }
    };
    begin(&args, explain, true, input, out)
}

fn ask(is_first: bool, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<Answer> {
    let names: Vec<&str> = CATALOG.iter().map(|game| game.name()).collect();
    let small = "guide for a small game that is explained step by step";
    if is_first {
        writeln!(out, "You have not played here yet. Type {small},")?;
        writeln!(out, "or the name of a game: {}. quit leaves.", names.join(", "))?;
    } else {
        writeln!(out, "Type the name of a game: {}.", names.join(", "))?;
        writeln!(out, "Or {small}; quit leaves.")?;
    }
    loop {
        out.flush()?;
        let line = match read_typed(input, MAX_ANSWER)? {
            Typed::End => return Ok(Answer::Nothing),
            Typed::TooLong(_) => String::new(),
            Typed::Line(line) => String::from_utf8(line).unwrap_or_default(),
        };
        match line.trim() {
            "quit" | "exit" => return Ok(Answer::Quit),
            "guide" => return Ok(Answer::Guide),
            "" => writeln!(out, "Type guide, quit or one of {}.", names.join(", "))?,
            text => match text.parse::<CheckedSpec>() {
                Ok(spec) => return Ok(Answer::Game(spec)),
                Err(error) => writeln!(out, "{}.", clean(&error.to_string()))?,
            },
        }
    }
}
