//! The steps of a check. Each is a match, or several, with the real referee.

use std::sync::Arc;
use std::time::Duration;

use rookery_arena::bots::usual_reason;
use rookery_bots::{Greeting, PROTOCOL, QUIT, REPLY_TIME, greet};
use rookery_live::{Guest, Programs, prepare};
use rookery_referee::{
    Blame, Cause, Conduct, End, Entry, Evidence, Fault, MatchSpec, Offence, SeatSpec, Start, TimeControl,
    Verdict, words, write_duration,
};
use rookery_rules::{Seat, Seed};
use rookery_sandbox::{Program, Sandbox};
use rookery_wire::{Connection, Lent, Process, Protocols, StderrLog, Transport, TransportExt as _};
use tokio::time::{Instant, timeout};

use super::Failure;
use super::asked::{Asked, Recorded};
use super::meddle::{Heard, Meddler, Meddling};
use crate::spec::CheckedSpec;

pub(super) struct Checker<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) program: &'a Program,
    pub(super) specs: &'a [CheckedSpec],
    pub(super) recorded: Option<&'a Recorded>,
    pub(super) time: Duration,
    pub(super) seed: u64,
}

/// A step that is to be done.
pub(super) enum Planned<'a> {
    Hello,
    Game(&'a CheckedSpec, usize),
    Large(CheckedSpec),
    TwoGames(&'a CheckedSpec),
    Strange(&'a CheckedSpec),
    Rejected(&'a CheckedSpec),
    GoesOn(&'a CheckedSpec),
    Times(&'a CheckedSpec),
    Asked(&'a Recorded, usize),
    Ends,
}

impl Planned<'_> {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Hello => "starts and says hello".to_owned(),
            Self::Game(spec, seat) => format!("plays {} on seat {}", spec.text, seat + 1),
            Self::Large(spec) => format!("plays on a large board, {}", spec.text),
            Self::TwoGames(spec) => format!("plays two games in a row, {}", spec.text),
            Self::Strange(_) => "ignores fields and messages it does not know".to_owned(),
            Self::Rejected(_) => "answers again after a rejected move".to_owned(),
            Self::GoesOn(_) => "goes on with a game that was begun".to_owned(),
            Self::Times(_) => "is in time".to_owned(),
            Self::Asked(recorded, seat) => format!("answers the turns of {} again", recorded.name(*seat)),
            Self::Ends => "ends when it is told to quit".to_owned(),
        }
    }
}

/// What was seen at a step that passed.
pub(super) struct Seen {
    /// In a few words.
    pub(super) text: String,
    /// The turns of a record that were asked again.
    pub(super) asked: Vec<Asked>,
}

impl Seen {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), asked: vec![] }
    }
}

pub(super) type Outcome = Result<Seen, Box<Failure>>;

/// A bot that runs.
pub(super) struct Running {
    link: Box<dyn Transport>,
    greeting: Arc<Greeting>,
    pub(super) heard: Heard,
    log: StderrLog,
    /// Whether one answer may be wrong.
    forgives: bool,
}

/// How long a bot may take to end after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(500);
/// Moves made before a game that is gone on with.
const OPENING: usize = 4;
/// A large board ends here, so that the check does.
const MAX_TURNS: u64 = 400;

