//! From the referee's events to the messages of the original.

use rookery_games::stones::{self, Position};
use rookery_referee::{Event, EventOf, Evidence, Foul, Ruling, Verdict, words};
use rookery_rules::{Position as _, Seat};

use super::message::{FREE, Message, Move, PlayerId, Stage, State, Update};

/// Turns the referee's events into messages, in the order of the original's text: `Hit`, `PlayerLost`, `Move`,
/// `PlayerWon`, or `TurnTo` the next player who is still in the game. Whoever is removed loses all stones.
///
/// No I/O and no player in it: the same events give the same messages.
#[derive(Clone, Default, Debug)]
pub struct Narrator {
    now: Option<(Position, State)>,
    /// Why the game was aborted.
    error: Option<String>,
}

impl Narrator {
    /// Nothing was told yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How the game is now, once it has begun.
    pub fn state(&self) -> Option<&State> {
        self.now.as_ref().map(|(_, state)| state)
    }

    /// The messages of one event, each with the state after it.
    pub fn tell(&mut self, event: &EventOf<Position>) -> Vec<Update> {
        if let Event::Started(position) = event {
            self.now = Some((Position::clone(position), State::of(position)));
        }
        let Some((position, state)) = &mut self.now else { return vec![] };
        let mut telling = Telling { state, updates: vec![] };
        match event {
            Event::Started(_) => {
                let board = telling.state.board.clone();
                telling.say(Message::GameStart { board });
                telling.turn_to(position);
            }
            Event::Moved { seat, mv, .. } => {
                position.play_unchecked(*mv);
                telling.moved(*seat, *mv, position);
            }
            Event::Resigned { seat } => telling.remove(*seat, position),
            Event::Fouled(foul) => match foul.ruling {
                Ruling::AskAgain => {}
                Ruling::Removed => telling.remove(foul.seat, position),
                Ruling::Aborted => self.error = Some(error_of(foul)),
            },
            // The original has neither, so nobody can ask for them where its messages are told.
            Event::TakenBack { .. } | Event::Drawn | Event::Adjudicated { .. } | Event::Said { .. } => {}
            Event::Ended(verdict) => telling.ended(verdict, position, self.error.take()),
        }
        telling.updates
    }
}

/// What is wrong with a player, in the original's words.
pub fn error_of(foul: &Foul) -> String {
    let Evidence { sent, note, expected, exit, .. } = &foul.evidence;
    let mut parts = vec![];
    match (sent, note.as_str()) {
        (Some(sent), "") => parts.push(format!("sent {sent}")),
        (Some(sent), note) => parts.push(format!("sent {sent}: {note}")),
        (None, "") => {}
        (None, note) => parts.push(note.to_owned()),
    }
    parts.extend(expected.as_ref().map(|expected| format!("expected {expected}")));
    parts.extend(exit.as_ref().map(|exit| format!("the program ended: {exit}")));
    if parts.is_empty() {
        parts.push(foul.offence.to_string());
    }
    format!("Player {} made an error: {}", foul.seat.index(), parts.join("; "))
}

pub(super) fn id(seat: Seat) -> PlayerId {
    seat.index() as PlayerId
}

/// The messages of one event, while they are put together.
struct Telling<'a> {
    state: &'a mut State,
    updates: Vec<Update>,
}

impl Telling<'_> {
    fn say(&mut self, message: Message) {
        self.updates.push(Update { message, state: self.state.clone() });
    }

    fn moved(&mut self, seat: Seat, mv: stones::Move, after: &Position) {
        let hit = self.state.get(mv.to.into()).filter(|&tile| tile != FREE);
        if let Some(hit) = hit {
            let player = hit.unsigned_abs();
            self.state.put(mv.to, FREE);
            self.say(Message::Hit { player, at: mv.to.into(), by: Some(id(seat)) });
            self.lost_if_out(player);
        }
        self.state.put(mv.from, FREE);
        self.state.put(mv.to, id(seat) as i8);
        self.say(Message::Move(Move { player: id(seat), from: mv.from.into(), to: mv.to.into() }));
        self.won_or_next(after);
    }

    /// The player loses all stones, one after the other.
    fn remove(&mut self, seat: Seat, position: &mut Position) {
        for point in self.state.stones(id(seat)).collect::<Vec<_>>() {
            let tile = point.tile().expect("a stone stands on the board");
            self.state.put(tile, FREE);
            self.say(Message::Hit { player: id(seat), at: point, by: None });
        }
        let had_turn = self.state.player == Some(id(seat));
        self.lost_if_out(id(seat));
        position.remove(seat);
        if had_turn || position.to_move().is_none() {
            self.won_or_next(position);
        }
    }

    fn lost_if_out(&mut self, player: PlayerId) {
        if self.state.stones(player).next().is_none() {
            self.state.playing[usize::from(player)] = false;
            self.say(Message::PlayerLost { player });
        }
    }

    fn won_or_next(&mut self, after: &Position) {
        match (after.to_move(), after.playing().iter().next()) {
            (None, Some(winner)) if after.playing().len() == 1 => {
                self.finish();
                self.say(Message::PlayerWon { player: id(winner) });
            }
            _ => self.turn_to(after),
        }
    }

    /// Nothing at a draw, which the end of the match tells of.
    fn turn_to(&mut self, position: &Position) {
        if let Some(seat) = position.to_move() {
            self.state.player = Some(id(seat));
            self.state.turn = position.turn();
            self.state.stage = Stage::Playing;
            self.say(Message::TurnTo { player: id(seat) });
        }
    }

    fn finish(&mut self) {
        self.state.player = None;
        self.state.stage = Stage::Finished;
    }

    /// Nothing if somebody won, which was told already.
    fn ended(&mut self, verdict: &Verdict, position: &Position, error: Option<String>) {
        if self.state.stage == Stage::Finished {
            return;
        }
        self.finish();
        let winners = verdict.outcome.iter().flat_map(|outcome| outcome.winners.iter()).map(id).collect();
        let reason = error.unwrap_or_else(|| match position.to_move() {
            None => draw_of(position),
            Some(_) => words::verdict(verdict, &|seat| format!("player {}", seat.index())),
        });
        self.say(Message::GameOver { winners, reason });
    }
}

/// Which cap made it a draw.
fn draw_of(position: &Position) -> String {
    let limits = position.limits();
    if position.quiet() >= limits.quiet {
        format!("a draw: {} turns without a hit", limits.quiet)
    } else {
        format!("a draw: {} turns in all", limits.turns)
    }
}
