//! A series of games whose last records a power cut has damaged goes on to the same bytes.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::fs;
use std::path::{Path, PathBuf};

use rookery_catalog::{MatchOrder, Played, RecordTarget, play_match};
use rookery_rules::Seed;
use tokio::runtime::{Builder, Runtime};

/// Games of a series, in a folder of their own.
struct Series {
    spec: &'static str,
    folder: PathBuf,
    runtime: Runtime,
}

impl Series {
    fn new(spec: &'static str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { spec, folder, runtime: Builder::new_current_thread().enable_time().build().unwrap() }
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.rookery.jsonl"))
    }

    /// Plays a game, or what is left of it, and gives back its record.
    fn play(&self, number: u64) -> (Played, Vec<u8>) {
        let order = MatchOrder::new(self.spec, &["random", "random"]).unwrap();
        let order = MatchOrder { seed: Seed(number), number: Some(number), ..order };
        let target = RecordTarget { path: self.path(number), resume: true };
        let played = play_match(&order, &self.runtime, Some(&target)).unwrap();
        (played, fs::read(&target.path).unwrap())
    }
}

#[test]
fn fault_s02_the_last_two_games_can_be_damaged_anywhere() {
    let series = Series::new("hexapawn:rows=3,cols=3");
    let whole: Vec<Vec<u8>> = (0..3).map(|number| series.play(number).1).collect();
    for number in 1..3 {
        let record = &whole[number as usize];
        for len in 0..=record.len() {
            for tail in [&b""[..], &[0; 512], b"\x80\xff\n\0\n{\"mov", b"\x07}\n"] {
                // Some file systems wait for the disk when a file is overwritten.
                fs::remove_file(series.path(number)).unwrap();
                fs::write(series.path(number), [&record[..len], tail].concat()).unwrap();
                let (played, again) = series.play(number);
                assert!(again == *record, "game {number} cut after {len} bytes, then {tail:?}");
                let at_line = len == 0 || record[len - 1] == b'\n';
                assert_eq!(played.cut.is_some(), !(at_line && tail.is_empty()), "what is cut off is told");
            }
        }
    }
    assert_eq!(fs::read(series.path(0)).unwrap(), whole[0]);
}
