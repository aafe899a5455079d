//! `rookery ratings`: what the games of a store say about who is stronger, computed from the games alone.

use std::io::Write;
use std::process::ExitCode;

use rookery_arena::{Tournament, rated};
use rookery_report::{Evaluation, RatingOptions};
use rookery_rules::text::clean;
use rookery_store::{Page, Rating, Store, StoredRating, TournamentFilter, TournamentId, TournamentState};
use serde_json::json;

use super::matches::whole;
use super::ratings_people;
use super::tournament::{evaluate, rate};
use crate::store_args::StoreArgs;

/// Show the ratings of a store's tournaments, or compute all ratings again from the games
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
        return ratings_people::run(&args.store, args.recompute, args.json, out);
    }
    let store = args.store.read()?;
    if args.recompute {
        return recompute(&store, args, out);
    }
    let mut all = vec![];
    for id in ids(&store, args.tournament)? {
        let stored = all_of(&store, &rated::pool(id))?;
        all.push(json!({"tournament": id.to_string(), "players": rows(&stored)}));
        if !args.json {
            write_table(id, &stored, out)?;
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({"tournaments": all}))?;
    } else if all.is_empty() {
        writeln!(out, "{NOBODY}")?;
    }
    Ok(ExitCode::SUCCESS)
}

const NOBODY: &str = "no tournament is rated yet; `rookery tournament run` holds one";

/// Compares everything that is stored, or one tournament, with what the games say.
fn recompute(store: &Store, args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (mut differ, mut lines) = (false, vec![]);
    let (mut tournaments, mut people, mut others) = (vec![], vec![], vec![]);
    let ids = ids(store, args.tournament)?;
    for id in &ids {
        let stored = all_of(store, &rated::pool(*id))?;
        let compared = compare(store, *id, &stored)?;
        differ |= compared == Compared::Differs;
        tournaments
            .push(json!({"tournament": id.to_string(), "same": compared.is_same(), "players": stored.len()}));
        lines.push(format!("tournament {id}: {} ratings, {}", stored.len(), compared.words()));
    }
    if args.tournament.is_none() {
        for pool in ratings_people::compare(store)? {
            differ |= pool.compared == Compared::Differs;
            people.push(json!({
                "game": pool.game, "same": pool.compared.is_same(), "players": pool.stored.len(), "later": pool.later,
            }));
            lines.push(format!(
                "people {}: {} ratings, {}",
                clean(&pool.game),
                pool.stored.len(),
                pool.words()
            ));
        }
        let known: Vec<String> = ids.iter().map(|id| rated::pool(*id)).collect();
        for pool in store.rating_pools()? {
            if known.contains(&pool) || ratings_people::game_of(&pool).is_some() {
                continue;
            }
            differ = true;
            let n_ratings = all_of(store, &pool)?.len();
            lines.push(format!("{}: {n_ratings} ratings, of which NO game is known", clean(&pool)));
            others.push(json!({"pool": pool, "same": false, "players": n_ratings}));
        }
    }
    if args.json {
        let all = json!({"tournaments": tournaments, "people": people, "others": others});
        writeln!(out, "{all:#}")?;
    } else if lines.is_empty() {
        writeln!(out, "{NOBODY}")?;
    }
    for line in lines.iter().filter(|_| !args.json) {
        writeln!(out, "{line}")?;
    }
    Ok(if differ { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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
pub(super) enum Compared {
    Same,
    Differs,
    /// Games were played after it was rated last, if it ever was: a tournament is rated when it stops or ends.
    NotSince,
}

impl Compared {
    /// For programs.
    pub(super) const fn is_same(self) -> Option<bool> {
        match self {
            Self::Same => Some(true),
            Self::Differs => Some(false),
            Self::NotSince => None,
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Same => "as stored",
            Self::Differs => "NOT as stored",
            Self::NotSince => "not rated since its last games",
        }
    }
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
    // One that is over is rated; one that was imported has the ratings that came with it, if any did.
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
