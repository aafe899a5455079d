//! Puzzles: one for every day, with hints, tries and a solution; and boards to move on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use rookery_catalog::{AnyPosition, game};
use rookery_picture::{LastMove, Options, svg};
use rookery_rules::Status;
use rookery_study::{
    Attempt, Grade, Order, Puzzle, advise, attempt as try_move, of_the_day, puzzle as make_puzzle,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::Body;
use crate::app::App;
use crate::data::SceneData;
use crate::dates;
use crate::http::{ApiError, ObjectShape, Shape, Shapes, any_of, shape, tagged, words};

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
    pub grade: Grade,
    /// The scene, with the legal moves.
    pub scene: SceneData,
}

shape!(PuzzleData {
    date: String,
    game: String,
    title: &'static str,
    position: String,
    seat: usize,
    plies: u32,
    grade: Grade,
    scene: SceneData,
});

impl Shape for Grade {
    fn shape(_: &mut Shapes) -> Value {
        json!({"type": "integer", "minimum": 1, "maximum": 5})
    }
}

/// How many puzzles are remembered: finding one takes a while.
const PUZZLES: usize = 64;
static MADE: Mutex<VecDeque<Arc<Made>>> = Mutex::new(VecDeque::new());

/// A puzzle, and its solution once somebody has asked for it: what all moves are worth is searched for once.
#[derive(Debug)]
struct Made {
    puzzle: Puzzle,
    solution: OnceCell<SolutionData>,
}

/// How long somebody waits until others have their puzzles.
const PATIENCE: Duration = Duration::from_secs(20);

/// The puzzle of a game that a number names.
async fn made_puzzle(name: String, seed: u64) -> Result<Arc<Made>, ApiError> {
    // There is one for every day and game, and each takes a while: one after the other, whoever asks.
    static MAKING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = || made().iter().find(|made| made.puzzle.game == name && made.puzzle.seed == seed).cloned();
    if let Some(known) = known() {
        return Ok(known);
    }
    let late =
        |_| ApiError::unavailable("too many puzzles are asked for at the moment; try again in a minute");
    let turn = tokio::time::timeout(PATIENCE, MAKING.lock()).await.map_err(late)?;
    if let Some(known) = known() {
        return Ok(known);
    }
    // Whoever goes away leaves it to be made: the next one finds it.
    let making = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        make_puzzle(&name, seed, None)
    });
    let new = making.await.map_err(|error| ApiError::ours(&error))?;
    let puzzle = new.map_err(|error| ApiError::field("game", error.to_string()))?;
    let new = Arc::new(Made { puzzle, solution: OnceCell::new() });
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
    let made = &made.puzzle;
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

/// What came of a try, and the boards after it.
#[derive(Debug, Serialize)]
pub(crate) struct Tried {
    result: Attempt,
    /// After the move.
    played: SceneData,
    /// After what the other side answers.
    answered: Option<SceneData>,
}

shape!(Tried { result: Attempt, played: SceneData, answered: Option<SceneData> });

impl Shape for Attempt {
    fn shape(all: &mut Shapes) -> Value {
        let wrong = ObjectShape::default().with::<Option<String>>(all, "reply").done();
        let right =
            ObjectShape::default().with::<String>(all, "reply").with::<String>(all, "position").done();
        any_of(&[words(&["solved"]), tagged("wrong", wrong), tagged("right", right)])
    }
}

pub(crate) async fn attempt(
    State(app): State<Arc<App>>,
    Path(_): Path<String>,
    Body(Try { game: name, position, mv }): Body<Try>,
) -> Result<Json<Tried>, ApiError> {
    if position.len() > MOST_POSITION || mv.len() > MOST_POSITION {
        return Err(ApiError::field("position", "the position or the move is too long"));
    }
    let permit = app.hinting.soon().await?;
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
        Ok::<_, String>(Tried { result: tried, played, answered: refuted })
    });
    let tried = trying.await.map_err(|error| ApiError::ours(&error))?;
    tried.map(Json).map_err(|why| ApiError::field("move", why))
}

/// The best line of a puzzle.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SolutionData {
    moves: Vec<String>,
    /// The board after each of them.
    pictures: Vec<String>,
    /// All moves where the puzzle begins, the best first.
    all: Vec<WorthData>,
}

/// A move, and what it is worth in words.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WorthData {
    #[serde(rename = "move")]
    mv: String,
    worth: String,
    /// Whether it wins.
    wins: bool,
}

shape!(SolutionData { moves: Vec<String>, pictures: Vec<String>, all: Vec<WorthData> });
shape!(WorthData { mv = "move": String, worth: String, wins: bool });

/// What every move of a position is worth, the best first.
fn all_moves(name: &str, position: &dyn AnyPosition) -> Vec<WorthData> {
    let order = Order { time: HINT_TIME, max_lines: usize::MAX, ..Order::default() };
    let lines = advise(name, position, &order, &mut |_| {}).map(|advice| advice.lines).unwrap_or_default();
    let told = |line: rookery_study::Advised| {
        let (worth, wins) = (line.worth(), line.proven && line.value >= 1.0);
        Some(WorthData { mv: line.moves.into_iter().next()?, worth, wins })
    };
    lines.into_iter().filter_map(told).collect()
}

