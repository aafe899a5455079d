//! A player of the simulation as a program: `sim-bot SEED SEAT LOG`.

use std::path::Path;
use std::process::exit;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [seed, seat, log] = &args[..] else { exit(2) };
    let (Ok(seed), Ok(seat)) = (seed.parse(), seat.parse()) else { exit(2) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime needs little").block_on(rookery_testkit::sim::bot(seed, seat, Path::new(log)));
    // What still waits to be read is not waited for.
    exit(0);
}
