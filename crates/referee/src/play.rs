//! The loop that gives the referee players and time.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use rookery_rules::{Position, Seat, Seats};
use tokio::time::Instant;

use crate::chat::Chat;
use crate::controls::Order;
use crate::waiting::{Asked, Listened, Others, Turn, guarded, listen, panicked, wait};
use crate::{
    Answering, Cause, End, Event, EventOf, Evidence, Failure, Fault, Invitation, Kind, Observer, Offence,
    Player, Question, Referee, Session,
};

/// Plays a match to its end, or until it is suspended.
///
/// Whatever the players do, there is a verdict: misconduct is ruled by the referee's conduct, a panic of a player or
/// an observer that lives in this process is caught.
///
/// # Panics
/// If there is not one player for each seat.
pub async fn play<P: Position>(
    referee: Referee<P>,
    players: &mut [Box<dyn Player<P> + '_>],
    session: &Session<'_, P>,
    observer: &mut (dyn Observer<P> + Send),
) -> End {
    let n_seats = referee.position().n_seats();
    assert_eq!(players.len(), n_seats, "there is one player for each seat");
    let is_built_in = |seat: &Seat| players[seat.index()].kind() == Kind::BuiltIn;
    let built_in: Seats = Seat::all(n_seats).filter(is_built_in).collect();
    let mut table = Table {
        referee: referee.with_built_in(built_in),
        players,
        session,
        observer: Some(observer),
        chat: Chat::new(),
        said: VecDeque::new(),
        deaf: Seats::NONE,
        answered: None,
        held: vec![],
        ended: false,
        suspended: false,
    };
    table.run().await
}

struct Table<'a, 'p, P: Position> {
    referee: Referee<P>,
    players: &'a mut [Box<dyn Player<P> + 'p>],
    session: &'a Session<'a, P>,
    /// Gone once it has panicked.
    observer: Option<&'a mut (dyn Observer<P> + Send)>,
    chat: Chat,
    /// What the observer has seen said, and the players were not told yet: they are before the next answer is judged.
    said: VecDeque<(Seat, String)>,
    /// Who failed to take note of something. Such a player is told nothing more, so it costs waiting only once.
    deaf: Seats,
    /// Whose answer waits to be judged, and that it did not take note of something meanwhile: its answer comes first.
    answered: Option<Seat>,
    held: Vec<(Seat, Fault)>,
    /// Whether the end is announced, after which nothing comes.
    ended: bool,
    suspended: bool,
}

impl<P: Position> Table<'_, '_, P> {
    async fn run(&mut self) -> End {
        self.seat_all();
        let started = Event::Started(Box::new(self.referee.position().clone()));
        self.announce(started).await;
        let mut turn: Option<Turn> = None;
        while let Some(seat) = self.referee.to_ask() {
            if self.suspended {
                return End::Suspended;
            }
            // A question goes on while its answers are refused, or while others offend.
            let current = match &mut turn {
                Some(turn) if turn.seat == seat && turn.ply == self.referee.plies() => turn,
                turn => turn.insert(self.new_turn(seat)),
            };
            if self.session.controls.is_pending() {
                self.rest(current, Others::default()).await;
            } else if !self.one_question(current).await {
                turn = None;
            }
        }
        // What the observer has seen said the players hear before the end.
        self.settle(vec![]).await;
        let verdict = self.referee.verdict().expect("nobody is asked, so there is a verdict").clone();
        self.ended = true;
        self.announce(Event::Ended(Box::new(verdict.clone()))).await;
        End::Verdict(verdict)
    }

    fn seat_all(&mut self) {
        // Moves alone do not lead to where somebody was taken out of the game.
        let is_whole = self.referee.removed().is_empty();
        let start = self.session.start.filter(|_| is_whole);
        let moves = if is_whole { self.session.moves } else { &[] };
        for seat in Seat::all(self.players.len()) {
            let invitation = Invitation {
                seat,
                spec: self.session.spec,
                moves,
                start: start.unwrap_or_else(|| self.referee.position()),
                chat: self.chat.box_of(seat),
                stop: self.session.controls.stop(),
            };
            let player = &mut self.players[seat.index()];
            if guarded(|| player.seated(&invitation)).is_err() {
                self.stop(panicked(seat));
            }
        }
    }

    fn new_turn(&self, seat: Seat) -> Turn {
        let extra = || self.players[seat.index()].extra_time(self.referee.position());
        let allowance = self.referee.clock().allowance(seat);
        let allowance = allowance.map(|time| time + guarded(extra).unwrap_or_default());
        Turn::new(seat, self.referee.plies(), allowance, &self.session.terms.lag)
    }

    /// Asks once and judges what comes of it. Says whether the question is still open.
    async fn one_question(&mut self, turn: &mut Turn) -> bool {
        match self.ask(turn).await {
            Asked::Interrupted(others) => {
                self.rest(turn, others).await;
                true
            }
            // Our own failure ends the match, before anybody is blamed for what came of it.
            Asked::Answer(answer @ Err(Failure::Platform(_)), _) => self.judge(turn, answer).await,
            Asked::Answer(answer, others) if others.is_empty() && self.is_quiet() => {
                self.judge(turn, answer).await
            }
            Asked::Answer(answer, others) => self.judge_after(turn, answer, others).await,
        }
    }

