//! The loop that gives the referee players and time.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rookery_rules::{Position, Seat, Seats, Seed};
use tokio::time::Instant;

use crate::chat::Chat;
use crate::waiting::{Asked, Listened, Turn, guarded, late, listen, panicked, wait};
use crate::{
    Answering, Cause, Charge, Clock, Event, EventOf, Failure, Fault, LagProbe, Observer, Offence, Player,
    Question, Referee, TimeControl, Verdict,
};

/// The terms of a match: time, its tolerances, and the seed.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The clocks at the start; full ones, or what is left of them when a match goes on.
    pub clock: Option<Clock>,
    /// How much time the players have.
    pub control: TimeControl,
    /// The time to get ready before the first move, and to take note of anything that is told later.
    pub startup: Duration,
    /// How much longer than its time an answer may take before it counts as late: jitter that is ours. The players are
    /// not told.
    pub margin: Duration,
    /// The most time an answer may take when there is no time control: nothing is waited for without a limit.
    pub answer_cap: Duration,
    /// How late our own loop runs; deadlines move by that much.
    pub lag: LagProbe,
    /// The most that a deadline moves; beyond it the match is stopped, as our failure.
    pub lag_cap: Duration,
    /// Where all randomness of the match comes from.
    pub seed: Seed,
}

impl Terms {
    /// A time control with the usual tolerances.
    pub fn new(control: TimeControl, seed: Seed) -> Self {
        Self {
            clock: None,
            control,
            startup: Duration::from_secs(10),
            margin: Duration::from_millis(100),
            answer_cap: Duration::from_mins(10),
            lag: LagProbe::default(),
            lag_cap: Duration::from_secs(2),
            seed,
        }
    }

    /// No time control.
    pub fn untimed(seed: Seed) -> Self {
        Self::new(TimeControl::Untimed, seed)
    }
}

/// Plays a match to its end.
///
/// Whatever the players do, there is a verdict: misconduct is ruled by the referee's conduct, a panic of a player or
/// an observer that lives in this process is caught.
///
/// # Panics
/// If there is not one player for each seat.
pub async fn play<P: Position>(
    referee: Referee<P>,
    players: &mut [Box<dyn Player<P> + '_>],
    terms: &Terms,
    observer: &mut (dyn Observer<P> + Send),
) -> Verdict {
    let n_seats = referee.position().n_seats();
    assert_eq!(players.len(), n_seats, "there is one player for each seat");
    let built_in: Seats = Seat::all(n_seats).filter(|seat| players[seat.index()].is_built_in()).collect();
    let clock = terms.clock.clone().unwrap_or_else(|| Clock::new(terms.control, n_seats));
    let mut table = Table {
        referee: referee.with_built_in(built_in),
        players,
        terms,
        observer: Some(observer),
        clock,
        chat: Chat::new(),
        deaf: Seats::NONE,
        ended: false,
    };
    table.run().await
}

struct Table<'a, 'p, P: Position> {
    referee: Referee<P>,
    players: &'a mut [Box<dyn Player<P> + 'p>],
    terms: &'a Terms,
    /// Gone once it has panicked.
    observer: Option<&'a mut (dyn Observer<P> + Send)>,
    clock: Clock,
    chat: Chat,
    /// Who failed to take note of something. Such a player is told nothing more, so it costs waiting only once.
    deaf: Seats,
    /// Whether the end is announced, after which nothing comes.
    ended: bool,
}

impl<P: Position> Table<'_, '_, P> {
    async fn run(&mut self) -> Verdict {
        for seat in Seat::all(self.players.len()) {
            let chat = self.chat.box_of(seat);
            let player = &mut self.players[seat.index()];
            if guarded(|| player.seated(seat, chat)).is_err() {
                self.stop(panicked(seat));
            }
        }
        let started = Event::Started(self.referee.position().clone());
        self.announce(started).await;
        let mut turn: Option<Turn> = None;
        while let Some(seat) = self.referee.to_ask() {
            // A question goes on while its answers are refused, or while others offend.
            let current = turn.take().filter(|turn| turn.seat == seat).unwrap_or_else(|| self.new_turn(seat));
            turn = self.one_question(current).await;
        }
        let verdict = self.referee.verdict().expect("nobody is asked, so there is a verdict").clone();
        self.ended = true;
        self.announce(Event::Ended(verdict.clone())).await;
        verdict
    }

