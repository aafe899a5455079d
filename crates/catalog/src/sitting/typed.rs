//! A sitting with its types.

use std::io::BufRead;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rookery_record::{Header, Line, Lines, Problem, RecordError, Replay, Step};
use rookery_referee::{Cause, Clock, Event, EventOf, Failure, Fault, Offence, Referee};
use rookery_rules::{BySeat, GameSpec, Notation as _, Position, Seat, Seed, Setup};
use rookery_search::{Budget, Stop};

use super::keeping::{Keeper, Story};
use super::thinking::SharedStrategy;
use super::{AnySitting, Sitter, SittingError};
use crate::any::{seed_option, vary};
use crate::matches::{PositionOf, header};
use crate::{Game, MatchOrder, OrderError, PlayerError, PlayerSpec, players};

/// The move type of a game.
pub(super) type MoveOf<G> = <PositionOf<G> as Position>::Move;

/// Who sits at a seat, with what it takes to play.
pub(super) enum Mind<P: Position> {
    Person,
    Computer(SharedStrategy<P>),
    Stranger,
}

/// A match with persons in it. Everything follows from the header and the events.
pub(crate) struct Sitting<G: Game> {
    pub(super) header: Header,
    pub(super) start: PositionOf<G>,
    pub(super) minds: BySeat<Mind<PositionOf<G>>>,
    pub(super) referee: Referee<PositionOf<G>>,
    pub(super) clock: Clock,
    /// The last move, and the position before it.
    pub(super) last: Option<(PositionOf<G>, MoveOf<G>)>,
    pub(super) events: Vec<EventOf<PositionOf<G>>>,
    /// What was taken back, the earliest last.
    pub(super) undone: Vec<EventOf<PositionOf<G>>>,
    pub(super) keeper: Option<Keeper>,
    /// Counts changes, so that an answer can be told from one to an earlier question.
    pub(super) number: u64,
    /// Raised when the question that was asked last no longer stands.
    pub(super) asked: Stop,
}

impl<G: Game> Sitting<G> {
    pub(crate) fn new(order: &MatchOrder) -> Result<Self, OrderError> {
        let setup = G::Setup::from_spec(&order.spec).map_err(OrderError::Setup)?;
        let header = header(order, &setup);
        let minds = order.players.iter().map(mind::<G>).collect::<Result<_, _>>();
        Ok(Self::with(header, setup.start(), minds.map_err(OrderError::Player)?))
    }

    fn with(header: Header, start: PositionOf<G>, minds: BySeat<Mind<PositionOf<G>>>) -> Self {
        let clock = Clock::new(header.time, header.seats.len());
        Self {
            referee: referee(&header, &start),
            header,
            start,
            minds,
            clock,
            last: None,
            events: vec![],
            undone: vec![],
            keeper: None,
            number: 0,
            asked: Stop::default(),
        }
    }

    /// Judges a record again, and takes over what it tells.
    pub(crate) fn load(
        header: Header,
        first: &[u8],
        lines: &mut Lines<impl BufRead>,
    ) -> Result<Self, RecordError> {
        let replay = Replay::<PositionOf<G>>::new::<G::Setup>(header.clone(), first);
        let mut replay = replay.map_err(|problem| lines.error(problem))?;
        let seated = |entry: &rookery_record::SeatEntry| {
            let mind = entry.player.parse().ok().and_then(|player| mind::<G>(&player).ok());
            mind.unwrap_or(Mind::Stranger)
        };
        let minds = header.seats.iter().map(seated).collect();
        let mut sitting = Self::with(header, replay.referee().position().clone(), minds);
        let mut stopped = None;
        while let Some(line) = lines.next_line()? {
            let taken = replay.feed(line).and_then(|step| sitting.take_line(step, line, &mut stopped));
            if let Err(problem) = taken {
                return Err(lines.error(problem));
            }
        }
        replay.summary(lines.torn_bytes()).map_err(|problem| lines.error(problem))?;
        // A stop without its verdict is void.
        if let Some((cause, sentence)) = stopped.filter(|_| replay.is_finished()) {
            sitting.referee.stop(cause, sentence);
        }
        Ok(sitting)
    }

