//! Learning: reviews of matches, and best moves while they are found.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::poll_fn;
use rookery_catalog::AnyPosition;
use rookery_live::{Snapshot, Story};
use rookery_rules::{GameSpec, Reason};
use rookery_search::Stop;
use rookery_store::GameId;
use rookery_study::{Judged, Judgement, Order, Review, ReviewTime, ReviewedPlayer, advise};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::app::App;
use crate::http::{ApiError, ObjectShape, Shape, Shapes, shape, words};
use crate::socket::LineData;

/// How long a review may take.
const REVIEW_TIME: ReviewTime = ReviewTime { all: Duration::from_secs(20), ..ReviewTime::USUAL };
/// How many reviews are kept, and the most moves of all of them.
const KEPT: usize = 64;
const KEPT_MOVES: u64 = 50_000;
/// How long best moves are looked for.
const ANALYSIS_TIME: Duration = Duration::from_secs(5);

/// Reviews that are made or being made.
#[derive(Debug, Default)]
pub struct Reviews(Mutex<Jobs>);

#[derive(Debug, Default)]
struct Jobs {
    jobs: HashMap<GameId, Asked>,
    n_asked: u64,
}

/// A review that was asked for.
#[derive(Debug)]
struct Asked {
    job: Arc<Job>,
    /// The number of the last question.
    last: u64,
    moves: u64,
}

#[derive(Debug, Default)]
struct Job {
    done: AtomicUsize,
    all: AtomicUsize,
    review: OnceLock<Option<Review>>,
}

impl Jobs {
    /// The review of a match, if it was asked for before.
    fn find(&mut self, id: GameId) -> Option<Arc<Job>> {
        self.n_asked += 1;
        let found = self.jobs.get_mut(&id)?;
        found.last = self.n_asked;
        Some(Arc::clone(&found.job))
    }

    /// A new one of a match of so many moves. Finished ones make room for it, those first that nobody has asked for lately.
    fn begin(&mut self, id: GameId, moves: u64) -> Arc<Job> {
        let mut all = moves + self.jobs.values().map(|asked| asked.moves).sum::<u64>();
        while self.jobs.len() >= KEPT || all > KEPT_MOVES {
            let finished = self.jobs.iter().filter(|(_, asked)| asked.job.review.get().is_some());
            let Some((&oldest, asked)) = finished.min_by_key(|(_, asked)| asked.last) else { break };
            all -= asked.moves;
            self.jobs.remove(&oldest);
        }
        let job = Arc::new(Job::default());
        self.n_asked += 1;
        self.jobs.insert(id, Asked { job: Arc::clone(&job), last: self.n_asked, moves });
        job
    }
}

impl Reviews {
    /// The review of a match, begun when it is asked for the first time.
    fn get(&self, app: &Arc<App>, id: GameId, snapshot: &Arc<Snapshot>) -> Result<Arc<Job>, ApiError> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = jobs.find(id) {
            return Ok(job);
        }
        let place = app.reviewing.queue()?;
        let job = jobs.begin(id, snapshot.plies());
        let (app, doing, asked) = (Arc::clone(app), Arc::clone(&job), Arc::clone(&job));
        let (snapshot, accuracies) = (Arc::clone(snapshot), app.accuracies.clone());
        tokio::spawn(async move {
            let Some(permit) = app.reviewing.turn(place).await else { return };
            let work = move || {
                let story = Story {
                    spec: Arc::clone(&snapshot.spec),
                    start: Arc::clone(&snapshot.start),
                    entries: snapshot.entries.clone(),
                    verdict: snapshot.verdict.clone(),
                };
                let review = rookery_study::review(&story, REVIEW_TIME, &Stop::default(), &|done, all| {
                    doing.all.store(all, Ordering::Relaxed);
                    doing.done.store(done, Ordering::Relaxed);
                });
                if let Some(review) = &review {
                    accuracies.learn(id, review);
                }
                // Nobody else sets it.
                let _ = doing.review.set(review);
                drop(permit);
            };
            if let Err(error) = tokio::task::spawn_blocking(work).await {
                tracing::error!(%error, "a review failed");
                // Whoever asks for it hears that there is none.
                let _ = asked.review.set(None);
            }
        });
        Ok(job)
    }
}

/// How far a review is, and the review.
#[derive(Debug, Serialize)]
pub(crate) struct ReviewData {
    done: bool,
    progress: f64,
    #[serde(flatten)]
    review: Option<Review>,
}

shape!(ReviewData { done: bool, progress: f64; flat review: Option<Review> });
shape!(Review {
    game: String,
    players: Vec<ReviewedPlayer>,
    moves: Vec<Judged>,
    decisive: Option<usize>,
    exact: bool,
});
shape!(ReviewedPlayer {
    name: String,
    moves: usize,
    best: usize,
    inaccuracies: usize,
    mistakes: usize,
    blunders: usize,
    accuracy: Option<f32>,
});
shape!(Judged {
    ply: usize,
    seat: usize,
    mv = "move": String,
    before: f32,
    after: f32,
    best: String,
    line: Vec<String>,
    loss: f32,
    proven: bool,
    plies: Option<u32>,
    judgement: Option<Judgement>,
    reasons: Vec<Reason>,
});

