//! What somebody wants to play: a match spec in which almost everything may be missing.

use rookery_catalog::{AgreeError, agree, game};
use rookery_live::board_seed;
use rookery_referee::{Conduct, Entry, Limits, MatchSpec, SeatSpec, Start, TimeControl, is_name};
use rookery_rules::{GameSpec, Seed};
use serde::Deserialize;

use super::length::{MOST_TURNS, bounded, expect_turns};
use super::work::{check_work, checked_limits};
use crate::http::ApiError;

/// The most seats that are read.
const MAX_SEATS: usize = 32;
/// The longest text of a seat or a game.
const MAX_TEXT: usize = 500;

/// A match spec with less in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMatch {
    /// The game spec.
    pub game: String,
    /// Who sits where.
    pub seats: Vec<NewSeat>,
    /// Where all randomness comes from; a random one if there is none.
    #[serde(default)]
    pub seed: Option<String>,
    /// The time control; untimed if there is none.
    #[serde(default)]
    pub time: Option<String>,
    /// How much computers may work.
    #[serde(default)]
    pub limits: Limits,
    /// What misconduct costs; the game's own if there is none.
    #[serde(default)]
    pub conduct: Option<String>,
    /// Whether hints and take-backs are possible; so by default where a person plays.
    #[serde(default)]
    pub casual: Option<bool>,
    /// Drawn after so many moves; at the latest after as many as a match may have here.
    #[serde(default)]
    pub max_turns: Option<u64>,
    /// Where it begins.
    #[serde(default)]
    pub start: Option<Start>,
}

/// A seat: just its spec, or with a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum NewSeat {
    /// `hard`, `human`, `friend`, `@mybot`.
    Spec(String),
    /// The same with a name.
    Named(NamedSeat),
}

/// A seat with a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedSeat {
    /// The name.
    #[serde(default)]
    pub name: Option<String>,
    /// What the game calls the seat; read and not used, since the game knows.
    #[serde(default, rename = "label")]
    _label: Option<String>,
    /// The spec.
    pub player: String,
}

/// Who is to sit somewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sitter {
    /// Whoever asks for the match.
    Me,
    /// Whoever comes by the link.
    Open,
    /// A computer, as it is written.
    Computer(Entry),
    /// A bot that is connected, by its name.
    Bot(String),
}

/// A match that was read and checked, but for who the persons are.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// With `open#1`, `open#2` for persons who are not known yet.
    pub spec: MatchSpec,
    /// By seat.
    pub sitters: Vec<Sitter>,
}

impl NewMatch {
    /// A match with nothing but what it needs.
    pub fn new(game: String, seats: Vec<NewSeat>) -> Self {
        Self {
            game,
            seats,
            seed: None,
            time: None,
            limits: Limits::default(),
            conduct: None,
            casual: None,
            max_turns: None,
            start: None,
        }
    }

