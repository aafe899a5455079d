//! `rookery tournaments`: the tournaments of a store. Those that are to be played are `rookery tournament`'s.

mod export;
mod import;

use std::io::Write;

use rookery_rules::text::clean;
use rookery_store::{
    GameFilter, PairingState, Store, StoreError, StoredPairing, StoredTournament, TournamentEntrant,
    TournamentFilter, TournamentId, TournamentState,
};
use serde::Serialize;
use serde_json::Value;

use super::write_json;
use crate::dates;
use crate::lists::{Column, limit, page, pages, write_json_list, write_table};
use crate::store_args::StoreArgs;

/// List the tournaments of a store; show, export or import one
///
/// `rookery tournament` plays tournaments and shows their results; here is what is kept of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery tournaments list --unfinished
  rookery tournaments export 3v0k8q2m5x7c friday --store club.db")]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// List tournaments, the latest first
    #[command(after_help = "\
Examples:
  rookery tournaments list
  rookery tournaments list --state finished --limit 10 --json")]
    List(ListArgs),
    /// Show what was agreed, who takes part and how far it is
    #[command(after_help = "\
Examples:
  rookery tournaments show 3v0k8q2m5x7c
  rookery tournaments show 3v0k8q2m5x7c --store club.db --json")]
    Show {
        /// The tournament, as `rookery tournaments list` names it
        id: TournamentId,
        #[command(flatten)]
        store: StoreArgs,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    Export(export::Args),
    Import(import::Args),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    store: StoreArgs,

    /// Only in this state: open, running, paused, finished or cancelled
    #[arg(long, value_name = "WORD", value_parser = state)]
    state: Option<TournamentState>,

    /// Only those that are not over
    #[arg(long)]
    unfinished: bool,

    /// At most so many [default: 50; with --json all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// Only those that were made before the one with this number
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,
}

fn state(word: &str) -> Result<TournamentState, String> {
    let state = TournamentState::of_word(word);
    state.ok_or_else(|| "expected open, running, paused, finished or cancelled".to_owned())
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.deed {
        Deed::List(args) => list(args, out),
        Deed::Show { id, store, json } => show(*id, &store.read()?, *json, out),
        Deed::Export(args) => export::run(args, out),
        Deed::Import(args) => import::run(args, out),
    }
}

fn list(args: &ListArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = args.store.read()?;
    let filter = TournamentFilter { state: args.state, unfinished: args.unfinished };
    let is_filtered = args.state.is_some() || args.unfinished || args.before.is_some();
    let read = |before| store.tournaments(&filter, page(before));
    let mut tournaments = pages(args.before, |tournament: &StoredTournament| tournament.seq, read);
    let limit = limit(args.limit, args.json);
    if args.json {
        let rows = tournaments.take(limit).map(|tournament| Ok(TournamentJson::new(&store, &tournament?)?));
        return write_json_list(rows, out);
    }
    let mut rows = vec![];
    let mut last = None;
    for tournament in tournaments.by_ref().take(limit) {
        let tournament = tournament?;
        last = Some(tournament.seq);
        let TournamentJson { id, name, format, games, .. } = TournamentJson::new(&store, &tournament)?;
        let (date, state) = (dates::day(tournament.created_ms), tournament.state.word().to_owned());
        rows.push(vec![
            id,
            date,
            state,
            format.unwrap_or_default(),
            name.unwrap_or_default(),
            games.to_string(),
        ]);
    }
    let Some(last) = last else {
        let text = if is_filtered {
            "No tournament is like that."
        } else {
            "There are no tournaments yet. `rookery tournament run` holds one."
        };
        return Ok(writeln!(out, "{text}")?);
    };
    let columns = [
        Column::Whole("id"),
        Column::Whole("date"),
        Column::Whole("state"),
        Column::Cut("format"),
        Column::Cut("name"),
        Column::Right("games"),
    ];
    write_table(&columns, &rows, out)?;
    if tournaments.next().transpose()?.is_some() {
        writeln!(out, "\nThere are more; go on with --before {last}.")?;
    }
    Ok(())
}

