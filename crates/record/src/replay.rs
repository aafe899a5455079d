//! Judging a match again from its record.

use std::time::Duration;

use rookery_referee::{
    Cause, Charge, Clock, Event, Failure, Fault, MAX_CHAT_CHARS, Offence, Referee, TimeControl, Verdict,
};
use rookery_rules::{GameSpec, Notation, Position, Seat, Setup};
use sha2::{Digest, Sha256};

use crate::writer::hex;
use crate::{FouledLine, Header, Line, MovedLine, Problem, Resumed, SaidLine, StoppedLine, VerdictLine};

/// A match that is judged again, line by line.
///
/// A referee gets the answers that the lines tell of, and must come to what they say came of them.
#[derive(Clone, Debug)]
pub struct Replay<P: Position> {
    header: Header,
    referee: Referee<P>,
    clock: Clock,
    n_lines: u64,
    n_bytes: u64,
    /// Of all lines so far, the verdict excepted.
    hash: Sha256,
    /// Referee, hash and bytes before the line that said the match was stopped.
    before_stop: Option<Box<(Referee<P>, Sha256, u64)>>,
    ended: bool,
}

/// What a line told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A seat moved.
    Moved(Seat),
    /// A seat said something.
    Said(Seat),
    /// A seat gave up.
    Resigned(Seat),
    /// A seat offended.
    Fouled(Seat),
    /// The match was stopped.
    Stopped,
    /// The match is over.
    Ended,
}

/// What a record tells, once all of it was found right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The game spec.
    pub game: String,
    /// How many moves were made.
    pub plies: u64,
    /// How many whole lines there are.
    pub n_lines: u64,
    /// The bytes of the lines that count; what follows is a torn line, or a stop without its verdict.
    pub n_bytes: u64,
    /// How many bytes of a torn line follow.
    pub torn_bytes: usize,
    /// How the match ended; `None` if the record is unfinished.
    pub verdict: Option<Verdict>,
}

impl<P: Notation> Replay<P> {
    /// Begins with the first line, read already as `header`.
    pub fn new<S: Setup<Position = P>>(header: Header, line: &[u8]) -> Result<Self, Problem> {
        let in_game = |error: &dyn std::fmt::Display| Problem::wrong(format!("`game`: {error}"));
        let spec = GameSpec::parse(&header.game).map_err(|error| in_game(&error))?;
        if spec.game != S::GAME {
            let (given, expected) = (&spec.game, S::GAME);
            return Err(Problem::wrong(format!(
                "`game`: the record is of {given}; expected one of {expected}"
            )));
        }
        let setup = S::from_spec(&spec).map_err(|error| in_game(&error))?;
        let start = start_of(&setup, &header)?;
        let n_seats = start.n_seats();
        if header.seats.len() != n_seats {
            let given = header.seats.len();
            return Err(Problem::wrong(format!(
                "`seats` has {given} entries; {} has {n_seats} seats",
                header.game
            )));
        }
        let mut referee = Referee::new(start, header.conduct);
        if let Some(max_turns) = header.max_turns {
            referee = referee.with_max_plies(max_turns);
        }
        let clock = Clock::new(header.time, n_seats);
        let hash = Sha256::new_with_prefix(line);
        let n_bytes = line.len() as u64;
        Ok(Self { header, referee, clock, n_lines: 1, n_bytes, hash, before_stop: None, ended: false })
    }

