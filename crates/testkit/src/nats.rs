//! A broker of the test's own: `nats-server` with `JetStream` in a temporary folder, on free ports, gone afterwards.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::{TempFolder, tell_skipped};

/// How long it may take to answer, on a machine that does much else.
const START: Duration = Duration::from_mins(1);

/// A broker that runs.
#[derive(Debug)]
pub struct Nats {
    program: PathBuf,
    folder: TempFolder,
    port: u16,
    monitor: u16,
    /// What its configuration has beside the ports.
    extra: String,
    server: Option<Child>,
}

impl Nats {
    /// A new broker, or `None` where nats-server is not installed: that is said loudly, and after `cargo xtask test` has
    /// installed everything it is a failure.
    ///
    /// # Panics
    /// If there is one that does not start.
    pub fn start() -> Option<Self> {
        Self::with("")
    }

    /// The same with more lines in its configuration.
    ///
    /// # Panics
    /// If there is one that does not start.
    pub fn with(extra: &str) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        folders.push(PathBuf::from("/usr/sbin"));
        let found = folders.into_iter().map(|folder| folder.join("nats-server")).find(|file| file.is_file());
        let Some(program) = found else {
            assert!(
                std::env::var_os("ROOKERY_ALL_KITS").is_none(),
                "nats-server was to be installed, and is not there"
            );
            tell_skipped("nats-server is not installed (Debian: apt-get install nats-server)");
            return None;
        };
        let folder = TempFolder::new("nats");
        let mut server = Self { program, folder, port: 0, monitor: 0, extra: extra.to_owned(), server: None };
        server.resume();
        Some(server)
    }

    /// Where it is reached.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Where it tells of itself.
    pub fn monitor(&self) -> String {
        format!("127.0.0.1:{}", self.monitor)
    }

    /// Its process.
    pub fn id(&self) -> Option<u32> {
        self.server.as_ref().map(Child::id)
    }

    /// Kills it. Its data stays.
    pub fn crash(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Stops it where it is, or lets it go on.
    pub fn freeze(&self, frozen: bool) {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        if let Some(pid) = self.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
            // One that has ended needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    /// Has it read its configuration again, in the way that operators are told.
    ///
    /// # Panics
    /// If it does not run, or takes no signal.
    pub fn reload(&self) {
        let id = self.id().expect("it runs");
        let signalled = Command::new(&self.program).arg("--signal").arg(format!("reload={id}")).output();
        let signalled = signalled.expect("nats-server can be started");
        assert!(signalled.status.success(), "{}", String::from_utf8_lossy(&signalled.stderr));
    }

    /// The names of those that are connected.
    ///
    /// # Panics
    /// If it does not answer.
    pub fn connected(&self) -> Vec<String> {
        let answer = self.ask("/connz").expect("it answers");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let said: serde_json::Value = serde_json::from_str(body).expect("it answers in JSON");
        let names = said["connections"].as_array().into_iter().flatten();
        names.filter_map(|one| Some(one["name"].as_str()?.to_owned())).collect()
    }

    /// Loses everything that it has kept; only while it is down.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.folder.join("data"));
    }

    /// Starts it again, on the same ports if it had some.
    ///
    /// # Panics
    /// If it does not answer.
    pub fn resume(&mut self) {
        for _ in 0..10 {
            if self.port == 0 {
                // Somebody else may take them before the server does: then there is another try.
                (self.port, self.monitor) = (free_port(), free_port());
            }
            if self.try_start() {
                return;
            }
            (self.port, self.monitor) = (0, 0);
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        panic!("nats-server does not start: {log}");
    }

    fn try_start(&mut self) -> bool {
        let config = format!(
            "listen: \"127.0.0.1:{}\"\nhttp: \"127.0.0.1:{}\"\njetstream {{ store_dir: \"{}\" }}\n{}\n",
            self.port,
            self.monitor,
            self.folder.join("data").display(),
            self.extra
        );
        let file = self.folder.join("nats.conf");
        fs::write(&file, config).expect("the folder can be written");
        let log = File::create(self.folder.join("log")).expect("the folder can be written");
        let copy = log.try_clone().expect("a file can be opened twice");
        // It ends with us, whatever happens to us.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&self.program).arg("-c").arg(&file);
        command.stdin(Stdio::null()).stdout(copy).stderr(log).current_dir(&self.folder);
        let mut server = command.spawn().expect("nats-server can be started");
        let until = Instant::now() + START;
        while Instant::now() < until {
            if let Ok(Some(_)) = server.try_wait() {
                return false;
            }
            if self.is_ready() {
                self.server = Some(server);
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = server.kill();
        let _ = server.wait();
        false
    }

    /// Whether it says that it is well.
    fn is_ready(&self) -> bool {
        self.ask("/healthz").is_ok_and(|answer| answer.starts_with("HTTP/1.0 200"))
    }

    /// What it says of itself.
    fn ask(&self, path: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.monitor))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.crash();
    }
}

fn free_port() -> u16 {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    free.expect("there is a free port").port()
}
