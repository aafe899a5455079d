//! `rookery games show`: one game of a store, with all its moves and what players did wrong.

use std::io::Write;

use anyhow::anyhow;
use rookery_live::{Deed, Entry, Story, read_story};
use rookery_referee::words::{self, Who};
use rookery_referee::{Charge, Evidence, Foul, MatchSpec, Verdict};
use rookery_rules::Seat;
use rookery_store::{GameId, StoredGame};
use rookery_terminal::{clean, clean_lines, wrap};
use serde::Serialize;

use super::GameJson;
use crate::commands::replay::{verdict_line, write_spec};
use crate::commands::write_json;
use crate::dates;
use crate::lists::{Column, write_table};
use crate::store_args::StoreArgs;

/// Show a stored game: who played, every move, how it ended, what players did wrong
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The game, as `rookery games list` names it
    id: GameId,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery games show 3v0k8q2m5x7c
  rookery games show 3v0k8q2m5x7c --store club.db --json

Exit codes: 0 done, 1 failed, 65 the store is damaged or of another version, 74 the disk fails.";

/// How wide texts are.
const WIDTH: usize = 78;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let store = args.store.read()?;
    let game = store.game(args.id)?;
    let record =
        read_story(&*store.record(args.id)?).map_err(|error| anyhow!("game {}: {error}", args.id))?;
    // What has no end is not stored.
    let verdict = record.verdict.as_deref().ok_or_else(|| anyhow!("game {}: it has no verdict", args.id))?;
    if args.json {
        return write_json(out, &Report::new(&game, &record, verdict));
    }
    let spec = &record.spec;
    write_spec(out, spec)?;
    write_place(&game, out)?;
    let who = |seat| spec.who(seat);
    for line in wrap(&verdict_line(verdict, &who), WIDTH) {
        writeln!(out, "{line}")?;
    }
    write_moves(&record, out)?;
    for entry in &record.entries {
        if let Deed::Fouled(foul) = &entry.deed {
            write_foul(foul, entry.plies, &who, out)?;
        }
    }
    Ok(())
}

fn write_place(game: &StoredGame, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(key) = game.key {
        let (pairing, attempt) = (key.key.pairing, key.key.attempt);
        writeln!(out, "  tournament {}, pairing {pairing}, attempt {attempt}", key.tournament)?;
    }
    writeln!(out, "  stored {} as number {}", dates::moment(game.finished_ms), game.seq)?;
    Ok(writeln!(out, "  SHA-256 {}\n", game.sha256)?)
}

/// Everything that happened, in its order.
fn write_moves(story: &Story, out: &mut dyn Write) -> anyhow::Result<()> {
    let timed = story.entries.iter().any(|entry| charge(entry).is_some());
    let mut columns = vec![Column::Right("move"), Column::Cut("player"), Column::Cut("plays")];
    columns.extend(timed.then_some(Column::Right("ms")));
    let row = |entry: &Entry| {
        let player = entry.seat.map_or_else(String::new, |seat| story.spec.who(seat));
        let (number, deed) = match &entry.deed {
            Deed::Moved { text, .. } => (entry.plies.to_string(), text.clone()),
            Deed::Said(text) => (String::new(), format!("says: {text}")),
            Deed::Resigned => (String::new(), "resigns".to_owned()),
            Deed::Fouled(foul) => {
                (String::new(), format!("{} ({})", foul.offence.word(), foul.ruling.word()))
            }
            Deed::Drawn => (String::new(), "the players agree on a draw".to_owned()),
            Deed::Adjudicated if entry.seat.is_some() => (String::new(), "wins, which is proved".to_owned()),
            Deed::Adjudicated => (String::new(), "the game is drawn, which is proved".to_owned()),
        };
        let time = timed
            .then(|| charge(entry).map_or_else(String::new, |charge| charge.used.as_millis().to_string()));
        [number, player, deed].into_iter().chain(time).collect()
    };
    let rows: Vec<Vec<String>> = story.entries.iter().map(|entry| row(entry)).collect();
    if !rows.is_empty() {
        writeln!(out)?;
        write_table(&columns, &rows, out)?;
    }
    Ok(())
}

fn charge(entry: &Entry) -> Option<Charge> {
    match &entry.deed {
        Deed::Moved { charge, .. } => *charge,
        Deed::Fouled(foul) => foul.charge,
        _ => None,
    }
}

/// What somebody did wrong, and everything that speaks for it.
pub(crate) fn write_foul(foul: &Foul, plies: u64, who: Who<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let sentence = clean(&words::foul(foul, who));
    writeln!(out)?;
    for line in wrap(&format!("After move {plies}: {sentence}"), WIDTH) {
        writeln!(out, "{line}")?;
    }
    let Evidence { sent, note, expected, legal, refused, exit, stderr } = &foul.evidence;
    let legal = (!legal.is_empty()).then(|| legal.join(" "));
    let refused = (*refused > 0).then(|| refused.to_string());
    for (title, text) in [
        ("sent", sent.as_deref()),
        ("note", Some(note.as_str()).filter(|note| !note.is_empty())),
        ("expected", expected.as_deref()),
        ("legal", legal.as_deref()),
        ("refused before", refused.as_deref()),
        ("exit", exit.as_deref()),
        ("standard error", stderr.as_deref()),
    ] {
        let Some(text) = text else { continue };
        for (idx, line) in wrap(&clean_lines(text), WIDTH - 18).iter().enumerate() {
            let title = if idx == 0 { title } else { "" };
            writeln!(out, "{}", format!("  {title:14}  {line}").trim_end())?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    game: GameJson,
    #[serde(rename = "match")]
    spec: &'a MatchSpec,
    sentence: String,
    moves: Vec<MoveJson<'a>>,
    faults: Vec<FaultJson<'a>>,
}

#[derive(Serialize)]
struct MoveJson<'a> {
    seat: usize,
    #[serde(rename = "move")]
    mv: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_ms: Option<u64>,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    seat: usize,
    /// How many moves were made before.
    after: u64,
    offence: &'static str,
    ruling: &'static str,
    sentence: String,
    evidence: &'a Evidence,
}

impl<'a> Report<'a> {
    fn new(game: &StoredGame, story: &'a Story, verdict: &Verdict) -> Self {
        let (spec, mut moves, mut faults) = (&*story.spec, vec![], vec![]);
        let seat = |entry: &Entry| entry.seat.map_or(0, Seat::index);
        for entry in &story.entries {
            match &entry.deed {
                Deed::Moved { text, charge, .. } => moves.push(MoveJson {
                    seat: seat(entry),
                    mv: text,
                    ms: charge.map(|charge| charge.used.as_millis() as u64),
                    left_ms: charge.map(|charge| charge.left.as_millis() as u64),
                }),
                Deed::Fouled(foul) => faults.push(FaultJson {
                    seat: seat(entry),
                    after: entry.plies,
                    offence: foul.offence.word(),
                    ruling: foul.ruling.word(),
                    sentence: words::foul(foul, &|seat| spec.who(seat)),
                    evidence: &foul.evidence,
                }),
                _ => {}
            }
        }
        Self { game: GameJson::new(game), spec, sentence: spec.sentence(verdict), moves, faults }
    }
}
