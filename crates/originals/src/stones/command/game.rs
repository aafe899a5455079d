//! One game: the match runs in a thread of its own, and whoever sits here sees it and types.

use std::fs::File;
use std::future::{Future, poll_fn};
use std::io::{BufRead, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::mpsc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use rookery_games::stones::{Move, Position};
use rookery_record::RecordWriter;
use rookery_referee::{
    Answering, Blame, ChatBox, Event, EventOf, Failure, Fault, Observer, Offence, Player, Question, Ruling,
    Verdict,
};
use rookery_rules::Seat;
use tokio::sync::oneshot;

use super::person::{Decision, ask_move};
use super::screen::Screen;
use crate::stones::{Message, Narrator, Table, error_of};

/// A game that is about to begin.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) table: Table,
    /// Where programs connect, and how long they are waited for.
    pub(super) host: IpAddr,
    pub(super) wait: Duration,
    pub(super) record: Option<PathBuf>,
}

/// What the match tells the screen. It may run ahead of a slow screen by a whole game, of which the rules bound the length.
enum News {
    Waiting(Seat, SocketAddr),
    Happened(Box<EventOf<Position>>),
    Asked { seat: Seat, position: Box<Position>, chat: ChatBox, answer: oneshot::Sender<Decision> },
}

type Sender = mpsc::Sender<News>;

impl Game {
    /// Plays to the end, or until the input ends.
    pub(super) fn play(
        self,
        screen: &mut Screen,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> anyhow::Result<ExitCode> {
        let record = self.record.as_ref().map(|path| {
            let problem =
                || format!("the record {} cannot be written; it must be a new file", path.display());
            File::create_new(path).with_context(problem)
        });
        let record = record.transpose()?;
        let (sender, news) = mpsc::channel();
        // Dropping its sender stops the match.
        let (stop, stopped) = oneshot::channel();
        let running = thread::spawn(move || self.run(record, &sender, stopped));
        let shown = show(&news, screen, input, out, err);
        drop(stop);
        let ended = running.join().map_err(|_| anyhow!("the match failed"))??;
        let (Some(last), Some(verdict)) = (shown?, ended) else {
            writeln!(out, "\nYou left; the game stops here.")?;
            return Ok(ExitCode::SUCCESS);
        };
        screen.ended(&verdict, &last, out)?;
        let error = verdict.ending.blame() == Some(Blame::Player) && verdict.outcome.is_none();
        Ok(if error { ExitCode::from(3) } else { ExitCode::SUCCESS })
    }

    /// The match. `None` if it was stopped.
    fn run(
        self,
        record: Option<File>,
        news: &Sender,
        stopped: oneshot::Receiver<()>,
    ) -> anyhow::Result<Option<Verdict>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut writer = record.map(|file| RecordWriter::new(file, self.table.header()));
        let mut observer = Reporter { news: news.clone(), record: writer.as_mut() };
        let verdict = runtime.block_on(async {
            let work = async {
                let mut announce = |seat, address| tell(news, News::Waiting(seat, address));
                let connections = self.table.gather(self.host, self.wait, &mut announce).await?;
                let mut person =
                    |_| -> Box<dyn Player<Position>> { Box::new(Person { news: news.clone(), chat: None }) };
                self.table.play(connections, &mut person, &mut observer).await
            };
            let (mut work, mut stopped) = (pin!(work), pin!(stopped));
            poll_fn(|cx| match work.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                Poll::Pending => stopped.as_mut().poll(cx).map(|_| None),
            })
            .await
        });
        writer.map(RecordWriter::finish).transpose().context("the record could not be written")?;
        Ok(verdict.transpose()?)
    }
}

/// Whoever looked at the screen may have left.
fn tell(news: &Sender, what: News) {
    let _ = news.send(what);
}

/// Writes the record, and tells the screen.
struct Reporter<'a> {
    news: Sender,
    record: Option<&'a mut RecordWriter<File>>,
}

impl Observer<Position> for Reporter<'_> {
    fn see(&mut self, event: &EventOf<Position>, position: &Position) {
        if let Some(record) = &mut self.record {
            record.see(event, position);
        }
        tell(&self.news, News::Happened(Box::new(event.clone())));
    }
}

/// A person at this terminal.
struct Person {
    news: Sender,
    chat: Option<ChatBox>,
}

impl Player<Position> for Person {
    fn seated(&mut self, _: Seat, chat: ChatBox) {
        self.chat = Some(chat);
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
                Ok(Decision::Leave) | Err(_) => {
                    Err(Fault::new(Offence::Disconnected, "the person left").into())
                }
            }
        }))
    }
}

/// Shows the news and asks people, until the game is over. The last message; `None` if a person left.
fn show(
    news: &mpsc::Receiver<News>,
    screen: &mut Screen,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<Option<Message>> {
    let mut narrator = Narrator::new();
    let mut last = None;
    for what in news {
        match what {
            News::Waiting(seat, address) => {
                writeln!(err, "waiting for player {} on {address}", seat.index())?;
            }
            News::Asked { seat, position, chat, answer } => {
                let say = &mut |text: &str| chat.say(text);
                let decision = ask_move(&position, seat.index(), say, input, out)?;
                if decision == Decision::Leave {
                    return Ok(None);
                }
                // It may have come too late, of which the news tell.
                let _ = answer.send(decision);
            }
            News::Happened(event) => {
                match &*event {
                    Event::Said { seat, text } => screen.said(*seat, text, out)?,
                    Event::Fouled(foul) if foul.ruling == Ruling::Removed => {
                        screen.error(foul.seat, &error_of(foul.seat, &foul.detail), out)?;
                    }
                    _ => {}
                }
                for update in narrator.tell(&event) {
                    screen.update(&update, out)?;
                    last = Some(update.message);
                }
            }
        }
    }
    Ok(last)
}
