//! Conversations, from the menu to the end.

mod classic;
mod games;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use rookery_catalog::{PlayerSpec, Renpaarden, strategy};
use rookery_games::renpaarden::{Move, Position, Setup};
use rookery_live::Stopping;
use rookery_rules::{Position as _, Seed, Setup as _};
use rookery_search::Budget;
use rookery_testkit::TempFolder;

use super::game::House;
use super::prompt::Terminal;
use super::{Args, converse};

#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// What is answered to these lines, with the options of a command line. The conversation ends well.
fn talk(options: &[&str], input: &str) -> String {
    let said = try_talk(options, input);
    said.unwrap_or_else(|error| panic!("{options:?} {input:?}: {error:#}"))
}

fn try_talk(options: &[&str], input: &str) -> anyhow::Result<String> {
    let line = [&["renpaarden", "--seed", "7"], options].concat();
    let args = Line::try_parse_from(line)?.args;
    let (mut input, mut out) = (input.as_bytes(), vec![]);
    let (stop, playing) = (Stopping::new(std::time::Duration::ZERO), std::cell::Cell::new(false));
    let house = House::new(&stop, &playing)?;
    converse(&args, &house, &mut Terminal { input: &mut input, out: &mut out, echo: true })?;
    Ok(String::from_utf8(out)?)
}

/// The last so many lines.
fn end(said: &str, n_lines: usize) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(n_lines)..].join("\n")
}

/// Two people on the small board.
const SMALL: [&str; 4] = ["--game", "renpaarden:width=5,height=5", "--mode", "player-player"];

/// A game between two good players, hop by hop with the position before each.
fn good_game(setup: &str) -> Vec<(Position, Move)> {
    let level: PlayerSpec = "medium".parse().unwrap();
    let mut players = [0, 1].map(|_| strategy::<Renpaarden>(&level).unwrap().0);
    let mut position = Setup::parse(setup).unwrap().start();
    let mut hops = vec![];
    while let Some(seat) = position.to_move() {
        let budget = Budget { seed: Seed(5).derive(hops.len() as u64), ..Budget::default() };
        let hop = players[seat.index()].choose(&position, &budget);
        hops.push((position.clone(), hop));
        position.play(hop).unwrap();
    }
    assert!(hops.iter().any(|(before, _)| before.chain().is_some()), "the game has a chain");
    hops
}

/// A path in a folder of this test, where nothing is. The folder goes with it.
struct Fresh {
    path: PathBuf,
    _folder: TempFolder,
}

impl std::ops::Deref for Fresh {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

fn fresh() -> Fresh {
    let folder = TempFolder::new("renpaarden");
    Fresh { path: folder.join("game.rookery.jsonl"), _folder: folder }
}

/// The moves of a record that is right, and how it ended.
fn verified(path: &Path) -> (u64, String) {
    let summary = rookery_live::verify(fs::read(path).unwrap().as_slice()).unwrap();
    (summary.plies, summary.verdict.expect("the record has an end").ending.cause.word().to_owned())
}

/// The moves of a record that is right and has no end yet.
fn unfinished(path: &Path) -> u64 {
    let summary = rookery_live::verify(fs::read(path).unwrap().as_slice()).unwrap();
    assert_eq!(summary.verdict, None);
    summary.plies
}

fn count(said: &str, what: &str) -> usize {
    said.matches(what).count()
}
