//! `rookery play`: a match at the terminal.

use std::fs;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use rookery_catalog::{AgreeError, agree};
use rookery_live::{Stopping, board_seed, drawn_seed};
use rookery_referee::{Entry, Limits, MatchSpec, SeatSpec, Start, TimeControl, parse_duration};
use rookery_rules::{GameSpec, Seed, Status};
use rookery_terminal::detect::{self, Wanted};
use rookery_terminal::plain::Explain;
use rookery_terminal::run::Screen;
use rookery_terminal::{App, Keep, Leave, Look, Runner, Table, Theme, plain, quoted, run};
use tokio::runtime::{Builder, Handle, Runtime};

use super::{asking, launch, review};
use crate::data_folder::games_folder;
use crate::programs::{ProgramArgs, say_where};
use crate::spec::{CheckedSpec, UsageError};
use crate::stop::watch_quietly;
use crate::story::story;
use crate::table_args::TableArgs;

/// Play against computers or people, at this terminal
///
/// A person is the player `human`; every other player of `rookery players` can take a seat, too. Without players you sit
/// first and `medium` everywhere else. Each move is written to a record at once, so that nothing is lost.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game and its setup, for example `hexapawn:rows=4,cols=5`; without it a screen offers all games
    #[arg(value_name = "GAME-SPEC", conflicts_with_all = ["resume", "from"])]
    spec: Option<CheckedSpec>,

    /// Who sits where, in turn order: `human` or a player, also with a name (`mine=hard`); seats left open get `medium`
    #[arg(value_name = "PLAYER", num_args = 0..=8)]
    players: Vec<Entry>,

    /// Time control: 10m+5s (for the game, and added after each move), 30s/5m (a move, and a bank) or 30s (a move)
    #[arg(long, value_name = "TC", conflicts_with = "resume")]
    time: Option<TimeControl>,

    /// How long computers think about a move at most, for example 1s; by default as long as their level takes
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "resume")]
    think: Option<Duration>,

    /// Where all randomness comes from; by default another one each time
    #[arg(long, value_name = "S", conflicts_with = "resume")]
    seed: Option<u64>,

    /// Keep the record in this file instead of one in your data folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "no_record"])]
    record: Option<PathBuf>,

    /// Keep no record
    #[arg(long, conflicts_with = "resume")]
    no_record: bool,

    /// Go on with the match of this record
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Begin with a position of this recorded match; you play for whoever is to move there
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    from: Option<PathBuf>,

    /// With --from: the position after so many moves; by default the last one
    #[arg(long, value_name = "N", requires = "from")]
    ply: Option<usize>,

    /// With --from: who plays against you
    #[arg(long, value_name = "PLAYER", requires = "from", default_value = OPPONENT)]
    against: Entry,

    #[command(flatten)]
    tables: TableArgs,

    /// Line by line instead of a full screen: for pipes and screen readers
    #[arg(long)]
    plain: bool,

    #[command(flatten)]
    look: LookArgs,

    #[command(flatten)]
    programs: ProgramArgs,
}

/// How the full screen looks.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub(crate) struct LookArgs {
    /// Colours for a dark or a light background; by default as the terminal says
    #[arg(long, value_name = "THEME", value_enum)]
    theme: Option<Paper>,

    /// ASCII characters in place of figures and blocks
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Paper {
    Dark,
    Light,
}

impl LookArgs {
    /// What the terminal can show. It is asked, so this belongs right before the screen.
    pub(crate) fn look(self) -> Look {
        let theme = self.theme.map(|paper| match paper {
            Paper::Dark => Theme::Dark,
            Paper::Light => Theme::Light,
        });
        detect::look(Wanted { theme, ascii: self.ascii })
    }
}

const EXAMPLES: &str = "\
Examples:
  rookery play                                   choose on a screen
  rookery play hexapawn                          you against medium
  rookery play fish:players=3 human easy human   two persons and a computer
  rookery play stones hard human --time 10m+5s   the computer begins, with clocks
  rookery play four human cmd:./bot              against a program of yours
  rookery play --resume match.rookery.jsonl      go on with a match
  rookery play --from match.rookery.jsonl --ply 12 --against hard

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted, 143 told to end (the match is kept).";

impl Args {
    /// A match of a game's own subcommand.
    pub(crate) fn new(spec: CheckedSpec, players: Vec<Entry>, plain: bool) -> Self {
        Self { spec: Some(spec), players, plain, ..Self::bare() }
    }

    /// The same with a game and its players.
    pub(super) fn with_game(&self, spec: CheckedSpec, players: Vec<Entry>) -> Self {
        Self { spec: Some(spec), players, ..self.clone() }
    }

    /// The same for the match of a record that is to go on.
    pub(super) fn with_record(&self, record: PathBuf) -> Self {
        Self { resume: Some(record), ..self.clone() }
    }

