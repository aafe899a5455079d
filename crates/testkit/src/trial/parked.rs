//! Games that cannot be delivered are parked; once that is mended and the operator has them tried again, their tournament ends.

use serde_json::json;

use super::http::Page;
use super::live::wait;
use super::{Machines, Order, rookery};

/// So little that notifications are carried, and records are not.
const TOO_LITTLE: &str = "max_payload: 1500";

/// Lets games fail until they are parked, mends the broker, and has them tried again: the tournament must come to its end.
pub fn retry_parked(order: &Order) -> Result<(), String> {
    let scratch = crate::TempFolder::new("cluster-parked");
    let mut all = Machines::start(&scratch)?;
    all.broker.reconfigure(TOO_LITTLE);
    let server = all.server(order, 0)?;
    all.servers.push(server);
    let worker = all.worker(order, 0)?;
    all.workers.push(worker);
    let mut page = Page::of(&all.servers[0].wait_for("page: ", super::PATIENCE)?);
    page.sign_in()?;
    let wish = json!({
        "name": "parked",
        "games": ["hexapawn:rows=8,cols=8"],
        "format": { "kind": "series", "games": 2 },
        "entrants": [{ "name": "first", "player": "first" }, { "name": "random", "player": "random" }],
        "seed": "16",
    });
    let made = page.post("/api/v1/tournaments", &wish)?;
    made["id"].as_str().ok_or_else(|| format!("no tournament was made: {made}"))?;
    let count = |state: &str| {
        let counted =
            all.postgres.query("rookery", &format!("select count(*) from jobs where state = '{state}'"));
        counted.trim().to_owned()
    };
    wait("both games are parked", || (count("parked") == "2").then_some(()))?;
    let state = || page.get("/api/v1/tournaments").ok().map(|all| all["tournaments"][0]["state"].clone());
    wait("the tournament has stopped", || state().filter(|state| state == "paused"))?;
    let url = all.broker.url();
    all.broker.reconfigure("");
    let tried = wait("an answer of the coordinator", || {
        rookery(order, &["cluster", "retry", "--dispatch", &url, "--json"]).ok()
    })?;
    if !tried.contains('2') {
        return Err(format!("two games are tried again: {tried}"));
    }
    wait("the tournament is over", || state().filter(|state| state == "finished"))?;
    Ok(())
}
