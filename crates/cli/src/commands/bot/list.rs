//! `rookery bot list` and `retire`.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context as _;
use rookery_referee::SeatSpec;
use rookery_rules::text::clean;
use rookery_server::api::BundleData;
use rookery_store::{BundleFilter, BundleState, Page, Store};
use serde_json::{Value, json};

use super::remote::RemoteArgs;
use crate::commands::write_json;
use crate::dates;
use crate::lists::{Column, write_table};
use crate::spec::UsageError;
use crate::store_args::StoreArgs;

/// List the bundles of a store or a server, the latest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery bot list
  rookery bot list --name my-bot --store club.db --json
  rookery bot list --server http://192.168.1.5:7600")]
pub(super) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    remote: RemoteArgs,

    /// Only of the bot of this name
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,
}

/// Seat a bot no more: all its bundles, or the one of a hash; tournaments that have begun go on with it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery bot retire my-bot
  rookery bot retire my-bot@3f8a90c1 --store club.db
  rookery bot retire my-bot --server http://192.168.1.5:7600 --token-file my.token")]
pub(super) struct RetireArgs {
    /// Which bot, and perhaps which of its bundles
    #[arg(value_name = "NAME[@HASH]")]
    bot: String,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    remote: RemoteArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How many are listed.
const MOST: u32 = 1000;

fn name(text: &str) -> Result<String, String> {
    if rookery_referee::is_name(text) {
        Ok(text.to_owned())
    } else {
        Err("expected the name of a bot: 1 to 24 letters, digits, `_` and `-`".to_owned())
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let bundles = if let Some(remote) = args.remote.server()? {
        let query = args.name.as_ref().map(|name| format!("?name={name}")).unwrap_or_default();
        let answer = remote.ask("GET", &format!("/api/v1/bundles{query}"), b"")?;
        serde_json::from_slice(&answer).context("the server answers with something else")?
    } else {
        let filter = BundleFilter { name: args.name.clone(), state: None };
        let store = args.store.read()?;
        BundleData::all(&store, store.bundles(&filter, Page { before: None, limit: MOST })?)?
    };
    if args.json {
        write_json(out, &bundles)?;
        return Ok(ExitCode::SUCCESS);
    }
    if bundles.is_empty() {
        writeln!(out, "There are no bundles. `rookery bot push DIR` brings one.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = [
        Column::Cut("name"),
        Column::Cut("version"),
        Column::Whole("SHA-256"),
        Column::Right("bytes"),
        Column::Whole("state"),
        Column::Cut("of"),
        Column::Whole("since"),
    ];
    let row = |bundle: &BundleData| {
        vec![
            bundle.name.clone(),
            bundle.version.clone(),
            bundle.sha256.get(..12).unwrap_or_default().to_owned(),
            bundle.bytes.to_string(),
            bundle.state.clone(),
            bundle.owner.clone().unwrap_or_default(),
            dates::day(bundle.created_ms),
        ]
    };
    write_table(&columns, &bundles.iter().map(row).collect::<Vec<_>>(), out)?;
    for bundle in bundles.iter().filter(|bundle| bundle.state == BundleState::Failing.word()) {
        let first = bundle.problem.lines().next().unwrap_or_default();
        writeln!(out, "{} {}: {}", clean(&bundle.name), clean(&bundle.version), clean(first))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn retire(args: &RetireArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    // The same grammar as at the table.
    let seat: SeatSpec = format!("bundle:{}", args.bot)
        .parse()
        .map_err(|error| UsageError(format!("{}: {error}", clean(&args.bot))))?;
    let SeatSpec::Bundle { name, sha256 } = seat else {
        return Err(UsageError(format!("{}: expected NAME or NAME@HASH", clean(&args.bot))).into());
    };
    let retired = if let Some(remote) = args.remote.server()? {
        if sha256.is_some() {
            return Err(UsageError("a server retires whole bots: name it without a hash".to_owned()).into());
        }
        let answer = remote.ask("POST", &format!("/api/v1/bundles/{name}/retire"), b"")?;
        let answer: Value =
            serde_json::from_slice(&answer).context("the server answers with something else")?;
        answer["retired"].as_u64().unwrap_or_default()
    } else {
        args.store.expect_there()?;
        retire_in(&args.store.write()?, &name, sha256.as_deref())?
    };
    if args.json {
        write_json(out, &json!({"name": name, "retired": retired}))?;
    } else {
        writeln!(out, "{name}: {retired} retired")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn retire_in(store: &Store, name: &str, sha256: Option<&str>) -> anyhow::Result<u64> {
    let filter = BundleFilter { name: Some(name.to_owned()), state: None };
    if store.bundles(&filter, Page { before: None, limit: 1 })?.is_empty() {
        anyhow::bail!("there is no bundle of {name}; `rookery bot list` shows all");
    }
    let retired = store.retire_bundles(name, sha256)?;
    store.audit("command line", "retire", name)?;
    Ok(retired)
}
