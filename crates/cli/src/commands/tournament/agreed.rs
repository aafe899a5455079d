//! What is agreed before a tournament, from flags or from a file.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rookery_arena::check_openings;
use rookery_ratings::sprt::Model;
use rookery_referee::{Conduct, Entry, Limits, TimeControl};
use rookery_rules::text::clean;
use rookery_tournament::{
    Adjudication, Balanced, ByeRule, EntrantSpec, FormatSpec, KnockOut, PointRule, SpecError, TournamentSpec,
};
use serde_json::{Map, Value, json};

use super::openings;
use crate::spec::{CheckedSpec, UsageError};

/// The largest file that is read as a tournament or as a set of openings.
const MAX_FILE: u64 = 4 << 20;

/// The flags that say what is played.
#[derive(Debug, clap::Args)]
pub(crate) struct AgreedArgs {
    /// A TOML file with everything (docs/tournament.md), or the game's spec and then the players
    #[arg(value_name = "FILE | GAME-SPEC PLAYER", required = true, num_args = 1..)]
    words: Vec<String>,

    /// How it is played: series, round-robin, swiss, knock-out, fish-knock-out, gauntlet, ladder or sprt (docs/formats.md)
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// Further games or boards, played in turn
    #[arg(long, value_name = "GAME-SPEC")]
    also: Vec<String>,

    /// How many rounds
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,

    /// How many games each pairing has (a series, a ladder or sprt: in all); 2 unless told, with swapped seats from one start
    #[arg(long, short = 'n', value_name = "N")]
    games: Option<u64>,

    /// A round robin in two cycles
    #[arg(long)]
    double: bool,

    /// How many of the first players are the challengers of a gauntlet
    #[arg(long, value_name = "N")]
    challengers: Option<usize>,

    /// Who loses the semi-finals of a knock-out plays for the third place
    #[arg(long)]
    bronze: bool,

    /// The difference in Elo that H0 of --format sprt stands for [default: 0]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo0: Option<f64>,

    /// The difference in Elo that H1 stands for [default: 50]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    elo1: Option<f64>,

    /// How often H1 may be accepted although H0 is true [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    alpha: Option<f64>,

    /// How often H0 may be accepted although H1 is true [default: 0.05]
    #[arg(long, value_name = "SHARE")]
    beta: Option<f64>,

    /// What the differences of --format sprt are: logistic (Elo) or normalized (docs/ratings.md) [default: logistic]
    #[arg(long, value_name = "MODEL")]
    model: Option<Model>,

    /// What it is called
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Where all randomness comes from [default: 0; drawn where a program plays]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Time for each move, for example 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = super::super::matches::per_move, conflicts_with = "tc")]
    time: Option<TimeControl>,

    /// Time control: 10s+0.1s, 1s/30s or 500ms, as in `rookery match`
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,

    /// Positions that built-in players may search for each answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// What misconduct costs instead of the game's own rule: forfeit (= remove), abort, retry=N
    #[arg(long, value_name = "RULE")]
    conduct: Option<Conduct>,

    /// Call a game a draw after so many moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_turns: Option<u64>,

    /// A file with openings, one in each line: moves, or a position as `rookery show` prints it (docs/tournament.md)
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Play only the openings of this set
    #[arg(long, value_name = "NAME", conflicts_with = "balanced")]
    opening_set: Vec<String>,

    /// Begin games on so many boards that are about even, each played with every seating (docs/tournament.md)
    #[arg(long, value_name = "N", conflicts_with = "openings")]
    balanced: Option<usize>,

    /// Two players that never meet: A,B
    #[arg(long, value_name = "A,B")]
    forbid: Vec<String>,

    /// End a game once a solver knows its result
    #[arg(long, value_name = "WHEN")]
    adjudicate: Option<super::super::matches::Adjudicate>,

    /// Suspend who fails so many games in a row, 0 for never [default: 10 where programs take part]
    #[arg(long, value_name = "N")]
    max_faults: Option<u32>,
}

impl AgreedArgs {
    /// The file that was named, if one was.
    fn file(&self) -> Option<&Path> {
        match &self.words[..] {
            [word] if is_toml(Path::new(word)) || self.format.is_none() && Path::new(word).is_file() => {
                Some(Path::new(word))
            }
            _ => None,
        }
    }

