//! Judging a match again from its record.

use std::time::Duration;

use rookery_referee::{
    Cause, Event, EventOf, Failure, Fault, MAX_CHAT_CHARS, MatchSpec, Offence, Referee, TimeControl, Verdict,
};
use rookery_rules::{GameSpec, Notation, Position, Seat, Setup};
use sha2::{Digest, Sha256};

use crate::writer::hex;
use crate::{
    FouledLine, Header, Line, MovedLine, Problem, Resumed, SaidLine, StoppedLine, TakenBackLine, VerdictLine,
};

/// The moves for which there is room at once.
const USUAL_PLIES: usize = 512;

/// A match that is judged again, line by line.
///
/// A referee gets the answers that the lines tell of, and must come to what they say came of them.
#[derive(Clone, Debug)]
pub struct Replay<P: Position> {
    header: Header,
    referee: Referee<P>,
    /// All moves that stand, those of the opening included.
    moves: Vec<P::Move>,
    /// How many of them are the opening's.
    n_before: usize,
    /// What the last line told.
    event: Option<EventOf<P>>,
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
    /// A seat took moves back.
    TakenBack(Seat),
    /// The players agreed on a draw.
    Drawn,
    /// The result was proved.
    Adjudicated,
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
        let (start, mut moves) = first_position::<S>(&header.spec)?;
        let text = start.to_text();
        if header.position != text {
            return Err(Problem::wrong(format!(
                "`position` is not where this match begins; expected {text:?}"
            )));
        }
        let referee = Referee::of_spec(&header.spec, start);
        let hash = Sha256::new_with_prefix(line);
        let n_bytes = line.len() as u64;
        let n_before = moves.len();
        // So that the moves of a usual match need no more room.
        moves
            .reserve(usize::try_from(referee.position().max_plies()).unwrap_or(USUAL_PLIES).min(USUAL_PLIES));
        Ok(Self {
            header,
            referee,
            moves,
            n_before,
            event: None,
            n_lines: 1,
            n_bytes,
            hash,
            before_stop: None,
            ended: false,
        })
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
                let seat = self.seat(resigned.seat)?;
                self.event = self.referee.resign(seat);
                if self.event.is_none() {
                    let given = resigned.seat;
                    return Err(Problem::wrong(format!(
                        "seat {given} was out before and can resign no more"
                    )));
                }
                Step::Resigned(seat)
            }
            Line::Fouled(fouled) => self.fouled(fouled)?,
            Line::TakenBack(line) => self.taken_back(&line)?,
            Line::Drawn(_) => {
                self.event = self.referee.draw();
                Step::Drawn
            }
            Line::Adjudicated(line) => {
                let seats = self.referee.position().n_seats();
                if line.winner.is_some_and(|seat| usize::from(seat) >= seats) {
                    return Err(Problem::wrong("`winner` is no seat of this match"));
                }
                self.event = self.referee.adjudicate(line.winner.map(Seat::new));
                Step::Adjudicated
            }
            Line::Stopped(stopped) => self.stopped(&stopped)?,
            Line::Verdict(verdict) => {
                self.judged(&verdict)?;
                self.ended = true;
                self.event = self.referee.verdict().cloned().map(Box::new).map(Event::Ended);
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

    /// What the last line told, as it happened; `None` after the header and after a stop.
    pub fn event(&self) -> Option<&EventOf<P>> {
        self.event.as_ref()
    }

    /// The moves of the match that stand, without those of an opening.
    pub fn moves(&self) -> &[P::Move] {
        &self.moves[self.n_before..]
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
            game: self.header.spec.game.clone(),
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
    pub fn into_resumed(self) -> Result<Resumed<P>, Problem> {
        if self.ended {
            return Err(Problem::Finished);
        }
        let Self { header, referee, moves, n_bytes, hash, before_stop, .. } = self;
        // A stop without its verdict is void: the match goes on from before it.
        let (referee, hash, n_bytes) = match before_stop {
            Some(before) => *before,
            None => (referee, hash, n_bytes),
        };
        Ok(Resumed { header, referee, moves, n_bytes, hash })
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
        self.asked(line.seat)?;
        let mv = line.mv.parse::<P::Move>().map_err(|error| Problem::wrong(error.to_string()))?;
        let used = self.used(line.ms, line.left_ms)?;
        if used.is_none() && self.header.spec.time != TimeControl::Untimed {
            let time = self.header.spec.time;
            return Err(Problem::wrong(format!(
                "`ms` and `left_ms` are missing; the time control is {time}"
            )));
        }
        if line.info.as_ref().is_some_and(|info| !info.is_bounded()) {
            return Err(Problem::wrong("`info` is longer than a record's, or has control characters"));
        }
        match self.referee.judge(Ok(mv), used) {
            Some(Event::Moved { seat, mv, charge, .. }) => {
                check_left(line.left_ms, charge.map(|charge| charge.left))?;
                self.moves.push(mv);
                let info = line.info.as_ref().map(|info| Box::new(info.clone().into_owned()));
                self.event = Some(Event::Moved { seat, mv, charge, info });
                Ok(Step::Moved(seat))
            }
            Some(Event::Fouled(foul)) => Err(Problem::wrong(format!(
                "illegal move {mv}: {}; legal were {}",
                foul.evidence.note,
                some_of(&foul.evidence.legal)
            ))),
            _ => Err(Problem::wrong("the move was not played; expected a legal one")),
        }
    }

    fn taken_back(&mut self, line: &TakenBackLine) -> Result<Step, Problem> {
        let seat = self.seat(line.seat)?;
        let Some(event) = self.referee.take_back(seat, line.to) else {
            return Err(Problem::wrong(format!(
                "seat {} cannot take back all moves from number {} on: the match is not casual, there is no such move, \
                 or it was another seat's",
                line.seat, line.to
            )));
        };
        self.moves.truncate(self.n_before + usize::try_from(line.to).unwrap_or(usize::MAX));
        self.event = Some(event);
        Ok(Step::TakenBack(seat))
    }

    fn said(&mut self, line: &SaidLine<'_>) -> Result<Step, Problem> {
        let seat = self.seat(line.seat)?;
        if line.text.chars().count() > MAX_CHAT_CHARS || line.text.chars().any(char::is_control) {
            return Err(Problem::wrong(format!(
                "`text` must have at most {MAX_CHAT_CHARS} characters and no control characters"
            )));
        }
        self.event = Some(Event::Said { seat, text: line.text.clone().into_owned() });
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
        let used = self.used(line.ms, line.left_ms)?;
        let asked = self.referee.to_ask() == Some(seat);
        if asked && offence == Offence::IllegalMove {
            self.really_illegal(line.evidence.sent.as_deref())?;
        }
        let fault = Fault::with(offence, line.evidence.clone().into_owned());
        let event = if asked {
            self.referee.judge(Err(Failure::Fault(fault)), used)
        } else if used.is_some() {
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
        check_left(line.left_ms, foul.charge.map(|charge| charge.left))?;
        if foul.ruling.word() != line.ruling {
            let (given, conduct, right) = (line.ruling, self.header.spec.conduct, foul.ruling.word());
            return Err(Problem::wrong(format!(
                "`ruling` is {given:?}; by the conduct {conduct} it is {right:?}"
            )));
        }
        if foul.evidence.legal != line.evidence.legal {
            let right = some_of(&foul.evidence.legal);
            return Err(Problem::wrong(format!("`legal` is not the list of legal moves; expected {right}")));
        }
        if foul.evidence != *line.evidence {
            return Err(Problem::wrong(
                "`evidence` is longer than a record's, or `refused` is not the number of refusals before",
            ));
        }
        self.event = Some(Event::Fouled(foul));
        Ok(Step::Fouled(seat))
    }

    /// A move that a foul says was illegal must not be legal. What cannot be read as a move is none.
    fn really_illegal(&self, sent: Option<&str>) -> Result<(), Problem> {
        let position = self.referee.position();
        match sent.and_then(|text| position.parse_move(text).ok()) {
            Some(mv) if position.is_legal(mv) => {
                Err(Problem::wrong(format!("the move {mv} is called illegal, but it is legal here")))
            }
            _ => Ok(()),
        }
    }

    /// How long an answer took, as its line says.
    #[inline]
    fn used(&self, ms: Option<u64>, left_ms: Option<u64>) -> Result<Option<Duration>, Problem> {
        match (ms, left_ms) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) if self.header.spec.time == TimeControl::Untimed => {
                Err(Problem::wrong("there is no time control; expected neither `ms` nor `left_ms`"))
            }
            (Some(ms), Some(_)) => Ok(Some(Duration::from_millis(ms))),
            _ => Err(Problem::wrong("`ms` and `left_ms` go together; expected both or none")),
        }
    }

    fn stopped(&mut self, line: &StoppedLine<'_>) -> Result<Step, Problem> {
        let Some(cause @ (Cause::PlatformAbort | Cause::Cancelled)) = Cause::of_word(&line.cause) else {
            let given = &line.cause;
            return Err(Problem::wrong(format!(
                "`cause` is {given:?}; expected platform_abort or cancelled"
            )));
        };
        let seat = line.seat.map(|index| self.seat(index)).transpose()?;
        self.before_stop = Some(Box::new((self.referee.clone(), self.hash.clone(), self.n_bytes)));
        self.referee.stop(cause, seat, line.note.clone().into_owned());
        self.event = None;
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

/// The first position of the match that a spec describes, and the moves of its opening.
pub(crate) fn first_position<S>(spec: &MatchSpec) -> Result<(S::Position, Vec<Move<S>>), Problem>
where
    S: Setup<Position: Notation>,
{
    let in_game = |error: &dyn std::fmt::Display| Problem::wrong(format!("`game`: {error}"));
    let game = GameSpec::parse(&spec.game).map_err(|error| in_game(&error))?;
    if game.game != S::GAME {
        let (given, expected) = (&game.game, S::GAME);
        return Err(Problem::wrong(format!("`game`: the record is of {given}; expected one of {expected}")));
    }
    let setup = S::from_spec(&game).map_err(|error| in_game(&error))?;
    let first = spec.first_position(setup.start()).map_err(|error| Problem::wrong(error.to_string()))?;
    let n_seats = first.0.n_seats();
    if spec.n_seats() != n_seats {
        let given = spec.n_seats();
        return Err(Problem::wrong(format!(
            "`seats` has {given} entries; {} has {n_seats} seats",
            spec.game
        )));
    }
    Ok(first)
}

type Move<S> = <<S as Setup>::Position as Position>::Move;

/// What is left on a clock must be what the time control gives.
fn check_left(left_ms: Option<u64>, expected: Option<Duration>) -> Result<(), Problem> {
    match (left_ms, expected) {
        (Some(left), Some(right)) if u128::from(left) != right.as_millis() => {
            let right = right.as_millis();
            Err(Problem::wrong(format!("`left_ms` is {left}; the time control gives {right}")))
        }
        _ => Ok(()),
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
