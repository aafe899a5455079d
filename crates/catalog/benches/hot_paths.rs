//! The paths that run millions of times, for every game of the catalog: `cargo bench -p rookery-catalog`.
//!
//! `rookery bench` prints the same in figures a second; this is for comparing two versions of the code.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rookery_catalog::{CATALOG, start, verify};
use rookery_rules::{GameSpec, Seed};

fn hot_paths(criterion: &mut Criterion) {
    for spec in CATALOG.iter().filter_map(|game| game.benches().into_iter().next()) {
        let position = start(&spec).expect("the catalog's own specs are right");
        let mut group = criterion.benchmark_group(spec.as_str());
        group.throughput(Throughput::Elements(position.playouts(10, Seed(1))));
        group.bench_function("10 playouts", |bench| bench.iter(|| position.playouts(10, Seed(1))));
        group.bench_function("10 playouts through the referee", |bench| {
            bench.iter(|| position.refereed_playouts(10, Seed(1)));
        });
        group.finish();
    }
}

fn records(criterion: &mut Criterion) {
    for game in CATALOG {
        let spec = game.benches().into_iter().next().expect("every game has a setup that is measured");
        let spec = GameSpec::parse(&spec).expect("the catalog's own specs are right");
        let record = game.random_record(&spec, Seed(1)).expect("the catalog's own specs are right");
        let mut group = criterion.benchmark_group(game.name());
        group.throughput(Throughput::Bytes(record.len() as u64));
        group.bench_function("verify a record", |bench| bench.iter(|| verify(&record[..])));
        group.finish();
    }
}

criterion_group!(benches, hot_paths, records);
criterion_main!(benches);
