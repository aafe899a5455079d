//! Who may take part in a tournament of this server.

use rookery_referee::SeatSpec;
use rookery_rules::GameSpec;
use rookery_tournament::TournamentSpec;

use super::MOST_ENTRANTS;
use crate::http::ApiError;
use crate::hub::{MOST_TURNS, bounded, check_work, checked_limits, expect_turns};

/// Whether everybody may take part here, under its own name.
pub(super) fn check_entrants(spec: &TournamentSpec) -> Result<(), ApiError> {
    let wrong = |message: String| ApiError::field("entrants", message);
    checked_limits(spec.limits)?;
    expect_turns(spec.max_turns)?;
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

/// Says after how many moves a game is drawn, where one of the games can go on for longer than a match may here.
pub(super) fn bound_games(spec: &mut TournamentSpec) {
    let games = spec.games.iter().filter_map(|text| GameSpec::parse(text).ok());
    spec.max_turns = games.fold(spec.max_turns, |said, game| bounded(&game, said, MOST_TURNS));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w05_games_of_tournaments_end_as_others_do() {
        let spec = |games: &str, more: &str| {
            let text = format!(
                r#"{{"name": "cup", "games": [{games}], "format": {{"kind": "round-robin", "games": 2}},
                    "entrants": ["random", "first"]{more}}}"#
            );
            serde_json::from_str::<TournamentSpec>(&text).expect("it is a spec")
        };
        for (games, more, turns) in [
            (r#""hexapawn""#, "", None),
            (r#""hexapawn", "renpaarden:max-turns=1000000""#, "", Some(MOST_TURNS)),
            (r#""renpaarden", "hexapawn""#, r#", "max_turns": 50"#, Some(50)),
        ] {
            let mut spec = spec(games, more);
            check_entrants(&spec).expect("all may take part");
            bound_games(&mut spec);
            assert_eq!(spec.max_turns, turns, "{games}");
        }
        let error =
            check_entrants(&spec(r#""hexapawn""#, r#", "max_turns": 10001"#)).expect_err("it is too long");
        assert_eq!(error.field.as_deref(), Some("max_turns"));
    }
}