    /// Goes on with the match of a record.
    pub(crate) fn going_on(record: PathBuf) -> Self {
        Self { resume: Some(record), ..Self::bare() }
    }

    /// Without anything that was said.
    fn bare() -> Self {
        Self {
            spec: None,
            players: vec![],
            time: None,
            think: None,
            seed: None,
            record: None,
            no_record: false,
            resume: None,
            from: None,
            ply: None,
            against: OPPONENT.parse().expect("the name is well formed"),
            tables: TableArgs::default(),
            plain: false,
            look: LookArgs::default(),
            programs: ProgramArgs::default(),
        }
    }
}

/// What playing and watching at this terminal need: a runtime for the matches, and whether somebody wants us to stop.
pub(crate) struct Here {
    runtime: Option<Runtime>,
    stop: Stopping,
}

impl Here {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.context("threads for the matches cannot be started")?;
        Ok(Self { runtime: Some(runtime), stop: watch_quietly(|| ())? })
    }

    pub(crate) fn runtime(&self) -> &Handle {
        self.runtime.as_ref().expect("it is there as long as we are").handle()
    }

    pub(crate) fn stop(&self) -> &Stopping {
        &self.stop
    }

    /// Shows something on the full screen until it is done.
    pub(crate) fn show(&self, screen: &mut dyn Screen) -> anyhow::Result<()> {
        Ok(run::show(screen, io::stdout, &self.stop)?)
    }

    /// The exit code of whoever leaves a screen like this.
    pub(crate) fn exit_code(&self, left: Leave) -> ExitCode {
        match left {
            Leave::Quit => ExitCode::SUCCESS,
            Leave::Interrupted => self.stop.exit_code().map_or_else(interrupted, ExitCode::from),
        }
    }
}

impl Drop for Here {
    /// Nobody waits for a computer that still thinks.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    // Whether there is a record is asked before this match has one.
    let is_first = fs::read_dir(games_folder()).map_or(true, |mut folder| folder.next().is_none());
    let by_lines = args.plain || !has_screen();
    let is_bare = args.spec.is_none() && args.resume.is_none() && args.from.is_none();
    let explain = if is_first { Explain::Offer } else { Explain::No };
    let input = BufReader::new(io::stdin());
    match (is_bare, by_lines) {
        (true, false) => launch::run(args, out),
        (true, true) => asking::run(args, is_first, input, out),
        (false, _) => begin(args, explain, by_lines, input, out),
    }
}

/// Begins what the command line says.
pub(super) fn begin(
    args: &Args,
    explain: Explain,
    by_lines: bool,
    input: impl BufRead + Send + 'static,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let here = Here::new()?;
    let mut table = args.table(&here)?;
    let left = if by_lines {
        plain::play(&mut table, explain, input, out, here.stop())?
    } else {
        let mut app = App::new(table, args.look(), Instant::now());
        if explain == Explain::Offer {
            app.offer_guide();
        }
        play_on_screen(&here, app, out)?
    };
    Ok(here.exit_code(left))
}

/// Plays on the full screen, and says afterwards how to go on.
pub(crate) fn play_on_screen(here: &Here, mut app: App, out: &mut dyn Write) -> anyhow::Result<Leave> {
    here.show(&mut app)?;
    say_farewell(app, out)
}

/// Says how to go on with a match that was left.
pub(crate) fn say_farewell(app: App, out: &mut dyn Write) -> anyhow::Result<Leave> {
    let left = app.leave().unwrap_or(Leave::Interrupted);
    let mut table = app.into_table();
    table.close();
    let told = write!(out, "{}", plain::last_words(&table)).and_then(|()| out.flush());
    match left {
        // The terminal may be gone, and nobody there to be told anything.
        Leave::Interrupted => {}
        Leave::Quit => told?,
    }
    Ok(left)
}

/// The exit code of a program that was interrupted.
pub(crate) fn interrupted() -> ExitCode {
    ExitCode::from(130)
}

impl Args {
    /// The table with the match that the command line describes.
    pub(super) fn table(&self, here: &Here) -> anyhow::Result<Table> {
        let table = self.set_up(here)?;
        self.tables.read(&GameSpec::parse(&table.spec().game)?.game, &table.position().text())?;
        Ok(table)
    }

    fn set_up(&self, here: &Here) -> anyhow::Result<Table> {
        if let Some(path) = &self.resume {
            let table = Table::resume(here.runtime(), path).map_err(|problem| anyhow!(problem))?;
            return Ok(table.keeping_reviews(review::keep));
        }
        let (spec, start, players) = self.beginning()?;
        let spec = &spec;
        let agreed = MatchSpec { casual: true, start, ..self.agreed(spec, &players)? };
        let runner = Runner::from(here.runtime()).with_programs(self.programs.programs(&agreed)?, say_where);
        let table = Table::begin(runner, agreed, &self.keep(spec)?).map_err(|problem| anyhow!(problem))?;
        Ok(table.keeping_reviews(review::keep))
    }

