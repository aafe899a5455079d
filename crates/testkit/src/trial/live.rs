//! A game that a worker plays is watched on the page of a server that only stands by, and goes on with another worker when the
//! first one is killed.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::Page;
use super::{Machines, Order};

/// How long anything may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(2);

fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> Result<T, String> {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("{what} did not come about"));
        }
        sleep(Duration::from_millis(50));
    }
}

/// Watches a game that is taken over; what the coordinator's `/metrics` says afterwards.
pub fn watch_taken_over(order: &Order) -> Result<String, String> {
    let scratch = crate::TempFolder::new("cluster-live");
    let mut all = Machines::start(&scratch)?;
    for idx in 0..2 {
        let server = all.server(order, idx)?;
        all.servers.push(server);
    }
    let first = all.worker(order, 0)?;
    all.workers.push(first);
    let page_of = |idx: usize| all.servers[idx].wait_for("page: ", PATIENCE).map(|url| Page::of(&url));
    let (mut here, there) = (page_of(0)?, page_of(1)?);
    here.sign_in()?;
    // Slow enough to be looked at, whatever the machine does: nobody waits for the end of a game.
    let players = ["mcts:playouts=200000", "mcts:playouts=199999"];
    let wish = json!({
        "name": "watched",
        "games": ["four"],
        "format": { "kind": "series", "games": 2 },
        "entrants": players.map(|player| json!({ "name": player, "player": player })),
        "seed": "16",
    });
    let made = here.post("/api/v1/tournaments", &wish)?;
    let id = made["id"].as_str().ok_or_else(|| format!("no tournament was made: {made}"))?.to_owned();
    let game = wait("a board on the page of the server that stands by", || {
        let text = there.text(&format!("/t/{id}")).ok()?;
        let at = text.find("href=\"/m/")? + "href=\"/m/".len();
        Some(text[at..].split('"').next()?.to_owned())
    })?;
    let state = || there.get(&format!("/api/v1/matches/{game}")).unwrap_or(Value::Null);
    let says = |words: &str| {
        wait(words, || {
            let state = state();
            state["note"].as_str().is_some_and(|note| note.contains(words)).then_some(state)
        })
    };
    says("Played by worker-1, attempt 1")?;
    let grows = |from: u64| wait("the next move", || state()["ply"].as_u64().filter(|ply| *ply > from));
    let ply = grows(0)?;
    grows(ply)?;
    all.workers[0].kill();
    let second = all.worker(order, 1)?;
    all.workers.push(second);
    says("Taken over by worker-2, attempt 2")?;
    let page = there.text(&format!("/m/{game}"))?;
    if !page.contains("Taken over by worker-2, attempt 2") {
        return Err("the page does not say that the game was taken over".to_owned());
    }
    let ply = grows(0)?;
    grows(ply)?;
    // What is counted is brought up to date once a second.
    wait("the count of lost leases", || {
        let text = here.text("/metrics").ok()?;
        let lost = text.lines().find_map(|line| line.strip_prefix("rookery_cluster_leases_lost_total "))?;
        (lost != "0").then_some(text)
    })
}
