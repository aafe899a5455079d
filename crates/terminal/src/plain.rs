//! Play line by line: no escape codes, nothing that needs to be seen at a certain place. For pipes and screen readers.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rookery_catalog::Stop;
use rookery_live::{Entry, Stopping};
use rookery_referee::Refusal;
use rookery_rules::Seat;
use rookery_study::{ReviewTime, review};

use crate::command::{Command, HELP, MAX_INPUT};
use crate::guide::{By, Guide};
use crate::table::Announcement;
use crate::telling::capital;
use crate::{Leave, Table, Typed, clean, markdown, quoted, read_typed, report};

/// The width of texts where nobody says how wide a line may be.
const COLUMNS: usize = 80;

/// How long a wish to stop, or something that happens by itself, may go unnoticed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How often it is told how far a review has come.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// How long a hint takes.
const HINT_TIME: Duration = Duration::from_secs(1);

/// Whether each step is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explain {
    /// Not unless somebody types `guide`.
    No,
    /// No, but it is said that it could be.
    Offer,
    /// From the beginning.
    Yes,
}

/// Plays until the input ends, says `quit`, or somebody wants us to `stop`, and says then how to go on.
pub fn play(
    table: &mut Table,
    explain: Explain,
    input: impl BufRead + Send + 'static,
    out: &mut dyn Write,
    stop: &Stopping,
) -> io::Result<Leave> {
    let lines = read_lines(input);
    let told = table.history().len();
    introduce(table, out)?;
    if explain == Explain::Offer {
        writeln!(out, "New here? Type guide, and each step is explained to you.")?;
    }
    let mut play = Play { table, out, stop, lines, told, guide: explain == Explain::Yes };
    let left = play.run();
    table.close();
    match left {
        Ok(Leave::Interrupted) => {
            // The terminal may be gone, and nobody there to be told anything.
            let _ = write!(out, "\n{}", last_words(table)).and_then(|()| out.flush());
            Ok(Leave::Interrupted)
        }
        Ok(Leave::Quit) => write!(out, "{}", last_words(table)).map(|()| Leave::Quit),
        Err(error) => Err(error),
    }
}

/// Shows a match of computers, or a record, from its beginning, with a pause after each move.
pub fn watch(table: &mut Table, delay: Duration, out: &mut dyn Write, stop: &Stopping) -> io::Result<Leave> {
    introduce(table, out)?;
    table.to_start();
    loop {
        writeln!(out, "\n{}", table.position().board())?;
        out.flush()?;
        // The match goes on by itself, and may be far ahead.
        while table.is_present() && table.is_live() && !stop.is_requested() {
            table.wait(LOOK_EVERY);
        }
        if !table.is_present() {
            pause(delay, stop);
        }
        if stop.is_requested() {
            return Ok(Leave::Interrupted);
        }
        if !table.step(true) {
            break;
        }
        if let Some(entry) = table.history().last() {
            writeln!(out, "{}", table.told(entry))?;
        }
    }
    match table.verdict() {
        Some(_) => writeln!(out, "\n{}", table.status(&table.scene()))?,
        None => writeln!(out, "\nThe record ends here; the match is unfinished.")?,
    }
    Ok(Leave::Quit)
}

fn pause(delay: Duration, stop: &Stopping) {
    let end = Instant::now() + delay;
    while !stop.is_requested()
        && let Some(rest) = end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
    {
        thread::sleep(rest.min(LOOK_EVERY));
    }
}

/// What to say at the end: how it stands, where the record is, how to go on.
pub fn last_words(table: &Table) -> String {
    let ending = table.verdict().map(|_| format!("{}\n", table.status(&table.scene())));
    let problem = table.record_problem().map(|problem| format!("Problem with the record: {problem}\n"));
    let way = table.record().map(|path| match (table.verdict(), quoted(path)) {
        (Some(_), file) => format!("The record is kept. Look at it with:\nrookery watch {file}\n"),
        (None, file) => format!("The match is kept. Go on with:\nrookery play --resume {file}\n"),
    });
    [ending, problem, way].into_iter().flatten().collect()
}

