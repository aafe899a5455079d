//! The referee: a state machine that knows neither sockets nor threads; somebody else reads the clock.

use std::time::Duration;

use rookery_rules::{BySeat, MAX_SEATS, Outcome, Position, Seat, Seats, Status};

use crate::{
    Cause, Charge, Clock, Conduct, Ending, Event, EventOf, Evidence, Failure, Fault, Foul, LISTED_MOVES,
    MAX_RETRIES_OF_A_MATCH, MatchSpec, Offence, Ruling, TimeControl, Verdict,
};

/// How often moves may be taken back in one match, so that every match ends.
pub const MAX_TAKE_BACKS: u32 = 1000;

/// Watches over one match: who is asked, what an answer means, what is left of the clocks, how it ends.
///
/// ```
/// use rookery_games::hexapawn;
/// use rookery_referee::{Conduct, Event, Referee, Ruling};
/// use rookery_rules::{Notation, Seat, Setup};
///
/// let mut referee = Referee::new(hexapawn::Setup::default().start(), Conduct::removing().with_retries(1));
/// assert_eq!(referee.to_ask(), Some(Seat::new(0)));
///
/// let illegal = referee.position().parse_move("c5")?;
/// let Some(Event::Fouled(foul)) = referee.judge(Ok(illegal), None) else { panic!("a pawn makes one step") };
/// assert_eq!(foul.ruling, Ruling::AskAgain);
/// assert_eq!(foul.evidence.sent.as_deref(), Some("c4-c5"));
/// assert_eq!(foul.evidence.note, "player 1 has no pawn on c4");
/// # Ok::<(), rookery_rules::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Referee<P: Position> {
    position: P,
    conduct: Conduct,
    clock: Clock,
    /// Answers refused since the last move.
    refused: u32,
    /// How often each seat was asked again in the whole match.
    retried: [u32; MAX_SEATS],
    removed: Seats,
    /// How each of them went, in order.
    removals: Vec<Ending>,
    plies: u64,
    max_plies: Option<u64>,
    built_in: Seats,
    /// How it stood before each move, in a casual match.
    past: Option<Vec<Moment<P>>>,
    n_take_backs: u32,
    verdict: Option<Verdict>,
}

/// How a match stood when a move was asked for.
#[derive(Clone, Debug)]
struct Moment<P> {
    position: P,
    clock: Clock,
    removed: Seats,
    n_removals: usize,
}

impl<P: Position> Referee<P> {
    /// A match from this position, without a time control.
    pub fn new(position: P, conduct: Conduct) -> Self {
        let clock = Clock::new(TimeControl::Untimed, position.n_seats());
        let mut referee = Self {
            position,
            conduct,
            clock,
            refused: 0,
            retried: [0; MAX_SEATS],
            removed: Seats::NONE,
            removals: vec![],
            plies: 0,
            max_plies: None,
            built_in: Seats::NONE,
            past: None,
            n_take_backs: 0,
            verdict: None,
        };
        referee.look_for_the_end(None);
        referee
    }

    /// The match that a spec describes, from its first position.
    pub fn of_spec(spec: &MatchSpec, first: P) -> Self {
        let mut referee = Self::new(first, spec.conduct).with_time(spec.time);
        if spec.casual {
            referee.past = Some(vec![]);
        }
        match spec.max_turns {
            Some(max_turns) => referee.with_max_plies(max_turns),
            None => referee,
        }
    }

    /// The same match with full clocks of this time control.
    #[must_use]
    pub fn with_time(mut self, control: TimeControl) -> Self {
        self.clock = Clock::new(control, self.position.n_seats());
        self
    }

    /// The same match, drawn after so many moves.
    #[must_use]
    pub fn with_max_plies(mut self, max_plies: u64) -> Self {
        self.max_plies = Some(max_plies);
        self.look_for_the_end(None);
        self
    }

    /// The same match, with parts of Rookery at these seats: what they do wrong is our fault, and stops the match.
    #[must_use]
    pub fn with_built_in(mut self, seats: Seats) -> Self {
        self.built_in = seats;
        self
    }

    /// The position now.
    #[inline]
    pub fn position(&self) -> &P {
        &self.position
    }

    /// The conduct in force.
    pub fn conduct(&self) -> Conduct {
        self.conduct
    }

    /// The clocks.
    #[inline]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// How many moves were made.
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// How many answers to the question now asked were refused.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// How often moves were taken back.
    pub fn take_backs(&self) -> u32 {
        self.n_take_backs
    }

    /// Who has been removed.
    pub fn removed(&self) -> Seats {
        self.removed
    }

    /// Who is out: removed by the referee, or eliminated by the rules. Such a seat owes nothing any more, so its player
    /// may as well leave.
    pub fn out(&self) -> Seats {
        let playing = self.position.playing();
        Seat::all(self.position.n_seats())
            .filter(|&seat| self.removed.contains(seat) || !playing.contains(seat))
            .collect()
    }