impl Shape for Judgement {
    fn shape(_: &mut Shapes) -> Value {
        words(&["great", "inaccuracy", "mistake", "blunder"])
    }
}

impl Shape for Reason {
    fn shape(all: &mut Shapes) -> Value {
        ObjectShape::default().with::<String>(all, "kind").with::<String>(all, "text").done()
    }
}

pub(crate) async fn review(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ReviewData>, ApiError> {
    let found = app.hub.find(&id).await?;
    let snapshot = found.snapshot();
    if snapshot.verdict.is_none() {
        return Err(ApiError::conflict("the match is not over yet; look again when it is"));
    }
    let id: GameId = id.parse().map_err(|_| ApiError::not_found("match"))?;
    let job = app.reviews.get(&app, id, &snapshot)?;
    let (done, all) = (job.done.load(Ordering::Relaxed), job.all.load(Ordering::Relaxed));
    let review = job.review.get();
    let progress = if review.is_some() { 1.0 } else { done as f64 / all.max(1) as f64 };
    Ok(Json(ReviewData { done: review.is_some(), progress, review: review.cloned().flatten() }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct PlyQuery {
    ply: Option<u64>,
}

/// The position of a match after so many moves.
fn position_at(snapshot: &Snapshot, ply: u64) -> Option<Arc<dyn AnyPosition>> {
    if ply == 0 {
        return Some(Arc::clone(&snapshot.start));
    }
    let is_it = |entry: &&Arc<rookery_live::Entry>| entry.plies == ply && entry.deed.as_move().is_some();
    snapshot.entries.iter().find(is_it).map(|entry| Arc::clone(&entry.position))
}

#[derive(Serialize)]
struct AnalysisData {
    ply: u64,
    done: bool,
    nodes: u64,
    playouts: u64,
    lines: Vec<LineData>,
}

/// Best moves, a line of JSON each time more is known.
pub(crate) async fn analysis(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Query(PlyQuery { ply }): Query<PlyQuery>,
) -> Result<Response, ApiError> {
    let found = app.hub.find(&id).await?;
    let snapshot = found.snapshot();
    if snapshot.verdict.is_none() {
        return Err(ApiError::conflict(
            "best moves are shown when the match is over; players ask for a hint",
        ));
    }
    let ply = ply.unwrap_or(snapshot.plies());
    let position = position_at(&snapshot, ply).ok_or_else(|| ApiError::not_found("move"))?;
    let name = GameSpec::parse(&snapshot.spec.game).map_err(|error| ApiError::ours(&error))?.game;
    let permit = app.thinking.at_once()?;
    let (told, mut lines) = mpsc::channel::<String>(8);
    tokio::task::spawn_blocking(move || {
        let stop = Stop::default();
        let order = Order { time: ANALYSIS_TIME, max_lines: 5, stop: stop.clone(), ..Order::default() };
        advise(&name, &*position, &order, &mut |advice| {
            let data = AnalysisData {
                ply,
                done: advice.done,
                nodes: advice.nodes,
                playouts: advice.playouts,
                lines: advice.lines.iter().map(LineData::from).collect(),
            };
            let line = crate::hub::json(&data) + "\n";
            let gone = if advice.done {
                told.blocking_send(line).is_err()
            } else {
                told.is_closed() || told.try_send(line).is_err() && told.is_closed()
            };
            if gone {
                stop.set();
            }
        });
        drop(permit);
    });
    // It may be asked again after its end.
    let stream = poll_fn(move |cx| lines.poll_recv(cx).map(|line| line.map(Ok::<_, Infallible>)));
    let mut response = Body::from_stream(stream).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/jsonl"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_that_is_asked_for_stays_when_others_come() {
        let mut jobs = Jobs::default();
        let (wanted, unfinished) = (GameId::random(), GameId::random());
        let first = jobs.begin(wanted, 10);
        first.review.set(None).expect("nobody else sets it");
        let working = jobs.begin(unfinished, 10);
        for _ in 0..3 * KEPT {
            jobs.begin(GameId::random(), 10).review.set(None).expect("nobody else sets it");
            let found = jobs.find(wanted).expect("it was just asked for");
            assert!(Arc::ptr_eq(&found, &first), "it is not made again");
        }
        assert_eq!(jobs.jobs.len(), KEPT);
        assert!(jobs.find(unfinished).is_some_and(|found| Arc::ptr_eq(&found, &working)));
        // A very long one needs the room of all that are finished.
        jobs.begin(GameId::random(), KEPT_MOVES);
        assert_eq!(jobs.jobs.len(), 2, "it, and the one that is still made");
    }
}
