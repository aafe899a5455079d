//! Jobs as rows of the store, and back.

use std::sync::Arc;

use rookery_store::{EndedAttempt, Hash, JobRow, JobState};

use crate::JobId;
use crate::core::{Claim, Job, Lost, Name, State};

/// The row of a job.
pub(crate) fn row(key: JobId, job: &Job) -> JobRow {
    let (state, worker, until_ms, beats, sha256) = match &job.state {
        State::Queued => (JobState::Queued, None, None, 0, None),
        State::Leased { worker, until, beats } => {
            (JobState::Leased, Some(worker), Some(*until), *beats, None)
        }
        State::Done { worker, digest } => (JobState::Done, Some(worker), None, 0, Some(Hash(*digest))),
        State::Parked => (JobState::Parked, None, None, 0, None),
    };
    JobRow {
        tournament: key.tournament,
        pairing: key.pairing,
        attempt: job.attempt,
        fence: job.fence,
        failures: job.failures,
        state,
        worker: worker.map(ToString::to_string),
        until_ms,
        beats,
        last: job.last.as_ref().map(ToString::to_string),
        sha256,
    }
}

/// The job of a row. What a row lacks is read as a lease that has ended long ago.
pub(crate) fn job(row: &JobRow) -> (JobId, Job) {
    let worker = || Name::from(row.worker.as_deref().unwrap_or_default());
    let state = match row.state {
        JobState::Queued => State::Queued,
        JobState::Leased => {
            State::Leased { worker: worker(), until: row.until_ms.unwrap_or(0), beats: row.beats }
        }
        JobState::Done => State::Done { worker: worker(), digest: row.sha256.map_or([0; 32], |hash| hash.0) },
        JobState::Parked => State::Parked,
    };
    let last = row.last.as_deref().map(Arc::from);
    let job = Job { attempt: row.attempt, fence: row.fence, failures: row.failures, state, last };
    (JobId { tournament: row.tournament, pairing: row.pairing, again: false }, job)
}

/// What is kept of an attempt that came to nothing.
pub(crate) fn ended(claim: &Claim<JobId>, worker: &Name, lost: &Lost) -> EndedAttempt {
    let how = match lost {
        Lost::Expired => "lost".to_owned(),
        Lost::Failed(why) => format!("failed: {why}"),
        Lost::Refused(why) => format!("refused: {why}"),
        Lost::Endless => "endless: it was still played when every clock had run out".to_owned(),
    };
    EndedAttempt {
        tournament: claim.key.tournament,
        pairing: claim.key.pairing,
        attempt: claim.attempt,
        fence: claim.fence,
        worker: worker.to_string(),
        how,
    }
}
