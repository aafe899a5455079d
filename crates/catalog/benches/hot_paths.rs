//! The paths that run millions of times, for every game of the catalog: `cargo bench -p rookery-catalog`.
//!
//! `rookery bench` prints the same in figures a second; this is for comparing two versions of the code.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rookery_catalog::{CATALOG, Game, Visit, visit};
use rookery_live::{Guest, prepare, random_record, verify};
use rookery_referee::{MatchSpec, Player, Referee, Session, Strategist, Terms, play};
use rookery_rules::{GameSpec, Position as _, PositionOf, Seed, Setup as _, playout};
use rookery_search::Random;
use rookery_wire::Protocols;

const GAMES: u64 = 10;

/// Random games of a setup, bare and through the referee.
struct HotPaths<'a> {
    criterion: &'a mut Criterion,
    spec: &'a GameSpec,
    text: &'a str,
}

impl Visit for HotPaths<'_> {
    type Out = ();

    fn visit<G: Game>(self) {
        let setup = G::Setup::from_spec(self.spec).expect("the catalog's own specs are right");
        let position: PositionOf<G> = setup.start();
        let playouts = || -> u64 {
            let mut rng = Seed(1).rng();
            (0..GAMES).map(|_| u64::from(playout(&mut position.clone(), &mut rng))).sum()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime without I/O needs nothing");
        let mut players: Vec<Box<dyn Player<_>>> =
            (0..position.n_seats()).map(|_| Box::new(Strategist::inline(Random)) as _).collect();
        let terms = Terms::default();
        let randoms = std::iter::repeat_n("random", position.n_seats());
        let agreed = MatchSpec::new(self.text, randoms, Seed(1)).expect("random is a player");
        let mut refereed = || -> u64 {
            let games = (0..GAMES).map(|game| {
                let spec = MatchSpec { seed: Seed(1).derive(game), ..agreed.clone() };
                let referee = Referee::of_spec(&spec, position.clone());
                let end =
                    runtime.block_on(play(referee, &mut players, &Session::new(&spec, &terms), &mut ()));
                end.verdict().map_or(0, |verdict| verdict.plies)
            });
            games.sum()
        };
        let prepared = || -> u64 {
            let games = (0..GAMES).map(|game| {
                let spec = MatchSpec { seed: Seed(1).derive(game), ..agreed.clone() };
                let guests = Guest::built_in(&spec).expect("all are built in");
                let prepared = prepare(spec, guests, &Protocols::default(), None).expect("a right spec");
                runtime.block_on(prepared.run()).end.verdict().map_or(0, |verdict| verdict.plies)
            });
            games.sum()
        };
        let mut group = self.criterion.benchmark_group(self.text);
        group.throughput(Throughput::Elements(playouts()));
        group.bench_function("10 playouts", |bench| bench.iter(playouts));
        group.bench_function("10 playouts through the referee", |bench| bench.iter(&mut refereed));
        group.bench_function("10 prepared matches of random players", |bench| bench.iter(prepared));
        group.finish();
    }
}

/// The first of each game's measured setups.
fn specs() -> impl Iterator<Item = (String, GameSpec)> {
    CATALOG.iter().map(|game| {
        let text = game.benches().into_iter().next().expect("every game has a setup that is measured");
        let spec = GameSpec::parse(&text).expect("the catalog's own specs are right");
        (text, spec)
    })
}

fn hot_paths(criterion: &mut Criterion) {
    for (text, spec) in specs() {
        visit(&spec.game, HotPaths { criterion, spec: &spec, text: &text }).expect("it is in the catalog");
    }
}

fn records(criterion: &mut Criterion) {
    for (_, spec) in specs() {
        let record = random_record(&spec, Seed(1)).expect("the catalog's own specs are right");
        let mut group = criterion.benchmark_group(spec.game.as_str());
        group.throughput(Throughput::Bytes(record.len() as u64));
        group.bench_function("verify a record", |bench| bench.iter(|| verify(&record[..])));
        group.finish();
    }
}

criterion_group!(benches, hot_paths, records);
criterion_main!(benches);
