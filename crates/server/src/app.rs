//! What all requests share.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use rookery_store::{EntrantId, Measure, StoreError};
use tokio::sync::watch;

use crate::accounts::{Accounts, Identity, Makings, Owner, Rates, blocking};
use crate::accuracy::Accuracies;
use crate::api::{Checks, Reviews};
use crate::http::{ApiError, Metrics, Site};
use crate::hub::Hub;
use crate::ladders::Ladders;
use crate::machines::Machines;
use crate::thinkers::Thinkers;
use crate::tournaments::Tournaments;

/// What all requests share.
pub struct App {
    /// All matches.
    pub hub: Arc<Hub>,
    /// All tournaments.
    pub tournaments: Arc<Tournaments>,
    /// Other machines that play, if there are any.
    pub machines: OnceLock<Arc<dyn Machines>>,
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
    /// How many may think at the same time for those who watch or study.
    pub thinking: Thinkers,
    /// The same for hints to players, who wait for them.
    pub hinting: Thinkers,
    /// The same for reviews, which take long.
    pub reviewing: Thinkers,
    /// How many large bodies come in at the same time: each takes its memory while it comes, however slowly.
    pub uploading: Thinkers,
    /// How many make boards of matches at the same time.
    pub drawing: Thinkers,
    /// How many records of visitors are read at the same time.
    pub reading: Thinkers,
    /// How many passwords are looked at at the same time: each takes much memory.
    pub hashing: Thinkers,
    /// How often somebody may try a password of a name.
    pub logins: Rates<(IpAddr, String)>,
    /// How often passwords may be tried from one address.
    pub login_addresses: Rates<IpAddr>,
    /// How often somebody may come with a token that does not hold.
    pub bad_tokens: Rates<IpAddr>,
    /// How often somebody may make a match, a guest or a tournament.
    pub makings: Makings,
    /// How strong everybody is.
    pub ladders: Arc<Ladders>,
    /// Reviews that are made or being made.
    pub reviews: Reviews,
    /// How near to perfect play everybody is, where that is known.
    pub accuracies: Accuracies,
    /// Reports on bots.
    pub checks: Checks,
    closed: RwLock<Closed>,
}

/// Whom the operator keeps out, as the store has it: every request asks, so it is at hand.
#[derive(Debug, Default)]
struct Closed {
    people: HashMap<EntrantId, Measure>,
    /// Sessions that are kept out of the chat: guests have nothing else that is theirs.
    muted: HashSet<u64>,
    sign_up: bool,
}

/// The setting for whether names can be claimed.
const SIGN_UP: &str = "sign_up";

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
            machines: OnceLock::new(),
            accounts,
            site,
            metrics: Arc::default(),
            page_url,
            bots_url,
            closing: watch::Sender::new(false),
            thinking: Thinkers::new(threads.max(2)),
            hinting: Thinkers::new(threads.max(2)),
            reviewing: Thinkers::new(threads.div_ceil(2)),
            drawing: Thinkers::new(threads.max(2)),
            uploading: Thinkers::new(8),
            reading: Thinkers::new(2),
            hashing: Thinkers::new(2),
            logins: Rates::new(5, MINUTE),
            // Many may sit behind one address, as in a classroom.
            login_addresses: Rates::new(60, MINUTE),
            bad_tokens: Rates::new(5, MINUTE),
            makings: Makings::new(10 * MINUTE),
            ladders: Arc::default(),
            reviews: Reviews::default(),
            accuracies: Accuracies::default(),
            checks: Checks::default(),
            closed: RwLock::default(),
        }
    }

    /// Reads what the operator has decided before the last stop. Blocks while the store is asked.
    pub fn remember_measures(&self) -> Result<(), StoreError> {
        let store = self.hub.store();
        let people = store.measures()?.into_iter().collect();
        let sign_up = store.setting(SIGN_UP)?.is_some_and(|value| value == "closed");
        let muted = store.muted_sessions()?.into_iter().collect();
        self.change(|closed| *closed = Closed { people, muted, sign_up });
        Ok(())
    }

    fn closed(&self) -> std::sync::RwLockReadGuard<'_, Closed> {
        self.closed.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Closed)) {
        change(&mut self.closed.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn measure_of(&self, who: &Owner) -> Measure {
        let Owner::Named(id) = who else { return Measure::default() };
        self.closed().people.get(&EntrantId(*id)).copied().unwrap_or_default()
    }

    /// Whether somebody is kept out.
    pub fn is_banned(&self, who: &Owner) -> bool {
        self.measure_of(who).is_banned
    }

    /// Whether somebody is kept out of the chat.
    pub fn is_muted(&self, who: &Identity) -> bool {
        self.measure_of(&who.owner).is_muted || self.is_session_muted(who.token)
    }

    /// Whether whoever comes by a session is kept out of the chat.
    pub fn is_session_muted(&self, session: u64) -> bool {
        self.closed().muted.contains(&session)
    }

    /// Keeps a session out of the chat, or no longer, for as long as it holds.
    pub(crate) async fn mute_session(&self, session: u64, is_muted: bool) -> Result<(), ApiError> {
        let store = self.hub.store().clone();
        blocking(move || store.mute_session(session, is_muted)).await?;
        self.change(|closed| {
            if is_muted {
                closed.muted.insert(session);
            } else {
                closed.muted.remove(&session);
            }
        });
        Ok(())
    }

    /// Whether new names can be claimed.
    pub fn is_open(&self) -> bool {
        !self.closed().sign_up
    }

    /// Changes what is done about somebody, also after the next start.
    pub(crate) async fn set_measure(
        &self,
        person: EntrantId,
        banned: Option<bool>,
        muted: Option<bool>,
    ) -> Result<(), ApiError> {
        let before = self.measure_of(&Owner::Named(person.0));
        let measure = Measure {
            is_banned: banned.unwrap_or(before.is_banned),
            is_muted: muted.unwrap_or(before.is_muted),
        };
        let store = self.hub.store().clone();
        blocking(move || store.set_measure(person, measure)).await?;
        self.change(|closed| {
            closed.people.insert(person, measure);
        });
        Ok(())
    }

    /// Lets names be claimed, or no longer, also after the next start.
    pub(crate) async fn open_sign_up(&self, open: bool) -> Result<(), ApiError> {
        let store = self.hub.store().clone();
        blocking(move || store.set_setting(SIGN_UP, if open { "open" } else { "closed" })).await?;
        self.change(|closed| closed.sign_up = !open);
        Ok(())
    }
}