    /// The flags that a file says as well, as far as they were given: which of both counts would be a guess.
    fn beside_a_file(&self) -> Vec<&'static str> {
        let flags = [
            ("--format", self.format.is_some()),
            ("--also", !self.also.is_empty()),
            ("--rounds", self.rounds.is_some()),
            ("--games", self.games.is_some()),
            ("--double", self.double),
            ("--challengers", self.challengers.is_some()),
            ("--bronze", self.bronze),
            ("--elo0", self.elo0.is_some()),
            ("--elo1", self.elo1.is_some()),
            ("--alpha", self.alpha.is_some()),
            ("--beta", self.beta.is_some()),
            ("--model", self.model.is_some()),
            ("--name", self.name.is_some()),
            ("--time", self.time.is_some()),
            ("--tc", self.tc.is_some()),
            ("--nodes", self.nodes.is_some()),
            ("--conduct", self.conduct.is_some()),
            ("--max-turns", self.max_turns.is_some()),
            ("--openings", self.openings.is_some()),
            ("--forbid", !self.forbid.is_empty()),
            ("--adjudicate", self.adjudicate.is_some()),
            ("--max-faults", self.max_faults.is_some()),
        ];
        flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    /// What is agreed, with those who come from elsewhere beside those who are named.
    pub(super) fn spec(&self, others: Vec<EntrantSpec>) -> Result<TournamentSpec, UsageError> {
        let spec = self.draft(others)?;
        spec.check().map_err(|error| UsageError(clean(&error.to_string())))?;
        check_openings(&spec).map_err(|error| UsageError(clean(&error.to_string())))?;
        Ok(spec)
    }

    /// The same before everybody is there.
    pub(super) fn draft(&self, others: Vec<EntrantSpec>) -> Result<TournamentSpec, UsageError> {
        let (mut spec, said_seed) = match self.file() {
            Some(path) => self.read(path)?,
            None => (self.of_flags(others.len())?, self.seed.is_some()),
        };
        spec.entrants.extend(others);
        // Who knows the seed knows what the computers play, and no program may.
        if !said_seed && spec.entrants.iter().any(|entrant| entrant.player.is_program()) {
            spec.seed = rookery_live::drawn_seed();
        }
        if !self.opening_set.is_empty() {
            spec.opening_sets.clone_from(&self.opening_set);
        }
        spec.choose_openings().map_err(|error| UsageError(clean(&error.to_string())))?;
        spec.suspend_as_usual();
        Ok(spec)
    }

    /// What a file says, with the flags that may change it, and whether one of both says the seed.
    fn read(&self, path: &Path) -> Result<(TournamentSpec, bool), UsageError> {
        let shown = clean(&path.display().to_string());
        let wrong = |error: &dyn std::fmt::Display| UsageError(clean(&format!("{shown}: {error}")));
        let flags = self.beside_a_file();
        if !flags.is_empty() {
            let flags = flags.join(", ");
            let expected = "write it into the file; beside one only --seed, --balanced and --opening-set change what is played";
            return Err(UsageError(format!("{flags}: a file says this itself; {expected}")));
        }
        let text = read_bounded(path).map_err(|error| wrong(&error))?;
        let spec: Result<TournamentSpec, _> = toml::from_str(&text);
        let mut spec = spec.map_err(|error| wrong(&SpecError::reading(error)))?;
        if !spec.trials.is_empty() {
            let expected = "leave it out: whoever holds the tournament writes it";
            return Err(wrong(&format!("`trials` says who has failed before the first round; {expected}")));
        }
        let said_seed =
            self.seed.is_some() || text.parse().is_ok_and(|keys: toml::Table| keys.contains_key("seed"));
        if let Some(seed) = self.seed {
            spec.seed = rookery_rules::Seed(seed);
        }
        if let Some(boards) = self.balanced {
            spec.balanced = Some(Balanced::new(boards));
        }
        Ok((spec, said_seed))
    }

