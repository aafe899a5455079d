//! The bodies of the fuzz targets, with damaged copies of what is right.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use rookery_catalog::CATALOG;
use rookery_fuzz::{command_line, record, session};
use rookery_live::random_record;
use rookery_rules::{GameSpec, Rng, Seed, below};

/// Bytes that matter in what is read here, beside random ones.
const MARKS: &[u8] = b"\n\r\t \"\\{}[]:,-0123456789.eE\0\x01\x7f\x80\xff'$;|&";

/// A copy with a few bytes changed, added, taken away, doubled or moved.
fn damaged(data: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut copy = data.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, copy.len().max(1) as u32) as usize;
        let byte = if below(rng, 4) == 0 {
            below(rng, 256) as u8
        } else {
            MARKS[below(rng, MARKS.len() as u32) as usize]
        };
        match below(rng, 5) {
            0 if at < copy.len() => copy[at] = byte,
            1 if at < copy.len() => drop(copy.remove(at)),
            2 if at < copy.len() => {
                let end = (at + 1 + below(rng, 40) as usize).min(copy.len());
                let part: Vec<u8> = copy[at..end].to_vec();
                let to = below(rng, copy.len() as u32) as usize;
                copy.splice(to..to, part);
            }
            3 if at < copy.len() => copy.truncate(at),
            _ => copy.insert(at.min(copy.len()), byte),
        }
    }
    copy
}

/// A bot that plays well: hello, ready, and then the first legal move of every turn.
fn good_bot(game: usize, turns: usize) -> Vec<u8> {
    let mut data = vec![game as u8, game as u8];
    data.extend_from_slice(b"{\"type\":\"hello\",\"version\":1,\"name\":\"b\"}\n\0{\"type\":\"ready\"}\n");
    for turn in 0..turns {
        let more: &[&[u8]] = &[
            b"\0{\"type\":\"move\",\"id\":\x01,\"index\":0}\n",
            b"\0{\"type\":\"info\",\"depth\":1}\n{\"type\":\"move\",\"id\":\x01,\"index\":0}\n",
            b"\0{\"type\":\"say\",\"text\":\"hm\"}\n{\"type\":\"move\",\"id\":\x01,\"move\":\"a1-a2\"}\n",
        ];
        data.extend_from_slice(more[turn % more.len()]);
    }
    data
}

#[test]
fn fault_t02_whatever_a_bot_says_the_referee_stays_right() {
    let mut rng = Seed(12).rng();
    for round in 0..3000 {
        let good = good_bot(round % CATALOG.len(), round % 12);
        session(&good);
        session(&damaged(&good, &mut rng));
    }
}

#[test]
fn whatever_stands_in_a_record_the_reader_stays_right() {
    let mut rng = Seed(13).rng();
    for round in 0..400 {
        let spec = GameSpec::parse(CATALOG[round % CATALOG.len()].name()).unwrap();
        let good = random_record(&spec, Seed(round as u64)).unwrap();
        record(&good);
        for _ in 0..4 {
            record(&damaged(&good, &mut rng));
        }
    }
}

#[test]
fn whatever_stands_in_a_command_line_it_is_split_or_refused() {
    let mut rng = Seed(14).rng();
    for _ in 0..50_000 {
        command_line(&damaged("python3 'my bot.py' --name \"a \\\" b\" \\$x ü".as_bytes(), &mut rng));
    }
}
