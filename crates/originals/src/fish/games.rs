//! The players and the games of a tournament, dispatched in this process.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rookery_live::Visitor;
use rookery_record::{Archive as _, Folder, Key, Slot};
use rookery_referee::{Cause, Evidence, Fault, Offence, Verdict, words};
use rookery_rules::Seat;
use rookery_tournament::{Dispatcher, Entrant, GameResult, Pairing, Report};
use rookery_wire::{Transport, TransportExt as _, excerpt};
use tokio::task::{JoinHandle, JoinSet};

use super::Notice;
use super::api::{Standing, TournamentInfo};
use super::calls::void_for;
use super::door::Member;
use super::game::{Done, Game, Seated, Shared, rest};
use super::journal::Journal;
use super::signup::Kind;
use super::standings::{Placing, rank};

/// All players of a tournament, by the order of sign-up.
pub(crate) struct Tables {
    shared: Arc<Shared>,
    entrants: Vec<Player>,
    records: Option<Records>,
    running: JoinSet<Done>,
    /// A call that was made, and waits for its answer.
    calling: Option<(Entrant, JoinHandle<Called>)>,
    /// The last round that began.
    round: u32,
    /// Games that ended, and that were stopped on the way.
    pub(crate) finished: u64,
    pub(crate) suspended: u64,
    /// If a tournament goes on in which all were called: who failed before its first game.
    failed_at_start: Option<Vec<Entrant>>,
    /// Who did not come back, to be told when the open round has begun again.
    absent: VecDeque<Entrant>,
    /// Whether a game was begun that had not ended in an earlier run.
    goes_on: bool,
    /// Who failed to take note of the end.
    failed_at_end: Vec<Entrant>,
    /// Those who may ask a last time how it went.
    leaving: JoinSet<()>,
}

/// The link, if the call was answered as it should be.
type Called = Result<Box<dyn Transport>, Fault>;

/// Where the tournament is kept.
pub(crate) struct Records {
    pub(crate) archive: Folder,
    pub(crate) journal: Journal,
}

struct Player {
    /// As it signed up.
    member: Member,
    /// With its number.
    name: String,
    /// Not there while it plays, nor after it has failed.
    seat: Option<Seated>,
    placing: Placing,
    /// Whether it is still in the tournament.
    playing: bool,
    /// Whether it was told the end.
    told: bool,
}

/// The name of a game's record.
pub(crate) fn record_name(pairing: u64) -> String {
    format!("round-{}-table-{}", pairing >> 32, (pairing & u64::from(u32::MAX)) + 1)
}

impl Tables {
    /// The players of a tournament that begins.
    pub(crate) fn new(shared: Arc<Shared>, visitors: Vec<Visitor<Member>>, records: Option<Records>) -> Self {
        let comers = visitors.into_iter().map(|Visitor { member, link, .. }| (member, Some(link)));
        Self::with(shared, comers.collect(), records)
    }

    /// The players of a tournament that goes on: all its names in their order, and whoever has come back.
    pub(crate) fn resumed(
        shared: Arc<Shared>,
        names: &[String],
        mut visitors: Vec<Visitor<Member>>,
        records: Records,
        failed_at_start: Option<Vec<Entrant>>,
    ) -> Self {
        let comers = names.iter().enumerate().map(|(idx, name)| {
            let is_out = |failed: &Vec<Entrant>| failed.iter().any(|entrant| entrant.index() == idx);
            let here = visitors.iter().position(|visitor| visitor.member.name == *name);
            match here.filter(|_| !failed_at_start.as_ref().is_some_and(is_out)) {
                Some(here) => {
                    let Visitor { member, link, .. } = visitors.remove(here);
                    (member, Some(link))
                }
                None => (Member { name: name.clone(), kind: Kind::Calls, info: Arc::default() }, None),
            }
        });
        let mut tables = Self::with(shared, comers.collect(), Some(records));
        let is_absent = |entrant: &Entrant| {
            matches!(tables.entrants[entrant.index()].seat, Some(Seated::Gone(_)))
                && !failed_at_start.as_ref().is_some_and(|failed| failed.contains(entrant))
        };
        tables.absent = Entrant::all(tables.entrants.len()).filter(is_absent).collect();
        tables.failed_at_start = failed_at_start;
        tables
    }

