//! The desk at which commands to a running match are checked: persons move, resign, talk, ask for moves back and agree
//! on draws; whoever runs the match suspends or cancels it.
//!
//! A command is answered at once. What is illegal, stale or out of turn gets its reason and never reaches the referee:
//! a person is not punished for a slip of the hand.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_rules::{Notation, Position, Seat, Seats};
use tokio::sync::oneshot;

use crate::controls::Order;
use crate::{
    Answering, ChatBox, Controls, Event, EventOf, Failure, Fault, Invitation, Kind, MAX_TAKE_BACKS,
    MatchSpec, Observer, Offence, Player, Question, SeatSpec,
};

/// Something somebody wants of a running match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// To play a move, in answer to the question after so many moves.
    Move {
        /// How many moves were made when the question was put.
        ply: u64,
        /// The move, also in a short form.
        text: String,
    },
    /// To give up, also out of turn.
    Resign,
    /// To say something to all.
    Say(String),
    /// To go back to where so many moves were made and it was the same seat's turn.
    TakeBack {
        /// How many moves are left.
        to: u64,
    },
    /// To call it a draw.
    OfferDraw,
    /// To agree to what another seat wants, or not.
    Accept(bool),
    /// To stop the match here, to go on later. For whoever runs it.
    Suspend,
    /// To end the match without a winner, for a reason. For whoever runs it.
    Cancel(String),
}

/// Why a command was not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The match is over.
    Over,
    /// It is not this seat's turn, or nobody has asked it.
    NotYourTurn,
    /// The question it answers is no longer asked.
    Stale,
    /// The question it answers has been answered by this seat: a second click, or another tab.
    Played,
    /// The text is no legal move, and why.
    Move(String),
    /// The command is for a seat, or for whoever runs the match.
    NotForYou,
    /// The seat is out of the match.
    Out,
    /// Moves can only be taken back in a casual match without programs.
    NoTakeBack,
    /// There is no decision of this seat to go back to.
    NothingToTakeBack,
    /// Moves were taken back too often.
    TooManyTakeBacks,
    /// Only persons can be asked for a draw.
    NoDraw,
    /// Nothing was offered that this seat could agree to.
    NoOffer,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Over => "the match is over; begin a new one",
            Self::NotYourTurn => "it is not your turn; wait for the other's move",
            Self::Stale => "the position has changed; look at it again",
            Self::Played => "this move has already been played; look at the position again",
            Self::Move(why) => why,
            Self::NotForYou => "this cannot be asked for from here",
            Self::Out => "this seat is out of the match; look on until it ends",
            Self::NoTakeBack => {
                "moves can be taken back only in a casual match with persons and built-in players"
            }
            Self::NothingToTakeBack => "there is no move of yours to take back",
            Self::TooManyTakeBacks => {
                return write!(
                    f,
                    "moves were taken back {MAX_TAKE_BACKS} times, which is enough for one match"
                );
            }
            Self::NoDraw => "a draw can be offered only where all others are persons",
            Self::NoOffer => "nothing was offered to agree to",
        })
    }
}

impl std::error::Error for Refusal {}

/// What became of a command.
pub type Reply = Result<(), Refusal>;

/// Something a seat wants that others must agree to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// Moves back, to where so many are left.
    TakeBack {
        /// Who asks.
        from: Seat,
        /// How many moves are left.
        to: u64,
    },
    /// A draw.
    Draw {
        /// Who asks.
        from: Seat,
    },
}

impl Offer {
    /// Who asks.
    pub const fn from(self) -> Seat {
        match self {
            Self::TakeBack { from, .. } | Self::Draw { from } => from,
        }
    }
}

/// The desk of one match. Copies are the same desk; it watches the match as an [`Observer`].
pub struct Desk<P: Position>(Arc<Inner<P>>);

struct Inner<P: Position> {
    controls: Controls,
    kinds: Vec<Kind>,
    casual: bool,
    state: Mutex<State<P>>,
}

struct State<P: Position> {
    asked: Option<AskedPerson<P>>,
    /// Where the answer to it comes, until the person takes it.
    answer: Option<oneshot::Receiver<Result<P::Move, Failure>>>,
    /// Who made each move.
    movers: Vec<Seat>,
    /// Who answered last, and which question: the move is on its way to the match.
    answered: Option<(Seat, u64)>,
    n_take_backs: u32,
    offer: Option<(Offer, Seats)>,
    chats: Vec<Option<ChatBox>>,
    out: Seats,
    over: bool,
}

/// A question that a person thinks about.
struct AskedPerson<P: Position> {
    seat: Seat,
    ply: u64,
    position: P,
    answer: oneshot::Sender<Result<P::Move, Failure>>,
}

impl<P: Position> Clone for Desk<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Position> fmt::Debug for Desk<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("kinds", &self.0.kinds).finish_non_exhaustive()
    }
}