    /// Who is asked for a move; `None` exactly when there is a verdict.
    #[inline]
    pub fn to_ask(&self) -> Option<Seat> {
        if self.verdict.is_some() { None } else { self.position.to_move() }
    }

    /// How the match ended, if it did.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Judges the answer of the seat that was asked, which took so long, and says what happened; `None` if we failed and
    /// the match was stopped. Only a legal move changes the clock: else the question may be asked again, and its time is
    /// counted from the beginning.
    ///
    /// # Panics
    /// If nobody was asked: the match is over.
    pub fn judge(&mut self, answer: Result<P::Move, Failure>, used: Option<Duration>) -> Option<EventOf<P>> {
        let seat = self.to_ask().expect("an answer is judged only while somebody is asked");
        match answer {
            Ok(mv) if self.position.is_legal(mv) => {
                if self.past.is_some() {
                    self.remember();
                }
                let charge = used.and_then(|used| self.charge(seat, used));
                self.position.play_unchecked(mv);
                self.plies += 1;
                self.refused = 0;
                self.look_for_the_end(None);
                Some(Event::Moved { seat, mv, charge, info: None })
            }
            Ok(mv) => {
                let fault = Fault::new(Offence::IllegalMove, self.position.reason(mv)).sent(mv.to_string());
                self.rule(seat, fault, used)
            }
            Err(Failure::Fault(fault)) => self.rule(seat, fault, used),
            Err(Failure::Resigned) => self.resign(seat),
            Err(Failure::Platform(note)) => {
                self.stop(Cause::PlatformAbort, None, note);
                None
            }
        }
    }

    /// A seat gives up, also out of turn. If one is left it has won, unless the rules or the conduct say otherwise.
    /// `None` if the match is over or the seat is out already.
    pub fn resign(&mut self, seat: Seat) -> Option<EventOf<P>> {
        if self.verdict.is_some() || self.out().contains(seat) {
            return None;
        }
        if self.to_ask() == Some(seat) {
            self.refused = 0;
        }
        self.take_out(seat, Ending::plain(Cause::Resigned, Some(seat)));
        if self.verdict.is_none() && !self.conduct.plays_on {
            let out = self.out();
            let mut left = Seat::all(self.position.n_seats()).filter(|&seat| !out.contains(seat));
            if let (Some(winner), None) = (left.next(), left.next()) {
                let outcome = Outcome::win(self.position.n_seats(), winner);
                self.end(Ending::plain(Cause::Resigned, Some(seat)), Some(outcome));
            }
        }
        Some(Event::Resigned { seat })
    }

    /// The players agree on a draw. `None` if the match is over.
    pub fn draw(&mut self) -> Option<EventOf<P>> {
        if self.verdict.is_some() {
            return None;
        }
        let outcome = self.shared();
        self.end(Ending::plain(Cause::DrawAgreed, None), Some(outcome));
        Some(Event::Drawn)
    }

    /// The result is proved: this seat wins, or nobody. `None` if the match is over, or the seat is out of it.
    pub fn adjudicate(&mut self, winner: Option<Seat>) -> Option<EventOf<P>> {
        let n_seats = self.position.n_seats();
        let cannot = |winner: Seat| winner.index() >= n_seats || self.out().contains(winner);
        if self.verdict.is_some() || winner.is_some_and(cannot) {
            return None;
        }
        let outcome = winner.map_or_else(|| self.shared(), |winner| Outcome::win(n_seats, winner));
        self.end(Ending::plain(Cause::Adjudicated, None), Some(outcome));
        Some(Event::Adjudicated { winner })
    }

    /// Takes back all moves from number `to` on, which was a decision of this seat: position, removals and clocks are as
    /// they were. `None` if that is not possible: the match is over or is no casual one, or it was done too often.
    pub fn take_back(&mut self, seat: Seat, to: u64) -> Option<EventOf<P>> {
        if self.verdict.is_some() || self.n_take_backs >= MAX_TAKE_BACKS {
            return None;
        }
        let past = self.past.as_mut()?;
        let at = usize::try_from(to).ok()?;
        if past.get(at)?.position.to_move() != Some(seat) {
            return None;
        }
        past.truncate(at + 1);
        let moment = past.pop().expect("it was there a moment ago");
        self.n_take_backs += 1;
        self.position = moment.position;
        self.clock = moment.clock;
        self.removed = moment.removed;
        self.removals.truncate(moment.n_removals);
        self.plies = to;
        self.refused = 0;
        Some(Event::TakenBack { seat, to })
    }

