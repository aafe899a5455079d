//! Whoever comes to sit somewhere, before the types of the game are known.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rookery_bots::{Greeting, QUIT, greet};
use rookery_referee::{Fault, MatchSpec, Offence, Player, SeatEntry, SeatSpec, write_duration};
use rookery_rules::Position;
use rookery_sandbox::{Program, Sandbox};
use rookery_search::PlayerSpec;
use rookery_wire::{
    Connection, CpuMeter, Lent, Process, Protocol, StartError, StderrLog, Trace, Transport, TransportExt as _,
};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::doors::Doors;

/// Whoever sits at a seat.
#[derive(Debug)]
pub enum Guest {
    /// One of our own.
    BuiltIn(PlayerSpec),
    /// Somebody at a screen.
    Person,
    /// A program at the end of a link, and the protocol of an original that it speaks.
    Linked(Lent, &'static str),
    /// A program that has said hello in the bot protocol.
    Bot(Lent, Arc<Greeting>),
    /// A player that whoever prepares the match has made: see [`Guest::own`].
    Own(OwnPlayer),
    /// Nobody, for this reason: the match is still ruled and recorded.
    Absent(Fault),
}

/// A player that knows its game, where the types of the game are not known.
pub struct OwnPlayer(Box<dyn Any + Send>);

impl OwnPlayer {
    /// The player, if the positions are its own.
    pub(crate) fn take<P: Position>(self) -> Option<Box<dyn Player<P>>> {
        self.0.downcast::<Box<dyn Player<P>>>().ok().map(|player| *player)
    }
}

impl fmt::Debug for OwnPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnPlayer")
    }
}

/// A seat to be filled, and what a program there speaks.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Who is to sit there.
    pub seat: &'a SeatSpec,
    /// Its name in this match: a bot that comes over the network may say it to get this seat.
    pub name: &'a str,
    /// The protocol of a program.
    pub protocol: Protocol,
}

impl Opening {
    /// The command of a seat whose program is started here. That of a bundle is known to whoever has unpacked it.
    pub(crate) fn command<'a>(&'a self, wanted: &Wanted<'a>) -> Option<Result<&'a str, StartError>> {
        match wanted.seat {
            SeatSpec::Command(command) => Some(Ok(command)),
            SeatSpec::Bundle { .. } => {
                let known = self.places.get(wanted.name).and_then(|place| place.command.as_deref());
                let missing = || StartError::System("its bundle was not brought from a store".to_owned());
                Some(known.ok_or_else(missing))
            }
            _ => None,
        }
    }

    /// Starts the program of the player of this name.
    fn start(&self, command: &str, name: &str) -> Result<Process, StartError> {
        let place = self.places.get(name);
        let own = place.and_then(|place| place.sandbox.as_ref());
        let Some(sandbox) = own.or(self.sandbox.as_ref()) else { return Process::start(command) };
        let mut program = Program::parse(command).map_err(|error| StartError::Command(error.to_string()))?;
        if let Some(Surroundings { cwd, env, .. }) = place {
            program = Program { cwd: cwd.clone(), env: env.clone(), ..program };
        }
        Process::start_in(sandbox, &program)
    }

    /// Says hello to whoever speaks the bot protocol, on a link to the player of this name.
    pub(crate) async fn greet(
        &self,
        mut link: Box<dyn Transport>,
        name: &str,
        protocol: Protocol,
    ) -> Result<Link, Fault> {
        if let Some(trace) = &self.trace {
            link = trace.follow(link, name);
        }
        if protocol != rookery_bots::PROTOCOL {
            return Ok((link, None));
        }
        match greet(&mut *link, self.reply).await {
            Ok(greeting) => Ok((link, Some(greeting))),
            Err(fault) => {
                link.close().await;
                Err(fault)
            }
        }
    }
}

impl<'a> Wanted<'a> {
    /// All seats of a match, where all programs speak one protocol.
    pub fn all(spec: &'a MatchSpec, protocol: Protocol) -> Vec<Self> {
        let wanted = |entry: &'a SeatEntry| Self { seat: &entry.player, name: &entry.name, protocol };
        spec.seats.iter().map(wanted).collect()
    }
}

/// How programs are brought.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where those are awaited that connect.
    pub host: IpAddr,
    /// How long they are waited for, all together.
    pub wait: Duration,
    /// How long a bot may take to say hello and to get ready.
    pub reply: Duration,
    /// Where everything is written down that travels.
    pub trace: Option<Trace>,
    /// What a bot that connects has to say to be let in.
    pub secret: Option<String>,
    /// Where programs are started; by themselves if there is none.
    pub sandbox: Option<Sandbox>,
    /// In which surroundings the program of a player starts, by the player's name; they need a sandbox. Shared, because
    /// there may be thousands of them and every match has a copy of this.
    pub places: Arc<HashMap<String, Surroundings>>,
}

