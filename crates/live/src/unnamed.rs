//! Who has come to a lobby and not signed up yet: how many there may be, and who has to go.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

use rookery_wire::Transport;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::LobbyRules;
use crate::refusals::source;

/// A connection on which nobody has signed up yet.
pub(crate) struct Visit {
    pub(crate) peer: SocketAddr,
    /// Asks the task to sign up with what has arrived, or to go. Gone once it was asked.
    pub(crate) hurry: Option<oneshot::Sender<()>>,
    pub(crate) claim: oneshot::Sender<()>,
    pub(crate) task: JoinHandle<Option<Box<dyn Transport>>>,
}

/// All of them, by the order in which they came.
#[derive(Default)]
pub(crate) struct Unnamed {
    visits: BTreeMap<u64, Visit>,
    /// Those of each address who were not asked to hurry.
    calm: HashMap<IpAddr, BTreeSet<u64>>,
    n_calm: usize,
}

impl Unnamed {
    pub(crate) fn insert(&mut self, id: u64, visit: Visit) {
        self.calm.entry(source(visit.peer.ip())).or_default().insert(id);
        self.n_calm += 1;
        self.visits.insert(id, visit);
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Visit> {
        let visit = self.visits.remove(&id)?;
        self.disturb(source(visit.peer.ip()), id);
        Some(visit)
    }

    fn disturb(&mut self, address: IpAddr, id: u64) {
        if let Some(ids) = self.calm.get_mut(&address) {
            self.n_calm -= usize::from(ids.remove(&id));
            if ids.is_empty() {
                self.calm.remove(&address);
            }
        }
    }

    /// Who has to go so that another one can come from this address.
    pub(crate) fn too_many(&mut self, address: IpAddr, rules: &LobbyRules) -> Option<&mut Visit> {
        let n_here = self.calm.get(&address).map_or(0, BTreeSet::len);
        let from = if n_here >= rules.max_unnamed_each.max(1) {
            address
        } else if self.n_calm >= rules.max_unnamed.max(1) {
            *self.calm.iter().max_by_key(|(_, ids)| ids.len())?.0
        } else {
            return None;
        };
        let id = *self.calm.get(&from)?.first()?;
        self.disturb(from, id);
        self.visits.get_mut(&id)
    }

    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Visit> + use<> {
        self.calm.clear();
        self.n_calm = 0;
        std::mem::take(&mut self.visits).into_values()
    }
}
