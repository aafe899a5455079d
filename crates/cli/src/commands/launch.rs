//! The launcher that `rookery play` without a game shows: a screen to choose from.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use rookery_catalog::game;
use rookery_referee::Entry;
use rookery_terminal::launcher::{Launcher, Recent, Wish};
use rookery_terminal::results::Results;
use rookery_terminal::{App, FIRST_GAME, Keep, Leave, Look, Table, clean, quoted};

use super::play::{Args, Here, play_on_screen};
use super::rules::read_on_screen;
use super::watch::{look_at, watch_on_screen};
use crate::data_folder::{games_folder, newest_games};
use crate::spec::UsageError;

/// The records that are offered.
const SHOWN: usize = 20;
/// Between two moves of a match that is watched.
const DELAY: Duration = Duration::from_millis(700);

/// Shows the launcher, does what is chosen as the command line says, and comes back to it.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if let Some(path) = args.record() {
        let file = quoted(path);
        return Err(UsageError(format!(
            "--record {file}: a file is for one match, and the launcher may begin several; name the game as well, for example `rookery play hexapawn --record {file}`"
        ))
        .into());
    }
    let here = Here::new()?;
    let look = args.look();
    loop {
        let mut launcher = Launcher::new(recent(), Results::read(&games_folder()), look);
        here.show(&mut launcher)?;
        let left = match launcher.wish() {
            None => Leave::Interrupted,
            Some(Wish::Quit) => return Ok(ExitCode::SUCCESS),
            Some(wish) => fulfil(&here, args, wish, look, out)?,
        };
        if left == Leave::Interrupted {
            return Ok(here.exit_code(left));
        }
    }
}

fn fulfil(here: &Here, args: &Args, wish: Wish, look: Look, out: &mut dyn Write) -> anyhow::Result<Leave> {
    let wrong = |problem: String| anyhow!(problem);
    match wish {
        Wish::Quit => Ok(Leave::Quit),
        Wish::Play { game, players } => {
            let table = args.with_game(game.parse()?, entries(&players)?).table(here)?;
            play_on_screen(here, App::new(table, look, Instant::now()), out)
        }
        Wish::Rules(name) => read_on_screen(here, game(name)?, look),
        Wish::Guide => {
            let (game, players) = FIRST_GAME;
            let table = args.with_game(game.parse()?, entries(&players)?).table(here)?;
            play_on_screen(here, App::new(table, look, Instant::now()).guided(), out)
        }
        Wish::Resume(path) => {
            let table = args.with_record(path).table(here)?;
            play_on_screen(here, App::new(table, look, Instant::now()), out)
        }
        Wish::Watch { game, players } => {
            let agreed = args.agreed(&game.parse()?, &entries(&players)?)?;
            let table = Table::begin(here.runtime(), agreed, &Keep::No).map_err(wrong)?;
            watch_on_screen(here, App::watching(table, DELAY, look, Instant::now()), out)
        }
        Wish::Replay(path) => {
            watch_on_screen(here, App::watching(look_at(here, &path)?, DELAY, look, Instant::now()), out)
        }
        Wish::Review(path) => {
            let mut app = App::watching(look_at(here, &path)?, DELAY, look, Instant::now());
            app.open_review();
            watch_on_screen(here, app, out)
        }
    }
}

fn entries(players: &[impl AsRef<str>]) -> anyhow::Result<Vec<Entry>> {
    Ok(players.iter().map(|player| player.as_ref().parse()).collect::<Result<_, _>>()?)
}

/// The newest records of the person's own folder. One that cannot be read is not offered.
fn recent() -> Vec<Recent> {
    newest_games().into_iter().filter_map(|(_, path)| describe(path)).take(SHOWN).collect()
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
