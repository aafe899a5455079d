//! One game, for whoever plays games that others ask for.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rookery_catalog::{Game, Visit, visit};
use rookery_live::{Guest, Match, Played, Terms, prepare};
use rookery_record::{Receipt, Sink, Slot};
use rookery_referee::{Controls, End, EventOf, LagProbe, MatchSpec, Observer, TimeControl};
use rookery_rules::{GameSpec, PositionOf};
use rookery_wire::Protocols;
use tokio::sync::oneshot;

use crate::ArenaError;
use crate::proved::until_proved;

/// One game of built-in players, ready to be played where it stands. Its record is gathered in memory.
#[derive(Debug)]
pub struct SingleGame {
    game: Match,
    record: oneshot::Receiver<Vec<u8>>,
}

impl SingleGame {
    /// Prepares it. `events` counts what happens in it.
    pub fn new(spec: MatchSpec, ends_proved: bool, events: Arc<AtomicU64>) -> Result<Self, ArenaError> {
        let guests = Guest::built_in(&spec).map_err(ArenaError::Agreed)?;
        let (keep, record) = oneshot::channel();
        let sink = Sink::in_memory(vec![], move |record| {
            // Whoever does not want it any more has stopped.
            let _ = keep.send(record);
            Receipt::at_once()
        });
        let lag = if spec.time == TimeControl::Untimed { Terms::default().lag } else { LagProbe::start() };
        let text = spec.game.clone();
        let game = prepare(spec, guests, &Protocols::default(), Some(Slot::New(sink)))
            .map_err(|error| ArenaError::Prepare(None, error))?;
        let game = game.with_terms(Terms { threads: 1, lag, ..Terms::default() });
        let wrong = |error: rookery_rules::SetupError| ArenaError::Agreed(error.to_string());
        let name = GameSpec::parse(&text).map_err(wrong)?.game;
        let game = visit(&name, Count(game, events)).map_err(wrong)?;
        let game = if ends_proved { until_proved(game, &text).map_err(wrong)? } else { game };
        Ok(Self { game, record })
    }

    /// The way to stop it.
    pub fn controls(&self) -> Controls {
        self.game.controls()
    }

    /// Plays it to its end: the whole record. `None` if it was stopped.
    pub async fn play(self) -> Result<Option<Vec<u8>>, ArenaError> {
        let Played { end, problem, .. } = self.game.run().await;
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
