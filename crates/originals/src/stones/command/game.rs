//! One game: the match runs in a thread of its own, and whoever sits here sees it and types.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail};
use rookery_games::stones::{Move, Position};
use rookery_live::{Guest, Opened, Opening, Stopping, Wanted, open, prepare};
use rookery_record::{Archive as _, ArchiveError, Key, OneFile, Slot};
use rookery_referee::{
    Answering, Blame, ChatBox, Event, EventOf, Failure, Fault, Invitation, Kind, MatchSpec, Observer,
    Offence, Player, Question, Ruling, Verdict, write_duration,
};
use rookery_rules::Seat;
use rookery_wire::{Protocols, Trace};
use tokio::sync::oneshot;

use super::person::{Decision, ask_move};
use super::screen::Screen;
use crate::ErrorOutput;
use crate::command::launcher;
use crate::keyboard::{CalledAway, Keyboard};
use crate::running::run_until;
use crate::stones::{Message, Narrator, WARM_UP, error_of, protocol, register};

/// A game that is about to begin.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) spec: MatchSpec,
    /// Whether programs that have lost are told how the game goes on.
    pub(super) tell_eliminated: bool,
    /// Where programs connect, and how long they are waited for.
    pub(super) host: IpAddr,
    pub(super) wait: Duration,
    /// Where everything is written down that travels.
    pub(super) trace: Option<Trace>,
    pub(super) record: Option<PathBuf>,
    pub(super) resume: bool,
}

/// What the match tells the screen. It may run ahead of a slow screen by a whole game, of which the rules bound the length.
enum News {
    Waiting(usize, SocketAddr),
    Happened(Box<EventOf<Position>>),
    Asked { seat: Seat, position: Box<Position>, chat: ChatBox, answer: oneshot::Sender<Decision> },
}

type Sender = mpsc::Sender<News>;

/// Where a game is shown, and what stops it.
pub(super) struct Place<'a, 'k> {
    pub(super) keyboard: &'a mut Keyboard<'k>,
    pub(super) out: &'a mut dyn Write,
    pub(super) err: ErrorOutput,
    pub(super) stop: &'a Stopping,
    /// The command that goes on with the record.
    pub(super) go_on: &'a str,
}

impl Game {
    /// Plays to the end, or until the input ends, or somebody stops it.
    pub(super) fn play(self, screen: &mut Screen, place: &mut Place<'_, '_>) -> anyhow::Result<ExitCode> {
        if let Some(path) = self.record.as_ref().filter(|path| path.exists() && !self.resume) {
            return Err(ArchiveError::Exists(path.clone()).into());
        }
        let (sender, news) = mpsc::channel();
        // Dropping its sender stops the match.
        let (stay, left) = oneshot::channel();
        let running = {
            let (game, stop) = (self.clone(), place.stop.clone());
            thread::spawn(move || game.run(&sender, left, &stop))
        };
        let shown = show(&news, screen, place);
        drop(stay);
        let ended = running.join().map_err(|_| anyhow!("the match failed"))?;
        let Shown { last, .. } = shown?;
        let Some(verdict) = ended? else {
            let stopped = place.stop.exit_code();
            if stopped.is_none() {
                writeln!(place.out, "\nYou left; the game stops here.")?;
            } else {
                writeln!(place.err, "stopped; the players were stopped too")?;
            }
            if self.record.as_ref().is_some_and(|path| path.exists()) {
                writeln!(place.err, "this goes on with it:\n{}", place.go_on)?;
            }
            return Ok(stopped.map_or(ExitCode::SUCCESS, ExitCode::from));
        };
        screen.ended(&self.spec, &verdict, last.as_ref(), place.out)?;
        let error = verdict.ending.blame() == Some(Blame::Player) && verdict.outcome.is_none();
        Ok(if error { ExitCode::from(3) } else { ExitCode::SUCCESS })
    }

    /// The match. `None` if it was stopped.
    fn run(
        &self,
        news: &Sender,
        mut left: oneshot::Receiver<()>,
        stop: &Stopping,
    ) -> anyhow::Result<Option<Verdict>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            // Before the match nothing is lost by stopping at once.
            let opened = tokio::select! {
                opened = self.open(news) => opened?,
                () = stop.requested() => return Ok(None),
                _ = &mut left => return Ok(None),
            };
            let Opened { guests, closing, .. } = opened;
            let mut protocols = Protocols::default();
            register(&mut protocols, WARM_UP, self.tell_eliminated);
            let ready = prepare(self.spec.clone(), guests, &protocols, self.slot()?)?;
            let stopped = async {
                tokio::select! {
                    () = stop.urgent() => {}
                    _ = left => {}
                }
            };
            let played = run_until(ready.with_observer(Reporter(news.clone())), stopped).await;
            closing.done().await;
            Ok(played?.end.clone().verdict())
        })
    }

    async fn open(&self, news: &Sender) -> anyhow::Result<Opened> {
        let sandbox = Some(launcher()?);
        let (host, wait, trace) = (self.host, self.wait, self.trace.clone());
        let opening = Opening { host, wait, trace, sandbox, ..Opening::default() };
        let seats = Wanted::all(&self.spec, protocol());
        let mut announce = |idx, address| tell(news, News::Waiting(idx, address));
        let mut opened = open(&seats, &opening, &mut announce).await?;
        if opened.guests.iter().all(|guest| matches!(guest, Guest::Absent(_))) {
            bail!("nobody connected within {}; no game was played", write_duration(self.wait));
        }
        for guest in opened.guests.iter_mut().filter(|guest| matches!(guest, Guest::Person)) {
            *guest = Guest::own(Person { news: news.clone(), chat: None });
        }
        Ok(opened)
    }

    fn slot(&self) -> Result<Option<Slot>, ArchiveError> {
        self.record.as_ref().map(|path| OneFile::new(path, self.resume).open(&Key::first(1))).transpose()
    }
}

