//! What the tests share.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;
use std::time::Duration;

use rookery_games::renpaarden;
use rookery_referee::{
    Answering, End, Event, EventOf, Failure, Fault, Info, MatchSpec, Offence, Player, Question, Referee,
    Session, Terms, Verdict, play,
};
use rookery_rules::{Position, Seed, Setup};
use rookery_wire::{Answer, Codec, Note, excerpt};
use tokio::time::timeout;

/// Longer than any of this takes on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// The same for matches, which may play on a clock that jumps.
const HOURS: Duration = Duration::from_hours(10);

/// A protocol for any game: `go`, and a line of moves. `say` is an aside, what stands after `#` is said about the move.
#[derive(Clone, Default, Debug)]
pub(crate) struct Words {
    /// How many bytes follow `go`.
    pub(crate) ballast: usize,
    /// How the beginning is told, if it is.
    pub(crate) hello: Option<Note>,
}

impl<P: Position> Codec<P> for Words {
    fn ask(&mut self, question: &Question<'_, P>) -> Vec<u8> {
        let ballast = " ".repeat(self.ballast);
        format!("go {}{ballast}\n", question.ply).into_bytes()
    }

    fn expecting(&self) -> Option<String> {
        Some("moves as an answer to go".to_owned())
    }

    fn answer(&mut self, message: &[u8], _: &P) -> Result<Answer<P::Move>, Failure> {
        let malformed = |note: &str| Fault::new(Offence::Malformed, note).sent(excerpt(message));
        let text = str::from_utf8(message).map_err(|_| malformed("not a text"))?;
        if text.starts_with("say") {
            return Ok(Answer::Aside);
        }
        let (moves, info) = text.split_once('#').map_or((text, None), |(moves, info)| (moves, Some(info)));
        let moves: Result<Vec<P::Move>, _> = moves.split_whitespace().map(str::parse).collect();
        let moves = moves.map_err(|error| malformed(&error.to_string()))?;
        Ok(match (moves.as_slice(), info) {
            (&[mv], None) => Answer::Move(mv),
            (&[mv], Some(text)) => {
                Answer::MoveWith(mv, Info { text: Some(text.to_owned()), ..Info::default() })
            }
            _ => Answer::Moves(moves),
        })
    }

    fn news(&mut self, event: &EventOf<P>, _: &P) -> Vec<Note> {
        match event {
            Event::Started(_) => self.hello.clone().into_iter().collect(),
            _ => vec![],
        }
    }

    fn acknowledged(&mut self, reply: &[u8]) -> Result<bool, Fault> {
        let wrong = || Fault::new(Offence::Malformed, "").sent(excerpt(reply)).expected("hello");
        if reply == b"hello" { Ok(true) } else { Err(wrong()) }
    }
}

/// Somebody who is never heard of.
struct Silent;

impl<P: Position> Player<P> for Silent {
    fn choose<'a>(&'a mut self, _: Question<'a, P>) -> Answering<'a, P::Move> {
        Answering::Later(Box::pin(std::future::pending()))
    }
}

pub(crate) fn silent<P: Position>() -> Box<dyn Player<P>> {
    Box::new(Silent)
}

/// A small board on which a turn can have several moves.
pub(crate) fn start() -> renpaarden::Position {
    renpaarden::Setup::parse("width=5,height=5,max-turns=4").expect("the options are right").start()
}

pub(crate) fn spec(time: &str) -> MatchSpec {
    let mut spec = MatchSpec::new("renpaarden", ["cmd:a", "cmd:b"], Seed(1)).expect("two seats");
    spec.time = time.parse().expect("a time control");
    spec
}

/// Plays with these two; gives back the verdict and all events.
pub(crate) async fn play_out<P: Position>(
    start: P,
    time: &str,
    players: Vec<Box<dyn Player<P>>>,
) -> (Verdict, Vec<EventOf<P>>) {
    play_spec(&spec(time), start, players).await
}

/// The same with more agreed.
pub(crate) async fn play_spec<P: Position>(
    spec: &MatchSpec,
    start: P,
    mut players: Vec<Box<dyn Player<P>>>,
) -> (Verdict, Vec<EventOf<P>>) {
    let mut events = vec![];
    let referee = Referee::of_spec(spec, start);
    let terms = Terms::default();
    let session = Session::new(spec, &terms);
    let end = timeout(HOURS, play(referee, &mut players, &session, &mut events)).await;
    match end.expect("a match ends") {
        End::Verdict(verdict) => (verdict, events),
        End::Suspended => panic!("nobody has stopped it"),
    }
}

/// Whether there is such a process, and it has not ended.
pub(crate) fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

/// Waits until all these processes are gone.
pub(crate) async fn all_gone(pids: &[&str]) {
    let gone = async {
        while pids.iter().any(|pid| is_alive(pid)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("all are gone");
}
