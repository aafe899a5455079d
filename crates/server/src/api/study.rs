//! Learning: reviews of matches, best moves while they are found, puzzles.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::body::Body as HttpBody;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::poll_fn;
use rookery_catalog::{AnyPosition, game};
use rookery_live::{Snapshot, Story};
use rookery_picture::{Options, svg};
use rookery_rules::{GameSpec, Status};
use rookery_search::Stop;
use rookery_store::GameId;
use rookery_study::{
    Attempt, Order, Puzzle, Review, advise, attempt as try_move, of_the_day, puzzle as make_puzzle,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc;

use super::Body;
use crate::app::App;
use crate::data::SceneData;
use crate::dates;
use crate::http::ApiError;
use crate::socket::LineData;

/// How long a review may take.
const REVIEW_TIME: Duration = Duration::from_secs(20);
/// How many reviews are kept.
const KEPT: usize = 64;
/// How long best moves are looked for.
const ANALYSIS_TIME: Duration = Duration::from_secs(5);

/// Reviews that are made or being made.
#[derive(Debug, Default)]
pub struct Reviews(Mutex<HashMap<GameId, Arc<Job>>>);

#[derive(Debug, Default)]
struct Job {
    done: AtomicUsize,
    all: AtomicUsize,
    review: OnceLock<Option<Review>>,
}

impl Reviews {
    /// The review of a match, begun when it is asked for the first time.
    fn get(&self, app: &Arc<App>, id: GameId, snapshot: &Arc<Snapshot>) -> Arc<Job> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = jobs.get(&id) {
            return Arc::clone(job);
        }
        if jobs.len() >= KEPT {
            jobs.retain(|_, job| job.review.get().is_none());
        }
        let job = Arc::new(Job::default());
        jobs.insert(id, Arc::clone(&job));
        let (app, doing, snapshot) = (Arc::clone(app), Arc::clone(&job), Arc::clone(snapshot));
        tokio::spawn(async move {
            let Ok(permit) = Arc::clone(&app.thinking).acquire_owned().await else { return };
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
                // Nobody else sets it.
                let _ = doing.review.set(review);
                drop(permit);
            };
            if let Err(error) = tokio::task::spawn_blocking(work).await {
                tracing::error!(%error, "a review failed");
            }
        });
        job
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
    let job = app.reviews.get(&app, id, &snapshot);
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
    let permit = Arc::clone(&app.thinking).try_acquire_owned();
    let permit =
        permit.map_err(|_| ApiError::unavailable("too many are thinking at the moment; try again soon"))?;
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
    let mut response = HttpBody::from_stream(stream).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/jsonl"));
    Ok(response)
}

#[derive(Debug, Deserialize)]
pub(crate) struct PuzzleQuery {
    game: Option<String>,
}

/// A puzzle as the page shows it, without its solution.
#[derive(Debug, Serialize)]
pub(crate) struct PuzzleData {
    /// The day.
    pub date: String,
    /// The name of the game.
    pub game: String,
    /// The game's name for people.
    pub title: &'static str,
    /// The position.
    pub position: String,
    /// Who is to move and win.
    pub seat: usize,
    /// In how many moves.
    pub plies: u32,
    /// How hard, 1 to 5.
    pub grade: rookery_study::Grade,
    /// The scene, with the legal moves.
    pub scene: SceneData,
}

/// How many puzzles are remembered: finding one takes a while.
const PUZZLES: usize = 64;
static MADE: Mutex<VecDeque<Arc<Puzzle>>> = Mutex::new(VecDeque::new());

/// The puzzle of a game that a number names.
async fn made_puzzle(name: String, seed: u64) -> Result<Arc<Puzzle>, ApiError> {
    let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made().iter().find(|puzzle| puzzle.game == name && puzzle.seed == seed).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let making = tokio::task::spawn_blocking(move || make_puzzle(&name, seed, None));
    let new = making.await.map_err(|error| ApiError::ours(&error))?;
    let new = Arc::new(new.map_err(|error| ApiError::field("game", error.to_string()))?);
    let mut all = made();
    all.truncate(PUZZLES - 1);
    all.push_front(Arc::clone(&new));
    Ok(new)
}

