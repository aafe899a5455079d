//! `rookery tournament enter` and `withdraw`: who comes late, who goes.

use std::io::Write;
use std::process::ExitCode;

use rookery_arena::Tournament;
use rookery_referee::{Entry, SeatSpec};
use rookery_rules::text::clean;
use rookery_store::{BundleState, Store, TournamentId};
use rookery_tournament::EntrantSpec;

use super::run::usage;
use crate::spec::UsageError;
use crate::store_args::StoreArgs;

/// Let somebody take part in a tournament that has begun, from the next games on
///
/// The tournament must not be running: stop it, then `rookery tournament resume` goes on with the newcomer. Round robins at tables
/// of two, Swiss systems, gauntlets and ladders take newcomers (docs/formats.md). A program is named from the folder in which
/// the tournament was started.
#[derive(Debug, clap::Args)]
#[command(after_help = ENTER_EXAMPLES)]
pub(super) struct EnterArgs {
    /// Which tournament
    #[arg(value_name = "ID")]
    id: TournamentId,

    /// Who comes: NAME=PLAYER, as in `tournament run`
    #[arg(value_name = "NAME=PLAYER")]
    player: String,

    #[command(flatten)]
    store: StoreArgs,
}

const ENTER_EXAMPLES: &str = "\
Examples:
  rookery tournament enter 5t4e73e59t98 late=level:5
  rookery tournament enter 5t4e73e59t98 \"ann=cmd:./ann\" --store evening.db

Exit codes: 0 done, 1 failed, 2 the command line is wrong or the format takes nobody, 65 the store is damaged, 75 the
tournament is running.";

/// Take somebody out of a tournament that has begun: it plays what was paired already, and nothing more
#[derive(Debug, clap::Args)]
#[command(after_help = WITHDRAW_EXAMPLES)]
pub(super) struct WithdrawArgs {
    /// Which tournament
    #[arg(value_name = "ID")]
    id: TournamentId,

    /// Who goes
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    store: StoreArgs,
}

const WITHDRAW_EXAMPLES: &str = "\
Examples:
  rookery tournament withdraw 5t4e73e59t98 bob
  rookery tournament withdraw 5t4e73e59t98 bob --store evening.db

Exit codes: 0 done, 1 failed, 2 the command line is wrong or it cannot leave, 65 the store is damaged, 75 the tournament is
running.";

pub(super) fn enter(args: &EnterArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let entry: Entry =
        args.player.parse().map_err(|error| UsageError(format!("{}: {error}", clean(&args.player))))?;
    let (store, mut tournament) = open(&args.store, args.id)?;
    let name = Entry::names(std::slice::from_ref(&entry)).remove(0);
    let (player, version) = pinned(&store, entry.seat)?;
    let entrant = EntrantSpec { name: name.clone(), player, version };
    tournament.enter(entrant).map_err(usage)?;
    let (name, n) = (clean(&name), tournament.spec().entrants.len());
    writeln!(out, "{name} takes part, as one of {n}; `rookery tournament resume {}` goes on", args.id)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn withdraw(args: &WithdrawArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (_, mut tournament) = open(&args.store, args.id)?;
    tournament.withdraw(&args.name).map_err(usage)?;
    let name = clean(&args.name);
    writeln!(out, "{name} has left; `rookery tournament resume {}` goes on without it", args.id)?;
    Ok(ExitCode::SUCCESS)
}

/// Opened to be written, so that nobody plays meanwhile.
fn open(store: &StoreArgs, id: TournamentId) -> anyhow::Result<(Store, Tournament)> {
    store.expect_there()?;
    let store = store.write()?;
    let tournament = Tournament::open(&store, id).map_err(usage)?;
    Ok((store, tournament))
}

/// Whoever comes from the store comes as the archive that is there now, whatever is pushed later.
fn pinned(store: &Store, seat: SeatSpec) -> anyhow::Result<(SeatSpec, Option<String>)> {
    let SeatSpec::Bundle { name, sha256 } = &seat else { return Ok((seat, None)) };
    let found = store.find_bundle(name, sha256.as_deref())?;
    if found.state != BundleState::Ready {
        let state = found.state.word();
        return Err(UsageError(format!("{seat} is {state}; expected a bundle that is ready")).into());
    }
    Ok((SeatSpec::Bundle { name: found.name, sha256: Some(found.sha256.to_string()) }, Some(found.label)))
}