    fn with(
        shared: Arc<Shared>,
        comers: Vec<(Member, Option<Box<dyn Transport>>)>,
        records: Option<Records>,
    ) -> Self {
        let entrants = comers.into_iter().enumerate().map(|(idx, (member, link))| {
            let name = format!("{}#{}", member.name, idx + 1);
            let placing = Placing {
                place: 0,
                player: name.clone(),
                won: false,
                round: 0,
                wins: 0,
                fish: 0,
                offence: None,
            };
            let seat = match link {
                Some(link) => rest(&shared, &member, link),
                None => Seated::Gone(Fault::new(Offence::NoShow, "it did not come back")),
            };
            Player { member, name, seat: Some(seat), placing, playing: true, told: false }
        });
        Self {
            entrants: entrants.collect(),
            shared,
            records,
            running: JoinSet::new(),
            calling: None,
            round: 0,
            finished: 0,
            suspended: 0,
            failed_at_start: None,
            absent: VecDeque::new(),
            goes_on: false,
            failed_at_end: vec![],
            leaving: JoinSet::new(),
        }
    }

    /// The names of the players, each with its number.
    pub(crate) fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|player| player.name.clone()).collect()
    }

    /// Notes how it ended.
    pub(crate) fn over(&mut self, winners: &[Entrant], failed: &[Entrant]) {
        for winner in winners {
            self.entrants[winner.index()].placing.won = true;
        }
        let numbers = |entrants: &[Entrant]| entrants.iter().map(|entrant| entrant.0).collect::<Vec<_>>();
        self.journal(|journal| journal.over(&numbers(winners), &numbers(failed)));
    }

    fn journal(&mut self, write: impl FnOnce(&mut Journal) -> std::io::Result<()>) {
        if let Some(records) = &mut self.records
            && let Err(error) = write(&mut records.journal)
        {
            let file = records.journal.path().display().to_string();
            self.shared.record_failed(file, error.to_string());
        }
    }

    /// Closes all links but those of players who may still ask how it went, and gives these back, with the ranking.
    pub(crate) fn close(self) -> (JoinSet<()>, Vec<Placing>) {
        let mut placings: Vec<Placing> = self.entrants.into_iter().map(|player| player.placing).collect();
        rank(&mut placings);
        (self.leaving, placings)
    }

    /// Makes the same call to each of these, but for those who call themselves. One after the other in their order, as
    /// the original does: whoever shares a program or a machine with others is not charged for what they take. Gives
    /// back who failed.
    async fn call_each(&mut self, entrants: &[Entrant], call: &'static str, message: &[u8]) -> Vec<Entrant> {
        let mut failed = vec![];
        for &entrant in entrants {
            if let Err(fault) = self.call_one(entrant, call, message).await {
                self.note_failure(entrant, fault);
                failed.push(entrant);
            }
        }
        failed
    }

    /// Calls somebody. If this is given up half-way, the call goes on, and the next one with the same waits for it.
    async fn call_one(&mut self, entrant: Entrant, call: &'static str, message: &[u8]) -> Result<(), Fault> {
        if self.calling.as_ref().is_none_or(|(called, _)| *called != entrant) {
            let player = &mut self.entrants[entrant.index()];
            let resting = match player.seat.take() {
                Some(Seated::Resting(resting, Kind::Calls)) => resting,
                Some(Seated::Gone(fault)) => return Err(fault),
                other => {
                    player.seat = other;
                    return Ok(());
                }
            };
            let (shared, message) = (Arc::clone(&self.shared), message.to_vec());
            let task = tokio::spawn(async move {
                let mut link = resting.wake().await?;
                make_call(&mut *link, call, &message, &shared).await?;
                Ok(link)
            });
            self.calling = Some((entrant, task));
        }
        let (_, task) = self.calling.as_mut().expect("it was put there");
        let called = task.await.expect("a call neither panics nor is cancelled");
        self.calling = None;
        let player = &mut self.entrants[entrant.index()];
        player.seat = Some(rest(&self.shared, &player.member, called?));
        Ok(())
    }

    fn note_failure(&mut self, entrant: Entrant, fault: Fault) {
        let player = &mut self.entrants[entrant.index()];
        player.playing = false;
        player.placing.offence = Some(fault.offence.word());
        let reason = words::offence(fault.offence, &fault.evidence);
        let offence = fault.offence.word();
        // Its link is closed; if it has a seat in a round that goes on, this is why it is empty.
        player.seat = Some(Seated::Gone(fault));
        (self.shared.log)(&Notice::Removed { player: player.name.clone(), offence, reason });
    }

    /// Tells those who can ask how the tournament stands.
    fn tell_standings(&self, change: impl Fn(&mut TournamentInfo)) {
        let standing = |player: &Player| Standing {
            name: player.name.clone(),
            wins: player.placing.wins,
            playing: player.playing,
        };
        let standings: Vec<Standing> = self.entrants.iter().map(standing).collect();
        for player in self.entrants.iter().filter(|player| player.member.kind == Kind::Api) {
            tell(&player.member.info, |info| {
                info.standings.clone_from(&standings);
                change(info);
            });
        }
    }

    /// Those who call are not called at the end either: they may ask for as long as a call may take. Gives back who is
    /// gone already.
    async fn dismiss(&mut self, entrants: &[Entrant]) -> Vec<Entrant> {
        let mut failed = vec![];
        for &entrant in entrants {
            let player = &mut self.entrants[entrant.index()];
            let resting = match player.seat.take() {
                Some(Seated::Resting(resting, Kind::Api)) => resting,
                other => {
                    player.seat = other;
                    continue;
                }
            };
            match resting.wake().await {
                Err(fault) => {
                    self.note_failure(entrant, fault);
                    failed.push(entrant);
                }
                Ok(mut link) => {
                    let (shared, member) = (Arc::clone(&self.shared), player.member.clone());
                    self.leaving.spawn(async move {
                        let resting = rookery_live::Door::rest(&*shared.door, &member, &mut *link);
                        shared.lag.within(shared.config.manner.timeout, resting).await;
                    });
                }
            }
        }
        failed
    }

    /// Tells these the end, who were not told before.
    async fn tell_end(&mut self, entrants: &[Entrant], won: bool) {
        let message = self.shared.config.manner.end(won);
        for &entrant in entrants {
            if self.entrants[entrant.index()].told {
                continue;
            }
            let failed = self.call_each(&[entrant], "end", &message).await;
            self.failed_at_end.extend(failed);
            self.entrants[entrant.index()].told = true;
        }
        let gone = self.dismiss(entrants).await;
        self.failed_at_end.extend(gone);
    }

    /// The place of a game's record, and whether it must still be played.
    fn slot(&mut self, pairing: &Pairing) -> (Option<Slot>, Option<std::path::PathBuf>) {
        let Some(Records { archive, .. }) = &self.records else { return (None, None) };
        let key = Key::first(pairing.id);
        let path = archive.path(&key);
        match archive.open(&key) {
            Ok(slot) => (Some(slot), path),
            Err(error) => {
                let file = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
                self.shared.record_failed(file, error.to_string());
                (None, path)
            }
        }
    }

    /// Takes the players back from a game, but for those who failed.
    fn clear(&mut self, done: Done) -> Option<GameResult> {
        let Done { pairing, round, table, links, verdict, replayed } = done;
        let at = |seat: Seat| pairing.entrants[seat.index()];
        let Some(verdict) = verdict else {
            self.suspended += 1;
            for (&entrant, link) in pairing.entrants.iter().zip(links) {
                self.take_back(entrant, link);
            }
            return None;
        };
        self.finished += 1;
        let offences: Vec<(Entrant, &'static str)> = verdict
            .removed
            .iter()
            .filter_map(|ending| Some((at(ending.seat?), ending.cause.word())))
            .collect();
        let failed: Vec<Entrant> = offences.iter().map(|&(entrant, _)| entrant).collect();
        let result = GameResult {
            failed: failed.clone(),
            ..GameResult::new(&pairing, verdict.outcome.clone(), verdict.ending.cause)
        };
        if replayed {
            self.tell_finished(&result, &verdict, round, table);
        }
        // Our own failure is nobody's loss.
        let is_winner = |entrant: &Entrant| match verdict.ending.cause {
            Cause::PlatformAbort | Cause::Cancelled => !failed.contains(entrant),
            _ => result.winners().contains(entrant),
        };
        let winners: Vec<Entrant> = pairing.entrants.iter().copied().filter(is_winner).collect();
        let names: Vec<String> =
            winners.iter().map(|winner| self.entrants[winner.index()].name.clone()).collect();
        for ((&entrant, link), seat) in pairing.entrants.iter().zip(links).zip(0..) {
            let won = winners.contains(&entrant);
            let player = &mut self.entrants[entrant.index()];
            player.playing = won;
            player.placing.wins += u32::from(won);
            player.placing.round = round;
            if let Some(outcome) = &verdict.outcome {
                player.placing.fish += u32::try_from(outcome.scores[Seat::new(seat)]).unwrap_or(0);
            }
            let has_won = verdict.outcome.as_ref().map(|_| won);
            tell(&player.member.info, |info| {
                info.won = has_won;
                info.winners.clone_from(&names);
                info.advances = Some(won);
            });
            match offences.iter().find(|(failed, _)| *failed == entrant) {
                Some((_, offence)) => player.placing.offence = Some(offence),
                None => self.take_back(entrant, link),
            }
        }
        Some(result)
    }

    /// Lets a player rest again. Nothing came back of one that was not there.
    fn take_back(&mut self, entrant: Entrant, link: Option<Box<dyn Transport>>) {
        let player = &mut self.entrants[entrant.index()];
        player.seat = Some(match link {
            Some(link) => rest(&self.shared, &player.member, link),
            None => Seated::Gone(Fault::new(Offence::NoShow, "it did not come back")),
        });
    }

    fn tell_finished(&self, result: &GameResult, verdict: &Verdict, round: u32, table: u32) {
        let scores = verdict.outcome.iter().flat_map(|outcome| outcome.scores.as_slice());
        let winners = result.winners().into_iter();
        (self.shared.log)(&Notice::Finished {
            round,
            table,
            scores: scores.map(|&score| u32::try_from(score).unwrap_or(0)).collect(),
            winners: winners.map(|winner| self.entrants[winner.index()].name.clone()).collect(),
            ending: verdict.ending.cause.to_string(),
        });
    }
}

