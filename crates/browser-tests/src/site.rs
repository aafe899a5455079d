//! A server for one test.

use std::net::SocketAddr;
use std::sync::Arc;

use rookery_store::Store;
use rookery_testkit::TempFolder;

use crate::machines::SeemingMachines;
use crate::running::Running;
use crate::{Browser, Size};

/// A name that leads browsers to this machine.
pub(crate) const CLASS: &str = "class.example";

/// A server with a store of its own, gone with the test.
#[derive(Debug)]
pub struct Site {
    running: Option<Running>,
    folder: TempFolder,
    /// By which browsers find it; by its address without.
    name: Option<&'static str>,
}

impl Site {
    /// A server on any port.
    pub fn open(name: &str) -> Self {
        let folder = TempFolder::new(name);
        Self { running: Some(Running::start(&folder)), folder, name: None }
    }

    /// A classroom: plain HTTP at a name.
    pub fn classroom(name: &str) -> Self {
        let folder = TempFolder::new(name);
        Self { running: Some(Running::start_at_name(&folder, CLASS)), folder, name: Some(CLASS) }
    }

    /// The same as [`Site::open`] with a store that was filled before, and other machines that seem to play.
    pub fn furnished(name: &str, fill: impl FnOnce(&Store)) -> Self {
        let folder = TempFolder::new(name);
        fill(&Running::store(&folder));
        Self { running: Some(Running::start_with(&folder, Arc::new(SeemingMachines))), folder, name: None }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().unwrap()
    }

    /// Its address, as a browser writes it.
    pub fn url(&self) -> String {
        let address = self.running().address;
        self.name
            .map_or_else(|| format!("http://{address}"), |name| format!("http://{name}:{}", address.port()))
    }

    /// Where bots connect.
    pub fn bots(&self) -> SocketAddr {
        self.running().bots
    }

    /// What makes somebody the operator, once.
    pub fn operator_token(&self) -> Option<&str> {
        self.running().operator_token.as_deref()
    }

    /// The folder of its store.
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Stops the server, lets something happen, and starts it again at the same address.
    pub fn restart(&mut self, meanwhile: impl FnOnce()) {
        let address = self.running().address;
        self.running.take().unwrap().stop();
        meanwhile();
        self.running = Some(Running::start_at(&self.folder, address));
    }

    /// A browser at this site; `None`, and said loudly, where there is no Chromium.
    pub fn browser(&self, size: Size) -> Option<Browser> {
        Browser::start(self.url(), size)
    }
}
