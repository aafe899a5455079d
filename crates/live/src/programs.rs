//! Programs of a match or of many: what they speak, how they are brought, and who stays from game to game.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rookery_bots::{Greeting, Life, QUIT};
use rookery_referee::{Cause, Ending, MatchSpec, Offence, SeatSpec, Terms, Verdict};
use rookery_wire::{Protocol, Protocols, Transport};
use tokio::task::{JoinSet, yield_now};

use crate::Guest;
use crate::doors::{Doors, SignedUp};
use crate::guest::{OpenError, Opened, Opening, Started, Wanted, gather, send_away};
use crate::hall::{Bot, Refusal};
use crate::keeper::send_off;
use crate::kept::Kept;
use crate::restarts::Restarts;

/// What programs speak and how they are brought, for one match or for many between the same players. By default all speak the
/// bot protocol.
///
/// Bots that have connected stay from game to game, and so do programs that have asked for it, where they are
/// [kept](Programs::keeping); [`quit`](Programs::quit) sends them away.
#[derive(Debug, Default)]
pub struct Programs {
    /// The protocols of the originals.
    pub protocols: Protocols,
    /// Where they are awaited, and for how long.
    pub opening: Opening,
    /// What the player of a name speaks, if it is not the bot protocol.
    pub spoken: Vec<(String, Protocol)>,
    /// Nobody is late: for whoever looks at a program with a debugger.
    pub no_clock: bool,
    doors: Doors,
    kept: Arc<Kept>,
    /// How many programs may wait for their next game.
    max_kept: usize,
    restarts: Restarts,
    /// How long a program waits that has crashed three times in a row.
    restart_wait: Duration,
}

/// A port where bots sign up.
#[derive(Debug)]
pub struct SignUp {
    /// Where.
    pub address: SocketAddr,
    /// The seat spec of whoever signs up there.
    pub seat: SeatSpec,
    signed_up: SignedUp,
}

impl SignUp {
    /// Who has signed up and is still there, by name, in the order they came; no name twice, also not at another port.
    pub fn names(&self) -> Vec<String> {
        self.signed_up.names()
    }

    /// Ends the sign-up: from now on only these are let in, if they are not there already. Others are told that it is closed.
    pub async fn close(&self, entrants: Vec<String>) {
        self.signed_up.close(entrants).await;
    }
}

/// As good as no limit.
const A_DAY: Duration = Duration::from_hours(24);

impl Programs {
    /// Programs that speak and come like this.
    pub fn new(
        protocols: Protocols,
        opening: Opening,
        spoken: Vec<(String, Protocol)>,
        no_clock: bool,
    ) -> Self {
        Self { protocols, opening, spoken, no_clock, ..Self::default() }
    }

    /// The same for several games: programs that have asked for it are kept from one to the next, so many at a time. Whoever
    /// plays the games calls [`quit`](Self::quit) after the last one, in the same runtime.
    #[must_use]
    pub fn keeping(self, max_kept: usize) -> Self {
        Self { max_kept, ..self }
    }

    /// The same, where a program that has crashed three times in a row waits so long before it is started again, twice as long
    /// after each further crash, and thirty times as long at the most. Only its own match waits.
    #[must_use]
    pub fn with_restart_wait(self, restart_wait: Duration) -> Self {
        Self { restart_wait, ..self }
    }

    /// Takes note of a match that is over: who has crashed, and who has not.
    pub fn note(&self, spec: &MatchSpec, verdict: &Verdict) {
        if verdict.ending.cause == Cause::PlatformAbort {
            return;
        }
        for (idx, entry) in spec.seats.iter().enumerate().filter(|(_, entry)| is_started(&entry.player)) {
            let is_its = |ending: &Ending| ending.seat.is_some_and(|seat| seat.index() == idx);
            let has_crashed = verdict.removed.iter().any(|ending| is_its(ending) && is_crash(ending.cause));
            self.restarts.note(&entry.name, has_crashed);
        }
    }

    /// The tolerances a match with them is played with.
    pub fn terms(&self) -> Terms {
        if self.no_clock {
            return Terms { startup: 2 * A_DAY, answer_cap: A_DAY, ..Terms::default() };
        }
        // A bot that does not reply in time is told so by its protocol, which knows what was expected.
        let startup = Terms::default().startup.max(self.opening.reply + Duration::from_secs(1));
        Terms { startup, ..Terms::default() }
    }

    /// Brings whoever is to sit at the seats of a match: see [`open`](crate::open).
    pub async fn bring(
        &self,
        spec: &MatchSpec,
        announce: &mut (dyn FnMut(usize, SocketAddr) + Send),
    ) -> Result<Opened, OpenError> {
        let seats: Vec<Wanted<'_>> = spec
            .seats
            .iter()
            .map(|entry| Wanted {
                seat: &entry.player,
                name: &entry.name,
                protocol: self.spoken_by(&entry.name),
            })
            .collect();
        let mut opening = self.opening.clone();
        if self.no_clock {
            opening.reply = A_DAY;
        }
        let started = seats.iter().filter(|seat| is_started(seat.seat)).map(|seat| seat.name);
        self.restarts.wait(started, self.restart_wait).await;
        let mut opened = Opened::of(&seats, &opening);
        if seats.iter().any(|seat| seat.seat.is_awaited()) {
            // Whoever has gone by now is noticed by the system's word, which is only heard while we wait.
            yield_now().await;
        }
        let mut there = vec![];
        for (idx, seat) in seats.iter().enumerate() {
            let Some(Ok(command)) = opening.command(seat) else { continue };
            if let Some((bot, started)) = self.kept.take(seat.name, command) {
                started.log.clear();
                self.seat_program(&mut opened, idx, (seat.name, command), bot, started.clone());
                opened.started.push((idx, started));
                there.push(idx);
            }
        }
        let (came, started) = gather(&seats, &opening, announce, &self.doors, &there).await?;
        opened.started.extend(started);
        for (idx, link) in came {
            let seat = &seats[idx];
            match link {
                Ok((link, Some(greeting))) if seat.seat.is_awaited() => {
                    self.seat(&mut opened, idx, seat.name, link, Arc::new(greeting));
                }
                Ok((link, Some(greeting)))
                    if self.max_kept > 0
                        && greeting.life == Some(Life::Session)
                        && let Some(Ok(command)) = opening.command(seat)
                        && let Some((_, started)) = opened.started.iter().find(|(at, _)| *at == idx) =>
                {
                    let (bot, started) = ((link, Arc::new(greeting)), started.clone());
                    self.seat_program(&mut opened, idx, (seat.name, command), bot, started);
                }
                link => opened.seat(idx, link, seats[idx].protocol),
            }
        }
        Ok(opened)
    }