/// Makes a call and waits for `"void"`.
async fn make_call(
    link: &mut dyn Transport,
    call: &str,
    message: &[u8],
    shared: &Shared,
) -> Result<(), Fault> {
    let manner = &shared.config.manner;
    let Some(reply) = shared.lag.within(manner.timeout, link.call(message)).await else {
        let unfinished = link.unfinished();
        let evidence = Evidence {
            sent: (!unfinished.is_empty()).then(|| excerpt(unfinished)),
            note: format!("no reply within {} ms", manner.timeout.as_millis()),
            expected: Some(void_for(call)),
            ..Evidence::default()
        };
        return Err(Fault::with(Offence::Timeout, evidence));
    };
    manner.void(&reply?).map_err(|fault| fault.expected(void_for(call)))
}

/// Changes what a player can ask about its tournament.
fn tell(info: &Mutex<TournamentInfo>, change: impl FnOnce(&mut TournamentInfo)) {
    // It is whole at any time, also if somebody panicked with it in hand.
    change(&mut info.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Dispatcher for Tables {
    fn dispatch(&mut self, pairing: Pairing) {
        let round = pairing.round.unwrap_or(1);
        if round > self.round {
            self.round = round;
            self.tell_standings(|info| info.round = round);
        }
        let (slot, path) = self.slot(&pairing);
        self.goes_on |= !matches!(slot, Some(Slot::Finished(_)));
        let lost = || Seated::Gone(Fault::new(Offence::Disconnected, "it is gone"));
        let game = Game {
            shared: Arc::clone(&self.shared),
            round,
            table: (pairing.id & u64::from(u32::MAX)) as u32 + 1,
            members: self.of(&pairing, |player| player.member.name.clone()),
            names: self.of(&pairing, |player| player.name.clone()),
            seated: self.of(&pairing, |player| player.seat.take().unwrap_or_else(lost)),
            slot,
            path,
            pairing,
        };
        self.running.spawn(game.play());
    }

    async fn next_report(&mut self) -> Option<Report> {
        // Who did not come back has a seat in the open round, and none in the next.
        if self.goes_on
            && let Some(entrant) = self.absent.pop_front()
        {
            let player = &mut self.entrants[entrant.index()];
            player.playing = false;
            player.placing.offence.get_or_insert(Offence::NoShow.word());
            return Some(Report::Left(entrant));
        }
        loop {
            let done = self.running.join_next().await?;
            let done = done.expect("a match catches the panics of all who take part in it");
            if let Some(result) = self.clear(done) {
                return Some(Report::Finished(result));
            }
        }
    }

    async fn begin(&mut self, entrants: &[Entrant]) -> Vec<Entrant> {
        let message = self.shared.config.manner.start();
        if let Some(failed) = self.failed_at_start.clone() {
            // Who fails now has played before, and is like those who did not come back.
            let here = |entrant: &Entrant| !failed.contains(entrant) && !self.absent.contains(entrant);
            let here: Vec<Entrant> = entrants.iter().copied().filter(here).collect();
            let absent = self.call_each(&here, "start", &message).await;
            self.absent.extend(absent);
            return failed;
        }
        let failed = self.call_each(entrants, "start", &message).await;
        self.absent.clear();
        let numbers: Vec<u32> = failed.iter().map(|entrant| entrant.0).collect();
        self.journal(|journal| journal.started(&numbers));
        failed
    }

    async fn end(&mut self, winners: &[Entrant], others: &[Entrant]) -> Vec<Entrant> {
        self.tell_standings(|info| {
            info.advances = Some(false);
            info.over = true;
        });
        self.tell_end(winners, true).await;
        self.tell_end(others, false).await;
        self.failed_at_end.clone()
    }
}

impl Tables {
    /// Something of each player of a game, by seat.
    fn of<T>(&mut self, pairing: &Pairing, mut take: impl FnMut(&mut Player) -> T) -> Vec<T> {
        pairing.entrants.iter().map(|entrant| take(&mut self.entrants[entrant.index()])).collect()
    }
}
