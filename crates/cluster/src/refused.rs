//! What the store refuses: the tournament that it is about ends here, and everything else goes on.

use std::collections::BTreeMap;

use rookery_arena::Arrived;
use rookery_store::{JobChange, StoreError, TournamentId};

use crate::core::{Answer, Effect};
use crate::server::{Input, Server};
use crate::{ClusterError, JobId, rows};

impl Server {
    /// A commit was not written. Without the store nobody can go on; if only something in it is refused the rest is written after
    /// all, tournament by tournament.
    pub(crate) async fn not_written(
        &mut self,
        error: StoreError,
        effects: Vec<Effect<JobId>>,
        changes: Vec<JobChange>,
    ) -> Result<(), ClusterError> {
        if !is_refusal(&error) {
            return Err(error.into());
        }
        let mut parts: BTreeMap<Option<TournamentId>, Vec<JobChange>> = BTreeMap::new();
        for change in changes {
            parts.entry(change.tournament()).or_default().push(self.as_it_is_now(change));
        }
        let mut ended = vec![];
        for (tournament, part) in parts {
            match (self.config.store.change_jobs(part).await, tournament) {
                (Ok(()), _) => {}
                (Err(error), _) if !is_refusal(&error) => return Err(error.into()),
                (Err(error), None) => tracing::error!(%error, "something for the audit table was refused"),
                (Err(error), Some(tournament)) => {
                    tracing::error!(%tournament, %error, "the store refuses a change: the tournament ends here");
                    if let Some(watcher) = self.watchers.get(&tournament) {
                        // Whoever does not listen any more does not want to know.
                        let _ = watcher.send(Arrived::Gone(error.to_string()));
                    }
                    self.wanted(Input::Close(tournament));
                    ended.push(tournament);
                }
            }
        }
        let goes_on = |effect: &Effect<JobId>| about(effect).is_none_or(|id| !ended.contains(&id));
        self.perform(effects.into_iter().filter(goes_on).collect()).await;
        Ok(())
    }

    /// Rows that were handed to the store since must not be overwritten by older ones.
    fn as_it_is_now(&self, change: JobChange) -> JobChange {
        let JobChange::Put(row) = &change else { return change };
        let key = JobId { tournament: row.tournament, pairing: row.pairing, again: false };
        self.core.job(&key).map_or(change, |job| JobChange::Put(rows::row(key, job)))
    }
}

/// Whether the store goes on and only does not want this.
fn is_refusal(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Refused(_)
            | StoreError::Unknown { .. }
            | StoreError::Conflict { .. }
            | StoreError::Stale { .. }
            | StoreError::NameTaken { .. }
    )
}

/// The tournament that it is about, of what is told to others.
fn about(effect: &Effect<JobId>) -> Option<TournamentId> {
    let key = match effect {
        Effect::Notify { key, .. } | Effect::Finished(key, _) => key,
        Effect::Answer(_, answer) => match answer {
            Answer::Refused { key, .. } => key,
            Answer::Granted { claim, .. }
            | Answer::Stop(claim)
            | Answer::Stored(claim)
            | Answer::Dropped { claim, .. } => &claim.key,
        },
        _ => return None,
    };
    Some(key.tournament)
}
