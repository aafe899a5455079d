//! Who may speak to the broker, and what each may say: a file that the broker's configuration includes.
//!
//! Everybody has a key of its own; the broker knows only the public half. A worker may get notifications, ask and send under its own name
//! (also for the bots of games that it plays), and hear what it is answered; a coordinator may do everything.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use nkeys::KeyPair;

use crate::ClusterError;
use crate::broker::{STREAM, inbox_prefix};
use crate::subjects::Subjects;
use crate::worker::is_name;

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;
const HEAD: &str = "# Written by `rookery worker enrol` and `revoke`: include it in the configuration of nats-server, and reload that\n\
                    # (nats-server --signal reload) after each change.\nauthorization {\n  users: [\n";
const TAIL: &str = "  ]\n}\n";
/// Under these names parts of Rookery connect: a worker of such a name could hear their answers.
const RESERVED: [&str; 4] = ["coordinator", "operator", "spectator", "doctor"];

/// What somebody may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Play.
    Worker,
    /// Coordinate, and look after everything.
    Coordinator,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Coordinator => "coordinator",
        }
    }
}

/// Enters somebody into the file of users, and writes its key into a new file that only its owner can read.
pub fn enrol(users: &Path, name: &str, role: Role, key: &Path) -> Result<(), ClusterError> {
    if !is_name(name) {
        return Err(ClusterError::Wrong(format!(
            "{name:?} is no name for a worker; expected 1 to 64 letters, digits, `_` or `-`"
        )));
    }
    if role == Role::Worker && RESERVED.contains(&name) {
        return Err(ClusterError::Wrong(format!(
            "{name:?} is what a part of Rookery calls itself; expected another name for a worker, such as {name}-1"
        )));
    }
    let mut lines = read(users)?;
    if lines.iter().any(|line| is_of(line, name)) {
        return Err(ClusterError::Wrong(format!(
            "{}: {name} is enrolled already; revoke it first, or choose another name",
            users.display()
        )));
    }
    let pair = KeyPair::new_user();
    let seed = pair.seed().map_err(|error| ClusterError::Wrong(error.to_string()))?;
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(key);
    let mut file = made.map_err(|error| wrong(key, &error))?;
    file.write_all(format!("{seed}\n").as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| wrong(key, &error))?;
    lines.push(line(name, role, &pair.public_key()));
    write(users, &lines)
}

/// Takes somebody out of the file. Whoever holds the key cannot connect once the broker has read it again.
pub fn revoke(users: &Path, name: &str) -> Result<(), ClusterError> {
    let mut lines = read(users)?;
    let before = lines.len();
    lines.retain(|line| !is_of(line, name));
    if lines.len() == before {
        return Err(ClusterError::Wrong(format!("{}: nobody called {name:?} is enrolled", users.display())));
    }
    write(users, &lines)
}

/// What one may do, in the words of the broker.
fn line(name: &str, role: Role, public_key: &str) -> String {
    let permissions = match role {
        Role::Coordinator => String::new(),
        Role::Worker => {
            let list = |subjects: &[String]| {
                let quoted: Vec<String> = subjects.iter().map(|subject| format!("\"{subject}\"")).collect();
                quoted.join(", ")
            };
            // Of all versions of the protocol and the rules: an upgraded worker keeps its key.
            let says = [
                Subjects::ANY.ask(name),
                Subjects::ANY.record(name),
                Subjects::ANY.show(name, "*"),
                Subjects::ANY.bundle(name),
                format!("$JS.API.CONSUMER.MSG.NEXT.{STREAM}.*"),
                format!("$JS.ACK.{STREAM}.>"),
            ];
            let hears =
                [Subjects::ANY.tell(name), Subjects::ANY.look(name), format!("{}.>", inbox_prefix(name))];
            format!(", permissions: {{ publish: [{}], subscribe: [{}] }}", list(&says), list(&hears))
        }
    };
    format!("    {{ nkey: \"{public_key}\"{permissions} }} # {} {name}", role.word())
}

fn is_of(line: &str, name: &str) -> bool {
    line.rsplit_once(" # ").and_then(|(_, note)| note.split_once(' ')).is_some_and(|(_, of)| of == name)
}

/// The lines of users; none if there is no file.
fn read(users: &Path) -> Result<Vec<String>, ClusterError> {
    match fs::metadata(users) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(wrong(users, &error)),
        Ok(facts) if facts.len() > MAX_FILE => {
            return Err(ClusterError::File(format!("{}: it is too large to be ours", users.display())));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(users).map_err(|error| wrong(users, &error))?;
    if !text.starts_with(HEAD) || !text.ends_with(TAIL) {
        return Err(ClusterError::File(format!(
            "{}: it was not written by this command; name a file of its own",
            users.display()
        )));
    }
    Ok(text[HEAD.len()..text.len() - TAIL.len()].lines().map(str::to_owned).collect())
}

/// Puts a whole file in the place of the old one.
fn write(users: &Path, lines: &[String]) -> Result<(), ClusterError> {
    let mut text = HEAD.to_owned();
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text.push_str(TAIL);
    let mut beside = users.as_os_str().to_owned();
    beside.push(".new");
    let beside = Path::new(&beside);
    fs::write(beside, text).and_then(|()| fs::rename(beside, users)).map_err(|error| wrong(users, &error))
}

fn wrong(path: &Path, error: &std::io::Error) -> ClusterError {
    ClusterError::File(format!("{}: {error}", path.display()))
}
