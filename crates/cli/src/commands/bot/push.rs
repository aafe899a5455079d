//! `rookery bot push` and `pack`.

use std::fs::File;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use rookery_arena::bots::{BUNDLE_LEVEL, TakenIn, pack};
use rookery_rules::text::{clean, clean_lines};
use rookery_server::api::BundleData;
use rookery_store::BundleState;

use super::remote::RemoteArgs;
use crate::commands::write_json;
use crate::sandbox_args::SandboxArgs;
use crate::stop::watch;
use crate::store_args::StoreArgs;

/// Pack a bot's folder and push it, as a version that never changes
///
/// Its bot.toml must have a `name`. Into a store, it plays its validation games here and now, in the full sandbox unless --sandbox
/// lowers it; on a server it is tried there. The same files are the same bundle.
#[derive(Debug, clap::Args)]
#[command(after_help = PUSH_EXAMPLES)]
pub(super) struct Args {
    /// The bot's folder
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    remote: RemoteArgs,

    #[command(flatten)]
    sandbox: SandboxArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const PUSH_EXAMPLES: &str = "\
Examples:
  rookery bot push my-bot
  rookery bot push my-bot --store club.db --json
  rookery bot push my-bot --server http://192.168.1.5:7600 --token-file my.token

Exit codes: 0 it may be seated (on a server: it is to be tried), 1 failed, 2 the command line is wrong, 3 the bot fails its
validation game, 75 another program writes into the store: push to that server instead.";

/// Pack a bot's folder into a new archive, to be uploaded by other means
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery bot pack my-bot my-bot.tar.gz")]
pub(super) struct PackArgs {
    /// The bot's folder
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// A new file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What `push` says when a bot fails.
const FAILING: u8 = 3;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bytes = pack(&args.dir)?;
    if let Some(remote) = args.remote.server()? {
        let answer = remote.ask("POST", "/api/v1/bundles", &bytes)?;
        let bundle: BundleData =
            serde_json::from_slice(&answer).context("the server answers with something else")?;
        return say(&bundle, args.json, out);
    }
    let stopping = watch(None)?;
    let bundles = super::bundles(&args.sandbox, BUNDLE_LEVEL)?;
    let store = args.store.write()?;
    let mut bundle = bundles.take_in(&store, bytes, None)?;
    if bundle.state != BundleState::Ready {
        let tried = bundles.try_out(&store, bundle, &super::protocols, &stopping);
        if let Some(code) = stopping.exit_code() {
            return Ok(ExitCode::from(code));
        }
        TakenIn { bundle, .. } = tried?;
    }
    let data = BundleData::all(&store, vec![bundle])?;
    say(data.first().context("a bundle that was just pushed is not there")?, args.json, out)
}

fn say(bundle: &BundleData, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let code = if bundle.state == BundleState::Failing.word() { FAILING } else { 0 };
    if json {
        write_json(out, bundle)?;
        return Ok(ExitCode::from(code));
    }
    let (name, version) = (clean(&bundle.name), clean(&bundle.version));
    match bundle.state.as_str() {
        "ready" => writeln!(out, "{name} {version} is ready: seat it as bundle:{name}")?,
        "failing" => {
            writeln!(out, "{name} {version} is kept, but may not be seated")?;
            writeln!(stderr(), "error: {}", clean_lines(&bundle.problem))?;
        }
        state => {
            writeln!(
                out,
                "{name} {version} is {}: `rookery bot list` shows when it was tried",
                clean(state)
            )?;
        }
    }
    Ok(ExitCode::from(code))
}

pub(super) fn pack_only(args: &PackArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bytes = pack(&args.dir)?;
    let shown = clean(&args.file.display().to_string());
    let mut file = File::create_new(&args.file).with_context(|| format!("{shown}: expected a new file"))?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).with_context(|| shown.clone())?;
    writeln!(out, "{shown}: {} bytes, SHA-256 {}", bytes.len(), rookery_store::Hash::of(&bytes))?;
    Ok(ExitCode::SUCCESS)
}
