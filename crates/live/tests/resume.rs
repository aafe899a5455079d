//! A match that was stopped, killed or cut off anywhere goes on as if nothing had happened.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use common::{KEY, ONE, TWO, asked, durable, moves, ready, runtime, spec};
use rookery_catalog::CATALOG;
use rookery_live::{Guest, LiveMatch, PrepareError, prepare, read_story, verify};
use rookery_record::{Archive as _, Folder, Key, Line, OneFile, Slot};
use rookery_referee::{Command, Controls, End, MatchSpec, Refusal};
use rookery_rules::{Seat, Seed};
use rookery_testkit::TempFolder;
use rookery_wire::Protocols;

/// Games of a series, in a folder: whatever has become of the last two, they come to the same bytes.
#[test]
fn fault_s02_the_last_two_games_of_a_series_can_be_damaged_anywhere() {
    let temp = TempFolder::new("live");
    let archive = Folder::open(&temp, 3, true).unwrap();
    let runtime = runtime();
    let play = |number: u64| {
        let spec = MatchSpec {
            seed: Seed(number),
            number: Some(number),
            ..spec("hexapawn:rows=3,cols=3", &["random", "random"])
        };
        let slot = archive.open(&Key::first(number)).unwrap();
        let ready = prepare(spec.clone(), Guest::built_in(&spec).unwrap(), &Protocols::default(), Some(slot))
            .unwrap();
        let played = runtime.block_on(ready.run());
        assert!(matches!(played.end, End::Verdict(_)) && played.problem.is_none());
        (played.cut, fs::read(archive.path(&Key::first(number)).unwrap()).unwrap())
    };
    let whole: Vec<Vec<u8>> = (1..=3).map(|number| play(number).1).collect();
    for number in 2..=3 {
        let record = &whole[number as usize - 1];
        let path = archive.path(&Key::first(number)).unwrap();
        for len in 0..record.len() {
            for tail in [&b""[..], &[0; 512]] {
                // Some file systems wait for the disk when a file is overwritten.
                fs::remove_file(&path).unwrap();
                fs::write(&path, [&record[..len], tail].concat()).unwrap();
                if len + 1 == record.len() && !tail.is_empty() {
                    assert!(
                        archive.open(&Key::first(number)).is_err(),
                        "its verdict is whole but for its end"
                    );
                    continue;
                }
                let (cut, again) = play(number);
                assert!(again == *record, "game {number} cut after {len} bytes, then {} more", tail.len());
                let at_line = len == 0 || record[len - 1] == b'\n';
                assert_eq!(cut.is_some(), !(at_line && tail.is_empty()), "what is cut off is told");
                if let Some(cut) = cut {
                    fs::remove_file(cut.beside).unwrap();
                }
            }
        }
    }
    assert_eq!(fs::read(archive.path(&Key::first(1)).unwrap()).unwrap(), whole[0]);
}

/// Suspends a match as soon as its record has grown by so many lines, from another thread, until the match is over.
fn suspend_when_grown(path: &Path, controls: Controls, by: usize, over: &Arc<AtomicBool>) -> JoinHandle<()> {
    let lines =
        |path: &Path| fs::read(path).unwrap_or_default().split_inclusive(|&byte| byte == b'\n').count();
    let (path, over, before) = (path.to_owned(), Arc::clone(over), lines(path));
    std::thread::spawn(move || {
        while lines(&path) < before + by && !over.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_micros(50));
        }
        controls.suspend();
    })
}

/// Suspends a live match as soon as one more move was made.
async fn suspended_after_a_move(live: LiveMatch) -> End {
    let (mut version, before) = (0, live.snapshot().plies());
    while live.snapshot().plies() <= before && live.snapshot().verdict.is_none() {
        version = live.changed(version).await;
    }
    live.controls().suspend();
    live.played().await.end.clone()
}

#[test]
fn fault_s14_suspended_matches_of_every_game_go_on_to_the_same_bytes() {
    let runtime = runtime();
    for game in CATALOG {
        let n_seats = game.start(&rookery_rules::GameSpec::parse(game.name()).unwrap()).unwrap().n_seats();
        let players = vec!["mcts:playouts=3000"; n_seats];
        let spec = MatchSpec { max_turns: Some(12), ..spec(game.name(), &players) };
        let temp = TempFolder::new("live");
        let (whole, parts) = (temp.join("whole"), temp.join("parts"));
        runtime.block_on(async { durable(ready(&spec, Some(&whole)).run().await).await });
        let whole = fs::read(&whole).unwrap();
        assert!(verify(&whole[..]).unwrap().verdict.is_some());
        let (mut n_suspended, mut n_grown) = (0, 0);
        for round in 0.. {
            let before = fs::metadata(&parts).map_or(0, |file| file.len());
            let ready = ready(&spec, Some(&parts));
            // By turns live, and where it is asked.
            let end = if round % 2 == 0 {
                runtime.block_on(async { suspended_after_a_move(ready.start()).await })
            } else {
                let over = Arc::default();
                let suspending = suspend_when_grown(&parts, ready.controls(), 1 + round % 3, &over);
                let played = runtime.block_on(async { durable(ready.run().await).await });
                over.store(true, Ordering::SeqCst);
                suspending.join().unwrap();
                played.end
            };
            let now = fs::read(&parts).unwrap();
            assert!(whole.starts_with(&now), "{}: what is written stays", game.name());
            n_grown += u32::from(now.len() as u64 > before && before > 0);
            match end {
                End::Suspended => n_suspended += 1,
                End::Verdict(_) => break,
            }
        }
        assert!(fs::read(&parts).unwrap() == whole, "{}: the same bytes", game.name());
        assert!(n_suspended > 0 && n_grown > 0, "{}: it was stopped on the way: {n_suspended}", game.name());
    }
}