/// The surroundings of a program.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The folder it runs in; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// Variables that it gets beside the usual ones.
    pub env: Vec<(String, String)>,
    /// Its sandbox, if not the one of all others.
    pub sandbox: Option<Sandbox>,
    /// The command of a bundle: a seat spec names the bot alone.
    pub command: Option<String>,
}

impl Default for Opening {
    /// On this machine alone, for a minute.
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            wait: Duration::from_mins(1),
            reply: rookery_bots::REPLY_TIME,
            trace: None,
            secret: None,
            sandbox: None,
            places: Arc::default(),
        }
    }
}

/// A port that cannot be listened on: our own trouble, unlike a program that does not come.
#[derive(Debug)]
pub struct OpenError {
    /// Where.
    pub address: SocketAddr,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, error } = self;
        write!(f, "cannot listen on {address}: {error}; choose another port, or 0 for any")
    }
}

impl std::error::Error for OpenError {}

impl Guest {
    /// A player of one's own for a match of its game.
    pub fn own<P: Position>(player: impl Player<P> + 'static) -> Self {
        let player: Box<dyn Player<P>> = Box::new(player);
        Self::Own(OwnPlayer(Box::new(player)))
    }

    /// The guests of a match without programs: they are always there.
    pub fn built_in(spec: &MatchSpec) -> Result<Vec<Self>, String> {
        let guest = |seat: &SeatSpec| match seat {
            SeatSpec::BuiltIn(player) => Ok(Self::BuiltIn(player.clone())),
            SeatSpec::Human => Ok(Self::Person),
            _ => Err(format!("`{seat}` is a program, which has to be brought first")),
        };
        spec.seats.iter().map(|entry| guest(&entry.player)).collect()
    }
}

/// Whoever has come, and the way they leave.
#[derive(Debug)]
pub struct Opened {
    /// One for each seat.
    pub guests: Vec<Guest>,
    /// Lets programs end in peace when their match is over.
    pub closing: Closing,
    /// The programs that run here, by seat.
    pub started: Vec<(usize, Started)>,
}

/// What is known of a program that runs here, also while it runs.
#[derive(Clone, Debug)]
pub struct Started {
    /// What it writes to its standard error.
    pub log: StderrLog,
    /// The processor time it uses.
    pub cpu: CpuMeter,
}

/// Closes the links of a match that is over: programs may end by themselves for a moment, and are gone then.
#[derive(Debug, Default)]
pub struct Closing {
    /// What is left to do for each when all are back.
    tasks: JoinSet<Option<Keeping>>,
    /// Open as long as somebody may come back.
    doors: Option<Doors>,
}

/// Puts a program where it waits for its next game. Gives back who has to go for it.
type Keeping = Box<dyn FnOnce() -> Option<Box<dyn Transport>> + Send>;

/// How long the last word to a program may take.
const LAST_WORD: Duration = Duration::from_millis(100);

/// Says a last word, if there is one, and closes the link.
pub(crate) async fn send_away(mut link: Box<dyn Transport>, last: &[u8]) {
    if !last.is_empty() {
        // Whether it is still heard does not matter.
        let _ = timeout(LAST_WORD, link.send(last)).await;
    }
    link.close().await;
}

impl Closing {
    /// Takes a link that ends with its match; `last` is said before.
    fn lend(&mut self, link: Box<dyn Transport>, last: &'static [u8]) -> Lent {
        let (lent, home) = Lent::new(link);
        self.tasks.spawn(async move {
            if let Ok(link) = home.await {
                send_away(link, last).await;
            }
            None
        });
        lent
    }

    /// Takes the link of a program that goes on after its match unless it was removed from it. When the match is
    /// [done](Self::done), `keep` gets it back, and gives back who has to go for it.
    pub(crate) fn keep_program(
        &mut self,
        link: Box<dyn Transport>,
        keep: impl FnOnce(Box<dyn Transport>) -> Option<Box<dyn Transport>> + Send + 'static,
    ) -> Lent {
        let (lent, home) = Lent::new(link);
        let spoilt = lent.spoilt();
        self.tasks.spawn(async move {
            let link = home.await.ok()?;
            if spoilt.is_so() {
                send_away(link, QUIT).await;
                return None;
            }
            Some(Box::new(move || keep(link)) as Keeping)
        });
        lent
    }

    /// Takes a link that goes on after its match: `keep` gets it back.
    pub(crate) fn keep(
        &mut self,
        link: Box<dyn Transport>,
        keep: impl FnOnce(Box<dyn Transport>) + Send + 'static,
    ) -> Lent {
        let (lent, home) = Lent::new(link);
        self.tasks.spawn(async move {
            if let Ok(link) = home.await {
                keep(link);
            }
            None
        });
        lent
    }

