//! A PostgreSQL of the test's own: a new server in a temporary folder, on a free port, gone afterwards.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process};

use crate::{TempFolder, tell_skipped};

/// `nobody`, on every Debian: the server refuses to run as root.
const NOBODY: u32 = 65534;
/// How long a server may take to answer, on a machine that does much else.
const START: Duration = Duration::from_mins(1);

/// A server that runs.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    folder: TempFolder,
    port: u16,
    server: Option<Child>,
}

impl Postgres {
    /// A new server, or `None` where PostgreSQL is not installed: that is said loudly, and after `cargo xtask test` has
    /// installed everything it is a failure.
    ///
    /// # Panics
    /// If there is one that does not start.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("ROOKERY_ALL_KITS").is_none(),
                "PostgreSQL was to be installed, and is not there"
            );
            tell_skipped("PostgreSQL is not installed (Debian: apt-get install postgresql)");
            return None;
        };
        let folder = TempFolder::new("postgres");
        if geteuid().is_root() {
            chown(&folder, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
        }
        let mut server = Self { programs, folder, port: 0, server: None };
        let data = server.data();
        let made = server
            .unprivileged(
                "initdb",
                &["-U", "rookery", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            )
            .arg("-D")
            .arg(&data)
            .output()
            .expect("initdb can be started");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        server.resume();
        Some(server)
    }

    /// Makes a new, empty database; its URL.
    ///
    /// # Panics
    /// If the server refuses.
    pub fn database(&self, name: &str) -> String {
        let port = self.port.to_string();
        let made = self.run("createdb", &["-h", "127.0.0.1", "-p", &port, "-U", "rookery", name]);
        assert!(made.status.success(), "createdb: {}", String::from_utf8_lossy(&made.stderr));
        format!("postgres://rookery@127.0.0.1:{port}/{name}")
    }

    /// What a query gives, a line for each row.
    ///
    /// # Panics
    /// If the server refuses.
    pub fn query(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let asked = self.run(
            "psql",
            &["-h", "127.0.0.1", "-p", &port, "-U", "rookery", "-d", database, "-At", "-c", sql],
        );
        assert!(asked.status.success(), "psql: {}", String::from_utf8_lossy(&asked.stderr));
        String::from_utf8_lossy(&asked.stdout).into_owned()
    }

    /// Copies everything of a database into another one that is empty, by the server's own tools.
    ///
    /// # Panics
    /// If the server refuses.
    pub fn copy(&self, from: &str, to: &str) {
        let port = self.port.to_string();
        let file = self.folder.join("dump.sql");
        let file = file.to_str().expect("the folder has a plain name");
        let place = ["-h", "127.0.0.1", "-p", &port, "-U", "rookery"];
        let dumped = self.run("pg_dump", &[&place[..], &["-f", file, from]].concat());
        assert!(dumped.status.success(), "pg_dump: {}", String::from_utf8_lossy(&dumped.stderr));
        let quiet = ["-q", "-v", "ON_ERROR_STOP=1", "-d", to, "-f", file];
        let loaded = self.run("psql", &[&place[..], &quiet[..]].concat());
        assert!(loaded.status.success(), "psql: {}", String::from_utf8_lossy(&loaded.stderr));
    }

    /// Stops all of its processes where they are, or lets them go on.
    pub fn freeze(&self, frozen: bool) {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        let Some(server) = self.server.as_ref().map(Child::id) else { return };
        let children =
            fs::read_to_string(format!("/proc/{server}/task/{server}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|pid| pid.parse().ok());
        for pid in std::iter::once(server).chain(children) {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                // One that has ended meanwhile needs no signal.
                let _ = kill_process(pid, signal);
            }
        }
    }

    /// Stops the server at once, as a crash would. Its data stays.
    pub fn crash(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        if let Some(pid) = i32::try_from(server.id()).ok().and_then(Pid::from_raw) {
            // Its immediate stop: children are told to go, nothing is written any more.
            let _ = kill_process(pid, Signal::QUIT);
        }
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if let Ok(Some(_)) = server.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = server.kill();
        let _ = server.wait();
    }

    /// Starts the server again, on the same port if it had one.
    ///
    /// # Panics
    /// If it does not answer.
    pub fn resume(&mut self) {
        for _ in 0..10 {
            if self.port == 0 {
                // Somebody else may take it before the server does: then there is another try.
                let free =
                    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
                self.port = free.expect("there is a free port").port();
            }
            if self.try_start() {
                return;
            }
            self.port = 0;
        }
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        panic!("PostgreSQL does not start: {log}");
    }

    fn try_start(&mut self) -> bool {
        let port = self.port.to_string();
        let log = File::create(self.log()).expect("the folder can be written");
        let settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=16MB"];
        let mut command = self.unprivileged("postgres", &["-p", &port]);
        command.arg("-D").arg(self.data());
        for setting in settings {
            command.args(["-c", setting]);
        }
        let copy = log.try_clone().expect("a file can be opened twice");
        command.stdin(Stdio::null()).stdout(log).stderr(copy);
        let mut server = command.spawn().expect("postgres can be started");
        let until = Instant::now() + START;
        while Instant::now() < until {
            if let Ok(Some(_)) = server.try_wait() {
                return false;
            }
            let ready = self.run("pg_isready", &["-q", "-h", "127.0.0.1", "-p", &port, "-U", "rookery"]);
            if ready.status.success() {
                self.server = Some(server);
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = server.kill();
        let _ = server.wait();
        false
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        Command::new(self.programs.join(program))
            .args(args)
            .output()
            .expect("it is installed with the server")
    }

    /// A program that runs as nobody if we are root, and ends with us.
    fn unprivileged(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        if geteuid().is_root() {
            command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]).arg("--clear-groups");
        }
        command.arg("--").arg(self.programs.join(program)).args(args).current_dir(&self.folder);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.crash();
    }
}

/// Where the server's programs are: Debian keeps them apart, by version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort_unstable();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    folders.into_iter().find(|folder| has_all(folder))
}

fn has_all(folder: &Path) -> bool {
    ["initdb", "postgres", "createdb", "pg_isready", "psql"]
        .iter()
        .all(|program| folder.join(program).is_file())
}
