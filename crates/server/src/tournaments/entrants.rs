//! Who may take part in a tournament of this server.

use rookery_referee::SeatSpec;
use rookery_tournament::TournamentSpec;

use super::MOST_ENTRANTS;
use crate::http::ApiError;
use crate::hub::{check_work, checked_limits};

/// Whether everybody may take part here, under its own name.
pub(super) fn check_entrants(spec: &TournamentSpec) -> Result<(), ApiError> {
    let wrong = |message: String| ApiError::field("entrants", message);
    checked_limits(spec.limits)?;
    if !spec.trials.is_empty() {
        return Err(ApiError::field(
            "trials",
            "who fails before the first round is found here; leave it out",
        ));
    }
    if spec.entrants.len() > MOST_ENTRANTS {
        return Err(wrong(format!("there are too many; expected at most {MOST_ENTRANTS}")));
    }
    for entrant in &spec.entrants {
        let name = match &entrant.player {
            SeatSpec::BuiltIn(player) => {
                check_work(player).map_err(wrong)?;
                player.to_string()
            }
            SeatSpec::Remote(name) | SeatSpec::Bundle { name, .. } => name.clone(),
            SeatSpec::Human => entrant.name.clone(),
            _ => {
                return Err(wrong(format!(
                    "`{}` cannot take part here; expected computers such as `hard`, connected bots as `@name` and uploaded ones as `bundle:name`",
                    entrant.name
                )));
            }
        };
        // Ratings go by names: nobody plays under that of another.
        if entrant.name != name {
            return Err(wrong(format!("`{}` is called `{name}` here; use that name", entrant.name)));
        }
    }
    Ok(())
}
