//! A new game: what its form says, and what is shown of it.

use std::sync::Arc;

use axum::extract::{Extension, Form, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use rookery_catalog::{AnyGame, CATALOG, game};
use rookery_rules::{GameSpec, Seed};

use super::pages::{begun, drawn, look, shown};
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::hub::{NewMatch, NewSeat};
use crate::pages::{NewGame, Problem, new_game};

/// The longest text of a field.
const MOST_TEXT: usize = 500;
/// The most fields that are read.
const MOST_FIELDS: usize = 64;
/// Boards by chance are numbered below this, so that a spec stays short.
const SEEDS: u64 = 10_000;

/// The fields of the form, as they come.
type Fields = Vec<(String, String)>;

/// What somebody wants, as far as it is understood.
struct Wish {
    game: &'static dyn AnyGame,
    spec: GameSpec,
    seats: Vec<String>,
    time: String,
    is_strict: bool,
    problem: Option<Problem>,
}

impl Wish {
    fn read(mut fields: Fields) -> Self {
        fields.truncate(MOST_FIELDS);
        fields.retain(|(_, value)| value.len() <= MOST_TEXT);
        let one = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let (known, mut spec, problem) = Self::game(one("spec"), one("game"));
        let keys = fields.iter().filter_map(|(key, value)| Some((key.strip_prefix("k.")?, value.trim())));
        for (key, value) in keys.filter(|(key, _)| known.keys().iter().any(|known| known.name == *key)) {
            let is_usual = known.keys().iter().any(|known| known.name == key && known.default == value);
            spec.options.retain(|(name, _)| name != key);
            if !is_usual && !value.is_empty() {
                spec.options.push((key.to_owned(), value.to_owned()));
            }
        }
        let has_seed = known.keys().iter().any(|key| key.name == "seed");
        if has_seed && one("shuffle").is_some() {
            spec.options.retain(|(name, _)| name != "seed");
        }
        // What is shown is what is played: a board by chance is chosen now.
        let spec = known.vary(&spec, Seed(crate::hub::random_seed().0 % SEEDS));
        let mut seats: Vec<String> = fields
            .iter()
            .filter(|(key, _)| key.strip_prefix('s').is_some_and(|rest| rest.parse::<u8>().is_ok()))
            .map(|(_, value)| value.clone())
            .collect();
        if let Some(list) = one("seats").filter(|_| seats.is_empty()) {
            seats = list.split(',').map(str::to_owned).collect();
        }
        let level = one("level");
        if let Some(level) = level {
            seats = vec!["me".to_owned(), level.to_owned()];
        }
        let time = match one("time") {
            Some("other") => one("other").filter(|other| !other.trim().is_empty()).unwrap_or("untimed"),
            Some(time) if !time.is_empty() => time,
            _ => "untimed",
        };
        let mut wish = Self {
            game: known,
            spec,
            seats,
            time: time.trim().to_owned(),
            is_strict: one("strict").is_some(),
            problem,
        };
        wish.fill(level.unwrap_or("medium"));
        wish
    }

    /// The game of a spec; the first one, and what is wrong, where there is none.
    fn game(spec: Option<&str>, name: Option<&str>) -> (&'static dyn AnyGame, GameSpec, Option<Problem>) {
        let text = spec.or(name).unwrap_or_else(|| CATALOG[0].name());
        let read = GameSpec::parse(text).and_then(|spec| Ok((game(&spec.game)?, spec)));
        match read {
            Ok((known, spec)) => (known, spec, None),
            Err(error) => {
                let problem = Problem { field: "game".to_owned(), text: error.to_string() };
                let first = GameSpec { game: CATALOG[0].name().to_owned(), options: vec![] };
                (CATALOG[0], first, Some(problem))
            }
        }
    }

    /// As many seats as the game has.
    fn fill(&mut self, others: &str) {
        let Ok(labels) = self.game.seat_labels(&self.spec) else { return };
        if self.seats.is_empty() {
            self.seats.push("me".to_owned());
        }
        self.seats.resize(labels.len(), others.to_owned());
    }

    fn text(&self) -> String {
        let options: Vec<String> =
            self.spec.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let given = if options.is_empty() { String::new() } else { format!(":{}", options.join(",")) };
        self.game.canonical(&self.spec).unwrap_or_else(|_| format!("{}{given}", self.spec.game))
    }

    fn wanted(&self) -> NewMatch {
        let seats = self.seats.iter().map(|seat| NewSeat::Spec(seat.clone())).collect();
        let mut wanted = NewMatch::new(self.text(), seats);
        wanted.time = Some(self.time.clone());
        wanted.casual = self.is_strict.then_some(false);
        wanted
    }
}

fn answer(app: &App, caller: &Caller, headers: &HeaderMap, mut wish: Wish) -> Response {
    let (mut picture, mut n_cells, mut labels) = (None, 0, vec![]);
    let board = wish.game.start(&wish.spec).and_then(|start| Ok((start, wish.game.seat_labels(&wish.spec)?)));
    match board {
        Ok((start, seats)) => {
            let scene = start.scene();
            (picture, n_cells, labels) = (Some(drawn(&scene)), scene.cells.len(), seats);
        }
        Err(error) => {
            wish.problem = Some(Problem { field: "game".to_owned(), text: error.to_string() });
        }
    }
    let look = look(caller, headers);
    let data = NewGame {
        text: wish.text(),
        game: wish.game,
        spec: wish.spec,
        picture,
        n_cells,
        labels,
        seats: wish.seats,
        time: wish.time,
        is_strict: wish.is_strict,
        me: look.name.clone(),
        is_person: caller.expect_person().is_ok(),
        bots: app.hub.bots().list(),
        problem: wish.problem,
    };
    shown("Play", &look, &new_game(&data))
}

pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(fields): Query<Fields>,
    headers: HeaderMap,
) -> Response {
    answer(&app, &caller, &headers, Wish::read(fields))
}

pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, ApiError> {
    let mut wish = Wish::read(fields);
    if wish.problem.is_none() {
        match begun(&app, &caller, &wish.wanted()).await {
            Err(ApiError { field: Some(field), message, .. }) => {
                wish.problem = Some(Problem { field, text: message });
            }
            done => return done,
        }
    }
    let mut response = answer(&app, &caller, &headers, wish);
    *response.status_mut() = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
    Ok(response)
}
