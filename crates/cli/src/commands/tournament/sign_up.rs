//! Bots that sign up for a tournament over a network.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write as _, stderr};
use std::time::Duration;

use rookery_live::{Programs, SignUp, Stopping};
use rookery_referee::{SeatSpec, parse_duration};
use rookery_rules::text::clean;
use rookery_tournament::EntrantSpec;
use tokio::runtime::Runtime;

use crate::spec::UsageError;

/// The flags of a sign-up.
#[derive(Debug, clap::Args)]
pub(super) struct SignUpArgs {
    /// Bots sign up here with a name of their own: `tcp:PORT` or `ws:PORT`, 0 for any port
    #[arg(long = "sign-up", value_name = "SEAT")]
    at: Vec<SeatSpec>,

    /// How long they may sign up
    #[arg(long = "sign-up-time", value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    lasts: Duration,

    /// The tournament begins as soon as so many have signed up
    #[arg(long = "sign-up-max", value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u16).range(1..=4096))]
    most: u16,
}

/// How often it is looked who has come.
const LOOK: Duration = Duration::from_millis(100);

impl SignUpArgs {
    pub(super) fn is_asked_for(&self) -> bool {
        !self.at.is_empty()
    }

    /// Waits for those who sign up, in a runtime that has to live as long as they are to play.
    pub(super) fn wait(
        &self,
        programs: &Programs,
        runtime: &Runtime,
        stopping: &Stopping,
    ) -> anyhow::Result<Vec<EntrantSpec>> {
        runtime.block_on(async {
            let mut ports: Vec<SignUp> = vec![];
            for at in &self.at {
                if !at.is_awaited() {
                    return Err(UsageError(format!("--sign-up {at}: expected tcp:PORT or ws:PORT")).into());
                }
                let port = programs.sign_up(at)?;
                let time = rookery_referee::write_duration(self.lasts);
                say(&format!("bots sign up at {} for {time}", port.address));
                ports.push(port);
            }
            let full = async {
                let mut told: BTreeSet<String> = BTreeSet::new();
                loop {
                    let names: BTreeSet<String> = ports.iter().flat_map(SignUp::names).collect();
                    for name in names.difference(&told) {
                        say(&format!("{} signed up ({})", clean(name), names.len()));
                    }
                    for name in told.difference(&names) {
                        say(&format!("{} left ({})", clean(name), names.len()));
                    }
                    told.clone_from(&names);
                    if names.len() >= usize::from(self.most) {
                        return;
                    }
                    tokio::time::sleep(LOOK).await;
                }
            };
            tokio::select! {
                () = full => {}
                () = tokio::time::sleep(self.lasts) => {}
                () = stopping.requested() => {}
            }
            let mut entrants: Vec<EntrantSpec> = vec![];
            for port in &ports {
                let room = usize::from(self.most) - entrants.len();
                let names: Vec<String> = port.names().into_iter().take(room).collect();
                let player = &port.seat;
                let entrant =
                    |name: &String| EntrantSpec { name: name.clone(), player: player.clone(), version: None };
                entrants.extend(names.iter().map(entrant));
                port.close(names).await;
            }
            Ok(entrants)
        })
    }

    /// Opens the ports again for those who have signed up for a tournament that goes on, and for nobody else.
    pub(super) fn open_again<'a>(
        programs: &Programs,
        runtime: &Runtime,
        signed_up: impl Iterator<Item = &'a EntrantSpec>,
    ) -> anyhow::Result<()> {
        let mut ports: BTreeMap<String, (&SeatSpec, Vec<String>)> = BTreeMap::new();
        for entrant in signed_up.filter(|entrant| entrant.player.is_awaited()) {
            let (_, names) =
                ports.entry(entrant.player.to_string()).or_insert_with(|| (&entrant.player, vec![]));
            names.push(entrant.name.clone());
        }
        runtime.block_on(async {
            for (seat, names) in ports.into_values() {
                let port = programs.sign_up(seat)?;
                say(&format!("those who signed up are awaited at {}", port.address));
                port.close(names).await;
            }
            Ok(())
        })
    }
}

fn say(text: &str) {
    // Whoever closed our standard error wants to hear nothing.
    let _ = writeln!(stderr(), "{text}");
}
