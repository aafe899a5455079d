//! The games of a tournament: connections are lent to matches and come back from them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rookery_games::fish;
use rookery_record::{Header, RecordWriter};
use rookery_referee::{
    Conduct, Event, EventOf, Fault, LagProbe, Observer, Offence, Referee, Terms, TimeControl, Verdict, play,
};
use rookery_rules::{Position as _, Seat, Seed, Setup as _};
use rookery_tournament::old::{GroupResult, Host};
use rookery_wire::Connection;
use tokio::task::JoinSet;

use super::api::{SharedInfo, Standing, TournamentInfo};
use super::entrant::{Entrant, Idle, tell};
use super::lobby::Guest;
use super::{Config, Log, Notice};

/// Our own delays move deadlines by as much as they are, however much that is: a game is never given up for them.
const LAG_CAP: Duration = Duration::from_hours(24);

/// All players of a tournament, by the order of sign-up.
pub(crate) struct Tables {
    /// Not there while they play, nor after they have failed.
    idle: Vec<Option<Idle>>,
    /// What those can ask who call.
    infos: Vec<Option<SharedInfo>>,
    standings: Vec<Standing>,
    names: Arc<[String]>,
    config: Arc<Config>,
    log: Log,
    lag: LagProbe,
    /// Where the records of this tournament go.
    records: Option<PathBuf>,
    /// Those who may ask a last time how it went.
    leaving: JoinSet<()>,
}

impl Tables {
    pub(crate) fn new(guests: Vec<Guest>, config: Arc<Config>, log: Log, lag: LagProbe) -> Self {
        let name = |(idx, guest): (usize, &Guest)| format!("{}#{}", guest.name, idx + 1);
        let names: Arc<[String]> = guests.iter().enumerate().map(name).collect();
        let infos = guests.iter().map(|guest| match &guest.entrant {
            Entrant::Api(_, info) => Some(Arc::clone(info)),
            _ => None,
        });
        Self {
            infos: infos.collect(),
            idle: guests.into_iter().map(|guest| Idle::new(guest.entrant)).collect(),
            standings: names
                .iter()
                .map(|name| Standing { name: name.clone(), wins: 0, playing: true })
                .collect(),
            names,
            config,
            log,
            lag,
            records: None,
            leaving: JoinSet::new(),
        }
    }

