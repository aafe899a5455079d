//! `rookery bench fish`: what a tournament of Fish is made of.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{anyhow, bail};
use comfy_table::{Table, presets};
use rookery_originals::fish::{Clients, Config, Harness, Notice, Server, Tally};
use rookery_wire::raise_file_limit;
use serde::Serialize;

use super::bench::{fastest, seconds, write_table};
use super::write_json;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rookery bench fish\n  rookery bench fish --json")]
pub(super) struct FishArgs {
    /// Seconds for each figure
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,

    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

/// One figure, and what it should be at the most.
#[derive(Serialize)]
struct Row {
    what: String,
    milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal_milliseconds: Option<f64>,
    /// Clients that were taken out of a tournament; all play well, so it should be none.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<usize>,
}

/// One game between four house players that look two turns ahead, on the board of the tournaments.
const GAME: &str = r#"{"row":5,"column":5,"fish":2,"players":[["a",2],["b",2],["c",2],["d",2]]}"#;

/// A full board with penguins all over it, so that there are many moves to look at.
const QUESTION: &str = r#"[2,{"players":[{"color":"red","score":0,"places":[[0,0],[1,3],[3,1],[4,4]]},{"color":"white","score":0,"places":[[0,3],[2,0],[3,4],[4,2]]}],"board":[[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2],[2,2,2,2,2]]}]"#;

pub(super) fn run(args: &FishArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let budget = Duration::from_secs_f64(args.seconds);
    let mut rows = vec![
        harness("xref: a game of 4 players, depth 2, 5 x 5", 20.0, Harness::Ref, GAME, budget),
        harness("xstrategy: a move, depth 2, full 5 x 5", 5.0, Harness::Strategy, QUESTION, budget),
    ];
    for (n_clients, goal) in [(10, Some(50.0)), (100, Some(500.0)), (1000, None)] {
        rows.push(tournament(n_clients, goal)?);
    }
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["what", "ms", "goal", "failed"]);
    for row in &rows {
        table.add_row([
            row.what.clone(),
            format!("{:.2}", row.milliseconds),
            row.goal_milliseconds.map(|goal| format!("at most {goal:.0}")).unwrap_or_default(),
            row.failed.map(|failed| failed.to_string()).unwrap_or_default(),
        ]);
    }
    write_table(table, out)
}

fn harness(what: &str, goal_milliseconds: f64, harness: Harness, input: &str, budget: Duration) -> Row {
    let answer = |n: u64| {
        let outputs = (0..n).map(|_| harness.run(input).expect("the input is right").len() as u64);
        outputs.sum()
    };
    let (n, _, seconds) = fastest(answer, budget);
    Row {
        what: what.to_owned(),
        milliseconds: 1e3 * seconds / n,
        goal_milliseconds: Some(goal_milliseconds),
        failed: None,
    }
}

/// The quickest of some tournaments with clients that look one turn ahead, server and clients each in a thread of its
/// own, over TCP; from the first call to the last answer.
fn tournament(n_clients: usize, goal_milliseconds: Option<f64>) -> anyhow::Result<Row> {
    const RUNS: usize = 3;
    // Both ends of every connection are here.
    if raise_file_limit() < 2 * n_clients + 64 {
        bail!(
            "{n_clients} clients need more open files than this system allows; raise the limit (ulimit -n)"
        );
    }
    let mut best = f64::INFINITY;
    let mut failed = 0;
    for _ in 0..RUNS {
        let (seconds, tally) = one_tournament(n_clients)?;
        best = best.min(seconds);
        failed += tally.failed;
    }
    Ok(Row {
        what: format!("a tournament of {n_clients} clients, depth 1, over TCP"),
        milliseconds: 1e3 * best,
        goal_milliseconds,
        failed: Some(failed),
    })
}

/// How long a tournament took, and what came of it.
fn one_tournament(n_clients: usize) -> anyhow::Result<(f64, Tally)> {
    let config =
        Config { max_players: n_clients, wait: Duration::from_mins(1), tries: 1, ..Config::default() };
    let took = Arc::new(Mutex::new(f64::NAN));
    let log = {
        let took = Arc::clone(&took);
        Arc::new(move |notice: &Notice| {
            if let Notice::Over { seconds, .. } = notice {
                *took.lock().unwrap_or_else(PoisonError::into_inner) = *seconds;
            }
        })
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tally = runtime()?.block_on(async {
        let mut server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), config, log)?;
        let clients = Clients {
            n: n_clients,
            host: "127.0.0.1".to_owned(),
            port: server.local_addr()?.port(),
            player: "minimax:depth=1".parse()?,
            name: "bench".parse().map_err(anyhow::Error::msg)?,
            think: None,
            patience: Duration::from_secs(10),
        };
        let other_runtime = runtime()?;
        let serving = std::thread::spawn(move || other_runtime.block_on(clients.serve(|_, _| {})));
        let tally = server.tournament().await;
        drop(server);
        serving.join().map_err(|_| anyhow!("the clients' thread panicked"))??;
        anyhow::Ok(tally)
    })?;
    let seconds = *took.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((seconds, tally))
}
