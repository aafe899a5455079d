//! Bots as archives: what is here, and a form that brings one.

use maud::{Markup, html};

use super::parts::{extra, player_path, scroll};
use crate::api::{BundleData, is_retired};
use crate::dates;

/// What the page shows.
#[derive(Debug)]
pub(crate) struct BundlesPage<'a> {
    /// The latest first.
    pub(crate) bundles: &'a [BundleData],
    /// Who looks, if it has a name of its own.
    pub(crate) name: Option<&'a str>,
    /// Whether it is the operator.
    pub(crate) is_operator: bool,
    /// Whether archives are taken here.
    pub(crate) is_open: bool,
    /// What was done, or what was wrong.
    pub(crate) said: Option<Result<&'a str, &'a str>>,
}

/// The page.
pub(crate) fn bundles(data: &BundlesPage<'_>) -> Markup {
    html! {
        (extra(&[]))
        h1 { "Uploaded bots" }
        p class="lede" { "A bot as one archive, which never changes. It runs here in a sandbox, and may be seated once it has played a short game of each of its games." }
        @match data.said {
            Some(Ok(said)) => p class="note good" role="status" { (said) },
            Some(Err(problem)) => p class="note bad" role="alert" { (problem) },
            None => {},
        }
        (form(data))
        @if data.bundles.is_empty() {
            p class="dim" { "Nobody has uploaded a bot yet." }
        } @else {
            (scroll("Uploaded bots", &table(data)))
        }
        p class="dim tiny" { "From the command line: " code { "rookery bot push DIR --server URL --token-file FILE" } ". " a href="/docs/bundles" { "What an archive must be" } }
    }
}

fn form(data: &BundlesPage<'_>) -> Markup {
    html! {
        @if !data.is_open {
            p class="note" { "This server takes no archives: it has no sandbox for them." }
        } @else if data.name.is_some() {
            form class="floe stack" method="post" action="/bundles" enctype="multipart/form-data" {
                label class="field" { "Archive: a .tar.gz with a bot.toml that names the bot" input type="file" name="file" accept=".gz,.tgz,application/gzip" required; }
                div { button class="btn primary" { "Upload" } }
            }
        } @else {
            p class="note" { a href="/login" { "Sign in or claim a name" } " to upload a bot: it belongs to whoever brings it." }
        }
    }
}

fn table(data: &BundlesPage<'_>) -> Markup {
    let may_retire = |bundle: &BundleData| {
        !is_retired(bundle)
            && (data.is_operator || (data.name.is_some() && bundle.owner.as_deref() == data.name))
    };
    html! {
        table class="tbl" {
            thead { tr { th { "Bot" } th { "Version" } th { "State" } th { "Of" } th { "Since" } th { span class="sr" { "Retire" } } } }
            tbody {
                @for bundle in data.bundles {
                    tr {
                        td { a href=(player_path(&bundle.name)) { (bundle.name) } }
                        td { code title=(bundle.sha256) { (bundle.version) } }
                        td {
                            span class="chip" { (bundle.state) }
                            @if !bundle.problem.is_empty() { details { summary { "Why" } pre { (bundle.problem) } } }
                        }
                        td { @if let Some(owner) = &bundle.owner { (owner) } @else { "the operator" } }
                        td { (dates::day(bundle.created_ms)) }
                        td {
                            @if may_retire(bundle) {
                                form method="post" action="/bundles/retire" {
                                    input type="hidden" name="name" value=(bundle.name);
                                    button class="btn sm" aria-label={ "Retire " (bundle.name) } { "Retire" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
