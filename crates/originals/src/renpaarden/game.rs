//! One game: a live match, and what the conversation waits for of it. Nothing here is printed.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use rookery_catalog::agree;
use rookery_games::renpaarden::{Move, Position, Setup};
use rookery_live::{Guest, LiveMatch, Stopping, prepare};
use rookery_record::{Archive as _, ArchiveError, Key, OneFile, Slot};
use rookery_referee::{
    Answering, Command, Entry, Event, EventOf, Failure, Kind, MatchSpec, Observer, Player, Question, Refusal,
    SeatSpec, Verdict,
};
use rookery_rules::{GameSpec, Seat, Seed, Setup as _};
use rookery_search::Budget;
use rookery_wire::Protocols;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::prompt::{Stop, Talk};

/// Where games are played: what runs them, and what stops them.
#[derive(Debug)]
pub(super) struct House<'a> {
    pub(super) runtime: Runtime,
    pub(super) stop: &'a Stopping,
    /// Whether a game goes on, which has some grace when everything is to stop.
    pub(super) playing: &'a Cell<bool>,
}

impl<'a> House<'a> {
    pub(super) fn new(stop: &'a Stopping, playing: &'a Cell<bool>) -> anyhow::Result<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_time().build()?;
        Ok(Self { runtime, stop, playing })
    }
}

/// What is decided before a game, beside who sits where.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) setup: Setup,
    pub(super) seed: Seed,
    /// How long the computer may think about a hop.
    pub(super) think: Option<Duration>,
    /// The game is drawn after so many hops.
    pub(super) max_plies: Option<u64>,
}

impl Terms {
    /// What is agreed with these players.
    fn spec(&self, seats: [SeatSpec; 2]) -> anyhow::Result<MatchSpec> {
        let game = GameSpec::parse(&self.setup.spec())?;
        let mut spec = agree(&game, &seats.map(Entry::nameless), self.seed)?;
        spec.limits.think = self.think;
        spec.max_turns = self.max_plies;
        spec.casual = true;
        Ok(spec)
    }
}

/// What the match tells, in the order it happens.
enum News {
    /// Something happened, and this is the position after it.
    Happened(Box<EventOf<Position>>, Box<Position>),
    /// A seat is to move. A person's answer goes there.
    Asked(Seat, u64, Option<Answer>),
}

type Answer = oneshot::Sender<Result<Move, Failure>>;

/// A game that is played.
pub(super) struct Game<'a> {
    house: &'a House<'a>,
    live: LiveMatch,
    news: Receiver<News>,
    position: Position,
    /// Who is to move after how many hops; nobody if there is a verdict.
    asked: Option<(Seat, u64, Option<Answer>)>,
    verdict: Option<Verdict>,
    /// The starts of all turns of people that stand, by hops: the oldest first, the one that goes on included.
    past: Vec<(u64, Seat)>,
    think: Option<Duration>,
}

