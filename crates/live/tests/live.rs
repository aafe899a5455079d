//! A live match and its views: every viewer at its own pace, and all see the same.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use common::{ONE, TWO, asked, durable, moves, ready, runtime, spec};
use rookery_live::{Deed, Entry, Guest, LiveMatch, News, Since, Snapshot, prepare, verify};
use rookery_record::{Archive as _, OneFile};
use rookery_referee::{Cause, Command, End, Fault, MatchSpec, Offence, Offer, Refusal};
use rookery_rules::Seat;
use rookery_testkit::TempFolder;
use rookery_wire::Protocols;

/// A viewer that knows only what it was told.
#[derive(Default)]
struct Viewer {
    version: u64,
    deeds: Vec<(Option<Seat>, Deed)>,
    plies: u64,
    offer: Option<Offer>,
    asked: Option<u64>,
    over: bool,
    n_snapshots: u32,
    n_news: usize,
}

impl Viewer {
    fn look(&mut self, live: &LiveMatch) {
        match live.since(self.version) {
            Since::News(version, news) => {
                assert_eq!(version, self.version + news.len() as u64, "each of the news is one version");
                self.version = version;
                self.n_news += news.len();
                news.into_iter().for_each(|news| self.hear(news));
            }
            Since::Snapshot(snapshot) => {
                self.n_snapshots += 1;
                self.version = snapshot.version;
                self.deeds = deeds(&snapshot);
                self.plies = snapshot.plies();
                self.offer = snapshot.offer;
                self.asked = snapshot.asked.map(|asked| asked.ply);
                self.over = snapshot.verdict.is_some();
            }
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Happened(entry) => {
                if !matches!(entry.deed, Deed::Said(_)) {
                    self.asked = None;
                }
                if entry.deed.as_move().is_some() {
                    self.plies = entry.plies;
                }
                self.deeds.push((entry.seat, entry.deed.clone()));
            }
            News::TakenBack { to, .. } => {
                // The moves beyond, and all but talk after the first of them.
                let mut plies = 0;
                self.deeds.retain(|(_, deed)| {
                    plies += u64::from(deed.as_move().is_some());
                    plies <= to || matches!(deed, Deed::Said(_))
                });
                self.plies = to;
                self.asked = None;
            }
            News::Asked(asked) => self.asked = Some(asked.ply),
            News::Offer(offer) => self.offer = offer,
            News::Ended(_) => {
                self.over = true;
                self.asked = None;
            }
            News::Suspended => self.asked = None,
            News::RecordFailed(problem) => panic!("{problem}"),
        }
    }

    fn agrees_with(&self, snapshot: &Snapshot) {
        assert_eq!(self.version, snapshot.version);
        assert_eq!(self.deeds, deeds(snapshot));
        assert_eq!((self.plies, self.offer), (snapshot.plies(), snapshot.offer));
        assert_eq!(self.asked, snapshot.asked.map(|asked| asked.ply));
        assert_eq!(self.over, snapshot.verdict.is_some());
    }
}

fn deeds(snapshot: &Snapshot) -> Vec<(Option<Seat>, Deed)> {
    snapshot.entries.iter().map(|entry: &Arc<Entry>| (entry.seat, entry.deed.clone())).collect()
}

#[tokio::test]
async fn news_add_up_to_the_snapshot() {
    let spec = MatchSpec { casual: true, ..spec("hexapawn", &["human", "human"]) };
    let live = ready(&spec, None).start();
    let mut viewer = Viewer::default();
    let mut check = |live: &LiveMatch| {
        viewer.look(live);
        viewer.agrees_with(&live.snapshot());
        viewer.n_news
    };
    check(&live);
    moves(&live, ONE, 0, "b2").await;
    live.command(TWO, &Command::Say("hm".to_owned())).unwrap();
    asked(&live, 1).await;
    check(&live);
    live.command(ONE, &Command::TakeBack { to: 0 }).unwrap();
    assert_eq!(live.snapshot().offer, Some(Offer::TakeBack { from: Seat::new(0), to: 0 }));
    check(&live);
    moves(&live, TWO, 1, "d4").await;
    asked(&live, 2).await;
    assert_eq!(live.snapshot().offer, None, "a move makes an offer void");
    check(&live);
    live.command(ONE, &Command::Say("oh".to_owned())).unwrap();
    live.command(TWO, &Command::TakeBack { to: 1 }).unwrap();
    live.command(ONE, &Command::Accept(true)).unwrap();
    asked(&live, 1).await;
    assert!(
        live.snapshot().entries.iter().any(|entry| entry.deed == Deed::Said("oh".to_owned())),
        "said is said"
    );
    check(&live);
    assert_eq!(live.command(TWO, &Command::Move { ply: 2, text: "d4".to_owned() }), Err(Refusal::Stale));
    live.command(TWO, &Command::OfferDraw).unwrap();
    check(&live);
    live.command(ONE, &Command::Accept(true)).unwrap();
    let played = live.played().await;
    assert_eq!(played.end.clone().verdict().unwrap().ending.cause, Cause::DrawAgreed);
    assert!(check(&live) > 12);
    assert_eq!(live.snapshot().offer, None);
    assert_eq!(live.command(ONE, &Command::Resign), Err(Refusal::Over));
}