/// A tournament of a list, for programs.
#[derive(Serialize)]
struct TournamentJson {
    id: String,
    seq: u64,
    name: Option<String>,
    format: Option<String>,
    state: &'static str,
    /// How many games are stored, also of attempts that do not count.
    games: u64,
    created: String,
}

impl TournamentJson {
    fn new(store: &Store, tournament: &StoredTournament) -> Result<Self, StoreError> {
        let filter = GameFilter { tournament: Some(tournament.id), ..GameFilter::default() };
        // Whatever the spec holds, the list can be shown.
        let spec: Value = serde_json::from_str(&tournament.spec).unwrap_or_default();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Ok(Self {
            id: tournament.id.to_string(),
            seq: tournament.seq,
            name: text(&spec["name"]),
            format: text(&spec["format"]["kind"]),
            state: tournament.state.word(),
            games: store.n_games(&filter)?,
            created: dates::moment(tournament.created_ms),
        })
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    tournament: TournamentJson,
    seed: String,
    spec: Value,
    entrants: Vec<EntrantJson>,
    rounds: Vec<RoundJson>,
    pairings: Counts,
}

#[derive(Serialize)]
struct EntrantJson {
    number: u32,
    name: String,
    player: String,
    present: bool,
}

#[derive(Serialize)]
struct RoundJson {
    number: u32,
    note: String,
}

/// How many pairings are in each state.
#[derive(Default, Serialize)]
struct Counts {
    open: u64,
    done: u64,
    parked: u64,
}

fn show(id: TournamentId, store: &Store, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let tournament = store.tournament(id)?;
    let entrant = |entrant: TournamentEntrant| EntrantJson {
        number: entrant.number.0,
        name: entrant.name,
        player: entrant.player,
        present: entrant.present,
    };
    let round = |round: rookery_store::Round| RoundJson { number: round.number, note: round.note };
    let mut counts = Counts::default();
    for pairing in pairings(store, id) {
        *(match pairing?.state {
            PairingState::Open => &mut counts.open,
            PairingState::Done => &mut counts.done,
            PairingState::Parked => &mut counts.parked,
        }) += 1;
    }
    let report = Report {
        tournament: TournamentJson::new(store, &tournament)?,
        seed: tournament.seed.0.to_string(),
        spec: serde_json::from_str(&tournament.spec).unwrap_or_default(),
        entrants: store.tournament_entrants(id)?.into_iter().map(entrant).collect(),
        rounds: store.rounds(id)?.into_iter().map(round).collect(),
        pairings: counts,
    };
    if json { write_json(out, &report) } else { report.write(out) }
}

impl Report {
    fn write(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let TournamentJson { id, name, format, state, games, created, .. } = &self.tournament;
        let or_unknown = |text: &Option<String>| clean(text.as_deref().unwrap_or("?"));
        writeln!(out, "tournament {id}: {}", or_unknown(name))?;
        writeln!(out, "  {state}, made {created}, format {}, seed {}", or_unknown(format), self.seed)?;
        for game in self.spec["games"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            writeln!(out, "  plays {}", clean(game))?;
        }
        let Counts { open, done, parked } = self.pairings;
        writeln!(out, "  pairings: {done} done, {open} open, {parked} parked; games stored: {games}\n")?;
        let columns =
            [Column::Right("number"), Column::Cut("entrant"), Column::Cut("player"), Column::Whole("")];
        let row = |entrant: &EntrantJson| {
            let left = if entrant.present { "" } else { "has left" };
            // People count from 1.
            vec![
                (entrant.number + 1).to_string(),
                entrant.name.clone(),
                entrant.player.clone(),
                left.to_owned(),
            ]
        };
        write_table(&columns, &self.entrants.iter().map(row).collect::<Vec<_>>(), out)?;
        let notes = self.rounds.iter().filter(|round| !round.note.is_empty());
        for (idx, RoundJson { number, note }) in notes.enumerate() {
            let gap = if idx == 0 { "\n" } else { "" };
            writeln!(out, "{gap}round {number}: {}", clean(note))?;
        }
        Ok(())
    }
}

/// All pairings of a tournament, by number.
fn pairings(store: &Store, id: TournamentId) -> impl Iterator<Item = Result<StoredPairing, StoreError>> {
    pages(None, |pairing: &StoredPairing| pairing.id, move |after| store.pairings(id, after))
}
