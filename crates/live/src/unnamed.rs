//! Who has come to a lobby or a port and not said its name yet: how many there may be, and who has to go.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};

use rookery_wire::Transport;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A connection on which nobody has signed up yet.
pub(crate) struct Visit {
    pub(crate) peer: SocketAddr,
    /// Asks the task to sign up with what has arrived, or to go. Gone once it was asked.
    pub(crate) hurry: Option<oneshot::Sender<()>>,
    pub(crate) claim: oneshot::Sender<()>,
    pub(crate) task: JoinHandle<Option<Box<dyn Transport>>>,
}

/// All of them, by the order in which they came.
#[derive(Debug)]
pub struct Unnamed<V> {
    visits: BTreeMap<u64, (IpAddr, V)>,
    /// Those of each address who were not asked to hurry.
    calm: HashMap<IpAddr, BTreeSet<u64>>,
    n_calm: usize,
}

/// How many there may be.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// In all.
    pub all: usize,
    /// From one address.
    pub each: usize,
}

impl<V> Default for Unnamed<V> {
    fn default() -> Self {
        Self { visits: BTreeMap::new(), calm: HashMap::new(), n_calm: 0 }
    }
}

impl<V> Unnamed<V> {
    /// Somebody has come.
    pub fn insert(&mut self, id: u64, address: IpAddr, visit: V) {
        self.calm.entry(address).or_default().insert(id);
        self.n_calm += 1;
        self.visits.insert(id, (address, visit));
    }

    /// Somebody has said its name, or is gone.
    pub fn remove(&mut self, id: u64) -> Option<V> {
        let (address, visit) = self.visits.remove(&id)?;
        self.disturb(address, id);
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
    pub fn too_many(&mut self, address: IpAddr, most: Most) -> Option<&mut V> {
        let n_here = self.calm.get(&address).map_or(0, BTreeSet::len);
        let from = if n_here >= most.each.max(1) {
            address
        } else if self.n_calm >= most.all.max(1) {
            *self.calm.iter().max_by_key(|(_, ids)| ids.len())?.0
        } else {
            return None;
        };
        let id = *self.calm.get(&from)?.first()?;
        self.disturb(from, id);
        self.visits.get_mut(&id).map(|(_, visit)| visit)
    }

    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = V> + use<V> {
        self.calm.clear();
        self.n_calm = 0;
        std::mem::take(&mut self.visits).into_values().map(|(_, visit)| visit)
    }
}
