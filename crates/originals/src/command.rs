//! What the subcommands have in common: mistakes on the command line, and where they write.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_rules::text::clean;
use rookery_sandbox::{Level, Policy, Sandbox};
use rookery_wire::Trace;
use serde::Serialize;

/// The command line cannot be carried out as written.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// What starts programs, so that they end with us and with everything they have started: this program itself, which has
/// the subcommand for it.
pub(crate) fn launcher() -> anyhow::Result<Sandbox> {
    Ok(Policy::new(Level::None, std::env::current_exe()?).prepare()?)
}

/// A trace into a file; with `-` to the error output.
pub fn open_trace(path: &Path, err: ErrorOutput) -> Result<Trace, UsageError> {
    if path.as_os_str() == "-" {
        return Ok(Trace::new(err));
    }
    let file = File::create(path).map_err(|error| {
        let path = clean(&path.display().to_string());
        UsageError(format!("--trace {path}: {error}; expected a file that can be written"))
    })?;
    Ok(Trace::new(BufWriter::new(file)))
}

/// Where everything goes that is not the result: the standard error, or what stands for it. All clones write to the same,
/// from any thread, and what one call writes stays together.
#[derive(Clone)]
pub struct ErrorOutput(Arc<Mutex<dyn Write + Send>>);

impl ErrorOutput {
    /// Writes to this.
    pub fn new(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    fn lock(&self) -> MutexGuard<'_, dyn Write + Send + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for ErrorOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock().write_all(bytes)
    }

    fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.lock().write_fmt(text)
    }
}

impl fmt::Debug for ErrorOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorOutput").finish_non_exhaustive()
    }
}

/// Writes one JSON value and a newline.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}
