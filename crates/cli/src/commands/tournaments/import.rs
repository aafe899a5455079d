//! `rookery tournaments import`: a tournament from a folder that an export wrote, every game of it judged again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use rookery_record::{Header, Key, Lines, SUFFIX};
use rookery_rules::Seed;
use rookery_rules::text::clean;
use rookery_store::{
    NewEntrant, NewGame, NewTournament, PairingState, Receipt, Store, Stored, StoredPairing, TournamentId,
    TournamentState,
};
use rookery_tournament::{Change, Entrant, TournamentSpec};
use serde::Serialize;

use super::export::{Exported, ExportedPairing, LOGS, PAIRINGS, RECORDS, TOURNAMENT, VERSION};
use super::state;
use crate::commands::entrants::kind;
use crate::commands::games::{Refused, batches, is_refusal, judge};
use crate::commands::verify::{cores, for_each, records};
use crate::commands::write_json;
use crate::new_file::read_json;
use crate::store_args::StoreArgs;

/// Take in a tournament that was exported, every game judged again
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A folder that `rookery tournaments export` wrote
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    store: StoreArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rookery tournaments import friday
  rookery tournaments import friday --store club.db --json

It keeps its id, so that taking it in again changes nothing. Results are read from the records alone. What is refused is
named, and everything else is taken in. The tournament goes on only where it is held.
Exit codes: 0 done, 1 some games were refused, 65 the store is damaged or of another version, 74 the disk fails or is
full, 75 another program writes to the store.";

/// The most bytes of `tournament.json`, and of a line of the pairings.
const MAX_FILE: u64 = 64 << 20;
const MAX_LINE: u64 = 64 << 10;
/// How many pairings are stored at a time.
const PAGE: usize = 1000;

#[derive(Serialize)]
struct Report {
    tournament: String,
    /// Whether it was not there before.
    new: bool,
    imported: u64,
    known: u64,
    refused: Vec<Refused>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let folder = &args.folder;
    let path = folder.join(TOURNAMENT);
    let exported: Exported = read_json(&path, MAX_FILE)?;
    let wrong = |problem: String| anyhow!("{}: {}", clean(&path.display().to_string()), clean(&problem));
    if exported.version != VERSION {
        bail!(wrong(format!(
            "it has version {}, and this program reads version {VERSION}",
            exported.version
        )));
    }
    let id: TournamentId = exported.id.parse().map_err(|_| wrong(format!("{:?} is no id", exported.id)))?;
    let in_state = state(&exported.state).map_err(|problem| wrong(format!("`state`: {problem}")))?;
    let mut pairings = Pairings::read(&folder.join(PAIRINGS), &exported)?;
    let store = args.store.write()?;
    let new = agreed(&store, &exported).map_err(|error| wrong(format!("{error:#}")))?;
    let is_new = store.import_tournament(id, exported.created_ms, new)?;
    let mut report =
        Report { tournament: exported.id.clone(), new: is_new, imported: 0, known: 0, refused: vec![] };
    import_games(&store, id, folder, &mut pairings, &mut report)?;
    let complete = pairings.store(&store, id)?;
    // An import that was cut off on its way has left it open.
    if store.tournament(id)?.state == TournamentState::Open {
        import_course(&store, id, &exported)?;
        // Where games are missing it is not finished.
        let in_state = if in_state == TournamentState::Finished && !complete {
            TournamentState::Paused
        } else {
            in_state
        };
        store.set_tournament_state(id, in_state)?;
    }
    report.write(args.json, out)
}

