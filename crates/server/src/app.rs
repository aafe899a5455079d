//! What all requests share.

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use crate::accounts::{Accounts, Owner, Rates};
use crate::api::Reviews;
use crate::http::{Metrics, Site};
use crate::hub::Hub;
use crate::ladders::Ladders;
use crate::tournaments::Tournaments;

/// What all requests share.
pub struct App {
    /// All matches.
    pub hub: Arc<Hub>,
    /// All tournaments.
    pub tournaments: Arc<Tournaments>,
    /// Who somebody is.
    pub accounts: Arc<Accounts>,
    /// Where we are reached.
    pub site: Site,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The address of the page, as it is shown.
    pub page_url: String,
    /// The address for bots, if there is one.
    pub bots_url: Option<String>,
    /// Set when sockets are to end.
    pub closing: watch::Sender<bool>,
    /// How many may think for hints and reviews at the same time.
    pub thinking: Arc<Semaphore>,
    /// How often somebody may try a password.
    pub logins: Rates<(IpAddr, String)>,
    /// How often somebody may come with a token that does not hold.
    pub bad_tokens: Rates<IpAddr>,
    /// How often somebody may make a match, a guest or a tournament.
    pub makings: Rates<IpAddr>,
    /// How strong everybody is.
    pub ladders: Arc<Ladders>,
    /// Reviews that are made or being made.
    pub reviews: Reviews,
    closed: RwLock<Closed>,
}

/// Whom the operator keeps out. As long as the server runs; names that are closed for good have no password.
#[derive(Debug, Default)]
struct Closed {
    banned: HashSet<Owner>,
    muted: HashSet<Owner>,
    sign_up: bool,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("page_url", &self.page_url).finish_non_exhaustive()
    }
}

const MINUTE: Duration = Duration::from_mins(1);

impl App {
    /// Everything, before anybody asks.
    pub fn new(
        hub: Arc<Hub>,
        tournaments: Arc<Tournaments>,
        accounts: Arc<Accounts>,
        site: Site,
        (page_url, bots_url): (String, Option<String>),
    ) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            hub,
            tournaments,
            accounts,
            site,
            metrics: Arc::default(),
            page_url,
            bots_url,
            closing: watch::Sender::new(false),
            thinking: Arc::new(Semaphore::new(threads.max(2))),
            logins: Rates::new(5, MINUTE),
            bad_tokens: Rates::new(5, MINUTE),
            makings: Rates::new(60, 10 * MINUTE),
            ladders: Arc::default(),
            reviews: Reviews::default(),
            closed: RwLock::default(),
        }
    }

    fn closed(&self) -> std::sync::RwLockReadGuard<'_, Closed> {
        self.closed.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Closed)) {
        change(&mut self.closed.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether somebody is kept out.
    pub fn is_banned(&self, who: &Owner) -> bool {
        self.closed().banned.contains(who)
    }

    /// Whether somebody is kept out of the chat.
    pub fn is_muted(&self, who: &Owner) -> bool {
        self.closed().muted.contains(who)
    }

    /// Whether new names can be claimed.
    pub fn is_open(&self) -> bool {
        !self.closed().sign_up
    }

    /// Keeps somebody out, or no longer.
    pub fn ban(&self, who: Owner, banned: bool) {
        self.change(|closed| set(&mut closed.banned, who, banned));
    }

    /// Keeps somebody out of the chat, or no longer.
    pub fn mute(&self, who: Owner, muted: bool) {
        self.change(|closed| set(&mut closed.muted, who, muted));
    }

    /// Lets names be claimed, or no longer.
    pub fn open_sign_up(&self, open: bool) {
        self.change(|closed| closed.sign_up = !open);
    }
}

fn set(owners: &mut HashSet<Owner>, who: Owner, is_in: bool) {
    if is_in {
        owners.insert(who);
    } else {
        owners.remove(&who);
    }
}