    /// Checks everything, and seats whoever asks where it wants to sit.
    pub fn read(&self, me: &str) -> Result<Wanted, ApiError> {
        if self.game.len() > MAX_TEXT {
            return Err(ApiError::field(
                "game",
                format!("the game spec is too long; expected at most {MAX_TEXT} bytes"),
            ));
        }
        let spec = GameSpec::parse(&self.game).map_err(|error| ApiError::field("game", error.to_string()))?;
        let known = game(&spec.game).map_err(|error| ApiError::field("game", error.to_string()))?;
        expect_turns(self.max_turns)?;
        let sitters = self.sitters()?;
        let seed = self.seed()?;
        let entries: Vec<Entry> = sitters.iter().map(|sitter| sitter.entry(me)).collect();
        let board = known.vary(&spec, board_seed(seed, seed));
        let agreed = agree(&board, &entries, seed).map_err(|error| {
            let field = if matches!(error, AgreeError::Setup(_)) { "game" } else { "seats" };
            ApiError::field(field, error.to_string())
        })?;
        let time: TimeControl = match &self.time {
            None => TimeControl::Untimed,
            Some(time) => time.parse().map_err(|error: rookery_referee::ParseTimeError| {
                ApiError::field("time", format!("{time:?}: {error}, or `untimed`"))
            })?,
        };
        let conduct = match &self.conduct {
            None => agreed.conduct,
            Some(text) => {
                text.parse::<Conduct>().map_err(|error| ApiError::field("conduct", error.to_string()))?
            }
        };
        let has_person = sitters.iter().any(|sitter| matches!(sitter, Sitter::Me | Sitter::Open));
        let has_bot = sitters.iter().any(|sitter| matches!(sitter, Sitter::Bot(_)));
        if self.seed.is_some() && self.casual == Some(false) && (has_person || has_bot) {
            // Whoever chooses it knows what the computers will play.
            return Err(ApiError::field(
                "seed",
                "a match that counts has a seed that nobody chose; leave it out",
            ));
        }
        let spec = MatchSpec {
            time,
            conduct,
            limits: checked_limits(self.limits)?,
            casual: self.casual.unwrap_or(has_person || has_bot && self.seed.is_some()),
            max_turns: bounded(&board, self.max_turns, MOST_TURNS),
            start: self.start.clone(),
            ..agreed
        };
        Ok(Wanted { spec, sitters })
    }

    fn seed(&self) -> Result<Seed, ApiError> {
        let Some(text) = &self.seed else { return Ok(random_seed()) };
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| plain).map(Seed).ok_or_else(|| {
            ApiError::field("seed", "expected a seed as a text of digits, \"0\" to \"18446744073709551615\"")
        })
    }

    fn sitters(&self) -> Result<Vec<Sitter>, ApiError> {
        if self.seats.len() > MAX_SEATS {
            return Err(ApiError::field(
                "seats",
                format!("there are too many seats; expected at most {MAX_SEATS}"),
            ));
        }
        let mut sitters: Vec<Sitter> = self.seats.iter().map(NewSeat::sitter).collect::<Result<_, _>>()?;
        let mut mine = sitters.iter().filter(|sitter| **sitter == Sitter::Me).count();
        if mine > 1 {
            return Err(ApiError::field(
                "seats",
                "`me` sits at two seats; expected one, and `friend` for others",
            ));
        }
        // Where nobody says who is who, whoever asks takes the first seat of a person.
        let said = self.seats.iter().any(|seat| seat.text() == "friend");
        for sitter in &mut sitters {
            if *sitter == Sitter::Open && mine == 0 && !said {
                (*sitter, mine) = (Sitter::Me, 1);
            }
        }
        Ok(sitters)
    }
}

impl NewSeat {
    fn text(&self) -> &str {
        match self {
            Self::Spec(text) => text,
            Self::Named(named) => &named.player,
        }
    }

    fn sitter(&self) -> Result<Sitter, ApiError> {
        let text = self.text();
        if text.len() > MAX_TEXT {
            return Err(ApiError::field(
                "seats",
                format!("a seat is too long; expected at most {MAX_TEXT} bytes"),
            ));
        }
        match text {
            "me" | "you" => return Ok(Sitter::Me),
            "human" | "friend" => return Ok(Sitter::Open),
            _ => {}
        }
        if let Some(name) = text.strip_prefix('@').or_else(|| text.strip_prefix("remote:")) {
            return if is_name(name) {
                Ok(Sitter::Bot(name.to_owned()))
            } else {
                Err(ApiError::field("seats", format!("{text:?} names no bot; expected `@` and its name")))
            };
        }
        let mut entry: Entry = text
            .parse()
            .map_err(|error: rookery_referee::SeatSpecError| ApiError::field("seats", error.to_string()))?;
        if let Self::Named(NamedSeat { name: Some(name), .. }) = self {
            if !is_name(name) {
                return Err(ApiError::field(
                    "seats",
                    format!("{name:?} is no name; expected 1 to 24 letters, digits, `_` or `-`"),
                ));
            }
            entry.name = Some(name.clone());
        }
        match entry.seat {
            SeatSpec::BuiltIn(ref player) => {
                check_work(player).map_err(|why| ApiError::field("seats", why))?;
                Ok(Sitter::Computer(entry))
            }
            SeatSpec::Human => Ok(Sitter::Open),
            // Nobody starts a program or opens a port on this machine from a page.
            _ => Err(ApiError::field(
                "seats",
                format!(
                    "{text:?} cannot be seated here; expected `human`, a computer such as `hard`, or a connected bot as `@name`"
                ),
            )),
        }
    }
}

