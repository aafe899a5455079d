//! `rookery stones player`: one of our players, or a person, at a referee elsewhere.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use rookery_catalog::{Stones, strategy};
use rookery_referee::SeatSpec;
use rookery_rules::Seed;
use rookery_rules::text::clean;

use super::person::{Decision, ask_move};
use super::screen::{Screen, View};
use crate::UsageError;
use crate::stones::{Client, Move, Thinker, attend};

/// Play one game for a referee elsewhere, by JSON lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery stones player --connect 127.0.0.1:4000 --player medium
  rookery stones player --connect 127.0.0.1:4000 --player human
  rookery stones referee --player \"cmd:rookery stones player --stdio\" --player random")]
pub(super) struct Args {
    /// The referee's address
    #[arg(long, value_name = "HOST:PORT", required_unless_present = "stdio")]
    connect: Option<String>,

    /// Talk with the referee by standard input and output instead
    #[arg(long, conflicts_with = "connect")]
    stdio: bool,

    /// Who plays: a built-in (`rookery players`), or human
    #[arg(long, value_name = "SPEC", default_value = "aggressive")]
    player: SeatSpec,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

pub(super) fn run(args: &Args, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.connect {
        None if args.player == SeatSpec::Human => {
            Err(UsageError("--stdio leaves no way to ask a person; use --connect".to_owned()).into())
        }
        None => {
            play(args, input, &mut *out)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(address) => {
            let connected = || format!("no referee could be reached at {}", clean(address));
            let stream = TcpStream::connect(address).with_context(connected)?;
            stream.set_nodelay(true)?;
            let reader = BufReader::new(stream.try_clone()?);
            if args.player == SeatSpec::Human {
                return person(Client::start(reader, stream)?, input, out);
            }
            if let Some(last) = play(args, reader, stream)? {
                writeln!(out, "{}", clean(&last))?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Plays with a built-in player. The last message, for people.
fn play(args: &Args, reader: impl BufRead, writer: impl Write) -> anyhow::Result<Option<String>> {
    let SeatSpec::BuiltIn(player) = &args.player else {
        let problem = format!("--player {}: expected a built-in player, or human", args.player);
        return Err(UsageError(problem).into());
    };
    let (strategy, _) = strategy::<Stones>(player).map_err(|error| UsageError(error.to_string()))?;
    let make = |time: Option<Duration>| Thinker::new(strategy, time, Seed(args.seed));
    Ok(attend(reader, writer, make)?.map(|message| message.to_string()))
}

/// A person here plays for a referee there.
fn person<R: Read>(
    mut client: Client<BufReader<R>, impl Write>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let id = client.player();
    writeln!(out, "You are player {id}.")?;
    let mut screen = Screen::new(View::Board { clears: false, delay: Duration::ZERO });
    while let Some(update) = client.receive()? {
        screen.update(&update, out)?;
        if !client.is_asked(&update) {
            continue;
        }
        let position = update.state.position()?;
        let mut said = vec![];
        let decision = ask_move(&position, id.into(), &mut |text| said.push(text.to_owned()), input, out)?;
        for text in said {
            client.say(&text)?;
        }
        match decision {
            Decision::Move(mv) => client.send(Move { player: id, from: mv.from.into(), to: mv.to.into() })?,
            Decision::Resign | Decision::Leave => {
                writeln!(out, "\nYou left the game.")?;
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
