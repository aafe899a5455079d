//! Builds bots: once for the same contents, in a copy, in the sandbox, several at a time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::{self, available_parallelism};
use std::time::Duration;

use rookery_live::Stopping;
use rookery_sandbox::{Limits, Sandbox, SandboxError};

use super::command::check_program;
use super::compiler::{self, Compiled};
use super::contents::Contents;
use super::found::{BotProblem, FoundBot, Progress};

/// What a build may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildLimits {
    /// How long it may run.
    pub time: Duration,
    /// Bytes of memory, of everything that it starts.
    pub memory: u64,
    /// Bytes in its folder, and as many in the folder for temporary files.
    pub disk: u64,
    /// Processes and threads.
    pub processes: u64,
}

impl Default for BuildLimits {
    /// Enough for any compiler, and for what Go keeps beside what it builds.
    fn default() -> Self {
        Self { time: Duration::from_mins(3), memory: 2 << 30, disk: 512 << 20, processes: 256 }
    }
}

/// How bots are built.
#[derive(Clone, Copy, Debug)]
pub struct Building<'a> {
    /// Where their compilers run; its limits are replaced by those of a build.
    pub sandbox: &'a Sandbox,
    /// Where what was built is kept, under the hash of what it was built from. Made if need be; used by one process at a
    /// time.
    pub cache: &'a Path,
    pub limits: BuildLimits,
    /// A request to stop ends the builds at once: they can be done again.
    pub stopping: &'a Stopping,
}

/// What came of all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Built {
    /// Those that can be started, in their order: built now or earlier, or with nothing to build.
    pub bots: Vec<FoundBot>,
    /// Those whose builds failed; [`BotProblem::output`] has what the compiler said.
    pub refused: Vec<BotProblem>,
}