#[tokio::test]
async fn who_lags_too_far_gets_a_snapshot() {
    let spec = MatchSpec { max_turns: Some(400), ..spec("renpaarden", &["random", "random"]) };
    let live = ready(&spec, None).start();
    live.played().await;
    let version = live.version();
    assert!(version > 600, "each move is asked for and happens: {version}");
    let n_news = |behind| match live.since(version - behind) {
        Since::News(now, news) => {
            assert_eq!(now, version);
            Some(news.len() as u64)
        }
        Since::Snapshot(snapshot) => {
            assert_eq!(snapshot.version, version);
            None
        }
    };
    assert_eq!(n_news(0), Some(0));
    assert_eq!(n_news(1), Some(1));
    assert_eq!(n_news(256), Some(256));
    assert_eq!(n_news(257), None);
    assert_eq!(n_news(version), None);
    assert!(matches!(live.since(version + 100), Since::News(now, news) if now == version && news.is_empty()));
    let mut viewer = Viewer::default();
    viewer.look(&live);
    viewer.agrees_with(&live.snapshot());
    assert_eq!((viewer.n_snapshots, viewer.n_news), (1, 0));
}

#[tokio::test]
async fn a_snapshot_is_built_once_a_version_and_shared() {
    let live = ready(&spec("hexapawn", &["human", "human"]), None).start();
    asked(&live, 0).await;
    let first = live.snapshot();
    assert!(Arc::ptr_eq(&first, &live.clone().snapshot()));
    live.command(ONE, &Command::Say("hello".to_owned())).unwrap();
    let version = live.changed(first.version).await;
    assert_eq!(version, first.version + 1);
    let second = live.snapshot();
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.entries.len(), second.entries.len()), (0, 1), "what was handed out stays as it was");
    live.controls().suspend();
    live.played().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_viewers_of_a_quick_match_all_see_its_end() {
    let spec = MatchSpec { max_turns: Some(300), ..spec("renpaarden", &["random", "random"]) };
    for _ in 0..5 {
        let live = ready(&spec, None).start();
        let viewers: Vec<_> = (0..8)
            .map(|idx| {
                let live = live.clone();
                tokio::spawn(async move {
                    let mut viewer = Viewer::default();
                    while !viewer.over {
                        live.changed(viewer.version).await;
                        if idx % 3 == 0 {
                            tokio::time::sleep(Duration::from_millis(idx)).await;
                        }
                        viewer.look(&live);
                    }
                    viewer.look(&live);
                    viewer.agrees_with(&live.snapshot());
                    viewer.plies
                })
            })
            .collect();
        for viewer in viewers {
            let seen = tokio::time::timeout(Duration::from_secs(20), viewer).await;
            assert_eq!(seen.expect("nobody waits for news that were told").unwrap(), 300);
        }
    }
}

#[tokio::test]
async fn at_the_end_the_record_is_whole_and_free() {
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = spec("hexapawn", &["human", "first"]);
    let live = ready(&spec, Some(&path)).start();
    asked(&live, 0).await;
    assert!(live.played_now().is_none());
    live.command(ONE, &Command::Resign).unwrap();
    let played = live.played().await;
    assert_eq!(
        (played.receipt.is_none(), played.problem.as_ref(), played.path.as_ref()),
        (true, None, Some(&path))
    );
    assert!(verify(&fs::read(&path).unwrap()[..]).unwrap().verdict.is_some());
    assert!(Arc::ptr_eq(&played, &live.played_now().unwrap()));
    // Whoever goes on with it needs no lock any more.
    assert!(OneFile::new(&path, true).open(&common::KEY).is_ok());
}

