use rookery_games::hexapawn;
use rookery_rules::{Setup, Worth};
use rookery_search::{Budget, Solver};
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads = args.get(2).map_or(1, |t| t.parse().unwrap());
    let pos = hexapawn::Setup::parse(&args[1]).unwrap().start();
    let mut s = Solver::new(&pos, 4 << 30, threads);
    let b = Budget::default();
    let t = Instant::now();
    let v = s.test(&pos, Worth::DRAW, &b).unwrap();
    println!("winner {v} nodes {} {:?} used {} bytes {}", s.nodes(), t.elapsed(), s.used(), s.bytes());
    if args.len() > 3 { return; }
    let mut d = 1;
    loop {
        let r = if v.is_win() { s.test(&pos, Worth::win(d), &b).unwrap() } else { s.test(&pos, Worth::loss(d), &b).unwrap() };
        println!("d {d} -> {r} nodes {} {:?}", s.nodes(), t.elapsed());
        if v.is_win() && r >= Worth::win(d) { break }
        if v.is_loss() && r < Worth::loss(d) { break }
        d += 1;
    }
}
