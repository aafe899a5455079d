//! The real terminal: entered, used, and always given back as it was.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyModifiers,
};
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::crossterm::{execute, queue};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport, backend::CrosstermBackend};

use rookery_live::Stopping;

#[cfg(unix)]
use crate::suspend::{Continued, is_wish};
use crate::{App, Leave, screen};

/// Whether the full screen is in use, so that a panic knows what to give back.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Something that is shown on the full screen until it is done.
pub trait Screen {
    /// Time goes by.
    fn tick(&mut self, now: Instant);
    /// Something was pressed, clicked or resized.
    fn update(&mut self, event: &Event);
    /// Draws itself.
    fn draw(&mut self, frame: &mut Frame<'_>);
    /// Whether it is done.
    fn is_done(&self) -> bool;
    /// The terminal is gone, or somebody has asked us to stop.
    fn interrupt(&mut self);
    /// How long to wait for a key at most.
    fn patience(&self) -> Duration;
}

impl Screen for App {
    fn tick(&mut self, now: Instant) {
        self.tick(now);
    }

    fn update(&mut self, event: &Event) {
        self.update(event);
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        screen::draw(self, frame);
    }

    fn is_done(&self) -> bool {
        self.leave().is_some()
    }

    fn interrupt(&mut self) {
        self.leave = Some(Leave::Interrupted);
    }

    fn patience(&self) -> Duration {
        self.patience()
    }
}

/// Whether answers of the terminal to our questions may still come.
static LATE: AtomicBool = AtomicBool::new(false);

/// Answers of the terminal to our questions may still come, and must not be taken for keys.
#[cfg(unix)]
pub(crate) fn expect_late_answers() {
    LATE.store(true, Ordering::SeqCst);
}

/// How wide the terminal is, if there is one that says so.
pub fn columns() -> Option<usize> {
    size().ok().map(|(columns, _)| columns.into()).filter(|columns| *columns > 0)
}

/// Shows something on the full screen until it is done, or until somebody wants us to `stop` or the terminal is gone. `output`
/// makes a way to the terminal.
pub fn show<W: Write + 'static>(
    screen: &mut dyn Screen,
    output: fn() -> W,
    stop: &Stopping,
) -> io::Result<()> {
    let entered = Entered::new(output)?;
    let gone = Rc::new(Cell::new(false));
    let new_terminal = || {
        let backend = CrosstermBackend::new(Last { out: output(), gone: Rc::clone(&gone) });
        Terminal::with_options(backend, TerminalOptions { viewport: Viewport::Fullscreen })
    };
    let mut terminal = new_terminal()?;
    let mut events = Events::new();
    #[cfg(unix)]
    let continued = Continued::new()?;
    while !screen.is_done() {
        #[cfg(unix)]
        if continued.happened() {
            // The shell has used the terminal in the meantime; or it was closed, which makes us go on, too.
            let Ok(again) = entered.again().and_then(|()| new_terminal()) else {
                screen.interrupt();
                break;
            };
            terminal = again;
        }
        screen.tick(Instant::now());
        let drawn = terminal.draw(|frame| screen.draw(frame)).is_ok();
        if !drawn || gone.get() || stop.is_requested() {
            screen.interrupt();
            break;
        }
        let mut patience = screen.patience().min(LOOK_EVERY);
        // Everything that has come in is taken before the screen is drawn again.
        while !screen.is_done() {
            match events.next(patience) {
                #[cfg(unix)]
                Ok(Some(event)) if is_wish(&event) => {
                    drop(terminal);
                    give_back(output);
                    continued.suspend();
                    continued.happened();
                    let Ok(again) = entered.again().and_then(|()| new_terminal()) else {
                        screen.interrupt();
                        return Ok(());
                    };
                    terminal = again;
                    break;
                }
                Ok(Some(event)) => {
                    screen.tick(Instant::now());
                    screen.update(&event);
                    patience = Duration::ZERO;
                }
                Ok(None) => break,
                Err(_) => {
                    screen.interrupt();
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The way to the terminal, which swallows everything once the terminal is gone: at the end ratatui would complain on a
/// standard error that is gone too, and panic.
struct Last<W> {
    out: W,
    gone: Rc<Cell<bool>>,
}

impl<W: Write> Write for Last<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.out.write(bytes) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.gone.set(true);
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.out.flush().is_err() {
            self.gone.set(true);
        }
        Ok(())
    }
}

/// How long a wish to stop may go unnoticed.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Keys, clicks and sizes, read in a thread of their own: when the terminal is closed, reading it may never come back.
struct Events {
    received: Receiver<io::Result<Event>>,
    /// Raised when nobody wants events any more, so that the next screen gets all of its own.
    done: Arc<AtomicBool>,
    reader: JoinHandle<()>,
    late: Late,
}

/// Answers to what the terminal was asked before: over a slow line they come when nobody waits for them any more, and look
/// like keys. Those about the cursor are passed over by crossterm; those about colours begin with Alt and a bracket.
#[derive(Default)]
struct Late {
    /// Until when one may come.
    until: Option<Instant>,
    /// How many more keys belong to it.
    left: usize,
}

impl Late {
    /// No answer comes later, and none is longer.
    const TIME: Duration = Duration::from_secs(3);
    const LENGTH: usize = 40;

    fn new() -> Self {
        let until = LATE.swap(false, Ordering::SeqCst).then(|| Instant::now() + Self::TIME);
        Self { until, left: 0 }
    }

    /// Whether this belongs to an answer.
    fn takes(&mut self, event: &Event) -> bool {
        let Event::Key(key) = event else { return false };
        if self.until.is_none_or(|until| Instant::now() > until) {
            return false;
        }
        let is = |c: char, modifiers: KeyModifiers| {
            key.code == KeyCode::Char(c) && key.modifiers.contains(modifiers)
        };
        if is(']', KeyModifiers::ALT) {
            self.left = Self::LENGTH;
            return true;
        }
        let belongs = self.left > 0;
        self.left = self.left.saturating_sub(1);
        if is('\\', KeyModifiers::ALT) || is('g', KeyModifiers::CONTROL) {
            self.left = 0;
        }
        belongs
    }
}

impl Events {
    fn new() -> Self {
        let (sender, received) = mpsc::sync_channel(64);
        let done = Arc::new(AtomicBool::new(false));
        let is_done = Arc::clone(&done);
        let reader = thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                let event = match event::poll(LOOK_EVERY / 10) {
                    Ok(false) => continue,
                    Ok(true) => event::read(),
                    Err(error) => Err(error),
                };
                let failed = event.is_err();
                if sender.send(event).is_err() || failed {
                    break;
                }
            }
        });
        Self { received, done, reader, late: Late::new() }
    }

    /// The next event, if there is one in time; an error if there will be none any more.
    fn next(&mut self, patience: Duration) -> io::Result<Option<Event>> {
        match self.received.recv_timeout(patience) {
            Ok(event) => event.map(|event| (!self.late.takes(&event)).then_some(event)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        // A full channel must not keep the reader.
        while self.received.try_recv().is_ok() {}
        let give_up = Instant::now() + LOOK_EVERY;
        while !self.reader.is_finished() && Instant::now() < give_up {
            thread::sleep(LOOK_EVERY / 50);
        }
    }
}

/// The full screen, for as long as this lives.
struct Entered<W: Write + 'static> {
    output: fn() -> W,
}

impl<W: Write + 'static> Entered<W> {
    fn new(output: fn() -> W) -> io::Result<Self> {
        restore_on_panic(output);
        // From here on it is given back, also if the next step fails.
        let entered = Self { output };
        entered.again()?;
        Ok(entered)
    }

    /// Takes the terminal, also if somebody else has changed it since we had it.
    fn again(&self) -> io::Result<()> {
        if IN_USE.swap(true, Ordering::SeqCst) {
            // What was raw for us may be so no more.
            disable_raw_mode()?;
        }
        enable_raw_mode()?;
        execute!((self.output)(), EnterAlternateScreen, Clear(ClearType::All), EnableMouseCapture)
    }
}

