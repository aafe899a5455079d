//! A program that plays as the protocol says, until it does one thing that it should not: every fault that a bot can
//! commit, over every transport.
//!
//! ```text
//! evil-bot MODE [--tcp ADDRESS | --ws ADDRESS] [--mark TEXT] [--target TEXT] [--at TURN]
//! ```
//!
//! It is meant to be run by tests: some modes do harm where nothing stops them.

mod acts;
mod link;
mod speech;

use std::process::exit;

use link::{Link, rest};
pub use link::{WAYS, Way};

/// One way to misbehave.
#[derive(Clone, Copy)]
pub struct Mode {
    /// Its name, the first argument of the program.
    pub name: &'static str,
    /// The transports on which it can be done.
    pub ways: &'static [Way],
    /// When it is done.
    at: At,
    deed: fn(&mut Bot, u64),
}

impl std::fmt::Debug for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mode({})", self.name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// At a turn, instead of an answer. What is not answered by then is not answered at all.
    Turn,
    /// When the game begins, instead of being ready.
    Start,
    /// Before the first word.
    Once,
}

const PIPE: &[Way] = &[Way::Pipe];
const TCP: &[Way] = &[Way::Tcp];
const WS: &[Way] = &[Way::Ws];
const NET: &[Way] = &[Way::Tcp, Way::Ws];
const LINES: &[Way] = &[Way::Pipe, Way::Tcp];

const fn mode(name: &'static str, ways: &'static [Way], deed: fn(&mut Bot, u64)) -> Mode {
    Mode { name, ways, at: At::Turn, deed }
}

/// Every mode.
pub fn modes() -> impl Iterator<Item = Mode> {
    speech::MODES.iter().chain(acts::MODES).copied()
}

/// The bot, and what it was told when it was started.
pub(crate) struct Bot {
    link: Link,
    /// Told to everything that is started, so that it can be found.
    mark: String,
    /// What the deed is about: a file, an address.
    target: String,
}

impl Bot {
    /// Sends a message as it should be sent. Who is not heard any more ends.
    fn say(&mut self, message: impl AsRef<[u8]>) {
        self.say_all(&[message.as_ref()]);
    }

    fn say_all(&mut self, messages: &[&[u8]]) {
        if self.link.send(messages).is_err() {
            exit(0);
        }
    }

    fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        if self.link.raw(bytes.as_ref()).is_err() {
            exit(0);
        }
    }

    /// Says something as long as anybody takes it, and stays.
    fn flood(&mut self, bytes: &[u8]) -> ! {
        while self.link.raw(bytes).is_ok() {}
        rest()
    }

    /// A legal answer.
    fn answer(&mut self, id: u64) {
        self.say(answer(id));
    }
}

const READY: &str = r#"{"type":"ready"}"#;

/// The first legal move, whatever it is.
fn answer(id: u64) -> String {
    format!(r#"{{"type":"move","id":{id},"index":0}}"#)
}

/// The program: see the page of this module.
pub fn main(args: impl IntoIterator<Item = String>) {
    let mut args = args.into_iter();
    let wanted = args.next().unwrap_or_default();
    let (mut address, mut mark, mut target, mut at) = (None, String::new(), String::new(), 1);
    while let (Some(flag), Some(value)) = (args.next(), args.next()) {
        match flag.as_str() {
            "--tcp" => address = Some((value, Way::Tcp)),
            "--ws" => address = Some((value, Way::Ws)),
            "--mark" => mark = value,
            // With a word in front: what is named on a command line can be read.
            "--target" => target = value.strip_prefix("at:").map_or(value.clone(), str::to_owned),
            "--at" => at = value.parse().unwrap_or(1),
            _ => exit(2),
        }
    }
    if acts::child(&wanted, &mark) {
        return;
    }
    let Some(mode) = modes().find(|mode| mode.name == wanted) else { exit(2) };
    let link = match address {
        None => Link::standard(),
        Some((address, way)) => Link::connect(&address, way).unwrap_or_else(|_| exit(3)),
    };
    let mut bot = Bot { link, mark, target };
    if mode.at == At::Once {
        (mode.deed)(&mut bot, 0);
    }
    play(&mut bot, mode, at);
}

/// Plays as it should but for the deed.
fn play(bot: &mut Bot, mode: Mode, at: u32) {
    let mut turn = 0;
    while let Some(told) = bot.link.hear() {
        // The type stands first, then the id.
        let kind = told.split('"').nth(3).unwrap_or_default();
        match kind {
            "hello" => bot.say(r#"{"type":"hello","version":1,"name":"evil"}"#),
            "new_game" => {
                if mode.at == At::Start {
                    (mode.deed)(bot, 1);
                }
                bot.say(READY);
            }
            "turn" => {
                turn += 1;
                let id = told.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
                let id = id.and_then(|id| id.parse().ok()).unwrap_or(1);
                if turn == at && mode.at == At::Turn {
                    (mode.deed)(bot, id);
                } else {
                    bot.answer(id);
                }
            }
            "quit" => return,
            _ => {}
        }
    }
}
