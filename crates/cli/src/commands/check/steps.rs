//! The steps of a check. Each is a match, or several, with the real referee.

use std::sync::Arc;
use std::time::Duration;

use rookery_arena::bots::check::{CheckGame, Heard, Meddler, Meddling, OPENING, built_in, play_check, times};
use rookery_arena::bots::usual_reason;
use rookery_bots::{Greeting, Life, PROTOCOL, QUIT, REPLY_TIME, greet};
use rookery_catalog::AnyGame;
use rookery_live::Guest;
use rookery_referee::{Cause, Evidence, Fault, MatchSpec, Offence, SeatSpec, Verdict, words, write_duration};
use rookery_rules::{Kind, Seed};
use rookery_sandbox::{Program, Sandbox};
use rookery_wire::{Connection, Lent, Process, StderrLog, Trace, Transport, TransportExt as _};
use tokio::time::{Instant, timeout};

use super::Failure;
use super::asked::{Asked, Recorded};
use crate::spec::CheckedSpec;

pub(super) struct Checker<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) program: &'a Program,
    pub(super) specs: &'a [CheckedSpec],
    pub(super) recorded: Option<&'a Recorded>,
    pub(super) time: Duration,
    pub(super) seed: u64,
    /// Where everything is written down that travels.
    pub(super) trace: Option<Trace>,
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
    /// What is done to what travels.
    meddling: Meddling,
}

/// The keys of the size of a board.
const SIZES: [&str; 4] = ["rows", "cols", "width", "height"];
/// How long a bot may take to end after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(500);

/// The largest board that a game has, as square as it can be; none if its board has no size.
fn largest(game: &'static dyn AnyGame) -> Option<CheckedSpec> {
    let sizes = game.keys().iter().filter_map(|key| match key.kind {
        Kind::Number(least, most) if SIZES.contains(&key.name) => Some((key.name, least, most)),
        _ => None,
    });
    let sizes: Vec<_> = sizes.collect();
    let longest = sizes.iter().map(|(_, _, most)| *most).max()?;
    // Not every board fits that is as long as it may be on every side.
    (1..=longest).rev().find_map(|side| {
        let options = sizes.iter().map(|(name, least, most)| format!("{name}={}", side.clamp(*least, *most)));
        format!("{}:{}", game.name(), options.collect::<Vec<_>>().join(",")).parse().ok()
    })
}

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
                steps.extend(largest(spec.game).map(Planned::Large));
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
                let bot = self.again(bot).await?;
                let (bot, verdict) = self.play(bot, spec, spec.n_seats() - 1, 0).await?;
                let how = match bot.greeting.life {
                    Some(Life::Game) => ", in a process of its own",
                    Some(Life::Session) | None => "",
                };
                self.quit(bot).await;
                Ok(Seen::text(format!("{} moves in the second{how}", verdict.plies)))
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
        let seen = Seen::text(times(&bot.heard, self.time));
        self.quit(bot).await;
        Ok(seen)
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
        let mut link: Box<dyn Transport> =
            Box::new(Connection::process(process, PROTOCOL.framing, PROTOCOL.bounds));
        if let Some(trace) = &self.trace {
            link = trace.follow(link, "bot");
        }
        let mut link: Box<dyn Transport> = Box::new(Meddler::new(link, heard.clone(), meddling));
        match greet(&mut *link, REPLY_TIME).await {
            Ok(greeting) => Ok(Running { link, greeting: Arc::new(greeting), heard, log, meddling }),
            Err(fault) => {
                drop(link);
                let mut failed = failure(&fault, &heard, &log);
                let Evidence { sent, exit, .. } = &*fault.evidence;
                let is_silent =
                    failed.received.is_none() && sent.is_none() && exit.is_none() && !fault.is_ours;
                if is_silent
                    && let Some(hello) = &failed.sent
                    && let Some(why) = self.why_silent(hello).await
                {
                    failed.hint = Some(why.to_owned());
                }
                Err(failed)
            }
        }
    }

    /// The bot for its next game: the same process, or another one if it has asked for that.
    pub(super) async fn again(&self, bot: Running) -> Result<Running, Box<Failure>> {
        if bot.greeting.life != Some(Life::Game) {
            return Ok(bot);
        }
        let meddling = bot.meddling;
        self.quit(bot).await;
        self.start(meddling).await
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
        let game = CheckGame {
            spec: &spec.spec,
            seat,
            n_seats: spec.n_seats(),
            opening,
            time: self.time,
            seed: Seed(self.seed),
            meddling: bot.meddling,
        };
        self.play_match(bot, game.agree(), seat, &built_in).await
    }

    /// Plays a match with the bot on this seat, and others on the rest.
    pub(super) async fn play_match(
        &self,
        bot: Running,
        agreed: MatchSpec,
        seat: usize,
        others: &(dyn Fn(&SeatSpec) -> Guest + Sync),
    ) -> Result<(Running, Verdict), Box<Failure>> {
        let Running { link, greeting, heard, log, meddling } = bot;
        let (lent, home) = Lent::new(link);
        let guest = Guest::Bot(lent, Arc::clone(&greeting));
        let verdict = play_check(agreed, seat, guest, others).await;
        let verdict = verdict.map_err(|fault| failure(&fault, &heard, &log))?;
        if let Ok(link) = home.await {
            return Ok((Running { link, greeting, heard, log, meddling }, verdict));
        }
        Err(failure(&Fault::new(Offence::Disconnected, "its link was lost"), &heard, &log))
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
        hint: usual_reason(*offence, evidence, received.as_deref()).filter(|_| !is_ours).map(str::to_owned),
        received,
        expected: evidence.expected.clone(),
        stderr: String::from_utf8_lossy(&log.all()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use rookery_catalog::CATALOG;

    use super::*;

    #[test]
    fn the_largest_boards_are_as_large_as_their_games_have_them() {
        let all: Vec<String> = CATALOG.iter().filter_map(|game| Some(largest(*game)?.text)).collect();
        let expected = [
            "fish:rows=11,cols=11",
            "hexapawn:rows=8,cols=8",
            "renpaarden:width=11,height=11",
            "stones:rows=16,cols=16",
            "four:rows=8,cols=8",
        ];
        assert_eq!(all, expected);
    }
}
