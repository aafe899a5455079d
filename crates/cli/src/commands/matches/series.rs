//! A series: its games, who plays them where, and what came of each.

use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rookery_arena::{ArenaError, Games, PlayedGame, fewer_games};
use rookery_live::{Programs, Stopping, board_seed};
use rookery_record::{Archive, Folder, Header, Lines, SYNCER_FILES, open_record};
use rookery_referee::{MatchSpec, SeatEntry, TimeControl};
use rookery_rules::Seed;
use rookery_tournament::{Format, Pairing, Scheduler};
use rookery_wire::Protocols;

use crate::programs::say_where;
use crate::spec::CheckedSpec;

/// Everything that is decided before a series.
pub(crate) struct Series {
    spec: CheckedSpec,
    /// The first game; the others differ in seats, start and seed.
    agreed: MatchSpec,
    format: rookery_tournament::Series,
    concurrency: usize,
    record: Option<PathBuf>,
    resume: bool,
    /// Those who have to be brought, if there are any.
    programs: Option<Programs>,
    protocols: Protocols,
    until_proved: bool,
    affinity: bool,
}

impl Series {
    pub(crate) fn new(
        spec: CheckedSpec,
        agreed: MatchSpec,
        games: u64,
        concurrency: usize,
        record: Option<PathBuf>,
        resume: bool,
        programs: Option<Programs>,
    ) -> Self {
        let format = rookery_tournament::Series::new(agreed.n_seats(), games);
        let protocols = Protocols::default();
        Self {
            spec,
            agreed,
            format,
            concurrency,
            record,
            resume,
            programs,
            protocols,
            until_proved: false,
            affinity: false,
        }
    }

    /// The same, whose games have cores of their own where they run at the same time.
    pub(crate) fn with_affinity(self, affinity: bool) -> Self {
        Self { affinity, ..self }
    }

    /// The same, whose games end once their result is proved.
    pub(crate) fn until_proved(self, until_proved: bool) -> Self {
        Self { until_proved, ..self }
    }

    pub(crate) fn agreed(&self) -> &MatchSpec {
        &self.agreed
    }

    pub(crate) fn games(&self) -> u64 {
        self.format.games()
    }

    /// By how much the number of games was rounded up.
    pub(crate) fn rounded(&self) -> u64 {
        self.format.rounded()
    }

    /// How many games a block has.
    pub(crate) fn block_games(&self) -> u64 {
        self.format.block_games()
    }

    /// How many players there are.
    pub(crate) fn players(&self) -> usize {
        self.agreed.n_seats()
    }

    /// The same series with no more games at a time than there are files for, and what to say if that is fewer.
    pub(crate) fn fit_files(mut self) -> (Self, Option<String>) {
        let programs = self.agreed.seats.iter().filter(|entry| entry.player.is_program()).count();
        let Some((room, files)) = fewer_games(self.concurrency, programs, self.record.is_some()) else {
            return (self, None);
        };
        let said = format!(
            "{room} games at a time instead of {}: this process may open {files} files (`ulimit -n` changes it)",
            self.concurrency
        );
        self.concurrency = room;
        (self, Some(said))
    }

    /// Plays all games that are not played yet, and says whether there are no more. `seen` is told of each when it is over
    /// and its record is on the disk, in the order they end.
    pub(crate) fn hold(
        &self,
        stopping: &Stopping,
        seen: &mut dyn FnMut(&PlayedGame) -> io::Result<()>,
    ) -> anyhow::Result<bool> {
        self.hold_as(&mut self.scheduler(self.format.clone()), stopping, seen)
    }

    /// Lets a format give the games of this series.
    pub(crate) fn scheduler<F: Format>(&self, format: F) -> Scheduler<F> {
        let waiting_for_the_disk = if self.record.is_some() { SYNCER_FILES } else { 0 };
        Scheduler::new(format, self.concurrency + waiting_for_the_disk)
    }

    /// The same with another format that gives games of this series.
    pub(crate) fn hold_as<F: Format>(
        &self,
        scheduler: &mut Scheduler<F>,
        stopping: &Stopping,
        seen: &mut dyn FnMut(&PlayedGame) -> io::Result<()>,
    ) -> anyhow::Result<bool> {
        let archive = match &self.record {
            Some(folder) => Some(Folder::open(folder, self.games(), self.resume).context("--record")?),
            None => None,
        };
        let games = Games {
            spec_of: &|pairing| self.match_spec(pairing),
            archive: archive.as_ref().map(|archive| archive as &dyn Archive),
            programs: self.programs.as_ref(),
            protocols: self.programs.as_ref().map_or(&self.protocols, |programs| &programs.protocols),
            concurrency: self.concurrency,
            timed: self.agreed.time != TimeControl::Untimed,
            retries: 0,
            until_proved: self.until_proved,
            affinity: self.affinity,
            announce: &say_where,
            sends_home: true,
        };
        let outcome = games.hold(scheduler, stopping, &mut (), seen).map_err(whole)?;
        Ok(outcome.complete)
    }

    /// What is agreed before a game of the series.
    fn match_spec(&self, pairing: &Pairing) -> Result<MatchSpec, ArenaError> {
        let seed = self.agreed.seed;
        let board = board_seed(seed, seed.derive(u64::MAX - pairing.block));
        let varied = self.spec.game.vary(&self.spec.spec, board);
        let game = if varied == self.spec.spec {
            self.agreed.game.clone()
        } else {
            self.spec.game.canonical(&varied).map_err(|error| ArenaError::Agreed(error.to_string()))?
        };
        let seats = self.agreed.seats.iter().zip(&pairing.entrants).map(|(at, entrant)| {
            let sits = &self.agreed.seats[entrant.index()];
            SeatEntry { label: at.label.clone(), name: sits.name.clone(), player: sits.player.clone() }
        });
        Ok(MatchSpec {
            game,
            seats: seats.collect(),
            seed: seed.derive(pairing.id),
            number: Some(pairing.id + 1),
            ..self.agreed.clone()
        })
    }
}

/// The seed of the series whose records are in a folder, from the first one that can be read.
pub(super) fn kept_seed(folder: &Path) -> Option<Seed> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(|file| Some(file.ok()?.path()));
    let mut records: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().ends_with(rookery_record::SUFFIX)).collect();
    records.sort_unstable();
    records.iter().find_map(|path| {
        let mut lines = Lines::new(BufReader::new(open_record(path).ok()?));
        let spec = Header::parse(lines.first_line().ok()?).ok()?.spec;
        Some(spec.seed.whole(spec.number?.checked_sub(1)?))
    })
}

/// The error itself, where it says all by itself: `main` looks for some of them.
pub(crate) fn whole(error: ArenaError) -> anyhow::Error {
    match error {
        ArenaError::Archive(error) => error.into(),
        ArenaError::Store(error) => error.into(),
        ArenaError::Open(error) => error.into(),
        ArenaError::Told(error) => error.into(),
        error => error.into(),
    }
}
