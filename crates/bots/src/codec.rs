//! One match in the words of the protocol, for any game.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use rookery_referee::{
    ChatBox, Conduct, Event, EventOf, Failure, Fault, Foul, Info, Invitation, MatchSpec, Offence, Question,
    Retries, Ruling, Terms, TimeControl, Verdict,
};
use rookery_rules::{Notation, Picture, Seat};
use rookery_wire::{Answer, Codec, Note, excerpt};
use sha2::{Digest as _, Sha256};

use crate::message::{Choice, FromBot, Said};
use crate::others;
use crate::write::{Line, number, state, unknown_type};
use crate::{Code, Greeting, MAX_LEGAL};

/// Messages of a bot in one game that are thrown away: unknown types, errors. More are an offence.
const MAX_STRAY: u32 = 100;
/// The same for answers to earlier turns: whoever gives more is one move behind.
const MAX_LATE: u32 = 16;

/// Moves that a `reject` shows.
const SHOWN_LEGAL: usize = 10;

/// The most characters of a move that is read.
const MAX_MOVE: usize = 200;

/// Speaks the protocol for one match.
#[derive(Debug)]
pub struct BotCodec<P: Notation> {
    greeting: Arc<Greeting>,
    /// The longest answer without a time control, as it is told.
    cap: Duration,
    known: Option<Known>,
    /// The `new_game`, until it is sent.
    new_game: Option<Vec<u8>>,
    /// Of the last turn; each question on this link has another one.
    id: u64,
    /// Whether the last turn waits for its answer.
    is_open: bool,
    /// Whether it has said that it is ready: before that, what it says may belong to an earlier game on this link.
    is_ready: bool,
    /// What happened since the last turn.
    since: Vec<Since>,
    info: Option<Info>,
    n_stray: u32,
    n_late: u32,
    /// What was wrong with the last answer.
    misread: Option<Code>,
    replies: Vec<u8>,
    _game: PhantomData<fn(P)>,
}