    /// Opens the ports of players by name before any of them is to play, so that they can come at once. `announce` is told
    /// where each is awaited.
    ///
    /// # Panics
    /// Outside of a runtime, which has to live as long as they are to play.
    pub fn listen<'a>(
        &self,
        players: impl IntoIterator<Item = (&'a str, &'a SeatSpec)>,
        announce: &dyn Fn(&str, SocketAddr),
    ) -> Result<(), OpenError> {
        for (name, seat) in players {
            let wanted = Wanted { seat, name, protocol: self.spoken_by(name) };
            let mut opened = None;
            self.doors.listen(&[wanted], &self.opening, &mut |_, address| opened = Some(address))?;
            if let Some(address) = opened {
                announce(name, address);
            }
        }
        Ok(())
    }

    /// Sends bots home that have connected: there is no game for them any more, and they are not let in again.
    pub async fn dismiss(&self, names: &[String]) {
        for link in self.doors.hall().dismiss(names) {
            send_off((Refusal::LeftOut, link), rookery_bots::PROTOCOL, self.opening.reply).await;
        }
    }

    /// What the player of a name speaks.
    fn spoken_by(&self, name: &str) -> Protocol {
        let found = self.spoken.iter().find(|(player, _)| player == name);
        found.map_or(rookery_bots::PROTOCOL, |(_, protocol)| *protocol)
    }

    /// Opens a port, `tcp:PORT` or `ws:PORT`, where bots sign up: whoever says hello there with a name of its own waits to
    /// be seated by that name, which is none of those in [`spoken`](Self::spoken). The address, and how to ask who has come.
    ///
    /// # Panics
    /// Outside of a runtime, which has to live as long as they are to play.
    pub fn sign_up(&self, at: &SeatSpec) -> Result<SignUp, OpenError> {
        let wanted = Wanted { seat: at, name: "sign-up", protocol: rookery_bots::PROTOCOL };
        let reserved = self.spoken.iter().map(|(name, _)| name.clone()).collect();
        let (address, signed_up) = self.doors.sign_up(&wanted, &self.opening, reserved)?;
        let seat = if matches!(at, SeatSpec::Ws(_)) { SeatSpec::Ws } else { SeatSpec::Tcp }(address.port());
        Ok(SignUp { address, seat, signed_up })
    }

    /// A bot that has connected, and stays after the match.
    fn seat(
        &self,
        opened: &mut Opened,
        idx: usize,
        name: &str,
        link: Box<dyn Transport>,
        greeting: Arc<Greeting>,
    ) {
        let (hall, name, again) = (Arc::clone(self.doors.hall()), name.to_owned(), Arc::clone(&greeting));
        let lent = opened.closing.keep(link, move |link| hall.stay(name, (link, again)));
        opened.guests[idx] = Guest::Bot(lent, greeting);
    }

    /// A program that stays after the match, unless it is removed from it.
    fn seat_program(
        &self,
        opened: &mut Opened,
        idx: usize,
        (name, command): (&str, &str),
        (link, greeting): Bot,
        started: Started,
    ) {
        let (kept, max) = (Arc::clone(&self.kept), self.max_kept);
        let (who, again) = ((name.to_owned(), command.to_owned()), Arc::clone(&greeting));
        let lent = opened.closing.keep_program(link, move |link| kept.put(who, (link, again), started, max));
        opened.guests[idx] = Guest::Bot(lent, greeting);
    }

    /// Tells all bots that stayed that there are no more games: programs of this runtime, and whoever has connected.
    pub async fn quit(&self) {
        let connected = self.doors.hall().take_all_staying();
        send_home(connected.into_iter().chain(self.kept.take_all())).await;
    }

    /// Tells the programs of this runtime, which ends. Whoever has connected stays.
    pub async fn quit_programs(&self) {
        send_home(self.kept.take_all()).await;
    }
}

async fn send_home(bots: impl IntoIterator<Item = Bot>) {
    let mut leaving: JoinSet<()> = bots.into_iter().map(|(link, _)| send_away(link, QUIT)).collect();
    while leaving.join_next().await.is_some() {}
}

/// Whether the program of a seat is started here.
fn is_started(seat: &SeatSpec) -> bool {
    matches!(seat, SeatSpec::Command(_) | SeatSpec::Bundle { .. })
}

/// Whether a program has ended by itself, or was ended for a limit of its sandbox.
fn is_crash(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Offence(
            Offence::Crashed
                | Offence::MemoryLimit
                | Offence::ProcessLimit
                | Offence::DiskLimit
                | Offence::SandboxViolation
        )
    )
}