#[tokio::test]
async fn a_live_match_and_a_run_one_give_the_same_record() {
    let temp = TempFolder::new("live");
    let spec = MatchSpec {
        max_turns: Some(40),
        ..spec("fish:players=3", &["mcts:playouts=20", "random", "random"])
    };
    let (run, live) = (temp.join("run"), temp.join("live"));
    durable(ready(&spec, Some(&run)).run().await).await;
    ready(&spec, Some(&live)).start().played().await;
    assert_eq!(fs::read(run).unwrap(), fs::read(live).unwrap());
}

#[test]
fn who_does_not_come_is_ruled_and_recorded() {
    let temp = TempFolder::new("live");
    for (idx, absent) in [0, 1].into_iter().enumerate() {
        let path = temp.join(&format!("game-{idx}"));
        let spec = spec("hexapawn", &["cmd:./bot", "cmd:./bot"]);
        let fault = || Fault::new(Offence::NoShow, "nobody connected within 1m");
        let guests = (0..2)
            .map(|seat| {
                if seat == absent {
                    Guest::Absent(fault())
                } else {
                    Guest::BuiltIn("random".parse().unwrap())
                }
            })
            .collect();
        let slot = OneFile::new(&path, true).open(&common::KEY).unwrap();
        let ready = prepare(spec, guests, &Protocols::default(), Some(slot)).unwrap();
        let played = runtime().block_on(async { durable(ready.run().await).await });
        let End::Verdict(verdict) = played.end else { panic!("it is over") };
        assert_eq!(verdict.ending.cause, Cause::Offence(Offence::NoShow));
        assert_eq!(verdict.ending.seat, Some(Seat::new(absent)));
        let record = fs::read_to_string(&path).unwrap();
        assert!(
            record.contains("\"offence\":\"no_show\"") && record.contains("nobody connected within 1m"),
            "{record}"
        );
        assert!(
            record.contains("\"name\":\"cmd:./bot#1\"") && record.contains("\"name\":\"cmd:./bot#2\""),
            "J5: {record}"
        );
        assert_eq!(verify(record.as_bytes()).unwrap().verdict, Some(verdict));
    }
}

#[test]
fn fault_j05_names_in_a_record_are_unique() {
    for (players, names) in [
        (["random", "random"], ["random#1", "random#2"]),
        (["me=random", "random"], ["me", "random"]),
        (["me=random", "me=first"], ["me#1", "me#2"]),
    ] {
        let temp = TempFolder::new("live");
        let path = temp.join("game");
        let spec = spec("hexapawn", &players);
        runtime().block_on(async { durable(ready(&spec, Some(&path)).run().await).await });
        let record = fs::read(&path).unwrap();
        let replay =
            rookery_live::replay(record.split_inclusive(|&byte| byte == b'\n').next().unwrap()).unwrap();
        let written: Vec<&str> = replay.header().spec.seats.iter().map(|seat| seat.name.as_str()).collect();
        assert_eq!(written, names);
    }
    // Whoever makes a spec by hand is told.
    let mut twice = spec("hexapawn", &["a=random", "b=random"]);
    twice.seats[1].name = "a".to_owned();
    let error =
        prepare(twice.clone(), Guest::built_in(&twice).unwrap(), &Protocols::default(), None).unwrap_err();
    assert!(error.to_string().contains("the name \"a\" of seat 1 does not do"), "{error}");
}

#[test]
fn labels_are_those_of_the_game() {
    let labels = |game: &str| -> Vec<String> {
        spec(game, &["random", "random"]).seats.into_iter().map(|seat| seat.label).collect()
    };
    assert_eq!(labels("stones"), ["player 0", "player 1"]);
    assert_eq!(labels("hexapawn"), ["player 1", "player 2"]);
}

#[tokio::test]
async fn a_match_whose_runtime_is_dropped_can_go_on() {
    // A match whose task is dropped with its runtime leaves a record that goes on.
    let temp = TempFolder::new("live");
    let path = temp.join("game");
    let spec = spec("hexapawn", &["human", "first"]);
    let file = path.clone();
    let agreed = spec.clone();
    std::thread::spawn(move || {
        let runtime = runtime();
        runtime.block_on(async {
            let live = ready(&agreed, Some(&file)).start();
            moves(&live, ONE, 0, "b2").await;
            asked(&live, 2).await;
        });
        drop(runtime);
    })
    .join()
    .unwrap();
    let live = ready(&spec, Some(&path)).start();
    asked(&live, 2).await;
    assert_eq!(live.snapshot().plies(), 2);
    live.controls().suspend();
    live.played().await;
}
