//! What a tournament says: its plan, its table, its report.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use rookery_arena::{Tournament, rated};
use rookery_referee::parse_duration;
use rookery_report::table::wrapped;
use rookery_report::{Context, Evaluation, Model, RatingOptions, Ratings, Report, TestFacts, test_json};
use rookery_rules::text::{clean, shell_quoted};
use rookery_search::Stop;
use rookery_store::{GameId, Page, Store, TournamentFilter, TournamentId};
use rookery_tournament::{Board, Format as _, FormatSpec, Sprt, SprtSpec, TournamentSpec};
use serde_json::json;

use super::details::{Details, replays, tell_replays};
use super::run::only_unfinished;
use crate::commands::matches::{whole, width};
use crate::spec::UsageError;
use crate::stop::watch_quietly;
use crate::store_args::StoreArgs;

/// Say how far a tournament is
#[derive(Debug, clap::Args)]
#[command(after_help = STATUS_EXAMPLES)]
pub(super) struct StatusArgs {
    /// Which tournament; without it the only unfinished one, or the latest
    #[arg(value_name = "ID")]
    id: Option<TournamentId>,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const STATUS_EXAMPLES: &str = "\
Examples:
  rookery tournament status
  rookery tournament status 5t4e73e59t98 --json";

/// Show the table of a tournament, or write its report
#[derive(Debug, clap::Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(super) struct Args {
    /// Which tournament; without it the only unfinished one, or the latest
    #[arg(value_name = "ID")]
    id: Option<TournamentId>,

    /// text, markdown, csv (the table), csv-by-opponent (the cross table, a line for each two), json or html (one file with
    /// everything, to hand out)
    #[arg(long, value_name = "FORM", default_value = "text")]
    format: Form,

    /// How players are rated: bradley-terry, davidson, rao-kupper, plackett-luce or weng-lin (docs/ratings.md)
    #[arg(long, value_name = "MODEL")]
    model: Option<Model>,

    /// Give one player this rating, so that the others are compared with it: NAME=ELO
    #[arg(long, value_name = "NAME=ELO")]
    anchor: Option<String>,

    /// Judge games for about so long: the share of moves that keep the result of perfect play, where that can be proved
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    accuracy: Option<Duration>,

    /// Of a series: test whether the first player is this much stronger than the second (H0), or --elo1 (H1), with 5 % for
    /// either mistake; the html report draws the likelihood ratio
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,

    /// The difference in Elo that H1 stands for
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,

    /// Where the links of an html report lead: the address of a server that has the games; without it there are no links
    #[arg(long, value_name = "URL", value_parser = server)]
    server: Option<String>,

    #[command(flatten)]
    store: StoreArgs,

