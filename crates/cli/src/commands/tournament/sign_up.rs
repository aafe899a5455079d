//! Bots that sign up for a tournament over a network.

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
                let port = programs.sign_up(at).await?;
                let time = rookery_referee::write_duration(self.lasts);
                say(&format!("bots sign up at {} for {time}", port.address));
                ports.push(port);
            }
            let full = async {
                let mut told = 0;
                loop {
                    let names: Vec<String> = ports.iter().flat_map(SignUp::names).collect();
                    for name in names.iter().skip(told) {
                        say(&format!("{} signed up ({})", clean(name), names.len()));
                    }
                    told = told.max(names.len());
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
                for name in port.names() {
                    // At another port somebody may have the same name.
                    if !entrants.iter().any(|other| other.name.eq_ignore_ascii_case(&name)) {
                        entrants.push(EntrantSpec { name, player: port.seat.clone(), version: None });
                    }
                }
            }
            entrants.truncate(usize::from(self.most));
            Ok(entrants)
        })
    }
}

fn say(text: &str) {
    // Whoever closed our standard error wants to hear nothing.
    let _ = writeln!(stderr(), "{text}");
}
