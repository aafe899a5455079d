//! What happens at a server, shown on the error output: as lines, as JSON, or as a picture that moves.
//!
//! A thread of its own writes, so that a terminal that stands still delays no game. What it cannot take is counted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::ErrorOutput;
use crate::fish::{Log, Notice};

/// How many notices may wait.
const QUEUE: usize = 4096;
/// How long the end waits for the last notices to be written.
const LAST_MOMENTS: Duration = Duration::from_secs(1);
/// How many tables of a round are shown; a terminal has so many lines.
const TABLES: usize = 16;

/// How notices are shown.
#[derive(Debug)]
pub(super) enum Style {
    /// Only what went wrong.
    Quiet,
    /// A line each.
    Lines,
    /// A JSON object each.
    Json,
    /// All tables of a round with their scores, as they change, on this screen.
    Observe(MultiProgress),
}

/// Shows notices until it is finished.
pub(super) struct Notices {
    queue: Arc<Mutex<Option<SyncSender<Notice>>>>,
    lost: Arc<AtomicU64>,
    written: mpsc::Receiver<()>,
    err: ErrorOutput,
}

impl Notices {
    pub(super) fn start(style: Style, err: ErrorOutput) -> Self {
        let (queue, notices) = mpsc::sync_channel::<Notice>(QUEUE);
        let (done, written) = mpsc::channel();
        let shown = err.clone();
        thread::spawn(move || {
            let mut screen = Screen { style, err: shown, tables: vec![] };
            for notice in notices {
                screen.show(&notice);
            }
            screen.clear();
            // Nobody waits if the time was up.
            let _ = done.send(());
        });
        Self { queue: Arc::new(Mutex::new(Some(queue))), lost: Arc::default(), written, err }
    }

    /// Where the server puts its notices.
    pub(super) fn log(&self) -> Log {
        let (queue, lost) = (Arc::clone(&self.queue), Arc::clone(&self.lost));
        Arc::new(move |notice| {
            let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(queue) = &*queue
                && let Err(TrySendError::Full(_)) = queue.try_send(notice.clone())
            {
                lost.fetch_add(1, Ordering::Relaxed);
            }
        })
    }

    /// Waits until all is written, but not for long.
    pub(super) fn finish(mut self) {
        *self.queue.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let written = self.written.recv_timeout(LAST_MOMENTS);
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 && written != Err(RecvTimeoutError::Timeout) {
            let _ = writeln!(self.err, "{lost} notices were not shown: they came too fast");
        }
    }
}

struct Screen {
    style: Style,
    err: ErrorOutput,
    tables: Vec<Table>,
}

/// One line of a round.
struct Table {
    players: Vec<String>,
    moves: u32,
    bar: ProgressBar,
}

impl Screen {
    /// Whoever closed our error output wants to hear nothing more, so what fails is ignored.
    fn show(&mut self, notice: &Notice) {
        let _ = match &self.style {
            Style::Quiet if !is_trouble(notice) => Ok(()),
            Style::Quiet | Style::Lines => self.write_line(notice.to_string()),
            Style::Json => self.write_line(serde_json::to_string(notice).unwrap_or_default()),
            Style::Observe(multi) => self.draw(notice, &multi.clone()),
        };
    }

    /// With one write, so that no line is ever torn.
    fn write_line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        self.err.write_all(line.as_bytes())
    }

    fn draw(&mut self, notice: &Notice, multi: &MultiProgress) -> io::Result<()> {
        match notice {
            Notice::Round { round, tables } => {
                self.clear();
                let shown = tables.iter().take(TABLES).enumerate();
                self.tables =
                    shown.map(|(idx, players)| Table::new(*round, idx + 1, players, multi)).collect();
                match tables.len().saturating_sub(TABLES) {
                    0 => Ok(()),
                    more => multi.println(format!("round {round} has {more} more tables")),
                }
            }
            Notice::Moved { table, scores, .. } => {
                if let Some(table) = self.tables.get_mut(*table as usize - 1) {
                    table.moves += 1;
                    let line = table.line(scores);
                    table.bar.set_message(format!("{line}, {} moves", table.moves));
                }
                Ok(())
            }
            Notice::Finished { table, scores, winners, .. } => match self.tables.get(*table as usize - 1) {
                Some(table) => {
                    let winners = if winners.is_empty() { "nobody".to_owned() } else { winners.join(", ") };
                    multi.println(format!("{}{}: {winners} won", table.bar.prefix(), table.line(scores)))?;
                    table.bar.finish_and_clear();
                    Ok(())
                }
                None => multi.println(notice.to_string()),
            },
            _ => multi.println(notice.to_string()),
        }
    }

    fn clear(&mut self) {
        for table in self.tables.drain(..) {
            table.bar.finish_and_clear();
        }
    }
}

impl Table {
    fn new(round: u32, number: usize, players: &[String], multi: &MultiProgress) -> Self {
        let style = ProgressStyle::with_template("{prefix}{wide_msg}").expect("the template is well formed");
        let bar = multi.add(ProgressBar::new_spinner().with_style(style));
        let table = Self { players: players.to_vec(), moves: 0, bar };
        table.bar.set_prefix(format!("round {round}, table {number:>2}  "));
        table.bar.set_message(table.line(&vec![0; players.len()]));
        table
    }

    /// The players with their fish.
    fn line(&self, scores: &[u32]) -> String {
        let entry = |(player, score): (&String, &u32)| format!("{player} {score}");
        self.players.iter().zip(scores).map(entry).collect::<Vec<_>>().join("  ")
    }
}

/// What people must know even if they want to know nothing.
fn is_trouble(notice: &Notice) -> bool {
    matches!(
        notice,
        Notice::TooFew { .. }
            | Notice::Trouble { .. }
            | Notice::RecordFailed { .. }
            | Notice::Interrupted { .. }
    )
}
