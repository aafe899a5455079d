//! A player at the other end of a link.

use std::collections::VecDeque;
use std::fmt;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use rookery_referee::{
    Answering, BoxFuture, Event, EventOf, Evidence, Failure, Fault, Info, Invitation, LagProbe, Offence,
    Player, Question, Ruling,
};
use rookery_rules::{Position, Seat};

use crate::codec::{Answer, Codec, Note};
use crate::{Lent, TransportExt as _, excerpt};

/// A link, lent for one match, and the protocol spoken on it: together a player.
///
/// # Several moves in one answer
///
/// Of [`Answer::Moves`] the first is the answer; the rest is kept. Each later question to the same seat is answered with
/// the next of them at once, and the program is not asked, as long as nothing has happened since but moves of this seat
/// and chat. Anything else drops the rest: a move of another seat, an offence of anybody (so also a kept move that is
/// illegal), a resignation, a take-back, the end. Then the program is asked again. Moves that were dropped are no
/// offence; a codec that wants all or none of them checks them against the position itself.
pub struct Remote<P: Position, C> {
    link: Lent,
    codec: C,
    lag: LagProbe,
    seat: Option<Seat>,
    /// Moves of the last answer that are still to be made.
    rest: VecDeque<P::Move>,
    /// What the program said about the move of its last answer.
    info: Option<Box<Info>>,
    awaited: Awaited,
    asides: Asides,
    /// Whether its question is open, also while others are told something, or it has to choose again.
    is_asked: bool,
}

/// What was sent since the last question that was no answer. The protocol allows it, but not without end: whoever is
/// read for ever keeps us from everybody else.
#[derive(Default, Debug)]
struct Asides {
    n_messages: usize,
    n_bytes: usize,
}

/// The most messages, and bytes of them, that are no answer, from one question to the next.
const MAX_ASIDES: Asides = Asides { n_messages: 1000, n_bytes: 1 << 20 };

impl Asides {
    fn add(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.n_messages += 1;
        self.n_bytes += message.len();
        if self.n_messages <= MAX_ASIDES.n_messages && self.n_bytes <= MAX_ASIDES.n_bytes {
            return Ok(());
        }
        let Asides { n_messages, n_bytes } = MAX_ASIDES;
        let note = format!("more than {n_messages} messages or {n_bytes} bytes of them that are no answer");
        Err(Fault::new(Offence::OutputLimit, note).sent(excerpt(message)))
    }
}

/// What the other end has to do next.
#[derive(Debug)]
enum Awaited {
    /// Nothing.
    Nothing,
    /// To read what it is sent.
    Reading,
    /// To answer the question; the codec knows more.
    Answer,
    /// To reply to a note, in these words.
    Reply(String),
}

impl<P: Position, C: Codec<P>> Remote<P, C> {
    /// A player that speaks a protocol.
    pub fn new(link: Lent, codec: C) -> Self {
        Self {
            link,
            codec,
            lag: LagProbe::default(),
            seat: None,
            rest: VecDeque::new(),
            info: None,
            awaited: Awaited::Nothing,
            asides: Asides::default(),
            is_asked: false,
        }
    }

    /// The same, not charged for our own delays when a note has a time of its own.
    #[must_use]
    pub fn with_lag(self, lag: LagProbe) -> Self {
        Self { lag, ..self }
    }

    /// The next message that the protocol does not allow now; `Pending` if there is none.
    fn poll_unasked(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        loop {
            match ready!(self.link.poll_receive(cx)) {
                Err(fault) => return Poll::Ready(fault),
                Ok(message) => {
                    let fault = self.codec.unasked(&message).or_else(|| self.asides.add(&message).err());
                    if let Some(fault) = fault {
                        return Poll::Ready(fault);
                    }
                    let replies = self.codec.replies();
                    if !replies.is_empty() {
                        self.link.queue(&replies);
                        // What does not leave now leaves before the next message.
                        let _ = self.link.poll_flush(cx);
                        self.link.set_idle(!self.is_asked);
                    }
                }
            }
        }
    }

    /// A part of a message that is there before something is asked, where it could be taken for the answer.
    fn spoken_early(&mut self) -> Option<Fault> {
        if self.codec.tells_answers_apart() { None } else { self.link.spoken_early() }
    }

    async fn send(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.awaited = Awaited::Reading;
        self.link.send(message).await?;
        self.awaited = Awaited::Nothing;
        Ok(())
    }

    /// Sends what the codec has to say to what was read last.
    async fn reply(&mut self) -> Result<(), Fault> {
        let replies = self.codec.replies();
        if replies.is_empty() { Ok(()) } else { self.link.send(&replies).await }
    }

