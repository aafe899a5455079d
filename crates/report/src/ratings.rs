//! How strong everybody is, from all games at once, and how sure that is.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use rookery_ratings::bradley_terry::{self, Draws};
use rookery_ratings::weng_lin::{Rating, WengLin};
use rookery_ratings::{Errors, NoFit, Z95};
use rookery_rules::nearest;
use rookery_tournament::Entrant;

use crate::evaluation::{Counted, Evaluation, split};

/// The version of how ratings are computed. Whoever keeps ratings keeps it with them: where it differs, so may bits.
pub const METHOD: &str = "rookery-ratings-2";

/// With fewer blocks their differences say too little about errors: three blocks are often alike by chance. Then the
/// errors are at least what the model alone gives.
pub(crate) const FEW_BLOCKS: u64 = 10;

/// What the chances of a game depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Bradley-Terry; draws are half a win for both. At larger tables, between all who sit there, by their places.
    BradleyTerry,
    /// Bradley-Terry with draws as a third result (Davidson); for tables of two.
    Davidson,
    /// The same after Rao and Kupper.
    RaoKupper,
    /// Plackett-Luce: places are given one after the other, each in proportion to strength.
    PlackettLuce,
    /// Weng-Lin: changes game by game, in the order of the pairings; no error bars.
    WengLin,
}

impl Model {
    /// Every one.
    pub const ALL: [Self; 5] =
        [Self::BradleyTerry, Self::Davidson, Self::RaoKupper, Self::PlackettLuce, Self::WengLin];

    /// Its name on command lines and in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BradleyTerry => "bradley-terry",
            Self::Davidson => "davidson",
            Self::RaoKupper => "rao-kupper",
            Self::PlackettLuce => "plackett-luce",
            Self::WengLin => "weng-lin",
        }
    }

    /// What is shown unless somebody asks for another one.
    pub const fn usual(seats: usize) -> Self {
        if seats > 2 { Self::PlackettLuce } else { Self::BradleyTerry }
    }

    /// Whether it needs [`Evaluation::keeping_games`].
    pub const fn needs_games(self) -> bool {
        matches!(self, Self::WengLin)
    }

    /// What a table has at the head of the ratings.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::WengLin => "mu",
            _ => "Elo",
        }
    }

    /// What it says of draws, for a legend.
    pub(crate) const fn explained(self) -> &'static str {
        match self {
            Self::BradleyTerry => "Bradley-Terry, a draw is half a win for both",
            Self::Davidson => "Bradley-Terry with draws after Davidson",
            Self::RaoKupper => "Bradley-Terry with draws after Rao and Kupper",
            Self::PlackettLuce => "Plackett-Luce",
            Self::WengLin => "Weng-Lin (full Bradley-Terry), game by game",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Model {
    type Err = ParseModelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|model| model.word() == text)
            .ok_or_else(|| ParseModelError(text.to_owned()))
    }
}

/// The word names no [`Model`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseModelError(String);

impl fmt::Display for ParseModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Model::ALL.map(Model::word);
        write!(f, "unknown model of ratings {:?}: expected one of {}", self.0, words.join(", "))?;
        nearest(&self.0, &words).map_or(Ok(()), |word| write!(f, "; did you mean {word}?"))
    }
}

impl Error for ParseModelError {}

/// What is fitted.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingOptions {
    /// The model; without one what is [usual](Model::usual).
    pub model: Option<Model>,
    /// How many virtual games every entrant has, half of them won, against an opponent of rating 0.
    pub prior: f64,
    /// Who has which rating, so that all others are compared with it.
    pub anchor: Option<(Entrant, f64)>,
}

impl Default for RatingOptions {
    /// The usual model, one virtual game, no anchor.
    fn default() -> Self {
        Self { model: None, prior: 1.0, anchor: None }
    }
}

/// Why there are no ratings.
#[derive(Clone, PartialEq, Debug)]
pub enum RatingError {
    /// The fit failed.
    NoFit(NoFit),
    /// The model is one of games of two, and these are of more.
    TwoOnly(Model),
    /// The model goes through the games in their order, and they were not kept.
    NoGames(Model),
    /// Nobody has this number, or the rating is no number, or the model has no anchor.
    Anchor(Entrant, f64),
}

