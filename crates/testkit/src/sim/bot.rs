//! The player's end of a pipe: plays random moves, and does something wrong now and then.

use std::time::Duration;

use rookery_referee::LagProbe;
use rookery_rules::{Rng, Seat, below};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::sleep;

use super::faults::{Injected, Weights};
use super::pipe::MAX_LINE;
use super::{Log, log};
use crate::conceivable::Conceivable;

/// Both directions.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// One simulated player.
pub(super) struct Bot {
    pub(super) seat: Seat,
    pub(super) rng: Rng,
    pub(super) weights: Weights,
    pub(super) lag: LagProbe,
    pub(super) lag_cap: Duration,
    pub(super) margin: Duration,
    pub(super) log: Log,
    /// The most it thinks about an answer, whatever it is given; where time is real it is short.
    pub(super) patience_ms: u64,
}

/// Whether the bot goes on.
enum Next {
    Listen,
    Leave,
}

impl Bot {
    /// Listens and answers until the pipe is closed.
    pub(super) async fn run<P: Conceivable + rookery_rules::Notation>(mut self, stream: impl Stream) {
        // Takes not a byte more than a line, so that what a bot has read does not depend on who ran first.
        let mut pipe = BufReader::with_capacity(1, stream);
        let mut line = String::new();
        loop {
            line.clear();
            if !matches!(pipe.read_line(&mut line).await, Ok(1..)) {
                return;
            }
            let next = match line.trim_end().strip_prefix("ask ").and_then(|ask| ask.split_once(' ')) {
                None => self.told(&mut pipe).await,
                Some((ms, position)) => {
                    let ms = ms.parse().expect("the time is a number");
                    let position = P::from_text(position).expect("the position reads back");
                    self.asked(&mut pipe, ms, &position).await
                }
            };
            if matches!(next, Next::Leave) {
                return;
            }
        }
    }

    fn below(&mut self, n: u32) -> u64 {
        u64::from(below(&mut self.rng, n))
    }

    async fn told(&mut self, pipe: &mut BufReader<impl Stream>) -> Next {
        let Some(fault) = self.weights.when_told(&mut self.rng) else { return Next::Listen };
        if fault != Injected::StopReading {
            // Later than whatever happens now, so that it does not depend on who runs first.
            sleep(Duration::from_millis(1)).await;
        }
        log(&self.log, self.seat, fault);
        match fault {
            Injected::Early => {
                send(pipe, "too early\n").await;
                Next::Listen
            }
            Injected::StopReading => silence(pipe).await,
            _ => Next::Leave,
        }
    }

    async fn asked(
        &mut self,
        pipe: &mut BufReader<impl Stream>,
        ms: u64,
        position: &impl Conceivable,
    ) -> Next {
        let legal = position.random_move(&mut self.rng).expect("who is asked has a move");
        let answer = format!("{legal}\n");
        let too_long = ms + self.margin.as_millis() as u64 + 2;
        let Some(fault) = self.weights.when_asked(&mut self.rng) else {
            self.answer_well(pipe, ms, &answer).await;
            return Next::Listen;
        };
        if fault == Injected::OurPanic {
            // That is done at the other end, at a question that was drawn beforehand.
            send(pipe, &answer).await;
            return Next::Listen;
        }
        log(&self.log, self.seat, fault);
        match fault {
            Injected::Illegal => {
                let conceivable = position.conceivable_moves();
                let illegal = conceivable.into_iter().find(|&mv| !position.is_legal(mv));
                send(pipe, &format!("{}\n", illegal.expect("some move is illegal"))).await;
            }
            Injected::Malformed => {
                let noise = ["\n", "\u{0}\n", "ask\n", "{\"move\":[]}\n", "b1-\n", "ä€😀\n"];
                send(pipe, noise[self.below(6) as usize]).await;
            }
            Injected::Late => {
                sleep(Duration::from_millis(too_long + self.below(2000))).await;
                send(pipe, &answer).await;
            }
            Injected::SlowBytes => {
                for byte in answer.bytes() {
                    sleep(Duration::from_millis(too_long / answer.len() as u64 + 1)).await;
                    send_bytes(pipe, &[byte]).await;
                }
            }
            Injected::Close => return Next::Leave,
            Injected::ClosePartial => {
                // A whole answer without its end would count; half of one cannot be read, and then the connection is gone.
                log(&self.log, self.seat, Injected::CloseUnasked);
                send(pipe, "b1-").await;
                return Next::Leave;
            }
            Injected::Flood => send(pipe, &"x".repeat(MAX_LINE * 3)).await,
            Injected::Twice => send(pipe, &format!("{answer}{answer}")).await,
            Injected::Resign => send(pipe, "resign\n").await,
            Injected::OurLag => {
                let lag = 1 + self.below(self.lag_cap.as_millis() as u32);
                self.lag.add(Duration::from_millis(lag));
                sleep(Duration::from_millis(ms + lag - 1)).await;
                send(pipe, &answer).await;
            }
            Injected::OurStall => {
                let beyond = Duration::from_millis(1 + self.below(1000));
                self.lag.add(self.lag_cap + beyond);
                return silence(pipe).await;
            }
            _ => return silence(pipe).await,
        }
        Next::Listen
    }

    /// At once, after a while, or in pieces: in time in any case.
    async fn answer_well(&mut self, pipe: &mut BufReader<impl Stream>, ms: u64, answer: &str) {
        let ms = ms.min(self.patience_ms);
        match self.below(8) {
            0 => {
                sleep(Duration::from_millis(self.below(ms as u32 + 1))).await;
                send(pipe, answer).await;
            }
            1 => {
                let pause = self.below((ms / answer.len() as u64) as u32 + 1);
                for byte in answer.bytes() {
                    sleep(Duration::from_millis(pause)).await;
                    send_bytes(pipe, &[byte]).await;
                }
            }
            _ => send(pipe, answer).await,
        }
    }
}

/// Holds the pipe open and neither reads nor writes.
async fn silence(_pipe: &mut BufReader<impl Stream>) -> Next {
    std::future::pending().await
}

async fn send(pipe: &mut BufReader<impl Stream>, text: &str) {
    send_bytes(pipe, text.as_bytes()).await;
}

async fn send_bytes(pipe: &mut BufReader<impl Stream>, bytes: &[u8]) {
    // A pipe that is closed is noticed when it is read.
    let _ = pipe.get_mut().write_all(bytes).await;
    let _ = pipe.get_mut().flush().await;
}
