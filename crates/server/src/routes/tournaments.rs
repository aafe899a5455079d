//! Pages of tournaments: what they show is gathered here, and what their forms say is done.

use std::sync::Arc;

use axum::extract::{Extension, Form, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect, Response};
use rookery_catalog::{CATALOG, game};
use rookery_referee::SeatSpec;
use rookery_rules::{GameSpec, Seed, below};
use rookery_store::{BundleFilter, BundleState, Page, StoredBundle};
use rookery_tournament::{EntrantSpec, FormatSpec, SprtSpec, TournamentSpec};

use super::pages::{card, look, shown};
use crate::accounts::{Identity, blocking, now_ms};
use crate::api::{self, guest_of, with_cookie};
use crate::app::App;
use crate::http::{ApiError, Caller};
use crate::hub::Table;
use crate::pages::{self as shell, Card, Choice, Extent, FORMATS, NewTournament, SIGN_UPS, Seen, Visitor};
use crate::tournaments::{MOST_GAMES, Opening, SignUp, Tournaments, games_at_once};

/// Computers that are offered first, and those that take part unless others are chosen.
const FIRST: [&str; 3] = ["easy", "medium", "hard"];
const USUAL: [&str; 4] = ["easy", "medium", "hard", "random"];
/// How many games a ladder has.
const LADDER: u64 = 1000;
/// The longest time until a tournament begins that the form takes, in minutes.
const MOST_MINUTES: u32 = 24 * 60;
/// How many players a form counts on where others may sign up.
const EXPECTED: usize = 8;
/// How many games are played to see how long one is, and the most moves of each.
const SAMPLES: usize = 2;
const MOST_PLIES: usize = 200;
/// The longest text of a form.
const MOST_TEXT: usize = 500;
/// The most fields of a form.
const MOST_FIELDS: usize = 200;

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let all = api::tournaments_of(&app, None).await?;
    Ok(shown("Tournaments", &look(&caller, &headers), &shell::tournaments(&all)))
}

pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = api::read_tournament(&id)?;
    let who = caller.identity.as_ref();
    let own = who.is_some_and(|who| app.tournaments.may_change(id, who));
    let look = look(&caller, &headers);
    let asking = Arc::clone(&app);
    let opening = api::apart(move || asking.tournaments.opening(id)).await?;
    if let Some(opening) = opening {
        let visitor = visitor(&app, &caller, &opening).await?;
        return Ok(shown("Tournaments", &look, &shell::opening(&opening, &visitor)));
    }
    app.hub.look_on_at(id, MOST_BOARDS).await;
    let mut tables = app.hub.of_cup(id);
    // Games of whoever looks come first.
    tables.sort_by_key(|table| (table.seat_of(who).is_none(), table.id()));
    let is_running = |table: &&Arc<Table>| table.over_since().is_none();
    let mine = tables.iter().filter(is_running).find(|table| table.seat_of(who).is_some());
    let mine = mine.map(|table| table.id().to_string());
    let boards: Vec<Card> = tables
        .iter()
        .filter(is_running)
        .filter(|table| table.is_shown())
        .take(MOST_BOARDS)
        .map(|table| card(table))
        .collect();
    let asking = Arc::clone(&app);
    let brought = who.cloned();
    let (view, brought) = api::apart(move || {
        let brought = brought.map(|who| asking.tournaments.brought_by(id, &who)).unwrap_or_default();
        Ok((asking.tournaments.view(id)?, brought))
    })
    .await?;
    let asking = Arc::clone(&app);
    let way_in = match api::apart(move || asking.tournaments.late(id)).await? {
        Some(opening) => Some(shell::late(&opening, &visitor(&app, &caller, &opening).await?)),
        None => None,
    };
    let seen = Seen { own, boards, mine, brought, way_in };
    Ok(shown("Tournaments", &look, &shell::tournament(&view, &seen)))
}

/// The most boards of a tournament on its page.
const MOST_BOARDS: usize = 12;