    /// Takes the next line, with its newline. After an error nothing more may be taken.
    #[inline]
    pub fn feed(&mut self, line: &[u8]) -> Result<Step, Problem> {
        if self.ended {
            return Err(Problem::wrong("there is a line after the verdict; expected the end of the file"));
        }
        let parsed = Line::parse(line)?;
        // What was said before the end is told before the verdict.
        if self.referee.verdict().is_some() && !matches!(parsed, Line::Verdict(_) | Line::Said(_)) {
            return Err(Problem::wrong("the match is over with the line before; expected the verdict"));
        }
        let step = match parsed {
            Line::Moved(moved) => self.moved(&moved)?,
            Line::Said(said) => self.said(&said)?,
            Line::Resigned(resigned) => {
                let seat = self.asked(resigned.seat)?;
                let event = self.referee.judge(Err(Failure::Resigned), None);
                debug_assert!(matches!(event, Some(Event::Resigned { .. })), "giving up is always possible");
                Step::Resigned(seat)
            }
            Line::Fouled(fouled) => self.fouled(fouled)?,
            Line::Stopped(stopped) => self.stopped(&stopped)?,
            Line::Verdict(verdict) => {
                self.judged(&verdict)?;
                self.ended = true;
                Step::Ended
            }
            Line::Record(_) => return Err(Problem::wrong("there is a second header; expected an event")),
        };
        if step != Step::Ended {
            self.hash.update(line);
        }
        self.n_lines += 1;
        self.n_bytes += line.len() as u64;
        Ok(step)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The referee as it stands now.
    pub fn referee(&self) -> &Referee<P> {
        &self.referee
    }

    /// The clocks as they stand now, to the millisecond.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether the verdict was read.
    pub fn is_finished(&self) -> bool {
        self.ended
    }

    /// What was read, if nothing follows but so many bytes of a torn line.
    pub fn summary(&self, torn_bytes: usize) -> Result<Summary, Problem> {
        if self.ended && torn_bytes > 0 {
            return Err(Problem::wrong("there is something after the verdict; expected the end of the file"));
        }
        Ok(Summary {
            game: self.header.game.clone(),
            plies: self.referee.plies(),
            n_lines: self.n_lines,
            n_bytes: self
                .before_stop
                .as_ref()
                .filter(|_| !self.ended)
                .map_or(self.n_bytes, |before| before.2),
            torn_bytes,
            verdict: self.referee.verdict().filter(|_| self.ended).cloned(),
        })
    }

    /// The match as it stands, to go on with it.
    pub(crate) fn into_resumed(self) -> Result<Resumed<P>, Problem> {
        if self.ended {
            return Err(Problem::Finished);
        }
        let Self { header, referee, clock, n_bytes, hash, before_stop, .. } = self;
        // A stop without its verdict is void: the match goes on from before it.
        let (referee, hash, n_bytes) = match before_stop {
            Some(before) => *before,
            None => (referee, hash, n_bytes),
        };
        Ok(Resumed { header, referee, clock, n_bytes, hash })
    }

    /// A seat of the table.
    fn seat(&self, index: u8) -> Result<Seat, Problem> {
        let n_seats = self.referee.position().n_seats();
        if usize::from(index) < n_seats {
            Ok(Seat::new(index))
        } else {
            Err(Problem::wrong(format!("there is no seat {index}; expected one from 0 to {}", n_seats - 1)))
        }
    }

    /// The seat to move.
    fn asked(&self, index: u8) -> Result<Seat, Problem> {
        let seat = self.seat(index)?;
        match self.referee.to_ask() {
            Some(asked) if asked == seat => Ok(seat),
            Some(asked) => {
                let expected = asked.index();
                Err(Problem::wrong(format!("seat {index} is not to move here; expected seat {expected}")))
            }
            None => Err(Problem::wrong("nobody is to move here; expected the verdict")),
        }
    }

    fn moved(&mut self, line: &MovedLine<'_>) -> Result<Step, Problem> {
        let seat = self.asked(line.seat)?;
        let mv = line.mv.parse::<P::Move>().map_err(|error| Problem::wrong(error.to_string()))?;
        let charge = self.charge(seat, line.ms, line.left_ms, true)?;
        if charge.is_none() && self.header.time != TimeControl::Untimed {
            let time = self.header.time;
            return Err(Problem::wrong(format!(
                "`ms` and `left_ms` are missing; the time control is {time}"
            )));
        }
        match self.referee.judge(Ok(mv), charge) {
            Some(Event::Moved { .. }) => Ok(Step::Moved(seat)),
            Some(Event::Fouled(foul)) => Err(Problem::wrong(format!(
                "illegal move: {}; legal were {}",
                foul.detail,
                some_of(&foul.legal)
            ))),
            _ => Err(Problem::wrong("the move was not played; expected a legal one")),
        }
    }

    fn said(&self, line: &SaidLine<'_>) -> Result<Step, Problem> {
        let seat = self.seat(line.seat)?;
        if line.text.chars().count() > MAX_CHAT_CHARS || line.text.chars().any(char::is_control) {
            return Err(Problem::wrong(format!(
                "`text` must have at most {MAX_CHAT_CHARS} characters and no control characters"
            )));
        }
        Ok(Step::Said(seat))
    }

    fn fouled(&mut self, line: FouledLine<'_>) -> Result<Step, Problem> {
        let seat = self.seat(line.seat)?;
        let Some(offence) = Offence::ALL.into_iter().find(|offence| offence.word() == line.offence) else {
            let known = Offence::ALL.map(Offence::word).join(", ");
            return Err(Problem::wrong(format!(
                "there is no offence {:?}; expected one of {known}",
                line.offence
            )));
        };
        let charge = self.charge(seat, line.ms, line.left_ms, false)?;
        let asked = self.referee.to_ask() == Some(seat);
        if asked && offence == Offence::IllegalMove {
            self.really_illegal(&line.detail)?;
        }
        let fault = Fault { offence, detail: line.detail.into_owned() };
        let event = if asked {
            self.referee.judge(Err(Failure::Fault(fault)), charge)
        } else if charge.is_some() {
            return Err(Problem::wrong("the seat owed no move, so no time can have run; expected no `ms`"));
        } else {
            self.referee.foul(seat, fault)
        };
        let Some(Event::Fouled(foul)) = event else {
            return Err(Problem::wrong(format!(
                "seat {} was removed before and can offend no more",
                line.seat
            )));
        };
        if foul.ruling.word() != line.ruling {
            let (given, conduct, right) = (line.ruling, self.header.conduct, foul.ruling.word());
            return Err(Problem::wrong(format!(
                "`ruling` is {given:?}; by the conduct {conduct} it is {right:?}"
            )));
        }
        if foul.legal != *line.legal {
            let right = some_of(&foul.legal);
            return Err(Problem::wrong(format!("`legal` is not the list of legal moves; expected {right}")));
        }
        Ok(Step::Fouled(seat))
    }

    /// A move that a foul says was illegal must not be legal. Other details are for people and are not read.
    fn really_illegal(&self, detail: &str) -> Result<(), Problem> {
        let sent = detail.strip_prefix("sent ").and_then(|rest| rest.split_once(": ")).map(|(sent, _)| sent);
        let position = self.referee.position();
        match sent.and_then(|text| position.parse_move(text).ok()) {
            Some(mv) if position.is_legal(mv) => {
                Err(Problem::wrong(format!("the move {mv} is called illegal, but it is legal here")))
            }
            _ => Ok(()),
        }
    }

    /// What an answer cost, compared with the clock and taken off it if it was a move.
    #[inline]
    fn charge(
        &mut self,
        seat: Seat,
        ms: Option<u64>,
        left_ms: Option<u64>,
        moved: bool,
    ) -> Result<Option<Charge>, Problem> {
        let (used, left) = match (ms, left_ms) {
            (None, None) => return Ok(None),
            (Some(ms), Some(left_ms)) => (Duration::from_millis(ms), Duration::from_millis(left_ms)),
            _ => return Err(Problem::wrong("`ms` and `left_ms` go together; expected both or none")),
        };
        let charged =
            if moved { self.clock.charge(seat, used, true) } else { self.clock.preview(seat, used) };
        let Some(expected) = charged else {
            return Err(Problem::wrong("there is no time control; expected neither `ms` nor `left_ms`"));
        };
        // What is used and what is left are both rounded down, so their sum may lose a millisecond.
        let lowest = expected.left.saturating_sub(Duration::from_millis(1));
        if left < lowest || left > expected.left {
            let (left, right) = (left.as_millis(), expected.left.as_millis());
            return Err(Problem::wrong(format!(
                "`left_ms` is {left}; the time control gives {right}, or 1 less"
            )));
        }
        if moved {
            self.clock.set_left(seat, left);
        }
        Ok(Some(Charge { used, left }))
    }

    fn stopped(&mut self, line: &StoppedLine<'_>) -> Result<Step, Problem> {
        let Some(cause @ (Cause::PlatformAbort | Cause::Cancelled)) = Cause::of_word(&line.cause) else {
            let given = &line.cause;
            return Err(Problem::wrong(format!(
                "`cause` is {given:?}; expected platform_abort or cancelled"
            )));
        };
        self.before_stop = Some(Box::new((self.referee.clone(), self.hash.clone(), self.n_bytes)));
        self.referee.stop(cause, line.sentence.clone().into_owned());
        Ok(Step::Stopped)
    }

    fn judged(&self, line: &VerdictLine<'_>) -> Result<(), Problem> {
        let Some(verdict) = self.referee.verdict() else {
            let seat = self.referee.to_ask().map_or(0, Seat::index);
            return Err(Problem::wrong(format!("the match is not over here; expected what seat {seat} did")));
        };
        let sha256 = hex(&self.hash);
        match line.difference(&VerdictLine::of(verdict, &sha256)) {
            None => Ok(()),
            Some(difference) => Err(Problem::Wrong(difference)),
        }
    }
}

/// The first position of a match.
fn start_of<S>(setup: &S, header: &Header) -> Result<S::Position, Problem>
where
    S: Setup<Position: Notation>,
{
    if header.custom_start {
        return S::Position::from_text(&header.start)
            .map_err(|error| Problem::wrong(format!("`start`: {error}")));
    }
    let start = setup.start();
    let text = start.to_text();
    if text == header.start {
        Ok(start)
    } else {
        let game = &header.game;
        Err(Problem::wrong(format!(
            "`start` is not how {game} begins; expected {text:?}, or \"custom_start\":true for another position"
        )))
    }
}

/// Moves for an error message.
fn some_of(moves: &[String]) -> String {
    const SHOWN: usize = 8;
    match moves.len() {
        0 => "none".to_owned(),
        n if n <= SHOWN => moves.join(" "),
        n => format!("{} and {} more", moves[..SHOWN].join(" "), n - SHOWN),
    }
}
