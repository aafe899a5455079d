//! `rookery cluster`: how the machines do that play together.

#![cfg_attr(
    not(feature = "cluster"),
    allow(dead_code, reason = "what a command line says is read only where there are other machines")
)]

#[cfg(feature = "cluster")]
use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use crate::dispatch_args::DispatchArgs;

/// Look after the machines that play together: workers, jobs, what failed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  rookery cluster status --dispatch nats://127.0.0.1:4222
  rookery cluster retry --dispatch nats://127.0.0.1:4222";

#[derive(Debug, clap::Subcommand)]
enum What {
    Status(StatusArgs),
    Audit(AuditArgs),
    Retry(RetryArgs),
}

/// Show workers, jobs and rates, and why a worker is idle
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  rookery cluster status --dispatch nats://127.0.0.1:4222\n  rookery cluster status --dispatch \
                  nats://127.0.0.1:4222 --json\n\nExit codes: 0 done, 1 no coordinator answers, 2 the command line is wrong."
)]
struct StatusArgs {
    #[command(flatten)]
    dispatch: DispatchArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// List what is written down about workers and operators, the latest first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  rookery cluster audit --dispatch nats://127.0.0.1:4222\n  rookery cluster audit --dispatch \
                  nats://127.0.0.1:4222 --json\n\nThe last 100 entries of the store's audit table: records that were refused, games \
                  that are not the same when they are played again, flagged workers, what operators did.\n\nExit codes: \
                  0 done, 1 no coordinator answers, 2 the command line is wrong."
)]
struct AuditArgs {
    #[command(flatten)]
    dispatch: DispatchArgs,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// Try parked games again, which failed three times
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  rookery cluster retry --dispatch nats://127.0.0.1:4222\n  rookery cluster retry \
                  5t4e73e59t98:17 --dispatch nats://127.0.0.1:4222\n\nExit codes: 0 done, 1 no coordinator answers or none of \
                  the games that are named is parked, 2 the command line is wrong."
)]
struct RetryArgs {
    /// Only these, as `cluster status` names them
    #[arg(value_name = "JOB")]
    jobs: Vec<String>,

    #[command(flatten)]
    dispatch: DispatchArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[cfg(not(feature = "cluster"))]
pub(crate) fn run(args: &Args, _: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (What::Status(StatusArgs { dispatch, json })
    | What::Audit(AuditArgs { dispatch, json })
    | What::Retry(RetryArgs { dispatch, json, .. })) = &args.what;
    let _ = (json, matches!(&args.what, What::Retry(RetryArgs { jobs, .. }) if jobs.is_empty()));
    dispatch.expect_none()?;
    Err(crate::dispatch_args::without_cluster())
}

#[cfg(feature = "cluster")]
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match &args.what {
        What::Status(StatusArgs { dispatch, json }) => {
            let status = runtime.block_on(rookery_cluster::status::status(&dispatch.expect()?))?;
            if *json { super::write_json(out, &status)? } else { show(&status, out)? }
        }
        What::Audit(AuditArgs { dispatch, json }) => {
            let entries = runtime.block_on(rookery_cluster::status::audit(&dispatch.expect()?))?;
            if *json {
                super::write_json(out, &entries)?;
            } else {
                for entry in &entries {
                    let at = rookery_server::dates::moment(entry.at_ms);
                    let [actor, act, subject] = [&entry.actor, &entry.act, &entry.subject]
                        .map(|text| rookery_rules::text::clean(text));
                    writeln!(out, "{at} {actor} {act}: {subject}")?;
                }
            }
        }
        What::Retry(RetryArgs { jobs, dispatch, json }) => {
            let jobs = jobs.iter().map(|job| job.parse()).collect::<Result<BTreeSet<_>, _>>();
            let jobs: Vec<_> = jobs.map_err(crate::spec::UsageError)?.into_iter().collect();
            let n =
                runtime.block_on(rookery_cluster::status::retry(&dispatch.expect()?, &jobs, "operator"))?;
            return told(n, jobs.len() as u64, *json, out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells how many parked games are tried again, of those that were named if any were.
#[cfg(feature = "cluster")]
fn told(n: u64, named: u64, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if json {
        super::write_json(out, &serde_json::json!({ "retried": n }))?;
    } else if n > 0 || named == 0 {
        let games = if n == 1 { "1 parked game is".to_owned() } else { format!("{n} parked games are") };
        writeln!(out, "{games} tried again; a tournament of a server goes on by itself")?;
    }
    if n < named {
        let of = if n == 0 {
            "none of the games that were named is"
        } else {
            "some of the games that were named are not"
        };
        let words = format!("{of} parked; `rookery cluster status` lists those that are");
        if n == 0 && !json {
            anyhow::bail!(words);
        }
        writeln!(std::io::stderr(), "{words}")?;
    }
    Ok(ExitCode::from(u8::from(n == 0 && named > 0)))
}

#[cfg(feature = "cluster")]
fn show(status: &rookery_cluster::status::Status, out: &mut dyn Write) -> std::io::Result<()> {
    use rookery_rules::text::clean;
    writeln!(
        out,
        "coordinator: up {} s, {} games stored, {:.1} a second, {} records refused (rules {})",
        status.up_seconds,
        status.stored,
        status.games_a_second,
        status.refused,
        clean(&status.rules)
    )?;
    for worker in &status.workers {
        write!(
            out,
            "worker {}: plays {} of {}, {} stored, {} lost",
            clean(&worker.name),
            worker.playing,
            worker.slots,
            worker.games,
            worker.lost
        )?;
        if let (Some(speed), Some(beside)) = (worker.speed, worker.beside_median) {
            write!(out, ", speed {speed} ({beside:.2} of the median)")?;
        }
        if let Some(steal) = worker.steal.filter(|steal| *steal >= 0.01) {
            write!(out, ", {:.0} % of its processors taken away", 100.0 * steal)?;
        }
        match &worker.idle {
            Some(why) => writeln!(out, "; idle: {}", clean(why))?,
            None => writeln!(out)?,
        }
    }
    if status.workers.is_empty() {
        writeln!(out, "no worker was heard of: rookery worker --dispatch URL")?;
    }
    if let Some(words) = status.trust.words() {
        writeln!(out, "{words}")?;
    }
    for found in &status.trust.differences {
        writeln!(
            out,
            "MISMATCH: game {} by {} ({}) and by {} ({}); the first one stays; rookery cluster audit",
            found.job,
            clean(&found.first),
            &found.first_sha256.get(..16).unwrap_or_default(),
            clean(&found.second),
            &found.second_sha256.get(..16).unwrap_or_default()
        )?;
    }
    for flag in &status.trust.flags {
        writeln!(
            out,
            "FLAGGED: worker {} in {}: {} (no game was removed); rookery cluster audit",
            clean(&flag.worker),
            clean(&flag.aspect),
            clean(&flag.what)
        )?;
    }
    for tournament in &status.tournaments {
        writeln!(
            out,
            "tournament {}: {} wait, {} are played, {} done, {} parked",
            clean(&tournament.id),
            tournament.queued,
            tournament.leased,
            tournament.done,
            tournament.parked
        )?;
    }
    for parked in &status.parked {
        let last =
            parked.last.as_deref().map(|last| format!(", last by {}", clean(last))).unwrap_or_default();
        writeln!(out, "parked: {}{last}; rookery cluster retry {}", parked.job, parked.job)?;
    }
    Ok(())
}
