//! `rookery drill`: a player in positions that are won for it.

use std::io::Write;
use std::time::Duration;

use anyhow::bail;
use indicatif::ProgressBar;
use rookery_catalog::{Game, Visit, visit};
use rookery_players::{DrillCase, DrillError, DrillOrder, PlayerSpec, drill};
use rookery_referee::parse_duration;
use rookery_rules::Seed;
use rookery_search::Stop;
use serde::Serialize;

use super::write_json;
use crate::spec::CheckedSpec;

/// Put a player into positions that are won for it, and see whether it wins them
///
/// The positions are taken from random games and solved, so it is for games and boards that `rookery solve` can do
/// quickly. After each move of the player the position is solved again, so the move that lets the win go is named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery drill hexapawn:rows=5,cols=5 hard --time 100ms
  rookery drill hexapawn:rows=4,cols=4 medium --positions 100 --json")]
pub(crate) struct Args {
    /// The game and its setup
    #[arg(value_name = "GAME-SPEC")]
    spec: CheckedSpec,

    /// Who is tried
    player: PlayerSpec,

    /// Who resists
    #[arg(long, value_name = "PLAYER", default_value = "perfect")]
    against: PlayerSpec,

    /// How many positions
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    positions: u64,

    /// How long the player may think about a move
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time: Option<Duration>,

    /// How many positions or random games the player may look at for a move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Where the positions come from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    game: String,
    player: String,
    positions: u64,
    won: u64,
    /// Positions in which it once gave the win away, whether or not it got it back.
    let_go: u64,
    /// The first of the mistakes, each once.
    mistakes: Vec<Mistake>,
}

#[derive(Serialize)]
struct Mistake {
    position: String,
    #[serde(rename = "move")]
    mv: String,
    /// How often it was made.
    times: u64,
    /// Whether the game was won all the same, at least once.
    won: bool,
}

/// Mistakes that are shown.
const MAX_SHOWN: usize = 10;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let stop = Stop::default();
    let order = DrillOrder {
        spec: args.spec.spec.clone(),
        player: args.player.clone(),
        against: args.against.clone(),
        positions: args.positions,
        time: args.time,
        work: args.nodes,
        seed: Seed(args.seed),
        stop: stop.clone(),
    };
    let _ = ctrlc::set_handler(move || stop.set());
    let bar = ProgressBar::new(args.positions);
    let mut report = Report::new(args.spec.text.clone(), args.player.to_string());
    let mut take = |case: &DrillCase| {
        bar.inc(1);
        report.take(case);
    };
    let done = visit(args.spec.game.name(), Drill { order: &order, report: &mut take })
        .expect("a checked spec is of a game in the catalog");
    bar.finish_and_clear();
    if let Err(error) = done {
        bail!("{}: {error}", report.game);
    }
    if args.json {
        return write_json(out, &report);
    }
    writeln!(
        out,
        "{}: {} of {} won positions won; the win was let go in {}",
        report.player, report.won, report.positions, report.let_go
    )?;
    for mistake in &report.mistakes {
        let times = if mistake.times > 1 { format!(" ({} times)", mistake.times) } else { String::new() };
        writeln!(out, "  {} in {}{times}", mistake.mv, mistake.position)?;
    }
    Ok(())
}

/// A drill of a game that is known by its name.
struct Drill<'a> {
    order: &'a DrillOrder,
    report: &'a mut dyn FnMut(&DrillCase),
}

impl Visit for Drill<'_> {
    type Out = Result<(), DrillError>;
    fn visit<G: Game>(self) -> Self::Out {
        drill::<G>(&G::EXPERTISE, self.order, self.report)
    }
}

impl Report {
    fn new(game: String, player: String) -> Self {
        Self { game, player, positions: 0, won: 0, let_go: 0, mistakes: vec![] }
    }

    /// Counts a case. Different ones can lead to the same mistake, which is listed once.
    fn take(&mut self, case: &DrillCase) {
        self.positions += 1;
        self.won += u64::from(case.won);
        let Some((position, mv)) = &case.let_go else { return };
        self.let_go += 1;
        let seen = self.mistakes.iter_mut().find(|seen| seen.position == *position && seen.mv == *mv);
        if let Some(seen) = seen {
            seen.times += 1;
            seen.won |= case.won;
        } else if self.mistakes.len() < MAX_SHOWN {
            let (position, mv) = (position.clone(), mv.clone());
            self.mistakes.push(Mistake { position, mv, times: 1, won: case.won });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_22_a_mistake_is_listed_once_however_often_it_is_made() {
        let mut report = Report::new("hexapawn".to_owned(), "medium".to_owned());
        let case = |start: &str, won, mv: &str| DrillCase {
            position: start.to_owned(),
            won,
            let_go: Some(("middle".to_owned(), mv.to_owned())),
        };
        for case in [case("one", false, "b2"), case("two", true, "b2"), case("one", false, "c2")] {
            report.take(&case);
        }
        assert_eq!((report.positions, report.won, report.let_go), (3, 1, 3));
        let listed: Vec<_> = report.mistakes.iter().map(|seen| (&*seen.mv, seen.times, seen.won)).collect();
        assert_eq!(listed, [("b2", 2, true), ("c2", 1, false)]);
    }
}