/// Whoever looked at the screen may have left.
fn tell(news: &Sender, what: News) {
    let _ = news.send(what);
}

/// Tells the screen.
struct Reporter(Sender);

impl Observer<Position> for Reporter {
    fn see(&mut self, event: &EventOf<Position>, _: &Position) {
        tell(&self.0, News::Happened(Box::new(event.clone())));
    }
}

/// A person at this terminal, who is asked after everything was shown that came before.
struct Person {
    news: Sender,
    chat: Option<ChatBox>,
}

impl Player<Position> for Person {
    fn seated(&mut self, invitation: &Invitation<'_, Position>) {
        self.chat = Some(invitation.chat.clone());
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        let (answer, decided) = oneshot::channel();
        let chat = self.chat.clone().expect("whoever is asked has a seat");
        let position = Box::new(question.position.clone());
        tell(&self.news, News::Asked { seat: question.seat, position, chat, answer });
        Answering::Later(Box::pin(async move {
            match decided.await {
                Ok(Decision::Move(mv)) => Ok(mv),
                Ok(Decision::Resign) => Err(Failure::Resigned),
                // Whoever leaves stops the match, of which it is told otherwise.
                Ok(Decision::Leave) | Err(_) => {
                    Err(Fault::new(Offence::Disconnected, "the person left").into())
                }
            }
        }))
    }

    fn kind(&self) -> Kind {
        Kind::Person
    }
}

/// What was shown of a game.
#[derive(Default)]
struct Shown {
    /// The last message.
    last: Option<Message>,
    /// The question that a person left open. It stays so until the match has stopped: that is no answer.
    _open: Option<Rc<oneshot::Sender<Decision>>>,
}

/// Shows the news and asks people, until the game is over or a person leaves.
fn show(
    news: &mpsc::Receiver<News>,
    screen: &mut Screen,
    place: &mut Place<'_, '_>,
) -> anyhow::Result<Shown> {
    let mut narrator = Narrator::new();
    let mut last = None;
    for what in news {
        match what {
            News::Waiting(idx, address) => writeln!(place.err, "waiting for player {idx} on {address}")?,
            News::Asked { seat, position, chat, answer } => {
                let open = ask(seat, &position, &chat, answer, place)?;
                if open.is_some() {
                    return Ok(Shown { last, _open: open });
                }
            }
            News::Happened(event) => {
                match &*event {
                    Event::Said { seat, text } => screen.said(*seat, text, place.out)?,
                    Event::Fouled(foul) if foul.ruling == Ruling::Removed => {
                        screen.error(foul.seat, &error_of(foul), place.out)?;
                    }
                    _ => {}
                }
                for update in narrator.tell(&event) {
                    screen.update(&update, place.out)?;
                    last = Some(update.message);
                }
            }
        }
    }
    Ok(Shown { last, _open: None })
}

/// Asks a person, as long as the match wants to know. The question, if the person leaves it open.
fn ask(
    seat: Seat,
    position: &Position,
    chat: &ChatBox,
    answer: oneshot::Sender<Decision>,
    place: &mut Place<'_, '_>,
) -> anyhow::Result<Option<Rc<oneshot::Sender<Decision>>>> {
    let answer = Rc::new(answer);
    let asked = Rc::clone(&answer);
    place.keyboard.call_when(move || asked.is_closed());
    let say = &mut |text: &str| chat.say(text);
    let decision = ask_move(position, seat.index(), say, place.keyboard, place.out);
    place.keyboard.call_when(|| false);
    match decision {
        // The time is up, or the match was stopped: the news tell which.
        Err(error) if CalledAway::is_reason_of(&error) => writeln!(place.out)?,
        Ok(Decision::Leave) => return Ok(Some(answer)),
        decision => {
            let answer = Rc::into_inner(answer).expect("nobody else asks for it any more");
            // It may have come too late, of which the news tell.
            let _ = answer.send(decision?);
        }
    }
    Ok(None)
}
