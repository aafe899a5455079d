//! The hall behind the ports: who waits for a seat, who stays between two games, and who may come back. One lock holds all of
//! it, so that a name that is free when it is asked for is still free when it is taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use rookery_bots::{ErrorCode, Greeting};
use rookery_wire::Transport;
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};

use crate::guest::Link;
use crate::returning::{GRACE_TO_RETURN, Returning};

/// How many may wait at one port for a seat to become free.
const MAX_WAITING: usize = 16;
/// How many may sign up at one port.
const MAX_SIGNED_UP: usize = 4096;

/// Where those wait who have said hello.
#[derive(Default)]
pub(crate) struct Hall {
    state: Mutex<State>,
    changed: Notify,
}

/// A link, and what was said first on it.
pub(crate) type Bot = (Box<dyn Transport>, Arc<Greeting>);

#[derive(Default)]
struct State {
    /// By the index of their port.
    waiting: Vec<(usize, Link)>,
    /// Seats whose player may come back, by token.
    seats: HashMap<String, Seat>,
    /// Bots between two games, by the name of their seat.
    staying: HashMap<String, Bot>,
    /// The ports where bots sign up.
    sign_ups: HashMap<usize, SignUps>,
}

struct Seat {
    name: String,
    back: mpsc::Sender<Box<dyn Transport>>,
}

/// A seat that somebody is to take.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its number in the match.
    pub(crate) idx: usize,
    pub(crate) name: String,
    /// Where its player is awaited.
    pub(crate) port: usize,
    /// The names of all seats there, if whoever has none of them may take this one.
    pub(crate) others: Option<Vec<String>>,
}

/// Who takes a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// Whoever has stayed there.
    Staying,
    /// Whoever waits, by its number.
    Waiting(usize),
}

/// Who may sign up at a port.
struct SignUps {
    /// Names of those who take part without signing up.
    reserved: Vec<String>,
    /// Everybody who takes part from this port, once it is too late to sign up.
    entrants: Option<Vec<String>>,
}

/// Why somebody is not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    BadSecret,
    NoSeat,
    NoName,
    NameTaken,
    Closed,
    LeftOut,
    Busy,
}

impl Refusal {
    /// The code, and a sentence.
    pub(crate) fn words(self) -> (ErrorCode, &'static str) {
        match self {
            Self::BadSecret => (ErrorCode::BadSecret, "there is no seat for you"),
            Self::NoSeat => (ErrorCode::NoSeat, "there is no seat for you"),
            Self::NoName => (ErrorCode::BadName, "say hello with a name of your own to sign up"),
            Self::NameTaken => (ErrorCode::NameTaken, "somebody of this name takes part; choose another"),
            Self::Closed => {
                (ErrorCode::Closed, "the tournament has begun, and nobody of this name takes part")
            }
            Self::LeftOut => {
                (ErrorCode::Closed, "you have failed the game before the first round, and take no part")
            }
            Self::Busy => {
                (ErrorCode::Busy, "too many have come and not said hello, and you were the first of them")
            }
        }
    }
}

/// Who is not let in, and why.
pub(crate) type Refused = (Refusal, Box<dyn Transport>);

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hall")
    }
}

/// Whether nobody is at the other end any more. A word that nobody has asked for is thrown away.
pub(crate) fn is_gone(link: &mut dyn Transport) -> bool {
    let polled = link.poll_receive(&mut Context::from_waker(Waker::noop()));
    matches!(polled, Poll::Ready(Err(_))) || link.absence().is_some()
}

/// Closes the link of somebody who is gone, or has broken the rules and is to hear why.
fn let_go(link: Box<dyn Transport>) {
    // Nobody waits for it. Without a runtime it is only dropped.
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(link.close());
    }
}

fn name_of(link: &Link) -> Option<&str> {
    link.1.as_ref()?.name.as_deref()
}

impl State {
    fn forget_the_gone(&mut self) {
        let gone = self.waiting.extract_if(.., |(_, link)| is_gone(&mut *link.0));
        gone.for_each(|(_, (link, _))| let_go(link));
    }

    /// Whether the bot of this name plays, waits or stays.
    fn is_here(&mut self, name: &str) -> bool {
        if self.staying.get_mut(name).is_some_and(|(link, _)| is_gone(&mut **link))
            && let Some((gone, _)) = self.staying.remove(name)
        {
            let_go(gone);
        }
        let waits = self.waiting.iter().any(|(_, link)| name_of(link) == Some(name));
        waits || self.seats.values().any(|seat| seat.name == name && !seat.back.is_closed())
    }

