//! Style sheets, scripts and pictures of the page, all of them in the binary.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::{Path, Query};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use rookery_store::Hash;
use serde::Deserialize;

use crate::http::ApiError;

static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Of all files together: scripts name each other with it, so that a browser has to ask for none of them twice.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let all: Vec<u8> = FILES.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    Hash::of(&all).to_string()[..12].to_owned()
});

static ASSETS: LazyLock<HashMap<&'static str, Bytes>> = LazyLock::new(|| {
    let asset = |&(name, bytes): &(&'static str, &'static [u8])| match std::str::from_utf8(bytes) {
        Ok(script) if kind(name).starts_with("text/javascript") => {
            (name, Bytes::from(script.replace(".js\"", &format!(".js?v={}\"", *VERSION))))
        }
        _ => (name, Bytes::from_static(bytes)),
    };
    FILES.iter().map(asset).collect()
});

/// The address of a file of the page, which changes with its content.
pub fn url(name: &str) -> String {
    format!("/assets/{name}?v={}", *VERSION)
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
    let mut response = asset.clone().into_response();
    let lasting = v.as_deref() == Some(VERSION.as_str());
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
