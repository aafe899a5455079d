//! `rookery fish observe`: one game between computers, move by move.

use std::io::Write;
use std::time::Duration;

use rookery_catalog::{Fish, PlayerSpec};
use rookery_games::fish;
use rookery_live::{Guest, LiveMatch, prepare};
use rookery_referee::{Entry, MatchSpec, SeatSpec, parse_duration};
use rookery_rules::{GameSpec, Seat, Seed, Setup};
use rookery_wire::Protocols;
use tokio::time::sleep;

use crate::UsageError;
use crate::fish::CONDUCT;

/// Watch one game between computer players, move by move
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rookery fish observe
  rookery fish observe hard minimax:depth=2 random --delay 500ms
  rookery fish observe minimax minimax --setup rows=4,cols=4,fish=2")]
pub struct Args {
    /// Who plays, in turn order: 2 to 4 players (`rookery players fish` lists all) [default: four minimax]
    #[arg(value_name = "PLAYER", num_args = 0..=4)]
    players: Vec<PlayerSpec>,

    /// The board, as in a game spec behind `fish:`; the number of players comes from the list
    #[arg(long, value_name = "KEY=VALUE,..", default_value = "fish=2")]
    setup: String,

    /// How long to wait after each move, for example 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    delay: Option<Duration>,

    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let usage = |error: &dyn std::fmt::Display| UsageError(error.to_string());
    let house = ["minimax"; 4].map(|name| name.parse().expect("it has the form of a player"));
    let players = if args.players.is_empty() { &house[..] } else { &args.players };
    if players.len() < 2 {
        return Err(UsageError("a game needs 2 to 4 players; name one more".to_owned()).into());
    }
    for player in players {
        rookery_catalog::strategy::<Fish>(player).map_err(|error| usage(&error))?;
    }
    let game = format!("fish:{},players={}", args.setup, players.len());
    let game = GameSpec::parse(&game).map_err(|error| usage(&error))?;
    let start = fish::Setup::from_spec(&game).map_err(|error| usage(&error))?.start();
    let entry = |player: &PlayerSpec| Entry::nameless(SeatSpec::BuiltIn(player.clone()));
    let entries: Vec<Entry> = players.iter().map(entry).collect();
    let spec = rookery_catalog::agree(&game, &entries, Seed(args.seed)).map_err(|error| usage(&error))?;
    let spec = MatchSpec { conduct: CONDUCT, ..spec };

    for (seat, player) in Seat::all(players.len()).zip(players) {
        writeln!(out, "{} ({}): {player}", spec.seats[seat.index()].label, start.color(seat))?;
    }
    writeln!(out, "\n{start}")?;
    let guests = Guest::built_in(&spec).map_err(|error| usage(&error))?;
    let ready = prepare(spec, guests, &Protocols::default(), None).map_err(|error| usage(&error))?;
    // The screen is served in this thread; whoever thinks has another.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { show(&ready.start(), args.delay.unwrap_or_default(), out).await })
}

/// Shows a match at its own pace.
async fn show(live: &LiveMatch, delay: Duration, out: &mut dyn Write) -> anyhow::Result<()> {
    let label = |seat: Seat| live.spec().seats[seat.index()].label.as_str();
    let mut shown = 0;
    loop {
        let now = live.snapshot();
        for entry in &now.entries[shown..] {
            if let (Some(mv), Some(seat)) = (entry.deed.as_move(), entry.seat) {
                sleep(delay).await;
                writeln!(out, "\n{}. {}: {mv}\n{}", entry.plies, label(seat), entry.position.board())?;
                out.flush()?;
            }
        }
        shown = now.entries.len();
        if let Some(verdict) = &now.verdict {
            let winners: Vec<&str> =
                verdict.outcome.iter().flat_map(|outcome| outcome.winners.iter()).map(label).collect();
            let winners = if winners.is_empty() { "nobody".to_owned() } else { winners.join(" and ") };
            return Ok(writeln!(out, "\n{winners} won")?);
        }
        live.changed(now.version).await;
    }
}