    /// Who may take a place and was not found for another one.
    fn find(&mut self, place: &Place, found: &[(&Place, Spot)]) -> Option<Spot> {
        let Place { port, name, others, .. } = place;
        if self.staying.get_mut(name).is_some_and(|(link, _)| !is_gone(&mut **link)) {
            return Some(Spot::Staying);
        }
        let at = |wanted: &dyn Fn(Option<&str>) -> bool| {
            self.waiting.iter().enumerate().position(|(idx, (at, link))| {
                let is_taken = found.iter().any(|(_, spot)| *spot == Spot::Waiting(idx));
                at == port && !is_taken && wanted(name_of(link))
            })
        };
        let is_free = |own: Option<&str>, others: &[String]| {
            own.is_none_or(|own| !others.iter().any(|other| other == own))
        };
        at(&|own| own == Some(name))
            .or_else(|| others.as_ref().and_then(|others| at(&|own| is_free(own, others))))
            .map(Spot::Waiting)
    }

    /// Gives the seat of this name to somebody who may come back to it if it has said hello.
    fn seat(&mut self, name: &str, (mut link, greeting): Link) -> Link {
        link.rename(name);
        let Some(greeting) = greeting else { return (link, None) };
        let token = random_token();
        let (back, coming) = mpsc::channel(1);
        self.seats.retain(|_, seat| !seat.back.is_closed());
        self.seats.insert(token.clone(), Seat { name: name.to_owned(), back });
        let greeting = Greeting { seat_token: Some(token), ..greeting };
        (Box::new(Returning::new(link, coming, GRACE_TO_RETURN)), Some(greeting))
    }

    /// Whether somebody of this name may wait at a port.
    fn admit(&mut self, port: usize, name: Option<&str>) -> Result<(), Refusal> {
        let waiting = self.waiting.iter().filter(|(at, _)| *at == port).count();
        let Some(SignUps { reserved, entrants }) = self.sign_ups.get(&port) else {
            return if waiting < MAX_WAITING { Ok(()) } else { Err(Refusal::NoSeat) };
        };
        let name = name.ok_or(Refusal::NoName)?;
        if let Some(entrants) = entrants {
            if !entrants.iter().any(|entrant| entrant == name) {
                return Err(Refusal::Closed);
            }
            return if self.is_here(name) { Err(Refusal::NameTaken) } else { Ok(()) };
        }
        let signed_up = self.waiting.iter().filter(|(at, _)| self.sign_ups.contains_key(at));
        let mut taken =
            signed_up.filter_map(|(_, link)| name_of(link)).chain(reserved.iter().map(String::as_str));
        if taken.any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(Refusal::NameTaken);
        }
        if waiting < MAX_SIGNED_UP { Ok(()) } else { Err(Refusal::NoSeat) }
    }
}

impl Hall {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody has said hello at a port: it waits for a seat, or comes back to its own.
    pub(crate) fn enter(&self, port: usize, mut link: Link) -> Result<(), Refused> {
        let mut state = self.state();
        if let Some(token) = link.1.as_ref().and_then(|greeting| greeting.token.as_ref()) {
            let Some(seat) = state.seats.get(token) else { return Err((Refusal::NoSeat, link.0)) };
            link.0.rename(&seat.name);
            seat.back.try_send(link.0).map_err(|refused| match refused {
                mpsc::error::TrySendError::Full(link) | mpsc::error::TrySendError::Closed(link) => {
                    (Refusal::NoSeat, link)
                }
            })?;
            drop(state);
            // It may have been lost between two games, and its next one waits for it.
            self.changed.notify_waiters();
            return Ok(());
        }
        state.forget_the_gone();
        if let Err(refusal) = state.admit(port, name_of(&link)) {
            return Err((refusal, link.0));
        }
        state.waiting.push((port, link));
        drop(state);
        self.changed.notify_waiters();
        Ok(())
    }

    /// Listens to those who wait and stay, whom nobody listens to otherwise: they are asked for a sign of life, and who gives
    /// none for long leaves its place to others.
    pub(crate) fn tend(&self) {
        let mut state = self.state();
        state.forget_the_gone();
        // Who stays and is gone keeps its name until that is asked for, and may come back until then.
        for (link, _) in state.staying.values_mut() {
            is_gone(&mut **link);
        }
    }

