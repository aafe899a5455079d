//! Bundles: bots as archives, listed, brought and retired.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{Extension, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use rookery_store::{BundleFilter, BundleState, EntrantId, Page, Store, StoreError, StoredBundle};
use serde::{Deserialize, Serialize};

use crate::accounts::{Identity, Owner, blocking};
use crate::app::App;
use crate::http::{ApiError, Caller, shape};

/// The longest list.
const MOST: u32 = 100;

/// What a list shows of a bundle; the command line prints the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BundleData {
    /// Its number, to ask for those before it.
    pub number: u64,
    /// What the bot is called.
    pub name: String,
    /// What its author calls this version, and the beginning of the hash over its files.
    pub version: String,
    /// The SHA-256 of its archive.
    pub sha256: String,
    /// The bytes of its archive.
    pub bytes: u64,
    /// `pending`, `ready`, `failing` or `retired`.
    pub state: String,
    /// What it did wrong, if it did.
    pub problem: String,
    /// Whose it is, if a person brought it.
    pub owner: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub created_ms: i64,
}

shape!(BundleData {
    number: u64,
    name: String,
    version: String,
    sha256: String,
    bytes: u64,
    state: String,
    problem: String,
    owner: Option<String>,
    created_ms: i64,
});

impl BundleData {
    /// Bundles with the names of their owners.
    pub fn all(store: &Store, bundles: Vec<StoredBundle>) -> Result<Vec<Self>, StoreError> {
        let mut names: HashMap<EntrantId, String> = HashMap::new();
        for owner in bundles.iter().filter_map(|bundle| bundle.owner) {
            if let std::collections::hash_map::Entry::Vacant(place) = names.entry(owner) {
                place.insert(store.entrant_by_id(owner)?.name);
            }
        }
        let data = |bundle: StoredBundle| Self {
            number: bundle.version,
            name: bundle.name,
            version: bundle.label,
            sha256: bundle.sha256.to_string(),
            bytes: bundle.bytes,
            state: bundle.state.word().to_owned(),
            problem: bundle.problem,
            owner: bundle.owner.and_then(|owner| names.get(&owner).cloned()),
            created_ms: bundle.created_ms,
        };
        Ok(bundles.into_iter().map(data).collect())
    }
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct BundleQuery {
    name: Option<String>,
    before: Option<u64>,
}

/// What is asked for, the latest first. What a program or its compiler wrote is told to its owner and the operator alone.
pub(crate) async fn bundles_of(
    app: &App,
    caller: &Caller,
    query: BundleQuery,
) -> Result<Vec<BundleData>, ApiError> {
    let store = app.hub.store().clone();
    let mut bundles = blocking(move || {
        let filter = BundleFilter { name: query.name, state: None };
        let found = store.bundles(&filter, Page { before: query.before, limit: MOST })?;
        BundleData::all(&store, found)
    })
    .await?;
    let who = caller.identity.as_ref().filter(|who| who.is_operator || who.person().is_some());
    for bundle in &mut bundles {
        let may_read = who.is_some_and(|who| who.is_operator || bundle.owner.as_ref() == Some(&who.name));
        if !may_read {
            bundle.problem = bundle.problem.lines().next().unwrap_or_default().to_owned();
        }
    }
    Ok(bundles)
}

pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<BundleQuery>,
) -> Result<Json<Vec<BundleData>>, ApiError> {
    Ok(Json(bundles_of(&app, &caller, query).await?))
}

/// Takes in an archive of somebody with a name of their own.
pub(crate) async fn push_for(app: &App, caller: &Caller, bytes: Vec<u8>) -> Result<BundleData, ApiError> {
    let door = app.hub.bundles.get().ok_or_else(|| {
        ApiError::conflict("this server takes no bundles: it has no sandbox for them; its log says why")
    })?;
    let owner = person(caller.expect()?)?;
    app.makings.expect(Some(&Owner::Named(owner.0)), caller.ip, Instant::now())?;
    let store = app.hub.store().clone();
    let bots = Arc::clone(app.hub.bots());
    let bundle = door.take_in(&store, bytes, (owner, bots)).await?;
    let (name, sha256) = (bundle.name.clone(), bundle.sha256.to_string());
    let data = blocking(move || BundleData::all(&store, vec![bundle])).await?;
    tracing::info!(name, sha256, "a bundle was pushed");
    data.into_iter().next().ok_or_else(|| ApiError::ours(&"a bundle is not there"))
}

fn person(identity: &Identity) -> Result<EntrantId, ApiError> {
    let no_name =
        || ApiError::forbidden("bundles belong to somebody; claim a name at /login, and use a token of it");
    identity.person().ok_or_else(no_name)
}

pub(crate) async fn push(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, ApiError> {
    // The guard has read it within its bounds already.
    let body = request.into_body().collect().await;
    let bytes = body.map_err(|_| ApiError::bad("the body cannot be read; send it again"))?.to_bytes();
    let bundle = push_for(&app, &caller, bytes.to_vec()).await?;
    Ok((StatusCode::CREATED, Json(bundle)).into_response())
}

/// Retires what a bot has here, by its owner or the operator.
pub(crate) async fn retire_for(app: &App, caller: &Caller, name: String) -> Result<u64, ApiError> {
    let identity = caller.expect()?;
    let (who, is_operator, store) = (identity.person(), identity.is_operator, app.hub.store().clone());
    let actor = identity.name.clone();
    let retired = blocking(move || {
        let filter = BundleFilter { name: Some(name.clone()), state: None };
        let found = store.bundles(&filter, Page { before: None, limit: 1 })?;
        let Some(bundle) = found.first() else { return Ok(None) };
        if !is_operator && (who.is_none() || bundle.owner != who) {
            return Ok(Some(None));
        }
        if bundle.owner != who {
            store.audit(&actor, "retire", &name)?;
        }
        Ok(Some(Some(store.retire_bundles(&name, None)?)))
    });
    match retired.await? {
        None => Err(ApiError::not_found("bundle")),
        Some(None) => {
            Err(ApiError::forbidden("this bot is somebody else's; only they or the operator retire it"))
        }
        Some(Some(n)) => Ok(n),
    }
}

/// How many versions of a bot are seated no more.
#[derive(Debug, Serialize)]
pub(crate) struct Retired {
    retired: u64,
}

shape!(Retired { retired: u64 });

pub(crate) async fn retire(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Result<Json<Retired>, ApiError> {
    Ok(Json(Retired { retired: retire_for(&app, &caller, name).await? }))
}

/// Whether a bundle can still be retired.
pub(crate) fn is_retired(bundle: &BundleData) -> bool {
    bundle.state == BundleState::Retired.word()
}