    /// Puts a question and waits for the move.
    async fn ask(&mut self, message: Vec<u8>, position: &P) -> Result<P::Move, Failure> {
        if !message.is_empty() {
            self.send(&message).await?;
        }
        self.awaited = Awaited::Answer;
        loop {
            let answer = self.link.receive().await?;
            let mv = match self.codec.answer(&answer, position)? {
                Answer::Aside => {
                    self.asides.add(&answer)?;
                    self.reply().await?;
                    continue;
                }
                Answer::Move(mv) => mv,
                Answer::MoveWith(mv, info) => {
                    self.info = Some(Box::new(info.bounded()));
                    mv
                }
                Answer::Moves(moves) => {
                    self.rest = moves.into();
                    self.rest.pop_front().ok_or_else(|| self.without_a_move(&answer))?
                }
            };
            self.awaited = Awaited::Nothing;
            return Ok(mv);
        }
    }

    fn without_a_move(&self, answer: &[u8]) -> Fault {
        let fault = Fault::new(Offence::Malformed, "there is no move in it").sent(excerpt(answer));
        fault.expected(self.codec.expecting().unwrap_or_else(|| "at least one move".to_owned()))
    }

    /// Tells a note and waits for the reply, if there is one. What was sent before is no reply to it.
    async fn tell(&mut self, note: &Note) -> Result<(), Fault> {
        if note.reply {
            if let Poll::Ready(fault) = self.poll_unasked(&mut Context::from_waker(Waker::noop())) {
                return Err(fault);
            }
            self.spoken_early().map_or(Ok(()), Err)?;
        }
        self.send(&note.message).await?;
        if note.reply {
            let expected = note.expected.clone();
            self.awaited = Awaited::Reply(
                expected.unwrap_or_else(|| format!("a reply to {}", excerpt(note.message.trim_ascii()))),
            );
            loop {
                let reply = self.link.receive().await?;
                if self.codec.acknowledged(&reply)? {
                    break;
                }
                self.asides.add(&reply)?;
                self.reply().await?;
            }
            self.awaited = Awaited::Nothing;
        }
        Ok(())
    }

    async fn tell_all(&mut self, notes: Vec<Note>) -> Result<(), Fault> {
        let lag = self.lag.clone();
        for note in notes {
            let Some(time) = note.within else {
                self.tell(&note).await?;
                continue;
            };
            let Some(told) = lag.within(time, self.tell(&note)).await else {
                let note = format!("no reply within {} ms", time.as_millis());
                let evidence = Evidence { note, ..self.missing() };
                return Err(Fault::with(Offence::Timeout, evidence));
            };
            told?;
        }
        Ok(())
    }

    /// What has arrived of what is awaited, and what that is.
    fn missing(&mut self) -> Evidence {
        let unfinished = self.link.unfinished();
        let sent = (!unfinished.is_empty()).then(|| excerpt(unfinished));
        let expected = match &self.awaited {
            Awaited::Nothing => None,
            Awaited::Reading => Some("that it reads what it is sent".to_owned()),
            Awaited::Answer => self.codec.expecting(),
            Awaited::Reply(reply) => Some(reply.clone()),
        };
        Evidence { sent, expected, ..Evidence::default() }
    }

    /// Whether the moves that were sent together still stand after this.
    fn is_undisturbed(&self, event: &EventOf<P>) -> bool {
        match event {
            Event::Moved { seat, .. } => self.seat == Some(*seat),
            Event::Said { .. } => true,
            _ => false,
        }
    }

    /// Whether a question to this seat still has to be answered after this.
    fn leaves_open(&self, event: &EventOf<P>) -> bool {
        match event {
            Event::Said { .. } => true,
            Event::Fouled(foul) => self.seat != Some(foul.seat) || foul.ruling == Ruling::AskAgain,
            _ => false,
        }
    }
}

impl<P: Position, C> fmt::Debug for Remote<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Remote({})", self.link.peer())
    }
}