impl<'a> Game<'a> {
    /// A new game, with a record if there is to be one. `guest` seats whoever is not as the spec says.
    pub(super) fn start(
        house: &'a House<'a>,
        terms: &Terms,
        seats: [SeatSpec; 2],
        record: Option<&Path>,
        mut guest: impl FnMut(&SeatSpec) -> Option<Guest>,
    ) -> Talk<Self> {
        let spec = terms.spec(seats)?;
        let (sender, news) = mpsc::channel();
        let mut guests = Guest::built_in(&spec).map_err(|problem| anyhow!(problem))?;
        for (seated, entry) in guests.iter_mut().zip(&spec.seats) {
            if entry.player.is_person() {
                *seated = Guest::own(Person(sender.clone()));
            } else if let Some(other) = guest(&entry.player) {
                *seated = other;
            }
        }
        let is_person = |entry: &rookery_referee::SeatEntry| entry.player.is_person();
        let persons = spec.seats.iter().map(is_person).collect();
        let slot = record.map(open).transpose()?;
        let ready = prepare(spec, guests, &Protocols::default(), slot)?;
        let ready = ready.with_observer(Reporter { news: sender, persons });
        let live = {
            let _inside = house.runtime.enter();
            ready.start()
        };
        house.playing.set(true);
        let (stop, controls) = (house.stop.clone(), live.controls());
        house.runtime.spawn(async move {
            stop.urgent().await;
            controls.suspend();
        });
        let position = terms.setup.start();
        let think = terms.think;
        let mut game = Self { house, live, news, position, asked: None, verdict: None, past: vec![], think };
        game.settle()?;
        Ok(game)
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Who is to move; nobody if there is a verdict.
    pub(super) fn to_move(&self) -> Option<Seat> {
        self.asked.as_ref().map(|(seat, ..)| *seat)
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Whether a person is to move.
    pub(super) fn is_person(&self) -> bool {
        matches!(self.asked, Some((_, _, Some(_))))
    }

    /// How much may be thought about the next hop.
    pub(super) fn budget(&self, seat: Seat) -> Budget {
        let plies = self.asked.as_ref().map_or(0, |(_, ply, _)| *ply);
        let seed = self.live.spec().seat_seed(seat).derive(plies);
        Budget { deadline: self.think.map(|think| Instant::now() + think), seed, ..Budget::default() }
    }

    /// The next hop of the computer, which is to move, and the position before it.
    pub(super) fn watch(&mut self) -> Talk<(Move, Position)> {
        let before = self.position.clone();
        let hop = self.advance()?;
        Ok((hop, before))
    }

    /// A person, who is to move, plays a legal hop.
    pub(super) fn hop(&mut self, hop: Move) -> Talk<()> {
        self.answer(Ok(hop));
        self.advance().map(|_| ())
    }

    /// The person to move gives up.
    pub(super) fn resign(&mut self) -> Talk<()> {
        self.answer(Err(Failure::Resigned));
        self.settle()
    }

    /// Goes back to where a person last began a turn, before now; says whether there was such a moment.
    pub(super) fn undo(&mut self) -> Talk<bool> {
        let now = self.asked.as_ref().map_or(0, |(_, ply, _)| *ply);
        let Some(&(to, seat)) = self.past.iter().rev().find(|(ply, _)| *ply < now) else { return Ok(false) };
        let taken = self.live.command(Some(seat), &Command::TakeBack { to }).and_then(|()| {
            // The other person sits at the same table, and is not asked twice.
            match self.live.snapshot().offer {
                Some(_) => self.live.command(Some(seat.next(2)), &Command::Accept(true)),
                None => Ok(()),
            }
        });
        match taken {
            Ok(()) => {}
            Err(refusal @ Refusal::TooManyTakeBacks) => return Err(anyhow!(refusal).into()),
            Err(refusal) => return Err(anyhow!("moves cannot be taken back: {refusal}").into()),
        }
        self.settle()?;
        Ok(true)
    }

    /// Why the record cannot be written, if it cannot.
    pub(super) fn record_problem(&self) -> Option<String> {
        self.live.snapshot().record_problem.clone()
    }

    /// Ends the game here. If it goes on, its record can too: the path is given back.
    pub(super) fn close(self) -> anyhow::Result<Option<PathBuf>> {
        let Self { house, live, asked, verdict, .. } = self;
        if verdict.is_none() {
            live.controls().suspend();
        }
        let played = house.runtime.block_on(live.played());
        // A question stays open until the match has stopped: dropping it is no answer.
        drop(asked);
        house.playing.set(false);
        if let (Some(problem), Some(path)) = (&played.problem, &played.path) {
            return Err(anyhow!("{problem}")).with_context(|| not_written(path));
        }
        Ok(played.path.clone().filter(|_| verdict.is_none()))
    }

    fn answer(&mut self, answer: Result<Move, Failure>) {
        if let Some((_, _, Some(sender))) = self.asked.take() {
            // The match may have been stopped this very moment, of which the news tell.
            let _ = sender.send(answer);
        }
    }

    /// Waits for the next hop, and then for what is asked next.
    fn advance(&mut self) -> Talk<Move> {
        let hop = loop {
            if let News::Happened(event, position) = self.next()? {
                self.position = *position;
                if let Event::Moved { mv, .. } = *event {
                    break mv;
                }
            }
        };
        self.settle()?;
        Ok(hop)
    }

    /// Waits until somebody is asked, or the game is over.
    fn settle(&mut self) -> Talk<()> {
        self.asked = None;
        loop {
            match self.next()? {
                News::Asked(seat, ply, answer) => {
                    let begins = answer.is_some() && self.position.chain().is_none();
                    self.past.retain(|(earlier, _)| *earlier < ply);
                    if begins {
                        self.past.push((ply, seat));
                    }
                    self.asked = Some((seat, ply, answer));
                    return Ok(());
                }
                News::Happened(event, position) => {
                    self.position = *position;
                    if let Event::Ended(verdict) = *event {
                        self.verdict = Some(*verdict);
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The match tells nothing more when it was stopped.
    fn next(&self) -> Talk<News> {
        self.news.recv().map_err(|_| Stop::CalledAway)
    }
}

/// Tells the conversation what happens.
struct Reporter {
    news: Sender<News>,
    persons: Vec<bool>,
}

impl Observer<Position> for Reporter {
    fn see(&mut self, event: &EventOf<Position>, position: &Position) {
        // Whoever listened may have left.
        let _ = self.news.send(News::Happened(Box::new(event.clone()), Box::new(position.clone())));
    }

    fn asked(&mut self, question: &Question<'_, Position>) {
        // Persons tell themselves that they are asked, with the way of their answer.
        if !self.persons[question.seat.index()] {
            let _ = self.news.send(News::Asked(question.seat, question.ply, None));
        }
    }
}

/// A person at this terminal. Whatever reaches the match is legal: the conversation sees to it.
struct Person(Sender<News>);

impl Player<Position> for Person {
    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        let (sender, answer) = oneshot::channel();
        let _ = self.0.send(News::Asked(question.seat, question.ply, Some(sender)));
        Answering::Later(Box::pin(async move {
            match answer.await {
                Ok(answer) => answer,
                // Whoever leaves stops the match first.
                Err(_) => std::future::pending().await,
            }
        }))
    }

    fn kind(&self) -> Kind {
        Kind::Person
    }
}

/// The place of a new record.
fn open(path: &Path) -> anyhow::Result<Slot> {
    OneFile::new(path, false).open(&Key::first(1)).map_err(|error| match error {
        ArchiveError::Exists(path) => {
            anyhow!("{}: there is a file already; choose another name", path.display())
        }
        ArchiveError::Record(path, problem) => anyhow!("{}: {problem}", not_written(&path)),
        other => anyhow!(other),
    })
}

fn not_written(path: &Path) -> String {
    format!("the record could not be written to {}", path.display())
}

/// The name for game number `n` of an evening, from 1: the name given, then `game-2.rookery.jsonl` and so on.
pub(super) fn numbered(path: &Path, n: u64) -> PathBuf {
    if n <= 1 {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, ending) = match name.strip_suffix(rookery_record::SUFFIX) {
        Some(stem) => (stem, rookery_record::SUFFIX),
        None => name.rfind('.').filter(|&at| at > 0).map_or((&*name, ""), |at| name.split_at(at)),
    };
    path.with_file_name(format!("{stem}-{n}{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_games_have_names_of_their_own() {
        for (path, second) in [
            ("games/a.rookery.jsonl", "games/a-2.rookery.jsonl"),
            ("a.b.txt", "a.b-2.txt"),
            ("plain", "plain-2"),
            (".hidden", ".hidden-2"),
        ] {
            assert_eq!(numbered(Path::new(path), 1), Path::new(path));
            assert_eq!(numbered(Path::new(path), 2), Path::new(second));
        }
    }
}
