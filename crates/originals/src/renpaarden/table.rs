//! One game: who sits where, the referee, the record, and what can be taken back. Nothing here is printed.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use rookery_catalog::{PlayerError, PlayerSpec, Renpaarden, strategy};
use rookery_games::renpaarden::{Move, Position, Setup};
use rookery_record::Header;
use rookery_referee::{Cause, Conduct, Event, Failure, Referee, Verdict};
use rookery_rules::{Seat, Seed, Setup as _};
use rookery_search::{Budget, Strategy};

use super::journal::Journal;

/// Who sits at a seat.
pub(super) enum Chair {
    Person,
    Computer(PlayerSpec, Box<dyn Strategy<Position>>),
}

impl Chair {
    pub(super) fn computer(level: &PlayerSpec) -> Result<Self, PlayerError> {
        Ok(Self::Computer(level.clone(), strategy::<Renpaarden>(level)?.0))
    }

    /// What the record says of it.
    fn word(&self) -> String {
        match self {
            Self::Person => "person".to_owned(),
            Self::Computer(level, _) => level.to_string(),
        }
    }
}

/// What is decided before a game, beside who sits where.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) setup: Setup,
    pub(super) seed: Seed,
    /// How long the computer may think about a hop.
    pub(super) think: Duration,
    /// The game is drawn after so many hops.
    pub(super) max_plies: Option<u64>,
}

/// A moment that can be returned to.
struct Moment {
    referee: Referee<Position>,
    n_events: usize,
}

/// A game that is played.
pub(super) struct Table {
    terms: Terms,
    chairs: [Chair; 2],
    referee: Referee<Position>,
    journal: Option<Journal>,
    /// The starts of all turns of people, the oldest first; the one that goes on included.
    past: Vec<Moment>,
}

impl Table {
    /// A new game. `begin` makes the record, if there is to be one.
    pub(super) fn new(
        terms: Terms,
        chairs: [Chair; 2],
        begin: impl FnOnce(Header) -> anyhow::Result<Option<Journal>>,
    ) -> anyhow::Result<Self> {
        let start = terms.setup.start();
        let seats = chairs.iter().map(|chair| (chair.word(), chair.word()));
        let header =
            Header { max_turns: terms.max_plies, ..Header::new(&terms.setup, &start, seats, terms.seed) };
        let mut journal = begin(header)?;
        if let Some(journal) = &mut journal {
            journal.see(Event::Started(start.clone()), &start);
        }
        let mut referee = Referee::new(start, Conduct::removing());
        if let Some(max_plies) = terms.max_plies {
            referee = referee.with_max_plies(max_plies);
        }
        let mut table = Self { terms, chairs, referee, journal, past: vec![] };
        table.remember();
        Ok(table)
    }

    pub(super) fn position(&self) -> &Position {
        self.referee.position()
    }

    /// Who is to move; nobody if there is a verdict.
    pub(super) fn to_move(&self) -> Option<Seat> {
        self.referee.to_ask()
    }

    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.referee.verdict()
    }

    pub(super) fn is_person(&self, seat: Seat) -> bool {
        matches!(self.chairs[seat.index() & 1], Chair::Person)
    }

    /// What the computer wants to do; it is to move.
    pub(super) fn think(&mut self) -> Move {
        let seat = self.to_move().expect("the computer is asked only while the game goes on");
        let budget = self.budget(seat);
        match &mut self.chairs[seat.index() & 1] {
            Chair::Computer(_, strategy) => strategy.choose(self.referee.position(), &budget),
            Chair::Person => unreachable!("people think for themselves"),
        }
    }

    /// How much may be thought about the next hop.
    pub(super) fn budget(&self, seat: Seat) -> Budget {
        let seed = self.terms.seed.derive(seat.index() as u64).derive(self.referee.plies());
        Budget { deadline: Some(Instant::now() + self.terms.think), seed, ..Budget::default() }
    }

    /// Plays a legal hop.
    pub(super) fn hop(&mut self, hop: Move) {
        let event = self.referee.judge(Ok(hop), None);
        self.note(event);
        self.remember();
    }

    /// The player to move gives up.
    pub(super) fn resign(&mut self) {
        let event = self.referee.judge(Err(Failure::Resigned), None);
        self.note(event);
    }

    fn note(&mut self, event: Option<rookery_referee::EventOf<Position>>) {
        if let (Some(journal), Some(event)) = (&mut self.journal, event) {
            journal.see(event, self.referee.position());
        }
    }

    /// Keeps the moment if a person begins a turn.
    fn remember(&mut self) {
        let begins = self.position().chain().is_none();
        if begins && self.to_move().is_some_and(|seat| self.is_person(seat)) {
            let n_events = self.journal.as_ref().map_or(0, Journal::len);
            self.past.push(Moment { referee: self.referee.clone(), n_events });
        }
    }

    /// Goes back to where a person last began a turn, before now; says whether there was such a moment.
    pub(super) fn undo(&mut self) -> anyhow::Result<bool> {
        let now = self.referee.plies();
        let earlier = self.past.iter().rposition(|moment| moment.referee.plies() < now);
        let Some(at) = earlier else { return Ok(false) };
        let moment = &self.past[at];
        // The record first: if it cannot follow, the game stays where the record is.
        if let Some(journal) = &mut self.journal {
            journal.rewind(moment.n_events).with_context(|| not_written(journal))?;
        }
        self.referee = moment.referee.clone();
        self.past.truncate(at + 1);
        Ok(true)
    }

    /// Why the record cannot be written, if it cannot.
    pub(super) fn record_problem(&self) -> Option<String> {
        let journal = self.journal.as_ref()?;
        journal.problem().map(|error| format!("{}: {error}", not_written(journal)))
    }

    /// Ends the record. A game that goes on is stopped, without a winner.
    pub(super) fn close(mut self) -> anyhow::Result<()> {
        self.referee.stop(Cause::Cancelled, "the players left the table".to_owned());
        let verdict = self.referee.verdict().expect("it was stopped, at the latest").clone();
        let Some(mut journal) = self.journal.take() else { return Ok(()) };
        journal.see(Event::Ended(verdict), self.referee.position());
        let context = not_written(&journal);
        journal.finish().context(context)
    }
}

fn not_written(journal: &Journal) -> String {
    format!("the record could not be written to {}", journal.path().display())
}
