//! The games, a look at a board before it is played on, and the bots that are connected.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use rookery_catalog::{AnyGame, CATALOG, game};
use rookery_rules::{GameSpec, Key, Kind};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::bots::BotData;
use crate::data::SceneData;
use crate::http::{ApiError, shape};

/// What is known of a game.
#[derive(Debug, Serialize)]
pub(crate) struct GameData {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    seats: &'static str,
    keys: Vec<KeyData>,
    presets: Vec<String>,
    players: Vec<ComputerData>,
}

/// One key of a game's specs.
#[derive(Debug, Serialize)]
pub(crate) struct KeyData {
    name: &'static str,
    /// `number`, `word`, `number_or_word`, `flag`, `time_or_word`, `size` or `text`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
    /// The values it takes, in words.
    expected: String,
    default: &'static str,
    help: &'static str,
}

impl From<&Key> for KeyData {
    fn from(key: &Key) -> Self {
        let (kind, range, words): (_, _, &'static [&'static str]) = match key.kind {
            Kind::Number(min, max) => ("number", Some((min, max)), &[]),
            Kind::Word(words) => ("word", None, words),
            Kind::NumberOr(min, max, words) => ("number_or_word", Some((min, max)), words),
            Kind::Flag => ("flag", None, &["yes", "no"]),
            Kind::TimeOr(words) => ("time_or_word", None, words),
            Kind::Mebibytes(min, max) => ("size", Some((min, max)), &[]),
            Kind::Text(_) => ("text", None, &[]),
        };
        Self {
            name: key.name,
            kind,
            min: range.map(|(min, _)| min),
            // A page's numbers end earlier.
            max: range.map(|(_, max)| max.min(1 << 53)),
            words,
            expected: key.kind.to_string(),
            default: key.default,
            help: key.help,
        }
    }
}

/// A computer.
#[derive(Debug, Serialize)]
pub(crate) struct ComputerData {
    name: &'static str,
    summary: &'static str,
}

shape!(GameData {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    seats: &'static str,
    keys: Vec<KeyData>,
    presets: Vec<String>,
    players: Vec<ComputerData>,
});
shape!(KeyData {
    name: &'static str,
    kind: &'static str,
    expected: String,
    default: &'static str,
    help: &'static str;
    maybe min: Option<u64>, max: Option<u64>, words: &'static [&'static str]
});
shape!(ComputerData { name: &'static str, summary: &'static str });

fn data(game: &dyn AnyGame) -> GameData {
    let player =
        |player: &&rookery_catalog::PlayerInfo| ComputerData { name: player.name, summary: player.summary };
    GameData {
        name: game.name(),
        title: game.title(),
        summary: game.summary(),
        seats: game.seats(),
        keys: game.keys().iter().map(KeyData::from).collect(),
        presets: game.benches(),
        players: game.players().iter().map(player).collect(),
    }
}

pub(crate) async fn games() -> Json<Vec<GameData>> {
    Json(CATALOG.iter().map(|game| data(*game)).collect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct PreviewQuery {
    spec: String,
}

/// A look at the beginning of a game.
#[derive(Debug, Serialize)]
pub(crate) struct Preview {
    /// The shortest spec that means the same.
    pub spec: String,
    /// The first scene.
    pub scene: Option<SceneData>,
    /// How many play.
    pub n_seats: usize,
    /// What the game calls them.
    pub labels: Vec<String>,
    /// What is wrong with the spec.
    pub problem: Option<String>,
}

shape!(Preview {
    spec: String,
    scene: Option<SceneData>,
    n_seats: usize,
    labels: Vec<String>,
    problem: Option<String>,
});

/// The longest spec that is looked at.
const MOST_SPEC: usize = 500;

/// A look at the beginning of a game, or what is wrong with its spec.
pub(crate) fn preview_of(text: &str) -> Preview {
    let looked = || -> Result<Preview, rookery_rules::SetupError> {
        let spec = GameSpec::parse(text)?;
        let game = game(&spec.game)?;
        let (start, labels) = (game.start(&spec)?, game.seat_labels(&spec)?);
        let scene = Some(SceneData::from(&start.scene()));
        Ok(Preview { spec: game.canonical(&spec)?, scene, n_seats: labels.len(), labels, problem: None })
    };
    looked().unwrap_or_else(|error| Preview {
        spec: text.to_owned(),
        scene: None,
        n_seats: 0,
        labels: vec![],
        problem: Some(error.to_string()),
    })
}

/// What is wrong with a game spec.
pub(crate) fn problem_of(text: &str) -> Option<String> {
    preview_of(text).problem
}

pub(crate) async fn preview(
    Query(PreviewQuery { spec }): Query<PreviewQuery>,
) -> Result<Json<Preview>, ApiError> {
    if spec.len() > MOST_SPEC {
        return Err(ApiError::field(
            "spec",
            format!("the spec is too long; expected at most {MOST_SPEC} bytes"),
        ));
    }
    Ok(Json(preview_of(&spec)))
}

pub(crate) async fn bots(State(app): State<Arc<App>>) -> Json<Vec<BotData>> {
    Json(app.hub.bots().list())
}
