//! Bots on a worker: fetched by their hash, unpacked, built, tried, and started in a sandbox.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::Client;
use rookery_arena::bots::{BundleCache, BundleError, BundleLimits, Bundles, FoundBot, InUse};
use rookery_live::{Programs, Stopping};
use rookery_referee::SeatSpec;
use rookery_sandbox::{Level, Policy};
use rookery_store::{BundleState, EntrantId, Hash, StoredBundle};
use rookery_wire::Protocols;
use tokio::runtime::Runtime;

use crate::JobId;
use crate::bundles::fetch;
use crate::core::Claim;
use crate::message::{JobBundle, Notification};

/// How long a bot that failed here is not tried again.
const UNFIT: Duration = Duration::from_mins(5);
/// How many validation games are kept in mind.
const MOST_TRIED: usize = 4096;

/// Where a worker keeps bots and how it confines them.
#[derive(Clone)]
pub struct BotRoom {
    /// Where they are unpacked and built.
    pub cache: BundleCache,
    /// How much they are confined at least, whatever a tournament demands.
    pub least: Level,
    /// The program with the subcommand `launch`.
    pub launcher: PathBuf,
    /// The protocols of the games' originals.
    pub protocols: fn() -> Protocols,
}

impl fmt::Debug for BotRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BotRoom").field("least", &self.least).finish_non_exhaustive()
    }
}

/// The bots of a worker.
pub(crate) struct Bots {
    room: Option<BotRoom>,
    client: Client,
    /// Where it asks for archives.
    subject: String,
    /// What this machine can enforce, or why it cannot.
    levels: Mutex<HashMap<String, Result<Bundles, String>>>,
    /// Who has played its validation game here: contents and game.
    tried: Mutex<HashSet<(String, String)>>,
    /// Who cannot be played here, since when and why, by the SHA-256.
    unfit: Mutex<HashMap<String, (Instant, String)>>,
    /// So that one archive is fetched and built once, by its SHA-256.
    turns: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl fmt::Debug for Bots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bots").field("room", &self.room).finish_non_exhaustive()
    }
}

/// The programs of a game; their folders stay as long as this lives.
pub(crate) struct Brought {
    pub(crate) programs: Programs,
    _in_use: Vec<InUse>,
}

impl Bots {
    pub(crate) fn new(room: Option<BotRoom>, client: Client, subject: String) -> Self {
        let (levels, tried, unfit) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { room, client, subject, levels, tried, unfit, turns: Mutex::default() }
    }

    /// Why a game cannot be played here, if it cannot.
    pub(crate) fn refusal(&self, notification: &Notification) -> Option<String> {
        let bots = notification.bots.as_ref()?;
        if let Err(why) = self.bundles(&bots.sandbox) {
            return Some(why);
        }
        let mut unfit = open(&self.unfit);
        unfit.retain(|_, (since, _)| since.elapsed() < UNFIT);
        bots.bundles.iter().find_map(|bundle| unfit.get(&bundle.sha256).map(|(_, why)| why.clone()))
    }

    /// Where bundles are brought and how, if this machine can confine them as much as is demanded.
    fn bundles(&self, demanded: &str) -> Result<Bundles, String> {
        let room = self.room.as_ref().ok_or("it plays no bots")?;
        let level = stronger(demanded.parse()?, room.least);
        let mut levels = open(&self.levels);
        let known = levels.entry(level.to_string()).or_insert_with(|| {
            let sandbox = Policy::new(level, &room.launcher).prepare();
            let sandbox = sandbox.map_err(|error| {
                format!("it cannot confine bots at the level {level} (demanded): {error}")
            })?;
            Ok(Bundles::new(room.cache.clone(), sandbox))
        });
        known.clone()
    }

    /// Brings the bots of a game. Whatever goes wrong is the platform's fault: each of them has played somewhere before.
    pub(crate) fn bring(
        &self,
        claim: &Claim<JobId>,
        notification: &Notification,
        runtime: &Runtime,
        stopping: &Stopping,
    ) -> Result<Brought, String> {
        let bots = notification.bots.as_ref().ok_or("its notification does not say where its bots are")?;
        let bundles = self.bundles(&bots.sandbox)?;
        let room = self.room.as_ref().ok_or("it plays no bots")?;
        let (mut found, mut in_use) = (vec![], vec![]);
        for entry in &notification.spec.seats {
            let SeatSpec::Bundle { name, sha256 } = &entry.player else { continue };
            let wanted = bots.bundles.iter().find(|bundle| Some(&bundle.sha256) == sha256.as_ref());
            let wanted = wanted.ok_or_else(|| format!("its notification has no bundle of {name}"))?;
            let (bot, held) =
                self.bring_one(&bundles, room, claim, &notification.spec.game, wanted, runtime, stopping)?;
            found.push(FoundBot { name: entry.name.clone(), ..bot });
            in_use.push(held);
        }
        let programs = bundles.programs(&found, &notification.spec.game, (room.protocols)());
        let programs = programs.map_err(|problem| problem.to_string())?;
        Ok(Brought { programs, _in_use: in_use })
    }