/// What is known of the match.
#[derive(Debug)]
struct Known {
    seat: Seat,
    chat: ChatBox,
    spec: MatchSpec,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Since {
    Moved(Seat, String),
    Removed(Seat, &'static str),
    TakenBack(Seat, u64),
}

impl<P: Notation + Picture> BotCodec<P> {
    /// For a bot that has said hello.
    pub fn new(greeting: Arc<Greeting>) -> Self {
        Self {
            id: greeting.carried.last_turn(),
            greeting,
            cap: Terms::default().answer_cap,
            known: None,
            new_game: None,
            is_open: false,
            is_ready: false,
            since: vec![],
            info: None,
            n_stray: 0,
            n_late: 0,
            misread: None,
            replies: vec![],
            _game: PhantomData,
        }
    }

    fn known(&self) -> &Known {
        self.known.as_ref().expect("nothing is told to a bot that was not seated")
    }

    fn say(&self, text: &str) {
        self.known().chat.say(text);
    }

    /// An answer to an earlier question is thrown away, and said to be; an offence when it is too often.
    fn late(&mut self, id: u64, message: &[u8]) -> Result<(), Fault> {
        self.n_late += 1;
        if self.n_late > MAX_LATE {
            let note = format!("more than {MAX_LATE} answers to earlier turns");
            return Err(Fault::new(Offence::OutOfTurn, note).sent(excerpt(message)));
        }
        let why = format!("it answers turn {id}, and turn {} was the last", self.id);
        let reject =
            Line::new("reject").number("id", id).text("code", Code::Late.word()).text("message", &why);
        let reject = reject.text("sent", &excerpt(message)).texts("legal", [""; 0]);
        self.replies.extend(reject.maybe("chances", None::<u32>).end());
        Ok(())
    }

    /// Counts what is thrown away; an offence when it is too much.
    fn stray(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.n_stray += 1;
        if self.n_stray <= MAX_STRAY {
            return Ok(());
        }
        let note = format!("more than {MAX_STRAY} messages that nobody has asked for or of no known type");
        Err(Fault::new(Offence::OutputLimit, note).sent(excerpt(message)))
    }

    /// Whether a `ready` belongs to an earlier game, which was over before it came.
    fn is_ready_late(&self) -> bool {
        self.greeting.carried.pays_ready(u64::from(!self.is_ready))
    }

    /// What nobody knows is thrown away, and said to be.
    fn unknown(&mut self, kind: &str, message: &[u8]) -> Result<(), Fault> {
        self.stray(message)?;
        self.replies.extend(unknown_type(kind));
        Ok(())
    }

    /// Reads what a bot sent; what cannot be read is remembered for the `reject`.
    fn read(&mut self, message: &[u8]) -> Result<FromBot, Fault> {
        FromBot::read(message).map_err(|misread| {
            self.misread = Some(misread.code);
            misread.fault(message, self.expected())
        })
    }

    fn expected(&self) -> String {
        let id = self.id;
        format!(r#"{{"type":"move","id":{id},"move":"…"}} or {{"type":"move","id":{id},"index":0}}"#)
    }

    fn chosen(&mut self, said: &Said, message: &[u8], position: &P) -> Result<P::Move, Fault> {
        let unknown = |why: String| Fault::new(Offence::Malformed, why).sent(excerpt(message));
        let found = match &said.choice {
            Choice::Index(index) => position.legal_moves().nth(*index).ok_or_else(|| {
                let count = position.count_moves();
                let expected = format!("an index from 0 to {}", count.saturating_sub(1));
                unknown(format!("there is no legal move number {index}")).expected(expected)
            }),
            Choice::Text(text) if text.len() > MAX_MOVE => {
                Err(unknown("the move is too long".to_owned()).expected(format!("at most {MAX_MOVE} bytes")))
            }
            Choice::Text(text) => position
                .parse_move(text)
                .map_err(|error| unknown(format!("{:?} is no move", error.text)).expected(error.expected)),
        };
        found.inspect_err(|_| self.misread = Some(Code::UnknownMove))
    }

    /// What its own foul means to the bot; nothing if it hears nothing any more.
    fn reject(&mut self, foul: &Foul, position: &P) -> Option<Vec<u8>> {
        let code = self.misread.take().or_else(|| Code::of(foul.offence))?;
        let evidence = &foul.evidence;
        let message = rookery_referee::words::offence(foul.offence, evidence);
        let chances = match (foul.ruling, self.known().spec.conduct) {
            (Ruling::Removed | Ruling::Aborted, _) => Some(0),
            (Ruling::AskAgain, Conduct { retries: Retries::UntilDeadline, .. }) => None,
            (Ruling::AskAgain, Conduct { retries: Retries::Limited(retries), .. }) => {
                Some(retries.saturating_sub(evidence.refused).max(1))
            }
        };
        let line = Line::new("reject")
            .number("id", self.id)
            .text("code", code.word())
            .text("message", &message)
            .text("sent", evidence.sent.as_deref().unwrap_or_default())
            .texts("legal", position.legal_moves().take(SHOWN_LEGAL))
            .maybe("chances", chances)
            .end();
        Some(line)
    }

    fn game_over(&self, verdict: &Verdict) -> Vec<u8> {
        let Known { seat: own, spec, .. } = self.known();
        let cause_of = |seat: Seat| {
            let gone = verdict.removed.iter().find(|ending| ending.seat == Some(seat));
            gone.map(|ending| ending.cause.word())
        };
        let outcome = verdict.outcome.as_ref();
        Line::new("game_over")
            .text("cause", verdict.ending.cause.word())
            .maybe("seat", verdict.ending.seat.map(number))
            .text("message", &others::sentence(spec, verdict, *own))
            .number("plies", verdict.plies)
            .list("results", Seat::all(spec.n_seats()).zip(&spec.seats), |line, (seat, entry)| {
                let line = line
                    .number("seat", number(seat))
                    .text("name", others::name_of(entry))
                    .maybe("place", outcome.map(|outcome| outcome.places()[seat]))
                    .maybe("score", outcome.map(|outcome| outcome.scores[seat]));
                match cause_of(seat) {
                    Some(cause) => line.text("cause", cause),
                    None => line.maybe("cause", None::<u8>),
                }
            })
            .end()
    }
}

/// The randomness of one seat: neither the match's nor another seat's can be told from it.
fn seed_of(spec: &MatchSpec, seat: Seat) -> u64 {
    let mut hash = Sha256::new();
    hash.update(b"rookery seat seed");
    hash.update(spec.seed.0.to_le_bytes());
    hash.update([seat.index() as u8]);
    let digest = hash.finalize();
    u64::from_le_bytes(std::array::from_fn(|idx| digest[idx]))
}

fn time(line: Line, control: TimeControl, cap: Duration) -> Line {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    line.object("time", |line| match control {
        TimeControl::Untimed => line.text("mode", "none").number("cap_ms", ms(cap)),
        TimeControl::PerMove(time) => line.text("mode", "move").number("move_ms", ms(time)),
        TimeControl::Fischer { base, increment } => {
            line.text("mode", "game").number("base_ms", ms(base)).number("increment_ms", ms(increment))
        }
        TimeControl::Bank { per_move, bank } => {
            line.text("mode", "bank").number("move_ms", ms(per_move)).number("bank_ms", ms(bank))
        }
    })
}

fn new_game<M: std::fmt::Display>(
    known: &Known,
    cap: Duration,
    greeting: &Greeting,
    (start, moves): (&str, &[M]),
) -> Vec<u8> {
    let Known { seat, spec, .. } = known;
    let game = spec.game.split_once(':').map_or(&*spec.game, |(game, _)| game);
    let line = Line::new("new_game")
        .text("game", game)
        .text("spec", &spec.game)
        .number("seat", number(*seat))
        .list("seats", &spec.seats, |line, entry| {
            line.text("name", others::name_of(entry)).text("label", &entry.label)
        })
        .text("seed", &seed_of(spec, *seat).to_string());
    let line = time(line, spec.time, cap).text("position", start).texts("moves", moves);
    let line = match &greeting.seat_token {
        Some(token) => line.text("token", token),
        None => line,
    };
    line.number("reply_ms", u64::try_from(greeting.reply.as_millis()).unwrap_or(u64::MAX)).end()
}

impl<P: Notation + Picture> Codec<P> for BotCodec<P> {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        let known =
            Known { seat: invitation.seat, chat: invitation.chat.clone(), spec: invitation.spec.clone() };
        let start = invitation.start.to_text();
        self.new_game = Some(new_game(&known, self.cap, &self.greeting, (&start, invitation.moves)));
        self.known = Some(known);
    }

    fn ask(&mut self, question: &Question<'_, P>) -> Vec<u8> {
        self.id = self.greeting.carried.next_turn();
        self.is_open = true;
        self.info = None;
        self.misread = None;
        let position = question.position;
        let mut line = Line::new("turn")
            .number("id", self.id)
            .number("seat", number(question.seat))
            .number("ply", question.ply)
            .number("count", position.count_moves() as u64);
        if !self.greeting.delta {
            line = line
                .texts("legal", position.legal_moves().take(MAX_LEGAL))
                .text("position", &position.to_text());
            line = state(line, position);
        } else if self.since.iter().any(|since| !matches!(since, Since::Moved(..))) {
            // Moves alone do not lead there.
            line = line.text("position", &position.to_text());
        }
        line.list("moves", self.since.drain(..), |line, since| match since {
            Since::Moved(seat, mv) => line.number("seat", number(seat)).text("move", &mv),
            Since::Removed(seat, cause) => line.number("seat", number(seat)).text("removed", cause),
            Since::TakenBack(seat, to) => line.number("seat", number(seat)).number("taken_back_to", to),
        })
        .object("clock", |line| {
            let line = line.millis("answer_ms", question.time);
            if question.time.is_none() {
                return line.maybe("left_ms", None::<u8>);
            }
            let left = |seat| question.clock.left(seat).unwrap_or_default().as_millis();
            line.numbers("left_ms", Seat::all(position.n_seats()).map(left))
        })
        .end()
    }

    fn expecting(&self) -> Option<String> {
        Some(self.expected())
    }

    fn answer(&mut self, message: &[u8], position: &P) -> Result<Answer<P::Move>, Failure> {
        match self.read(message)? {
            FromBot::Move(said) if said.id < self.id => self.late(said.id, message)?,
            FromBot::Move(said) if said.id == self.id => {
                if let Some(text) = &said.say {
                    self.say(text);
                }
                let mv = self.chosen(&said, message, position)?;
                return Ok(match said.info.or(self.info.take()) {
                    Some(info) => Answer::MoveWith(mv, info),
                    None => Answer::Move(mv),
                });
            }
            FromBot::Resign(id) if id == self.id => return Err(Failure::Resigned),
            FromBot::Resign(id) if id < self.id => self.late(id, message)?,
            FromBot::Move(Said { id, .. }) | FromBot::Resign(id) => {
                self.misread = Some(Code::MissingField);
                let fault = Fault::new(Offence::Malformed, format!("there was no turn {id} yet"));
                return Err(fault.sent(excerpt(message)).expected(self.expected()).into());
            }
            FromBot::Say(text) => self.say(&text),
            FromBot::Info(info) => self.info = Some(info),
            FromBot::Error => self.stray(message)?,
            FromBot::Unknown(kind) => self.unknown(&kind, message)?,
            FromBot::Ready if self.is_ready_late() => self.stray(message)?,
            FromBot::Hello(_) | FromBot::Ready => {
                let fault = Fault::new(Offence::Malformed, "a move was asked for");
                return Err(fault.sent(excerpt(message)).expected(self.expected()).into());
            }
        }
        Ok(Answer::Aside)
    }

    fn news(&mut self, event: &EventOf<P>, position: &P) -> Vec<Note> {
        let own = self.known().seat;
        let message = match event {
            Event::Started(_) => {
                let message = self.new_game.take().unwrap_or_default();
                self.greeting.carried.asks_ready();
                return vec![
                    Note::with_reply(message).within(self.greeting.reply).expecting(r#"{"type":"ready"}"#),
                ];
            }
            Event::Moved { seat, mv, charge, .. } if *seat == own && self.is_open => {
                self.is_open = false;
                Line::new("moved")
                    .number("id", self.id)
                    .text("move", &mv.to_string())
                    .millis("used_ms", charge.map(|charge| charge.used))
                    .millis("left_ms", charge.map(|charge| charge.left))
                    .end()
            }
            Event::Moved { seat, mv, .. } => {
                self.since.push(Since::Moved(*seat, mv.to_string()));
                return vec![];
            }
            Event::Said { seat, text } => {
                Line::new("said").number("seat", number(*seat)).text("text", text).end()
            }
            Event::Fouled(foul) if foul.seat == own => {
                self.is_open = false;
                match self.reject(foul, position) {
                    Some(reject) => reject,
                    None => return vec![],
                }
            }
            Event::Fouled(foul) => {
                if foul.ruling == Ruling::Removed {
                    self.since.push(Since::Removed(foul.seat, foul.offence.word()));
                }
                return vec![];
            }
            Event::Resigned { seat } => {
                self.is_open &= *seat != own;
                self.since.push(Since::Removed(*seat, "resigned"));
                return vec![];
            }
            Event::TakenBack { seat, to } => {
                self.since.push(Since::TakenBack(*seat, *to));
                return vec![];
            }
            Event::Drawn | Event::Adjudicated { .. } => return vec![],
            Event::Ended(verdict) => self.game_over(verdict),
        };
        vec![Note::new(message)]
    }

    fn acknowledged(&mut self, reply: &[u8]) -> Result<bool, Fault> {
        const READY: &str = r#"{"type":"ready"}"#;
        let read = FromBot::read(reply).map_err(|misread| {
            self.misread = Some(misread.code);
            misread.fault(reply, READY)
        })?;
        match read {
            FromBot::Ready => {
                self.greeting.carried.pays_ready(0);
                self.is_ready = true;
                return Ok(true);
            }
            FromBot::Say(text) => self.say(&text),
            // Of an earlier game on the same link.
            FromBot::Move(_) | FromBot::Resign(_) | FromBot::Info(_) | FromBot::Error => self.stray(reply)?,
            FromBot::Unknown(kind) => self.unknown(&kind, reply)?,
            FromBot::Hello(_) => {
                return Err(Fault::new(Offence::Malformed, "it was to get ready")
                    .sent(excerpt(reply))
                    .expected(READY));
            }
        }
        Ok(false)
    }

    fn replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    fn tells_answers_apart(&self) -> bool {
        true
    }

    fn unasked(&mut self, message: &[u8]) -> Option<Fault> {
        let early = || {
            let fault = Fault::new(Offence::OutOfTurn, "it was not asked").sent(excerpt(message));
            fault.expected("nothing but `say` until it is asked")
        };
        let Ok(read) = FromBot::read(message) else { return Some(early()) };
        match read {
            FromBot::Say(text) => {
                self.say(&text);
                None
            }
            // Of an earlier game on the same link.
            FromBot::Move(Said { id, .. }) | FromBot::Resign(id) if !self.is_ready && id <= self.id => {
                self.stray(message).err()
            }
            FromBot::Move(Said { id, .. }) | FromBot::Resign(id) if !self.is_open && id <= self.id => {
                self.late(id, message).err()
            }
            FromBot::Ready if self.is_ready_late() => self.stray(message).err(),
            FromBot::Info(_) | FromBot::Error => self.stray(message).err(),
            FromBot::Unknown(kind) => self.unknown(&kind, message).err(),
            FromBot::Move(_) | FromBot::Resign(_) | FromBot::Hello(_) | FromBot::Ready => Some(early()),
        }
    }
}
