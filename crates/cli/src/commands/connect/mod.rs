//! `rookery connect`: brings a bot that talks by its standard input and output to a seat somewhere else.

mod dial;

use std::future::poll_fn;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context as _, bail};
use rookery_bots::PROTOCOL;
use rookery_referee::{Fault, Terms, parse_duration, words, write_duration};
use rookery_rules::text::clean;
use rookery_sandbox::Program;
use rookery_wire::{Connection, Process, Transport, TransportExt as _};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use self::dial::{Address, DialError, Dialled, Dialler};
use crate::programs::{open_trace, read_secret};
use crate::sandbox_args::SandboxArgs;

/// Bring a bot to a seat of a match that runs elsewhere
///
/// The bot is a program that speaks the protocol of docs/protocol.md by its standard input and output; it need not know of any
/// network. If the connection is lost, it is made anew, and the game goes on with the same turn; if that game is over, the bot
/// waits for its next one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rookery match hexapawn tcp:4000 hard            (there)
  rookery connect there:4000 --name mine -- python3 bot.py
  rookery connect ws://there:4000 --name mine --secret-file secret -- ./bot
  rookery connect wss://example.org/bots --name mine --secret-file token -- ./bot

Exit codes: 0 the match is over, 1 failed, 2 the command line is wrong.")]
pub(crate) struct Args {
    /// Where the match runs: HOST:PORT for a seat `tcp:PORT`, `ws://HOST:PORT` for a seat `ws:PORT`, `wss://HOST/bots` for a
    /// server behind TLS
    #[arg(value_name = "ADDR")]
    address: Address,

    /// The name of the bot: it takes the seat of this name, if there is one
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// A file whose first line is the secret of the seat
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// With wss://: trust the authorities whose certificates are in this file (PEM), and not those of the system
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// How long to try to connect, first and again
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    wait: Duration,

    /// Write every line to and from the bot, with its time in microseconds, into this file; - is standard error
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    #[command(flatten)]
    sandbox: SandboxArgs,

    /// The bot: a program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// The pause before the next try.
const PAUSE: Duration = Duration::from_millis(500);
/// How long one try may take, until the server has said its first word.
const TIME_TO_CONNECT: Duration = Duration::from_secs(10);
/// Whoever is refused is refused earlier than this.
const LET_IN: Duration = Duration::from_secs(20);
/// How long the bot may take to read what it was sent, while it is not its turn: as at a seat where it is started.
const TIME_TO_READ: Duration = Duration::from_secs(10);
/// How long the bot may take to end after the last game.
const TIME_TO_END: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let secret = args.secret_file.as_deref().map(read_secret).transpose()?;
    let trace = args.trace.as_deref().map(open_trace).transpose()?;
    let dialler = Dialler::new(&args.address, args.ca.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let sandbox = args.sandbox.prepare()?;
        let program = Program { argv: args.command.clone(), ..Program::default() };
        let process = Process::start_in(&sandbox, &program).context("the bot cannot be started")?;
        let log = process.log();
        let bot = Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds);
        let mut bot: Box<dyn Transport> = Box::new(bot);
        if let Some(trace) = trace {
            bot = trace.follow(bot, args.name.as_deref().unwrap_or("bot"));
        }
        let mut bridge = Bridge {
            args,
            dialler,
            secret,
            bot,
            is_private: false,
            came: Came::Nowhere,
            hello: None,
            token: None,
            is_seated: false,
            patience: TIME_TO_READ,
            unread: None,
            error: None,
            quit: false,
        };
        let result = bridge.run().await;
        let _ = timeout(TIME_TO_END, bridge.bot.close()).await;
        if result.is_err()
            && let Some(last) = log.last()
        {
            writeln!(stderr(), "The bot wrote last:\n{}", clean(&last))?;
        }
        result.map(|()| ExitCode::SUCCESS)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Nowhere,
    /// The bot was told the hello of a server. It hears no other: it would say hello again.
    Greeted,
    /// It waited for a seat or played: it is worth coming back.
    LetIn,
}

/// Something that the bot is to read.
#[derive(Clone, Copy)]
struct Unread {
    due: Instant,
    /// Whether it has nothing to do when it has read it.
    is_idle: bool,
}

/// What comes of waiting for the bot.
enum FromBot {
    /// It has read what it was sent.
    Read(Result<(), Fault>),
    Said(Result<Vec<u8>, Fault>),
}