/// Who looks at a tournament that it could enter.
async fn visitor(app: &Arc<App>, caller: &Caller, opening: &Opening) -> Result<Visitor, ApiError> {
    let who = caller.identity.as_ref();
    let is_in = |name: &str| opening.spec.entrants.iter().any(|entrant| entrant.name == name);
    // Their own, and those of nobody.
    let bots = app.hub.bots();
    let is_free = |name: &String| {
        let owner = bots.owner_of(name);
        (owner.is_none() || owner.as_ref() == who.map(|who| &who.owner)) && !is_in(name)
    };
    let mut free: Vec<String> = bots.list().into_iter().map(|bot| bot.name).filter(is_free).collect();
    for name in &mut free {
        name.insert(0, '@');
    }
    if let Some(person) = who.and_then(Identity::person) {
        let uploaded = ready_bundles(app).await?;
        let own = uploaded.into_iter().filter(|bundle| bundle.owner == Some(person) && !is_in(&bundle.name));
        free.extend(own.map(|bundle| format!("bundle:{}", bundle.name)));
    }
    let is_mine = |entrant: &EntrantSpec| who.is_some_and(|who| opening.is_of(&entrant.name, who));
    Ok(Visitor {
        is_person: caller.expect_person().is_ok(),
        name: who.map(|who| who.name.clone()).unwrap_or_default(),
        own: who.is_some_and(|who| app.tournaments.may_change(opening.id, who)),
        bots: free,
        is_mine: opening.spec.entrants.iter().map(is_mine).collect(),
        now_ms: now_ms(),
    })
}

/// The newest of each uploaded bot that may be seated, if this server starts any.
async fn ready_bundles(app: &App) -> Result<Vec<StoredBundle>, ApiError> {
    if app.hub.bundles.get().is_none() {
        return Ok(vec![]);
    }
    let store = app.hub.store().clone();
    let filter = BundleFilter { name: None, state: Some(BundleState::Ready) };
    let mut found = blocking(move || store.bundles(&filter, Page { before: None, limit: 200 })).await?;
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|bundle| seen.insert(bundle.name.clone()));
    Ok(found)
}

/// The fields of a form, some of which come more than once.
type Fields = Vec<(String, String)>;

fn field<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

/// What a tournament is called unless somebody says otherwise.
fn usual_name(title: &str) -> String {
    format!("{title} evening")
}

/// What a form says, with defaults for what it does not say.
fn read(app: &App, fields: &Fields, uploaded: Vec<StoredBundle>) -> NewTournament {
    let known = field(fields, "game").and_then(|name| game(name).ok()).unwrap_or(CATALOG[0]);
    let text = |name: &str| {
        field(fields, name)
            .map(|text| text.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect::<String>())
    };
    let number = |name: &str, usual: u64, most: u64| {
        field(fields, name).and_then(|text| text.parse().ok()).unwrap_or(usual).clamp(1, most)
    };
    // Whoever chooses another game has the board of the one before in the form.
    let board = text("board").filter(|board| board.split(':').next() == Some(known.name()));
    let players = known.players();
    let summary = |name: &str| {
        players.iter().find(|player| player.name == name).map(|player| player.summary.to_owned())
    };
    let others = players
        .iter()
        .map(|player| player.name)
        .filter(|name| !FIRST.contains(name) && !name.starts_with("level"));
    let computers = FIRST
        .into_iter()
        .chain(others)
        .map(|name| Choice { player: name.to_owned(), summary: summary(name).unwrap_or_default() });
    let plays = |bot: &crate::bots::BotData| {
        bot.games.as_ref().is_none_or(|games| games.iter().any(|game| game == known.name()))
    };
    let bots = app.hub.bots().list().into_iter().filter(plays);
    let bots = bots.map(|bot| Choice {
        player: format!("@{}", bot.name),
        summary: bot.author.map(|author| format!("by {author}")).unwrap_or_default(),
    });
    let uploaded = uploaded.into_iter().map(|bundle| Choice {
        player: format!("bundle:{}", bundle.name),
        summary: format!("uploaded, {}", bundle.label),
    });
    let choices: Vec<Choice> = computers.chain(bots).chain(uploaded).collect();
    let said: Vec<&str> =
        fields.iter().filter(|(key, _)| key == "who").map(|(_, value)| value.as_str()).collect();
    let said = if field(fields, "game").is_none() { USUAL.to_vec() } else { said };
    let who =
        choices.iter().map(|choice| choice.player.clone()).filter(|player| said.contains(&player.as_str()));
    let mut who: Vec<String> = who.collect();
    // The others keep their order.
    who.sort_by_key(|player| field(fields, "first") != Some(player));
    let has_people = matches!(field(fields, "signup"), Some("people" | "both"));
    let mut form = NewTournament {
        game: known.name().to_owned(),
        board: board.unwrap_or_else(|| known.name().to_owned()),
        boards: known.benches(),
        format: text("format")
            .filter(|format| FORMATS.iter().any(|(word, ..)| word == format))
            .unwrap_or_else(|| FORMATS[0].0.to_owned()),
        rounds: number("rounds", 3, 50) as u32,
        games: number("games", 2, 100),
        elo: number("elo", 50, 1000) as u32,
        who,
        choices,
        time: text("time")
            .filter(|time| time.parse::<rookery_referee::TimeControl>().is_ok())
            .unwrap_or_else(|| if has_people { "5m+3s" } else { "untimed" }.to_owned()),
        name: text("name")
            .map(|name| name.trim().chars().take(60).collect())
            .filter(|name: &String| {
                !name.is_empty() && !CATALOG.iter().any(|game| *name == usual_name(game.title()))
            })
            .unwrap_or_else(|| usual_name(known.title())),
        sign_up: text("signup")
            .filter(|word| SIGN_UPS.iter().any(|(known, _)| known == word))
            .unwrap_or_else(|| SIGN_UPS[0].0.to_owned()),
        late: field(fields, "late") != Some("no"),
        starts_in: field(fields, "start").and_then(|text| text.parse().ok()).unwrap_or(0).min(MOST_MINUTES),
        plans: vec![],
        players: 0,
        problem: None,
    };
    form.players = if form.sign_up == "none" { form.who.len() } else { form.who.len().max(EXPECTED) };
    let moves = usual_moves(&form.board);
    form.plans = FORMATS.iter().map(|(word, ..)| extent(&form, word, moves)).collect();
    form
}