    fn of_flags(&self, n_bots: usize) -> Result<TournamentSpec, UsageError> {
        let (game, players) = self.words.split_first().expect("clap asks for one word");
        let entries = players
            .iter()
            .map(|text| {
                text.parse::<Entry>().map_err(|error| UsageError(format!("{}: {error}", clean(text))))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let names = Entry::names(&entries);
        let entrants: Vec<EntrantSpec> = names
            .into_iter()
            .zip(&entries)
            .map(|(name, entry)| EntrantSpec { name, player: entry.seat.clone(), version: None })
            .collect();
        let first: CheckedSpec =
            game.parse().map_err(|error| UsageError(format!("{}: {error}", clean(game))))?;
        let games = std::iter::once(game).chain(&self.also);
        let games = games.map(|game| canonical(game)).collect::<Result<Vec<_>, _>>()?;
        let n_entrants = entrants.len() + n_bots;
        let format = self.format_spec(n_entrants)?;
        // Fish's own rule makes tables of several sizes, whatever the spec of the game says.
        let (seats, min_seats) = match format {
            FormatSpec::FishKnockOut {} => (KnockOut::largest_table(n_entrants), Some(2)),
            _ => (first.n_seats(), None),
        };
        Ok(TournamentSpec {
            name: self.name.clone().unwrap_or_else(|| format!("{} {}", self.kind(), first.game.name())),
            games,
            seats,
            min_seats,
            format,
            entrants,
            seed: rookery_rules::Seed(self.seed.unwrap_or(0)),
            time: self.time.or(self.tc).unwrap_or(TimeControl::Untimed),
            scale_time: None,
            limits: Limits { nodes: self.nodes, ..Limits::default() },
            conduct: self.conduct,
            max_turns: self.max_turns,
            openings: match &self.openings {
                Some(path) => openings::read(path, &first, !self.also.is_empty())?,
                None => vec![],
            },
            opening_sets: vec![],
            balanced: self.balanced.map(Balanced::new),
            forbidden: self.forbid.iter().map(|pair| forbidden(pair)).collect::<Result<_, _>>()?,
            tie_breaks: None,
            byes: ByeRule::default(),
            points: PointRule::default(),
            max_faults: self.max_faults,
            adjudicate: self.adjudicate.map(|_| Adjudication::Proved),
            sandbox: None,
            trials: vec![],
        })
    }

    fn kind(&self) -> &str {
        self.format.as_deref().unwrap_or("round-robin")
    }

    /// The format, with the flags that were given: which of them it takes is for the format to say.
    fn format_spec(&self, n_entrants: usize) -> Result<FormatSpec, UsageError> {
        let mut keys = Map::new();
        keys.insert("kind".to_owned(), json!(self.kind()));
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                keys.insert(key.to_owned(), value);
            }
        };
        // A Swiss system of enough rounds to find the best.
        let rounds = self.rounds.or((self.kind() == "swiss")
            .then(|| (usize::BITS - n_entrants.max(2).saturating_sub(1).leading_zeros()).max(1)));
        set("rounds", rounds.map(|rounds| json!(rounds)));
        set("games", self.games.map(|games| json!(games)));
        set("double", self.double.then_some(json!(true)));
        set("challengers", self.challengers.map(|n| json!(n)));
        set("bronze", self.bronze.then_some(json!(true)));
        for (key, value) in
            [("elo0", self.elo0), ("elo1", self.elo1), ("alpha", self.alpha), ("beta", self.beta)]
        {
            set(key, value.map(|value| json!(value)));
        }
        set("model", self.model.map(|model| json!(model.to_string())));
        serde_json::from_value(Value::Object(keys)).map_err(|error| {
            let error = SpecError::reading(error);
            UsageError(format!("--format {}: {}", clean(self.kind()), clean(&error.to_string())))
        })
    }
}

/// Whether a word can only be meant as a file.
pub(super) fn is_toml(word: &Path) -> bool {
    word.extension().is_some_and(|extension| extension == "toml")
}

/// The shortest spec that means the same.
fn canonical(game: &str) -> Result<String, UsageError> {
    let checked: Result<CheckedSpec, _> = game.parse();
    let checked = checked.map_err(|error| UsageError(format!("{}: {error}", clean(game))))?;
    Ok(checked.text)
}

fn forbidden(pair: &str) -> Result<[String; 2], UsageError> {
    match pair.split_once(',') {
        Some((one, other)) if !one.is_empty() && !other.is_empty() && !other.contains(',') => {
            Ok([one.trim().to_owned(), other.trim().to_owned()])
        }
        _ => Err(UsageError(format!("--forbid {}: expected two names, A,B", clean(pair)))),
    }
}

pub(super) fn read_bounded(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_FILE {
        return Err(format!("it is longer than {} MiB; expected a smaller file", MAX_FILE >> 20));
    }
    Ok(text)
}