struct Bridge<'a> {
    args: &'a Args,
    dialler: Dialler,
    secret: Option<String>,
    bot: Box<dyn Transport>,
    /// Whether nobody on the way can read what is said on this connection.
    is_private: bool,
    /// How far it has come on any connection.
    came: Came,
    /// What the bot said first; said again for it when the connection was lost.
    hello: Option<Map<String, Value>>,
    /// What it comes back with.
    token: Option<String>,
    /// Whether it was seated on this connection.
    is_seated: bool,
    /// How long the bot may take to read what comes next.
    patience: Duration,
    /// What the bot has not read yet.
    unread: Option<Unread>,
    /// The last error that the server told on this connection: its code and its sentence.
    error: Option<(String, String)>,
    quit: bool,
}

impl Bridge<'_> {
    async fn run(&mut self) -> anyhow::Result<()> {
        let mut deadline = Instant::now() + self.args.wait;
        loop {
            let (mut server, hello) = self.connect(deadline).await?;
            let begin = Instant::now();
            self.is_seated = false;
            let lost = match self.relay(&mut server, &hello).await? {
                None => {
                    server.close().await;
                    return Ok(());
                }
                Some(_) if self.quit => return Ok(()),
                // Whoever came back from here would take the place of the other, and so on for ever.
                Some(_) if server.was_replaced() || self.was_replaced() => {
                    bail!(
                        "another connection of this bot has taken its place; only one can play, so this one ends"
                    )
                }
                Some(why) => clean(&why),
            };
            // Who was let in for a while has all the time again.
            if self.is_seated || begin.elapsed() > LET_IN {
                deadline = Instant::now() + self.args.wait;
            }
            let why = self.come_back(&lost)?;
            if Instant::now() + PAUSE >= deadline {
                bail!("not let in again within {}: {why}", write_duration(self.args.wait));
            }
            writeln!(stderr(), "the connection was lost ({why}); trying again")?;
            sleep(PAUSE).await;
        }
    }

    fn was_replaced(&self) -> bool {
        self.error.as_ref().is_some_and(|(code, _)| code == "replaced")
    }

    /// Why the connection was lost, if it is worth coming back.
    fn come_back(&mut self, lost: &str) -> anyhow::Result<String> {
        let Some((code, message)) = self.error.take() else {
            if self.hello.is_none() {
                bail!("the connection was closed before the bot had said hello: {lost}");
            }
            // Nobody has refused it, so it was waiting for a seat at least.
            self.came = Came::LetIn;
            return Ok(lost.to_owned());
        };
        let why = format!("{code}: {message}");
        match code.as_str() {
            // Its game is over: it waits for the next one by its name.
            "no_seat" if self.token.take().is_some() => Ok(why),
            // The server may not have noticed yet that it was gone.
            "no_seat" | "name_taken" if self.came == Came::LetIn => Ok(why),
            // Others have to say their names first.
            "busy" => Ok(why),
            "no_seat" | "name_taken" | "closed" | "bad_secret" | "bad_token" | "bad_name" | "bad_hello" => {
                bail!("the server refused the bot: {why}")
            }
            _ if self.came == Came::LetIn => Ok(lost.to_owned()),
            _ => bail!("the connection was closed before a game began: {why}"),
        }
    }

    /// Connects, as often as it takes, and waits for the first word of the server.
    async fn connect(&mut self, deadline: Instant) -> anyhow::Result<(Box<dyn Transport>, Vec<u8>)> {
        loop {
            let error = match timeout(TIME_TO_CONNECT, self.try_once()).await {
                Ok(Ok((Dialled { link, is_private }, hello))) => {
                    self.is_private = is_private;
                    return Ok((link, hello));
                }
                Ok(Err(DialError::Final(error))) => bail!("{}", clean(&error)),
                Ok(Err(DialError::Later(error))) => error,
                Err(_) => format!("no answer within {}", write_duration(TIME_TO_CONNECT)),
            };
            if Instant::now() + PAUSE >= deadline {
                let wait = write_duration(self.args.wait);
                bail!("no connection within {wait}: {}; is the match waiting there?", clean(&error));
            }
            sleep(PAUSE).await;
        }
    }

    async fn try_once(&self) -> Result<(Dialled, Vec<u8>), DialError> {
        let mut server = self.dialler.dial().await?;
        match server.link.receive().await {
            Ok(hello) => Ok((server, hello)),
            Err(fault) => Err(DialError::Later(words::offence(fault.offence, &fault.evidence))),
        }
    }

    /// Passes lines on until the server is gone (and why), or the bot is.
    async fn relay(
        &mut self,
        server: &mut Box<dyn Transport>,
        hello: &[u8],
    ) -> anyhow::Result<Option<String>> {
        // While nobody wrote to it, it had nothing to read.
        self.wait_longer(self.patience);
        self.pass_on(hello, server).await;
        loop {
            let unread = self.unread;
            let due = unread.map_or_else(Instant::now, |unread| unread.due);
            tokio::select! {
                // More comes when the bot has read this.
                told = server.receive(), if unread.is_none() => match told {
                    Ok(line) => self.pass_on(&line, server).await,
                    Err(fault) => return Ok(Some(words::offence(fault.offence, &fault.evidence))),
                },
                from_bot = self.next_from_bot() => match from_bot {
                    FromBot::Read(Ok(())) => self.bot.set_idle(unread.is_some_and(|unread| unread.is_idle)),
                    FromBot::Said(Ok(line)) => {
                        let line = self.take_over(line)?;
                        let begin = Instant::now();
                        if let Err(fault) = server.send(&line).await {
                            return Ok(Some(words::offence(fault.offence, &fault.evidence)));
                        }
                        self.wait_longer(begin.elapsed());
                    }
                    FromBot::Said(Err(_)) if self.quit => return Ok(None),
                    FromBot::Read(Err(fault)) | FromBot::Said(Err(fault)) => {
                        bail!("the bot {}", clean(&words::offence(fault.offence, &fault.evidence)));
                    }
                },
                () = sleep_until(due), if unread.is_some() => bail!("the bot does not read what it is sent"),
            }
        }
    }

    /// For so long nobody wrote to the bot, which does not count as its time to read.
    fn wait_longer(&mut self, time: Duration) {
        if let Some(unread) = &mut self.unread {
            unread.due = unread.due.max(Instant::now()) + time;
        }
    }

    /// Waits for the bot to read or to say something.
    async fn next_from_bot(&mut self) -> FromBot {
        poll_fn(|cx| {
            if self.unread.is_some()
                && let Poll::Ready(read) = self.bot.poll_flush(cx)
            {
                self.unread = None;
                return Poll::Ready(FromBot::Read(read));
            }
            self.bot.poll_receive(cx).map(FromBot::Said)
        })
        .await
    }

    async fn pass_on(&mut self, line: &[u8], server: &mut Box<dyn Transport>) {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let text = |key: &str| clean(message[key].as_str().unwrap_or_default());
        match message["type"].as_str() {
            Some("hello") if self.came >= Came::Greeted => {
                // What the bot has said already is said again for it; otherwise it is still to come.
                if let Some(mut hello) = self.hello.clone() {
                    if let Some(token) = &self.token {
                        hello.insert("token".to_owned(), json!(token));
                    }
                    let again = format!("{}\n", Value::Object(hello));
                    // If that fails the connection is gone, which is noticed by whoever reads it.
                    let _ = server.send(again.as_bytes()).await;
                }
                return;
            }
            Some("hello") => self.came = Came::Greeted,
            Some("error") => {
                self.error = Some((text("code"), text("message")));
                // It is no matter of the bot: the next connection is made for it.
                if message["code"] == "busy" || self.was_replaced() {
                    return;
                }
            }
            Some("new_game") => {
                self.token = message["token"].as_str().map(str::to_owned);
                (self.came, self.is_seated) = (Came::LetIn, true);
                self.error = None;
            }
            Some("quit") => self.quit = true,
            _ => {}
        }
        self.patience = match message["type"].as_str() {
            // It may think without reading; who has no clock at all may do so for so long.
            Some("turn") => Terms::default().answer_cap,
            Some("said" | "error") => self.patience,
            _ => TIME_TO_READ,
        };
        self.bot.queue(&[line, b"\n"].concat());
        // Its answer was accepted, and whatever comes next wakes it.
        self.unread =
            Some(Unread { due: Instant::now() + self.patience, is_idle: message["type"] == "moved" });
    }

    /// What the bot says, with its name and its secret in its hello.
    fn take_over(&mut self, line: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        let line = match serde_json::from_slice::<Value>(&line) {
            Ok(Value::Object(mut hello))
                if self.hello.is_none() && hello.get("type") == Some(&json!("hello")) =>
            {
                if let Some(name) = &self.args.name {
                    hello.insert("name".to_owned(), json!(name));
                }
                if let Some(secret) = &self.secret {
                    hello.insert("secret".to_owned(), json!(secret));
                }
                self.warn(&hello)?;
                self.hello = Some(hello.clone());
                Value::Object(hello).to_string().into_bytes()
            }
            _ => line,
        };
        Ok([&line[..], b"\n"].concat())
    }

    /// Says that everybody on the way can read the secret of a hello.
    fn warn(&self, hello: &Map<String, Value>) -> anyhow::Result<()> {
        if hello.contains_key("secret") && !self.is_private {
            writeln!(
                stderr(),
                "warning: the secret goes to {} unencrypted, where everybody on the way can read it; use wss:// if the \
                 server has it",
                self.args.address
            )?;
        }
        Ok(())
    }
}
