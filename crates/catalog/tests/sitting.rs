//! Matches with persons in them, for every game: forth and back, and a record that is right at every moment.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rookery_catalog::{AnySitting, MatchOrder, Sitter, SittingError, free_path, load_sitting, sit, verify};
use rookery_rules::Seed;

const SPECS: [(&str, &[&str]); 6] = [
    ("fish:rows=4,cols=3", &["human", "random"]),
    ("fish:rows=5,cols=4,players=3", &["random", "human", "human"]),
    ("hexapawn:rows=4,cols=4", &["human", "random"]),
    ("hexapawn:rows=4,cols=4,eliminate=choose", &["random", "human"]),
    ("renpaarden:width=3,height=5", &["human", "random"]),
    ("stones:rows=4,cols=3", &["human", "random"]),
];

/// A folder for one test, empty at the start.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn sitting(spec: &str, players: &[&str]) -> Box<dyn AnySitting> {
    sit(&MatchOrder { seed: Seed(3), ..MatchOrder::new(spec, players).unwrap() }).unwrap()
}

fn load(path: &Path) -> Box<dyn AnySitting> {
    load_sitting(&fs::read(path).unwrap()[..]).unwrap()
}

/// Lets the one to move make some move; persons take one in the middle of the list.
fn step(sitting: &mut dyn AnySitting) {
    let seat = sitting.to_ask().unwrap();
    if sitting.sitter(seat) == Sitter::Person {
        let moves = sitting.position().moves();
        let mv = &moves[(sitting.history().len() * 7) % moves.len()];
        sitting.play(mv, Duration::ZERO).unwrap();
    } else {
        let thought = sitting.ask(None).unwrap().think();
        assert!(sitting.answer(thought));
    }
}

fn texts(sitting: &dyn AnySitting) -> Vec<String> {
    sitting.history().into_iter().map(|entry| entry.text).collect()
}

#[test]
fn every_move_is_on_disk_at_once_and_any_moment_can_be_resumed() {
    let dir = folder("sitting-resume");
    for (idx, (spec, players)) in SPECS.into_iter().enumerate() {
        let path = dir.join(format!("{idx}.rookery.jsonl"));
        let mut original = sitting(spec, players);
        original.keep(Some(path.clone()));
        assert!(!path.exists(), "nothing happened yet");
        for _ in 0..200 {
            if original.to_ask().is_none() {
                break;
            }
            step(&mut *original);
            let summary = verify(&fs::read(&path).unwrap()[..]).unwrap();
            assert_eq!(summary.plies as usize, original.history().len(), "{spec}");
            let resumed = load(&path);
            assert_eq!(resumed.header(), original.header());
            assert_eq!(resumed.position().text(), original.position().text(), "{spec}");
            assert_eq!(resumed.verdict(), original.verdict());
            assert_eq!(resumed.last_move(), original.last_move());
        }
        assert_eq!(original.keeping_problem(), None);
    }
}

#[test]
fn undo_goes_back_to_the_decision_of_a_person_and_redo_forth_again() {
    let dir = folder("sitting-undo");
    for (idx, (spec, players)) in SPECS.into_iter().enumerate() {
        let path = dir.join(format!("{idx}.rookery.jsonl"));
        let mut sitting = sitting(spec, players);
        sitting.keep(Some(path.clone()));
        for _ in 0..12 {
            if sitting.to_ask().is_some() {
                step(&mut *sitting);
            }
        }
        let (before, position) = (texts(&*sitting), sitting.position().text());
        let mut n_undone = 0;
        while sitting.undo().is_ok() {
            n_undone += 1;
            let seat = sitting.to_ask().expect("there was a decision to take back");
            assert_eq!(sitting.sitter(seat), Sitter::Person, "{spec}");
            assert!(before.starts_with(&texts(&*sitting)));
            assert_eq!(verify(&fs::read(&path).unwrap()[..]).unwrap().plies as usize, texts(&*sitting).len());
        }
        assert_eq!(sitting.undo(), Err(SittingError::NothingToUndo));
        for _ in 0..n_undone {
            sitting.redo().unwrap();
        }
        assert_eq!(sitting.redo(), Err(SittingError::NothingToRedo));
        assert_eq!((texts(&*sitting), sitting.position().text()), (before, position), "{spec}");
        assert_eq!(load(&path).position().text(), sitting.position().text());
    }
}

#[test]
fn bad_moves_change_nothing_and_are_explained() {
    let mut sitting = sitting("hexapawn", &["human", "human"]);
    let before = sitting.position().text();
    for (text, expected) in [
        ("", "is no move; expected"),
        ("\u{1b}[2J", "is no move; expected"),
        ("a1-a3", "illegal move a1-a3"),
        ("a5-a4", "illegal move a5-a4"),
        (&"9".repeat(100_000), "is no move; expected"),
    ] {
        let error = sitting.play(text, Duration::ZERO).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.len() < 400 && !error.contains('\u{1b}'), "{error:?}");
    }
    assert_eq!((sitting.position().text(), sitting.history().len()), (before, 0));
}

