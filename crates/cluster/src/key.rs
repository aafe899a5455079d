//! Which game of which tournament.

use std::fmt;
use std::str::FromStr;

use rookery_store::TournamentId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::core::JobKey;

/// Which game of which tournament; in texts `5t4e73e59t98:17`, pairings counted from 0, and `5t4e73e59t98:17:again` where it is
/// played a second time to be compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId {
    /// The tournament.
    pub tournament: TournamentId,
    /// The pairing.
    pub pairing: u64,
    /// Whether it is played again, to be compared with what was stored.
    pub again: bool,
}

const AGAIN: &str = ":again";

impl JobKey for JobId {
    type Group = TournamentId;

    fn group(&self) -> TournamentId {
        self.tournament
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", self.tournament, self.pairing, if self.again { AGAIN } else { "" })
    }
}

impl FromStr for JobId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no job; expected a tournament and a number, as in 5t4e73e59t98:17");
        let (first, again) = text.strip_suffix(AGAIN).map_or((text, false), |first| (first, true));
        let (tournament, pairing) = first.split_once(':').ok_or_else(wrong)?;
        let (tournament, pairing) =
            (tournament.parse().map_err(|_| wrong())?, pairing.parse().map_err(|_| wrong())?);
        Ok(Self { tournament, pairing, again })
    }
}

impl Serialize for JobId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for JobId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