/// How much it would be in this format, if each player makes so many moves in a game.
fn extent(form: &NewTournament, format: &str, moves: u32) -> Result<Extent, String> {
    let mut spec = spec_of(form, format)?;
    let people = if matches!(form.sign_up.as_str(), "people" | "both") { EXPECTED } else { 0 };
    // Whoever may come is counted as if it were there.
    for n in spec.entrants.len()..form.players {
        let player = "random".parse().map_err(|error: rookery_referee::SeatSpecError| error.to_string())?;
        spec.entrants.push(EntrantSpec { name: format!("player {}", n + 1), player, version: None });
    }
    // Who may come has no name yet that could be checked.
    let plan = if form.sign_up == "none" {
        Tournaments::plan(&spec).map_err(|error| error.message)?
    } else {
        spec.plan().map_err(|error| error.to_string())?
    };
    let at_once = games_at_once(&spec, people) as u64;
    let longest = plan.games.zip(spec.time.most_for(moves)).map(|(games, each)| {
        let one_after_another = games.div_ceil(at_once) * spec.seats as u64;
        each.saturating_mul(u32::try_from(one_after_another).unwrap_or(u32::MAX))
    });
    Ok(Extent { plan, longest })
}

/// How many moves one player makes in a game on this board: the most of a few games that are played without a plan.
fn usual_moves(board: &str) -> u32 {
    let Ok(start) = rookery_catalog::start(board) else { return 0 };
    let mut most = 1;
    let mut rng = Seed(1).rng();
    for _ in 0..SAMPLES {
        let (mut position, mut plies) = (start.boxed_clone(), 0);
        while plies < MOST_PLIES {
            let n = u32::try_from(position.moves().len()).unwrap_or(u32::MAX);
            if n == 0 || position.play_index(below(&mut rng, n) as usize).is_err() {
                break;
            }
            plies += 1;
        }
        most = most.max(plies.div_ceil(position.n_seats()));
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// The spec of what a form says, in this format.
fn spec_of(form: &NewTournament, format: &str) -> Result<TournamentSpec, String> {
    let spec = GameSpec::parse(&form.board).map_err(|error| error.to_string())?;
    let seats =
        game(&spec.game).and_then(|game| game.seat_labels(&spec)).map_err(|error| error.to_string())?.len();
    // A block has every seating once; meetings of a knock-out are even.
    let games = Some(form.games);
    let format = match format {
        "swiss" => FormatSpec::Swiss { rounds: form.rounds, games },
        "knock-out" => FormatSpec::KnockOut {
            best_of: Some(form.games.next_multiple_of(2)).filter(|_| seats == 2),
            extra_blocks: None,
            bronze: false,
            groups: None,
            advance: None,
        },
        "gauntlet" => FormatSpec::Gauntlet { challengers: None, games },
        "ladder" => FormatSpec::Ladder { games: Some(LADDER) },
        "sprt" if form.sign_up != "none" => {
            return Err("A test is between those who are chosen here: nobody can sign up.".to_owned());
        }
        "sprt" => {
            FormatSpec::Sprt(SprtSpec { elo1: f64::from(form.elo), games: MOST_GAMES, ..SprtSpec::default() })
        }
        _ => FormatSpec::RoundRobin { double: false, rounds: None, games },
    };
    let entrant = |who: &String| -> Result<EntrantSpec, String> {
        let player = match who.strip_prefix('@') {
            Some(name) => SeatSpec::Remote(name.to_owned()),
            None => who.parse().map_err(|error: rookery_referee::SeatSpecError| error.to_string())?,
        };
        Ok(EntrantSpec { name: shell::bot_name(who).to_owned(), player, version: None })
    };
    let entrants = form.who.iter().map(entrant).collect::<Result<Vec<_>, _>>()?;
    let time = form.time.parse().map_err(|_| "the clock cannot be read".to_owned())?;
    let mut seed = [0; 8];
    getrandom::fill(&mut seed).map_err(|error| error.to_string())?;
    Ok(TournamentSpec {
        name: form.name.clone(),
        games: vec![form.board.clone()],
        seats,
        min_seats: None,
        format,
        entrants,
        seed: Seed(u64::from_ne_bytes(seed) >> 1),
        time,
        scale_time: None,
        limits: rookery_referee::Limits::default(),
        conduct: None,
        max_turns: None,
        openings: vec![],
        opening_sets: vec![],
        balanced: None,
        forbidden: vec![],
        tie_breaks: None,
        byes: rookery_tournament::ByeRule::default(),
        points: rookery_tournament::PointRule::default(),
        max_faults: None,
        adjudicate: None,
        sandbox: None,
        trials: vec![],
    })
}

/// How others get in, if they may.
fn sign_up_of(form: &NewTournament) -> Option<SignUp> {
    let people = matches!(form.sign_up.as_str(), "people" | "both");
    let bots = matches!(form.sign_up.as_str(), "bots" | "both");
    let starts_ms = (form.starts_in > 0).then(|| now_ms() + i64::from(form.starts_in) * 60_000);
    (people || bots).then_some(SignUp { people, bots, starts_ms, late: form.late, problem: None })
}

fn expect_few(fields: &Fields) -> Result<(), ApiError> {
    if fields.len() > MOST_FIELDS {
        return Err(ApiError::bad("the form has too many fields"));
    }
    Ok(())
}

pub(crate) async fn form(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(fields): Query<Fields>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    expect_few(&fields)?;
    let body = shell::new_tournament(&read(&app, &fields, ready_bundles(&app).await?));
    Ok(shown("Tournaments", &look(&caller, &headers), &body))
}

pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, ApiError> {
    expect_few(&fields)?;
    let mut form = read(&app, &fields, ready_bundles(&app).await?);
    let (who, cookie) = guest_of(&app, &caller).await?;
    let making = Arc::clone(&app);
    let sign_up = sign_up_of(&form);
    let begun = match spec_of(&form, &form.format) {
        Ok(spec) => {
            api::apart(move || match sign_up {
                Some(sign_up) => making.tournaments.announce(spec, sign_up, &who),
                None => making.tournaments.begin(spec, &who),
            })
            .await
        }
        Err(why) => Err(ApiError::bad(why)),
    };
    match begun {
        Ok(id) => Ok(with_cookie(Redirect::to(&format!("/t/{id}")).into_response(), cookie)),
        Err(error) => {
            form.problem = Some(error.message);
            let mut response = shown("Tournaments", &look(&caller, &headers), &shell::new_tournament(&form));
            *response.status_mut() = error.status;
            Ok(response)
        }
    }
}

pub(crate) async fn act(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Form(fields): Form<Fields>,
) -> Result<Response, ApiError> {
    let (id, who) = (api::read_tournament(&id)?, caller.expect()?.clone());
    let what = field(&fields, "what").unwrap_or_default().to_owned();
    let entrant = field(&fields, "entrant").unwrap_or_default().to_owned();
    let back = if what == "remove" { "/t".to_owned() } else { format!("/t/{id}") };
    api::apart(move || match what.as_str() {
        "pause" => app.tournaments.pause(id, &who),
        "resume" => app.tournaments.go_on(id, &who),
        "remove" => app.tournaments.remove(id, &who),
        "withdraw" => app.tournaments.withdraw(id, &entrant, &who),
        "enter" => app.tournaments.enter(id, &entrant, &who),
        "begin" => app.tournaments.begin_announced(id, &who),
        _ => {
            let message = "expected `enter`, `begin`, `pause`, `resume`, `withdraw` or `remove`";
            Err(ApiError::field("what", message))
        }
    })
    .await?;
    Ok(Redirect::to(&back).into_response())
}