/// Why bots cannot be built at all: our own trouble, never a bot's.
#[derive(Debug)]
pub enum BuildError {
    /// The cache cannot be used.
    Cache(PathBuf, io::Error),
    /// A program cannot be started in the sandbox.
    Sandbox(String),
    /// Somebody wants us to stop.
    Stopped,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cache(path, error) => {
                write!(f, "{}: {error}; expected a folder for built bots that can be written", path.display())
            }
            Self::Sandbox(why) => write!(f, "bots cannot be built: {why}"),
            Self::Stopped => f.write_str("stopped before all bots were built"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<SandboxError> for BuildError {
    fn from(error: SandboxError) -> Self {
        Self::Sandbox(error.to_string())
    }
}

/// Where a bot was built, or why it was not.
type Outcome = Result<PathBuf, BotProblem>;

/// How long another process that builds into the same cache is left alone before we look again.
const PAUSE: Duration = Duration::from_millis(50);

impl Building<'_> {
    /// Builds all bots that have to be built and were not built before, as many at a time as there are cores. `seen` is
    /// told of each.
    pub fn build(
        &self,
        mut bots: Vec<FoundBot>,
        seen: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Built, BuildError> {
        // Bots with the same contents are built once.
        let mut jobs: Vec<&FoundBot> = bots.iter().filter(|bot| bot.build.is_some()).collect();
        jobs.sort_by_key(|bot| &bot.hash);
        jobs.dedup_by_key(|bot| &bot.hash);
        let outcomes = if jobs.is_empty() { HashMap::new() } else { self.build_all(jobs, seen)? };
        let mut refused = vec![];
        bots.retain_mut(|bot| match outcomes.get(&bot.hash).filter(|_| bot.build.is_some()) {
            None => true,
            Some(Ok(home)) => {
                bot.home.clone_from(home);
                true
            }
            Some(Err(problem)) => {
                refused.push(BotProblem { name: bot.name.clone(), ..problem.clone() });
                false
            }
        });
        Ok(Built { bots, refused })
    }

    fn build_all(
        &self,
        jobs: Vec<&FoundBot>,
        seen: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<HashMap<String, Outcome>, BuildError> {
        let _lock = self.lock()?;
        let BuildLimits { memory, disk, processes, .. } = self.limits;
        let limits = Limits {
            memory: Some(memory),
            processes: Some(processes),
            disk: Some(disk),
            cpu_percent: None,
            cpu_seconds: Some(self.limits.time.as_secs().max(1)),
        };
        let sandbox = super::foreign(self.sandbox.clone()).with_limits(limits);
        let (of, mut outcomes) = (jobs.len(), HashMap::new());
        let n_threads = available_parallelism().map_or(1, usize::from).min(of);
        let queue = Mutex::new(VecDeque::from(jobs));
        let open = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        // A function, so that nobody holds the queue while it builds.
        let next = || open().pop_front();
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..n_threads {
                let (sender, sandbox) = (sender.clone(), &sandbox);
                scope.spawn(move || {
                    while let Some(bot) = next() {
                        let outcome = self.build_one(bot, sandbox);
                        let failed = outcome.is_err();
                        // Without a receiver something has failed, and nothing more is wanted.
                        if sender.send((bot, outcome)).is_err() || failed {
                            open().clear();
                        }
                    }
                });
            }
            drop(sender);
            for (bot, outcome) in receiver {
                let outcome = outcome?;
                let done = outcomes.len() + 1;
                seen(&Progress { name: &bot.name, is_fine: outcome.is_ok(), done, of });
                outcomes.insert(bot.hash.clone(), outcome);
            }
            Ok(outcomes)
        })
    }

    /// Waits until nobody else builds here. What was being built when a process was killed is removed by the next one.
    fn lock(&self) -> Result<File, BuildError> {
        let fail = |error: io::Error| BuildError::Cache(self.cache.to_owned(), error);
        fs::create_dir_all(self.cache).map_err(fail)?;
        let options = File::options().create(true).write(true).truncate(false).open(self.cache.join("lock"));
        let lock = options.map_err(fail)?;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(error)) => return Err(fail(error)),
                Err(TryLockError::WouldBlock) if self.stopping.is_requested() => {
                    return Err(BuildError::Stopped);
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }

    /// Builds one bot in a copy, which gets its name when all went well: so a name is the proof.
    fn build_one(&self, bot: &FoundBot, sandbox: &Sandbox) -> Result<Outcome, BuildError> {
        let home = self.cache.join(&bot.hash);
        let home = std::path::absolute(&home).map_err(|error| BuildError::Cache(home, error))?;
        if home.is_dir() {
            return Ok(Ok(home));
        }
        if self.stopping.is_requested() {
            return Err(BuildError::Stopped);
        }
        let work = home.with_extension("building");
        let fail = |error: io::Error| BuildError::Cache(work.clone(), error);
        let removed = || match fs::remove_dir_all(&work) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(fail(error)),
            _ => Ok(()),
        };
        removed()?;
        let outcome = match copy(bot, &work) {
            Err(problem) => Err(problem),
            Ok(()) => self.compile(bot, &work, sandbox)?,
        };
        match outcome {
            Ok(()) => {
                fs::rename(&work, &home).map_err(fail)?;
                Ok(Ok(home))
            }
            Err(problem) => {
                removed()?;
                Ok(Err(problem))
            }
        }
    }

    fn compile(
        &self,
        bot: &FoundBot,
        work: &Path,
        sandbox: &Sandbox,
    ) -> Result<Result<(), BotProblem>, BuildError> {
        let command = bot.build.as_deref().unwrap_or_default();
        let Compiled { problem, output } =
            compiler::run(command, work, sandbox, &self.limits, self.stopping)?;
        let problem = problem.or_else(|| {
            let (problem, expected) = check_program(work, &bot.run).err()?;
            Some((format!("it was built, but {problem}"), expected))
        });
        Ok(match problem {
            None => Ok(()),
            Some((problem, expected)) => {
                Err(BotProblem { output, ..BotProblem::new(&bot.name, problem, expected) })
            }
        })
    }
}

/// Copies what belongs to a bot, and makes sure that it is what was found.
fn copy(bot: &FoundBot, work: &Path) -> Result<(), BotProblem> {
    let copied = Contents::list(&bot.home).and_then(|contents| {
        contents.copy(&bot.home, work).map_err(|error| {
            let expected = "files that can be read, and room for them where built bots are kept";
            (format!("its files cannot be copied: {error}"), expected.to_owned())
        })?;
        Contents::list(work)?.hash(work)
    });
    match copied {
        Ok(hash) if hash == bot.hash => Ok(()),
        Ok(_) => Err(BotProblem::new(
            &bot.name,
            "its files changed while they were copied",
            "a folder that nobody changes before all bots are built",
        )),
        Err((problem, expected)) => Err(BotProblem::new(&bot.name, problem, expected)),
    }
}
