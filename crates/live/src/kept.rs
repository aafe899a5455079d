//! Programs that have asked to live for more than one game, between two of them.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rookery_wire::Transport;
use tokio::runtime::{self, Handle};

use crate::guest::Started;
use crate::hall::{Bot, is_gone};

/// Programs without a game. Each belongs to the runtime it was started in, which hears its pipes.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<Waiting>>);

struct Waiting {
    runtime: runtime::Id,
    /// The name of the player and the command of its program.
    who: (String, String),
    bot: Bot,
    started: Started,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({})", self.waiting().len())
    }
}

impl Kept {
    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program waits for its next game. If they are more than so many, whoever has waited longest is given back: it has to
    /// go, and is started anew when it is wanted.
    pub(crate) fn put(
        &self,
        who: (String, String),
        bot: Bot,
        started: Started,
        max: usize,
    ) -> Option<Box<dyn Transport>> {
        let runtime = Handle::current().id();
        let mut waiting = self.waiting();
        waiting.push(Waiting { runtime, who, bot, started });
        // Only those of this runtime can be sent away from here.
        let longest = waiting.iter().position(|other| other.runtime == runtime)?;
        (waiting.len() > max).then(|| waiting.remove(longest).bot.0)
    }

    /// A program of this player that runs this command and is still there.
    pub(crate) fn take(&self, name: &str, command: &str) -> Option<(Bot, Started)> {
        let runtime = Handle::current().id();
        loop {
            let found = {
                let mut waiting = self.waiting();
                let is_it = |other: &Waiting| {
                    other.runtime == runtime && other.who.0 == name && other.who.1 == command
                };
                let place = waiting.iter().rposition(is_it)?;
                waiting.remove(place)
            };
            let Waiting { bot: (mut link, greeting), started, .. } = found;
            if !is_gone(&mut *link) {
                return Some(((link, greeting), started));
            }
        }
    }

    /// All of this runtime.
    pub(crate) fn take_all(&self) -> Vec<Bot> {
        let runtime = Handle::current().id();
        let mut waiting = self.waiting();
        waiting.extract_if(.., |other| other.runtime == runtime).map(|other| other.bot).collect()
    }
}
