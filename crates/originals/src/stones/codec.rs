//! The same messages as JSON lines: what the referee's end writes and reads.

use std::time::Duration;

use rookery_games::stones::{self, Position};
use rookery_referee::{
    ChatBox, EventOf, Failure, Fault, Invitation, MAX_CHAT_LINES, Offence, Question, TimeControl,
};
use rookery_rules::{Position as _, Seat};
use rookery_wire::{Answer, Codec, Note, excerpt};
use serde::{Deserialize, Serialize};

use super::message::{Message, Move, PlayerId, Point, Update};
use super::narrator::{Narrator, id};
use super::player::judge;

/// The most lines of chat of one player in one match. What is beyond [`MAX_CHAT_LINES`] is not kept; what is beyond this
/// is a flood, and an offence.
pub const CHAT_FLOOD: usize = 5 * MAX_CHAT_LINES;

/// How much longer than usual the first answer of a program may take: it may still be starting.
pub const WARM_UP: Duration = Duration::from_secs(3);

/// The first line that a player gets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "message", deny_unknown_fields)]
pub enum Hello {
    /// The player takes its seat.
    Init {
        /// Its number.
        player: PlayerId,
        /// How many players there are.
        players: u8,
        /// Milliseconds for each move, if they are limited.
        time_ms: Option<u64>,
    },
}

/// A line that a player sends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Reply {
    /// Its move.
    Move(Step),
    /// Something it says, at any time.
    Chat(String),
}

/// A move, as a player sends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Where the stone stands.
    pub from: Point,
    /// Where it goes.
    pub to: Point,
    /// Who moves; it need not be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// Which turn it answers, the `turn` of the state that came with the question. It need not be said; if it is, an answer
    /// that comes too late or twice is never taken for another one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

/// The protocol, for one player.
#[derive(Debug)]
pub struct LineCodec {
    narrator: Narrator,
    seat: Option<Seat>,
    chat: Option<ChatBox>,
    n_lines: usize,
    time: Option<Duration>,
    warm_up: Duration,
    tell_eliminated: bool,
    /// The player has lost, and hears nothing more if it is not to.
    lost: bool,
}

impl LineCodec {
    /// The protocol; what else is to be known of the match is in the invitation to it.
    pub fn new() -> Self {
        Self {
            narrator: Narrator::new(),
            seat: None,
            chat: None,
            n_lines: 0,
            time: None,
            warm_up: WARM_UP,
            tell_eliminated: true,
            lost: false,
        }
    }

    /// The same with so much more time for the first answer instead of [`WARM_UP`].
    #[must_use]
    pub fn with_warm_up(self, warm_up: Duration) -> Self {
        Self { warm_up, ..self }
    }

    /// The same, but who has lost hears of it and then nothing more.
    #[must_use]
    pub fn without_eliminated(self) -> Self {
        Self { tell_eliminated: false, ..self }
    }

    /// A line that is no move: chat, if it is that.
    fn aside(&mut self, reply: &Reply) -> Result<bool, Fault> {
        let Reply::Chat(text) = reply else { return Ok(false) };
        if text.contains('\0') {
            return Err(Fault::new(Offence::Malformed, "a line of chat has a NUL in it"));
        }
        self.n_lines += 1;
        if self.n_lines > CHAT_FLOOD {
            return Err(Fault::new(Offence::OutputLimit, format!("more than {CHAT_FLOOD} lines of chat")));
        }
        if let Some(chat) = &self.chat {
            chat.say(text);
        }
        Ok(true)
    }
}

impl Default for LineCodec {
    fn default() -> Self {
        Self::new()
    }
}

/// What a player is to send.
const EXPECTED: &str = r#"{"move":{"from":[row,column],"to":[row,column]}} or {"chat":"text"}"#;

/// One line of JSON.
pub(super) fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("the messages have nothing that JSON cannot say");
    line.push(b'\n');
    line
}

/// What a line of a player says.
fn read(message: &[u8]) -> Result<Reply, Fault> {
    serde_json::from_slice(message).map_err(|error| {
        let problem = if serde_json::from_slice::<Message>(message).is_ok() {
            "Not a MOVE message".to_owned()
        } else {
            error.to_string()
        };
        Fault::new(Offence::Malformed, problem).sent(excerpt(message)).expected(EXPECTED)
    })
}

impl Codec<Position> for LineCodec {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        self.seat = Some(invitation.seat);
        self.chat = Some(invitation.chat.clone());
        self.time = match invitation.spec.time {
            TimeControl::PerMove(time) => Some(time),
            _ => None,
        };
    }

    /// The player's own `TurnTo`. It is sent with the question and not with the news, so that a quick answer does not
    /// come before the question.
    fn ask(&mut self, question: &Question<'_, Position>) -> Vec<u8> {
        self.warm_up = Duration::ZERO;
        let state = self.narrator.state().expect("the match has begun before anybody is asked");
        line(&Update { message: Message::TurnTo { player: id(question.seat) }, state: state.clone() })
    }

    fn expecting(&self) -> Option<String> {
        Some(r#"{"move":{"from":[row,column],"to":[row,column]}} as the answer to TurnTo"#.to_owned())
    }

    fn answer(&mut self, message: &[u8], position: &Position) -> Result<Answer<stones::Move>, Failure> {
        let reply = read(message)?;
        if self.aside(&reply)? {
            return Ok(Answer::Aside);
        }
        let Reply::Move(Step { from, to, player, turn }) = reply else { return Ok(Answer::Aside) };
        if let Some(turn) = turn.filter(|&turn| turn != position.turn()) {
            let note = format!("it answers turn {turn} and was asked at turn {}", position.turn());
            return Err(Fault::new(Offence::OutOfTurn, note).sent(excerpt(message)).into());
        }
        let own = position.to_move().map(id).unwrap_or_default();
        judge(Move { player: player.unwrap_or(own), from, to }, position).map(Answer::Move)
    }

    fn news(&mut self, event: &EventOf<Position>, position: &Position) -> Vec<Note> {
        let updates = self.narrator.tell(event);
        let own = self.seat.map(id).unwrap_or_default();
        let mut notes = vec![];
        if let rookery_referee::Event::Started(_) = event {
            let time_ms = self.time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
            let players = position.n_seats() as u8;
            notes.push(Note::new(line(&Hello::Init { player: own, players, time_ms })));
        }
        for update in &updates {
            if self.lost && !self.tell_eliminated {
                break;
            }
            self.lost |= update.message == Message::PlayerLost { player: own };
            if update.message != (Message::TurnTo { player: own }) {
                notes.push(Note::new(line(update)));
            }
        }
        notes
    }

    fn unasked(&mut self, message: &[u8]) -> Option<Fault> {
        let out_of_turn = |what: &str| {
            let fault = Fault::new(Offence::OutOfTurn, format!("{what} although it was not asked"));
            Some(fault.sent(excerpt(message)).expected("nothing but chat until it is asked"))
        };
        match read(message) {
            Ok(reply @ Reply::Chat(_)) => self.aside(&reply).err(),
            Ok(Reply::Move(_)) => out_of_turn("a move"),
            Err(_) => out_of_turn("no chat"),
        }
    }

    fn extra_time(&self, _: &Position) -> Duration {
        self.warm_up
    }
}
