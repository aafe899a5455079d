//! Whose the names of bots are: whoever first took one with a token, or uploaded a bot of it, has it for good.

use std::sync::{Mutex, PoisonError};

use rookery_store::{BundleFilter, EntrantId, EntrantKind, Page, Store, StoreError};

/// Names of bots, taken one after the other.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taking: Mutex<()>,
}

impl Names {
    /// Lets somebody use a name for a bot; who has proved to be a person takes it, if it is nobody's yet. Refused if it is
    /// somebody else's. Letters of either case are the same. Blocks while the store is asked.
    pub(crate) fn take(&self, store: &Store, name: &str, who: Option<EntrantId>) -> Result<(), StoreError> {
        let _one_at_a_time = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = |kind| Err(StoreError::NameTaken { name: name.to_owned(), kind });
        if let Some(known) = store.find_entrant(name)?
            && known.kind != EntrantKind::Bot
        {
            return taken(known.kind.word());
        }
        match (owner(store, name)?, who) {
            (Some(owner), who) if who != Some(owner) => taken("bot of somebody else"),
            (None, Some(who)) => store.set_setting(&setting(name), &who.0.to_string()),
            (Some(_) | None, _) => Ok(()),
        }
    }
}

/// Under which it is kept whose a name is.
fn setting(name: &str) -> String {
    format!("bot:{}", name.to_lowercase())
}

fn owner(store: &Store, name: &str) -> Result<Option<EntrantId>, StoreError> {
    let kept = store.setting(&setting(name))?.and_then(|owner| owner.parse().ok());
    if let Some(owner) = kept {
        return Ok(Some(EntrantId(owner)));
    }
    let filter = BundleFilter { name: Some(name.to_owned()), state: None };
    let bundles = store.bundles(&filter, Page { before: None, limit: 1 })?;
    Ok(bundles.into_iter().find_map(|bundle| bundle.owner))
}
