//! Who has gone away in the middle of a match, and what the others may do about it: where a clock runs, that decides; else
//! they wait for a while, and may end the match then.

use std::time::{Duration, Instant};

use rookery_live::Snapshot;
use rookery_referee::{Command, SeatSpec, TimeControl};
use rookery_rules::Seat;

use super::{Hold, Stage, State, Table};
use crate::data::NewsData;

/// How long whoever went away is waited for before the others may end the match.
const GRACE: Duration = Duration::from_mins(1);
/// The same for whoever plays without script: longer than a page stays without being loaded again by itself.
const PLAIN_GRACE: Duration = Duration::from_mins(10);

/// For how long a seat is still waited for; nothing if somebody is there, or the clock decides.
fn patience(hold: &Hold, now: Instant) -> Option<Duration> {
    let grace = if hold.plain { PLAIN_GRACE } else { GRACE };
    hold.away.map(|since| grace.saturating_sub(now.saturating_duration_since(since)))
}

impl State {
    /// The same for all seats, in milliseconds.
    pub(super) fn back_ms(&self, snapshot: &Snapshot, is_cup: bool) -> Vec<Option<u64>> {
        let is_decided = is_cup
            || snapshot.verdict.is_some()
            || matches!(self.stage, Stage::Live(_)) && !matches!(snapshot.spec.time, TimeControl::Untimed);
        let millis = |left: Duration| u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let now = Instant::now();
        self.seats.iter().map(|hold| patience(hold, now).filter(|_| !is_decided).map(millis)).collect()
    }
}

impl Table {
    /// Somebody comes to look, or goes.
    pub(in crate::hub) fn presence(&self, seat: Option<Seat>, comes: bool) {
        // First what happened before.
        self.tell();
        let mut state = self.state();
        let Some(seat) = seat else {
            state.viewers = if comes { state.viewers + 1 } else { state.viewers.saturating_sub(1) };
            return;
        };
        let Some(hold) = state.seats.get_mut(seat.index()) else { return };
        let before = hold.windows > 0;
        hold.windows = if comes { hold.windows + 1 } else { hold.windows.saturating_sub(1) };
        let online = hold.windows > 0;
        if before != online {
            hold.plain = false;
            hold.away = (!online).then(Instant::now);
        }
        let snapshot = state.snapshot();
        if before != online && snapshot.verdict.is_none() {
            let back_ms = state.back_ms(&snapshot, self.cup.is_some())[seat.index()];
            let news = vec![NewsData::Presence { seat: seat.index(), online, back_ms }];
            self.push(&mut state, news, None, &snapshot);
        }
    }

    /// Somebody has just acted, or loaded the page. Whoever plays by the plain form has no window, and is waited for anew
    /// from here on. A page with script opens its window at once, and then that decides.
    pub(crate) fn heard_of(&self, seat: Seat) {
        match self.state().seats.get_mut(seat.index()) {
            Some(hold) if hold.windows == 0 => {
                hold.away = Some(Instant::now());
                hold.plain = true;
            }
            _ => return,
        }
        // First what happened before.
        self.tell();
        let mut state = self.state();
        let snapshot = state.snapshot();
        let back_ms = state.back_ms(&snapshot, self.cup.is_some())[seat.index()];
        if back_ms.is_some() {
            // Pages count down by themselves from what they were told last.
            let news = vec![NewsData::Presence { seat: seat.index(), online: false, back_ms }];
            self.push(&mut state, news, None, &snapshot);
        }
    }

