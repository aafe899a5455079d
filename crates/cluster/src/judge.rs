//! Every record is judged again before it counts.

use rookery_record::{Header, Lines};
use rookery_referee::{Cause, MatchSpec, Verdict};

/// Judges a record by the rules: every move, every ruling, the hash, and that it is the game that was asked for. How it ended, or
/// what is wrong with it.
pub fn judge(record: &[u8], expected: &MatchSpec) -> Result<Verdict, String> {
    let mut lines = Lines::new(record);
    let first = lines.first_line().map_err(|error| error.to_string())?;
    let header = Header::parse(first).map_err(|problem| format!("line 1: {problem}"))?;
    if header.spec != *expected {
        return Err("it is another game than the one that was asked for".to_owned());
    }
    let summary = rookery_live::verify(record).map_err(|error| error.to_string())?;
    if summary.n_bytes != record.len() as u64 {
        return Err("something follows the verdict".to_owned());
    }
    match summary.verdict {
        None => Err("it has no verdict".to_owned()),
        Some(verdict) if verdict.ending.cause == Cause::PlatformAbort => {
            Err("the worker had to stop the game".to_owned())
        }
        Some(verdict) => Ok(verdict),
    }
}
