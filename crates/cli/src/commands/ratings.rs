//! `rookery ratings`: what the games of a store say about who is stronger, computed from the games alone.

use std::io::Write;
use std::process::ExitCode;

use rookery_arena::{Tournament, rated};
use rookery_report::{Evaluation, RatingOptions};
use rookery_rules::text::clean;
use rookery_store::{Page, Rating, Store, StoredRating, TournamentFilter, TournamentId, TournamentState};
use serde_json::json;

use super::matches::whole;
use super::tournament::{evaluate, rate};
use crate::store_args::StoreArgs;

/// Show the ratings of a store's tournaments, or compute them again from the games
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Only this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,

    /// Compute everything again from the games alone, and compare bit by bit with what is stored
    #[arg(long)]
    recompute: bool,

    /// Rate people by the games they play outside of tournaments (Glicko-2), and keep that; with --recompute only compare
    #[arg(long, conflicts_with = "tournament")]
    people: bool,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery ratings
  rookery ratings --store evening.db --recompute
  rookery ratings --people --store club.db

Exit codes: 0 done, 1 a stored rating is not what the games say, 2 the command line is wrong, 65 the store is damaged.";

/// How many tournaments or players are read at a time.
const PAGE: u32 = 1000;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if args.people {
        return super::ratings_people::run(&args.store, args.recompute, args.json, out);
    }
    let store = args.store.read()?;
    let mut differ = 0;
    let mut all = vec![];
    for id in ids(&store, args.tournament)? {
        let stored = all_of(&store, &rated::pool(id))?;
        if args.recompute {
            let compared = compare(&store, id, &stored)?;
            differ += u64::from(compared == Compared::Differs);
            let same = match compared {
                Compared::Same => Some(true),
                Compared::Differs => Some(false),
                Compared::NotSince => None,
            };
            all.push(json!({"tournament": id.to_string(), "same": same, "players": stored.len()}));
            if !args.json {
                let word = match compared {
                    Compared::Same => "as stored",
                    Compared::Differs => "NOT as stored",
                    Compared::NotSince => "not rated since its last games",
                };
                writeln!(out, "tournament {id}: {} ratings, {word}", stored.len())?;
            }
        } else {
            all.push(json!({"tournament": id.to_string(), "players": rows(&stored)}));
            if !args.json {
                write_table(id, &stored, out)?;
            }
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({"tournaments": all}))?;
    } else if all.is_empty() {
        writeln!(out, "no tournament is rated yet; `rookery tournament run` holds one")?;
    }
    Ok(if differ > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The tournaments that are meant, the latest first.
fn ids(store: &Store, only: Option<TournamentId>) -> anyhow::Result<Vec<TournamentId>> {
    if let Some(id) = only {
        return Ok(vec![store.tournament(id)?.id]);
    }
    let mut ids = vec![];
    let mut before = None;
    loop {
        let page = store.tournaments(&TournamentFilter::default(), Page { before, limit: PAGE })?;
        let Some(last) = page.last() else { return Ok(ids) };
        before = Some(last.seq);
        ids.extend(page.iter().map(|tournament| tournament.id));
    }
}

/// All ratings of a pool.
pub(super) fn all_of(store: &Store, pool: &str) -> anyhow::Result<Vec<StoredRating>> {
    let mut all = vec![];
    loop {
        let page = store.ratings(pool, Page { before: Some(all.len() as u64), limit: PAGE })?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// What comes of comparing stored ratings with the games.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    Same,
    Differs,
    /// Games were played after it was rated last, if it ever was: it is rated when it stops or ends.
    NotSince,
}

/// Compares, bit by bit, what the games say with what is stored.
fn compare(store: &Store, id: TournamentId, stored: &[StoredRating]) -> anyhow::Result<Compared> {
    let tournament = Tournament::open(store, id).map_err(whole)?;
    let evaluation = evaluate(&tournament, Evaluation::new(tournament.spec()))?;
    let is_same = |same| if same { Compared::Same } else { Compared::Differs };
    let Some(ratings) = rate(&evaluation, &RatingOptions::default()) else {
        return Ok(is_same(stored.is_empty()));
    };
    let now = rated::rows(id, store, &ratings, &evaluation)?;
    let was_rated_with = |row: &Rating| {
        let old = stored.iter().find(|old| old.rating.entrant == row.entrant);
        old.map_or(0, |old| old.rating.n_games)
    };
    // One that `tournament run` has finished is rated; where others hold them, nobody need have asked for ratings.
    let is_over = store.tournament(id)?.state == TournamentState::Finished;
    let is_rated = is_over && (!stored.is_empty() || store.how(id)?.is_some());
    if !is_rated && now.iter().any(|row| row.n_games > was_rated_with(row)) {
        return Ok(Compared::NotSince);
    }
    let method = ratings.method();
    Ok(is_same(now.len() == stored.len() && now.iter().all(|row| same_bits(row, &method, stored))))
}

/// Whether a rating is among the stored ones, to the last bit.
pub(super) fn same_bits(row: &Rating, method: &str, stored: &[StoredRating]) -> bool {
    let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    stored.iter().any(|old| {
        old.rating.entrant == row.entrant
            && old.method == method
            && old.rating.n_games == row.n_games
            && bits(&old.rating.numbers) == bits(&row.numbers)
    })
}

fn rows(stored: &[StoredRating]) -> Vec<serde_json::Value> {
    let number =
        |row: &StoredRating, idx: usize| row.rating.numbers.get(idx).copied().filter(|n| n.is_finite());
    let row = |row: &StoredRating| json!({"name": row.name, "rating": number(row, 0), "error": number(row, 1), "games": row.rating.n_games});
    stored.iter().map(row).collect()
}

fn write_table(id: TournamentId, stored: &[StoredRating], out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "tournament {id}")?;
    for row in stored {
        let number = |idx: usize| row.rating.numbers.get(idx).copied().filter(|number| number.is_finite());
        let rating = number(0).map_or_else(|| "-".to_owned(), |rating| format!("{rating:+.1}"));
        let error = number(1).map_or_else(String::new, |error| format!(" ± {error:.1}"));
        writeln!(
            out,
            "  {:32.32} {:>18}  {:>7} games",
            clean(&row.name),
            format!("{rating}{error}"),
            row.rating.n_games
        )?;
    }
    Ok(())
}
