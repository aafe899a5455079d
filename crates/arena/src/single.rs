//! One game, for whoever plays games that others ask for.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rookery_catalog::{Game, Visit, visit};
use rookery_live::{Closing, Guest, Match, Opened, Played, Programs, Terms, prepare};
use rookery_record::{Receipt, Sink, Slot};
use rookery_referee::{Controls, End, EventOf, LagProbe, MatchSpec, Observer, TimeControl};
use rookery_rules::{GameSpec, PositionOf};
use rookery_wire::Protocols;
use tokio::sync::oneshot;

use crate::ArenaError;
use crate::proved::until_proved;

/// One game, ready to be played where it stands. Its record is gathered in memory.
#[derive(Debug)]
pub struct SingleGame {
    game: Match,
    record: oneshot::Receiver<Vec<u8>>,
    lines: Arc<Mutex<Vec<u8>>>,
    /// Lets programs end in peace.
    closing: Option<Closing>,
}

impl SingleGame {
    /// Prepares one of built-in players. `events` counts what happens in it.
    pub fn new(spec: MatchSpec, ends_proved: bool, events: Arc<AtomicU64>) -> Result<Self, ArenaError> {
        let guests = Guest::built_in(&spec).map_err(ArenaError::Agreed)?;
        Self::of(spec, guests, ends_proved, events, &Protocols::default(), Terms::default())
    }

    /// The same with programs, which are brought first.
    pub async fn with_programs(
        spec: MatchSpec,
        ends_proved: bool,
        events: Arc<AtomicU64>,
        programs: &Programs,
    ) -> Result<Self, ArenaError> {
        let Opened { guests, closing, .. } = programs.bring(&spec, &mut |_, _| {}).await?;
        let game = Self::of(spec, guests, ends_proved, events, &programs.protocols, programs.terms())?;
        Ok(Self { closing: Some(closing), ..game })
    }

    fn of(
        spec: MatchSpec,
        guests: Vec<Guest>,
        ends_proved: bool,
        events: Arc<AtomicU64>,
        protocols: &Protocols,
        terms: Terms,
    ) -> Result<Self, ArenaError> {
        let (keep, record) = oneshot::channel();
        let lines = Arc::new(Mutex::new(vec![]));
        let sink = Sink::in_sight(Arc::clone(&lines), move |record| {
            // Whoever does not want it any more has stopped.
            let _ = keep.send(record);
            Receipt::at_once()
        });
        let lag = if spec.time == TimeControl::Untimed { terms.lag } else { LagProbe::start() };
        let text = spec.game.clone();
        let game = prepare(spec, guests, protocols, Some(Slot::New(sink)))
            .map_err(|error| ArenaError::Prepare(None, error))?;
        let game = game.with_terms(Terms { threads: 1, lag, ..terms });
        let wrong = |error: rookery_rules::SetupError| ArenaError::Agreed(error.to_string());
        let name = GameSpec::parse(&text).map_err(wrong)?.game;
        let game = visit(&name, Count(game, events)).map_err(wrong)?;
        let game = if ends_proved { until_proved(game, &text).map_err(wrong)? } else { game };
        Ok(Self { game, record, lines, closing: None })
    }

    /// The way to stop it.
    pub fn controls(&self) -> Controls {
        self.game.controls()
    }

    /// The lines of its record so far, for whoever looks on while it is played.
    pub fn lines(&self) -> Arc<Mutex<Vec<u8>>> {
        Arc::clone(&self.lines)
    }

    /// Plays it to its end: the whole record. `None` if it was stopped.
    pub async fn play(self) -> Result<Option<Vec<u8>>, ArenaError> {
        let Played { end, problem, .. } = self.game.run().await;
        if let Some(closing) = self.closing {
            closing.done().await;
        }
        if let Some(problem) = problem {
            return Err(ArenaError::Record(None, problem));
        }
        match end {
            End::Verdict(_) => Ok(self.record.await.ok()),
            End::Suspended => Ok(None),
        }
    }
}

struct Count(Match, Arc<AtomicU64>);

impl Visit for Count {
    type Out = Match;

    fn visit<G: Game>(self) -> Match {
        self.0.with_observer(Counter::<G> { events: self.1, game: PhantomData })
    }
}

struct Counter<G> {
    events: Arc<AtomicU64>,
    game: PhantomData<fn() -> G>,
}

impl<G: Game> Observer<PositionOf<G>> for Counter<G> {
    fn see(&mut self, _: &EventOf<PositionOf<G>>, _: &PositionOf<G>) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }
}