    /// Takes over a line that was found right.
    fn take_line(
        &mut self,
        step: Step,
        line: &[u8],
        stopped: &mut Option<(Cause, String)>,
    ) -> Result<(), Problem> {
        let charge = |ms: Option<u64>, left: Option<u64>| {
            let (used, left) = (ms?, left?);
            Some(rookery_referee::Charge {
                used: Duration::from_millis(used),
                left: Duration::from_millis(left),
            })
        };
        match (step, Line::parse(line)?) {
            (Step::Moved(seat), Line::Moved(moved)) => {
                let mv = moved.mv.parse().map_err(|error| Problem::Wrong(format!("{error}")))?;
                self.advance(Event::Moved { seat, mv, charge: charge(moved.ms, moved.left_ms) });
            }
            (Step::Said(seat), Line::Said(said)) => {
                self.advance(Event::Said { seat, text: said.text.into_owned() });
            }
            (Step::Resigned(seat), _) => self.advance(Event::Resigned { seat }),
            (Step::Fouled(seat), Line::Fouled(fouled)) => {
                let known = Offence::ALL.into_iter().find(|offence| offence.word() == fouled.offence);
                let offence = known.expect("the replay has found the line right");
                let fault = Fault::new(offence, fouled.detail);
                self.foul(seat, fault, charge(fouled.ms, fouled.left_ms));
            }
            (Step::Stopped, Line::Stopped(line)) => {
                *stopped = Cause::of_word(&line.cause).map(|cause| (cause, line.sentence.into_owned()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives an event that has happened before to the referee once more.
    pub(super) fn advance(&mut self, event: EventOf<PositionOf<G>>) {
        self.number += 1;
        self.asked.set();
        match &event {
            Event::Moved { seat, mv, charge } => {
                self.last = Some((self.referee.position().clone(), *mv));
                self.referee.judge(Ok(*mv), *charge);
                if let Some(charge) = charge {
                    self.clock.set_left(*seat, charge.left);
                }
            }
            Event::Resigned { .. } => {
                self.referee.judge(Err(Failure::Resigned), None);
            }
            Event::Fouled(foul) => {
                let fault = Fault::new(foul.offence, foul.detail.clone());
                if self.referee.to_ask() == Some(foul.seat) {
                    self.referee.judge(Err(Failure::Fault(fault)), foul.charge);
                } else {
                    self.referee.foul(foul.seat, fault);
                }
            }
            Event::Said { .. } | Event::Started(_) | Event::Ended(_) => {}
        }
        self.events.push(event);
    }

    pub(super) fn foul(&mut self, seat: Seat, fault: Fault, charge: Option<rookery_referee::Charge>) {
        let mut preview = self.referee.clone();
        let event = if preview.to_ask() == Some(seat) {
            preview.judge(Err(Failure::Fault(fault)), charge)
        } else {
            preview.foul(seat, fault)
        };
        if let Some(event) = event {
            self.advance(event);
        }
    }

    /// Something new happens: what was taken back is forgotten, and the event goes into the record.
    pub(super) fn happen(&mut self, event: EventOf<PositionOf<G>>) {
        self.undone.clear();
        self.advance(event);
        self.keep_last();
    }

    /// Everything again from the beginning, with these events.
    /// Draws the board again that was drawn for the seed of an earlier match. One that somebody has chosen stays.
    pub(super) fn draw_start(&mut self, before: Seed) {
        let Some(mut spec) = GameSpec::parse(&self.header.game).ok().filter(|_| !self.header.custom_start)
        else {
            return;
        };
        spec.options.retain(|option| *option != seed_option(before));
        if let Ok(setup) = G::Setup::from_spec(&vary::<G>(&spec, Seed(self.header.seed))) {
            self.start = setup.start();
            self.header.game = setup.spec();
            self.header.start = self.start.to_text();
        }
    }

    pub(super) fn rebuild(&mut self, events: Vec<EventOf<PositionOf<G>>>) {
        self.referee = referee(&self.header, &self.start);
        self.clock = Clock::new(self.header.time, self.header.seats.len());
        self.last = None;
        self.events = Vec::with_capacity(events.len());
        self.number += 1;
        self.asked.set();
        for event in events {
            self.advance(event);
        }
    }

    pub(super) fn story(&self) -> Story<'_, PositionOf<G>> {
        story(&self.header, &self.referee, &self.events)
    }

    pub(super) fn keep_last(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.append(&story(&self.header, &self.referee, &self.events));
        }
    }

    pub(super) fn keep_all(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.rewrite(&story(&self.header, &self.referee, &self.events));
        }
    }

    /// Whether the event is a decision of a person.
    pub(super) fn is_persons(&self, event: &EventOf<PositionOf<G>>) -> bool {
        let seat = match event {
            Event::Moved { seat, .. } | Event::Resigned { seat } => *seat,
            Event::Fouled(foul) => foul.seat,
            Event::Said { .. } | Event::Started(_) | Event::Ended(_) => return false,
        };
        self.sitter(seat) == Sitter::Person
    }

    /// Takes back everything from this event on.
    pub(super) fn take_back(&mut self, from: usize) {
        let mut events = std::mem::take(&mut self.events);
        self.undone.extend(events.drain(from..).rev());
        self.rebuild(events);
    }

    pub(super) fn person_to_move(&self) -> Result<Seat, SittingError> {
        let seat = self.to_ask().ok_or(SittingError::Over)?;
        if self.sitter(seat) == Sitter::Person { Ok(seat) } else { Err(SittingError::NotAPerson) }
    }

    /// Whether so much time is more than the seat has.
    pub(super) fn is_over_time(&self, seat: Seat, used: Duration) -> bool {
        self.clock.allowance(seat).is_some_and(|allowance| used > allowance)
    }

    pub(super) fn budget(&self, seat: Seat) -> Budget {
        let limits = self.header.limits.unwrap_or_default();
        Budget {
            deadline: None,
            work: limits.nodes.or(limits.playouts),
            depth: limits.depth,
            stop: self.asked.clone(),
            // As in a match of built-in players alone, so that such a match goes the same way here.
            seed: Seed(self.header.seed).derive(seat.index() as u64).derive(self.referee.plies()),
        }
    }
}

/// A record keeps whole milliseconds; so do we, and the sums agree.
pub(super) fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn mind<G: Game>(player: &PlayerSpec) -> Result<Mind<PositionOf<G>>, PlayerError> {
    if player.is_person() {
        return Ok(Mind::Person);
    }
    let (strategy, _) = players::strategy::<G>(player)?;
    Ok(Mind::Computer(Arc::new(Mutex::new(strategy))))
}

fn referee<P: Position>(header: &Header, start: &P) -> Referee<P> {
    let referee = Referee::new(start.clone(), header.conduct);
    match header.max_turns {
        Some(max_turns) => referee.with_max_plies(max_turns),
        None => referee,
    }
}

fn story<'a, P: Position>(
    header: &'a Header,
    referee: &'a Referee<P>,
    events: &'a [EventOf<P>],
) -> Story<'a, P> {
    Story { header, position: referee.position(), events, verdict: referee.verdict() }
}