#[test]
fn a_match_that_is_suspended_before_it_begins_has_a_header() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = spec("hexapawn", &["random", "random"]);
    let ready = ready(&spec, Some(&path));
    ready.controls().suspend();
    let played = runtime().block_on(ready.run());
    assert_eq!(played.end, End::Suspended);
    let Ok(Slot::Unfinished { lines, .. }) = OneFile::new(&path, true).open(&KEY) else {
        panic!("it can go on")
    };
    assert_eq!(lines.split_inclusive(|&byte| byte == b'\n').count(), 1);
}

/// What the record says is left on each clock.
fn left(record: &[u8], n_seats: usize, full: u64) -> Vec<u64> {
    let mut left = vec![full; n_seats];
    for line in record.split_inclusive(|&byte| byte == b'\n').skip(1) {
        if let Ok(Line::Moved(line)) = Line::parse(line) {
            left[usize::from(line.seat)] = line.left_ms.unwrap();
        }
    }
    left
}

/// The program is killed in the middle of a match with clocks: they go on where they stood.
#[tokio::test]
async fn fault_s01_a_killed_match_keeps_its_clocks() {
    let temp = TempFolder::new("live");
    let spec = MatchSpec { time: "30s+1ms".parse().unwrap(), ..spec("hexapawn", &["human", "human"]) };
    let mut path = temp.join("game-0");
    let mut live = ready(&spec, Some(&path)).start();
    for (ply, text) in (0..).zip(["b2", "d4", "a2", "e4", "c2"]) {
        let seat = Some(Seat::new((ply % 2) as u8));
        asked(&live, ply).await;
        tokio::time::sleep(Duration::from_millis(15)).await;
        moves(&live, seat, ply, text).await;
        asked(&live, ply + 1).await;
        // What is in the file now is what a kill leaves.
        let killed = fs::read(&path).unwrap();
        let expected = left(&killed, 2, 30_000);
        assert!(expected[(ply % 2) as usize] < 30_000, "time was used: {expected:?}");
        live.command(None, &Command::Suspend).unwrap();
        live.played().await;
        path = temp.join(format!("game-{}", ply + 1));
        fs::write(&path, &killed).unwrap();
        live = ready(&spec, Some(&path)).start();
        asked(&live, ply + 1).await;
        let snapshot = live.snapshot();
        let clocks: Vec<u64> = snapshot.clocks.iter().map(|left| left.as_millis() as u64).collect();
        assert_eq!(clocks, expected, "after {} moves", ply + 1);
        let (asked, full) = (snapshot.asked.unwrap(), expected[((ply + 1) % 2) as usize]);
        let time = asked.time.unwrap().as_millis() as u64;
        assert!(time <= full && time + 500 > full, "the one that runs has just begun: {time} of {full}");
        assert_eq!(snapshot.plies(), ply + 1);
    }
    live.command(TWO, &Command::Resign).unwrap();
    let played = live.played().await;
    assert!(matches!(played.end, End::Verdict(_)));
    assert!(
        verify(&fs::read(&path).unwrap()[..]).unwrap().verdict.is_some(),
        "the record verifies with its clocks"
    );
}

