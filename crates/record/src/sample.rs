//! Records of random matches, for measurements and tests.

use rookery_referee::{Event, Observer, Referee};
use rookery_rules::{Notation, Position, Seed, Setup};

use crate::{Header, RecordWriter};

/// The record of a match between players who move at random.
pub fn random_record<S: Setup<Position: Notation>>(setup: &S, seed: Seed) -> Vec<u8> {
    let start = setup.start();
    let seats = (1..=start.n_seats()).map(|number| (format!("random {number}"), "random"));
    let header = Header::new(setup, &start, seats, seed);
    let mut record = Vec::with_capacity(4096);
    let mut writer = RecordWriter::new(&mut record, header.clone());
    let mut referee = Referee::new(start.clone(), header.conduct);
    writer.see(&Event::Started(start.clone()), &start);
    let mut rng = seed.rng();
    while let Some(mv) = referee.position().random_move(&mut rng).filter(|_| referee.verdict().is_none()) {
        if let Some(event) = referee.judge(Ok(mv), None) {
            writer.see(&event, referee.position());
        }
    }
    if let Some(verdict) = referee.verdict() {
        writer.see(&Event::Ended(verdict.clone()), referee.position());
    }
    writer.finish().expect("writing into memory does not fail, and a random match has short lines");
    record
}
