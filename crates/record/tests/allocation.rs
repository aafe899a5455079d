//! Writing and replaying a move allocates nothing.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use allocation_counter::measure;
use rookery_record::{Header, RecordWriter, Replay, random_record};
use rookery_referee::{Event, MatchSpec, Observer, Referee};
use rookery_rules::{Notation, Position, Seed, Setup};

fn check<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    let start = setup.start();
    let spec = MatchSpec::new(&setup.spec(), ["Ann=random", "Bob=random"], Seed(1)).unwrap();
    let spec = MatchSpec { time: "24h+1s".parse().unwrap(), ..spec };
    let mut writer = RecordWriter::new(std::io::sink(), Header::new(spec.clone(), start.to_text()));
    writer.see(&Event::Started(Box::new(start.clone())), &start);
    let mut referee = Referee::of_spec(&spec, start);
    let (mut rng, mut plies) = (Seed(1).rng(), 0);
    while let Some(mv) = referee.position().random_move(&mut rng) {
        let time = std::time::Duration::from_millis(1_234_567);
        let event = referee.judge(Ok(mv), Some(time)).unwrap();
        let info = measure(|| writer.see(&event, referee.position()));
        assert!(plies == 0 || info.count_total == 0, "{options}: move {plies} is written with {info:?}");
        plies += 1;
    }

    let record = random_record(&setup, Seed(1));
    let mut lines = record.split_inclusive(|&byte| byte == b'\n');
    let first = lines.next().unwrap();
    let mut replay = Replay::new::<S>(Header::parse(first).unwrap(), first).unwrap();
    let moves: Vec<&[u8]> = lines.filter(|line| line.starts_with(b"{\"moved\"")).collect();
    // The last move makes the verdict.
    for (idx, line) in moves[..moves.len() - 1].iter().enumerate() {
        let info = measure(|| assert!(replay.feed(line).is_ok()));
        assert_eq!(info.count_total, 0, "{options}: move {idx} is replayed");
    }
}

#[test]
fn a_move_allocates_nothing() {
    check::<rookery_games::hexapawn::Setup>("rows=8,cols=8");
    check::<rookery_games::fish::Setup>("board=classic");
    check::<rookery_games::stones::Setup>("rows=4,cols=4");
}
