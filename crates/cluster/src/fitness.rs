//! What a worker can play now, and what it says of itself.

use std::time::Instant;

use async_nats::Message;
use rookery_referee::TimeControl;

use crate::core::About;
use crate::message::Notification;
use crate::scale::factor;
use crate::worker::{HELLO, Machine};

/// How often a notification comes round to workers that cannot play its game.
const MOST_ROUNDS: u64 = 30;

impl Machine {
    /// Why a game is left to others, if it is.
    pub(crate) fn unfit_for(&self, notification: &Notification) -> Option<String> {
        self.bots.refusal(notification).or_else(|| self.unfair_clock(notification))
    }

    /// Why a game with a clock would not be fair here, if it would not.
    fn unfair_clock(&self, notification: &Notification) -> Option<String> {
        if notification.spec.time == TimeControl::Untimed {
            return None;
        }
        if let Some(reference) = notification.reference
            && self.config.speed.and_then(|speed| factor(reference, speed)).is_none()
        {
            let speed = self.config.speed.map_or("unknown".to_owned(), |speed| speed.to_string());
            return Some(format!(
                "its speed is {speed}, too far from the {reference} that clocks are scaled to (a quarter to four times)"
            ));
        }
        let busy = || self.watch.overload(self.core.playing());
        if self.config.clocks_when_busy { None } else { busy() }
    }

    /// Leaves a game to others. It comes round again, but not for ever: the coordinator sends it again by itself.
    pub(crate) async fn pass_on(&mut self, message: &Message, why: String) {
        self.unable = Some((Instant::now(), why));
        let tries = message.reply.as_ref().and_then(|reply| deliveries(reply)).unwrap_or(1);
        self.acknowledge(message, if tries < MOST_ROUNDS { "-NAK {\"delay\":1000000000}" } else { "+TERM" })
            .await;
    }

    /// What operators are told.
    pub(crate) fn about(&self) -> About {
        let idle = self.unable.as_ref().filter(|(at, _)| at.elapsed() < 3 * HELLO);
        let steal = self.watch.condition().steal.map(|steal| (1000.0 * steal) as u32);
        let spooled = self.core.undelivered() as u64;
        About { idle: idle.map(|(_, why)| why.clone()), speed: self.config.speed, steal, spooled }
    }
}

/// How often a notification was delivered, as its address for acknowledgements says: in the fifth word, or in the seventh where a broker has
/// domains.
fn deliveries(reply: &str) -> Option<u64> {
    let words: Vec<&str> = reply.split('.').collect();
    words.get(if words.len() > 9 { 6 } else { 4 })?.parse().ok()
}