    #[expect(clippy::too_many_arguments, reason = "all of it belongs to one game")]
    fn bring_one(
        &self,
        bundles: &Bundles,
        room: &BotRoom,
        claim: &Claim<JobId>,
        game: &String,
        wanted: &JobBundle,
        runtime: &Runtime,
        stopping: &Stopping,
    ) -> Result<(FoundBot, InUse), String> {
        let row = row(wanted)?;
        let turn = Arc::clone(open(&self.turns).entry(wanted.sha256.clone()).or_default());
        let _turn = open(&turn);
        let mut get = || {
            let archive = (&*wanted.sha256, wanted.bytes);
            let fetched = fetch(&self.client, &self.subject, claim, archive, stopping);
            runtime.block_on(fetched).map_err(BundleError::Other)
        };
        let brought = bundles.bring(&row, &mut get, stopping);
        let (bot, held) = brought.map_err(|error| self.not_brought(wanted, &error, stopping))?;
        // Another machine has other interpreters: what does not play here must not lose here.
        let tried = (wanted.contents.clone(), game.clone());
        if !open(&self.tried).contains(&tried) {
            if open(&self.tried).len() >= MOST_TRIED {
                open(&self.tried).clear();
            }
            let problem = bundles.play_one(&bot, game, (room.protocols)(), stopping);
            if let Some(problem) = problem.map_err(|error| error.to_string())? {
                return Err(self.note(wanted, &format!("it fails its validation game here: {problem}")));
            }
            open(&self.tried).insert(tried);
        }
        Ok((bot, held))
    }

    /// What it means that a bot cannot be brought: what this machine cannot do now it cannot do a moment later either, and others
    /// may. A coordinator that is away or a game that was stopped says nothing of the kind.
    fn not_brought(&self, wanted: &JobBundle, error: &BundleError, stopping: &Stopping) -> String {
        if matches!(error, BundleError::Other(_)) || stopping.is_requested() {
            format!("bundle {}: {error}", wanted.name)
        } else {
            self.note(wanted, error)
        }
    }

    /// Keeps in mind that a bot cannot be played here for a while.
    fn note(&self, wanted: &JobBundle, why: &dyn fmt::Display) -> String {
        let why = format!("bundle {}: {why}", wanted.name);
        open(&self.unfit).insert(wanted.sha256.clone(), (Instant::now(), why.clone()));
        why
    }
}

/// The row that the coordinator's store has, as far as it matters here.
fn row(wanted: &JobBundle) -> Result<StoredBundle, String> {
    let most = BundleLimits::default().packed;
    if wanted.bytes > most {
        return Err(format!("bundle {} has {} bytes; expected at most {most}", wanted.name, wanted.bytes));
    }
    let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash(&wanted.sha256) || !is_hash(&wanted.contents) {
        return Err(format!("bundle {} has no hash of 64 digits", wanted.name));
    }
    let mut sha256 = [0; 32];
    for (idx, byte) in sha256.iter_mut().enumerate() {
        let digits = &wanted.sha256[2 * idx..2 * idx + 2];
        *byte = u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
    }
    Ok(StoredBundle {
        version: 0,
        entrant: EntrantId(0),
        name: wanted.name.clone(),
        owner: None,
        sha256: Hash(sha256),
        contents: wanted.contents.clone(),
        label: String::new(),
        bytes: wanted.bytes,
        state: BundleState::Ready,
        problem: String::new(),
        created_ms: 0,
    })
}

fn stronger(one: Level, other: Level) -> Level {
    let rank = |level: Level| match level {
        Level::None => 0,
        Level::Auto => 1,
        Level::Full => 2,
    };
    if rank(one) >= rank(other) { one } else { other }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use super::*;

    #[test]
    fn the_stronger_level_counts() {
        assert_eq!(stronger(Level::None, Level::Full), Level::Full);
        assert_eq!(stronger(Level::Full, Level::None), Level::Full);
        assert_eq!(stronger(Level::Auto, Level::None), Level::Auto);
    }

    #[test]
    fn fault_w18_what_a_notification_says_of_a_bundle_is_bounded() {
        let fine = JobBundle {
            name: "ann".to_owned(),
            sha256: "0a".repeat(32),
            contents: "ff".repeat(32),
            bytes: 10,
        };
        assert_eq!(row(&fine).unwrap().sha256, Hash([10; 32]));
        assert!(row(&JobBundle { bytes: 17 << 20, ..fine.clone() }).is_err(), "too large");
        // The hash over the files becomes the name of a folder.
        assert!(row(&JobBundle { contents: "../../../etc".to_owned(), ..fine.clone() }).is_err());
        assert!(row(&JobBundle { sha256: "é".repeat(32), ..fine }).is_err());
    }
}
