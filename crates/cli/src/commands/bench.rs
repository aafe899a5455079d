//! `rookery bench`: how fast the parts run on this machine.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, presets};
use rookery_catalog::{CATALOG, Game, Visit, visit};
use rookery_referee::{End, MatchSpec, Player, Referee, Session, Strategist, Terms, play};
use rookery_rules::{GameSpec, Position, PositionOf, Seed, Setup, perft, playout};
use rookery_search::Random;
use serde::Serialize;

use super::write_json;

/// Measure how fast the parts run on this machine
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  rookery bench rules
  rookery bench search --game fish
  rookery bench records --json";

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Random playouts and perft of every game, on one thread
    #[command(after_help = "Examples:\n  rookery bench rules\n  rookery bench rules --game hexapawn --json")]
    Rules(Measure),
    /// What the referee costs a move: random players through the referee against bare playouts, on one thread
    #[command(
        after_help = "Examples:\n  rookery bench referee\n  rookery bench referee --game stones --json"
    )]
    Referee(Measure),
    /// Tree search by random games, and alpha-beta with a count of moves as evaluation, on one thread
    #[command(after_help = "Examples:\n  rookery bench search\n  rookery bench search --game fish --json")]
    Search(Measure),
    /// Verifying match records of random matches, in memory, on one thread
    #[command(
        after_help = "Examples:\n  rookery bench records\n  rookery bench records --game fish:players=4 --json"
    )]
    Records(super::bench_records::RecordsArgs),
    /// What a move of a bot costs over pipes, TCP and WebSocket, beside a bare ping-pong
    #[command(after_help = "Examples:\n  rookery bench wire\n  rookery bench wire --json --seconds 5")]
    Wire(super::bench_wire::WireArgs),
    /// What scheduling and rating cost beside the games of a tournament
    #[command(after_help = "Examples:\n  rookery bench tournament\n  rookery bench tournament --json")]
    Tournament(super::bench_tournament::TournamentArgs),
    /// Storing games at full durability and reading a large store, in SQLite and PostgreSQL
    #[command(
        after_help = "Examples:\n  rookery bench store\n  rookery bench store --games 1000000 --folder /var/tmp --json"
    )]
    Store(super::bench_store::StoreBenchArgs),
    /// What load does to the page's server: many games, idle pages, spectators, slow clients
    #[command(after_help = super::bench_serve::EXAMPLES)]
    Serve(super::bench_serve::ServeArgs),
    /// Games from queue to store with workers, beats of thousands of them, and how soon a lost worker's game is another's
    #[command(after_help = super::bench_cluster::EXAMPLES)]
    Cluster(super::bench_cluster::ClusterArgs),
    /// The house player of Fish and whole games of it, against what they should take
    Fish(super::bench_fish::FishArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct Measure {
    /// Only this game
    #[arg(long, value_name = "NAME", value_parser = rookery_catalog::game)]
    game: Option<&'static dyn rookery_catalog::AnyGame>,

    /// Seconds for each figure
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,

    /// Print one JSON array
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=60.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0.01 to 60".to_owned()),
    }
}

#[derive(Serialize)]
struct Row {
    game: String,
    playouts_per_second: f64,
    moves_per_second: f64,
    moves_per_playout: f64,
    perft_nodes_per_second: f64,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    match &args.what {
        What::Rules(measure) => rules(measure, out),
        What::Referee(measure) => referee(measure, out),
        What::Search(measure) => super::bench_search::run(measure, out),
        What::Records(args) => super::bench_records::run(args, out),
        What::Wire(args) => super::bench_wire::run(args, out),
        What::Tournament(args) => super::bench_tournament::run(args, out),
        What::Store(args) => super::bench_store::run(args, out),
        What::Serve(args) => super::bench_serve::run(args, out),
        What::Cluster(args) => super::bench_cluster::run(args, out),
        What::Fish(args) => super::bench_fish::run(args, out),
    }
}

impl Measure {
    /// The specs to measure, and what visitors measure of them.
    pub(super) fn measured<'a, V: Visit>(
        &'a self,
        visitor: impl Fn(&GameSpec) -> V + 'a,
    ) -> impl Iterator<Item = (String, V::Out)> + 'a {
        let games = CATALOG.iter().filter(|game| self.game.is_none_or(|only| only.name() == game.name()));
        games.flat_map(|game| game.benches()).map(move |text| {
            let spec = GameSpec::parse(&text).expect("the catalog's own specs are right");
            let measured = visit(&spec.game, visitor(&spec)).expect("the spec is of a game in the catalog");
            (text, measured)
        })
    }

    pub(super) fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }
}

#[derive(Serialize)]
struct RefereeRow {
    game: String,
    moves_per_second: f64,
    nanoseconds_per_move: f64,
    bare_nanoseconds_per_move: f64,
}

fn referee(args: &Measure, out: &mut dyn Write) -> anyhow::Result<()> {
    let rows: Vec<RefereeRow> = args
        .measured(|spec| Refereed { spec: spec.clone(), budget: args.budget() })
        .map(|(game, ((moves, seconds), (bare_moves, bare_seconds)))| RefereeRow {
            game,
            moves_per_second: moves / seconds,
            nanoseconds_per_move: 1e9 * seconds / moves,
            bare_nanoseconds_per_move: 1e9 * bare_seconds / bare_moves,
        })
        .collect();
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["game", "moves/s", "ns/move", "bare playout", "the referee's share"]);
    for row in &rows {
        table.add_row([
            row.game.clone(),
            millions(row.moves_per_second),
            format!("{:.0}", row.nanoseconds_per_move),
            format!("{:.0}", row.bare_nanoseconds_per_move),
            format!("{:.0}", row.nanoseconds_per_move - row.bare_nanoseconds_per_move),
        ]);
    }
    write_table(table, out)
}

