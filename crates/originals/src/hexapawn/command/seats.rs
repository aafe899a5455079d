//! From what the command line says to whoever sits there.

use std::io::Write;
use std::time::Duration;

use anyhow::Context;
use rookery_catalog::{Hexapawn, SeatSpec, seat};
use rookery_record::Limits;
use rookery_referee::{Fault, Offence, write_duration};
use rookery_wire::Process;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};

use super::human::{Human, Lines};
use super::printer::Printer;
use crate::ErrorOutput;
use crate::hexapawn::host::Chair;
use crate::hexapawn::records::PlayerType;
use crate::hexapawn::{over_pipes, over_tcp};

/// What is needed to fill the seats.
pub(super) struct Seating<'a> {
    pub(super) specs: [&'a SeatSpec; 2],
    /// The address on which programs are awaited.
    pub(super) host: &'a str,
    pub(super) connect_timeout: Duration,
    pub(super) warm_up: Duration,
    /// More time for people.
    pub(super) patience: Duration,
    /// Where people are shown something.
    pub(super) printer: &'a Printer,
    /// Where it is said who is waited for.
    pub(super) err: ErrorOutput,
}

impl Seating<'_> {
    /// Fills the seats. First whoever connects, then programs are started: they wait for nobody.
    pub(super) async fn fill(&mut self) -> anyhow::Result<[Chair; 2]> {
        let mut chairs = self.await_connections().await?;
        let lines = self.specs.contains(&&SeatSpec::Human).then(Lines::start);
        for (chair, spec) in chairs.iter_mut().zip(self.specs) {
            let filled = match spec {
                SeatSpec::Tcp(_) => continue,
                SeatSpec::Human => {
                    let lines = lines.clone().expect("somebody is a person");
                    let printer = self.printer.clone();
                    let show = Box::new(move |text| printer.show_person(text));
                    Chair::Local(Box::new(Human { lines, show, extra: self.patience }))
                }
                SeatSpec::Command(command) => {
                    let process =
                        Process::start(command).with_context(|| format!("{command}: cannot be started"))?;
                    Chair::remote(over_pipes(process), self.warm_up)
                }
                SeatSpec::BuiltIn(player) => Chair::Local(seat::<Hexapawn>(player, Limits::default(), true)?),
            };
            *chair = Some(filled);
        }
        Ok(chairs.map(|chair| chair.expect("every seat is filled")))
    }

    /// One connection on every port that is named, before a deadline for all.
    async fn await_connections(&mut self) -> anyhow::Result<[Option<Chair>; 2]> {
        let mut listeners = [None, None];
        for (player, spec) in PlayerType::BOTH.into_iter().zip(self.specs) {
            if let SeatSpec::Tcp(port) = spec {
                let address = format!("{}:{port}", self.host);
                let busy = || format!("{address}: cannot be listened on; choose another port or --listen");
                let listener = TcpListener::bind(&address).await.with_context(busy)?;
                writeln!(self.err, "{player}: waiting for a player on {}", listener.local_addr()?)?;
                listeners[player as usize] = Some(listener);
            }
        }
        let deadline = Instant::now() + self.connect_timeout;
        let mut chairs = [None, None];
        for (chair, listener) in chairs.iter_mut().zip(listeners) {
            let Some(listener) = listener else { continue };
            let accepted = timeout_at(deadline, listener.accept()).await;
            *chair = Some(if let Ok(accepted) = accepted {
                Chair::remote(over_tcp(accepted?.0)?, Duration::ZERO)
            } else {
                let detail = format!("nobody connected within {}", write_duration(self.connect_timeout));
                Chair::Absent(Fault::new(Offence::NoShow, detail))
            });
        }
        Ok(chairs)
    }
}
