//! Somebody between two matches.

use std::fmt;
use std::sync::Arc;

use rookery_referee::Fault;
use rookery_wire::Transport;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::Door;

/// Somebody who rests between two matches: listened to, so that who goes away or speaks is noticed.
pub struct Resting {
    claim: oneshot::Sender<()>,
    task: JoinHandle<Result<Box<dyn Transport>, Fault>>,
}

impl Resting {
    /// Lets somebody rest on its link.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn new<D: Door>(door: &Arc<D>, member: &D::Member, mut link: Box<dyn Transport>) -> Self {
        let (claim, claimed) = oneshot::channel();
        let (door, member) = (Arc::clone(door), member.clone());
        let task = tokio::spawn(async move {
            tokio::select! {
                biased;
                fault = door.rest(&member, &mut *link) => Err(fault),
                _ = claimed => Ok(link),
            }
        });
        Self { claim, task }
    }

    /// The link again, or what went wrong meanwhile.
    pub async fn wake(self) -> Result<Box<dyn Transport>, Fault> {
        // A task that has ended already has what happened as its result.
        let _ = self.claim.send(());
        self.task.await.expect("a task that rests neither panics nor is cancelled")
    }
}

impl fmt::Debug for Resting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resting")
    }
}