pub(super) fn write_table(mut table: Table, out: &mut dyn Write) -> anyhow::Result<()> {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Ok(writeln!(out, "{table}")?)
}

fn rules(args: &Measure, out: &mut dyn Write) -> anyhow::Result<()> {
    let measured = args.measured(|spec| Playouts { spec: spec.clone(), budget: args.budget() });
    let rows: Vec<Row> = measured
        .map(|(game, ((playouts, moves, seconds), perft_nodes_per_second))| Row {
            game,
            playouts_per_second: playouts / seconds,
            moves_per_second: moves / seconds,
            moves_per_playout: moves / playouts,
            perft_nodes_per_second,
        })
        .collect();
    if args.json {
        return write_json(out, &rows);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["game", "playouts/s", "moves/s", "moves/playout", "perft nodes/s"]);
    for row in &rows {
        table.add_row([
            row.game.clone(),
            format!("{:.0}", row.playouts_per_second),
            millions(row.moves_per_second),
            format!("{:.1}", row.moves_per_playout),
            millions(row.perft_nodes_per_second),
        ]);
    }
    write_table(table, out)
}

fn millions(rate: f64) -> String {
    format!("{:.1} M", rate / 1e6)
}

/// Random games and perft of a setup.
struct Playouts {
    spec: GameSpec,
    budget: Duration,
}

impl Visit for Playouts {
    /// Games, moves and seconds; nodes a second.
    type Out = ((f64, f64, f64), f64);

    fn visit<G: Game>(self) -> Self::Out {
        let position = first_position::<G>(&self.spec);
        (fastest(|n| playouts(&position, n), self.budget), perft_rate(&position, self.budget))
    }
}

/// Random games of a setup through the referee, and without.
struct Refereed {
    spec: GameSpec,
    budget: Duration,
}

impl Visit for Refereed {
    /// Moves and seconds of both.
    type Out = ((f64, f64), (f64, f64));

    fn visit<G: Game>(self) -> Self::Out {
        let position = first_position::<G>(&self.spec);
        let (_, moves, seconds) = fastest(|n| refereed_playouts(&position, n), self.budget);
        let (_, bare_moves, bare_seconds) = fastest(|n| playouts(&position, n), self.budget);
        ((moves, seconds), (bare_moves, bare_seconds))
    }
}

fn first_position<G: Game>(spec: &GameSpec) -> PositionOf<G> {
    G::Setup::from_spec(spec).expect("the catalog's own specs are right").start()
}

/// Plays so many random games from a position and says how many moves they took together.
fn playouts<P: Position>(position: &P, n_games: u64) -> u64 {
    let mut rng = Seed(1).rng();
    (0..n_games).map(|_| u64::from(playout(&mut position.clone(), &mut rng))).sum()
}

/// The same through the referee.
fn refereed_playouts<P: Position>(position: &P, n_games: u64) -> u64 {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime without I/O needs nothing");
    let mut players: Vec<Box<dyn Player<P>>> =
        (0..position.n_seats()).map(|_| Box::new(Strategist::inline(Random)) as _).collect();
    let mut spec = MatchSpec::new("random", std::iter::repeat_n("random", position.n_seats()), Seed(1))
        .expect("random is a player");
    let terms = Terms::default();
    let games = (0..n_games).map(|game| {
        spec.seed = Seed(1).derive(game);
        let referee = Referee::of_spec(&spec, position.clone());
        let end = runtime.block_on(play(referee, &mut players, &Session::new(&spec, &terms), &mut ()));
        match end {
            End::Verdict(verdict) => verdict.plies,
            End::Suspended => unreachable!("nobody stops it"),
        }
    });
    games.sum()
}

/// Games and moves made, and the seconds they took, in the fastest of several batches that fill the budget together:
/// what else the machine does slows a batch down and never speeds it up.
pub(super) fn fastest(play: impl Fn(u64) -> u64, budget: Duration) -> (f64, f64, f64) {
    const BATCHES: u32 = 8;
    let batch = |n_games| {
        let start = Instant::now();
        let moves = black_box(play(n_games));
        (n_games as f64, moves as f64, start.elapsed().as_secs_f64())
    };
    let mut n_games = 1;
    loop {
        let (_, _, seconds) = batch(n_games);
        let wanted = (budget / BATCHES).as_secs_f64();
        if seconds >= wanted {
            let batches = (0..BATCHES).map(|_| batch(n_games));
            return batches.min_by(|a, b| a.2.total_cmp(&b.2)).expect("there is a batch");
        }
        n_games = (n_games as f64 * (wanted / seconds.max(1e-6)).clamp(1.2, 20.0)) as u64 + 1;
    }
}

/// Nodes a second of the deepest perft that still fits the budget, or of the first that does not.
fn perft_rate<P: Position>(position: &P, budget: Duration) -> f64 {
    let mut rate = 0.0;
    for depth in 1.. {
        let start = Instant::now();
        let nodes = black_box(perft(position, depth));
        let elapsed = start.elapsed();
        if nodes == 0 {
            break;
        }
        rate = nodes as f64 / elapsed.as_secs_f64();
        if elapsed * 4 >= budget {
            break;
        }
    }
    rate
}