    /// The names of the players, each with its number.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Keeps records from now on, if that is wanted: in a new folder, so that no earlier one is lost. The error says
    /// which folder could not be made, and why.
    pub(crate) fn keep_records(&mut self, first: u64) -> Result<(), (String, String)> {
        let Some(dir) = &self.config.record else { return Ok(()) };
        let failed = |path: &Path, error: std::io::Error| (path.display().to_string(), error.to_string());
        fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
        for number in first.. {
            let folder = dir.join(format!("tournament-{number}"));
            match fs::create_dir(&folder) {
                Ok(()) => {
                    self.records = Some(folder);
                    break;
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&folder, error)),
            }
        }
        Ok(())
    }

    /// Makes the same call to each of these, but for those who call themselves. One after the other in their order, as
    /// the original does: whoever shares a program or a machine with others is not charged for what they take. Gives
    /// back who failed.
    async fn call_each(&mut self, entrants: &[usize], message: &[u8]) -> Vec<usize> {
        let mut failed = vec![];
        for &entrant in entrants {
            let Some(Idle::Still(connection)) = &mut self.idle[entrant] else { continue };
            if let Err(fault) = call(connection, message, &self.config, &self.lag).await {
                self.idle[entrant] = None;
                self.note_failure(entrant, fault);
                failed.push(entrant);
            }
        }
        failed
    }

    fn note_failure(&mut self, entrant: usize, fault: Fault) {
        self.standings[entrant].playing = false;
        let (player, offence) = (self.names[entrant].clone(), fault.offence.word());
        (self.log)(&Notice::Removed { player, offence, reason: fault.detail });
    }

    /// Tells those who can ask how the tournament stands.
    fn tell_standings(&self, change: impl Fn(&mut TournamentInfo)) {
        for info in self.infos.iter().flatten() {
            tell(info, |info| {
                info.standings.clone_from(&self.standings);
                change(info);
            });
        }
    }

    /// Those who call are not called at the end either: they may ask for as long as a call may take. Gives back who is
    /// gone already.
    async fn dismiss(&mut self, entrants: &[usize]) -> Vec<usize> {
        let mut failed = vec![];
        for &entrant in entrants {
            if self.infos[entrant].is_none() {
                continue;
            }
            let Some(idle) = self.idle[entrant].take() else { continue };
            match idle.wake().await {
                Entrant::Gone(fault) => {
                    self.note_failure(entrant, fault);
                    failed.push(entrant);
                }
                mut resting => {
                    let (lag, timeout) = (self.lag.clone(), self.config.manner.timeout);
                    self.leaving.spawn(async move {
                        lag.within(timeout, resting.rest()).await;
                    });
                }
            }
        }
        failed
    }

    /// Closes all connections but those of players who may still ask how it went, and gives these back.
    pub(crate) fn close(self) -> JoinSet<()> {
        self.leaving
    }

    /// Lends the players of a group to a game.
    async fn game(&mut self, round: usize, table: usize, group: &[usize]) -> Game {
        let mut entrants = vec![];
        for &entrant in group {
            let idle = self.idle[entrant].take().expect("who plays is there, and plays one game at a time");
            entrants.push(idle.wake().await);
        }
        let seed = game_seed(&self.config.board, round, table);
        let record = |dir: &PathBuf| dir.join(format!("round-{round}-table-{}.rookery.jsonl", table + 1));
        Game {
            round,
            table,
            names: group.iter().map(|&entrant| self.names[entrant].clone()).collect(),
            entrants,
            setup: board(&self.config.board, group.len(), seed),
            seed,
            config: Arc::clone(&self.config),
            log: Arc::clone(&self.log),
            lag: self.lag.clone(),
            record: self.records.as_ref().map(record),
        }
    }

    /// Takes the players back from a game, but for those who failed.
    fn clear(&mut self, group: &[usize], game: Played) -> GroupResult {
        let Played { entrants, verdict } = game;
        let at = |seat: Seat| group[seat.index()];
        let failed: Vec<usize> = verdict.removed.iter().filter_map(|ending| ending.seat).map(at).collect();
        let winners: Vec<usize> = match &verdict.outcome {
            Some(outcome) => outcome.winners.iter().map(at).collect(),
            // Our own failure is nobody's loss.
            None => group.iter().copied().filter(|entrant| !failed.contains(entrant)).collect(),
        };
        let names: Vec<String> = winners.iter().map(|&winner| self.names[winner].clone()).collect();
        for (&idx, entrant) in group.iter().zip(entrants) {
            let won = winners.contains(&idx);
            self.standings[idx].wins += u32::from(won);
            self.standings[idx].playing = won;
            if let Some(info) = &self.infos[idx] {
                tell(info, |info| {
                    info.winners.clone_from(&names);
                    info.advances = Some(won);
                });
            }
            self.idle[idx] = if failed.contains(&idx) { None } else { Idle::new(entrant) };
        }
        GroupResult { entrants: group.to_vec(), winners, failed }
    }
}

async fn call(
    connection: &mut Connection,
    message: &[u8],
    config: &Config,
    lag: &LagProbe,
) -> Result<(), Fault> {
    let timeout = config.manner.timeout;
    let late = || {
        let detail =
            format!("no reply to {} within {} ms", rookery_wire::excerpt(message), timeout.as_millis());
        Err(Fault::new(Offence::Timeout, detail))
    };
    let reply = lag.within(timeout, connection.call(message)).await.unwrap_or_else(late)?;
    config.manner.void(&reply)
}

impl Host for Tables {
    async fn start(&mut self, entrants: &[usize]) -> Vec<usize> {
        self.call_each(entrants, &self.config.manner.start()).await
    }

    async fn play(
        &mut self,
        round: usize,
        groups: &[Vec<usize>],
        finished: &mut (dyn FnMut(usize, GroupResult) + Send),
    ) {
        self.tell_standings(|info| info.round = round as u32);
        let most = if self.config.sequential { 1 } else { groups.len() };
        let mut running = JoinSet::new();
        let mut next = 0;
        loop {
            while next < groups.len() && running.len() < most {
                let (table, game) = (next, self.game(round, next, &groups[next]).await);
                running.spawn(async move { (table, game.play().await) });
                next += 1;
            }
            let Some(done) = running.join_next().await else { break };
            let (table, played) = done.expect("a match catches the panics of all who take part in it");
            finished(table, self.clear(&groups[table], played));
        }
    }

    async fn end(&mut self, entrants: &[usize], won: bool) -> Vec<usize> {
        self.tell_standings(|info| {
            info.advances = Some(false);
            info.over = true;
        });
        let mut failed = self.call_each(entrants, &self.config.manner.end(won)).await;
        failed.extend(self.dismiss(entrants).await);
        failed
    }
}