#[test]
fn a_resigned_match_is_over_and_can_be_taken_back() {
    let path = folder("sitting-resign").join("match.rookery.jsonl");
    let mut sitting = sitting("hexapawn", &["human", "human"]);
    sitting.keep(Some(path.clone()));
    sitting.play("c2", Duration::ZERO).unwrap();
    sitting.resign().unwrap();
    assert_eq!(sitting.verdict().unwrap().ending.sentence, "player 2 resigned");
    assert_eq!(sitting.play("c4", Duration::ZERO), Err(SittingError::Over));
    assert!(verify(&fs::read(&path).unwrap()[..]).unwrap().verdict.is_some());
    let mut again = load(&path);
    assert_eq!(again.verdict(), sitting.verdict(), "a finished record is shown");
    again.undo().unwrap();
    assert_eq!(again.history().len(), 1);
}

#[test]
fn fault_t01_who_runs_out_of_time_loses_by_the_game_s_conduct() {
    let path = folder("sitting-time").join("match.rookery.jsonl");
    let order = MatchOrder {
        control: "10s+1s".parse().unwrap(),
        ..MatchOrder::new("hexapawn", &["human", "human"]).unwrap()
    };
    let mut sitting = sit(&order).unwrap();
    sitting.keep(Some(path.clone()));
    let ms = Duration::from_millis;
    sitting.play("c2", ms(2500)).unwrap();
    assert_eq!(sitting.clock().allowance(rookery_rules::Seat::new(0)), Some(ms(8500)));
    sitting.run_out(ms(10_000));
    assert!(sitting.verdict().is_none(), "there is time left until it is used up");
    assert_eq!(sitting.play("c4", ms(10_001)), Err(SittingError::TimeOver));
    let verdict = sitting.verdict().unwrap();
    assert_eq!(verdict.ending.cause.word(), "timeout");
    assert!(verdict.outcome.as_ref().unwrap().winners.contains(rookery_rules::Seat::new(0)));
    let summary = verify(&fs::read(&path).unwrap()[..]).unwrap();
    assert_eq!(summary.verdict.as_ref(), Some(verdict));
    sitting.undo().unwrap();
    assert_eq!(sitting.to_ask(), Some(rookery_rules::Seat::new(1)), "among friends it can be taken back");
}

#[test]
fn an_answer_to_a_question_that_no_longer_stands_is_forgotten() {
    let mut sitting = sitting("hexapawn", &["human", "random"]);
    sitting.play("c2", Duration::ZERO).unwrap();
    let question = sitting.ask(None).unwrap();
    let stop = question.stop();
    sitting.undo().unwrap();
    assert!(stop.is_set(), "whoever thinks is told");
    assert!(!sitting.answer(question.think()));
    assert_eq!(sitting.history().len(), 0);
}

#[test]
fn a_new_match_leaves_the_record_of_the_old_one_alone() {
    let dir = folder("sitting-restart");
    let path = dir.join("match.rookery.jsonl");
    let mut sitting = sitting("hexapawn", &["human", "human"]);
    sitting.keep(Some(path.clone()));
    sitting.play("c2", Duration::ZERO).unwrap();
    let old = fs::read(&path).unwrap();
    sitting.restart();
    sitting.play("a2", Duration::ZERO).unwrap();
    assert_eq!(fs::read(&path).unwrap(), old);
    assert_eq!(sitting.path(), Some(&*dir.join("match-2.rookery.jsonl")));
    assert_eq!(free_path(sitting.path().unwrap()), dir.join("match-3.rookery.jsonl"));
    let copy = dir.join("copy.rookery.jsonl");
    sitting.save_as(&copy).unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(sitting.path().unwrap()).unwrap());
    let error = sitting.save_as(&copy).unwrap_err().to_string();
    assert!(error.ends_with("there is such a file already; choose another name"), "{error}");
}

#[test]
fn a_record_that_cannot_be_written_is_told_and_the_match_goes_on() {
    let mut sitting = sitting("hexapawn", &["human", "human"]);
    sitting.keep(Some(PathBuf::from("/no/such/folder/match.rookery.jsonl")));
    sitting.play("c2", Duration::ZERO).unwrap();
    assert_eq!(sitting.history().len(), 1);
    assert!(sitting.keeping_problem().unwrap().starts_with("/no/such/folder/match.rookery.jsonl: "));
}

#[test]
fn hints_are_legal_and_say_why() {
    for (spec, _) in SPECS {
        let players = vec!["human"; if spec.contains("players=3") { 3 } else { 2 }];
        let sitting = sitting(spec, &players);
        let hint = sitting.ask_hint().unwrap().think().unwrap();
        assert!(sitting.position().moves().contains(&hint.mv), "{spec}: {hint:?}");
        assert!(hint.reason.starts_with(&hint.mv) && hint.reason.contains(": "), "{hint:?}");
    }
}

#[test]
fn computers_play_as_in_a_match_of_their_own() {
    let order = MatchOrder { seed: Seed(5), ..MatchOrder::new("fish", &["medium", "random"]).unwrap() };
    let path = folder("sitting-same").join("match.rookery.jsonl");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let target = rookery_catalog::RecordTarget { path: path.clone(), resume: false };
    rookery_catalog::play_match(&order, &runtime, Some(&target)).unwrap();
    let mut sitting = sit(&order).unwrap();
    while sitting.to_ask().is_some() {
        step(&mut *sitting);
    }
    assert_eq!(texts(&*sitting), texts(&*load(&path)));
    let mut rewound = load(&path);
    while rewound.step_back() {}
    assert_eq!(rewound.history().len(), 0);
    while rewound.step_forward() {}
    assert_eq!(rewound.verdict(), sitting.verdict());
}
