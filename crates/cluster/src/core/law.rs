//! What must hold of rows, whatever goes wrong. Tests of all kinds look at each change; so does a coordinator in a debug build.

use super::{Claim, Job, Name, State};

/// Whether a row may become another one; why not.
pub fn may_become(before: &Job, after: &Job) -> Result<(), String> {
    let broken = |why: &str| Err(format!("{why}: {before:?} to {after:?}"));
    if before.attempt > after.attempt || before.fence > after.fence {
        return broken("an attempt or a fence goes back");
    }
    match (&before.state, &after.state) {
        (State::Done { .. }, _) => broken("it was done"),
        (
            State::Leased { worker, until: old, beats: counted },
            State::Leased { worker: next, until, beats },
        ) => {
            if worker != next || before.fence != after.fence {
                return broken("a lease that is held is given away");
            }
            if until != old && beats <= counted {
                return broken("an old beat has moved a deadline");
            }
            Ok(())
        }
        (_, State::Leased { .. }) if before.fence >= after.fence => broken("a lease has no fence of its own"),
        (State::Leased { worker: owner, .. }, State::Done { worker, .. }) if owner != worker => {
            broken("done by somebody who did not hold the lease")
        }
        (State::Queued | State::Parked, State::Done { .. }) => broken("done without a lease"),
        _ => Ok(()),
    }
}

/// Whether whoever beats, gives back, fails or delivers holds the lease that the row has; why not.
pub fn holds(row: Option<&Job>, worker: &Name, claim: &Claim<impl std::fmt::Debug>) -> Result<(), String> {
    let is_its = row.is_some_and(|job| {
        matches!(&job.state, State::Leased { worker: owner, .. } if owner == worker)
            && job.attempt == claim.attempt
            && job.fence == claim.fence
    });
    if is_its { Ok(()) } else { Err(format!("{worker} does not hold {claim:?}: {row:?}")) }
}