/// What was agreed, if it can be held.
fn agreed(store: &Store, exported: &Exported) -> anyhow::Result<NewTournament> {
    let spec: TournamentSpec = serde_json::from_value(exported.spec.clone()).context("`spec`")?;
    spec.check().context("`spec`")?;
    let seed = exported.seed.parse().map_err(|_| anyhow!("`seed`: expected digits"))?;
    let mut entrants = vec![];
    for entrant in &exported.entrants {
        let kind = kind(&entrant.kind).map_err(|problem| anyhow!("`kind`: {problem}"))?;
        let version = match &entrant.bot {
            None => None,
            Some(version) => Some(version.put(store, store.entrant(&entrant.name, kind)?)?),
        };
        entrants.push(NewEntrant {
            name: entrant.name.clone(),
            kind,
            player: entrant.player.clone(),
            version,
        });
    }
    Ok(NewTournament { spec: serde_json::to_string(&exported.spec)?, seed: Seed(seed), entrants })
}

/// Rounds, who came and went, and who is still there.
fn import_course(store: &Store, id: TournamentId, exported: &Exported) -> anyhow::Result<()> {
    for round in &exported.rounds {
        store.put_round(id, round.number, &round.note)?;
    }
    let changes = exported.changes.iter().map(|change| {
        let (entrant, from) = (Entrant(change.entrant), change.from);
        if change.joins { Change::Join { entrant, from } } else { Change::Leave { entrant, from } }
    });
    store.put_changes(id, &changes.collect::<Vec<_>>())?;
    for (number, entrant) in (0..).zip(&exported.entrants) {
        if !entrant.present {
            store.set_present(id, Entrant(number), false)?;
        }
    }
    Ok(())
}

/// Who meets whom, and whose games have come.
struct Pairings<'a> {
    names: Vec<&'a str>,
    rows: HashMap<u64, (StoredPairing, bool)>,
}

impl<'a> Pairings<'a> {
    fn read(path: &Path, exported: &'a Exported) -> anyhow::Result<Self> {
        let names: Vec<&str> = exported.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        let place = clean(&path.display().to_string());
        let mut file = BufReader::new(File::open(path).with_context(|| place.clone())?);
        let mut rows = HashMap::new();
        for number in 1_u64.. {
            let mut line = vec![];
            let n_bytes =
                (&mut file).take(MAX_LINE).read_until(b'\n', &mut line).with_context(|| place.clone())?;
            if n_bytes == 0 {
                break;
            }
            let wrong = |problem: &str| anyhow!("{place}: line {number}: {}", clean(problem));
            let row: ExportedPairing =
                serde_json::from_slice(&line).map_err(|error| wrong(&error.to_string()))?;
            if row.entrants.is_empty() || row.entrants.iter().any(|&entrant| entrant as usize >= names.len())
            {
                return Err(wrong("`entrants`: expected numbers of entrants, from 0"));
            }
            let state = PairingState::of_word(&row.state)
                .ok_or_else(|| wrong("`state`: expected open, done or parked"))?;
            let ExportedPairing { id, round, block, entrants, reason, attempt, .. } = row;
            let entrants = entrants.into_iter().map(Entrant).collect();
            let pairing = StoredPairing { id, round, block, entrants, reason, state, attempt };
            if rows.insert(id, (pairing, false)).is_some() {
                return Err(wrong("the pairing stands there twice"));
            }
        }
        Ok(Self { names, rows })
    }

    /// Whether a game is that of a pairing: the players are those who were to meet, on their seats.
    fn expect(&self, key: Key, record: &[u8]) -> Result<(), String> {
        let unknown = || format!("there is no pairing {} in {PAIRINGS}", key.pairing);
        let (pairing, _) = self.rows.get(&key.pairing).ok_or_else(unknown)?;
        if key.attempt > pairing.attempt {
            return Err(format!("it is attempt {}, and the pairing had {}", key.attempt, pairing.attempt));
        }
        let mut lines = Lines::new(record);
        let header = lines.first_line().map_err(|error| error.to_string())?;
        let header = Header::parse(header).map_err(|problem| problem.to_string())?;
        let agreed: Vec<&str> = pairing.entrants.iter().map(|entrant| self.names[entrant.index()]).collect();
        let played = header.spec.seats.iter().map(|seat| seat.name.to_lowercase());
        if played.eq(agreed.iter().map(|name| name.to_lowercase())) {
            return Ok(());
        }
        Err(format!("others played than were paired; expected {}", agreed.join(", ")))
    }

