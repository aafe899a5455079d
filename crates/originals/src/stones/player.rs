//! Players written in Rust against the original's interface.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rookery_games::stones::{self, Position};
use rookery_referee::{
    Answering, BoxFuture, EventOf, Failure, Fault, Invitation, Offence, Player as AtTable, Question,
};
use rookery_rules::{Position as _, Seat};
use tokio::sync::oneshot;

use super::message::{Message, Move, PlayerId, State, Update};
use super::narrator::{Narrator, id};

/// A player: it is told what happens, and asked for its moves.
///
/// An [`Audience`] seats one at a table.
pub trait Player: Send {
    /// The game is about to begin. The chat box knows the player's number, and takes whatever it wants to say.
    fn initialize(&mut self, chat: Chat) {
        let _ = chat;
    }

    /// Something happened, and the state is how the game is now.
    fn update(&mut self, message: &Message, state: &State) {
        let _ = (message, state);
    }

    /// It is the player's turn.
    fn next_move(&mut self) -> Move;
}

/// Where a player says something. Saying something never waits, never fails, and never changes the game.
#[derive(Clone)]
pub struct Chat {
    player: PlayerId,
    say: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Chat {
    /// The box of a player, and what becomes of a line.
    pub fn new(player: PlayerId, say: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { player, say: Arc::new(say) }
    }

    /// The number of the player it belongs to.
    pub fn player(&self) -> PlayerId {
        self.player
    }

    /// Says a line.
    pub fn say(&self, text: &str) {
        (self.say)(text);
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chat({})", self.player)
    }
}

/// The players of a match that live in this process. They are told together: each message goes to all of them, in the
/// order of their numbers, and then the next.
#[derive(Clone, Default)]
pub struct Audience(Arc<Mutex<Told>>);

#[derive(Default)]
struct Told {
    narrator: Narrator,
    /// How many events were told.
    n_events: u64,
    listeners: Vec<Listener>,
}

struct Listener {
    seat: Option<Seat>,
    mind: Box<dyn Mind>,
    /// What it did wrong; it is told nothing more then.
    fault: Option<Fault>,
}

impl Audience {
    /// Seats a player that thinks where the match runs. One that never answers is never interrupted.
    pub fn inline(&self, player: impl Player + 'static) -> Box<dyn AtTable<Position>> {
        self.seat(Inline(Box::new(player)))
    }

    /// Seats a player that thinks in a thread of its own, so that it can be late.
    pub fn threaded(&self, player: impl Player + 'static) -> Box<dyn AtTable<Position>> {
        self.seat(Threaded::start(player))
    }

    fn seat(&self, mind: impl Mind + 'static) -> Box<dyn AtTable<Position>> {
        let mut told = self.told();
        told.listeners.push(Listener { seat: None, mind: Box::new(mind), fault: None });
        Box::new(Seated { audience: self.clone(), idx: told.listeners.len() - 1, n_heard: 0 })
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        // A player that panics is caught before it could leave anything half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audience({})", self.told().listeners.len())
    }
}

impl Told {
    /// Tells all players what an event means, each message to all before the next.
    fn tell(&mut self, event: &EventOf<Position>) {
        self.n_events += 1;
        let mut order: Vec<usize> = (0..self.listeners.len()).collect();
        order.sort_by_key(|&idx| self.listeners[idx].seat.map(Seat::index));
        for update in self.narrator.tell(event) {
            for &idx in &order {
                self.listeners[idx].note(|mind| mind.update(&update));
            }
        }
    }
}

impl Listener {
    fn note(&mut self, work: impl FnOnce(&mut dyn Mind) -> Result<(), Fault>) {
        if self.fault.is_none() {
            self.fault = work(&mut *self.mind).err();
        }
    }
}

/// What a move means: one that the rules can judge, or what speaks against it, in the original's order and words.
pub(super) fn judge(mv: Move, position: &Position) -> Result<stones::Move, Failure> {
    let seat = position.to_move().map(id);
    match mv.of_rules() {
        Some(mv_of_rules) if Some(mv.player) == seat => Ok(mv_of_rules),
        _ => {
            let Move { player, from, to } = mv;
            let fault = Fault::new(Offence::IllegalMove, reasons(mv, position).join(", "));
            Err(fault.sent(format!("{from}-{to} as player {player}")).into())
        }
    }
}

/// Everything that speaks against a move of the player who has the turn, in the original's order and words; that the tiles
/// must be adjacent comes last, since the original never asked.
///
/// ```
/// use rookery_games::stones::Position;
/// use rookery_originals::stones::{Move, Point, reasons};
/// use rookery_rules::Notation;
///
/// let position = Position::from_text("0 00/../11")?;
/// let mv = |from, to, player| Move { player, from, to };
/// assert!(reasons(mv(Point::new(0, 0), Point::new(1, 1), 0), &position).is_empty());
/// assert_eq!(
///     reasons(mv(Point::new(0, -1), Point::new(0, 1), 1), &position),
///     ["'From' out of bounds", "'To' occupied by this player", "Wrong player ID provided"]
/// );
/// # Ok::<(), rookery_rules::ParsePositionError>(())
/// ```
pub fn reasons(mv: Move, position: &Position) -> Vec<String> {
    // A tile that the rules do not know lies outside of every board, as this one does.
    let tile = |point: super::Point| point.tile().unwrap_or(stones::Tile::new(u8::MAX, u8::MAX));
    let by_rules = position.reasons(stones::Move { from: tile(mv.from), to: tile(mv.to) });
    let wrong_player = position.to_move().map(id) != Some(mv.player);
    let (last, first): (Vec<_>, Vec<_>) =
        by_rules.into_iter().partition(|&reason| reason == stones::Reason::NotAdjacent);
    let first = first.iter().map(ToString::to_string);
    let wrong_player = wrong_player.then(|| "Wrong player ID provided".to_owned());
    first.chain(wrong_player).chain(last.iter().map(ToString::to_string)).collect()
}

/// A player at the table.
struct Seated {
    audience: Audience,
    idx: usize,
    /// How many events it has heard: whoever hears one first has all of them told.
    n_heard: u64,
}

/// Where a player thinks.
trait Mind: Send {
    fn initialize(&mut self, chat: Chat) -> Result<(), Fault>;
    fn update(&mut self, update: &Update) -> Result<(), Fault>;
    fn next_move<'a>(&mut self, position: &'a Position) -> Answering<'a, stones::Move>;
}