#[tokio::test]
async fn a_match_with_take_backs_goes_on_as_it_stood() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = MatchSpec { casual: true, ..spec("hexapawn:rows=3,cols=3", &["human", "first"]) };
    let live = ready(&spec, Some(&path)).start();
    moves(&live, ONE, 0, "a2").await;
    asked(&live, 2).await;
    live.command(ONE, &Command::Say("oh".to_owned())).unwrap();
    live.command(ONE, &Command::TakeBack { to: 0 }).unwrap();
    asked(&live, 0).await;
    moves(&live, ONE, 0, "b2").await;
    asked(&live, 2).await;
    let before = live.snapshot();
    live.command(None, &Command::Suspend).unwrap();
    assert_eq!(live.played().await.end, End::Suspended);
    assert_eq!(live.command(ONE, &Command::Resign), Err(Refusal::Over), "nobody listens any more");
    assert!(live.snapshot().suspended && live.snapshot().asked.is_none());
    let record = fs::read_to_string(&path).unwrap();
    assert!(record.contains("\n{\"taken_back\":{\"seat\":0,\"to\":0}}\n"), "{record}");

    // The story of the record and the live match agree: what was taken back is gone, what was said is not.
    let story = read_story(record.as_bytes()).unwrap();
    let words = |entries: &[Arc<rookery_live::Entry>]| -> Vec<String> {
        entries
            .iter()
            .map(|entry| format!("{:?} {:?} {}", entry.seat, entry.deed, entry.position.text()))
            .collect()
    };
    assert_eq!(words(&story.entries), words(&before.entries));
    assert_eq!(story.entries.len(), 3, "{:?}", words(&story.entries));

    let again = ready(&spec, Some(&path)).start();
    asked(&again, 2).await;
    assert_eq!(words(&again.snapshot().entries), words(&before.entries));
    assert_eq!(again.snapshot().position.text(), before.position.text());
    // Its past is known, too.
    again.command(ONE, &Command::TakeBack { to: 0 }).unwrap();
    asked(&again, 0).await;
    assert_eq!(again.snapshot().position.text(), before.start.text());
    again.command(ONE, &Command::Resign).unwrap();
    again.played().await;
    let summary = verify(&fs::read(&path).unwrap()[..]).unwrap();
    assert_eq!(summary.verdict.unwrap().plies, 0);
}

#[tokio::test]
async fn take_backs_before_a_suspension_count() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = MatchSpec { casual: true, ..spec("hexapawn:rows=3,cols=3", &["human", "first"]) };
    let live = ready(&spec, Some(&path)).start();
    for _ in 0..1000 {
        moves(&live, ONE, 0, "a2").await;
        asked(&live, 2).await;
        live.command(ONE, &Command::TakeBack { to: 0 }).unwrap();
        asked(&live, 0).await;
    }
    live.command(None, &Command::Suspend).unwrap();
    live.played().await;
    let again = ready(&spec, Some(&path)).start();
    moves(&again, ONE, 0, "a2").await;
    asked(&again, 2).await;
    assert_eq!(again.command(ONE, &Command::TakeBack { to: 0 }), Err(Refusal::TooManyTakeBacks));
    again.command(ONE, &Command::Resign).unwrap();
    again.played().await;
    assert!(verify(&fs::read(&path).unwrap()[..]).unwrap().verdict.is_some());
}

#[test]
fn a_record_of_another_match_is_not_gone_on_with() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = spec("hexapawn", &["random", "random"]);
    let first = ready(&spec, Some(&path));
    first.controls().suspend();
    runtime().block_on(first.run());
    let bytes = fs::read(&path).unwrap();
    for other in [
        MatchSpec { seed: Seed(8), ..spec.clone() },
        MatchSpec { casual: true, ..spec.clone() },
        common::spec("hexapawn", &["random", "other=random"]),
    ] {
        let slot = OneFile::new(&path, true).open(&KEY).unwrap();
        let error =
            prepare(other.clone(), Guest::built_in(&other).unwrap(), &Protocols::default(), Some(slot))
                .unwrap_err();
        assert!(matches!(error, PrepareError::Record(..)));
        assert!(error.to_string().contains("it is the record of another match"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_finished_match_is_told_again_and_not_played_again() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = spec("hexapawn", &["random", "random"]);
    let runtime = runtime();
    let first = runtime.block_on(async { durable(ready(&spec, Some(&path)).run().await).await });
    let bytes = fs::read(&path).unwrap();
    let again = runtime.block_on(ready(&spec, Some(&path)).run());
    assert_eq!(again.end, first.end);
    let (live, played) = runtime.block_on(async {
        let live = ready(&spec, Some(&path)).start();
        let played = live.played().await;
        (live, played)
    });
    assert_eq!(played.end, first.end);
    assert_eq!(live.snapshot().verdict.as_deref(), first.end.verdict().as_ref());
    assert_eq!(live.command(None, &Command::Suspend), Err(Refusal::Over));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // Its hash does not fit any more: an error, and nothing is played.
    let mut damaged = bytes;
    let name = damaged.windows(8).position(|window| window == b"\"random#").unwrap();
    damaged[name + 1] = b'R';
    fs::write(&path, &damaged).unwrap();
    let slot = OneFile::new(&path, true).open(&KEY).unwrap();
    assert!(matches!(slot, Slot::Finished(_)));
    assert!(
        prepare(spec.clone(), Guest::built_in(&spec).unwrap(), &Protocols::default(), Some(slot)).is_err()
    );
    assert_eq!(fs::read(&path).unwrap(), damaged);
}
