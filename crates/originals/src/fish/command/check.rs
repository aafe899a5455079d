//! `rookery fish check`: whether a client program plays a tournament to its end, and if not, why.

use std::io::Write;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rookery_live::{Signal, Stopping};
use rookery_referee::{Evidence, parse_duration};
use rookery_rules::text::clean;
use rookery_sandbox::Program;
use rookery_wire::{Bounds, Connection, Framing, Process, TransportExt as _};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::command::launcher;
use crate::fish::{Config, Manner, Notice, Server, Tally};

/// Check a client program: let 5 and then 10 of its clients play a tournament, and say what went wrong
///
/// The program is started with the arguments `N PORT HOST`, as the original's xclients, and starts N clients. If COMMAND
/// has {port} in it, that is replaced instead, as are {n} and {host}; without {n} the command is one client, and is started
/// N times. The exit code is 0 if all clients were served to the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rookery fish check ./xclients
  rookery fish check 'python3 client.py {port}'
  rookery fish check 'java -jar fish.jar --clients {n} --port {port}' --lenient")]
pub struct Args {
    /// The command, as for a shell
    #[arg(value_name = "COMMAND")]
    command: String,

    /// How long to wait until all clients have signed up
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_duration)]
    wait: Duration,

    /// The time for every call
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = parse_duration)]
    timeout: Duration,

    /// The time for a client's first turn in a game
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    first_timeout: Duration,

    /// Accept names without quotes, with digits or with hyphens, and void without quotes
    #[arg(long)]
    lenient: bool,

    /// End every message with a newline
    #[arg(long)]
    newline: bool,
}

/// As many as the original's tests have.
const CLIENTS: [usize; 2] = [5, 10];
/// How long programs may take to end by themselves after the tournament.
const TIME_TO_END: Duration = Duration::from_secs(2);
/// How long what a program sent before its end may be on its way.
const A_MOMENT: Duration = Duration::from_millis(300);
/// How many things of one kind are told one by one.
const TOLD: usize = 20;
/// A program may say what it likes on its standard output; it is read and thrown away.
const OUTPUT: Bounds = Bounds { bytes: 16 << 20, blanks: 16 << 20, depth: 16 };

pub(super) fn run(args: &Args, out: &mut dyn Write, stop: &Stopping) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut all_right = true;
    for n in CLIENTS {
        let checked = runtime.block_on(async {
            tokio::select! {
                checked = args.check(n) => checked.map(Some),
                // Its programs end with it.
                () = stop.requested() => Ok(None),
            }
        })?;
        let Some(checked) = checked else { return Ok(ExitCode::from(stop.exit_code().unwrap_or(130))) };
        all_right &= checked.is_right();
        checked.write(out)?;
        out.flush()?;
    }
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What came of one tournament.
struct Checked {
    n: usize,
    tally: Tally,
    notices: Vec<Notice>,
    /// How the programs ended; nothing of one that had to be ended.
    endings: Vec<Option<Evidence>>,
}

impl Args {
    async fn check(&self, n: usize) -> anyhow::Result<Checked> {
        let notices: Arc<Mutex<Vec<Notice>>> = Arc::default();
        let noted = Arc::clone(&notices);
        let log = Arc::new(move |notice: &Notice| {
            lock(&noted).push(notice.clone());
        });
        let config = Config {
            min_players: n,
            max_players: n,
            wait: self.wait,
            tries: 1,
            name_timeout: self.wait,
            manner: Manner {
                timeout: self.timeout,
                first_timeout: self.first_timeout.max(self.timeout),
                newline: self.newline,
                lenient: self.lenient,
                ..Manner::default()
            },
            ..Config::default()
        };
        let address = "127.0.0.1:0".parse().expect("it is an address");
        let nobody_comes = Stopping::new(Duration::ZERO);
        let mut server = Server::stoppable(address, config, log, nobody_comes.clone())?;
        let mut programs = JoinSet::new();
        let sandbox = launcher()?;
        for command in self.commands(n, server.local_addr()?.port()) {
            let process = Process::start_in(&sandbox, &Program::parse(&command)?)?;
            programs.spawn(ending(Connection::process(process, Framing::Lines, OUTPUT)));
        }
        let mut endings = vec![];
        let tally = {
            let mut held = pin!(server.tournament());
            tokio::select! {
                tally = &mut held => tally,
                () = all_ended(&mut programs, &mut endings) => {
                    // Who has ended does not sign up any more.
                    sleep(A_MOMENT).await;
                    let begun = |notice: &Notice| matches!(notice, Notice::Tournament { .. });
                    if !lock(&notices).iter().any(begun) {
                        nobody_comes.request(Signal::Interrupt);
                    }
                    held.await
                }
            }
        };
        server.drain().await;
        drop(server);
        let _ = timeout(TIME_TO_END, all_ended(&mut programs, &mut endings)).await;
        // What has not ended by now is ended with its task.
        endings.extend((0..programs.len()).map(|_| None));
        let notices = lock(&notices).clone();
        Ok(Checked { n, tally, notices, endings })
    }