/// The day as it is written, and its game and number.
fn of_date(date: &str, wanted: Option<String>) -> Result<(String, String, u64), ApiError> {
    let date = if date == "today" { dates::day(crate::accounts::now_ms()) } else { date.to_owned() };
    let days = dates::days_of(&date).and_then(|days| u64::try_from(days).ok());
    let days = days.ok_or_else(|| ApiError::not_found("day"))?;
    let (of_day, seed) = of_the_day(days);
    Ok((date, wanted.unwrap_or_else(|| of_day.to_owned()), seed))
}

/// The puzzle of a day; `today` is one too.
pub(crate) async fn puzzle_of(date: &str, wanted: Option<String>) -> Result<PuzzleData, ApiError> {
    let (date, name, seed) = of_date(date, wanted)?;
    let made = made_puzzle(name, seed).await?;
    let known = game(&made.game).map_err(|error| ApiError::ours(&error))?;
    let position = known.position(&made.position).map_err(|error| ApiError::ours(&error))?;
    Ok(PuzzleData {
        date,
        title: known.title(),
        scene: SceneData::from(&position.scene()),
        game: made.game.clone(),
        position: made.position.clone(),
        seat: made.seat,
        plies: made.plies,
        grade: made.grade,
    })
}

pub(crate) async fn puzzle(
    Path(date): Path<String>,
    Query(PuzzleQuery { game }): Query<PuzzleQuery>,
) -> Result<Json<PuzzleData>, ApiError> {
    Ok(Json(puzzle_of(&date, game).await?))
}

/// A try at a puzzle: from the position where it stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Try {
    game: String,
    position: String,
    #[serde(rename = "move")]
    mv: String,
}

/// The longest position that is read.
const MOST_POSITION: usize = 4000;

pub(crate) async fn attempt(
    State(app): State<Arc<App>>,
    Path(_): Path<String>,
    Body(Try { game: name, position, mv }): Body<Try>,
) -> Result<Json<serde_json::Value>, ApiError> {
    if position.len() > MOST_POSITION || mv.len() > MOST_POSITION {
        return Err(ApiError::field("position", "the position or the move is too long"));
    }
    let permit = Arc::clone(&app.thinking).acquire_owned().await.map_err(|error| ApiError::ours(&error))?;
    let trying = tokio::task::spawn_blocking(move || {
        let known = game(&name).map_err(|error| error.to_string())?;
        let tried = try_move(&name, &position, &mv)?;
        let mut after = known.position(&position).map_err(|error| error.to_string())?;
        after.play(&mv).map_err(|error| error.to_string())?;
        let (played, refuted) = (
            SceneData::from(&after.scene()).still(),
            match &tried {
                Attempt::Wrong { reply: Some(reply) } => {
                    after.play(reply).map_err(|error| error.to_string())?;
                    Some(SceneData::from(&after.scene()).still())
                }
                Attempt::Right { position, .. } => {
                    let next = known.position(position).map_err(|error| error.to_string())?;
                    Some(SceneData::from(&next.scene()))
                }
                Attempt::Wrong { reply: None } | Attempt::Solved => None,
            },
        );
        drop(permit);
        Ok::<_, String>(json!({"result": tried, "played": played, "answered": refuted}))
    });
    let tried = trying.await.map_err(|error| ApiError::ours(&error))?;
    tried.map(Json).map_err(|why| ApiError::field("move", why))
}

/// The best line of a puzzle, with a picture after each move.
pub(crate) async fn solution(
    Path(date): Path<String>,
    Query(PuzzleQuery { game: wanted }): Query<PuzzleQuery>,
) -> Result<Json<serde_json::Value>, ApiError> {
    let (_, name, seed) = of_date(&date, wanted)?;
    let made = made_puzzle(name, seed).await?;
    let known = game(&made.game).map_err(|error| ApiError::ours(&error))?;
    let mut position = known.position(&made.position).map_err(|error| ApiError::ours(&error))?;
    let mut pictures = vec![];
    for mv in &made.solution {
        position.play(mv).map_err(|error| ApiError::ours(&error))?;
        let options = Options { coordinates: false, captions: false, ..Options::default() };
        pictures.push(svg(&position.scene(), &options));
    }
    Ok(Json(json!({"moves": made.solution, "pictures": pictures})))
}