impl fmt::Display for RatingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFit(error) => error.fmt(f),
            Self::TwoOnly(model) => {
                let usual = Model::PlackettLuce;
                write!(f, "{model} is a model of games of two, and tables have more seats here; try {usual}")
            }
            Self::NoGames(model) => write!(
                f,
                "{model} goes through the games in their order, and they were not kept; try another model"
            ),
            Self::Anchor(Entrant(number), rating) => write!(
                f,
                "no anchor of {rating} for entrant {}: expected somebody who takes part and a rating between -10000 \
                 and 10000, and a model other than {}",
                u64::from(*number) + 1,
                Model::WengLin
            ),
        }
    }
}

impl Error for RatingError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoFit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<NoFit> for RatingError {
    fn from(error: NoFit) -> Self {
        Self::NoFit(error)
    }
}

/// The rating of one entrant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rated {
    /// In Elo, or the mu of Weng-Lin.
    pub rating: f64,
    /// Half of the 95 % interval, against the mean of all or the anchor; `None` where there is no such thing.
    pub error: Option<f64>,
}

/// The ratings of all entrants. The same games give the same bits, whatever the order in which they came and the machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    options: RatingOptions,
    model: Model,
    rated: Vec<Option<Rated>>,
    games: Vec<u64>,
    fit: Option<rookery_ratings::Ratings>,
    parts: Vec<Vec<Entrant>>,
    pub(crate) games_without_winner: u64,
    has_few_blocks: Vec<bool>,
    pub(crate) whole_blocks: Vec<u64>,
    pub(crate) broken_blocks: Vec<u64>,
}

impl Ratings {
    /// From all games so far.
    pub fn fit(evaluation: &Evaluation, options: &RatingOptions) -> Result<Self, RatingError> {
        let model = options.model.unwrap_or(Model::usual(evaluation.seats()));
        let counted = evaluation.counted();
        if let Some((entrant, rating)) = options.anchor
            && (entrant.index() >= counted.games.len()
                || rating.abs() > 10_000.0
                || rating.is_nan()
                || model == Model::WengLin)
        {
            return Err(RatingError::Anchor(entrant, rating));
        }
        let parts = counted.placements.parts().weak;
        let has_met = |part: &Vec<usize>| part.iter().any(|&player| counted.games[player] > 0);
        let parts = parts.into_iter().filter(has_met);
        let parts =
            parts.map(|part| part.into_iter().map(|player| Entrant(player as u32)).collect()).collect();
        let (rated, fit) = if model == Model::WengLin {
            (weng_lin(evaluation)?, None)
        } else {
            let mut fit = fit(&counted, model, options.prior)?;
            if let Some((entrant, rating)) = options.anchor {
                fit = fit.anchored(entrant.index(), rating).ok_or(RatingError::Anchor(entrant, rating))?;
            }
            let error = |player: usize| {
                let of = |errors: Errors| match options.anchor {
                    Some((anchor, _)) => fit.se_diff(player, anchor.index(), errors).map(|se| Z95 * se),
                    None => fit.error_to_mean(player, errors),
                };
                let by_model = of(Errors::Information).filter(|_| counted.has_few_blocks(player));
                of(Errors::Blocks).map(|error| error.max(by_model.unwrap_or(0.0)))
            };
            let rated =
                fit.elo().iter().enumerate().map(|(player, &rating)| Rated { rating, error: error(player) });
            (rated.collect(), Some(fit))
        };
        // Who has not played has no rating, whatever the prior says.
        let rated: Vec<Rated> = rated;
        let known = |(rated, &games): (Rated, &u64)| (games > 0).then_some(rated);
        Ok(Self {
            options: options.clone(),
            model,
            rated: rated.into_iter().zip(&counted.games).map(known).collect(),
            fit,
            parts,
            games_without_winner: counted.without_winner,
            has_few_blocks: (0..counted.games.len()).map(|player| counted.has_few_blocks(player)).collect(),
            games: counted.games,
            whole_blocks: counted.whole,
            broken_blocks: counted.broken,
        })
    }

    /// The model that was fitted.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// What was asked for.
    pub const fn options(&self) -> &RatingOptions {
        &self.options
    }