    /// The game of a pairing is stored.
    fn played(&mut self, key: Key) {
        if let Some((pairing, has_game)) = self.rows.get_mut(&key.pairing) {
            *has_game |= pairing.attempt == key.attempt;
        }
    }

    /// Stores them. Whether every one that is said to be done has its game; the others are to be played.
    fn store(self, store: &Store, id: TournamentId) -> anyhow::Result<bool> {
        let mut complete = true;
        let mut rows: Vec<StoredPairing> = vec![];
        for (mut pairing, has_game) in self.rows.into_values() {
            if has_game {
                pairing.state = PairingState::Done;
            } else if pairing.state == PairingState::Done {
                (pairing.state, complete) = (PairingState::Open, false);
            }
            rows.push(pairing);
        }
        rows.sort_by_key(|pairing| pairing.id);
        for page in rows.chunks(PAGE) {
            store.import_pairings(id, page.to_vec())?;
        }
        Ok(complete)
    }
}

/// Takes in the games, in the order of their pairings.
fn import_games(
    store: &Store,
    id: TournamentId,
    folder: &Path,
    pairings: &mut Pairings<'_>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let folder_of_records = folder.join(RECORDS);
    let is_empty = folder_of_records.read_dir().is_ok_and(|mut files| files.next().is_none());
    let files = if is_empty { vec![] } else { records(&[folder_of_records])? };
    for files in batches(&files) {
        let mut waiting: Vec<(&Path, Key, Receipt<Stored>)> = vec![];
        for (path, judged) in files.iter().zip(for_each(files, cores(), |path| judge(path))) {
            let checked = judged.and_then(|record| {
                let key = key_of(path).ok_or("expected the name PAIRING-ATTEMPT.rookery.jsonl")?;
                pairings.expect(key, &record)?;
                Ok((key, record))
            });
            match checked {
                Ok((key, record)) => {
                    waiting.push((path, key, store.put_game(NewGame::of_pairing(id, key, record))));
                }
                Err(reason) => report.refused.push(Refused::new(path, reason)),
            }
        }
        for (path, key, receipt) in waiting {
            match receipt.wait() {
                Ok(Stored { is_new, .. }) => {
                    *(if is_new { &mut report.imported } else { &mut report.known }) += 1;
                    pairings.played(key);
                    import_logs(store, id, folder, key)?;
                }
                Err(error) if is_refusal(&error) => {
                    report.refused.push(Refused::new(path, error.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// What the programs of a game wrote to their standard error.
fn import_logs(store: &Store, id: TournamentId, folder: &Path, key: Key) -> anyhow::Result<()> {
    const MAX_LOG: u64 = 1 << 20;
    for seat in 0..rookery_rules::MAX_SEATS {
        let path = folder.join(LOGS).join(format!("{:06}-{}-{seat}.log", key.pairing, key.attempt));
        let Ok(file) = File::open(&path) else { continue };
        let mut log = vec![];
        file.take(MAX_LOG).read_to_end(&mut log).with_context(|| clean(&path.display().to_string()))?;
        store.put_log(id, key, seat, &log).wait()?;
    }
    Ok(())
}

/// Pairing and attempt from the name of a record.
fn key_of(path: &Path) -> Option<Key> {
    let name = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
    let (pairing, attempt) = name.split_once('-')?;
    Some(Key { pairing: pairing.parse().ok()?, attempt: attempt.parse().ok()? })
}

impl Report {
    fn write(&self, json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        let Self { tournament, imported, known, refused, .. } = self;
        if json {
            write_json(out, self)?;
        } else {
            for Refused { file, reason } in refused {
                writeln!(out, "{}: {}", clean(file), clean(reason))?;
            }
            let refused = refused.len();
            writeln!(
                out,
                "tournament {tournament}: {imported} games taken in, {known} stored already, {refused} refused"
            )?;
        }
        if refused.is_empty() { Ok(()) } else { bail!("{} games were refused", refused.len()) }
    }
}
