//! What is told while the broker cannot be reached: each reason once, and once that it is back.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::{ClientError, Event};

/// How long what is known of a try may take to come after the event: by another way.
const DETAILS: Duration = Duration::from_millis(50);
/// How many reasons of one outage are told.
const MOST: usize = 16;

/// A connection's troubles, as they were told.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    /// Who connects, and where to.
    who: Arc<str>,
    state: Arc<Mutex<State>>,
}

#[derive(Default, Debug)]
struct State {
    told: BTreeSet<String>,
    /// The last error of a try, in more words than the event has.
    last: Option<String>,
}

impl Outage {
    pub(crate) fn new(name: &str, address: &str) -> Self {
        Self { who: Arc::from(format!("{name}: {address}")), state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the tries so far.
    pub(crate) fn tried(&self, last: Option<String>) {
        self.state().last = last;
    }

    pub(crate) async fn heard(&self, event: Event) {
        if matches!(event, Event::ClientError(_)) {
            tokio::time::sleep(DETAILS).await;
        }
        if let Some(words) = self.words(&event) {
            tracing::warn!("{words}");
        }
    }

    /// What is to be told, if it is news.
    fn words(&self, event: &Event) -> Option<String> {
        let mut state = self.state();
        let reason = match event {
            Event::Connected => {
                let was_away = !std::mem::take(&mut state.told).is_empty();
                state.last = None;
                return was_away.then(|| format!("{}: the broker is reached", self.who));
            }
            Event::ServerError(error) => error.to_string(),
            Event::ClientError(ClientError::Other(kind)) => {
                // An older error of another kind says nothing of this one.
                state
                    .last
                    .clone()
                    .filter(|last| last.starts_with(kind.as_str()))
                    .unwrap_or_else(|| kind.clone())
            }
            _ => return None,
        };
        let is_server = matches!(event, Event::ServerError(_));
        // The same kind of failure has other details each time, such as a port.
        let kind = reason.split(": ").next().filter(|_| !is_server).unwrap_or(&reason).to_owned();
        if state.told.len() >= MOST || !state.told.insert(kind) {
            return None;
        }
        let (who, lower) = (&self.who, reason.to_ascii_lowercase());
        Some(if ["auth", "permission"].iter().any(|word| lower.contains(word)) {
            format!(
                "{who}: the broker refuses us: {reason}; was this name revoked, or its key replaced? It is tried again"
            )
        } else if is_server {
            format!("{who}: the broker complains: {reason}")
        } else {
            format!("{who}: the broker cannot be reached: {reason}; it is tried again")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_of_an_outage_is_told_once_and_once_that_it_is_over() {
        let outage = Outage::new("lab", "nats://127.0.0.1:1");
        let failed = |kind: &str| Event::ClientError(ClientError::Other(kind.to_owned()));
        assert_eq!(outage.words(&Event::Connected), None, "nothing was told yet");
        assert_eq!(outage.words(&Event::Disconnected), None, "it may be back at once");
        outage.tried(Some("IO error: Connection refused".to_owned()));
        let told = "lab: nats://127.0.0.1:1: the broker cannot be reached: IO error: Connection refused; it is tried again";
        assert_eq!(outage.words(&failed("IO error")).as_deref(), Some(told));
        outage.tried(Some("IO error: Connection reset".to_owned()));
        assert_eq!(outage.words(&failed("IO error")), None);
        let other = outage.words(&failed("DNS error")).unwrap_or_default();
        assert!(
            other.contains("reached: DNS error; it"),
            "another reason, without the words of the first: {other}"
        );
        let refused = outage.words(&failed("authorization violation")).unwrap_or_default();
        assert!(refused.contains("was this name revoked"), "{refused}");
        let back = "lab: nats://127.0.0.1:1: the broker is reached";
        assert_eq!(outage.words(&Event::Connected).as_deref(), Some(back));
        assert_eq!(outage.words(&Event::Connected), None);
        assert!(outage.words(&failed("IO error")).is_some(), "the next outage");
    }
}
