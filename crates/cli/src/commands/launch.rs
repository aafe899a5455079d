//! What `rookery` does in a terminal without a subcommand: a screen to choose from.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use anyhow::anyhow;
use rookery_catalog::{AnySitting, PlayerSpec};
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::{App, Leave, Table, clean, open, open_to_play, run};

use super::play::{begin, interrupted, leave, new_record, palette, show_app, stop_signals};
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
    let stop = stop_signals()?;
    loop {
        let mut launcher = Launcher::new(recent(), palette());
        run::show(&mut launcher, io::stdout, &stop)?;
        let left = match launcher.wish() {
            None => return Ok(interrupted()),
            Some(Wish::Quit) => return Ok(ExitCode::SUCCESS),
            Some(Wish::Play { game, players }) => {
                let mut sitting = new_match(&game, &players)?;
                let name = game.split(':').next().unwrap_or_default();
                sitting.keep(Some(new_record(name)));
                play(sitting, out)?
            }
            Some(Wish::Resume(path)) => play(open_to_play(&path).map_err(|problem| anyhow!(problem))?, out)?,
            Some(Wish::Watch { game, players }) => watch(new_match(&game, &players)?, true)?,
            Some(Wish::Replay(path)) => watch(open(&path).map_err(|problem| anyhow!(problem))?, false)?,
        };
        if left == Leave::Interrupted {
            return Ok(interrupted());
        }
    }
}

fn new_match(game: &str, players: &[String]) -> anyhow::Result<Box<dyn AnySitting>> {
    let spec: CheckedSpec = game.parse()?;
    let players: Vec<PlayerSpec> = players.iter().map(|player| player.parse()).collect::<Result<_, _>>()?;
    begin(&spec, &players, None, None)
}

fn play(sitting: Box<dyn AnySitting>, out: &mut dyn Write) -> anyhow::Result<Leave> {
    let app = App::new(Table::new(sitting, None, Instant::now()), palette(), Instant::now());
    let app = show_app(app)?;
    let left = app.leave().unwrap_or(Leave::Interrupted);
    leave(app, out)?;
    Ok(left)
}

fn watch(sitting: Box<dyn AnySitting>, live: bool) -> anyhow::Result<Leave> {
    let now = Instant::now();
    watch_on_screen(App::watching(Table::new(sitting, None, now), DELAY, live, palette(), now))
}

/// The newest records of the person's own folder. One that cannot be read is not offered.
fn recent() -> Vec<Recent> {
    let Ok(folder) = fs::read_dir(games_folder()) else { return vec![] };
    let mut files: Vec<(SystemTime, PathBuf)> = folder
        .take(LOOKED_AT)
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let is_record = entry.file_name().to_string_lossy().ends_with(".rookery.jsonl");
            let metadata =
                entry.metadata().ok().filter(|metadata| is_record && metadata.len() <= MAX_BYTES)?;
            Some((metadata.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().filter_map(|(_, path)| describe(path)).take(SHOWN).collect()
}

fn describe(path: PathBuf) -> Option<Recent> {
    let sitting = open(&path).ok()?;
    let players: Vec<String> = sitting.header().seats.iter().map(|entry| clean(&entry.name)).collect();
    let n_moves = sitting.history().iter().filter(|entry| entry.is_move).count();
    let finished = sitting.verdict().is_some();
    let how = if finished { "over" } else { "unfinished" };
    let text = format!("{}: {}, {how} after {n_moves} moves", sitting.header().game, players.join(" - "));
    Some(Recent { path, text, finished })
}
