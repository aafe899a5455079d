//! Bots that are connected: who they are, who plays, and how one is brought to a seat.

mod door;
mod names;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rookery_bots::{ErrorCode, Greeting, QUIT};
use rookery_live::{GRACE_TO_RETURN, Guest, Returning, close_replaced};
use rookery_wire::{Lent, Transport, TransportExt as _};
use serde::Serialize;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::{broadcast, oneshot, watch};
use tokio::time::timeout;

use crate::accounts::{Ended, Identity, Owner, random_token};
use crate::http::shape;

pub use door::{bots_socket, keep_door};
pub(crate) use names::Names;

/// The most bots at the same time.
const MAX_BOTS: usize = 4096;
/// The most that a bot may say between two matches: an answer to the one that is over, and more of what it thinks.
const MAX_STRAY: u32 = 100;
/// How long the last word to a bot may take.
const LAST_WORD: Duration = Duration::from_millis(100);

/// All bots that are connected.
#[derive(Default)]
pub struct Bots {
    connected: Mutex<HashMap<String, Connected>>,
    /// Counts comings and goings.
    changes: watch::Sender<u64>,
    /// Whose the names are.
    pub(crate) names: Names,
}

/// A bot that is connected.
struct Connected {
    greeting: Arc<Greeting>,
    /// Who speaks for it; nobody if it came without a token.
    who: Option<Identity>,
    /// Tells connections of the same name apart.
    serial: u64,
    /// What it may come back with during a match.
    token: String,
    /// Where it comes back to.
    back: mpsc::Sender<Box<dyn Transport>>,
    /// Asks for the link; gone while it plays.
    claim: Option<oneshot::Sender<oneshot::Sender<Box<dyn Transport>>>>,
}

impl Connected {
    /// Whose it is.
    fn owner(&self) -> Option<&Owner> {
        self.who.as_ref().map(|who| &who.owner)
    }
}

/// A bot that cannot stay: what it is told, and its link.
pub(crate) type Refused = ((ErrorCode, &'static str), Box<dyn Transport>);

/// What others see of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BotData {
    /// Its name.
    pub name: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// The games it plays; all of them if it did not say.
    pub games: Option<Vec<String>>,
    /// Whether it plays now.
    pub playing: bool,
}

shape!(BotData { name: String, author: Option<String>, games: Option<Vec<String>>, playing: bool });

impl fmt::Debug for Bots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bots").field("n", &self.connected().len()).finish_non_exhaustive()
    }
}

