//! How good the position of a running match is, for those who look on: worked out once a position, for all of them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use rookery_live::Snapshot;
use rookery_referee::MatchSpec;
use rookery_rules::{GameSpec, Seat, Status};
use rookery_study::{Order, advise, shares};
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{Table, json};
use crate::thinkers::Thinkers;

/// How long a position is looked at.
const TIME: Duration = Duration::from_millis(300);
/// How often it is looked whether anybody still wants to know.
const LOOK: Duration = Duration::from_secs(2);

/// Whether somebody is told how good the position is: never who plays in it, and nobody where a person plays a match that
/// counts, since those who look on could tell the players.
pub(super) fn is_evaluated(spec: &MatchSpec, seat: Option<Seat>) -> bool {
    seat.is_none() && (spec.casual || !spec.seats.iter().any(|entry| entry.player.is_person()))
}

#[derive(Serialize)]
struct Told<'a> {
    eval: Eval<'a>,
}

#[derive(Serialize)]
struct Eval<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    ply: u64,
    /// Who is to move.
    seat: usize,
    /// The share of a win that whoever is to move has, 0 to 1.
    value: f32,
    /// The same for every seat, all of them 1 together.
    shares: Vec<f32>,
    /// Whether that is certain.
    proven: bool,
}

impl Table {
    /// Hears how good the position is, if whoever looks may know it.
    pub(crate) fn evaluations(
        self: &Arc<Self>,
        seat: Option<Seat>,
        thinking: &Thinkers,
    ) -> Option<watch::Receiver<Option<Utf8Bytes>>> {
        self.match_()?;
        if !is_evaluated(&self.spec(), seat) {
            return None;
        }
        let told = self.eval.subscribe();
        if !self.evaluating.swap(true, Ordering::SeqCst) {
            tokio::spawn(keep_up(Arc::clone(self), thinking.clone()));
        }
        Some(told)
    }
}

/// Looks at every position, until the match is over or nobody wants to know.
async fn keep_up(table: Arc<Table>, thinking: Thinkers) {
    loop {
        look_on(&table, &thinking).await;
        table.evaluating.store(false, Ordering::SeqCst);
        // Who has come meanwhile has found it busy.
        let is_over = table.snapshot().verdict.is_some();
        if is_over || table.eval.receiver_count() == 0 || table.evaluating.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

async fn look_on(table: &Table, thinking: &Thinkers) {
    let mut versions = table.subscribe();
    let mut last = None;
    while table.eval.receiver_count() > 0 {
        versions.mark_unchanged();
        let snapshot = table.snapshot();
        if snapshot.verdict.is_some() {
            return;
        }
        let now = snapshot.position.text();
        if last.as_ref() != Some(&now) {
            // Where too many wait, it is asked again in a moment.
            if let Ok(permit) = thinking.soon().await {
                last = Some(now);
                let id = table.id();
                let looked = tokio::task::spawn_blocking(move || {
                    let frame = look(id.as_str(), &snapshot);
                    drop(permit);
                    frame
                });
                if let Ok(Some(frame)) = looked.await {
                    table.eval.send_replace(Some(frame));
                }
            }
        }
        // Who has left is noticed, too.
        let _ = timeout(LOOK, versions.changed()).await;
    }
}

fn look(id: &str, snapshot: &Snapshot) -> Option<Utf8Bytes> {
    let Status::ToMove(seat) = snapshot.position.status() else { return None };
    let game = GameSpec::parse(&snapshot.spec.game).ok()?.game;
    let order = Order { time: TIME, max_lines: 1, ..Order::default() };
    let advice = advise(&game, &*snapshot.position, &order, &mut |_| {})?;
    let best = advice.lines.first()?;
    let shares = shares(&game, &*snapshot.position, best, snapshot.spec.n_seats())?;
    let (ply, seat, value, proven) = (snapshot.plies(), seat.index(), best.value, best.proven);
    let eval = Eval { id, ply, seat, value, shares, proven };
    Some(json(&Told { eval }).into())
}