    /// What is started, so that there are `n` clients.
    fn commands(&self, n: usize, port: u16) -> Vec<String> {
        let Self { command, .. } = self;
        if !command.contains("{port}") {
            return vec![format!("{command} {n} {port} 127.0.0.1")];
        }
        let filled = command.replace("{port}", &port.to_string()).replace("{host}", "127.0.0.1");
        if command.contains("{n}") { vec![filled.replace("{n}", &n.to_string())] } else { vec![filled; n] }
    }
}

/// Waits until all programs have ended, and notes how.
async fn all_ended(programs: &mut JoinSet<Evidence>, endings: &mut Vec<Option<Evidence>>) {
    while let Some(ended) = programs.join_next().await {
        endings.push(ended.ok());
    }
}

fn lock(notices: &Mutex<Vec<Notice>>) -> MutexGuard<'_, Vec<Notice>> {
    notices.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the end of a program, and reads what it writes meanwhile.
async fn ending(mut program: Connection) -> Evidence {
    loop {
        if let Err(fault) = program.receive().await {
            return *fault.evidence;
        }
    }
}

impl Checked {
    fn n_signed_up(&self) -> usize {
        self.notices.iter().filter(|notice| matches!(notice, Notice::SignedUp { .. })).count()
    }

    fn is_right(&self) -> bool {
        self.tally.failed == 0 && self.tally.winners > 0
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let Self { n, tally: Tally { winners, failed }, .. } = self;
        let word = if self.is_right() { "right" } else { "WRONG" };
        let signed_up = self.n_signed_up();
        writeln!(out, "{n} clients: {word}; {signed_up} signed up, {winners} won, {failed} failed")?;
        let is_told = |notice: &&Notice| {
            matches!(
                notice,
                Notice::Refused { .. } | Notice::Left { .. } | Notice::Removed { .. } | Notice::TooFew { .. }
            )
        };
        let told: Vec<String> = self.notices.iter().filter(is_told).map(ToString::to_string).collect();
        let is_bad = |evidence: &Evidence| evidence.exit.as_deref() != Some("exit status: 0");
        let mut endings = vec![];
        for ending in &self.endings {
            match ending {
                Some(evidence) if is_bad(evidence) || !self.is_right() => {
                    endings.push(how_it_ended(evidence));
                }
                Some(_) => {}
                None => endings.push("a program did not end by itself, and was ended".to_owned()),
            }
        }
        for lines in [told, endings] {
            for line in lines.iter().take(TOLD) {
                writeln!(out, "  {}", clean(line))?;
            }
            if lines.len() > TOLD {
                writeln!(out, "  and {} more", lines.len() - TOLD)?;
            }
        }
        Ok(())
    }
}

fn how_it_ended(evidence: &Evidence) -> String {
    let exit = evidence.exit.as_deref().unwrap_or(&evidence.note);
    let said = evidence.stderr.as_deref().and_then(|text| text.trim_end().lines().next_back());
    match said {
        Some(said) => {
            format!("a program ended with {exit}; the last it said on its standard error was {said:?}")
        }
        None => format!("a program ended with {exit}"),
    }
}