impl Bots {
    fn connected(&self) -> MutexGuard<'_, HashMap<String, Connected>> {
        self.connected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// All bots, by name.
    pub fn list(&self) -> Vec<BotData> {
        let data = |(name, bot): (&String, &Connected)| BotData {
            name: name.clone(),
            author: bot.greeting.author.clone(),
            games: bot.greeting.games.clone(),
            playing: bot.claim.is_none(),
        };
        let mut list: Vec<BotData> = self.connected().iter().map(data).collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    /// Whose a connected bot is; nobody's if it came without a token.
    pub fn owner_of(&self, name: &str) -> Option<Owner> {
        self.connected().get(name)?.owner().cloned()
    }

    /// Somebody has said hello under this name. The newest connection of an owner counts, and an older one is closed; the
    /// error says why somebody cannot stay, and gives the link back.
    pub fn enter(
        self: &Arc<Self>,
        name: &str,
        who: Option<Identity>,
        greeting: Greeting,
        link: Box<dyn Transport>,
    ) -> Result<(), Refused> {
        let owner = who.as_ref().map(|who| &who.owner);
        let mut connected = self.connected();
        let returns = match &greeting.token {
            Some(token) => connected.values().find(|bot| bot.token == *token),
            None => connected
                .get(name)
                .filter(|bot| bot.claim.is_none() && owner.is_some() && bot.owner() == owner),
        };
        if let Some(bot) = returns.filter(|bot| bot.claim.is_none()) {
            return bot.back.try_send(link).map_err(|refused| {
                let (TrySendError::Full(link) | TrySendError::Closed(link)) = refused;
                let why = "its match is over, or it comes back too often";
                ((ErrorCode::NoSeat, why), link)
            });
        }
        let no_seat = |why, link| Err(((ErrorCode::NoSeat, why), link));
        if greeting.token.is_some() {
            return no_seat("there is no match to come back to", link);
        }
        if connected.len() >= MAX_BOTS {
            return no_seat("too many bots are connected; try again later", link);
        }
        // Who has no token cannot prove to be the one that is there.
        let is_other = |(key, other): (&String, &Connected)| {
            key.eq_ignore_ascii_case(name) && (key != name || owner.is_none() || other.owner() != owner)
        };
        if connected.iter().any(is_other) {
            let why =
                "somebody is connected under this name; choose another, or prove by a token that it is you";
            return Err(((ErrorCode::NameTaken, why), link));
        }
        let serial = 1 + connected.values().map(|bot| bot.serial).max().unwrap_or_default();
        let (claim, claimed) = oneshot::channel();
        let (token, (back, returning)) = (random_token()[..32].to_owned(), mpsc::channel(1));
        let greeting = Arc::new(Greeting { seat_token: Some(token.clone()), ..greeting });
        let bot = Connected { greeting, who, serial, token, back, claim: Some(claim) };
        connected.insert(name.to_owned(), bot);
        drop(connected);
        let link: Box<dyn Transport> = Box::new(Returning::new(link, returning, GRACE_TO_RETURN));
        self.changed();
        tracing::info!(name, "a bot is connected");
        tokio::spawn(Arc::clone(self).rest(name.to_owned(), serial, link, claimed));
        Ok(())
    }

    /// Listens to a bot between two matches, so that who goes away is noticed. What it says then is thrown away: it has crossed
    /// the end of a match.
    async fn rest(
        self: Arc<Self>,
        name: String,
        serial: u64,
        mut link: Box<dyn Transport>,
        mut claimed: oneshot::Receiver<oneshot::Sender<Box<dyn Transport>>>,
    ) {
        let mut n_stray = 0;
        let claim = loop {
            tokio::select! {
                biased;
                said = link.receive() => match said {
                    Ok(_) if n_stray < MAX_STRAY => n_stray += 1,
                    Ok(_) => {
                        tracing::warn!(name, "a bot that nobody asks says more than {MAX_STRAY} things");
                        break None;
                    }
                    Err(_) => break None,
                },
                claim = &mut claimed => break claim.ok(),
            }
        };
        if let Some(to) = claim {
            if let Err(link) = to.send(link) {
                self.come_home(name, serial, link);
            }
        } else {
            self.leave(&name, serial);
            self.send_away(&name, link).await;
        }
    }

    /// Closes the link of a bot that has no place here any more, and says why: a newer connection has it, or there are no more
    /// games for it.
    async fn send_away(&self, name: &str, mut link: Box<dyn Transport>) {
        if self.connected().contains_key(name) {
            return close_replaced(link).await;
        }
        // Whether it is still heard does not matter.
        let _ = timeout(LAST_WORD, link.send(QUIT)).await;
        link.close().await;
    }

    /// Sends bots away whose tokens hold no more, for ever; who plays goes when the match is over.
    pub async fn keep_out(&self, mut endings: broadcast::Receiver<Ended>) {
        loop {
            let is_over =
                |who: &Identity, ended: Option<Ended>| ended.is_none_or(|ended| ended.concerns(who));
            let ended = match endings.recv().await {
                Ok(ended) => Some(ended),
                // Who was missed is not known: all who have a token come again and are looked at anew.
                Err(broadcast::error::RecvError::Lagged(_)) => None,
                Err(broadcast::error::RecvError::Closed) => return,
            };
            // Without its place here a bot is told to go when it is not in a match.
            let mut connected = self.connected();
            let before = connected.len();
            connected.retain(|_, bot| !bot.who.as_ref().is_some_and(|who| is_over(who, ended)));
            let is_changed = connected.len() != before;
            drop(connected);
            if is_changed {
                self.changed();
            }
        }
    }

    fn leave(&self, name: &str, serial: u64) {
        let mut connected = self.connected();
        if connected.get(name).is_some_and(|bot| bot.serial == serial) {
            connected.remove(name);
            drop(connected);
            tracing::info!(name, "a bot is gone");
            self.changed();
        }
    }

    /// A match is over, and the link waits for the next one.
    fn come_home(self: &Arc<Self>, name: String, serial: u64, mut link: Box<dyn Transport>) {
        link.set_idle(true);
        let (claim, claimed) = oneshot::channel();
        let mut connected = self.connected();
        let bot = connected.get_mut(&name).filter(|bot| bot.serial == serial);
        let Some(bot) = bot else {
            // Another connection has taken its place meanwhile, or its token holds no more.
            drop(connected);
            let bots = Arc::clone(self);
            tokio::spawn(async move { bots.send_away(&name, link).await });
            return;
        };
        bot.claim = Some(claim);
        drop(connected);
        self.changed();
        tokio::spawn(Arc::clone(self).rest(name, serial, link, claimed));
    }

    /// The bot of this name, for one match; it is waited for so long, if it is to come back.
    pub async fn bring(self: &Arc<Self>, name: &str, patience: Option<Duration>) -> Result<Guest, String> {
        let mut changes = self.changes.subscribe();
        let waiting = async {
            loop {
                match self.claim(name).await {
                    Err(_) if patience.is_some() => {
                        // The sender is ours.
                        let _ = changes.changed().await;
                    }
                    claimed => return claimed,
                }
            }
        };
        let late = || format!("the bot `{name}` did not come back in time");
        match patience {
            Some(patience) => timeout(patience, waiting).await.unwrap_or_else(|_| Err(late())),
            None => waiting.await,
        }
    }

    /// Waits until all bots of these names are here and play nowhere.
    pub async fn free(&self, names: &[String]) {
        let mut changes = self.changes.subscribe();
        let is_free = |connected: &HashMap<String, Connected>, name: &String| {
            connected.get(name).is_some_and(|bot| bot.claim.is_some())
        };
        loop {
            let all = {
                let connected = self.connected();
                names.iter().all(|name| is_free(&connected, name))
            };
            if all {
                return;
            }
            // The sender is ours.
            let _ = changes.changed().await;
        }
    }

    async fn claim(self: &Arc<Self>, name: &str) -> Result<Guest, String> {
        let (claim, greeting, serial) = {
            let mut connected = self.connected();
            let Some(bot) = connected.get_mut(name) else {
                return Err(format!("no bot `{name}` is connected; connect it first, see /connect"));
            };
            let Some(claim) = bot.claim.take() else {
                return Err(format!("the bot `{name}` plays another match; wait until that is over"));
            };
            (claim, Arc::clone(&bot.greeting), bot.serial)
        };
        let gone = || format!("the bot `{name}` has just left; connect it again");
        let (to, link) = oneshot::channel();
        claim.send(to).map_err(|_| gone())?;
        let link = link.await.map_err(|_| gone())?;
        self.changed();
        let (lent, home) = Lent::new(link);
        let (bots, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            match home.await {
                Ok(link) => bots.come_home(name, serial, link),
                Err(_) => bots.leave(&name, serial),
            }
        });
        Ok(Guest::Bot(lent, greeting))
    }
}