fn introduce(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", clean(&table.spec().game))?;
    for (seat, entry) in Seat::all(table.spec().n_seats()).zip(&table.spec().seats) {
        let (player, spec) = (table.player(seat), clean(&entry.player.to_string()));
        // What a name stands for, if it does not say so itself.
        let says_it = entry.player.is_person() || player.starts_with(&spec);
        let spec = if says_it { String::new() } else { format!(" ({spec})") };
        writeln!(out, "{}: {player}{spec}", table.label(seat))?;
    }
    if let Some(notice) = table.notice() {
        writeln!(out, "{}.", capital(notice))?;
    }
    Ok(())
}

/// Minutes and seconds; tenths when little is left.
pub(crate) fn clock_text(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 10 {
        format!("0:{:04.1}", time.as_millis().div_euclid(100) as f64 / 10.0)
    } else {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

/// A match that is played line by line.
struct Play<'a> {
    table: &'a mut Table,
    out: &'a mut dyn Write,
    stop: &'a Stopping,
    lines: Receiver<io::Result<Typed>>,
    /// How much of the history was told.
    told: usize,
    /// Whether each step is explained.
    guide: bool,
}

/// What comes after a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    /// Another line.
    Line,
    /// The board, since something happens.
    Board,
    /// The same, in another match.
    Match,
    Leave(Leave),
}