impl<P: Position, C: Codec<P>> Player<P> for Remote<P, C> {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.seat = Some(invitation.seat);
        self.codec.seated(invitation);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        // What was said about an answer that did not become a move.
        self.info = None;
        self.asides = Asides::default();
        if let Some(fault) = self.spoken_early() {
            return Answering::Now(Err(fault.into()));
        }
        if let Some(mv) = self.rest.pop_front() {
            return Answering::Now(Ok(mv));
        }
        let message = self.codec.ask(&question);
        // Its clock begins when this comes back, and no part of it is ours.
        self.link.set_idle(false);
        self.is_asked = true;
        Answering::Later(Box::pin(self.ask(message, question.position)))
    }

    fn info(&mut self) -> Option<Box<Info>> {
        self.info.take()
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<P>,
        position: &'a P,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        if !self.is_undisturbed(event) {
            self.rest.clear();
        }
        if let Event::Fouled(foul) = event
            && self.seat == Some(foul.seat)
            && foul.ruling != Ruling::AskAgain
        {
            self.link.spoil();
        }
        self.is_asked &= self.leaves_open(event);
        // After the end it may put its things in order.
        let idle = !self.is_asked && !matches!(event, Event::Ended(_));
        let notes = self.codec.news(event, position);
        if notes.is_empty() {
            self.link.set_idle(idle);
            return None;
        }
        Some(Box::pin(async move {
            self.tell_all(notes).await?;
            self.link.set_idle(idle);
            Ok(())
        }))
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.poll_unasked(cx)
    }

    fn unanswered(&mut self) -> Evidence {
        self.missing()
    }

    fn absence(&self) -> Option<Fault> {
        self.link.absence()
    }

    fn extra_time(&self, position: &P) -> Duration {
        self.codec.extra_time(position)
    }
}

#[cfg(test)]
mod tests {
    use rookery_games::renpaarden::{self, Move};
    use rookery_referee::{Cause, Clock, Ending, Foul, TimeControl, Verdict};
    use rookery_rules::{Seed, Setup as _};

    use super::*;
    use crate::{Bounds, Connection, Framing, memory};

    struct Mute;

    impl Codec<renpaarden::Position> for Mute {
        fn ask(&mut self, _: &Question<'_, renpaarden::Position>) -> Vec<u8> {
            vec![]
        }

        fn answer(&mut self, _: &[u8], _: &renpaarden::Position) -> Result<Answer<Move>, Failure> {
            Ok(Answer::Aside)
        }
    }

    fn mv() -> Move {
        "a2-b4".parse().expect("a move")
    }

    /// A player with moves to make, and the other end.
    fn with_rest() -> (Remote<renpaarden::Position, Mute>, Connection) {
        let (near, far) = memory::pair(Framing::Lines, Bounds::default());
        let mut remote = Remote::new(Lent::owned(Box::new(near)), Mute);
        remote.seat = Some(Seat::new(0));
        remote.rest = [mv(), mv()].into();
        (remote, far)
    }

    fn is_answered_at_once(remote: &mut Remote<renpaarden::Position, Mute>) -> bool {
        let (position, clock) = (renpaarden::Setup::default().start(), Clock::new(TimeControl::Untimed, 2));
        let question = Question {
            position: &position,
            seat: Seat::new(0),
            ply: 3,
            refused: 0,
            refusal: None,
            clock: &clock,
            time: None,
            seed: Seed(1),
        };
        matches!(remote.choose(question), Answering::Now(Ok(_)))
    }

    #[test]
    fn the_rest_of_an_answer_stands_until_anything_else_happens_than_the_seat_moving() {
        let [own, other] = [0, 1].map(Seat::new);
        let moved = |seat| Event::Moved { seat, mv: mv(), charge: None, info: None };
        let evidence = Evidence::default();
        let foul = |seat| {
            let evidence = evidence.clone();
            let offence = Offence::IllegalMove;
            Event::Fouled(Box::new(Foul { seat, offence, ruling: Ruling::AskAgain, evidence, charge: None }))
        };
        let verdict =
            Verdict { ending: Ending::plain(Cause::Normal, None), outcome: None, plies: 1, removed: vec![] };
        let position = renpaarden::Setup::default().start();
        for (event, stands) in [
            (moved(own), true),
            (Event::Said { seat: other, text: "hello".to_owned() }, true),
            (moved(other), false),
            (foul(own), false),
            (foul(other), false),
            (Event::Resigned { seat: other }, false),
            (Event::TakenBack { seat: own, to: 1 }, false),
            (Event::Drawn, false),
            (Event::Ended(Box::new(verdict)), false),
        ] {
            let (mut remote, _far) = with_rest();
            assert!(remote.hear(&event, &position).is_none());
            assert_eq!(is_answered_at_once(&mut remote), stands, "{event:?}");
        }
    }

    #[test]
    fn the_rest_of_an_answer_ends() {
        let (mut remote, _far) = with_rest();
        assert_eq!([(); 3].map(|()| is_answered_at_once(&mut remote)), [true, true, false]);
    }
}