/// Which hint is wanted, and where.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hint {
    game: String,
    position: String,
    /// 1 says how long it takes, 2 where it begins, 3 the move.
    step: u8,
}

/// How long a hint of a puzzle may take.
const HINT_TIME: Duration = Duration::from_secs(2);

pub(crate) async fn hint(
    State(app): State<Arc<App>>,
    Path(_): Path<String>,
    Body(Hint { game: name, position, step }): Body<Hint>,
) -> Result<Json<serde_json::Value>, ApiError> {
    let position = read_position(&name, &position)?;
    let permit = Arc::clone(&app.thinking).acquire_owned().await.map_err(|error| ApiError::ours(&error))?;
    let thinking = tokio::task::spawn_blocking(move || {
        let order = Order { time: HINT_TIME, max_lines: 1, ..Order::default() };
        let advice = advise(&name, &*position, &order, &mut |_| {});
        drop(permit);
        let line = advice?.lines.into_iter().next()?;
        let first = line.moves.first()?.clone();
        let scene = SceneData::from(&position.scene());
        let mv = scene.moves.into_iter().find(|mv| mv.id == first)?;
        Some(match (step, &mv.from, &mv.to) {
            (3.., ..) => {
                json!({"said": format!("{}: {}.", mv.label, line.worth()), "move": {"from": mv.from, "to": mv.to}})
            }
            (2, Some(from), _) => {
                json!({"said": format!("It begins on {from}."), "move": {"from": null, "to": from}})
            }
            (2, None, Some(to)) => {
                json!({"said": format!("It goes to {to}."), "move": {"from": null, "to": to}})
            }
            _ => {
                let said = format!("Of {} moves the best one {}.", position.moves().len(), line.worth());
                json!({"said": said, "move": null})
            }
        })
    });
    let told = thinking.await.map_err(|error| ApiError::ours(&error))?;
    told.map(Json).ok_or_else(|| ApiError::conflict("there is nothing more to find here; the game is over"))
}

fn read_position(name: &str, position: &str) -> Result<Box<dyn AnyPosition>, ApiError> {
    if position.len() > MOST_POSITION {
        return Err(ApiError::field("position", format!("expected at most {MOST_POSITION} bytes")));
    }
    let known = game(name).map_err(|error| ApiError::field("game", error.to_string()))?;
    known.position(position).map_err(|error| ApiError::field("position", error.to_string()))
}

/// A position to look at, and a move to try there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    game: String,
    position: String,
    #[serde(default, rename = "move")]
    mv: Option<String>,
}

/// The board after a move, for boards of the rules that one can move on.
pub(crate) async fn trial(
    Body(Trial { game: name, position, mv }): Body<Trial>,
) -> Result<Json<serde_json::Value>, ApiError> {
    let mut position = read_position(&name, &position)?;
    if let Some(mv) = mv {
        if mv.len() > MOST_POSITION {
            return Err(ApiError::field("move", format!("expected at most {MOST_POSITION} bytes")));
        }
        position.play(&mv).map_err(|error| ApiError::field("move", error.to_string()))?;
    }
    let n_moves = position.moves().len();
    let said = match position.status() {
        Status::Over(outcome) => {
            let winners: Vec<String> =
                outcome.winners.iter().map(|seat| format!("player {}", seat.index() + 1)).collect();
            match winners.as_slice() {
                [] => "The game is over.".to_owned(),
                [one] => format!("{one} has won.").replacen('p', "P", 1),
                many if many.len() == position.n_seats() => "The game is drawn.".to_owned(),
                many => format!("{} share the win.", many.join(" and ")).replacen('p', "P", 1),
            }
        }
        Status::ToMove(seat) if n_moves == 1 => format!("Player {} has one move.", seat.index() + 1),
        Status::ToMove(seat) => format!("Player {} has {n_moves} moves.", seat.index() + 1),
    };
    Ok(Json(json!({"position": position.text(), "scene": SceneData::from(&position.scene()), "said": said})))
}
