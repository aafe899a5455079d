//! Records of random matches, for measurements and tests.

use rookery_referee::{Event, MatchSpec, Observer, Referee};
use rookery_rules::{Notation, Position, Seed, Setup};

use crate::{Header, RecordWriter};

/// The record of a match between players who move at random.
pub fn random_record<S: Setup<Position: Notation>>(setup: &S, seed: Seed) -> Vec<u8> {
    let start = setup.start();
    let players = std::iter::repeat_n("random", start.n_seats());
    let spec = MatchSpec::new(&setup.spec(), players, seed).expect("random is a player");
    let mut referee = Referee::of_spec(&spec, start.clone());
    let mut record = Vec::with_capacity(4096);
    let mut writer = RecordWriter::new(&mut record, Header::new(spec, start.to_text()));
    writer.see(&Event::Started(Box::new(start.clone())), &start);
    let mut rng = seed.rng();
    while let Some(mv) = referee.position().random_move(&mut rng).filter(|_| referee.verdict().is_none()) {
        if let Some(event) = referee.judge(Ok(mv), None) {
            writer.see(&event, referee.position());
        }
    }
    if let Some(verdict) = referee.verdict() {
        writer.see(&Event::Ended(Box::new(verdict.clone())), referee.position());
    }
    writer.finish().expect("writing into memory does not fail, and a random match has short lines");
    record
}
