//! Bundles that people upload: looked at, kept, and tried one after the other before they count.

use std::fmt;
use std::sync::Arc;

use axum::http::StatusCode;
use rookery_arena::bots::{BundleError, Bundles, TakenIn};
use rookery_live::Stopping;
use rookery_store::{BundleFilter, BundleState, EntrantId, Page, Store, StoredBundle};
use rookery_wire::Protocols;
use tokio::sync::Mutex;

use crate::http::ApiError;

/// Where bundles come in. A server without one takes none.
pub struct BundleDoor {
    bundles: Bundles,
    protocols: fn() -> Protocols,
    stopping: Stopping,
    /// Whoever is tried: one at a time, so that nobody's clock suffers from another's compiler.
    trying: Mutex<()>,
}

impl fmt::Debug for BundleDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BundleDoor").field("bundles", &self.bundles).finish_non_exhaustive()
    }
}

impl BundleDoor {
    /// With a cache and a sandbox; `protocols` are those of the games' originals.
    pub fn new(bundles: Bundles, protocols: fn() -> Protocols, stopping: Stopping) -> Self {
        Self { bundles, protocols, stopping, trying: Mutex::default() }
    }

    /// Keeps an archive of somebody, and sees to it that it is tried.
    pub(crate) async fn take_in(
        self: &Arc<Self>,
        store: &Store,
        bytes: Vec<u8>,
        owner: EntrantId,
    ) -> Result<StoredBundle, ApiError> {
        let (door, at) = (Arc::clone(self), store.clone());
        let taken = tokio::task::spawn_blocking(move || door.bundles.take_in(&at, bytes, Some(owner)));
        let bundle = taken.await.map_err(|error| ApiError::ours(&error))?.map_err(refusal)?;
        if bundle.state == BundleState::Pending {
            tokio::spawn(Arc::clone(self).try_out(store.clone(), bundle.clone()));
        }
        Ok(bundle)
    }

    /// Tries those that were not tried when the server stopped.
    pub(crate) async fn try_pending(self: Arc<Self>, store: Store) {
        let filter = BundleFilter { name: None, state: Some(BundleState::Pending) };
        let at = store.clone();
        let pending =
            tokio::task::spawn_blocking(move || at.bundles(&filter, Page { before: None, limit: 1000 }))
                .await;
        match pending {
            Ok(Ok(pending)) => {
                for bundle in pending {
                    Arc::clone(&self).try_out(store.clone(), bundle).await;
                }
            }
            Ok(Err(error)) => tracing::error!(%error, "bundles cannot be listed"),
            Err(error) => tracing::error!(%error, "bundles cannot be listed"),
        }
    }

    async fn try_out(self: Arc<Self>, store: Store, bundle: StoredBundle) {
        let _turn = self.trying.lock().await;
        if self.stopping.is_requested() {
            return;
        }
        let (door, name) = (Arc::clone(&self), bundle.name.clone());
        let tried = tokio::task::spawn_blocking(move || {
            door.bundles.try_out(&store, bundle, &door.protocols, &door.stopping)
        });
        match tried.await {
            Ok(Ok(TakenIn { problem: None, .. })) => tracing::info!(name, "a bundle is ready"),
            Ok(Ok(TakenIn { problem: Some(_), .. })) => tracing::info!(name, "a bundle is failing"),
            // It stays pending, and is tried again at the next start.
            Ok(Err(error)) => tracing::error!(name, %error, "a bundle could not be tried"),
            Err(error) => tracing::error!(name, %error, "a bundle could not be tried"),
        }
    }
}

/// What whoever brought a bundle is told.
fn refusal(error: BundleError) -> ApiError {
    match error {
        error @ (BundleError::Archive { .. } | BundleError::Bot(_)) => {
            ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_bundle", error.to_string())
        }
        BundleError::Store(error) => error.into(),
        error => ApiError::ours(&error),
    }
}