    /// The same as --format json
    #[arg(long)]
    json: bool,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  rookery tournament show
  rookery tournament show 5t4e73e59t98 --format html > report.html
  rookery tournament show --accuracy 1m
  rookery tournament show --model davidson --anchor easy=1000
  rookery tournament show --elo0 0 --elo1 30 --format html > series.html";

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Form {
    Text,
    Markdown,
    Csv,
    CsvByOpponent,
    Json,
    Html,
}

/// What would be played.
pub(super) fn plan(
    spec: &TournamentSpec,
    concurrency: usize,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let plan = spec.plan().map_err(|error| UsageError(clean(&error.to_string())))?;
    let name = |entrant: &rookery_tournament::Entrant| clean(&spec.entrants[entrant.index()].name);
    let longest = plan.games.and_then(|games| longest_seconds(spec, games, concurrency));
    if json {
        let first: Vec<_> = plan
            .first
            .iter()
            .map(|pairing| {
                json!({
                    "number": pairing.id + 1,
                    "players": pairing.entrants.iter().map(name).collect::<Vec<_>>(),
                    "game": spec.board(pairing).game,
                    "opening": spec.board(pairing).opening.map(|opening| spec.opening_label(opening)),
                    "round": pairing.round,
                    "reason": pairing.reason.to_string(),
                })
            })
            .collect();
        let value = json!({
            "name": spec.name, "entrants": spec.entrants.len(), "games": plan.games, "exact": plan.exact,
            "rounds": plan.rounds, "longest_s": longest, "first": first,
        });
        writeln!(out, "{value:#}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let games = match plan.games {
        Some(games) if plan.exact => format!("{games} games"),
        Some(games) => format!("at most {games} games"),
        None => "games until it is stopped".to_owned(),
    };
    let rounds = plan.rounds.map(|rounds| format!(", {rounds} rounds")).unwrap_or_default();
    writeln!(out, "{}: {} players, {games}{rounds}", clean(&spec.name), spec.entrants.len())?;
    match longest {
        Some(seconds) => {
            writeln!(out, "It takes at most about {}, with {concurrency} at a time.", about(seconds))?;
        }
        None => writeln!(
            out,
            "Without a clock nobody can say how long it takes; {concurrency} games run at a time."
        )?,
    }
    writeln!(out, "The first games:")?;
    for pairing in &plan.first {
        let players: Vec<String> = pairing.entrants.iter().map(name).collect();
        let Board { game, opening } = spec.board(pairing);
        let opening = opening.map(|opening| format!(", {}", clean(&spec.opening_label(opening))));
        let opening = opening.unwrap_or_default();
        writeln!(out, "  {game}{opening}: {} ({})", players.join(" - "), pairing.reason)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The same before anybody has signed up: how many will play, and so what, nobody can say.
pub(super) fn plan_of_sign_up(
    spec: &TournamentSpec,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let n_named = spec.entrants.len();
    if json {
        let value = json!({
            "name": spec.name, "entrants": n_named, "games": null, "exact": false, "rounds": null, "longest_s": null,
            "first": [],
        });
        writeln!(out, "{value:#}")?;
    } else {
        let name = clean(&spec.name);
        writeln!(out, "{name}: {n_named} players are named, and others sign up.")?;
        writeln!(out, "Who plays whom, and how many games there are, is known once they have.")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A time as people say it.
fn about(seconds: u64) -> String {
    match seconds {
        ..=180 => format!("{seconds} s"),
        181..=10_800 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// How long all games can take, in seconds, if everybody uses all its time.
fn longest_seconds(spec: &TournamentSpec, games: u64, concurrency: usize) -> Option<u64> {
    /// Moves of one player in a long game.
    const MOVES: u32 = 60;
    let each = spec.time.most_for(MOVES)?;
    let all = each.as_secs_f64() * spec.seats as f64 * games as f64 / concurrency.max(1) as f64;
    Some(all.ceil() as u64)
}

/// Shows how it stands at the end.
pub(super) fn finish(
    tournament: &Tournament,
    store: &Store,
    evaluation: &Evaluation,
    ratings: Option<&Ratings>,
    complete: bool,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let details = Details::read(tournament, store, evaluation)?;
    let (report, _) = report(tournament, store, evaluation, ratings, complete, &details, false)?;
    if json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        write!(out, "{}", report.to_text(width()))?;
    }
    Ok(())
}

/// The ratings, if there is a game to rate by.
pub(crate) fn rate(evaluation: &Evaluation, options: &RatingOptions) -> Option<Ratings> {
    Ratings::fit(evaluation, options).ok()
}

fn report(
    tournament: &Tournament,
    store: &Store,
    evaluation: &Evaluation,
    ratings: Option<&Ratings>,
    complete: bool,
    details: &Details,
    is_page: bool,
) -> anyhow::Result<(Report, BTreeMap<u64, GameId>)> {
    let format = tournament.format().map_err(whole)?;
    let location = shell_quoted(&clean(store.location()));
    let context = Context {
        tournament: Some(tournament.id().to_string()),
        is_complete: complete,
        ranking: format.ranking(),
        byes: format.byes(),
        suspended: format.suspended(),
        timing: Some(&details.timing),
        accuracy: details.accuracy.clone(),
        evidence: details.evidence.clone(),
        openings: details.openings.clone(),
        test: details.test.as_ref().map(Sprt::run),
        recompute: Some(format!("rookery ratings --store {location} --recompute")),
    };
    let mut report = Report::new(evaluation, ratings, &context);
    let games = replays(&report, tournament, store, is_page)?;
    tell_replays(&mut report, &games, store);
    Ok((report, games))
}

/// Every result of a tournament.
pub(crate) fn evaluate(tournament: &Tournament, evaluation: Evaluation) -> anyhow::Result<Evaluation> {
    rated::evaluate(tournament, evaluation).map_err(whole)
}

/// The tournament that is meant: the one that was named, the only unfinished one, or the latest.
pub(super) fn meant(id: Option<TournamentId>, store: &Store) -> anyhow::Result<Tournament> {
    let id = match id {
        Some(id) => id,
        None => match only_unfinished(store) {
            Ok(id) => id,
            Err(error) => {
                let latest =
                    store.tournaments(&TournamentFilter::default(), Page { before: None, limit: 1 })?;
                latest.first().map(|latest| latest.id).ok_or(error)?
            }
        },
    };
    Tournament::open(store, id).map_err(whole)
}

pub(super) fn status(args: &StatusArgs, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let store = args.store.read()?;
    let tournament = meant(args.id, &store)?;
    let spec = tournament.spec();
    let state = store.tournament(tournament.id())?.state;
    let evaluation = evaluate(&tournament, Evaluation::new(spec))?;
    // Where too few were left before the first round, there is neither.
    let (plan, format) = (spec.plan().ok(), tournament.format().ok());
    let games = plan.as_ref().and_then(|plan| plan.games);
    let exact = plan.as_ref().is_some_and(|plan| plan.exact);
    let rounds = plan.as_ref().and_then(|plan| plan.rounds);
    let round = format.and_then(|format| format.round()).map(|round| round.number);
    let played = evaluation.standings().games();
    if args.json {
        let value = json!({
            "tournament": tournament.id().to_string(), "name": spec.name, "state": state.word(),
            "entrants": spec.entrants.len(), "played": played, "games": games, "exact": exact,
            "round": round, "rounds": rounds, "trials": spec.trials, "test": evaluation.test().map(test_json),
        });
        writeln!(out, "{value:#}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let of = match games {
        Some(games) if exact => format!(" of {games}"),
        Some(games) => format!(" of at most {games}"),
        None => String::new(),
    };
    let round = match (round, rounds) {
        (Some(round), Some(rounds)) => format!(", round {round} of {rounds}"),
        (Some(round), None) => format!(", round {round}"),
        _ => String::new(),
    };
    writeln!(
        out,
        "{} ({}): {}, {played}{of} games{round}, {} players",
        clean(&spec.name),
        tournament.id(),
        state.word(),
        spec.entrants.len()
    )?;
    let test = evaluation.test().map(|run| TestFacts::new(run, evaluation.names()).to_string());
    for line in test.into_iter().chain(spec.trials.iter().map(ToString::to_string)) {
        writeln!(out, "{}", wrapped(&line, width()))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let store = args.store.read()?;
    let tournament = meant(args.id, &store)?;
    let spec = tournament.spec();
    let evaluation = Evaluation::new(spec);
    let in_order = args.model.is_some_and(|model| model == Model::WengLin);
    let evaluation = if in_order { evaluation.keeping_games() } else { evaluation };
    let evaluation = evaluate(&tournament, evaluation)?;
    let anchor = args.anchor.as_deref().map(|text| anchor(text, spec)).transpose()?;
    let options = RatingOptions { model: args.model, anchor, ..RatingOptions::default() };
    let ratings = match Ratings::fit(&evaluation, &options) {
        Ok(ratings) => Some(ratings),
        Err(error) if args.model.is_some() || anchor.is_some() => {
            return Err(UsageError(format!("there are no such ratings: {error}")).into());
        }
        Err(_) => None,
    };
    let complete = tournament_is_over(&tournament, &store)?;
    let mut details = Details::read(&tournament, &store, &evaluation)?;
    if let Some(time) = args.accuracy {
        let stop = Stop::default();
        let raised = stop.clone();
        let stopping = watch_quietly(move || raised.set())?;
        details.judge(&tournament, &store, &evaluation, time, &stop)?;
        if let Some(code) = stopping.exit_code() {
            return Ok(ExitCode::from(code));
        }
    }
    if let Some((elo0, elo1)) = args.elo0.zip(args.elo1) {
        details.test = Some(tested(&tournament, elo0, elo1)?);
    }
    let form = if args.json { Form::Json } else { args.format };
    // Only a server can show a game to whoever is handed the page.
    let server = args.server.as_deref().filter(|_| form == Form::Html);
    let (report, games) =
        report(&tournament, &store, &evaluation, ratings.as_ref(), complete, &details, server.is_some())?;
    match form {
        Form::Text => write!(out, "{}", report.to_text(width()))?,
        Form::Markdown => write!(out, "{}", report.to_markdown())?,
        Form::Csv => write!(out, "{}", report.to_csv())?,
        Form::CsvByOpponent => write!(out, "{}", report.to_csv_by_opponent())?,
        Form::Json => writeln!(out, "{}", report.to_json())?,
        Form::Html => {
            let link = |pairing| Some(format!("{}/m/{}", server?, games.get(&pairing)?));
            write!(out, "{}", report.to_html(&link))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a sequential test says of the games of a series, up to where it decides.
fn tested(tournament: &Tournament, elo0: f64, elo1: f64) -> anyhow::Result<Sprt> {
    let spec = tournament.spec();
    let (FormatSpec::Series { games } | FormatSpec::Sprt(SprtSpec { games, .. })) = spec.format else {
        let expected = "expected a series (`tournament run --format series`)";
        return Err(
            UsageError(format!("--elo0, --elo1: a test is about two who always meet; {expected}")).into()
        );
    };
    let test = SprtSpec { elo0, elo1, games, ..SprtSpec::default() }.test();
    let test = test.map_err(|error| UsageError(error.to_string()))?;
    let mut series = Sprt::new(spec.entrants.len(), games, test);
    for result in tournament.results().map_err(whole)? {
        series.take(&result.map_err(whole)?);
    }
    Ok(series)
}

/// The address of a server, without a slash at its end.
fn server(text: &str) -> Result<String, String> {
    let address = text.trim_end_matches('/');
    if ["http://", "https://"]
        .iter()
        .any(|scheme| address.len() > scheme.len() && address.starts_with(scheme))
    {
        return Ok(address.to_owned());
    }
    Err("expected the address of a server, such as http://localhost:8080".to_owned())
}

fn tournament_is_over(tournament: &Tournament, store: &Store) -> anyhow::Result<bool> {
    Ok(store.tournament(tournament.id())?.state == rookery_store::TournamentState::Finished)
}

fn anchor(text: &str, spec: &TournamentSpec) -> Result<(rookery_tournament::Entrant, f64), UsageError> {
    let wrong = |why: &str| UsageError(format!("--anchor {}: {why}", clean(text)));
    let (name, elo) =
        text.rsplit_once('=').ok_or_else(|| wrong("expected NAME=ELO, for example easy=1000"))?;
    let elo: f64 = elo.parse().map_err(|_| wrong("expected a number behind the ="))?;
    let entrants = spec.check().map_err(|error| UsageError(error.to_string()))?;
    let entrant = entrants.find(name).ok_or_else(|| wrong("nobody in this tournament has this name"))?;
    Ok((entrant, elo))
}