    /// The question rests while others offend or orders are carried out; afterwards it may be void.
    async fn rest(&mut self, turn: &mut Turn, others: Others) {
        let pause = turn.pause(&self.session.terms.lag);
        self.carry_out(others).await;
        turn.resume(pause, &self.session.terms.lag);
    }

    /// Judges offences, and does what orders say, also those that have come meanwhile.
    async fn carry_out(&mut self, others: Others) {
        for (offender, fault) in others.fouls {
            if let Some(event) = self.referee.foul(offender, fault) {
                self.announce(event).await;
            }
        }
        for order in others.orders {
            self.obey(order).await;
        }
        while let Some(order) = self.session.controls.next() {
            self.obey(order).await;
        }
    }

    /// Whether nothing else has happened that comes before the answer.
    fn is_quiet(&self) -> bool {
        !self.has_said() && !self.session.controls.is_pending()
    }

    /// Judges an answer after everything else that has come up: what was said, offences of others, orders. Says whether the
    /// question is still open.
    async fn judge_after(
        &mut self,
        turn: &mut Turn,
        answer: Result<P::Move, Failure>,
        others: Others,
    ) -> bool {
        let is_legal = |position: &P| matches!(answer, Ok(mv) if position.is_legal(mv));
        let was_legal = is_legal(self.referee.position());
        let pause = turn.pause(&self.session.terms.lag);
        self.answered = Some(turn.seat);
        let fouls = self.tell_said().await;
        self.settle(fouls).await;
        self.carry_out(others).await;
        self.answered = None;
        turn.resume(pause, &self.session.terms.lag);
        let seat = Some(turn.seat);
        let void = self.suspended || self.referee.to_ask() != seat || self.referee.plies() != turn.ply;
        // A move that only the removal of another made illegal is no offence: the question is put anew.
        let spoilt = was_legal && !is_legal(self.referee.position());
        let open = match (void, spoilt) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => self.judge(turn, answer).await,
        };
        let held = std::mem::take(&mut self.held);
        self.settle(held).await;
        open
    }

    /// Judges an answer, and says whether the question is still open.
    async fn judge(&mut self, turn: &mut Turn, answer: Result<P::Move, Failure>) -> bool {
        let used = turn.allowance.and_then(|_| turn.used(&self.session.terms.lag));
        let Some(mut event) = self.referee.judge(answer, used) else { return false };
        if let Event::Moved { info, .. } = &mut event {
            let player = &mut self.players[turn.seat.index()];
            // What a player says of its move is a courtesy: a panic there costs nothing.
            let said = guarded(|| player.info()).unwrap_or_default();
            *info = said.map(|info| if info.is_bounded() { info } else { Box::new(info.bounded()) });
        }
        let Event::Fouled(foul) = &event else {
            self.announce(event).await;
            return false;
        };
        turn.refusal = Some(Box::new(foul.evidence.clone()));
        // Others may be slow to take note of the refusal; that time is not the player's.
        let pause = turn.pause(&self.session.terms.lag);
        self.announce(event).await;
        turn.resume(pause, &self.session.terms.lag);
        true
    }

    /// Does what an order says, if it still makes sense.
    async fn obey(&mut self, order: Order) {
        let event = match order {
            Order::Resign(seat) => self.referee.resign(seat),
            Order::TakeBack { seat, to } => self.referee.take_back(seat, to),
            Order::Draw => self.referee.draw(),
            Order::Adjudicate(winner) => self.referee.adjudicate(winner),
            Order::Suspend => {
                self.suspended = true;
                None
            }
            Order::Cancel(reason) => {
                self.referee.stop(Cause::Cancelled, None, reason);
                None
            }
        };
        if let Some(event) = event {
            self.announce(event).await;
        }
    }

    async fn ask(&mut self, turn: &mut Turn) -> Asked<P::Move> {
        match self.put(turn).await {
            Asked::Answer(Err(failure), others) => {
                Asked::Answer(Err(self.complete(turn.seat, failure)), others)
            }
            asked => asked,
        }
    }

    /// Puts the question and waits for what comes of it.
    async fn put(&mut self, turn: &mut Turn) -> Asked<P::Move> {
        if let Some(asked) = self.spoke_too_early() {
            return asked;
        }
        let terms = self.session.terms;
        let seat = turn.seat;
        let used = turn.used(&terms.lag);
        let question = Question {
            position: self.referee.position(),
            seat,
            ply: self.referee.plies(),
            refused: self.referee.refused(),
            refusal: turn.refusal.as_deref(),
            clock: self.referee.clock(),
            time: turn.allowance.map(|allowance| allowance.saturating_sub(used.unwrap_or_default())),
            seed: self.session.spec.seat_seed(seat).derive(self.referee.plies()),
        };
        if let Some(observer) = &mut self.observer
            && guarded(|| observer.asked(&question)).is_err()
        {
            self.observer = None;
        }
        let (before, rest) = self.players.split_at_mut(seat.index());
        let (player, after) = rest.split_first_mut().expect("there is a player for each seat");
        let kind = player.kind();
        let Ok(answering) = guarded(|| player.choose(question)) else {
            return Asked::Answer(Err(panicked(seat)), Others::default());
        };
        match answering {
            Answering::Now(answer) => {
                Asked::Answer(turn.is_late(kind, terms).map_or(answer, Err), Others::default())
            }
            Answering::Later(answer) => {
                // The cap is the question's, not the attempt's.
                turn.start.get_or_insert_with(Instant::now);
                let said = &mut self.said;
                let observer = &mut self.observer;
                let position = self.referee.position();
                let mut hear = |seat: Seat, text: String| {
                    let event = Event::Said { seat, text };
                    if let Some(watching) = observer
                        && guarded(|| watching.see(&event, position)).is_err()
                    {
                        *observer = None;
                    }
                    let Event::Said { seat, text } = event else { return };
                    said.push_back((seat, text));
                };
                let scene = crate::waiting::Scene {
                    before,
                    after,
                    turn,
                    kind,
                    referee: &self.referee,
                    session: self.session,
                    chat: &mut self.chat,
                    hear: &mut hear,
                };
                wait(answer, scene).await
            }
        }
    }

    /// Adds to a late answer what had arrived of it, or says that nobody was there any more.
    fn complete(&mut self, seat: Seat, failure: Failure) -> Failure {
        match failure {
            Failure::Fault(Fault { offence: Offence::Timeout, evidence, .. }) => {
                let player = &mut self.players[seat.index()];
                if let Some(gone) = guarded(|| player.absence()).unwrap_or_default() {
                    return gone.into();
                }
                let Evidence { sent, expected, .. } = guarded(|| player.unanswered()).unwrap_or_default();
                let evidence = Evidence {
                    sent: evidence.sent.clone().or(sent),
                    expected: evidence.expected.clone().or(expected),
                    ..*evidence
                };
                Fault::with(Offence::Timeout, evidence).into()
            }
            other => other,
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
                Ok(Poll::Ready(fault)) => return Some(Asked::Interrupted(Others::foul(seat, fault))),
                Err(()) => return Some(Asked::Answer(Err(panicked(seat)), Others::default())),
            }
        }
        None
    }

    /// Tells everybody what happened, then whatever came of telling it.
    async fn announce(&mut self, event: EventOf<P>) {
        let fouls = self.tell(&event).await;
        self.settle(fouls).await;
    }

    /// Judges what came of telling something, and tells that too, with everything that was said meanwhile. Each seat
    /// fails to take note at most once and says only so much, so this ends.
    async fn settle(&mut self, mut fouls: Vec<(Seat, Fault)>) {
        loop {
            if !fouls.is_empty() {
                let (seat, fault) = fouls.remove(0);
                if let Some(event) = self.referee.foul(seat, fault) {
                    fouls.extend(self.tell(&event).await);
                }
            } else if !self.ended && self.has_said() {
                fouls.extend(self.tell_said().await);
            } else {
                break;
            }
        }
    }

    /// Whether something was said that not all were told.
    fn has_said(&self) -> bool {
        !self.said.is_empty() || !self.chat.is_empty()
    }

    /// Tells the players what was said, each line to all of them before the next.
    async fn tell_said(&mut self) -> Vec<(Seat, Fault)> {
        let mut fouls = vec![];
        loop {
            if let Some((seat, text)) = self.said.pop_front() {
                fouls.extend(self.tell_players(&Event::Said { seat, text }).await);
            } else if let Some((seat, text)) = self.chat.next() {
                fouls.extend(self.tell(&Event::Said { seat, text }).await);
            } else {
                return fouls;
            }
        }
    }

    /// Tells the observer and then every player.
    async fn tell(&mut self, event: &EventOf<P>) -> Vec<(Seat, Fault)> {
        let position = self.referee.position();
        if let Some(observer) = &mut self.observer
            && guarded(|| observer.see(event, position)).is_err()
        {
            self.observer = None;
        }
        self.tell_players(event).await
    }

    /// Tells every player, in turn order; those who need time take it together. Who does not take note in time offends.
    async fn tell_players(&mut self, event: &EventOf<P>) -> Vec<(Seat, Fault)> {
        let position = self.referee.position();
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
        for (seat, listened) in listen(hearings, self.session.terms).await {
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
        let answered = self.answered;
        self.held.extend(fouls.extract_if(.., |&mut (seat, _)| answered == Some(seat)));
        fouls
    }

    fn stop(&mut self, failure: Failure) {
        if let Failure::Platform(note) = failure {
            self.referee.stop(Cause::PlatformAbort, None, note);
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
        fn check<P: Position>(referee: Referee<P>, session: &Session<'_, P>) {
            let mut players: [Box<dyn Player<P>>; 0] = [];
            is_send(play(referee, &mut players, session, &mut ()));
        }
        let _ = check::<rookery_games::hexapawn::Position>;
    }
}