    /// Tries until it succeeds, again whenever somebody has come.
    pub(crate) async fn until(&self, mut is_done: impl FnMut() -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on nobody comes unnoticed.
            changed.as_mut().enable();
            if is_done() {
                return;
            }
            changed.await;
        }
    }

    /// Seats of one match are taken all at the same time by those who wait for them or have stayed there: until then whoever
    /// leaves leaves its seat to others. With `partly` also if some stay empty. Each with the number of its seat.
    pub(crate) fn take(&self, wanted: &[Place], partly: bool) -> Option<Vec<(usize, Link)>> {
        let mut state = self.state();
        state.forget_the_gone();
        let mut found = vec![];
        for place in wanted {
            match state.find(place, &found) {
                Some(spot) => found.push((place, spot)),
                None if partly => {}
                None => return None,
            }
        }
        let mut waiting: Vec<_> = std::mem::take(&mut state.waiting).into_iter().map(Some).collect();
        let mut taken = vec![];
        for (Place { idx, name, .. }, spot) in found {
            let staying = state.staying.remove(name);
            let link = match spot {
                Spot::Staying => staying.map(|(link, greeting)| (link, Some(Arc::unwrap_or_clone(greeting)))),
                Spot::Waiting(at) => {
                    // Whoever has stayed there and is gone does not come back to it any more.
                    if let Some((gone, _)) = staying {
                        let_go(gone);
                    }
                    waiting[at].take().map(|(_, link)| state.seat(name, link))
                }
            };
            taken.extend(link.map(|link| (*idx, link)));
        }
        state.waiting = waiting.into_iter().flatten().collect();
        Some(taken)
    }

    /// The game of this seat is over, and its bot stays for the next one.
    pub(crate) fn stay(&self, name: String, mut bot: Bot) {
        bot.0.set_idle(true);
        self.state().staying.insert(name, bot);
        self.changed.notify_waiters();
    }

    /// All who have stayed.
    pub(crate) fn take_all_staying(&self) -> Vec<Bot> {
        std::mem::take(&mut self.state().staying).into_values().collect()
    }

    /// Those of these names take no part any more. Gives back the links of those who are here.
    pub(crate) fn dismiss(&self, names: &[String]) -> Vec<Box<dyn Transport>> {
        let is_named = |name: &str| names.iter().any(|named| named == name);
        let mut state = self.state();
        for sign_ups in state.sign_ups.values_mut() {
            sign_ups.entrants.iter_mut().for_each(|entrants| entrants.retain(|name| !is_named(name)));
        }
        let waiting = state.waiting.extract_if(.., |(_, link)| name_of(link).is_some_and(is_named));
        let mut links: Vec<_> = waiting.map(|(_, link)| link.0).collect();
        links.extend(names.iter().filter_map(|name| state.staying.remove(name)).map(|(link, _)| link));
        links
    }

    /// From now on bots sign up at a port, under other names than these.
    pub(crate) fn sign_up(&self, port: usize, reserved: Vec<String>) {
        self.state().sign_ups.insert(port, SignUps { reserved, entrants: None });
    }

    /// The names of those who have signed up at a port and are still there, in the order they came.
    pub(crate) fn names(&self, port: usize) -> Vec<String> {
        let mut state = self.state();
        state.forget_the_gone();
        let here = state.waiting.iter().filter(|(at, _)| *at == port);
        here.filter_map(|(_, link)| name_of(link).map(str::to_owned)).collect()
    }

    /// Nobody but these takes part from a port. Gives back those who wait there in vain.
    pub(crate) fn close(&self, port: usize, entrants: Vec<String>) -> Vec<Refused> {
        let mut state = self.state();
        let in_vain = state.waiting.extract_if(.., |(at, link)| {
            *at == port && !name_of(link).is_some_and(|name| entrants.iter().any(|entrant| entrant == name))
        });
        let in_vain = in_vain.map(|(_, link)| (Refusal::Closed, link.0)).collect();
        if let Some(sign_ups) = state.sign_ups.get_mut(&port) {
            sign_ups.entrants = Some(entrants);
        }
        in_vain
    }
}

/// Nobody can guess it.
fn random_token() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    format!("{:032x}", u128::from_ne_bytes(bytes))
}
