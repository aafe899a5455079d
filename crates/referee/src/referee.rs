//! The referee: a state machine that knows neither sockets nor clocks.

use rookery_rules::{BySeat, Outcome, Position, Seat, Seats, Status};

use crate::{Cause, Charge, Conduct, Ending, Event, EventOf, Failure, Fault, Foul, Offence, Ruling, Verdict};

/// How many legal moves a foul lists; a game with more is listed in part.
const LISTED_MOVES: usize = 500;
/// How many legal moves a sentence shows; more are counted.
const SHOWN_MOVES: usize = 8;

/// Watches over one match: who is asked, what an answer means, how it ends.
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
/// assert_eq!(foul.detail, "sent c4-c5: player 1 has no pawn on c4");
/// # Ok::<(), rookery_rules::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Referee<P: Position> {
    position: P,
    conduct: Conduct,
    /// Answers refused since the last move.
    refused: u32,
    removed: Seats,
    /// How each of them went, in order.
    removals: Vec<Ending>,
    plies: u64,
    max_plies: Option<u64>,
    built_in: Seats,
    verdict: Option<Verdict>,
}

impl<P: Position> Referee<P> {
    /// A match from this position.
    pub fn new(position: P, conduct: Conduct) -> Self {
        let mut referee = Self {
            position,
            conduct,
            refused: 0,
            removed: Seats::NONE,
            removals: vec![],
            plies: 0,
            max_plies: None,
            built_in: Seats::NONE,
            verdict: None,
        };
        referee.look_for_the_end(None);
        referee
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

    /// How many moves were made.
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// How many answers to the question now asked were refused.
    pub fn refused(&self) -> u32 {
        self.refused
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

    /// Judges the answer of the seat that was asked, and says what happened; `None` if we failed and the match was
    /// stopped.
    ///
    /// # Panics
    /// If nobody was asked: the match is over.
    pub fn judge(&mut self, answer: Result<P::Move, Failure>, charge: Option<Charge>) -> Option<EventOf<P>> {
        let seat = self.to_ask().expect("an answer is judged only while somebody is asked");
        match answer {
            Ok(mv) if self.position.is_legal(mv) => {
                self.position.play_unchecked(mv);
                self.plies += 1;
                self.refused = 0;
                self.look_for_the_end(None);
                Some(Event::Moved { seat, mv, charge })
            }
            Ok(mv) => {
                let detail = format!("sent {mv}: {}", self.position.reason(mv));
                self.rule(seat, Fault { offence: Offence::IllegalMove, detail }, charge)
            }
            Err(Failure::Fault(fault)) => self.rule(seat, fault, charge),
            Err(Failure::Resigned) => {
                self.refused = 0;
                self.take_out(seat, Cause::Resigned, format!("{seat} resigned"));
                Some(Event::Resigned { seat })
            }
            Err(Failure::Platform(detail)) => {
                self.stop(Cause::PlatformAbort, detail);
                None
            }
        }
    }

    /// Judges an offence of any seat, also one that owes no move. `None` if nothing happened in the game: the match is
    /// over, the seat is out, or it was our own fault and the match was stopped.
    pub fn foul(&mut self, seat: Seat, fault: Fault) -> Option<EventOf<P>> {
        if self.verdict.is_some() || self.out().contains(seat) {
            return None;
        }
        self.rule(seat, fault, None)
    }

    /// Ends the match at once, without a winner and without blame on a player.
    pub fn stop(&mut self, cause: Cause, sentence: String) {
        if self.verdict.is_none() {
            self.end(Ending { cause, seat: None, sentence }, None);
        }
    }

    fn end(&mut self, ending: Ending, outcome: Option<Outcome>) {
        self.verdict = Some(Verdict { ending, outcome, plies: self.plies, removed: self.removals.clone() });
    }

    /// Takes a seat out of the game. If the game ends with it, it is the cause.
    fn take_out(&mut self, seat: Seat, cause: Cause, sentence: String) {
        let ending = Ending { cause, seat: Some(seat), sentence };
        self.position.remove(seat);
        self.removed.put_in(seat);
        self.removals.push(ending.clone());
        self.look_for_the_end(Some(ending));
    }

    fn rule(&mut self, seat: Seat, fault: Fault, charge: Option<Charge>) -> Option<EventOf<P>> {
        let asked = self.to_ask() == Some(seat);
        let refused = if asked { self.refused } else { 0 };
        let legal: Vec<String> = if asked {
            self.position.legal_moves().take(LISTED_MOVES).map(|mv| mv.to_string()).collect()
        } else {
            vec![]
        };
        let Fault { offence, detail } = fault;
        if self.built_in.contains(seat) {
            let what = predicate(offence, &detail, refused, &legal);
            self.stop(
                Cause::PlatformAbort,
                format!("our own player failed, which is nobody's loss: {seat} {what}"),
            );
            return None;
        }
        let ruling = self.ruling(seat, offence);
        match ruling {
            Ruling::AskAgain => self.refused += 1,
            Ruling::Removed => {
                let sentence = format!("{seat} {}", predicate(offence, &detail, refused, &legal));
                if asked {
                    self.refused = 0;
                }
                self.take_out(seat, Cause::Offence(offence), sentence);
            }
            Ruling::Aborted => {
                let what = predicate(offence, &detail, refused, &legal);
                let sentence = format!("crashed by {seat}, who {what}");
                self.end(Ending { cause: Cause::Offence(offence), seat: Some(seat), sentence }, None);
            }
        }
        Some(Event::Fouled(Foul { seat, offence, ruling, detail, legal, charge }))
    }

    /// Refusals belong to the seat that is asked: another one has nothing to try again.
    fn ruling(&self, seat: Seat, offence: Offence) -> Ruling {
        if self.to_ask() == Some(seat) {
            self.conduct.ruling(offence, self.refused, self.position.is_preparing())
        } else {
            self.conduct.final_ruling(offence)
        }
    }

    /// Whether these offences, judged now, end the match.
    pub(crate) fn would_end_by(&self, fouls: &[(Seat, Fault)]) -> bool {
        let ends_at_once = |&(seat, ref fault): &(Seat, Fault)| {
            self.built_in.contains(seat) || self.ruling(seat, fault.offence) == Ruling::Aborted
        };
        let mut position = self.position.clone();
        for &(seat, _) in fouls {
            position.remove(seat);
        }
        fouls.iter().any(ends_at_once) || position.to_move().is_none()
    }

    /// Sets the verdict if the game is over: by the removal that just happened, or else by the rules.
    #[inline]
    fn look_for_the_end(&mut self, removal: Option<Ending>) {
        match self.position.status() {
            Status::ToMove(_) if self.max_plies.is_some_and(|max| self.plies >= max) => self.draw_by_cap(),
            Status::ToMove(_) => {}
            Status::Over(outcome) => {
                let by_rules =
                    || Ending { cause: Cause::Normal, seat: None, sentence: result_sentence(&outcome) };
                let ending = removal.unwrap_or_else(by_rules);
                self.end(ending, Some(outcome));
            }
        }
    }

    #[cold]
    fn draw_by_cap(&mut self) {
        let n_seats = self.position.n_seats();
        let playing = self.position.playing();
        let winners = playing.iter().filter(|&seat| !self.removed.contains(seat)).collect();
        let outcome = Outcome { scores: BySeat::filled(n_seats, 0), winners };
        let sentence = format!("drawn: the match's cap of {} moves was reached", self.plies);
        self.end(Ending { cause: Cause::MaxTurns, seat: None, sentence }, Some(outcome));
    }
}

/// What a seat did, for people, and what would have been right: a sentence without its subject.
fn predicate(offence: Offence, detail: &str, refused: u32, legal: &[String]) -> String {
    let what = match offence {
        Offence::NoShow => "did not come",
        Offence::BadHello => "did not introduce itself properly",
        Offence::Timeout => "did not answer in time",
        Offence::Disconnected => "disconnected",
        Offence::Crashed => "crashed",
        Offence::Malformed => "sent an answer that cannot be read",
        Offence::IllegalMove => "sent an illegal move",
        Offence::OutOfTurn => "spoke out of turn",
        Offence::OutputLimit => "sent too much",
        Offence::MemoryLimit => "took too much memory",
        Offence::ProcessLimit => "started too many processes",
        Offence::DiskLimit => "wrote too much to disk",
        Offence::SandboxViolation => "tried what is not allowed",
    };
    let again = if refused > 0 { format!(", after {refused} refused before it") } else { String::new() };
    let legal = match legal {
        [] => String::new(),
        few if few.len() <= SHOWN_MOVES => format!("; legal were {}", few.join(" ")),
        many => {
            format!("; legal were {} and {} more", many[..SHOWN_MOVES].join(" "), many.len() - SHOWN_MOVES)
        }
    };
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    format!("{what}{again}{detail}{legal}")
}

/// Who won, for people.
fn result_sentence(outcome: &Outcome) -> String {
    let names: Vec<String> = outcome.winners.iter().map(|seat| seat.to_string()).collect();
    match names.as_slice() {
        [] => "nobody won".to_owned(),
        [one] => format!("{one} won"),
        many if many.len() == outcome.scores.n_seats() => "drawn".to_owned(),
        many => format!("{} share the first place", many.join(" and ")),
    }
}