impl<P: Position> Desk<P> {
    /// The desk of the match that this spec describes and these controls reach; `movers` made the moves so far.
    pub fn new(spec: &MatchSpec, controls: Controls, movers: Vec<Seat>) -> Self {
        let kind = |seat: &SeatSpec| match seat {
            SeatSpec::Human => Kind::Person,
            SeatSpec::BuiltIn(_) => Kind::BuiltIn,
            _ => Kind::Program,
        };
        let state = State {
            asked: None,
            answered: None,
            answer: None,
            movers,
            n_take_backs: 0,
            offer: None,
            chats: vec![None; spec.n_seats()],
            out: Seats::NONE,
            over: false,
        };
        Self(Arc::new(Inner {
            controls,
            kinds: spec.seats.iter().map(|entry| kind(&entry.player)).collect(),
            casual: spec.casual,
            state: Mutex::new(state),
        }))
    }

    /// The same for a match that goes on, in which moves were taken back so often.
    #[must_use]
    pub fn with_take_backs(self, n_take_backs: u32) -> Self {
        self.state().n_take_backs = n_take_backs;
        self
    }

    /// Nobody listens any more: the match is over, or stops here. Every command is refused from now on.
    pub fn close(&self) {
        let mut state = self.state();
        state.over = true;
        state.offer = None;
    }

    /// A person for a seat of this match.
    pub fn person(&self) -> Person<P> {
        Person { desk: self.clone() }
    }

    /// What waits for somebody's agreement.
    pub fn offer(&self) -> Option<Offer> {
        self.state().offer.map(|(offer, _)| offer)
    }

    fn state(&self) -> MutexGuard<'_, State<P>> {
        // It is whole at any time, also if somebody panicked with it in hand.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All other seats that still play and are not of this kind.
    fn others_but(&self, state: &State<P>, from: Seat, kinds: &[Kind]) -> bool {
        let others = Seat::all(self.0.kinds.len()).filter(|&seat| seat != from && !state.out.contains(seat));
        others.into_iter().any(|seat| !kinds.contains(&self.0.kinds[seat.index()]))
    }

    /// The persons whose agreement is needed.
    fn persons_beside(&self, state: &State<P>, from: Seat) -> Seats {
        let is_asked = |seat: &Seat| {
            *seat != from && !state.out.contains(*seat) && self.0.kinds[seat.index()] == Kind::Person
        };
        Seat::all(self.0.kinds.len()).filter(is_asked).collect()
    }

    fn take_back(&self, state: &mut State<P>, from: Seat, to: u64) -> Reply {
        if !self.0.casual || self.others_but(state, from, &[Kind::Person, Kind::BuiltIn]) {
            return Err(Refusal::NoTakeBack);
        }
        if state.n_take_backs >= MAX_TAKE_BACKS {
            return Err(Refusal::TooManyTakeBacks);
        }
        let mover = usize::try_from(to).ok().and_then(|to| state.movers.get(to));
        if mover != Some(&from) {
            return Err(Refusal::NothingToTakeBack);
        }
        self.offer_or_do(state, Offer::TakeBack { from, to });
        Ok(())
    }

    /// Asks the other persons, or does it at once if there are none.
    fn offer_or_do(&self, state: &mut State<P>, offer: Offer) {
        let needed = self.persons_beside(state, offer.from());
        if needed.is_empty() {
            self.do_offered(state, offer);
        } else {
            state.offer = Some((offer, needed));
        }
    }

    fn do_offered(&self, state: &mut State<P>, offer: Offer) {
        state.offer = None;
        self.0.controls.push(match offer {
            Offer::TakeBack { from, to } => Order::TakeBack { seat: from, to },
            Offer::Draw { .. } => Order::Draw,
        });
    }

    fn accept(&self, state: &mut State<P>, from: Seat, yes: bool) -> Reply {
        let Some((offer, needed)) = &mut state.offer else { return Err(Refusal::NoOffer) };
        if offer.from() == from && !yes {
            // Whoever asked takes it back.
            state.offer = None;
            return Ok(());
        }
        if !needed.contains(from) {
            return Err(Refusal::NoOffer);
        }
        if !yes {
            state.offer = None;
            return Ok(());
        }
        *needed = needed.iter().filter(|&seat| seat != from).collect();
        if needed.is_empty() {
            let offer = *offer;
            self.do_offered(state, offer);
        }
        Ok(())
    }
}

