//! `rookery bot`: bots as bundles, archives that never change, in a store or on a server.

mod list;
mod push;
mod remote;

use std::io::Write;
use std::process::ExitCode;

use rookery_arena::bots::{BundleCache, Bundles};
use rookery_sandbox::Level;
use rookery_wire::Protocols;

use crate::data_folder::cache_folder;
use crate::sandbox_args::SandboxArgs;
use crate::spec::UsageError;

/// Push bots as bundles into a store or onto a server; list and retire them
///
/// A bundle is a bot's folder (docs/bots-folder.md) as one archive that never changes. It plays a short game of each of its games
/// before it may be seated, as bundle:NAME (docs/bundles.md).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    Push(Box<push::Args>),
    Pack(push::PackArgs),
    List(list::Args),
    Retire(list::RetireArgs),
}

const EXAMPLES: &str = "\
Examples:
  rookery bot push my-bot --store club.db
  rookery bot push my-bot --server http://192.168.1.5:7600 --token-file my.token
  rookery bot list --json
  rookery bot retire my-bot

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 the bot fails its validation game, 65 the store is damaged, 75
another program writes into the store.";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &args.deed {
        Deed::Push(args) => push::run(args, out),
        Deed::Pack(args) => push::pack_only(args, out),
        Deed::List(args) => list::run(args, out),
        Deed::Retire(args) => list::retire(args, out),
    }
}

/// Where this user's bundles are unpacked, and the sandbox they get: at this level unless a flag says otherwise.
pub(crate) fn bundles(sandbox: &SandboxArgs, usual: Level) -> Result<Bundles, UsageError> {
    Ok(Bundles::new(BundleCache::new(cache_folder().join("bundles")), sandbox.prepare_at(usual)?))
}

/// The protocols of the originals.
pub(crate) fn protocols() -> Protocols {
    let mut protocols = Protocols::default();
    rookery_originals::register(&mut protocols);
    protocols
}