impl Checker<'_> {
    /// All steps, in order.
    pub(super) fn plan(&self) -> Vec<Planned<'_>> {
        let mut steps = vec![Planned::Hello];
        if let Some(recorded) = self.recorded {
            steps.extend(recorded.seats().map(|seat| Planned::Asked(recorded, seat)));
        }
        for spec in self.specs {
            steps.extend((0..spec.n_seats()).map(|seat| Planned::Game(spec, seat)));
        }
        let mut seen: Vec<&str> = vec![];
        for spec in self.specs {
            if !seen.contains(&spec.game.name()) {
                seen.push(spec.game.name());
                let large = spec.game.benches().into_iter().next();
                steps.extend(large.and_then(|text| text.parse().ok()).map(Planned::Large));
            }
        }
        if let Some(first) = self.specs.first() {
            steps.extend([
                Planned::TwoGames(first),
                Planned::Strange(first),
                Planned::Rejected(first),
                Planned::GoesOn(first),
                Planned::Times(first),
            ]);
        }
        steps.push(Planned::Ends);
        steps
    }

    pub(super) async fn carry_out(&self, step: &Planned<'_>) -> Outcome {
        let plain = Meddling::default();
        match step {
            Planned::Hello => {
                let bot = self.start(plain).await?;
                let greeting = Arc::clone(&bot.greeting);
                self.quit(bot).await;
                let name = greeting.name.as_deref().unwrap_or("without a name");
                let author =
                    greeting.author.as_ref().map(|author| format!(" by {author}")).unwrap_or_default();
                Ok(Seen::text(format!("{name}{author}")))
            }
            Planned::Game(spec, seat) => self.one_game(spec, *seat, plain, 0).await,
            Planned::Large(spec) => self.one_game(spec, 0, plain, 0).await,
            Planned::Strange(spec) => {
                let strange = Meddling { strange: true, ..plain };
                self.one_game(spec, 0, strange, 0).await
            }
            Planned::Rejected(spec) => self.one_game(spec, 0, Meddling { spoils: true, ..plain }, 0).await,
            Planned::GoesOn(spec) => self.one_game(spec, 0, plain, OPENING).await,
            Planned::TwoGames(spec) => {
                let bot = self.start(plain).await?;
                let (bot, _) = self.play(bot, spec, 0, 0).await?;
                let (bot, verdict) = self.play(bot, spec, spec.n_seats() - 1, 0).await?;
                self.quit(bot).await;
                Ok(Seen::text(format!("{} moves in the second", verdict.plies)))
            }
            Planned::Times(spec) => self.times(spec).await,
            Planned::Asked(recorded, seat) => self.ask_again(recorded, *seat).await,
            Planned::Ends => self.ends().await,
        }
    }

    async fn one_game(&self, spec: &CheckedSpec, seat: usize, meddling: Meddling, opening: usize) -> Outcome {
        let bot = self.start(meddling).await?;
        let (bot, verdict) = self.play(bot, spec, seat, opening).await?;
        self.quit(bot).await;
        Ok(Seen::text(format!("{} moves, {}", verdict.plies, verdict.ending.cause)))
    }

    async fn times(&self, spec: &CheckedSpec) -> Outcome {
        let bot = self.start(Meddling::default()).await?;
        let (bot, _) = self.play(bot, spec, 0, 0).await?;
        let times = bot.heard.times();
        self.quit(bot).await;
        let (Some(middle), Some(longest)) = (times.get(times.len() / 2), times.last()) else {
            return Ok(Seen::text("it had no turn"));
        };
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        Ok(Seen::text(format!(
            "{:.1} ms for a move in the middle, {:.1} ms at the most, of {}",
            ms(middle),
            ms(longest),
            write_duration(self.time)
        )))
    }

    async fn ends(&self) -> Outcome {
        let mut bot = self.start(Meddling::default()).await?;
        let begin = Instant::now();
        let _ = bot.link.send(QUIT).await;
        let ended = timeout(TIME_TO_QUIT, bot.link.receive()).await;
        match ended {
            Ok(Err(fault)) if fault.evidence.exit.as_deref() == Some("exit status: 0") => {
                Ok(Seen::text(format!("after {} ms", begin.elapsed().as_millis())))
            }
            Ok(Err(fault)) => Err(failure(&fault, &bot.heard, &bot.log)),
            Ok(Ok(line)) => {
                let fault = Fault::new(Offence::OutOfTurn, "it spoke after quit")
                    .sent(rookery_wire::excerpt(&line))
                    .expected("nothing but its end");
                Err(failure(&fault, &bot.heard, &bot.log))
            }
            Err(_) => {
                let note = format!("it was still there {} after quit", write_duration(TIME_TO_QUIT));
                let fault = Fault::new(Offence::Timeout, note).expected("that it ends");
                Err(failure(&fault, &bot.heard, &bot.log))
            }
        }
    }

    /// Starts the bot and says hello.
    pub(super) async fn start(&self, meddling: Meddling) -> Result<Running, Box<Failure>> {
        let heard = Heard::default();
        let process = Process::start_in(self.sandbox, self.program)
            .map_err(|error| failure(&Fault::from(&error), &heard, &StderrLog::default()))?;
        let log = process.log();
        let connection = Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds);
        let mut link: Box<dyn Transport> =
            Box::new(Meddler { link: Box::new(connection), heard: heard.clone(), meddling });
        match greet(&mut *link, REPLY_TIME).await {
            Ok(greeting) => {
                let forgives = meddling.spoils;
                Ok(Running { link, greeting: Arc::new(greeting), heard, log, forgives })
            }
            Err(fault) => {
                drop(link);
                Err(failure(&fault, &heard, &log))
            }
        }
    }

    pub(super) async fn quit(&self, mut bot: Running) {
        let _ = timeout(TIME_TO_QUIT, bot.link.send(QUIT)).await;
        bot.link.close().await;
    }

    /// Plays a game with the bot on a seat, against players at random; it comes back for the next.
    async fn play(
        &self,
        bot: Running,
        spec: &CheckedSpec,
        seat: usize,
        opening: usize,
    ) -> Result<(Running, Verdict), Box<Failure>> {
        let agreed = self.agree(spec, seat, opening, bot.forgives);
        let built_in = |player: &SeatSpec| match player {
            SeatSpec::BuiltIn(player) => Guest::BuiltIn(player.clone()),
            _ => Guest::Person,
        };
        self.play_match(bot, agreed, seat, &built_in).await
    }

    /// Plays a match with the bot on this seat, and others on the rest.
    pub(super) async fn play_match(
        &self,
        bot: Running,
        agreed: MatchSpec,
        seat: usize,
        others: &dyn Fn(&SeatSpec) -> Guest,
    ) -> Result<(Running, Verdict), Box<Failure>> {
        let Running { link, greeting, heard, log, forgives } = bot;
        let (lent, home) = Lent::new(link);
        let mut guests: Vec<Guest> = agreed.seats.iter().map(|entry| others(&entry.player)).collect();
        guests[seat] = Guest::Bot(lent, Arc::clone(&greeting));
        let prepared = prepare(agreed, guests, &Protocols::default(), None);
        let played = match prepared {
            Ok(prepared) => prepared.with_terms(Programs::default().terms()).run().await,
            Err(error) => {
                let fault = Fault::new(Offence::BadHello, error.to_string());
                return Err(failure(&fault, &heard, &log));
            }
        };
        let End::Verdict(verdict) = played.end else { unreachable!("nobody stops a check") };
        let at_fault = verdict.removed.iter().chain([&verdict.ending]);
        let at_fault = at_fault.filter(|ending| {
            ending.blame() == Some(Blame::Player) && ending.seat == Some(Seat::new(seat as u8))
        });
        if let Some(ending) = at_fault.into_iter().next() {
            let offence = match ending.cause {
                Cause::Offence(offence) => offence,
                _ => Offence::Malformed,
            };
            let fault = Fault::with(offence, *ending.evidence.clone().unwrap_or_default());
            return Err(failure(&fault, &heard, &log));
        }
        if let Ok(link) = home.await {
            return Ok((Running { link, greeting, heard, log, forgives }, verdict));
        }
        Err(failure(&Fault::new(Offence::Disconnected, "its link was lost"), &heard, &log))
    }

    fn agree(&self, spec: &CheckedSpec, seat: usize, opening: usize, forgives: bool) -> MatchSpec {
        let entries: Vec<Entry> = (0..spec.n_seats())
            .map(|idx| if idx == seat { "bot=cmd:bot" } else { "random" }.parse().expect("well formed"))
            .collect();
        let mut agreed = rookery_catalog::agree(&spec.spec, &entries, Seed(self.seed))
            .expect("a checked spec and random players fit");
        agreed.time = TimeControl::PerMove(self.time);
        // Only what the checker itself spoils is forgiven.
        agreed.conduct = Conduct::removing().with_retries(u32::from(forgives));
        agreed.max_turns = Some(MAX_TURNS);
        if opening > 0 {
            agreed.start = Some(Start { position: None, moves: opening_of(spec, opening) });
        }
        agreed
    }
}

/// What is told of a fault.
fn failure(fault: &Fault, heard: &Heard, log: &StderrLog) -> Box<Failure> {
    let Fault { offence, evidence, is_ours } = fault;
    let evidence: &Evidence = evidence;
    let (sent, received) = heard.last();
    Box::new(Failure {
        cause: if *is_ours { Cause::PlatformAbort.word() } else { offence.word() }.to_owned(),
        message: if *is_ours { evidence.note.clone() } else { words::offence(*offence, evidence) },
        sent,
        hint: usual_reason(*offence, evidence, received.as_deref()).map(str::to_owned),
        received,
        expected: evidence.expected.clone(),
        stderr: String::from_utf8_lossy(&log.all()).into_owned(),
    })
}

/// The first moves of a game in which everybody plays its first move.
fn opening_of(spec: &CheckedSpec, n_moves: usize) -> Vec<String> {
    let mut position = spec.game.start(&spec.spec).expect("a checked spec");
    let mut moves = vec![];
    while moves.len() < n_moves {
        let Some(mv) = position.moves().into_iter().next() else { break };
        let mut next = position.boxed_clone();
        if next.play(&mv).is_err() || next.moves().is_empty() {
            break;
        }
        position = next;
        moves.push(mv);
    }
    moves
}
