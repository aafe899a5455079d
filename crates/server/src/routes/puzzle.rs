//! The page of the puzzle of a day.

use axum::extract::{Extension, Path, Query};
use axum::http::HeaderMap;
use axum::response::Response;
use rookery_catalog::game;
use rookery_picture::Options;
use serde::Deserialize;

use super::pages::{look, shown, sized};
use crate::accounts::now_ms;
use crate::api;
use crate::data::SceneData;
use crate::dates;
use crate::http::{ApiError, Caller};
use crate::pages::{self as shell, PuzzlePage};

/// How many days the page lists.
const DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Deserialize)]
pub(crate) struct GameQuery {
    game: Option<String>,
}

pub(crate) async fn today(
    caller: Extension<Caller>,
    query: Query<GameQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    show(&caller, &headers, "today", query.0.game).await
}

pub(crate) async fn of_day(
    caller: Extension<Caller>,
    Path(date): Path<String>,
    query: Query<GameQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    show(&caller, &headers, &date, query.0.game).await
}

async fn show(
    caller: &Caller,
    headers: &HeaderMap,
    date: &str,
    wanted: Option<String>,
) -> Result<Response, ApiError> {
    let puzzle = api::puzzle_of(date, wanted).await?;
    let known = game(&puzzle.game).map_err(|error| ApiError::ours(&error))?;
    let position = known.position(&puzzle.position).map_err(|error| ApiError::ours(&error))?;
    let options = Options { prefix: "pz-".to_owned(), captions: false, style: false, ..Options::default() };
    let days: Vec<String> = (0..DAYS).rev().map(|ago| dates::day(now_ms() - ago * DAY_MS)).collect();
    let label = format!("player {}", puzzle.seat + 1);
    let scene = position.scene();
    let page = PuzzlePage {
        puzzle: &puzzle,
        board: &sized(&scene, &options),
        viewbox: SceneData::from(&scene).viewbox,
        n_seats: position.n_seats(),
        label: &label,
        days: &days,
    };
    Ok(shown("Puzzle", &look(caller, headers), &shell::puzzle(&page)))
}
