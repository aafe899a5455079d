//! What `rookery` does in a terminal without a subcommand: a screen to choose from.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use rookery_referee::{Entry, MatchSpec};
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::{Keep, Leave, Table, clean};

use super::play::{Here, agree_at_screen, keep_of, palette, play_on_screen};
use super::watch::watch_on_screen;
use crate::data_folder::games_folder;
use crate::spec::CheckedSpec;

/// The records that are offered.
const SHOWN: usize = 20;
/// The records that are looked at to find the newest; a folder may hold any number.
const LOOKED_AT: usize = 10_000;
/// The largest record that is read for the list.
const MAX_BYTES: u64 = 4 << 20;
/// Between two moves of a match that is watched.
const DELAY: Duration = Duration::from_millis(700);

/// Shows the launcher, does what is chosen, and comes back to it.
pub(crate) fn run(out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let here = Here::new()?;
    loop {
        let mut launcher = Launcher::new(recent(), palette());
        here.show(&mut launcher)?;
        let left = match launcher.wish() {
            None => Leave::Interrupted,
            Some(Wish::Quit) => return Ok(ExitCode::SUCCESS),
            Some(wish) => fulfil(&here, wish, out)?,
        };
        if left == Leave::Interrupted {
            return Ok(here.exit_code(left));
        }
    }
}

fn fulfil(here: &Here, wish: Wish, out: &mut dyn Write) -> anyhow::Result<Leave> {
    let wrong = |problem: String| anyhow!(problem);
    match wish {
        Wish::Quit => Ok(Leave::Quit),
        Wish::Play { game, players } => {
            let (spec, agreed) = new_match(&game, &players)?;
            let agreed = MatchSpec { casual: true, ..agreed };
            let table = Table::begin(here.runtime(), agreed, &keep_of(&spec)).map_err(wrong)?;
            play_on_screen(here, table, out)
        }
        Wish::Resume(path) => play_on_screen(here, Table::resume(here.runtime(), &path).map_err(wrong)?, out),
        Wish::Watch { game, players } => {
            let (_, agreed) = new_match(&game, &players)?;
            let table = Table::begin(here.runtime(), agreed, &Keep::No).map_err(wrong)?;
            watch_on_screen(here, table, DELAY)
        }
        Wish::Replay(path) => watch_on_screen(here, Table::read(&path).map_err(wrong)?, DELAY),
    }
}

fn new_match(game: &str, players: &[String]) -> anyhow::Result<(CheckedSpec, MatchSpec)> {
    let spec: CheckedSpec = game.parse()?;
    let players: Vec<Entry> = players.iter().map(|player| player.parse()).collect::<Result<_, _>>()?;
    let agreed = agree_at_screen(&spec, &players, None)?;
    Ok((spec, agreed))
}

/// The newest records of the person's own folder. One that cannot be read is not offered.
fn recent() -> Vec<Recent> {
    let Ok(folder) = fs::read_dir(games_folder()) else { return vec![] };
    let mut files: Vec<(SystemTime, PathBuf)> = folder
        .take(LOOKED_AT)
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let is_record = entry.file_name().to_string_lossy().ends_with(".rookery.jsonl");
            let metadata = entry
                .metadata()
                .ok()
                .filter(|found| is_record && found.is_file() && found.len() <= MAX_BYTES)?;
            Some((metadata.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().filter_map(|(_, path)| describe(path)).take(SHOWN).collect()
}

fn describe(path: PathBuf) -> Option<Recent> {
    let table = Table::read(&path).ok()?;
    let players: Vec<String> = table.spec().seats.iter().map(|entry| clean(&entry.name)).collect();
    let (n_moves, finished) = (table.n_moves(), table.verdict().is_some());
    // Nobody wants to go on with what has not begun.
    if n_moves == 0 && !finished {
        return None;
    }
    let how = if finished { "over" } else { "unfinished" };
    let text = format!("{}: {}, {how} after {n_moves} moves", table.spec().game, players.join(" - "));
    Some(Recent { path, text, finished })
}
