//! What lists and tables show of a game, read from its record: there is no second source.

use std::cell::RefCell;
use std::io::Read as _;

use flate2::read::DeflateDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use rookery_record::{Header, Line, Lines, VerdictLine};
use rookery_referee::{Cause, MatchSpec, Ruling};
use rookery_rules::{BySeat, MAX_SEATS, Outcome, Seat, Seats};
use sha2::{Digest, Sha256};

use crate::{FailedSeat, Hash, StoreError};

/// The largest record that is stored, in bytes.
pub const MAX_RECORD: usize = 16 << 20;

/// What a record says in short.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) spec: MatchSpec,
    /// The name of the game.
    pub(crate) game: String,
    pub(crate) cause: Cause,
    pub(crate) outcome: Option<Outcome>,
    /// Who was removed for misconduct.
    pub(crate) failed: Vec<FailedSeat>,
    pub(crate) plies: u64,
    pub(crate) sha256: Hash,
}

impl Facts {
    /// Reads a finished record. Its form and its own hash are checked; whether it was played by the rules is not.
    pub(crate) fn of_record(record: &[u8]) -> Result<Self, StoreError> {
        if record.len() > MAX_RECORD {
            return Err(StoreError::refused(format!(
                "the record has {} bytes; expected at most {MAX_RECORD}",
                record.len()
            )));
        }
        let mut lines = Lines::new(record);
        let wrong = |error: &dyn std::fmt::Display| StoreError::refused(format!("the record, {error}"));
        let first = lines.first_line().map_err(|error| wrong(&error))?;
        let Header { spec, .. } =
            Header::parse(first).map_err(|problem| wrong(&format!("line 1: {problem}")))?;
        let mut hash = Sha256::new_with_prefix(first);
        let mut failed = vec![];
        let mut verdict = None;
        while let Some(line) = lines.next_line().map_err(|error| wrong(&error))? {
            if verdict.is_some() {
                return Err(wrong(&"after the verdict: there is another line; expected the end"));
            }
            let parsed = Line::parse(line).map_err(|problem| wrong(&problem))?;
            match parsed {
                Line::Verdict(line) => verdict = Some(Last::of(line, &spec)?),
                Line::Fouled(foul) if foul.ruling == Ruling::Removed.word() => {
                    failed.push(FailedSeat::new(foul.seat, &foul.offence));
                }
                _ => {}
            }
            if verdict.is_none() {
                hash.update(line);
            }
        }
        let Some(Last { cause, outcome, plies, sha256 }) = verdict.filter(|_| lines.torn_bytes() == 0) else {
            return Err(wrong(&"last line: there is no verdict; expected the record of a finished match"));
        };
        if sha256 != Hash(hash.finalize().into()).to_string() {
            return Err(wrong(
                &"last line: `sha256` is not the hash of the lines before; some line was changed",
            ));
        }
        let game = spec.game.split(':').next().unwrap_or_default().to_owned();
        Ok(Self { game, cause, outcome, failed, plies, sha256: Hash::of(record), spec })
    }
}

/// What the last line says.
struct Last {
    cause: Cause,
    outcome: Option<Outcome>,
    plies: u64,
    sha256: String,
}

impl Last {
    fn of(line: VerdictLine<'_>, spec: &MatchSpec) -> Result<Self, StoreError> {
        let cause = Cause::of_word(&line.ending).ok_or_else(|| {
            StoreError::refused(format!("the record ends by {:?}; expected a cause", line.ending))
        })?;
        let outcome = match (line.winners, line.scores) {
            (Some(winners), Some(scores)) => Some(outcome(&winners, &scores)?),
            _ => None,
        };
        let n_seats = spec.n_seats();
        if !(1..=MAX_SEATS).contains(&n_seats)
            || outcome.as_ref().is_some_and(|outcome| outcome.scores.n_seats() != n_seats)
        {
            return Err(StoreError::refused(format!(
                "the record has {n_seats} seats; expected a score for each"
            )));
        }
        Ok(Self { cause, outcome, plies: line.plies, sha256: line.sha256.into_owned() })
    }
}

/// Winners and scores, as columns and records have them.
pub(crate) fn outcome(winners: &[u8], scores: &[i32]) -> Result<Outcome, StoreError> {
    let fits = (1..=MAX_SEATS).contains(&scores.len());
    if !fits || winners.iter().any(|&seat| usize::from(seat) >= scores.len()) {
        return Err(StoreError::refused(format!(
            "winners {winners:?} and scores {scores:?} do not fit together"
        )));
    }
    let winners: Seats = winners.iter().map(|&seat| Seat::new(seat)).collect();
    Ok(Outcome { scores: scores.iter().copied().collect::<BySeat<i32>>(), winners })
}

thread_local! {
    /// Its tables are a hundred times larger than most records, so they are made once.
    static PACKER: RefCell<Compress> = RefCell::new(Compress::new(Compression::fast(), false));
}

/// A record as it is stored and sent: deflated, behind what is there already.
pub fn pack(mut behind: Vec<u8>, record: &[u8]) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| {
        packer.reset();
        loop {
            let done = usize::try_from(packer.total_in()).expect("it was in memory");
            behind.reserve((record.len() - done) / 3 + 64);
            let status = packer.compress_vec(&record[done..], &mut behind, FlushCompress::Finish);
            if status.expect("any bytes can be deflated") == Status::StreamEnd {
                return behind;
            }
        }
    })
}

/// The record of a game, if it is what was stored.
pub(crate) fn unpack(packed: &[u8], n_bytes: u64, sha256: Hash) -> Result<Vec<u8>, String> {
    let expected = usize::try_from(n_bytes).ok().filter(|&n| n <= MAX_RECORD);
    let expected = expected.ok_or_else(|| format!("its record has {n_bytes} bytes, more than is stored"))?;
    let mut record = Vec::with_capacity(expected);
    // One byte more than expected, so that a longer one is noticed and none can fill the memory.
    let read = DeflateDecoder::new(packed).take(n_bytes + 1).read_to_end(&mut record);
    if read.is_err() || record.len() != expected || Hash::of(&record) != sha256 {
        return Err("its record is not the one that was stored: the SHA-256 differs".to_owned());
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_read_back_whatever_was_packed_before() {
        let noise: Vec<u8> = (0..100_000_u64).flat_map(|n| Hash::of(&n.to_be_bytes()).0).collect();
        for record in [&b""[..], b"{}", &vec![b'x'; 100_000], &noise, b"{}"] {
            let packed = pack(b"head".to_vec(), record);
            let (head, packed) = packed.split_at(4);
            assert_eq!(head, b"head");
            assert_eq!(unpack(packed, record.len() as u64, Hash::of(record)).as_deref(), Ok(record));
        }
    }
}
