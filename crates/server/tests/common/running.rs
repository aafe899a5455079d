//! A server of this process that ends with the test; also used by the tests in a browser.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rookery_live::{Signal, Stopping};
use rookery_server::{Config, Machines, Server};
use rookery_store::{Options, Reserve, Store};
use tokio::runtime::Runtime;

/// A server that ends with the test.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) bots: SocketAddr,
    pub(crate) operator_token: Option<String>,
    stopping: Stopping,
    runtime: Option<Runtime>,
    done: Option<tokio::task::JoinHandle<()>>,
}

impl Running {
    /// A server on any port, with its store in a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_as(folder, None, &[])
    }

    /// The same at an address that is known already.
    pub(crate) fn start_at(folder: &Path, listen: SocketAddr) -> Self {
        Self::bind(folder, listen, None, &[], None)
    }

    /// The same behind an address, or a proxy.
    pub(crate) fn start_as(folder: &Path, public: Option<&str>, trusted: &[&str]) -> Self {
        Self::bind(folder, "127.0.0.1:0".parse().unwrap(), public, trusted, None)
    }

    /// The same in a classroom, where people reach it over plain HTTP by a name that leads to this machine.
    pub(crate) fn start_at_name(folder: &Path, name: &str) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        Self::bind(folder, free, Some(&format!("http://{name}:{}", free.port())), &[], None)
    }

    /// The same with other machines that play, or seem to.
    pub(crate) fn start_with(folder: &Path, machines: Arc<dyn Machines>) -> Self {
        Self::bind(folder, "127.0.0.1:0".parse().unwrap(), None, &[], Some(machines))
    }

    /// The store of a folder.
    pub(crate) fn store(folder: &Path) -> Store {
        let file = folder.join("test.db");
        // Little, so that a full disk of the machine that tests matters to nobody.
        let options = Options { ballast: 0, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() };
        Store::open(file.to_str().unwrap(), &options).unwrap()
    }

    fn bind(
        folder: &Path,
        listen: SocketAddr,
        public: Option<&str>,
        trusted: &[&str],
        machines: Option<Arc<dyn Machines>>,
    ) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let store = Self::store(folder);
        let stopping = Stopping::new(Duration::from_secs(1));
        let config = Config {
            listen,
            bots: Some("127.0.0.1:0".parse().unwrap()),
            store,
            spool: folder.join("test.db.live"),
            public_url: public.map(|url| url.parse().unwrap()),
            bots_url: None,
            trusted_proxies: trusted.iter().map(|range| range.parse().unwrap()).collect(),
            elsewhere: None,
            stopping: stopping.clone(),
        };
        let guard = runtime.enter();
        let server = Server::bind(config).unwrap();
        drop(guard);
        if let Some(machines) = machines {
            server.tell_of_machines(machines);
        }
        let address = server.local_addr();
        let bots = server.bots_addr().unwrap();
        let operator_token =
            server.operator_link().map(|link| link.split_once("operator=").unwrap().1.to_owned());
        let done = runtime.spawn(server.run());
        Self { address, bots, operator_token, stopping, runtime: Some(runtime), done: Some(done) }
    }

    /// Stops it as a signal would, and waits for its end.
    pub(crate) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let (Some(runtime), Some(done)) = (self.runtime.take(), self.done.take()) else { return };
        self.stopping.request(Signal::Terminate);
        runtime
            .block_on(async { tokio::time::timeout(Duration::from_mins(1), done).await })
            .unwrap()
            .unwrap();
        runtime.shutdown_timeout(Duration::from_secs(5));
    }

    /// Runs something where sockets can be opened.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().unwrap().block_on(work)
    }

    /// Work beside the test.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        self.runtime.as_ref().unwrap().spawn(work)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}