impl AtTable<Position> for Seated {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        let (seat, chat) = (invitation.seat, invitation.chat.clone());
        let listener = &mut self.audience.told().listeners[self.idx];
        listener.seat = Some(seat);
        listener.note(|mind| mind.initialize(Chat::new(id(seat), move |text| chat.say(text))));
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, stones::Move> {
        self.audience.told().listeners[self.idx].mind.next_move(question.position)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        _: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let mut told = self.audience.told();
        if told.n_events == self.n_heard {
            told.tell(event);
        }
        self.n_heard += 1;
        let fault = told.listeners[self.idx].fault.clone()?;
        Some(Box::pin(async { Err(fault) }))
    }
}

/// Runs the player's code; a panic in it is the player's fault.
fn guarded<T>(code: impl FnOnce() -> T) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|panic| {
        let said = said(&*panic);
        Fault::new(Offence::Crashed, format!("the player panicked: {said}"))
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    panic.downcast_ref::<&str>().copied().or_else(owned).unwrap_or("no message")
}

struct Inline(Box<dyn Player>);

impl Mind for Inline {
    fn initialize(&mut self, chat: Chat) -> Result<(), Fault> {
        guarded(|| self.0.initialize(chat))
    }

    fn update(&mut self, update: &Update) -> Result<(), Fault> {
        guarded(|| self.0.update(&update.message, &update.state))
    }

    fn next_move<'a>(&mut self, position: &'a Position) -> Answering<'a, stones::Move> {
        let answer = guarded(|| self.0.next_move()).map_err(Failure::from);
        Answering::Now(answer.and_then(|mv| judge(mv, position)))
    }
}

struct Threaded(mpsc::Sender<Job>);

enum Job {
    Initialize(Chat),
    Update(Box<Update>),
    NextMove(oneshot::Sender<Result<Move, Fault>>),
}

impl Threaded {
    /// The thread ends with the player, once it has done what it is at.
    fn start(mut player: impl Player + 'static) -> Self {
        let (jobs, inbox) = mpsc::channel();
        thread::spawn(move || {
            let mut state: Result<(), Fault> = Ok(());
            for job in inbox {
                match job {
                    Job::NextMove(answer) => {
                        let mv = state.clone().and_then(|()| guarded(|| player.next_move()));
                        // Nobody waits any more if the deadline has passed.
                        let _ = answer.send(mv);
                    }
                    // A player that panicked is not told anything more.
                    _ if state.is_err() => {}
                    Job::Initialize(chat) => state = guarded(|| player.initialize(chat)),
                    Job::Update(update) => {
                        state = guarded(|| player.update(&update.message, &update.state));
                    }
                }
            }
        });
        Self(jobs)
    }
}

/// The thread never ends before the player does, and if it did the answer would not come: so sending needs no check.
impl Mind for Threaded {
    fn initialize(&mut self, chat: Chat) -> Result<(), Fault> {
        let _ = self.0.send(Job::Initialize(chat));
        Ok(())
    }

    fn update(&mut self, update: &Update) -> Result<(), Fault> {
        let _ = self.0.send(Job::Update(Box::new(update.clone())));
        Ok(())
    }

    fn next_move<'a>(&mut self, position: &'a Position) -> Answering<'a, stones::Move> {
        let (sender, answer) = oneshot::channel();
        let _ = self.0.send(Job::NextMove(sender));
        Answering::Later(Box::pin(async move {
            let gone = |_| Fault::new(Offence::Crashed, "the player's thread ended");
            judge(answer.await.map_err(gone)??, position)
        }))
    }
}
