//! Workers that play by other rules than this coordinator. They finish and deliver what they have; what is new is not for them.
//!
//! Notifications of an earlier coordinator may still be in the stream when another version begins, so it is not enough that each
//! version has a subject of its own: a worker says by which rules it plays with everything that it asks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{HeaderMap, Message};
use rookery_rules::text::clean;

use crate::JobId;
use crate::core::{Answer, Ask, Effect, Name, Refusal};
use crate::server::Server;
use crate::status::WorkerStatus;

/// The header of what workers ask: by which rules they play.
const HEADER: &str = "Rookery-Rules";
/// The longest version that is kept, in bytes before it is cleaned.
const MAX_RULES: usize = 64;
/// How many workers that are given nothing are kept in mind.
const MOST: usize = 1024;
/// How many times longer than a lease they are, if nothing is heard of them.
const REMEMBERED: u32 = 3;

/// The headers of a worker that plays by these rules.
pub(crate) fn headers(rules: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(HEADER, rules);
    headers
}

/// By which rules the sender of a message plays; none if it does not say.
pub(crate) fn rules_of(message: &Message) -> Option<String> {
    let rules = message.headers.as_ref()?.get(HEADER)?.as_str();
    Some(clean(&rules[..rules.floor_char_boundary(MAX_RULES)]))
}

/// A worker that is given nothing.
#[derive(Debug)]
struct Other {
    why: Why,
    slots: u32,
    at: Instant,
}

#[derive(Debug)]
enum Why {
    /// It plays by these rules.
    Rules(String),
    /// Another one has its name.
    Name,
}

/// The workers that were heard of and are given nothing, for operators; those whose name another one has each with its session.
#[derive(Default, Debug)]
pub(crate) struct Others(BTreeMap<(Name, Arc<str>), Other>);

impl Others {
    /// Somebody is given nothing. Whether that is news.
    fn note(&mut self, who: (Name, Arc<str>), other: Other, longest: Duration) -> bool {
        self.0.retain(|_, other| other.at.elapsed() < longest);
        if let Some(known) = self.0.get_mut(&who) {
            *known = other;
            return false;
        }
        self.0.len() < MOST && self.0.insert(who, other).is_none()
    }

    /// Somebody was only late: the name is its own.
    pub(crate) fn has_its_name(&mut self, worker: &Name, session: &Arc<str>) {
        self.0.remove(&(worker.clone(), session.clone()));
        // Nor is it of other rules any more.
        self.0.remove(&(worker.clone(), Arc::from("")));
    }
}

impl Server {
    /// A worker that plays by other rules says something. Whether there is nothing more to do about it.
    pub(crate) fn heard_other(&mut self, worker: &Name, rules: &str, ask: &Ask<JobId>) -> bool {
        match ask {
            Ask::Hello { slots } => {
                let other = Other { why: Why::Rules(rules.to_owned()), slots: *slots, at: Instant::now() };
                let longest = self.longest_silence();
                self.others.note((worker.clone(), Arc::from("")), other, longest);
                true
            }
            Ask::About(_) => true,
            Ask::Take { key, attempt } => {
                if self.is_ours(key.tournament) {
                    let refused = Answer::Refused { key: *key, attempt: *attempt, why: Refusal::Rules };
                    self.effects.push(Effect::Answer(worker.clone(), refused));
                }
                true
            }
            // Of a game that it was given by a coordinator of its own version.
            Ask::Beat { .. } | Ask::Release(_) | Ask::Fail { .. } => false,
        }
    }

    /// A worker whose name another one has greets. Whether that is news.
    pub(crate) fn heard_twin(&mut self, worker: &Name, session: &Arc<str>, slots: u32) -> bool {
        let other = Other { why: Why::Name, slots, at: Instant::now() };
        let longest = self.longest_silence();
        self.others.note((worker.clone(), session.clone()), other, longest)
    }

    fn longest_silence(&self) -> Duration {
        REMEMBERED * Duration::from_millis(self.config.terms.lease)
    }

    /// What operators see of them.
    pub(crate) fn others(&self) -> impl Iterator<Item = WorkerStatus> {
        let longest = self.longest_silence();
        let heard = self.others.0.iter().filter(move |(_, other)| other.at.elapsed() < longest);
        heard.map(|((name, _), other)| WorkerStatus {
            name: name.to_string(),
            slots: other.slots,
            playing: 0,
            games: 0,
            lost: 0,
            silent_ms: u64::try_from(other.at.elapsed().as_millis()).unwrap_or(u64::MAX),
            idle: Some(match &other.why {
                Why::Rules(rules) => {
                    format!("it plays by the rules {rules}, and this coordinator by {}", self.config.rules)
                }
                Why::Name => {
                    "another worker that is called so plays already; give each a name of its own".to_owned()
                }
            }),
            speed: None,
            beside_median: None,
            steal: None,
        })
    }
}
