//! What must hold for any bytes whatsoever.
//!
//! Each function is the body of a fuzz target (`fuzz/`, run by `cargo xtask fuzz`) and of an ordinary test here, which feeds
//! it with damaged copies of what is right. They panic when something is wrong.

mod bundle;
mod cluster;
mod session;

use std::io::Cursor;

use rookery_live::{read_story, verify, write_record};

pub use bundle::bundle;
pub use cluster::{Step, cluster};
pub use session::session;

/// Reads bytes as a record. Whatever is said to be right can be written again, and is right then too.
pub fn record(data: &[u8]) {
    let Ok(summary) = verify(Cursor::new(data)) else {
        assert!(read_story(Cursor::new(data)).is_err(), "two readers of records agree");
        return;
    };
    let story = read_story(Cursor::new(data)).expect("what was verified can be read");
    assert_eq!(story.verdict.as_deref(), summary.verdict.as_ref());
    let again = write_record(&story.snapshot()).expect("what was read can be written");
    let same = verify(Cursor::new(&again)).expect("what was written is right");
    assert_eq!((same.plies, same.verdict), (summary.plies, summary.verdict));
}

/// Reads bytes as a command line. What comes out holds nothing that was not there.
pub fn command_line(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(words) = rookery_sandbox::split(text) {
        let taken: usize = words.iter().map(String::len).sum();
        assert!(taken <= text.len(), "{text:?} is longer in parts: {words:?}");
    }
}
