//! What workers and operators say, as events of the coordinator.

use async_nats::Message;
use futures_util::StreamExt as _;
use rookery_rules::text::clean;

use crate::core::{About, Ask, Name};
use crate::judging::Packed;
use crate::liveness::ECHO;
use crate::server::{Event, Origin, Server};
use crate::worker::is_name;
use crate::{ClusterError, JobId, message, names, versions};

/// The longest reason that is kept of what a worker says, in bytes before it is cleaned.
const MAX_REASON: usize = 500;
/// How many games one worker can be good for, as `rookery worker --slots` says.
const MOST_SLOTS: u32 = 1024;
/// The largest number of a beat: what a column holds.
const MOST_BEATS: u64 = i64::MAX as u64;
/// How many undelivered games are believed, so that they can be added up.
const MOST_SPOOLED: u64 = u32::MAX as u64;

impl Server {
    /// Everything that workers and operators say comes as events, in one line.
    pub(crate) async fn listen(&self) -> Result<(), ClusterError> {
        let of = self.subjects();
        for subject in [of.ask("*"), of.record("*"), of.bundle("*"), of.operator("*")] {
            let subscribed = self.client.subscribe(subject).await;
            let mut messages = subscribed.map_err(|error| ClusterError::Broker(error.to_string()))?;
            let events = self.events.clone();
            tokio::spawn(async move {
                while let Some(message) = messages.next().await {
                    if let Some(event) = event(message)
                        && events.send(event).await.is_err()
                    {
                        return;
                    }
                }
            });
        }
        Ok(())
    }
}

pub(crate) fn event(message: Message) -> Option<Event> {
    let subject = message.subject.clone();
    let mut words = subject.split('.').skip(2);
    let (kind, from) = (words.next()?, words.next()?);
    if kind == "operator" {
        return Some(if from == ECHO { Event::Echo(message) } else { Event::Operator(message) });
    }
    // It becomes part of rows and of subjects.
    let worker = Some(from).filter(|name| is_name(name)).map(Name::from)?;
    match kind {
        "ask" => {
            let asks: Vec<Ask<JobId>> = message::read(&message.payload)?;
            let asks = asks.into_iter().filter_map(bounded).collect();
            let origin = Origin { rules: versions::rules_of(&message), session: names::session_of(&message) };
            Some(Event::Asked(worker, origin, asks))
        }
        "record" => {
            let (claim, from) = message::read_claim(&message.payload)?;
            Some(Event::Came(worker, claim, Packed { message, from }))
        }
        "bundle" => Some(Event::BundleAsked(worker, message)),
        _ => None,
    }
}

/// What a worker says, within the bounds of what is kept of it; nothing if it cannot be meant.
fn bounded(ask: Ask<JobId>) -> Option<Ask<JobId>> {
    match ask {
        Ask::Hello { slots } => Some(Ask::Hello { slots: slots.min(MOST_SLOTS) }),
        Ask::Beat { beat, .. } if beat > MOST_BEATS => None,
        Ask::Fail { claim, why } => Some(Ask::Fail { claim, why: reason(&why) }),
        Ask::About(about) => Some(Ask::About(About {
            idle: about.idle.as_deref().map(reason),
            spooled: about.spooled.min(MOST_SPOOLED),
            ..about
        })),
        Ask::Take { .. } | Ask::Beat { .. } | Ask::Release(_) => Some(ask),
    }
}

/// The beginning of a reason, as it can be shown and stored.
fn reason(text: &str) -> String {
    clean(&text[..text.floor_char_boundary(MAX_REASON)])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use rookery_store::TournamentId;

    use super::*;
    use crate::PROTOCOL;
    use crate::core::Claim;

    fn heard(subject: &str, payload: Vec<u8>) -> Option<Event> {
        let (subject, length) = (format!("rookery.{PROTOCOL}.{subject}").into(), payload.len());
        let (reply, headers, status, description) = (None, None, None, None);
        event(Message { subject, reply, payload: payload.into(), headers, status, description, length })
    }

    fn asked(ask: &Ask<JobId>) -> Vec<Ask<JobId>> {
        match heard("ask.ann", message::write(std::slice::from_ref(ask))).unwrap() {
            Event::Asked(_, _, asks) => asks,
            _ => panic!("it is a question"),
        }
    }

    #[test]
    fn fault_q12_what_a_worker_says_is_bounded_before_it_is_kept() {
        let key = JobId { tournament: TournamentId::random(), pairing: 0, again: false };
        let claim = Claim { key, attempt: 1, fence: 1 };
        assert_eq!(asked(&Ask::Hello { slots: u32::MAX }), [Ask::Hello { slots: MOST_SLOTS }]);
        let beat = |beat| Ask::Beat { claim: claim.clone(), beat };
        assert_eq!(asked(&beat(7)), [beat(7)]);
        assert_eq!(asked(&beat(1 << 63)), [], "no column holds it");
        let why = format!("a\0b\u{1b}[2J{}", "é".repeat(MAX_REASON));
        let [Ask::Fail { why, .. }] = &asked(&Ask::Fail { claim: claim.clone(), why })[..] else {
            panic!("it fails")
        };
        assert!(why.starts_with("a\u{fffd}b\u{fffd}[2J") && why.len() < 2 * MAX_REASON, "{why:?}");
        let about = About { idle: Some("\0".to_owned()), spooled: u64::MAX, ..About::default() };
        let [Ask::About(about)] = &asked(&Ask::About(about))[..] else { panic!("it is about itself") };
        assert_eq!((about.idle.as_deref(), about.spooled), (Some("\u{fffd}"), MOST_SPOOLED));
        assert!(heard("ask.a b", message::write(&[Ask::<JobId>::Hello { slots: 1 }])).is_none(), "no name");
        assert!(matches!(heard("operator.echo", vec![]), Some(Event::Echo(_))));
    }
}
