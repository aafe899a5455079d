//! The bodies of the fuzz targets, with damaged copies of what is right.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};

use rookery_catalog::CATALOG;
use rookery_fuzz::{Step, bundle, cluster, command_line, record, session};
use rookery_live::{random_record, verify};
use rookery_rules::{GameSpec, Rng, Seed, below};
use rookery_testkit::TempFolder;

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

/// What a fuzz target begins with: small files with something in each that the others do not have.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let mut seeds: Vec<_> = files.map(|file| (file.clone(), fs::read(&file).unwrap())).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{} has some", folder.display());
    seeds
}

/// Runs a body with the seeds of its target, and with damaged copies.
fn run_seeds(target: &str, body: impl Fn(&[u8])) {
    let mut rng = Seed(17).rng();
    for (_, seed) in seeds(target) {
        body(&seed);
        for _ in 0..20 {
            body(&damaged(&seed, &mut rng));
        }
    }
}

#[test]
fn the_seeds_of_all_targets_do_no_harm() {
    run_seeds("session", session);
    run_seeds("record", record);
    run_seeds("command_line", command_line);
    run_seeds("cluster", cluster);
    let room = TempFolder::new("fuzz-seeds");
    run_seeds("bundle", |data| bundle(data, &room));
}

/// A search begins deep inside only where its seeds are right.
#[test]
fn the_records_among_the_seeds_are_right() {
    for (file, data) in seeds("record") {
        let summary = verify(&data[..]).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(summary.verdict.is_some(), !file.ends_with("cut"), "{}", file.display());
    }
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
fn fault_t07_whatever_a_bot_says_the_referee_stays_right() {
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

/// The files of a small bot, one after the other as an archive has them, and some that lead astray.
fn files_of_a_bot(round: usize) -> Vec<u8> {
    let mut archive = tar::Builder::new(vec![]);
    let mut add = |path: &[u8], kind: tar::EntryType, data: &[u8]| {
        let mut head = tar::Header::new_gnu();
        head.as_old_mut().name[..path.len()].copy_from_slice(path);
        head.set_entry_type(kind);
        head.set_mode(0o755);
        head.set_size(data.len() as u64);
        if kind.is_symlink() || kind.is_hard_link() {
            head.as_old_mut().linkname[..12].copy_from_slice(b"../../../etc");
        }
        head.set_cksum();
        archive.append(&head, data).unwrap();
    };
    add(b"bot.toml", tar::EntryType::Regular, b"name = \"b\"\nrun = \"./bot\"\n");
    add(b"bot", tar::EntryType::Regular, b"#!/bin/sh\necho\n");
    match round % 6 {
        0 => add(b"../out", tar::EntryType::Regular, b"x"),
        1 => add(b"/tmp/rookery-out", tar::EntryType::Regular, b"x"),
        2 => add(b"in", tar::EntryType::Symlink, b""),
        3 => add(b"in", tar::EntryType::Link, b""),
        4 => add(b"a/b/../../../out", tar::EntryType::Regular, b"x"),
        _ => add(b"more/data", tar::EntryType::Regular, b"fish"),
    }
    archive.into_inner().unwrap()
}

#[test]
fn fault_w18_whatever_stands_in_an_archive_nothing_leaves_its_folder() {
    let (mut rng, room) = (Seed(15).rng(), TempFolder::new("fuzz-bundle"));
    for round in 0..300 {
        let files = files_of_a_bot(round);
        bundle(&files, &room);
        bundle(&damaged(&files, &mut rng), &room);
    }
    assert!(!std::path::Path::new("/tmp/rookery-out").exists());
}

/// Some lines in which everybody says what is right, more or less at the right time.
fn good_talk(rng: &mut Rng) -> Vec<u8> {
    let key = |rng: &mut Rng| format!("5t4e73e59t98:{}", below(rng, 3));
    let claim = |rng: &mut Rng| {
        let (key, attempt, fence) = (key(rng), 1 + below(rng, 3), 1 + below(rng, 4));
        format!("{{\"key\":\"{key}\",\"attempt\":{attempt},\"fence\":{fence}}}")
    };
    let mut talk = vec![];
    for _ in 0..10 + below(rng, 60) {
        let (step, rest) = match below(rng, 22) {
            0 => (Step::EveAsks, format!("[{{\"hello\":{{\"slots\":{}}}}}]", below(rng, 9))),
            1 | 2 => {
                let (key, attempt) = (key(rng), 1 + below(rng, 2));
                (Step::EveAsks, format!("[{{\"take\":{{\"key\":\"{key}\",\"attempt\":{attempt}}}}}]"))
            }
            3 => {
                let (claim, beat) = (claim(rng), below(rng, 4));
                (Step::EveAsks, format!("[{{\"beat\":{{\"claim\":{claim},\"beat\":{beat}}}}}]"))
            }
            4 => (Step::EveAsks, format!("[{{\"release\":{}}}]", claim(rng))),
            5 => (Step::EveAsks, format!("[{{\"fail\":{{\"claim\":{},\"why\":\"no\"}}}}]", claim(rng))),
            6 => (Step::EveSends, format!("{}\u{1}\u{3}\0", claim(rng))),
            7 => (Step::Anything, format!("ask.ann [{{\"release\":{}}}]", claim(rng))),
            8 => (Step::Answers, format!("[{{\"granted\":{{\"claim\":{},\"lease\":900}}}}]", claim(rng))),
            9 => (Step::Answers, format!("[{{\"stop\":{0}}},{{\"stored\":{0}}}]", claim(rng))),
            10..=13 => (Step::Arrives, below(rng, 9).to_string()),
            14 => (Step::Doubled, below(rng, 9).to_string()),
            15 => (Step::Lost, below(rng, 9).to_string()),
            16 | 17 => (Step::Time, below(rng, 15).to_string()),
            18 => (Step::Move, String::new()),
            19 => (Step::Ends, String::new()),
            20 => (Step::Standstill, String::new()),
            _ => ([Step::Restart, Step::WorkerRestart, Step::Broker][below(rng, 3) as usize], String::new()),
        };
        talk.push(step as u8);
        talk.extend_from_slice(rest.as_bytes());
        talk.push(b'\n');
    }
    talk
}

#[test]
fn fault_q12_whatever_is_said_between_coordinator_and_workers_both_stay_sound() {
    let mut rng = Seed(16).rng();
    for _ in 0..20_000 {
        let good = good_talk(&mut rng);
        cluster(&good);
        cluster(&damaged(&good, &mut rng));
    }
}
