//! A worker that asks for notifications, and the broker has nobody who would keep any for it.

use std::time::{Duration, Instant};

use async_nats::{Message, StatusCode};

use crate::worker::Machine;

/// How long it may be so before it is told: a coordinator may be about to begin.
const PATIENCE: Duration = Duration::from_secs(5);

/// Since when it is so, and whether it was told.
#[derive(Default, Debug)]
pub(crate) struct Unheard(Option<(Instant, bool)>);

#[derive(PartialEq, Eq, Debug)]
enum News {
    Unheard,
    Heard,
}

impl Unheard {
    /// The broker has answered; `nobody` if there is nobody who keeps notifications.
    fn answered(&mut self, nobody: bool, patience: Duration) -> Option<News> {
        if !nobody {
            return self.0.take().filter(|(_, told)| *told).map(|_| News::Heard);
        }
        let (since, told) = self.0.get_or_insert((Instant::now(), false));
        let is_news = since.elapsed() >= patience && !*told;
        *told |= is_news;
        is_news.then_some(News::Unheard)
    }
}

impl Machine {
    /// Tells once if no notification can come, and once when they can.
    pub(crate) fn heard_of_notifications(&mut self, message: &Message) {
        self.notifications_were_asked_for(message.status == Some(StatusCode::NO_RESPONDERS));
    }

    /// The broker was asked for notifications, and there is nobody who keeps any: it says so, or nothing at all if it is older.
    pub(crate) fn notifications_were_asked_for(&mut self, nobody: bool) {
        match self.unheard.answered(nobody, PATIENCE) {
            None => {}
            Some(News::Heard) => tracing::warn!("the broker keeps notifications of games now"),
            Some(News::Unheard) if !self.client.server_info().jetstream => {
                tracing::warn!(
                    "the broker has no JetStream, so no game comes: start nats-server with -js. It is asked again"
                );
            }
            Some(News::Unheard) => tracing::warn!(
                "the broker keeps no games for workers of the rules {}: no coordinator of this build was there yet. It is asked again",
                self.config.rules
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_once_when_it_lasts_and_once_when_it_is_over() {
        let mut unheard = Unheard::default();
        assert_eq!(unheard.answered(true, Duration::from_mins(1)), None, "not at once");
        assert_eq!(unheard.answered(false, Duration::ZERO), None, "and it was nothing");
        assert_eq!(unheard.answered(true, Duration::ZERO), Some(News::Unheard));
        assert_eq!(unheard.answered(true, Duration::ZERO), None);
        assert_eq!(unheard.answered(false, Duration::ZERO), Some(News::Heard));
        assert_eq!(unheard.answered(false, Duration::ZERO), None);
    }
}