    /// Keeps how it stands before a move.
    #[cold]
    fn remember(&mut self) {
        let moment = Moment {
            position: self.position.clone(),
            clock: self.clock.clone(),
            removed: self.removed,
            n_removals: self.removals.len(),
        };
        self.past.get_or_insert_default().push(moment);
    }

    /// Takes the time of a move off the clock. A part of Rookery never has less than none: that the machine was busy is
    /// not its loss.
    fn charge(&mut self, seat: Seat, used: Duration) -> Option<Charge> {
        let used = if self.built_in.contains(seat) {
            used.min(self.clock.allowance(seat).unwrap_or(Duration::MAX))
        } else {
            used
        };
        self.clock.charge(seat, used, true)
    }

    /// Judges an offence of any seat, also one that owes no move. `None` if nothing happened in the game: the match is
    /// over, the seat is out, or it was our own fault and the match was stopped.
    pub fn foul(&mut self, seat: Seat, fault: Fault) -> Option<EventOf<P>> {
        if self.verdict.is_some() || self.out().contains(seat) {
            return None;
        }
        self.rule(seat, fault, None)
    }

    /// Ends the match at once, without a winner and without blame on a player. The note says why, and the seat who it
    /// was, if it was a part of Rookery.
    pub fn stop(&mut self, cause: Cause, seat: Option<Seat>, note: String) {
        if self.verdict.is_none() {
            let evidence = Evidence { note, ..Evidence::default() }.bounded();
            self.end(Ending { cause, seat, evidence: Some(Box::new(evidence)) }, None);
        }
    }

    fn end(&mut self, ending: Ending, outcome: Option<Outcome>) {
        self.verdict = Some(Verdict { ending, outcome, plies: self.plies, removed: self.removals.clone() });
    }

    /// Takes a seat out of the game. If the game ends with it, it is the cause.
    fn take_out(&mut self, seat: Seat, ending: Ending) {
        self.position.remove(seat);
        self.removed.put_in(seat);
        self.removals.push(ending.clone());
        self.look_for_the_end(Some(ending));
    }

    fn rule(&mut self, seat: Seat, fault: Fault, used: Option<Duration>) -> Option<EventOf<P>> {
        let asked = self.to_ask() == Some(seat);
        let Fault { offence, evidence, is_ours } = fault;
        if is_ours {
            let note = format!("player {}: {}", seat.index() + 1, evidence.note);
            self.stop(Cause::PlatformAbort, None, note);
            return None;
        }
        let mut evidence = evidence.bounded();
        if asked {
            evidence.refused = self.refused;
            evidence.legal =
                self.position.legal_moves().take(LISTED_MOVES).map(|mv| mv.to_string()).collect();
        }
        if self.built_in.contains(seat) {
            self.stop(Cause::PlatformAbort, Some(seat), crate::words::offence(offence, &evidence));
            return None;
        }
        let ruling = self.ruling(seat, offence);
        let ending = || Ending {
            cause: Cause::Offence(offence),
            seat: Some(seat),
            evidence: Some(Box::new(evidence.clone())),
        };
        let charge = used.and_then(|used| self.clock.preview(seat, used));
        match ruling {
            Ruling::AskAgain => {
                self.refused += 1;
                self.retried[seat.index()] += 1;
            }
            Ruling::Removed => {
                if asked {
                    self.refused = 0;
                }
                self.take_out(seat, ending());
            }
            Ruling::Aborted => self.end(ending(), None),
        }
        Some(Event::Fouled(Box::new(Foul { seat, offence, ruling, evidence, charge })))
    }

    /// Refusals belong to the seat that is asked: another one has nothing to try again.
    fn ruling(&self, seat: Seat, offence: Offence) -> Ruling {
        if self.to_ask() == Some(seat) && self.retried[seat.index()] < MAX_RETRIES_OF_A_MATCH {
            self.conduct.ruling(offence, self.refused, self.position.is_preparing())
        } else {
            self.conduct.final_ruling(offence)
        }
    }

    /// Sets the verdict if the game is over: by the removal that just happened, or else by the rules.
    #[inline]
    fn look_for_the_end(&mut self, removal: Option<Ending>) {
        match self.position.status() {
            Status::ToMove(_) if self.max_plies.is_some_and(|max| self.plies >= max) => {
                let outcome = self.shared();
                self.end(Ending::plain(Cause::MaxTurns, None), Some(outcome));
            }
            Status::ToMove(_) => {}
            Status::Over(outcome) => {
                let ending = removal.unwrap_or(Ending::plain(Cause::Normal, None));
                self.end(ending, Some(outcome));
            }
        }
    }

    /// The first place for all who still play.
    #[cold]
    fn shared(&self) -> Outcome {
        let out = self.out();
        let n_seats = self.position.n_seats();
        let winners = Seat::all(n_seats).filter(|&seat| !out.contains(seat)).collect();
        Outcome { scores: BySeat::filled(n_seats, 0), winners }
    }
}
