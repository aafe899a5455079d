//! The socket of a page: matches with versions and snapshots, commands and their replies, hints.
//!
//! A page that reads slowly is never queued for: the tables keep their last updates, and it goes on from where it is.

mod hints;
mod lobby;
mod message;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Query, State};
use axum::response::Response;
use futures_util::future::select_all;
use futures_util::stream::SplitSink;
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use rookery_store::GameId;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::accounts::{Ended, Identity};
use crate::app::App;
use crate::data::Sight;
use crate::http::{Caller, Held, is_set, sentence};
use crate::hub::{Found, Hub, Seen, Table, Window};

pub use hints::{Hints, LineData};
use lobby::Lobby;
pub use message::{Boards, Do, FromPage, SomeBoards, What};

/// The most bytes of a message.
const MESSAGE_BYTES: usize = 8 << 10;
/// How much of it is read at once.
const READ_BYTES: usize = 2 << 10;
/// The most bytes that wait to be sent: the largest snapshot there is.
const OUT_BYTES: usize = 16 << 20;
/// Who takes nothing for so long is gone.
const STALLED: Duration = Duration::from_secs(30);
/// How often we ask whether somebody is there.
const PING: Duration = Duration::from_secs(10);
/// How often all boards are looked at.
const LOBBY: Duration = Duration::from_secs(1);
/// The most messages within a span.
const MOST_MESSAGES: u32 = 100;
const SPAN: Duration = Duration::from_secs(20);
/// The most bytes from one ping to the next, whether they become messages or not: more than all messages may have.
const MOST_BYTES: u64 = 1 << 20;
/// The most matches that one page watches.
const MOST_WATCHED: usize = 64;

/// As whom a socket is opened.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Opened {
    /// With 1 as nobody, whoever asks.
    nobody: Option<u8>,
}

/// Opens the socket of a page.
pub async fn live(
    upgrade: WebSocketUpgrade,
    State(app): State<Arc<App>>,
    Query(opened): Query<Opened>,
    Extension(caller): Extension<Caller>,
    Extension(held): Extension<Arc<Held>>,
) -> Response {
    // What others frame is to be looked at only, also by whoever plays in it.
    let identity = caller.identity.filter(|_| opened.nobody != Some(1));
    upgrade
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
        // Thousands may be open and say little.
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(OUT_BYTES)
        .on_upgrade(move |socket| async move {
            Page::run(socket, app, identity, held).await;
        })
}

/// A match that a page watches.
struct Watched {
    window: Window,
    sight: Sight,
    seen: Option<u64>,
    versions: watch::Receiver<u64>,
    wants_eval: bool,
    eval: Option<watch::Receiver<Option<Utf8Bytes>>>,
}

struct Page {
    app: Arc<App>,
    identity: Option<Identity>,
    out: SplitSink<WebSocket, Message>,
    watched: HashMap<GameId, Watched>,
    /// The boards it knows; `None` if it does not want them.
    lobby: Option<Lobby>,
    hints: Hints,
    heard: Instant,
    span: (Instant, u32),
    held: Arc<Held>,
    /// How many bytes had come at the last ping.
    n_read: u64,
}

/// Why a socket ends.
enum Gone {
    /// By itself.
    Left,
    /// With a code and a reason.
    Sent(u16, &'static str),
}

type Step = Result<(), Gone>;

impl Page {
    async fn run(socket: WebSocket, app: Arc<App>, identity: Option<Identity>, held: Arc<Held>) {
        let metrics = Arc::clone(&app.metrics);
        let _counted = metrics.sockets.count();
        let (out, mut said) = socket.split();
        let (told, mut hints) = mpsc::channel::<Utf8Bytes>(8);
        let now = Instant::now();
        let mut page = Self {
            hints: Hints::new(told, Arc::clone(&app)),
            identity,
            out,
            watched: HashMap::new(),
            lobby: None,
            heard: now,
            span: (now, 0),
            n_read: held.n_read(),
            held,
            app,
        };
        let mut closing = page.app.closing.subscribe();
        let mut endings = page.app.accounts.endings();
        let (mut pings, mut boards) = (interval(PING), interval(LOBBY));
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        boards.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let gone = loop {
            let step = tokio::select! {
                message = said.next() => match message {
                    Some(Ok(message)) => page.heard(message).await,
                    _ => Err(Gone::Left),
                },
                (id, is_eval) = changed(&mut page.watched) => {
                    if is_eval { page.tell_eval(id).await } else { page.tell(id).await }
                }
                Some(frame) = hints.recv() => page.send(Message::Text(frame)).await,
                _ = boards.tick(), if page.lobby.is_some() => page.tell_lobby("lobby_changed").await,
                _ = pings.tick() => page.ping().await,
                () = signed_out(page.identity.as_ref(), &mut endings) => Err(Gone::Sent(4003, "signed out")),
                () = is_set(&mut closing) => {
                    let bye = json!({"bye": {"reason": "the server stops; your games go on when it is back"}});
                    let _ = page.say(&bye).await;
                    Err(Gone::Sent(1012, "restart"))
                }
            };
            if let Err(gone) = step {
                break gone;
            }
        };
        if let Gone::Sent(code, reason) = gone {
            let frame = CloseFrame { code, reason: reason.into() };
            let _ = timeout(PING, page.out.send(Message::Close(Some(frame)))).await;
        }
    }