    /// What is agreed before a match of this game, with all that the command line says about time, thinking and chance.
    pub(super) fn agreed(&self, spec: &CheckedSpec, players: &[Entry]) -> Result<MatchSpec, UsageError> {
        Ok(MatchSpec {
            time: self.programs.time(self.time),
            limits: Limits { think: self.think, ..Limits::default() },
            ..agree_at_screen(spec, players, self.seed.map(Seed))?
        })
    }

    /// The full screen as the command line wants it.
    pub(super) fn look(&self) -> Look {
        self.look.look()
    }

    /// The file that was named for the record.
    pub(super) const fn record(&self) -> Option<&PathBuf> {
        self.record.as_ref()
    }

    /// The game, where it begins if not at its beginning, and who plays.
    fn beginning(&self) -> anyhow::Result<(CheckedSpec, Option<Start>, Vec<Entry>)> {
        let Some(path) = &self.from else {
            let spec = self.spec.clone();
            let spec = spec.expect("without one the launcher is shown");
            return Ok((spec, None, self.players.clone()));
        };
        let story = story(path)?;
        let turns: Vec<_> = story.turns().collect();
        let ply = self.ply.unwrap_or(turns.len());
        let position = match turns.get(ply) {
            Some(turn) => turn.before,
            None if ply == turns.len() => turns.last().map_or(&*story.start, |turn| turn.after),
            None => {
                return Err(UsageError(format!("--ply {ply}: the record has {} moves", turns.len())).into());
            }
        };
        let Status::ToMove(seat) = position.status() else {
            return Err(
                UsageError(format!("--ply {ply}: the game is over there; choose an earlier move")).into()
            );
        };
        let mut players = vec![self.against.clone(); story.spec.seats.len()];
        players[seat.index()] = Entry::nameless(SeatSpec::Human);
        let start = Start { opening: None, position: Some(position.text()), moves: vec![] };
        Ok((story.spec.game.parse()?, Some(start), players))
    }

    /// Where the record goes.
    fn keep(&self, spec: &CheckedSpec) -> Result<Keep, UsageError> {
        match &self.record {
            None if self.no_record => Ok(Keep::No),
            None => Ok(keep_of(spec)),
            Some(path) if path.symlink_metadata().is_ok() => {
                let file = quoted(path);
                Err(UsageError(format!(
                    "--record {file}: there is such a file already; choose another name, or go on with it by `rookery play --resume {file}`"
                )))
            }
            Some(path) => Ok(Keep::At(path.clone())),
        }
    }
}

/// A new name in the folder of the person's games.
pub(crate) fn keep_of(spec: &CheckedSpec) -> Keep {
    Keep::Near(games_folder().join(format!("{}.rookery.jsonl", spec.game.name())))
}

/// What is agreed before a match at this screen. Without players one person sits first.
pub(crate) fn agree_at_screen(
    spec: &CheckedSpec,
    players: &[Entry],
    seed: Option<Seed>,
) -> Result<MatchSpec, UsageError> {
    let n_seats = spec.n_seats();
    if players.len() > n_seats {
        let (text, given) = (&spec.text, players.len());
        return Err(UsageError(format!(
            "{text} has {n_seats} seats, and {given} players are given; name at most one for each seat"
        )));
    }
    let mut players = players.to_vec();
    if players.is_empty() {
        players.push(Entry::nameless(SeatSpec::Human));
    }
    players.resize_with(n_seats, || OPPONENT.parse().expect("the name is well formed"));
    let programs = players.iter().any(|entry| entry.seat.is_program());
    let seed = seed.unwrap_or_else(|| if programs { drawn_seed() } else { random_seed() });
    agree(&spec.game.vary(&spec.spec, board_seed(seed, seed)), &players, seed).map_err(|error| {
        UsageError(match error {
            AgreeError::Player(player, error) => {
                format!("{player}: {error}; a person is `{}`", SeatSpec::Human)
            }
            error => error.to_string(),
        })
    })
}

/// Who sits where nobody was named.
pub(crate) const OPPONENT: &str = "medium";

/// Different each time, and small, so that it is easily typed.
fn random_seed() -> Seed {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Seed(since.map_or(0, |since| since.as_millis() as u64) % 1_000_000)
}

/// Whether the terminal says that it knows no escape codes.
pub(crate) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether a full screen makes sense.
pub(crate) fn has_screen() -> bool {
    !is_dumb() && io::stdin().is_terminal() && io::stdout().is_terminal()
}
