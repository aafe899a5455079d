//! The binary `rookery`: one module a subcommand. Only this crate prints.

mod commands;
mod cores;
mod data_folder;
mod dispatch_args;
mod help;
mod lists;
mod new_file;
mod programs;
mod sandbox_args;
mod size;
mod spec;
mod stop;
mod store_args;
mod story;
mod svg_file;
mod table_args;

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use rookery_originals::{ErrorOutput, hexapawn, renpaarden, stones};
use rookery_server::dates;
use rookery_store::StoreError;
use rookery_terminal::clean_lines;

/// One referee for board games between programs and people.
#[derive(Debug, Parser)]
#[command(name = "rookery", version, max_term_width = 100, after_help = AFTER_HELP, disable_help_subcommand = true, args_conflicts_with_subcommands = true)]
struct Cli {
    /// Without a subcommand the page is served: open no browser for it
    #[arg(long)]
    no_open: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  rookery games
  rookery show hexapawn:rows=3,cols=3 --moves \"b2 axb2\"
  rookery match hexapawn:rows=8,cols=8 playouts random --games 100
  rookery renpaarden

Topics: rookery help players, records, specs, exit-codes
Exit codes: 0 done, 1 failed, 2 the command line is wrong; `rookery help exit-codes` has the others.";

#[derive(Debug, Subcommand)]
enum Command {
    Games(commands::games::Args),
    Rules(commands::rules::Args),
    Show(commands::show::Args),
    Moves(commands::moves::Args),
    Perft(commands::perft::Args),
    Analyse(commands::analyse::Args),
    Review(commands::review::Args),
    Puzzle(commands::puzzle::Args),
    History(commands::history::Args),
    Serve(commands::serve::Args),
    Play(commands::play::Args),
    Watch(commands::watch::Args),
    Match(commands::matches::Args),
    Tournament(commands::tournament::Args),
    Worker(commands::worker::Args),
    Cluster(commands::cluster::Args),
    Ratings(commands::ratings::Args),
    Sprt(commands::sprt::Args),
    NewBot(commands::new_bot::Args),
    Bot(commands::bot::Args),
    Check(commands::check::Args),
    Connect(commands::connect::Args),
    Solve(commands::solve::Args),
    Accuracy(commands::accuracy::Args),
    Drill(commands::drill::Args),
    Players(commands::players::Args),
    Doctor(commands::doctor::Args),
    Replay(commands::replay::Args),
    Verify(commands::verify::Args),
    Tournaments(commands::tournaments::Args),
    Entrants(commands::entrants::Args),
    Db(commands::db::Args),
    Fish(commands::fish::Args),
    Hexapawn(hexapawn::command::Args),
    Renpaarden(renpaarden::Args),
    Stones(stones::command::Args),
    Bench(commands::bench::Args),
    Completions(help::completions::Args),
    Help(help::topics::Args),
    #[command(hide = true)]
    EchoBot(commands::bench_wire::EchoArgs),
    #[command(hide = true)]
    BenchLoad(commands::bench_serve::LoadArgs),
    #[command(hide = true)]
    BenchPart(commands::bench_cluster::PartArgs),
    #[command(hide = true)]
    Man(help::man::Args),
}

/// Everything the command line understands.
fn command() -> clap::Command {
    help::grouped(Cli::command())
}

fn main() -> ExitCode {
    // Programs are started by ourselves, before there is a thread or an open file.
    if std::env::args_os().nth(1).is_some_and(|arg| arg == "launch") {
        return rookery_sandbox::launch(std::env::args_os().skip(2));
    }
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    rookery_players::use_tables(&data_folder::tables_folder());
    let mut out = io::stdout().lock();
    let err = ErrorOutput::new(io::stderr());
    let ok = |()| ExitCode::SUCCESS;
    let go_on = stop::this_command_with("--resume");
    let done = match &cli.command {
        None => commands::serve::front_door(cli.no_open, &mut out),
        Some(Command::Games(args)) => commands::games::run(args, &mut out).map(ok),
        Some(Command::Rules(args)) => commands::rules::run(args, &mut out),
        Some(Command::Show(args)) => commands::show::run(args, &mut out).map(ok),
        Some(Command::Moves(args)) => commands::moves::run(args, &mut out).map(ok),
        Some(Command::Perft(args)) => commands::perft::run(args, &mut out).map(ok),
        Some(Command::Analyse(args)) => commands::analyse::run(args, &mut out).map(ok),
        Some(Command::Review(args)) => commands::review::run(args, &mut out),
        Some(Command::Puzzle(args)) => commands::puzzle::run(args, &mut out).map(ok),
        Some(Command::History(args)) => commands::history::run(args, &mut out),
        Some(Command::Serve(args)) => commands::serve::run(args, &mut out),
        Some(Command::Play(args)) => commands::play::run(args, &mut out),
        Some(Command::Watch(args)) => commands::watch::run(args, &mut out),
        Some(Command::Match(args)) => commands::matches::run(args, &mut out),
        Some(Command::Tournament(args)) => commands::tournament::run(args, &mut out),
        Some(Command::Worker(args)) => commands::worker::run(args, &mut out),
        Some(Command::Cluster(args)) => commands::cluster::run(args, &mut out),
        Some(Command::Ratings(args)) => commands::ratings::run(args, &mut out),
        Some(Command::Sprt(args)) => commands::sprt::run(args, &mut out),
        Some(Command::NewBot(args)) => commands::new_bot::run(args, &mut out).map(ok),
        Some(Command::Bot(args)) => commands::bot::run(args, &mut out),
        Some(Command::Check(args)) => commands::check::run(args, &mut out),
        Some(Command::Connect(args)) => commands::connect::run(args),
        Some(Command::EchoBot(args)) => commands::bench_wire::echo(args).map(|()| ExitCode::SUCCESS),
        Some(Command::BenchPart(args)) => commands::bench_cluster::part(args, &mut out).map(ok),
        Some(Command::BenchLoad(args)) => commands::bench_serve::load(args, &mut out).map(ok),
        Some(Command::Accuracy(args)) => commands::accuracy::run(args, &mut out).map(ok),
        Some(Command::Drill(args)) => commands::drill::run(args, &mut out),
        Some(Command::Solve(args)) => commands::solve::run(args, &mut out),
        Some(Command::Doctor(args)) => commands::doctor::run(args, &mut out),
        Some(Command::Players(args)) => commands::players::run(args, &mut out).map(ok),
        Some(Command::Replay(args)) => commands::replay::run(args, &mut out).map(ok),
        Some(Command::Verify(args)) => commands::verify::run(args, &mut out).map(ok),
        Some(Command::Tournaments(args)) => commands::tournaments::run(args, &mut out).map(ok),
        Some(Command::Entrants(args)) => commands::entrants::run(args, &mut out).map(ok),
        Some(Command::Db(args)) => commands::db::run(args, &mut out),
        Some(Command::Renpaarden(args)) => {
            stop::watch(Some(args.grace())).and_then(|stop| renpaarden::run(args, &mut out, &stop))
        }
        Some(Command::Stones(args)) => stop::watch(args.grace()).and_then(|stop| {
            let on_terminal = io::stdout().is_terminal();
            stones::command::run(args, &mut out, &err, on_terminal, &stop, &go_on)
        }),
        Some(Command::Hexapawn(args)) => stop::watch(args.grace())
            .and_then(|stop| hexapawn::command::run(args, &mut out, &err, &stop, &go_on)),
        Some(Command::Fish(args)) => commands::fish::run(args, &mut out, &err),
        Some(Command::Bench(args)) => commands::bench::run(args, &mut out).map(ok),
        Some(Command::Completions(args)) => help::completions::run(args, &mut out).map(ok),
        Some(Command::Help(args)) => help::topics::run(args, &mut out).map(ok),
        Some(Command::Man(args)) => help::man::run(args, &mut out).map(ok),
    };
    let flushed = |code| match out.flush() {
        // What was interrupted because its terminal was closed has nobody left to talk to.
        Err(error) if code == commands::play::interrupted() && is_closed_terminal(&error) => Ok(code),
        flushed => Ok(flushed.map(|()| code)?),
    };
    match done.and_then(flushed) {
        Ok(code) => code,
        // Whoever read our output has seen enough: `rookery rules fish | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // It may hold the names of files and texts of others.
            let _ = writeln!(io::stderr(), "error: {}", clean_lines(&format!("{error:#}")));
            exit_code(&error)
        }
    }
}

/// What failed, as a number: a wrong command line, a damaged store, a place or a port that another program has, or anything
/// else.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    const LOCKED: u8 = 75;
    let locked = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref(), Some(rookery_record::ArchiveError::Locked { .. }))
    };
    let taken = |cause: &(dyn std::error::Error + 'static)| {
        let port = cause.downcast_ref::<rookery_live::OpenError>();
        port.is_some_and(|open| open.error.kind() == io::ErrorKind::AddrInUse)
    };
    if error.is::<spec::UsageError>() {
        ExitCode::from(2)
    } else if error.chain().any(locked) {
        ExitCode::from(LOCKED)
    } else if error.chain().any(taken) {
        ExitCode::from(commands::serve::PORT_TAKEN)
    } else {
        let store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
        store.map_or(ExitCode::FAILURE, |error| ExitCode::from(error.exit_code()))
    }
}

/// What a terminal answers that is no more: EIO or ENXIO. A full disk is another matter.
fn is_closed_terminal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(5 | 6))
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
