//! Players written in Rust against the original's interface.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;

use rookery_games::stones::{self, Position};
use rookery_referee::{
    Answering, BoxFuture, ChatBox, EventOf, Failure, Fault, Offence, Player as AtTable, Question,
};
use rookery_rules::{Position as _, Seat};
use tokio::sync::oneshot;

use super::message::{Message, Move, PlayerId, State, Update};
use super::narrator::{Narrator, id};

/// A player: it is told what happens, and asked for its moves.
///
/// [`inline`] and [`threaded`] seat one at a table.
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

/// Seats a player that thinks where the match runs. All players are so told everything in the order of their numbers. One
/// that never answers is never interrupted.
pub fn inline(player: impl Player + 'static) -> Box<dyn AtTable<Position>> {
    Box::new(Seated { mind: Inline(Box::new(player)), narrator: Narrator::new(), seat: None })
}

/// Seats a player that thinks in a thread of its own, so that it can be late.
pub fn threaded(player: impl Player + 'static) -> Box<dyn AtTable<Position>> {
    Box::new(Seated { mind: Threaded::start(player), narrator: Narrator::new(), seat: None })
}

/// What a move means: one that the rules can judge, or what speaks against it, in the original's order and words.
pub(super) fn judge(mv: Move, position: &Position) -> Result<stones::Move, Failure> {
    let seat = position.to_move().map(id);
    match mv.of_rules() {
        Some(mv_of_rules) if Some(mv.player) == seat => Ok(mv_of_rules),
        _ => {
            let Move { player, from, to } = mv;
            let detail = format!("sent {from}-{to} as player {player}: {}", reasons(mv, position).join(", "));
            Err(Fault::new(Offence::IllegalMove, detail).into())
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

/// A player at the table, told by a narrator.
struct Seated<M> {
    mind: M,
    narrator: Narrator,
    seat: Option<Seat>,
}

/// Where a player thinks.
trait Mind: Send {
    fn initialize(&mut self, chat: Chat);
    fn update(&mut self, updates: Vec<Update>) -> Result<(), Fault>;
    fn next_move<'a>(&'a mut self, position: &'a Position) -> Answering<'a, stones::Move>;
}

impl<M: Mind> AtTable<Position> for Seated<M> {
    fn seated(&mut self, seat: Seat, chat: ChatBox) {
        self.seat = Some(seat);
        self.mind.initialize(Chat::new(id(seat), move |text| chat.say(text)));
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, stones::Move> {
        self.mind.next_move(question.position)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        _: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        let updates = self.narrator.tell(event);
        let fault = self.mind.update(updates).err()?;
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
    fn initialize(&mut self, chat: Chat) {
        self.0.initialize(chat);
    }

    fn update(&mut self, updates: Vec<Update>) -> Result<(), Fault> {
        updates.iter().try_for_each(|update| guarded(|| self.0.update(&update.message, &update.state)))
    }

    fn next_move<'a>(&'a mut self, position: &'a Position) -> Answering<'a, stones::Move> {
        let answer = guarded(|| self.0.next_move()).map_err(Failure::from);
        Answering::Now(answer.and_then(|mv| judge(mv, position)))
    }
}

struct Threaded(mpsc::Sender<Job>);

enum Job {
    Initialize(Chat),
    Update(Vec<Update>),
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
                    Job::Update(updates) => {
                        let tell =
                            |update: &Update| guarded(|| player.update(&update.message, &update.state));
                        state = updates.iter().try_for_each(tell);
                    }
                }
            }
        });
        Self(jobs)
    }
}

/// The thread never ends before the player does, and if it did the answer would not come: so sending needs no check.
impl Mind for Threaded {
    fn initialize(&mut self, chat: Chat) {
        let _ = self.0.send(Job::Initialize(chat));
    }

    fn update(&mut self, updates: Vec<Update>) -> Result<(), Fault> {
        let _ = self.0.send(Job::Update(updates));
        Ok(())
    }

    fn next_move<'a>(&'a mut self, position: &'a Position) -> Answering<'a, stones::Move> {
        let (sender, answer) = oneshot::channel();
        let _ = self.0.send(Job::NextMove(sender));
        Answering::Later(Box::pin(async move {
            let gone = |_| Fault::new(Offence::Crashed, "the player's thread ended");
            judge(answer.await.map_err(gone)??, position)
        }))
    }
}