impl Sitter {
    fn entry(&self, me: &str) -> Entry {
        match self {
            Self::Me => Entry { name: Some(me.to_owned()), seat: SeatSpec::Human },
            Self::Open => Entry { name: Some("open".to_owned()), seat: SeatSpec::Human },
            Self::Computer(entry) => entry.clone(),
            Self::Bot(name) => Entry { name: Some(name.clone()), seat: SeatSpec::Remote(name.clone()) },
        }
    }
}

/// Nobody can guess it.
pub(crate) fn random_seed() -> Seed {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    Seed(u64::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Wanted, ApiError> {
        serde_json::from_str::<NewMatch>(json).expect("it has the form of one").read("ann")
    }

    #[test]
    fn a_seat_may_be_just_its_spec_and_almost_everything_may_be_missing() {
        let wanted = read(r#"{"game":"hexapawn","seats":["easy","random"],"seed":"7"}"#).unwrap();
        assert_eq!(wanted.spec.seed, Seed(7));
        assert!(
            !wanted.spec.casual && wanted.sitters.iter().all(|sitter| matches!(sitter, Sitter::Computer(_)))
        );
        let wanted = read(r#"{"game":"hexapawn","seats":["human",{"player":"hard","name":"x"}]}"#).unwrap();
        assert_eq!(wanted.sitters[0], Sitter::Me);
        assert_eq!((wanted.spec.seats[0].name.as_str(), wanted.spec.seats[1].name.as_str()), ("ann", "x"));
        assert!(wanted.spec.casual);
        let wanted = read(r#"{"game":"hexapawn","seats":["friend","me"]}"#).unwrap();
        assert_eq!(wanted.sitters, [Sitter::Open, Sitter::Me]);
    }

    #[test]
    fn what_would_start_a_program_here_is_refused() {
        for seat in ["cmd:rm -rf /", "x=cmd:true", "tcp:0", "ws:80", "@a b", "me!"] {
            let json = format!(r#"{{"game":"hexapawn","seats":["{seat}","easy"]}}"#);
            let error = read(&json).expect_err(seat);
            assert_eq!(error.field.as_deref(), Some("seats"), "{seat}: {error:?}");
        }
        let error = read(r#"{"game":"chess","seats":[]}"#).unwrap_err();
        assert_eq!(error.field.as_deref(), Some("game"));
    }

    #[test]
    fn fault_w05_a_match_that_could_last_for_ever_is_drawn_before() {
        let json =
            r#"{"game":"renpaarden:width=11,height=11,max-turns=1000000","seats":["random","random"]}"#;
        let wanted = read(json).unwrap();
        assert_eq!(wanted.spec.max_turns, Some(MOST_TURNS));
        let counted = r#"{"game":"renpaarden","seats":["@mine","@yours"]}"#;
        assert_eq!(crate::ladders::uncounted(&read(counted).unwrap().spec), None, "all have this limit");
        assert_eq!(read(r#"{"game":"hexapawn","seats":["easy","random"]}"#).unwrap().spec.max_turns, None);
        let error = read(r#"{"game":"hexapawn","seats":["easy","random"],"max_turns":10001}"#).unwrap_err();
        assert_eq!(error.field.as_deref(), Some("max_turns"));
        assert!(error.message.contains("at most 10000"), "{}", error.message);
    }
}