    async fn send(&mut self, message: Message) -> Step {
        match timeout(STALLED, self.out.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone::Left),
        }
    }

    async fn say(&mut self, value: &serde_json::Value) -> Step {
        self.send(Message::Text(value.to_string().into())).await
    }

    async fn ping(&mut self) -> Step {
        if self.heard.elapsed() > STALLED {
            return Err(Gone::Left);
        }
        let before = std::mem::replace(&mut self.n_read, self.held.n_read());
        if self.n_read - before > MOST_BYTES {
            return Err(Gone::Sent(1008, "too many bytes"));
        }
        self.send(Message::Ping(axum::body::Bytes::new())).await
    }

    async fn heard(&mut self, message: Message) -> Step {
        let now = Instant::now();
        self.heard = now;
        let (since, n) = &mut self.span;
        if now.saturating_duration_since(*since) > SPAN {
            (*since, *n) = (now, 0);
        }
        *n += 1;
        if *n > MOST_MESSAGES {
            return Err(Gone::Sent(1008, "too many messages"));
        }
        match message {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(message) => self.answer(message).await,
                Err(error) => {
                    let why = format!("this is no message we know ({error}); see docs/api.md");
                    self.say(&json!({"error": {"code": "bad_message", "message": why}})).await
                }
            },
            Message::Binary(_) => Err(Gone::Sent(1003, "text only")),
            Message::Close(_) => Err(Gone::Left),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        }
    }

    async fn answer(&mut self, message: FromPage) -> Step {
        match message {
            FromPage::Watch { id, since, eval } => self.watch(&id, since, eval).await,
            FromPage::Unwatch { id } => {
                if let Ok(id) = id.parse::<GameId>() {
                    self.watched.remove(&id);
                }
                Ok(())
            }
            FromPage::Lobby(wanted) => {
                let word = if self.lobby.is_some() { "lobby_changed" } else { "lobby" };
                self.lobby = Lobby::changed(self.lobby.take(), wanted);
                self.tell_lobby(word).await
            }
            FromPage::Do(order) => self.act(order).await,
            FromPage::Ping(n) => self.say(&json!({ "pong": n })).await,
        }
    }

    async fn watch(&mut self, id: &str, since: Option<u64>, wants_eval: bool) -> Step {
        if self.watched.len() >= MOST_WATCHED {
            return self
                .say(&json!({"error": {"code": "too_many", "message": "too many matches are watched"}}))
                .await;
        }
        match self.app.hub.find(id).await {
            Ok(Found::Table(table)) => {
                let sight = Hub::sight(&table, self.identity.as_ref());
                let mut versions = table.subscribe();
                versions.mark_unchanged();
                let id = table.id();
                let window = table.open_window(sight.seat);
                let watched = Watched { window, sight, seen: since, versions, wants_eval, eval: None };
                self.watched.insert(id, watched);
                self.tell(id).await
            }
            Ok(found @ Found::Stored(_)) => {
                let state = found.look(self.identity.as_ref());
                self.say(&json!({"match": id, "version": state.version, "snapshot": state})).await
            }
            Err(error) => {
                self.say(&json!({"match": id, "error": {"code": error.code, "message": error.message}})).await
            }
        }
    }

    /// Tells what is new of a match.
    async fn tell(&mut self, id: GameId) -> Step {
        let Some(watched) = self.watched.get_mut(&id) else { return Ok(()) };
        let is_late = watched.seen.is_some();
        let (version, frames) = match watched.window.table().since(watched.seen, watched.sight) {
            Seen::Updates(version, updates) => {
                (version, updates.iter().map(|update| update.frame(watched.sight.seat)).collect())
            }
            Seen::Snapshot(version, frame) => {
                if is_late {
                    self.app.metrics.resyncs.fetch_add(1, Ordering::Relaxed);
                }
                (version, vec![frame])
            }
        };
        watched.seen = Some(version);
        if watched.wants_eval && watched.eval.is_none() {
            watched.eval = watched.window.table().evaluations(watched.sight.seat, &self.app.thinking);
            // What is known already is told at once.
            watched.eval.iter_mut().for_each(watch::Receiver::mark_changed);
        }
        for frame in frames {
            self.send(Message::Text(frame)).await?;
        }
        Ok(())
    }

    /// Tells how good the position of a match is.
    async fn tell_eval(&mut self, id: GameId) -> Step {
        let eval = self.watched.get_mut(&id).and_then(|watched| watched.eval.as_mut());
        let frame = eval.and_then(|eval| eval.borrow_and_update().clone());
        match frame {
            Some(frame) => self.send(Message::Text(frame)).await,
            None => Ok(()),
        }
    }

    /// Gives a whole picture again to somebody who is out of step.
    async fn resync(&mut self, table: &Arc<Table>) -> Step {
        let sight = Hub::sight(table, self.identity.as_ref());
        let Seen::Snapshot(version, frame) = table.since(None, sight) else { return Ok(()) };
        if let Some(watched) = self.watched.get_mut(&table.id()) {
            watched.seen = Some(version);
        }
        self.send(Message::Text(frame)).await
    }

    async fn act(&mut self, order: Do) -> Step {
        let n = order.n;
        let done = self.try_act(&order);
        match done {
            Ok(()) => self.say(&json!({"reply": {"n": n, "ok": true}})).await,
            Err((why, table)) => {
                self.say(&json!({"reply": {"n": n, "error": sentence(why)}})).await?;
                match table {
                    Some(table) => self.resync(&table).await,
                    None => Ok(()),
                }
            }
        }
    }

    /// Does it, or says why not, and whose picture is out of step.
    fn try_act(&mut self, order: &Do) -> Result<(), (String, Option<Arc<Table>>)> {
        let plain = |why: &str| (why.to_owned(), None);
        let id = order.id.parse::<GameId>().ok();
        let table = id.and_then(|id| self.app.hub.table(id));
        let table = table.ok_or_else(|| plain("this match is over, or there is none; look at it again"))?;
        let who = self.identity.as_ref();
        let seat =
            table.seat_of(who).ok_or_else(|| plain("you are only watching; begin a match of your own"))?;
        if who.is_some_and(|who| self.app.is_banned(&who.owner)) {
            return Err(plain("the operator has closed this account"));
        }
        let is_muted = who.is_some_and(|who| self.app.is_muted(who));
        if is_muted && matches!(order.what, What::Say { .. }) {
            return Err(plain("the operator has taken you out of the chat"));
        }
        match order.what.command() {
            Some(command) => table.command(seat, &command).map_err(|why| {
                let is_move = matches!(order.what, What::Move { .. });
                (why, is_move.then(|| Arc::clone(&table)))
            }),
            None if order.what == What::End {} => table.end_for(seat).map_err(|why| (why, None)),
            None => self.hints.ask(&table, seat).map_err(|why| (why, None)),
        }
    }

    /// Tells of boards that have changed.
    async fn tell_lobby(&mut self, word: &str) -> Step {
        let Some(lobby) = &mut self.lobby else { return Ok(()) };
        let changed = lobby.news(&self.app.hub);
        if changed.is_empty() && word != "lobby" {
            return Ok(());
        }
        let list: Vec<&str> = changed.iter().map(|card| &**card).collect();
        self.send(Message::Text(format!("{{\"{word}\":[{}]}}", list.join(",")).into())).await
    }
}

/// Waits until the session or the token holds no more that opened the socket.
async fn signed_out(who: Option<&Identity>, endings: &mut broadcast::Receiver<Ended>) {
    let Some(who) = who else { return std::future::pending().await };
    loop {
        match endings.recv().await {
            Ok(ended) if !ended.concerns(who) => {}
            // Who has missed one comes again and is looked at anew.
            _ => return,
        }
    }
}

/// Waits until one of the watched matches has changed, or is seen otherwise.
async fn changed(watched: &mut HashMap<GameId, Watched>) -> (GameId, bool) {
    if watched.is_empty() {
        return std::future::pending().await;
    }
    let changes = watched.iter_mut().map(|(id, watched)| {
        let id = *id;
        async move {
            // The senders live in the table that the window holds.
            let eval = async {
                match &mut watched.eval {
                    Some(eval) => eval.changed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = watched.versions.changed() => (id, false),
                _ = eval => (id, true),
            }
        }
        .boxed()
    });
    select_all(changes).await.0
}