impl<P: Notation> Desk<P> {
    /// Takes a command of a seat, or of whoever runs the match, and says at once what becomes of it.
    pub fn command(&self, from: Option<Seat>, command: &Command) -> Reply {
        let mut state = self.state();
        if state.over {
            return Err(Refusal::Over);
        }
        let seat = from.filter(|seat| seat.index() < self.0.kinds.len()).ok_or(Refusal::NotForYou);
        match command {
            Command::Suspend if from.is_none() => self.0.controls.suspend(),
            Command::Cancel(reason) if from.is_none() => self.0.controls.cancel(reason),
            Command::Suspend | Command::Cancel(_) => return Err(Refusal::NotForYou),
            Command::Move { ply, text } => return state.play(seat?, *ply, text),
            Command::Resign => {
                let seat = seat?;
                if state.out.contains(seat) {
                    return Err(Refusal::Out);
                }
                self.0.controls.push(Order::Resign(seat));
            }
            Command::Say(text) => match &state.chats[seat?.index()] {
                Some(chat) => chat.say(text),
                None => return Err(Refusal::NotForYou),
            },
            Command::TakeBack { to } => return self.take_back(&mut state, seat?, *to),
            Command::OfferDraw => {
                let seat = seat?;
                if state.out.contains(seat) {
                    return Err(Refusal::Out);
                }
                if self.others_but(&state, seat, &[Kind::Person])
                    || self.persons_beside(&state, seat).is_empty()
                {
                    return Err(Refusal::NoDraw);
                }
                self.offer_or_do(&mut state, Offer::Draw { from: seat });
            }
            Command::Accept(yes) => return self.accept(&mut state, seat?, *yes),
        }
        Ok(())
    }
}

impl<P: Notation> State<P> {
    fn play(&mut self, seat: Seat, ply: u64, text: &str) -> Reply {
        let asked = self.asked.take_if(|asked| asked.answer.is_closed());
        drop(asked);
        let is_played = self.answered == Some((seat, ply)) || self.movers.get(ply as usize) == Some(&seat);
        let Some(asked) = self.asked.as_ref().filter(|asked| asked.seat == seat) else {
            return Err(if is_played { Refusal::Played } else { Refusal::NotYourTurn });
        };
        if asked.ply != ply {
            return Err(if is_played { Refusal::Played } else { Refusal::Stale });
        }
        let mv = asked.position.parse_move(text).map_err(|error| Refusal::Move(error.to_string()))?;
        asked.position.clone().play(mv).map_err(|error| Refusal::Move(error.to_string()))?;
        let asked = self.asked.take().expect("it was there a moment ago");
        self.answered = Some((seat, ply));
        // The time may be up this very moment, of which the match tells.
        asked.answer.send(Ok(mv)).map_err(|_| Refusal::Stale)
    }
}

impl<P: Position> Observer<P> for Desk<P> {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        let mut state = self.state();
        match event {
            Event::Moved { seat, .. } => {
                state.movers.push(*seat);
                state.offer = None;
            }
            Event::TakenBack { to, .. } => {
                state.movers.truncate(usize::try_from(*to).unwrap_or(usize::MAX));
                state.n_take_backs += 1;
                state.offer = None;
                state.out = Seats::NONE;
            }
            Event::Resigned { .. } | Event::Fouled(_) => state.offer = None,
            Event::Drawn | Event::Adjudicated { .. } | Event::Ended(_) => {
                state.over = true;
                state.offer = None;
            }
            Event::Started(_) | Event::Said { .. } => {}
        }
        if let Event::Resigned { seat } = event {
            state.out.put_in(*seat);
        }
        let playing = position.playing();
        let n_seats = position.n_seats();
        for seat in Seat::all(n_seats).filter(|&seat| !playing.contains(seat)) {
            state.out.put_in(seat);
        }
    }

    /// Ready for the answer before anybody hears of the question: a viewer may be quick.
    fn asked(&mut self, question: &Question<'_, P>) {
        if self.0.kinds.get(question.seat.index()) == Some(&Kind::Person) {
            self.state().ask(question);
        }
    }
}

impl<P: Position> State<P> {
    fn ask(&mut self, question: &Question<'_, P>) {
        let (sender, answer) = oneshot::channel();
        let Question { seat, ply, .. } = *question;
        self.asked = Some(AskedPerson { seat, ply, position: question.position.clone(), answer: sender });
        self.answer = Some(answer);
    }
}

/// A person at the table, whose commands come by way of a [`Desk`].
///
/// A person is not punished for haste: what is answered before the question is asked is refused.
#[derive(Debug)]
pub struct Person<P: Position> {
    desk: Desk<P>,
}

impl<P: Position> Player<P> for Person<P> {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.desk.state().chats[invitation.seat.index()] = Some(invitation.chat.clone());
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let answer = {
            let mut state = self.desk.state();
            if state.answer.is_none() {
                // Nobody has told the desk of the question.
                state.ask(&question);
            }
            state.answer.take().expect("there is one now")
        };
        Answering::Later(Box::pin(async move {
            let gone = || Failure::from(Fault::new(Offence::Disconnected, "the person left"));
            answer.await.unwrap_or_else(|_| Err(gone()))
        }))
    }

    fn kind(&self) -> Kind {
        Kind::Person
    }
}
