//! What a program writes to its standard error: its log. All of it is read, so that it never waits; what is kept is bounded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How many of the first bytes are kept.
const HEAD: usize = 256 << 10;
/// How many of the last bytes are kept.
const TAIL: usize = 4 << 10;

/// The log of one program. Copies are the same.
#[derive(Clone, Default, Debug)]
pub struct StderrLog(Arc<Mutex<Kept>>);

#[derive(Default, Debug)]
struct Kept {
    head: Vec<u8>,
    /// The last bytes, also those that are in the head.
    tail: Vec<u8>,
    n_bytes: u64,
}

impl StderrLog {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads everything until the end.
    pub(crate) async fn listen(self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = [0; 4096];
        while let Ok(n @ 1..) = pipe.read(&mut chunk).await {
            let new = &chunk[..n];
            let mut kept = self.kept();
            kept.n_bytes += n as u64;
            let room = HEAD - kept.head.len();
            kept.head.extend_from_slice(&new[..n.min(room)]);
            kept.tail.extend_from_slice(new);
            let surplus = kept.tail.len().saturating_sub(TAIL);
            kept.tail.drain(..surplus);
        }
    }

    /// Forgets what was written so far: another game begins.
    pub fn clear(&self) {
        *self.kept() = Kept::default();
    }

    /// The last of it, safe to show; `None` if nothing was written.
    pub fn last(&self) -> Option<String> {
        let kept = self.kept();
        (!kept.tail.trim_ascii().is_empty()).then(|| printable(&kept.tail))
    }

    /// All of it, if it is not too much; else the beginning and the end, with a mark in between.
    pub fn all(&self) -> Vec<u8> {
        let kept = self.kept();
        let left_out = kept.n_bytes.saturating_sub((HEAD + TAIL) as u64);
        if kept.n_bytes <= HEAD as u64 {
            return kept.head.clone();
        }
        if left_out == 0 {
            let new = (kept.n_bytes - HEAD as u64) as usize;
            return [&kept.head, &kept.tail[kept.tail.len() - new..]].concat();
        }
        let mark = format!("\n[rookery: {left_out} bytes were left out here]\n");
        [&kept.head, mark.as_bytes(), &kept.tail].concat()
    }
}

/// The same as text: control characters but the ends of lines become spaces.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn fault_c10_all_is_read_and_what_is_kept_is_bounded_and_says_so() {
        for (n, marked) in [
            (0, false),
            (10, false),
            (HEAD, false),
            (HEAD + 9, false),
            (HEAD + TAIL + 1, true),
            (3 << 20, true),
        ] {
            let written: Vec<u8> = (0..n).map(|idx| b'a' + (idx % 26) as u8).collect();
            let log = StderrLog::default();
            log.clone().listen(&*written).await;
            let all = log.all();
            assert!(all.len() <= HEAD + TAIL + 80, "{n}");
            assert_eq!(all == written, !marked, "{n}");
            assert_eq!(all.windows(9).any(|part| part == b"[rookery:"), marked, "{n}");
            assert!(all.ends_with(&written[n.saturating_sub(100)..]), "{n}: the end is there");
            assert_eq!(log.last().is_some(), n > 0);
        }
    }
}