    /// The rating of an entrant; `None` if it has no game that counts.
    pub fn of(&self, entrant: Entrant) -> Option<Rated> {
        self.rated.get(entrant.index()).copied().flatten()
    }

    /// How sure it is that one entrant is stronger than another one, 0 to 1: the likelihood of superiority. `None` where
    /// nothing is known of it, and where the two have not met, directly or by others.
    pub fn los(&self, one: Entrant, other: Entrant) -> Option<f64> {
        let have_met = self.parts.iter().any(|part| part.contains(&one) && part.contains(&other));
        let fit = self.fit.as_ref().filter(|_| have_met)?;
        let of = |errors: Errors| fit.los(one.index(), other.index(), errors);
        let by_blocks = of(Errors::Blocks)?;
        let is_few = [one, other].iter().any(|entrant| self.has_few_blocks[entrant.index()]);
        let by_model = of(Errors::Information).filter(|_| is_few).unwrap_or(by_blocks);
        // The less certain of both.
        Some(if (by_model - 0.5).abs() < (by_blocks - 0.5).abs() { by_model } else { by_blocks })
    }

    /// Groups of entrants that have met, directly or by others. With more than one, ratings of different groups cannot be
    /// compared.
    pub fn parts(&self) -> &[Vec<Entrant>] {
        &self.parts
    }

    /// How many games of an entrant count.
    pub fn games(&self, entrant: Entrant) -> u64 {
        self.games.get(entrant.index()).copied().unwrap_or(0)
    }

    /// Davidson's nu or Rao and Kupper's theta, if the model has it.
    pub fn draw_weight(&self) -> Option<f64> {
        self.fit.as_ref()?.draw_weight()
    }

    /// What a store keeps of an entrant, to compare it bit for bit with what the games say: its rating and the error;
    /// nothing for who has no rating.
    pub fn numbers(&self, entrant: Entrant) -> Vec<f64> {
        let rated = self.of(entrant);
        rated
            .map(|Rated { rating, error }| std::iter::once(rating).chain(error).collect())
            .unwrap_or_default()
    }

    /// How these numbers were made: [`METHOD`], the model and its options, in one line.
    pub fn method(&self) -> String {
        let anchor =
            self.options.anchor.map(|(Entrant(number), rating)| format!(" anchor={number}:{rating}"));
        format!("{METHOD} {} prior={}{}", self.model, self.options.prior, anchor.unwrap_or_default())
    }
}

fn fit(counted: &Counted, model: Model, prior: f64) -> Result<rookery_ratings::Ratings, RatingError> {
    let draws = match model {
        Model::Davidson => Draws::Davidson,
        Model::RaoKupper => Draws::RaoKupper,
        _ => Draws::Half,
    };
    if draws != Draws::Half && counted.tables.is_some() {
        return Err(RatingError::TwoOnly(model));
    }
    let by_blocks = match &counted.tables {
        Some(tables) => tables.fit(prior)?,
        None => counted.pairs.fit(&bradley_terry::Options { draws, prior, seat_advantage: false })?,
    };
    if model != Model::PlackettLuce {
        return Ok(by_blocks);
    }
    // Two who are placed by this model meet as in Bradley and Terry's, so that errors of one are errors of the other.
    let placed = counted.placements.fit(prior)?;
    Ok(placed.with_block_errors(&by_blocks).expect("both know all entrants"))
}

/// Through all games in the order of their numbers, which no run changes.
fn weng_lin(evaluation: &Evaluation) -> Result<Vec<Rated>, RatingError> {
    let games = evaluation.games().ok_or(RatingError::NoGames(Model::WengLin))?;
    let mut ratings = vec![Rating::default(); evaluation.names().len()];
    for placed in games {
        let (players, places) = split(placed);
        let mut table: Vec<Rating> = players.iter().map(|&player| ratings[player]).collect();
        // Where tables are large its sigma is too small, so that no error is shown.
        WengLin::BRADLEY_TERRY_FULL.rate(&mut table, &places).expect("a place for each");
        players.into_iter().zip(table).for_each(|(player, rating)| ratings[player] = rating);
    }
    Ok(ratings.into_iter().map(|rating| Rated { rating: rating.mu, error: None }).collect())
}
