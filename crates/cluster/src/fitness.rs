//! What a worker can play now, and what it says of itself.

use std::time::Instant;

use async_nats::Message;
use rookery_referee::TimeControl;

use crate::by_clock::is_by_clock;
use crate::core::About;
use crate::message::Notification;
use crate::scale::factor;
use crate::worker::{HELLO, Machine};

/// How often a notification comes round to workers that cannot play its game.
const MOST_ROUNDS: u64 = 30;

impl Machine {
    /// Why a game is left to others, if it is.
    pub(crate) fn unfit_for(&self, notification: &Notification) -> Option<String> {
        let busy = || self.watch.overload(self.core.playing()).filter(|_| !self.config.clocks_when_busy);
        self.bots.refusal(notification).or_else(|| unfair_clock(notification, self.config.speed, busy))
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
        let (idle, speed) = (idle.map(|(_, why)| why.clone()), self.config.speed);
        About { idle, speed, steal, spooled, draining: self.core.is_draining() }
    }
}

/// Why a game that is by the clock would not be fair on a machine of this speed, if it would not; `busy` says why not now. Only
/// clocks are scaled by the speed of a machine.
fn unfair_clock(
    notification: &Notification,
    speed: Option<u32>,
    busy: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if !is_by_clock(&notification.spec) {
        return None;
    }
    if notification.spec.time != TimeControl::Untimed
        && let Some(reference) = notification.reference
        && speed.and_then(|speed| factor(reference, speed)).is_none()
    {
        let speed = speed.map_or("unknown".to_owned(), |speed| speed.to_string());
        return Some(format!(
            "its speed is {speed}, too far from the {reference} that clocks are scaled to (a quarter to four times)"
        ));
    }
    busy()
}

/// How often a notification was delivered, as its address for acknowledgements says: in the fifth word, or in the seventh where a broker has
/// domains.
fn deliveries(reply: &str) -> Option<u64> {
    let words: Vec<&str> = reply.split('.').collect();
    words.get(if words.len() > 9 { 6 } else { 4 })?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::time::Duration;

    use rookery_referee::MatchSpec;
    use rookery_rules::Seed;
    use rookery_store::TournamentId;

    use super::*;
    use crate::JobId;
    use crate::machine::Condition;

    fn notification(time: &str, reference: Option<u32>) -> Notification {
        let spec = MatchSpec::new("hexapawn", ["easy", "easy"], Seed(1)).unwrap();
        let spec = MatchSpec { time: time.parse().unwrap(), ..spec };
        let key = JobId { tournament: TournamentId::random(), pairing: 0, again: false };
        Notification { key, attempt: 1, spec, until_proved: false, bots: None, reference }
    }

    #[test]
    fn a_machine_that_others_use_leaves_games_with_clocks_to_others_and_plays_the_rest() {
        let busy = || Condition { load: Some(9.0), steal: Some(0.0) }.overload(2, 1);
        let quiet = || Condition { load: Some(1.0), steal: Some(0.01) }.overload(2, 1);
        let timed = notification("10s", None);
        let why = unfair_clock(&timed, Some(1000), busy).unwrap();
        assert!(why.contains("9.0 tasks want to run on 2 cores"), "{why}");
        assert_eq!(unfair_clock(&timed, Some(1000), quiet), None);
        assert_eq!(
            unfair_clock(&timed, None, quiet),
            None,
            "where clocks are not scaled no speed is asked for"
        );
        assert_eq!(
            unfair_clock(&notification("untimed", None), None, busy),
            None,
            "nobody's time is at stake"
        );
    }

    #[test]
    fn who_thinks_by_the_clock_without_having_one_wants_a_quiet_machine_too_and_is_not_scaled() {
        let busy = || Some("others use it".to_owned());
        let mut thinks = notification("untimed", Some(1000));
        thinks.spec.limits.think = Some(Duration::from_millis(100));
        let mut stops = notification("untimed", Some(1000));
        stops.spec = MatchSpec::new("hexapawn", ["alphabeta:time=200ms", "easy"], Seed(1)).unwrap();
        for notification in [thinks, stops] {
            assert_eq!(unfair_clock(&notification, Some(100), || None), None, "only clocks are scaled");
            assert_eq!(unfair_clock(&notification, Some(1000), busy), busy());
        }
    }

    #[test]
    fn a_machine_of_unknown_speed_leaves_games_with_scaled_clocks_to_others() {
        let quiet = || None;
        let scaled = notification("10s", Some(1000));
        assert_eq!(unfair_clock(&scaled, Some(500), quiet), None);
        assert!(unfair_clock(&scaled, Some(100), quiet).unwrap().contains("its speed is 100, too far from"));
        assert!(unfair_clock(&scaled, None, quiet).unwrap().contains("its speed is unknown"));
    }
}
