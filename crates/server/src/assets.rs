//! Style sheets, scripts and pictures of the page, all of them in the binary.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::extract::{Path, Query};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use rookery_store::Hash;
use serde::Deserialize;

use crate::http::ApiError;

static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

struct Asset {
    bytes: &'static [u8],
    version: String,
}

static ASSETS: LazyLock<HashMap<&'static str, Asset>> = LazyLock::new(|| {
    let asset = |&(name, bytes): &(&'static str, &'static [u8])| {
        let version = Hash::of(bytes).to_string()[..12].to_owned();
        (name, Asset { bytes, version })
    };
    FILES.iter().map(asset).collect()
});

/// Whether there is such a file.
pub fn exists(name: &str) -> bool {
    ASSETS.contains_key(name)
}

/// The address of a file of the page, which changes with its content.
pub fn url(name: &str) -> String {
    match ASSETS.get(name) {
        Some(asset) => format!("/assets/{name}?v={}", asset.version),
        None => format!("/assets/{name}"),
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Version {
    v: Option<String>,
}

pub(crate) async fn serve(
    Path(name): Path<String>,
    Query(Version { v }): Query<Version>,
) -> Result<Response, ApiError> {
    let asset = ASSETS.get(name.as_str()).ok_or_else(|| ApiError::not_found("file"))?;
    let mut response = asset.bytes.into_response();
    // Scripts import each other without a version: those are asked for again each time.
    let lasting = v.as_deref() == Some(asset.version.as_str());
    let caching = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind(&name)));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    Ok(response)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" | "json" => "application/json",
        _ => "application/octet-stream",
    }
}