    /// Waits until all are gone, or free again. The match is over, or was dropped.
    pub async fn done(mut self) {
        let mut staying = vec![];
        while let Some(left) = self.tasks.join_next().await {
            staying.extend(left.ok().flatten());
        }
        // From here on nothing is awaited: whoever reads what a program wrote in this match does so before its next one.
        for link in staying.into_iter().filter_map(|keeping| keeping()) {
            tokio::spawn(send_away(link, QUIT));
        }
    }
}

/// Brings whoever is to sit at each seat: listens at ports, starts programs, waits, and says hello to bots, to all at the same
/// time. `announce` is told where a seat's program is awaited. Who does not come is [`Guest::Absent`].
///
/// # Panics
/// Outside of a runtime.
pub async fn open(
    seats: &[Wanted<'_>],
    opening: &Opening,
    announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
) -> Result<Opened, OpenError> {
    let doors = Doors::default();
    let (came, started) = gather(seats, opening, announce, &doors, &[]).await?;
    let mut opened = Opened::of(seats, opening);
    opened.started = started;
    for (idx, link) in came {
        opened.seat(idx, link, seats[idx].protocol);
    }
    opened.closing.doors = Some(doors);
    Ok(opened)
}

/// Who has come, and those who were started.
type Gathered = (Vec<Came>, Vec<(usize, Started)>);

/// Starts programs and waits for others, but for the seats of those who are there already.
pub(crate) async fn gather(
    seats: &[Wanted<'_>],
    opening: &Opening,
    announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    doors: &Doors,
    there: &[usize],
) -> Result<Gathered, OpenError> {
    // First all ports: nobody is started for a match that cannot be.
    doors.listen(seats, opening, announce)?;
    let deadline = Instant::now() + opening.wait;
    let (mut coming, mut all_started) = (JoinSet::new(), vec![]);
    for (idx, wanted) in seats.iter().enumerate().filter(|(idx, _)| !there.contains(idx)) {
        if let Some(command) = opening.command(wanted) {
            let Protocol { framing, bounds, .. } = wanted.protocol;
            let started = match command.and_then(|command| opening.start(command, wanted.name)) {
                Ok(process) => {
                    all_started.push((idx, Started { log: process.log(), cpu: process.meter() }));
                    Ok(Connection::process(process, framing, bounds))
                }
                Err(error) => Err(Fault::from(&error)),
            };
            let (opening, name, protocol) = (opening.clone(), wanted.name.to_owned(), wanted.protocol);
            coming.spawn(async move {
                let link = match started {
                    Ok(connection) => opening.greet(Box::new(connection), &name, protocol).await,
                    Err(fault) => Err(fault),
                };
                (idx, link)
            });
        }
    }
    let is_free = |(idx, wanted): &(usize, &Wanted<'_>)| wanted.seat.is_awaited() && !there.contains(idx);
    let awaited = seats.iter().enumerate().filter(is_free);
    let awaited = awaited.map(|(idx, wanted)| (idx, wanted.name.to_owned())).collect();
    let mut came = vec![];
    while let Some(joined) = coming.join_next().await {
        came.extend(joined);
    }
    // Last, because who is seated before its match begins is not listened to.
    came.extend(doors.wait(awaited, deadline).await);
    Ok((came, all_started))
}

impl Opened {
    /// Before anybody has come: who is not waited for is there, and whoever is waited for absent.
    pub(crate) fn of(seats: &[Wanted<'_>], opening: &Opening) -> Self {
        let wait = write_duration(opening.wait);
        let absent = || Guest::Absent(Fault::new(Offence::NoShow, format!("nobody connected within {wait}")));
        let guests = seats.iter().map(|wanted| at_once(wanted.seat).unwrap_or_else(absent)).collect();
        Self { guests, closing: Closing::default(), started: vec![] }
    }

    /// Whoever has come sits there, until its match is over.
    pub(crate) fn seat(&mut self, idx: usize, link: Result<Link, Fault>, protocol: Protocol) {
        self.guests[idx] = match link {
            Err(fault) => Guest::Absent(fault),
            Ok((link, None)) => Guest::Linked(self.closing.lend(link, b""), protocol.name),
            Ok((link, Some(greeting))) => Guest::Bot(self.closing.lend(link, QUIT), Arc::new(greeting)),
        };
    }
}

/// Whoever needs not be waited for.
fn at_once(seat: &SeatSpec) -> Option<Guest> {
    match seat {
        SeatSpec::BuiltIn(player) => Some(Guest::BuiltIn(player.clone())),
        SeatSpec::Human => Some(Guest::Person),
        SeatSpec::Remote(_) => {
            Some(Guest::Absent(Fault::new(Offence::NoShow, "nobody of this name has signed up")))
        }
        SeatSpec::Command(_) | SeatSpec::Tcp(_) | SeatSpec::Ws(_) | SeatSpec::Bundle { .. } => None,
    }
}

/// A link to a program, and what it said first if it speaks the bot protocol.
pub(crate) type Link = (Box<dyn Transport>, Option<Greeting>);
/// Who has come to which seat.
pub(crate) type Came = (usize, Result<Link, Fault>);