    fn new_turn(&self, seat: Seat) -> Turn {
        let extra = || self.players[seat.index()].extra_time(self.referee.position());
        let allowance = self.clock.allowance(seat).map(|time| time + guarded(extra).unwrap_or_default());
        Turn::new(seat, allowance, &self.terms.lag)
    }

    /// Asks once and judges what comes of it. Gives back the turn if the question is still open.
    async fn one_question(&mut self, mut turn: Turn) -> Option<Turn> {
        match self.ask(&mut turn).await {
            Asked::Foul(offender, fault) => {
                let pause = turn.pause(&self.terms.lag);
                self.foul(offender, fault).await;
                turn.resume(pause, &self.terms.lag);
                Some(turn)
            }
            Asked::Answer(answer, fouls) if fouls.is_empty() => self.judge(turn, answer).await,
            Asked::Answer(answer, fouls) => {
                let is_legal = |position: &P| matches!(answer, Ok(mv) if position.is_legal(mv));
                let was_legal = is_legal(self.referee.position());
                let pause = turn.pause(&self.terms.lag);
                for (offender, fault) in fouls {
                    self.foul(offender, fault).await;
                }
                turn.resume(pause, &self.terms.lag);
                if self.referee.to_ask() != Some(turn.seat) {
                    return None;
                }
                // A move that only the removal of another made illegal is no offence: the question is put anew.
                let spoilt = was_legal && !is_legal(self.referee.position());
                if spoilt { Some(turn) } else { self.judge(turn, answer).await }
            }
        }
    }

    async fn judge(&mut self, mut turn: Turn, answer: Result<P::Move, Failure>) -> Option<Turn> {
        let charge = self.charge(&turn, &answer);
        let event = self.referee.judge(answer, charge)?;
        let Event::Fouled(foul) = &event else {
            self.announce(event).await;
            return None;
        };
        turn.reason = Some(foul.detail.clone());
        // Others may be slow to take note of the refusal; that time is not the player's.
        let pause = turn.pause(&self.terms.lag);
        self.announce(event).await;
        turn.resume(pause, &self.terms.lag);
        Some(turn)
    }

    async fn foul(&mut self, seat: Seat, fault: Fault) {
        if let Some(event) = self.referee.foul(seat, fault) {
            self.announce(event).await;
        }
    }

    /// What the answer that just came costs. Only a legal move changes the clock: else the question may be asked
    /// again, and its time is counted from the beginning.
    fn charge(&mut self, turn: &Turn, answer: &Result<P::Move, Failure>) -> Option<Charge> {
        turn.allowance?;
        let used = turn.used(&self.terms.lag)?;
        let moved = matches!(*answer, Ok(mv) if self.referee.position().is_legal(mv));
        if moved { self.clock.charge(turn.seat, used, true) } else { self.clock.preview(turn.seat, used) }
    }

    async fn ask(&mut self, turn: &mut Turn) -> Asked<P::Move> {
        if let Some(asked) = self.spoke_too_early() {
            return asked;
        }
        let seat = turn.seat;
        let used = turn.used(&self.terms.lag);
        let question = Question {
            position: self.referee.position(),
            seat,
            ply: self.referee.plies(),
            refused: self.referee.refused(),
            reason: turn.reason.as_deref(),
            clock: &self.clock,
            time: turn.allowance.map(|allowance| allowance.saturating_sub(used.unwrap_or_default())),
            seed: self.terms.seed.derive(seat.index() as u64).derive(self.referee.plies()),
        };
        let (before, rest) = self.players.split_at_mut(seat.index());
        let (player, after) = rest.split_first_mut().expect("there is a player for each seat");
        let Ok(answering) = guarded(|| player.choose(question)) else {
            return Asked::Answer(Err(panicked(seat)), vec![]);
        };
        match answering {
            Answering::Now(answer) => {
                let limit = turn.allowance.map(|allowance| allowance + self.terms.margin);
                match (turn.used(&self.terms.lag), limit) {
                    (Some(used), Some(limit)) if used > limit => {
                        Asked::Answer(Err(late(used, turn.allowance)), vec![])
                    }
                    _ => Asked::Answer(answer, vec![]),
                }
            }
            Answering::Later(answer) => {
                // The cap is the question's, not the attempt's.
                turn.start.get_or_insert_with(Instant::now);
                wait(answer, before, after, turn, &self.referee, self.terms).await
            }
        }
    }