    /// A player who is there ends a match that cannot go on because another has gone away.
    pub(crate) fn end_for(&self, seat: Seat) -> Result<(), String> {
        let (snapshot, back, is_paused) = {
            let state = self.state();
            let snapshot = state.snapshot();
            let back = state.back_ms(&snapshot, self.cup.is_some());
            (snapshot, back, matches!(state.stage, Stage::Paused(_)))
        };
        // Whoever else may be away keeps nobody waiting: a paused match goes on without its people.
        let awaited = |idx: usize| {
            if is_paused {
                matches!(snapshot.spec.seats[idx].player, SeatSpec::Remote(_))
            } else {
                snapshot.asked.is_some_and(|asked| asked.seat.index() == idx)
            }
        };
        let mut away = back.iter().enumerate().filter(|(idx, _)| *idx != seat.index() && awaited(*idx));
        let Some((idx, left)) = away.find_map(|(idx, left)| Some((idx, (*left)?))) else {
            return Err("nobody is waited for who has gone away; play on, or resign".to_owned());
        };
        let name = &snapshot.spec.seats[idx].name;
        if left > 0 {
            let seconds = left.div_ceil(1000);
            return Err(format!("{name} has {seconds} s to come back; wait until then"));
        }
        if is_paused {
            self.give_up_bots();
            return Ok(());
        }
        let live = self.match_().ok_or_else(|| "the match has not begun".to_owned())?;
        let why = format!("{name} went away and did not come back");
        live.command(None, &Command::Cancel(why)).map_err(|refusal| refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rookery_live::{Guest, prepare};
    use rookery_referee::MatchSpec;
    use rookery_store::GameId;
    use rookery_wire::Protocols;

    use super::*;
    use crate::accounts::Owner;

    fn table(time: &str) -> Table {
        let spec = serde_json::json!({
            "game": "hexapawn", "time": time, "seed": "7", "conduct": "remove",
            "seats": [
                {"player": "human", "name": "ann", "label": "white"},
                {"player": "human", "name": "bob", "label": "black"},
            ],
        });
        let spec: MatchSpec = serde_json::from_value(spec).expect("it is a spec");
        let guests = vec![Guest::Person, Guest::Person];
        let ready = prepare(spec, guests, &Protocols::default(), None).expect("it can begin");
        let seats = (1..3).map(|n| Hold::new(Some(Owner::Guest(n)), None)).collect();
        Table::live(GameId::random(), Owner::Guest(1), 1, ready.start(), seats)
    }

    /// Waits until a seat is asked, and lets it have been away for so long.
    async fn away(table: &Table, for_long: Duration) {
        while table.snapshot().asked.is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let since = Instant::now().checked_sub(for_long).expect("the clock runs for longer");
        table.state().seats[0].away = Some(since);
    }

    #[tokio::test]
    async fn who_stays_may_end_a_match_without_clocks_after_the_grace() {
        let table = table("untimed");
        let [ann, bob] = [0, 1].map(|idx| Seat::all(2).nth(idx).expect("there are two"));
        away(&table, Duration::from_secs(10)).await;
        let early = table.end_for(bob).expect_err("too early");
        assert!(early.contains("ann has 50 s") || early.contains("ann has 49 s"), "{early}");
        away(&table, GRACE).await;
        let other = table.end_for(ann).expect_err("it is her own turn");
        assert!(other.contains("nobody is waited for"), "{other}");
        table.end_for(bob).expect("nobody came back");
        let live = table.match_().expect("it has begun");
        let verdict = loop {
            if let Some(verdict) = live.snapshot().verdict.clone() {
                break verdict;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert!(verdict.outcome.is_none(), "nobody has won: {verdict:?}");
        let sentence = table.spec().sentence(&verdict);
        assert!(sentence.contains("ann went away"), "{sentence}");
    }

    #[tokio::test]
    async fn who_plays_without_a_window_is_waited_for_from_the_last_act_on() {
        let table = table("untimed");
        let [ann, bob] = [0, 1].map(|idx| Seat::all(2).nth(idx).expect("there are two"));
        away(&table, GRACE).await;
        table.command(ann, &Command::OfferDraw).expect("bob is a person");
        let early = table.end_for(bob).expect_err("she has just acted");
        assert!(early.contains("ann has "), "{early}");
        away(&table, PLAIN_GRACE.saturating_sub(Duration::from_secs(5))).await;
        let early = table.end_for(bob).expect_err("she may sit before her page and think");
        assert!(early.contains("ann has "), "{early}");
        away(&table, PLAIN_GRACE).await;
        table.end_for(bob).expect("her page would have been loaded again");
    }

    #[tokio::test]
    async fn a_window_that_closes_is_no_plain_page() {
        let table = Arc::new(table("untimed"));
        let [ann, bob] = [0, 1].map(|idx| Seat::all(2).nth(idx).expect("there are two"));
        table.heard_of(ann);
        drop(table.open_window(Some(ann)));
        away(&table, GRACE).await;
        table.end_for(bob).expect("she had a window and closed it");
    }

    #[test]
    fn a_paused_match_waits_for_its_bots_alone() {
        let spec = serde_json::json!({
            "game": "fish:players=3", "time": "untimed", "seed": "7", "conduct": "remove",
            "seats": [
                {"player": "human", "name": "ann", "label": "red"},
                {"player": "human", "name": "bob", "label": "white"},
                {"player": "remote:mine", "name": "mine", "label": "brown"},
            ],
        });
        let spec: MatchSpec = serde_json::from_value(spec).expect("it is a spec");
        let snapshot = crate::hub::before(&spec).expect("it can begin");
        let owners = [Some(Owner::Guest(1)), Some(Owner::Guest(2)), None];
        let seats = owners.map(|owner| Hold::new(owner, None)).into();
        let table = Table::paused(GameId::random(), Owner::Guest(1), 1, snapshot, seats, String::new());
        let bob = Seat::all(3).nth(1).expect("there are three");
        let long_ago = Instant::now().checked_sub(GRACE);
        table.state().seats[0].away = long_ago;
        let early = table.end_for(bob).expect_err("ann is away, but not waited for");
        assert!(early.contains("mine has"), "{early}");
        table.state().seats[2].away = long_ago;
        table.end_for(bob).expect("the bot did not come back");
    }

    #[tokio::test]
    async fn where_a_clock_runs_that_decides() {
        let table = table("5m+3s");
        away(&table, GRACE).await;
        let bob = Seat::all(2).nth(1).expect("there are two");
        let why = table.end_for(bob).expect_err("the clock runs");
        assert!(why.contains("nobody is waited for"), "{why}");
    }
}
