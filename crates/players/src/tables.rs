//! Tables of a solver that were kept: files of `rookery solve --db`, one for each family of positions, and those of them that
//! are at hand for whoever gives hints or plays perfectly.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rookery_rules::{Notation, Solvable};
use rookery_search::{Solver, SolverTable};

use crate::{Expertise, SolveError, SolveOrder};

/// The largest table that is held at hand, in bytes.
const MAX_BYTES: usize = 4 << 30;

/// The tables at hand. Each is read once a process: that may take seconds, and everybody looks up the same one.
struct AtHand {
    folder: PathBuf,
    /// By file; `None` where there is none, or none that can be used.
    read: HashMap<PathBuf, Option<Arc<SolverTable>>>,
    /// Why a file cannot be used.
    problem: Option<String>,
}

static AT_HAND: Mutex<Option<AtHand>> = Mutex::new(None);

fn at_hand() -> MutexGuard<'static, Option<AtHand>> {
    AT_HAND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on this process looks up tables in this folder, where a `perfect` player thinks and where an order to solve allows
/// it. Nothing is read before it is needed.
pub fn use_tables(folder: &Path) {
    *at_hand() = Some(AtHand { folder: folder.to_owned(), read: HashMap::new(), problem: None });
}

/// Reads the table for a position, given as text, if there is one, so that nobody waits for it later; says what is wrong with
/// a file that cannot be used.
pub fn read_table<P: Notation>(expertise: &Expertise<P>, position: &str) -> Result<(), String> {
    let order = SolveOrder { look_up: true, nodes: Some(1), memory: 1 << 20, ..SolveOrder::default() };
    // Only what it reads matters: it gives up at once.
    let _ = crate::solve(expertise, position, &order);
    let problem = at_hand().as_mut().and_then(|at_hand| at_hand.problem.take());
    problem.map_or(Ok(()), Err)
}

/// The table for the family of a position, if there is one in the folder at hand.
pub(crate) fn table_at_hand<P: Solvable>(game: &str, position: &P) -> Option<Arc<SolverTable>> {
    let mut at_hand = at_hand();
    let AtHand { folder, read, problem } = at_hand.as_mut()?;
    let file = TableFile::new(folder, game, position);
    let table = read.entry(file.path.clone()).or_insert_with(|| match file.look_up(position) {
        Ok(table) => table.map(Arc::new),
        Err(error) => {
            *problem = Some(error.to_string());
            None
        }
    });
    table.clone()
}

/// The file that keeps the table for positions of one family.
pub(crate) struct TableFile {
    path: PathBuf,
    /// The first line of the file.
    header: String,
}

impl TableFile {
    pub(crate) fn new<P: Solvable>(dir: &Path, game: &str, position: &P) -> Self {
        let (family, bits) = (position.family(), position.code_bits());
        Self {
            path: dir.join(format!("{game}-{family:x}-{bits}.table")),
            header: format!("rookery solver 3 {game} {family:x} {bits}\n"),
        }
    }

    /// The solver as it was saved, if it was.
    pub(crate) fn load<P: Solvable>(
        &self,
        position: &P,
        order: &SolveOrder,
    ) -> Result<Option<Solver<P>>, SolveError> {
        let Some(mut input) = self.open()? else { return Ok(None) };
        let solver = Solver::load(position, order.memory, order.threads, &mut input);
        solver.map_err(|error| self.failed(error))?.map(Some).map_err(SolveError::Unsolvable)
    }

    /// What was saved, for others to look up, if it was.
    fn look_up<P: Solvable>(&self, position: &P) -> Result<Option<SolverTable>, SolveError> {
        let Some(mut input) = self.open()? else { return Ok(None) };
        let table = SolverTable::load(position.code_bits(), MAX_BYTES, &mut input);
        table.map(Some).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> SolveError {
        SolveError::File(self.path.clone(), error)
    }

    /// The file behind its first line, if there is one.
    fn open(&self) -> Result<Option<BufReader<File>>, SolveError> {
        let failed = |error| self.failed(error);
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(failed)?,
        };
        let mut input = BufReader::with_capacity(1 << 20, file);
        let mut header = String::new();
        input.by_ref().take(200).read_line(&mut header).map_err(failed)?;
        if header != self.header {
            let problem = format!("it begins with {header:?} and not with {:?}", self.header);
            return Err(failed(io::Error::new(io::ErrorKind::InvalidData, problem)));
        }
        Ok(Some(input))
    }

    /// Writes a new file and puts it in the place of the old one, so that there is a whole one at any time. Of several
    /// runs that end at the same time each writes a file of its own, and the last one's stays.
    pub(crate) fn save<P: Solvable>(&self, solver: &Solver<P>) -> io::Result<()> {
        if let Some(dir) = self.path.parent() {
            fs::create_dir_all(dir)?;
        }
        let (unfinished, file) = self.unfinished()?;
        let written = self.write(solver, file).and_then(|()| fs::rename(&unfinished, &self.path));
        if written.is_err() {
            // A disk that is full should not stay so.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// A new file beside the one that is kept.
    fn unfinished(&self) -> io::Result<(PathBuf, File)> {
        for number in 0_u32.. {
            let path = self.path.with_extension(format!("{}-{number}.unfinished", std::process::id()));
            match File::create_new(&path) {
                // Another thread has it, or somebody who had our process id was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return Ok((path, file?)),
            }
        }
        unreachable!("no folder has so many files")
    }

    fn write<P: Solvable>(&self, solver: &Solver<P>, file: File) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        out.write_all(self.header.as_bytes())?;
        solver.save(&mut out)?;
        out.into_inner()?.sync_all()
    }

    pub(crate) fn not_kept(&self, error: &io::Error) -> String {
        format!(
            "the table could not be saved as {}: {error}; make room there or name another folder",
            self.path.display()
        )
    }
}