impl Play<'_> {
    fn run(&mut self) -> io::Result<Leave> {
        loop {
            if self.others()? == Leave::Interrupted {
                return Ok(Leave::Interrupted);
            }
            self.say_board()?;
            let next = loop {
                match self.line()? {
                    Next::Line => {}
                    next => break next,
                }
            };
            match next {
                Next::Leave(leave) => return Ok(leave),
                Next::Match => self.told = self.table.history().len(),
                Next::Line | Next::Board => {}
            }
        }
    }

    /// Lets the others move until a person is to move or the match is over, and tells of it.
    fn others(&mut self) -> io::Result<Leave> {
        loop {
            self.tell_others()?;
            self.out.flush()?;
            if self.stop.is_requested() {
                return Ok(Leave::Interrupted);
            }
            if !self.table.is_busy() {
                return Ok(Leave::Quit);
            }
            self.table.wait(LOOK_EVERY);
        }
    }

    /// Tells what others have done since it was told last.
    fn tell_others(&mut self) -> io::Result<()> {
        let history = self.table.history();
        let new: &[std::sync::Arc<Entry>] = history.get(self.told..).unwrap_or_default();
        for entry in new.iter().filter(|entry| entry.seat.is_none_or(|seat| !self.table.is_here(seat))) {
            writeln!(self.out, "{}", self.table.told(entry))?;
        }
        self.told = history.len();
        Ok(())
    }

    /// Waits for a line and does what it asks for; or for something that happens by itself.
    fn line(&mut self) -> io::Result<Next> {
        self.out.flush()?;
        let typed = loop {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(typed) => break typed?,
                Err(RecvTimeoutError::Disconnected) => break Typed::End,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.stop.is_requested() {
                return Ok(Next::Leave(Leave::Interrupted));
            }
            if self.table.poll().is_some() {
                return Ok(Next::Board);
            }
        };
        let line = match typed {
            Typed::End => return Ok(Next::Leave(Leave::Quit)),
            Typed::TooLong(_) => Err(format!(
                "The line is longer than {MAX_INPUT} bytes; expected a move or a command. Type help for a list."
            )),
            Typed::Line(line) => String::from_utf8(line)
                .map_err(|_| "The line is no text in UTF-8; expected a move or a command.".to_owned()),
        };
        match line {
            Ok(line) => self.obey(&Command::parse(&line)),
            Err(problem) => writeln!(self.out, "{problem}").map(|()| Next::Line),
        }
    }

    fn say_board(&mut self) -> io::Result<()> {
        let Self { table, out, guide, .. } = self;
        writeln!(out, "\n{}", table.position().board())?;
        match table.person_to_move() {
            None => {
                writeln!(out, "{}", table.status(&table.scene()))?;
                writeln!(out, "Type review, undo, restart, load FILE or quit.")?;
            }
            Some(seat) => {
                let name = capital(&table.label(seat));
                let time = table.time_left(seat, Instant::now());
                let time = time.map(|time| format!(" {} left.", clock_text(time))).unwrap_or_default();
                // Who is told at each step what to type needs no reminder.
                let how = if *guide { "" } else { " Type a move, or help." };
                writeln!(out, "{name}, your move.{time}{how}")?;
            }
        }
        self.explain()?;
        let Self { table, out, .. } = self;
        if let Some(problem) = table.record_problem() {
            writeln!(out, "Problem with the record: {problem}")?;
        }
        Ok(())
    }

    /// What just happened and what can be done now, or why it ended, for whoever wants to be told.
    fn explain(&mut self) -> io::Result<()> {
        if !self.guide {
            return Ok(());
        }
        let (scene, last) = (self.table.scene(), self.table.last_move());
        let says = Guide { table: self.table, scene: &scene, last: last.as_ref() }.says(By::Lines);
        says.map_or(Ok(()), |says| writeln!(self.out, "{says}"))
    }

    /// Does what a line asks for.
    fn obey(&mut self, command: &Command) -> io::Result<Next> {
        let refused = |error: Refusal| error.to_string();
        let done: Result<Next, String> = match command {
            Command::Nothing => Ok(Next::Line),
            Command::Quit => Ok(Next::Leave(Leave::Quit)),
            Command::Move(text) => self.table.play(text).map(|()| Next::Board).map_err(|error| match error {
                Refusal::Move(_) => format!("{error}. `moves` lists the legal ones"),
                error => error.to_string(),
            }),
            Command::Undo => self.table.undo().map(|_| Next::Match),
            Command::Resign => self.table.resign().map(|()| Next::Board).map_err(refused),
            Command::Draw => self.draw()?,
            Command::Accept(yes) => {
                let next = if *yes { Next::Board } else { Next::Line };
                self.table.accept(*yes).map(|()| next).map_err(refused)
            }
            Command::Say(text) => self.table.say(text).map(|()| Next::Line).map_err(refused),
            Command::Restart => self.restart()?,
            Command::Hint => self.hint()?,
            Command::Review => self.review()?,
            Command::Chat => Err("say what: say TEXT".to_owned()),
            Command::Save(path) => self.save(path.as_deref())?,
            Command::Load(None) => Err("name the file: load FILE".to_owned()),
            Command::Load(Some(path)) => self.table.load(path).map(|()| Next::Match),
            Command::Guide => {
                self.guide = !self.guide;
                if self.guide {
                    self.explain()?;
                } else {
                    writeln!(self.out, "No more explanations; `guide` brings them back.")?;
                }
                Ok(Next::Line)
            }
            Command::Help | Command::Moves | Command::Board | Command::Rules => {
                self.show(command)?;
                Ok(Next::Line)
            }
        };
        match done {
            Ok(next) => Ok(next),
            Err(problem) => writeln!(self.out, "{}.", capital(&clean(&problem))).map(|()| Next::Line),
        }
    }

    /// What only shows something.
    fn show(&mut self, command: &Command) -> io::Result<()> {
        match command {
            Command::Help => {
                for (command, what) in HELP {
                    writeln!(self.out, "{command:10} {what}")?;
                }
                Ok(())
            }
            Command::Moves => {
                let moves = self.table.position().moves();
                writeln!(self.out, "{} legal moves: {}", moves.len(), moves.join(" "))
            }
            Command::Rules => {
                for line in markdown::render(self.table.rules(), COLUMNS) {
                    writeln!(self.out, "{}", line.text())?;
                }
                Ok(())
            }
            _ => self.say_board(),
        }
    }

    fn restart(&mut self) -> io::Result<Result<Next, String>> {
        let done = self.table.restart();
        if done.is_ok() {
            writeln!(self.out, "A new match begins.")?;
        }
        Ok(done.map(|()| Next::Match))
    }

    fn draw(&mut self) -> io::Result<Result<Next, String>> {
        let done = self.table.offer_draw().map(|()| Next::Line).map_err(|error| error.to_string());
        if let Some(from) = self.table.draw_offered() {
            writeln!(
                self.out,
                "{} offers a draw. The others type accept or decline.",
                capital(&self.table.label(from))
            )?;
        }
        Ok(done)
    }

    fn hint(&mut self) -> io::Result<Result<Next, String>> {
        if !self.table.ask_hint(HINT_TIME) {
            return Ok(Err("there is no hint now: it is not your move".to_owned()));
        }
        while self.table.is_hinting() {
            match self.table.wait(LOOK_EVERY) {
                // Who listens wants one answer, not all that came before it.
                Some(Announcement::Hint(_)) => {}
                Some(_) => return Ok(Ok(Next::Board)),
                None if self.stop.is_requested() => return Ok(Ok(Next::Leave(Leave::Interrupted))),
                None => {}
            }
        }
        if let Some(hint) = self.table.best_hint() {
            writeln!(self.out, "Hint: {}.", hint.reason)?;
        }
        Ok(Ok(Next::Line))
    }

    /// Looks back at a match that is over.
    fn review(&mut self) -> io::Result<Result<Next, String>> {
        if self.table.is_live() {
            return Ok(Err("the review comes when the match is over".to_owned()));
        }
        writeln!(self.out, "Every move is judged; that takes up to 30 seconds.")?;
        self.out.flush()?;
        let (raised, (story, _)) = (Stop::default(), self.table.story());
        let stop = raised.clone();
        let judged = Arc::new(Mutex::new((0, 0)));
        let counted = Arc::clone(&judged);
        let judging = thread::spawn(move || {
            review(&story, ReviewTime::USUAL, &raised, &|done, all| {
                *counted.lock().unwrap_or_else(PoisonError::into_inner) = (done, all);
            })
        });
        let mut told = Instant::now();
        while !judging.is_finished() {
            thread::sleep(LOOK_EVERY / 5);
            if told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                let (done, all) = *judged.lock().unwrap_or_else(PoisonError::into_inner);
                writeln!(self.out, "{done} of {all} positions.")?;
                self.out.flush()?;
            }
            if self.stop.is_requested() {
                stop.set();
                return Ok(Ok(Next::Leave(Leave::Interrupted)));
            }
        }
        let Ok(Some(review)) = judging.join() else { return Ok(Err("the review failed".to_owned())) };
        write!(self.out, "{}", report(&review, false, false))?;
        Ok(self.table.keep_review(&review).map(|()| Next::Line))
    }

    fn save(&mut self, path: Option<&Path>) -> io::Result<Result<Next, String>> {
        let saved = match (path, self.table.record()) {
            (Some(path), _) => self.table.save_as(path).map(|()| path),
            (None, Some(record)) => {
                let file = quoted(record);
                Err(format!("the record is kept in {file} all the time; for a copy name a file: save FILE"))
            }
            (None, None) => Err("no record is kept; name a file: save FILE".to_owned()),
        };
        if let Ok(path) = saved {
            writeln!(self.out, "Saved as {}", quoted(path))?;
        }
        Ok(saved.map(|_| Next::Line))
    }
}

/// Reads lines in a thread of its own: whoever waits for a line has to notice other things, too.
fn read_lines(mut input: impl BufRead + Send + 'static) -> Receiver<io::Result<Typed>> {
    // A line is read when the one before it was taken.
    let (sender, lines) = sync_channel(0);
    thread::spawn(move || {
        loop {
            let typed = read_typed(&mut input, MAX_INPUT);
            let is_last = matches!(typed, Ok(Typed::End) | Err(_));
            if sender.send(typed).is_err() || is_last {
                break;
            }
        }
    });
    lines
}