/// The best line of a puzzle, with a picture after each move, and what every first move is worth.
pub(crate) async fn solution(
    State(app): State<Arc<App>>,
    Path(date): Path<String>,
    Query(PuzzleQuery { game: wanted }): Query<PuzzleQuery>,
) -> Result<Json<SolutionData>, ApiError> {
    let (_, name, seed) = of_date(&date, wanted)?;
    let made = made_puzzle(name, seed).await?;
    // Whoever goes away leaves it to be found: the next one has it at once.
    let finding =
        tokio::spawn(
            async move { made.solution.get_or_try_init(|| solve(&app, &made.puzzle)).await.cloned() },
        );
    finding.await.map_err(|error| ApiError::ours(&error))?.map(Json)
}

async fn solve(app: &App, puzzle: &Puzzle) -> Result<SolutionData, ApiError> {
    let known = game(&puzzle.game).map_err(|error| ApiError::ours(&error))?;
    let mut position = known.position(&puzzle.position).map_err(|error| ApiError::ours(&error))?;
    let permit = app.hinting.soon().await?;
    let (name, first) = (puzzle.game.clone(), position.boxed_clone());
    let looking = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        all_moves(&name, &*first)
    });
    let all = looking.await.map_err(|error| ApiError::ours(&error))?;
    let mut pictures = vec![];
    for mv in &puzzle.solution {
        let last = position.scene().find_move(mv).map(LastMove::from);
        position.play(mv).map_err(|error| ApiError::ours(&error))?;
        // They are shown together on one page.
        let prefix = format!("w{}-", pictures.len());
        let options = Options { last, prefix, coordinates: false, captions: false, ..Options::default() };
        pictures.push(svg(&position.scene(), &options));
    }
    Ok(SolutionData { moves: puzzle.solution.clone(), pictures, all })
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

/// What a hint says, and what it points at.
#[derive(Debug, Serialize)]
pub(crate) struct HintData {
    said: String,
    #[serde(rename = "move")]
    mv: Option<Pointed>,
}

/// Cells that a hint points at.
#[derive(Debug, Serialize)]
pub(crate) struct Pointed {
    from: Option<String>,
    to: Option<String>,
}

shape!(HintData { said: String, mv = "move": Option<Pointed> });
shape!(Pointed { from: Option<String>, to: Option<String> });

/// How long a hint of a puzzle may take.
const HINT_TIME: Duration = Duration::from_secs(2);

pub(crate) async fn hint(
    State(app): State<Arc<App>>,
    Path(_): Path<String>,
    Body(Hint { game: name, position, step }): Body<Hint>,
) -> Result<Json<HintData>, ApiError> {
    let position = read_position(&name, &position)?;
    let permit = app.hinting.soon().await?;
    let thinking = tokio::task::spawn_blocking(move || {
        let order = Order { time: HINT_TIME, max_lines: 1, ..Order::default() };
        let advice = advise(&name, &*position, &order, &mut |_| {});
        drop(permit);
        let line = advice?.lines.into_iter().next()?;
        let first = line.moves.first()?.clone();
        let scene = SceneData::from(&position.scene());
        let mv = scene.moves.into_iter().find(|mv| mv.id == first)?;
        let at = |cell: String| Some(Pointed { from: None, to: Some(cell) });
        Some(match (step, mv.from, mv.to) {
            (3.., from, to) => {
                HintData { said: format!("{}: {}.", mv.label, line.worth()), mv: Some(Pointed { from, to }) }
            }
            (2, Some(from), _) => HintData { said: format!("It begins on {from}."), mv: at(from) },
            (2, None, Some(to)) => HintData { said: format!("It goes to {to}."), mv: at(to) },
            _ => {
                let said = format!("Of {} moves the best one {}.", position.moves().len(), line.worth());
                HintData { said, mv: None }
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

/// What a move leads to.
#[derive(Debug, Serialize)]
pub(crate) struct TrialData {
    position: String,
    scene: SceneData,
    /// Whose turn it is, or who has won.
    said: String,
}

shape!(TrialData { position: String, scene: SceneData, said: String });

/// The board after a move, for boards of the rules that one can move on.
pub(crate) async fn trial(
    Body(Trial { game: name, position, mv }): Body<Trial>,
) -> Result<Json<TrialData>, ApiError> {
    let mut position = read_position(&name, &position)?;
    if let Some(mv) = mv {
        if mv.len() > MOST_POSITION {
            return Err(ApiError::field("move", format!("expected at most {MOST_POSITION} bytes")));
        }
        position.play(&mv).map_err(|error| ApiError::field("move", error.to_string()))?;
    }
    let said = said_of(&*position);
    Ok(Json(TrialData { position: position.text(), scene: SceneData::from(&position.scene()), said }))
}

/// How a position stands, in a sentence.
pub(crate) fn said_of(position: &dyn AnyPosition) -> String {
    let n_moves = position.moves().len();
    match position.status() {
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
    }
}
