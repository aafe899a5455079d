//! Ctrl-Z: the program stops until its shell lets it go on. In raw mode a terminal leaves that to the program.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use rustix::process::{Signal, kill_current_process_group};
use signal_hook::SigId;
use signal_hook::consts::SIGCONT;

/// How long we may run on after we have told ourselves to stop: a thread that is asleep may get the signal. Where nobody
/// could let us go on, the system does not stop us at all.
const STOPS_WITHIN: Duration = Duration::from_millis(500);

/// Whether somebody wants the program to stop for a while.
pub(crate) fn is_wish(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.code == KeyCode::Char('z')
        && key.modifiers == KeyModifiers::CONTROL
        && key.kind == KeyEventKind::Press)
}

/// Notices when the program goes on after it was stopped, by us or by others.
pub(crate) struct Continued {
    flag: Arc<AtomicBool>,
    id: SigId,
}

impl Continued {
    pub(crate) fn new() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        Ok(Self { id: signal_hook::flag::register(SIGCONT, Arc::clone(&flag))?, flag })
    }

    /// Whether it has happened since the last time.
    pub(crate) fn happened(&self) -> bool {
        self.flag.swap(false, Ordering::SeqCst)
    }

    /// Stops the program, with all others of its job as the terminal would, until it goes on.
    pub(crate) fn suspend(&self) {
        self.flag.store(false, Ordering::SeqCst);
        let give_up = Instant::now() + STOPS_WITHIN;
        if kill_current_process_group(Signal::TSTP).is_ok() {
            while !self.flag.load(Ordering::SeqCst) && Instant::now() < give_up {
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Drop for Continued {
    fn drop(&mut self) {
        signal_hook::low_level::unregister(self.id);
    }
}