    /// Whoever has spoken although nobody is asked now. What was sent before a question is never its answer.
    fn spoke_too_early(&mut self) -> Option<Asked<P::Move>> {
        let out = self.referee.out();
        let mut cx = Context::from_waker(Waker::noop());
        for (seat, player) in Seat::all(self.players.len()).zip(self.players.iter_mut()) {
            if out.contains(seat) {
                continue;
            }
            match guarded(|| player.poll_foul(&mut cx)) {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(fault)) => return Some(Asked::Foul(seat, fault)),
                Err(()) => return Some(Asked::Answer(Err(panicked(seat)), vec![])),
            }
        }
        None
    }

    /// Tells everybody what happened, then whatever came of telling it.
    async fn announce(&mut self, event: EventOf<P>) {
        let mut fouls = self.tell(&event).await;
        // Each seat fails to take note at most once and says only so much, so this ends.
        loop {
            if !fouls.is_empty() {
                let (seat, fault) = fouls.remove(0);
                if let Some(event) = self.referee.foul(seat, fault) {
                    fouls.extend(self.tell(&event).await);
                }
            } else if let Some((seat, text)) = self.chat.next()
                && !self.ended
            {
                fouls.extend(self.tell(&Event::Said { seat, text }).await);
            } else {
                break;
            }
        }
    }

    /// Tells the observer and then every player, in turn order; those who need time take it together. Who does not
    /// take note in time offends.
    async fn tell(&mut self, event: &EventOf<P>) -> Vec<(Seat, Fault)> {
        let position = self.referee.position();
        if let Some(observer) = &mut self.observer
            && guarded(|| observer.see(event, position)).is_err()
        {
            self.observer = None;
        }
        let mut fouls = Vec::new();
        let mut hearings = Vec::new();
        let mut failure = None;
        for (seat, player) in Seat::all(self.players.len()).zip(self.players.iter_mut()) {
            if self.deaf.contains(seat) {
                continue;
            }
            match guarded(|| player.hear(event, position)) {
                Ok(None) => {}
                Ok(Some(hearing)) => hearings.push((seat, hearing)),
                Err(()) => {
                    self.deaf.put_in(seat);
                    failure = Some(panicked(seat));
                }
            }
        }
        if hearings.is_empty() && failure.is_none() {
            return fouls;
        }
        for (seat, listened) in listen(hearings, self.terms).await {
            self.deaf.put_in(seat);
            match listened {
                Listened::Fault(fault) => fouls.push((seat, fault)),
                Listened::Panicked => failure = Some(panicked(seat)),
                Listened::Stalled(stall) => failure = Some(stall),
                Listened::NotInTime => fouls
                    .push((seat, Fault::new(Offence::Timeout, "it did not take note of what it was told"))),
            }
        }
        if let Some(failure) = failure {
            self.stop(failure);
        }
        fouls
    }

    fn stop(&mut self, failure: Failure) {
        if let Failure::Platform(sentence) = failure {
            self.referee.stop(Cause::PlatformAbort, sentence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers play many matches in one runtime.
    #[test]
    fn a_match_can_move_between_threads() {
        fn is_send<T: Send>(_: T) {}
        fn check<P: Position>(referee: Referee<P>, terms: &Terms) {
            let mut players: [Box<dyn Player<P>>; 0] = [];
            is_send(play(referee, &mut players, terms, &mut ()));
        }
        let _ = check::<rookery_games::hexapawn::Position>;
    }
}