impl<W: Write + 'static> Drop for Entered<W> {
    fn drop(&mut self) {
        give_back(self.output);
    }
}

fn give_back<W: Write + 'static>(output: fn() -> W) {
    if IN_USE.swap(false, Ordering::SeqCst) {
        let mut out = output();
        // There is nobody to tell if the terminal is gone.
        let _ = queue!(out, DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = out.flush();
        let _ = disable_raw_mode();
    }
}

/// Gives the terminal back before a panic is reported. Computers that think in threads of their own are caught where
/// they were started, and say nothing here.
fn restore_on_panic<W: Write + 'static>(output: fn() -> W) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let main = thread::current().id();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_main = thread::current().id() == main;
            if is_main || !IN_USE.load(Ordering::SeqCst) {
                give_back(output);
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn a_late_answer_is_no_key() {
        let key = |c: char, modifiers: KeyModifiers| Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers));
        let mut late = Late { until: Some(Instant::now() + Duration::from_mins(1)), left: 0 };
        let plain = KeyModifiers::NONE;
        assert!(!late.takes(&key('1', plain)));
        assert!(late.takes(&key(']', KeyModifiers::ALT)));
        for c in "11;rgb:1e1e/1e1e/2e2e".chars() {
            assert!(late.takes(&key(c, plain)), "{c}");
        }
        assert!(late.takes(&key('\\', KeyModifiers::ALT)));
        assert!(!late.takes(&key('1', plain)), "a key again");
        assert!(!Late::default().takes(&key(']', KeyModifiers::ALT)), "nothing was asked");
    }
}