/// The seed of a game: another one for each, and the same whenever it is played.
fn game_seed(plan: &fish::Setup, round: usize, table: usize) -> Seed {
    let seed = match plan.source {
        fish::Source::Made { seed, .. } | fish::Source::Classic { seed } => seed,
        fish::Source::Given(_) => 0,
    };
    Seed(seed).derive(round as u64).derive(table as u64)
}

/// The setup of a game for so many players. Where there is nothing random all games have the same board, and say so.
fn board(plan: &fish::Setup, n_players: usize, game_seed: Seed) -> fish::Setup {
    let mut setup = fish::Setup { players: n_players as u8, ..plan.clone() };
    match &mut setup.source {
        fish::Source::Made { fish: fish::Stock::Equal(_), holes: 0, seed, .. } => *seed = 0,
        fish::Source::Made { seed, .. } | fish::Source::Classic { seed } => *seed = game_seed.0,
        fish::Source::Given(_) => {}
    }
    setup
}

/// One game, with everything it needs.
struct Game {
    round: usize,
    table: usize,
    /// By seat.
    names: Vec<String>,
    entrants: Vec<Entrant>,
    setup: fish::Setup,
    seed: Seed,
    config: Arc<Config>,
    log: Log,
    lag: LagProbe,
    record: Option<PathBuf>,
}

struct Played {
    entrants: Vec<Entrant>,
    verdict: Verdict,
}

impl Game {
    async fn play(mut self) -> Played {
        let manner = self.config.manner;
        let terms = Terms {
            lag: self.lag.clone(),
            lag_cap: LAG_CAP,
            // Each of the two calls before a game has its own time.
            startup: 2 * manner.timeout + Duration::from_secs(1),
            ..Terms::new(TimeControl::PerMove(manner.timeout), self.seed)
        };
        let mut watch = Watch {
            record: self.open_record(&terms),
            round: self.round,
            table: self.table,
            names: self.names.clone(),
            log: Arc::clone(&self.log),
            moves: self.config.watch_moves,
        };
        let referee = Referee::new(self.setup.start(), Conduct::removing());
        let mut players: Vec<_> =
            self.entrants.iter_mut().map(|entrant| entrant.seat(manner, &self.lag)).collect();
        let verdict = play(referee, &mut players, &terms, &mut watch).await;
        drop(players);
        if let Some(Err(error)) = watch.record.map(RecordWriter::finish) {
            self.record_failed(&error);
        }
        Played { entrants: self.entrants, verdict }
    }

    fn open_record(&self, terms: &Terms) -> Option<RecordWriter<File>> {
        let path = self.record.as_ref()?;
        let seats = self.names.iter().map(|name| (name.clone(), "fish xserver".to_owned()));
        let header =
            Header { time: terms.control, ..Header::new(&self.setup, &self.setup.start(), seats, self.seed) };
        match File::create_new(path) {
            Ok(file) => Some(RecordWriter::new(file, header)),
            Err(error) => {
                self.record_failed(&error);
                None
            }
        }
    }

    fn record_failed(&self, error: &std::io::Error) {
        let file = self.record.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        (self.log)(&Notice::RecordFailed { file, reason: error.to_string() });
    }
}

/// Writes a game down, and tells the log of it.
struct Watch {
    record: Option<RecordWriter<File>>,
    round: usize,
    table: usize,
    names: Vec<String>,
    log: Log,
    moves: bool,
}

impl Observer<fish::Position> for Watch {
    fn see(&mut self, event: &EventOf<fish::Position>, position: &fish::Position) {
        if let Some(record) = &mut self.record {
            record.see(event, position);
        }
        let (round, table) = (self.round, self.table + 1);
        let name = |seat: Seat| self.names[seat.index()].clone();
        let scores = || Seat::all(position.n_seats()).map(|seat| position.score(seat)).collect();
        match event {
            Event::Moved { seat, mv, .. } if self.moves => {
                let mv = mv.to_string();
                (self.log)(&Notice::Moved { round, table, player: name(*seat), mv, scores: scores() });
            }
            Event::Fouled(foul) => (self.log)(&Notice::Removed {
                player: name(foul.seat),
                offence: foul.offence.word(),
                reason: foul.detail.clone(),
            }),
            Event::Ended(verdict) => {
                let winners =
                    verdict.outcome.as_ref().map(|outcome| outcome.winners.iter().map(name).collect());
                (self.log)(&Notice::Finished {
                    round,
                    table,
                    scores: scores(),
                    winners: winners.unwrap_or_default(),
                    ending: verdict.ending.cause.to_string(),
                });
            }
            _ => {}
        }
    }
}
