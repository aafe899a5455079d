//! `rookery tournament export`: to each bot's author what is theirs: its games, its faults with evidence, its own standard
//! error.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use rookery_arena::Tournament;
use rookery_live::{Deed, read_story};
use rookery_rules::text::clean;
use rookery_store::{Store, StoredResult, TournamentId};
use rookery_tournament::{Entrant, GameResult};

use super::show::meant;
use crate::commands::games::write_foul;
use crate::spec::UsageError;
use crate::store_args::StoreArgs;

/// Write each player's games, faults and standard error into a folder of its own, to hand back to its author
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Which tournament; without it the only unfinished one, or the latest
    #[arg(value_name = "ID")]
    id: Option<TournamentId>,

    /// The folder, which is made; one that exists has to be empty
    #[arg(long, value_name = "DIR")]
    by_entrant: PathBuf,

    #[command(flatten)]
    store: StoreArgs,
}

const EXAMPLES: &str = "\
Examples:
  rookery tournament export --by-entrant hand-back
  rookery tournament export 5t4e73e59t98 --by-entrant hand-back --store evening.db";

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let store = args.store.read()?;
    let tournament = meant(args.id, &store)?;
    let dir = &args.by_entrant;
    let shown = clean(&dir.display().to_string());
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(UsageError(format!("--by-entrant {shown}: it is not empty; name a new folder")).into());
    }
    let spec = tournament.spec();
    let folders: Vec<PathBuf> = spec
        .entrants
        .iter()
        .enumerate()
        .map(|(idx, entrant)| dir.join(folder_name(idx, &entrant.name)))
        .collect();
    for folder in &folders {
        fs::create_dir_all(folder).with_context(|| clean(&folder.display().to_string()))?;
    }
    let mut faults: Vec<String> = vec![String::new(); folders.len()];
    let mut games = 0_u64;
    for stored in store.results(tournament.id())? {
        let stored = stored?;
        games += 1;
        hand_back(&tournament, &store, (games, &stored), &folders, &mut faults)?;
    }
    for (folder, faults) in folders.iter().zip(faults) {
        let text = if faults.is_empty() { "No faults.\n".to_owned() } else { faults };
        fs::write(folder.join("faults.txt"), text).with_context(|| clean(&folder.display().to_string()))?;
    }
    writeln!(out, "{games} games of {} players in {shown}", folders.len())?;
    Ok(ExitCode::SUCCESS)
}

/// A folder that no other entrant has, whatever signs its name is made of: the name itself, or a number and what can be kept of
/// it. A name that looks like that gets a number as well.
fn folder_name(idx: usize, name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let plain: String = name.chars().take(60).map(kept).collect();
    let plain = plain.trim_matches('.');
    let is_number = |text: &str| text.len() >= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_numbered = name.split_once('-').is_some_and(|(number, _)| is_number(number));
    if plain == name && !is_numbered { plain.to_owned() } else { format!("{:03}-{plain}", idx + 1) }
}

/// One game, to all who played it.
fn hand_back(
    tournament: &Tournament,
    store: &Store,
    (number, stored): (u64, &StoredResult),
    folders: &[PathBuf],
    faults: &mut [String],
) -> anyhow::Result<()> {
    let StoredResult { key, result, .. } = stored;
    let record = store.record_of(tournament.id(), *key)?;
    let logs = store.logs(tournament.id(), *key)?;
    for (seat, &Entrant(player)) in result.entrants.iter().enumerate() {
        let folder = &folders[player as usize];
        write(&folder.join(format!("game-{number:05}.rookery.jsonl")), &record)?;
        // Only its own: what another program says is not for it.
        if let Some((_, log)) = logs.iter().find(|(at, _)| *at == seat) {
            write(&folder.join(format!("game-{number:05}.stderr")), log)?;
        }
    }
    if !result.failed.is_empty() {
        tell_faults(number, result, &record, faults)?;
    }
    Ok(())
}

fn tell_faults(number: u64, result: &GameResult, record: &[u8], faults: &mut [String]) -> anyhow::Result<()> {
    let snapshot = read_story(record)?.snapshot();
    let who = |seat| snapshot.spec.who(seat);
    for entry in &snapshot.entries {
        let Deed::Fouled(foul) = &entry.deed else { continue };
        let Some(entrant) = result.entrants.get(foul.seat.index()) else { continue };
        let mut text = format!("game {number}").into_bytes();
        write_foul(foul, entry.plies, &who, &mut text)?;
        text.push(b'\n');
        faults[entrant.index()].push_str(&String::from_utf8_lossy(&text));
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| clean(&path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_have_the_same_folder_whatever_they_are_called() {
        let names = ["003-x_", "y", "x!", "x?", "..", "ann", "ann.", "004-x_", "007-", "-", "é"];
        let folders: Vec<String> =
            names.iter().enumerate().map(|(idx, name)| folder_name(idx, name)).collect();
        assert_eq!(folders.iter().collect::<BTreeSet<_>>().len(), names.len(), "{folders:?}");
        assert_eq!((&*folders[1], &*folders[2], &*folders[5]), ("y", "003-x_", "ann"));
    }
}
