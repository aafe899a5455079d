//! Two workers of one name: what both sides say of sessions, in headers, so that those who know nothing of them are heard as before.

use std::sync::Arc;

use async_nats::{HeaderMap, Message};

use crate::JobId;
use crate::core::{Admission, Answer, Ask, Name, Session, Stage};
use crate::server::Server;
use crate::worker::Machine;
use crate::{message, versions};

/// The header of what workers ask: how they stand with their name, and their sessions, the last one first. Of answers: for which
/// session they are.
const SESSION: &str = "Rookery-Session";
/// The header of an answer that is about the name itself.
const NAME: &str = "Rookery-Name";
const TAKEN: &str = "taken";
const GIVEN: &str = "given";
/// The longest session, and how many earlier ones a worker says.
const MAX_SESSION: usize = 32;
pub(crate) const MOST_BEFORE: usize = 4;

fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Waits => "waits",
        Stage::Works => "works",
        Stage::Ended => "ended",
    }
}

/// The headers of what a worker of this session says that plays by these rules.
pub(crate) fn headers(rules: &str, session: &Session) -> HeaderMap {
    let mut headers = versions::headers(rules);
    let mut text = word(session.stage).to_owned();
    for session in std::iter::once(&session.own).chain(&session.before) {
        text.push(' ');
        text.push_str(session);
    }
    headers.insert(SESSION, text);
    headers
}

/// The session of whoever sent this; none if it does not say, or nothing that can be meant.
pub(crate) fn session_of(message: &Message) -> Option<Session> {
    let text = message.headers.as_ref()?.get(SESSION)?.as_str();
    let mut words = text.split(' ').take(MOST_BEFORE + 2);
    let first = words.next()?;
    let stage = [Stage::Waits, Stage::Works, Stage::Ended].into_iter().find(|stage| word(*stage) == first)?;
    let session = |text: &str| {
        let fits = (1..=MAX_SESSION).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        fits.then(|| Arc::from(text))
    };
    let mut sessions = words.map(session).collect::<Option<Vec<Arc<str>>>>()?;
    if sessions.is_empty() {
        return None;
    }
    Some(Session { own: sessions.remove(0), before: sessions, stage })
}

/// The headers of an answer to this session.
pub(crate) fn addressed(session: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(SESSION, session);
    headers
}

impl Server {
    /// What a worker may say under its name: all of it if the name is its own, and else only what is about games that it holds.
    pub(crate) async fn under_its_name(
        &mut self,
        worker: &Name,
        session: &Session,
        mut asks: Vec<Ask<JobId>>,
    ) -> Vec<Ask<JobId>> {
        let said = match self.core.admit(worker, session, self.now()) {
            Admission::Known => return asks,
            Admission::New => {
                self.others.has_its_name(worker, &session.own);
                GIVEN
            }
            Admission::Refused => {
                let slots = asks.iter().find_map(|ask| match ask {
                    Ask::Hello { slots } => Some(*slots),
                    _ => None,
                });
                if let Some(slots) = slots
                    && self.heard_twin(worker, &session.own, slots)
                {
                    tracing::warn!(%worker, "a second worker of this name is given nothing: each needs a --name of its own");
                }
                asks.retain(|ask| matches!(ask, Ask::Beat { .. } | Ask::Release(_) | Ask::Fail { .. }));
                TAKEN
            }
        };
        let mut headers = addressed(&session.own);
        headers.insert(NAME, said);
        self.send_with(self.subjects().tell(worker), headers, message::write::<[Answer<JobId>]>(&[])).await;
        asks
    }
}

impl Machine {
    /// What an answer says of our name. Whether what is in it is for us at all.
    pub(crate) fn heard_of_name(&mut self, message: &Message) -> bool {
        let header = |name: &str| Some(message.headers.as_ref()?.get(name)?.as_str());
        let for_us = self.standing.is_for_us(header(SESSION));
        let name = &self.config.name;
        match header(NAME).filter(|_| for_us) {
            Some(TAKEN) if self.standing.refused(self.now()) => {
                tracing::warn!(
                    "another worker called {name} plays already, so this one is given no game: each worker needs a --name of its \
                     own. It is tried again"
                );
            }
            Some(GIVEN) => {
                if self.standing.admitted() {
                    tracing::warn!("the name {name} is free now: this worker takes games");
                }
                // Whoever else coordinates here should hear it from us before anybody of the same name greets.
                self.greet_soon();
            }
            _ => {}
        }
        self.core.hold_back(!self.standing.may_play());
        for_us
    }

    /// Has a look at the name: whether it is time to go on without an answer.
    pub(crate) fn keep_name(&mut self, connected: bool) {
        self.standing.tick(connected, self.now());
        self.core.hold_back(!self.standing.may_play());
    }

    /// Says that the name is needed no more.
    pub(crate) async fn give_name_back(&self) {
        let session = Session { stage: Stage::Ended, ..self.standing.session() };
        let headers = headers(&self.config.rules, &session);
        self.publish_asks(headers, &[]).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Session> {
        session_of(&Message {
            subject: "rookery".into(),
            reply: None,
            payload: vec![].into(),
            headers: Some(addressed(text)),
            status: None,
            description: None,
            length: 0,
        })
    }

    #[test]
    fn a_session_is_read_as_it_is_written_and_within_bounds() {
        let before = vec![Arc::from("b1"), Arc::from("c2")];
        for stage in [Stage::Waits, Stage::Works, Stage::Ended] {
            let session = Session { own: Arc::from("a0"), before: before.clone(), stage };
            let written = headers("0.1.0", &session);
            let text = written.get(SESSION).map(|text| text.as_str().to_owned()).unwrap_or_default();
            assert_eq!(read(&text), Some(session), "{text}");
        }
        let many = format!("works{}", " a".repeat(1000));
        assert_eq!(read(&many).map(|session| session.before.len()), Some(MOST_BEFORE));
        let long = format!("works {}", "a".repeat(MAX_SESSION + 1));
        for wrong in ["", "works", "works ", "plays a", "works a.b", "works a  b", &long] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
