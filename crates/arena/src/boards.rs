//! What the games of a tournament have in common, worked out once: every game spec with its labels and conduct.

use rookery_catalog::{AnyGame, agree, game};
use rookery_live::board_seed;
use rookery_referee::{Entry, MatchSpec, SeatEntry, Start};
use rookery_rules::{GameSpec, Seed, Status};
use rookery_tournament::{Opening, Pairing, TournamentSpec};

use crate::ArenaError;

/// The key of a setup that says how many play.
const PLAYERS: &str = "players";
/// On so many boards the moves of an opening are tried.
const TRIED_BOARDS: u64 = 4;

/// The boards of a tournament, for every number of players at a table.
#[derive(Debug)]
pub struct Boards(Vec<Board>);

#[derive(Debug)]
struct Board {
    /// As the tournament names it.
    named: String,
    game: &'static dyn AnyGame,
    /// For so many players.
    n_seats: usize,
    spec: GameSpec,
    /// Everything but players and seed.
    agreed: MatchSpec,
}

impl Boards {
    /// Checks every game and every built-in player, also whether each game has seats for those who sit at a table.
    pub fn new(tournament: &TournamentSpec) -> Result<Self, ArenaError> {
        let least = tournament.min_seats.unwrap_or(tournament.seats);
        let mut boards = vec![];
        for named in &tournament.games {
            for n_seats in least..=tournament.seats {
                boards.push(Board::new(tournament, named, n_seats)?);
            }
        }
        Ok(Self(boards))
    }

    /// What is agreed before the game of a pairing. Games of one block begin alike.
    pub fn match_spec(
        &self,
        tournament: &TournamentSpec,
        pairing: &Pairing,
    ) -> Result<MatchSpec, ArenaError> {
        let chosen = tournament.board(pairing);
        let fits = |board: &&Board| board.named == chosen.game && board.n_seats == pairing.entrants.len();
        let board = self.0.iter().find(fits).ok_or_else(|| {
            let n_seats = pairing.entrants.len();
            ArenaError::Agreed(format!("{} has no table for {n_seats} players", chosen.game))
        })?;
        let seed = tournament.seed;
        let start = chosen.opening.map(|opening| Start {
            opening: Some(tournament.opening_label(opening)),
            position: opening.position.clone(),
            moves: opening.moves.clone(),
        });
        let varied = match &start {
            // A position says everything.
            Some(Start { position: Some(_), .. }) => board.spec.clone(),
            _ => board.game.vary(&board.spec, board_seed(seed, seed.derive(u64::MAX - pairing.block))),
        };
        let game = if varied == board.spec {
            board.agreed.game.clone()
        } else {
            board.game.canonical(&varied).map_err(|error| ArenaError::Agreed(error.to_string()))?
        };
        let seats = board.agreed.seats.iter().zip(&pairing.entrants).map(|(at, entrant)| {
            let sits = &tournament.entrants[entrant.index()];
            SeatEntry { label: at.label.clone(), name: sits.name.clone(), player: sits.player.clone() }
        });
        Ok(MatchSpec {
            game,
            start: start.or_else(|| board.agreed.start.clone()),
            seats: seats.collect(),
            seed: seed.derive(pairing.id),
            number: Some(pairing.id + 1),
            ..board.agreed.clone()
        })
    }
}

/// Whether games can begin where the openings of a tournament say, by the rules of each game.
pub fn check_openings(tournament: &TournamentSpec) -> Result<(), ArenaError> {
    let least = tournament.min_seats.unwrap_or(tournament.seats);
    for (number, opening) in (1..).zip(&tournament.openings) {
        for named in
            tournament.games.iter().filter(|named| opening.game.as_ref().is_none_or(|of| of == *named))
        {
            for n_seats in least..=tournament.seats {
                check_opening(opening, named, n_seats, tournament.seed).map_err(|error| {
                    let label = tournament.opening_label(opening);
                    ArenaError::Agreed(format!("`openings`, number {number} ({label}), of {named}: {error}"))
                })?;
            }
        }
    }
    Ok(())
}

/// Where a game draws its board by chance, moves are tried on some of the boards.
fn check_opening(opening: &Opening, named: &str, n_seats: usize, seed: Seed) -> Result<(), String> {
    let (game, spec) = seated(named, n_seats).map_err(|error| error.to_string())?;
    let mut starts = vec![];
    if let Some(position) = &opening.position {
        starts.push(game.position(position).map_err(|error| error.to_string())?);
    } else {
        for block in 0..TRIED_BOARDS {
            let varied = game.vary(&spec, board_seed(seed, seed.derive(u64::MAX - block)));
            starts.push(game.start(&varied).map_err(|error| error.to_string())?);
            if varied == spec {
                break;
            }
        }
    }
    for mut position in starts {
        opening.moves.iter().try_for_each(|mv| position.play(mv)).map_err(|error| error.to_string())?;
        if position.n_seats() != n_seats {
            return Err(format!("it is a position of {} players; expected {n_seats}", position.n_seats()));
        }
        if !matches!(position.status(), Status::ToMove(_)) {
            return Err("the game is over there; expected a position in which somebody is to move".to_owned());
        }
    }
    Ok(())
}

/// A game that a tournament names, set up for so many players.
pub(crate) fn seated(named: &str, n_seats: usize) -> Result<(&'static dyn AnyGame, GameSpec), ArenaError> {
    let wrong = |error: &dyn std::fmt::Display| ArenaError::Agreed(format!("{named}: {error}"));
    let mut spec = GameSpec::parse(named).map_err(|error| wrong(&error))?;
    let game = game(&spec.game).map_err(|error| wrong(&error))?;
    if game.keys().iter().any(|key| key.name == PLAYERS) {
        spec.options.retain(|(key, _)| key != PLAYERS);
        spec.options.push((PLAYERS.to_owned(), n_seats.to_string()));
    }
    Ok((game, spec))
}

impl Board {
    fn new(tournament: &TournamentSpec, named: &str, n_seats: usize) -> Result<Self, ArenaError> {
        let (game, spec) = seated(named, n_seats)?;
        for entrant in &tournament.entrants {
            let entries: Vec<Entry> = (0..n_seats).map(|_| Entry::nameless(entrant.player.clone())).collect();
            let checked = agree(&spec, &entries, tournament.seed);
            if let Err(error) = checked {
                return Err(ArenaError::Agreed(format!("{}: {error}", entrant.name)));
            }
        }
        // Somebody may be left out later, so that there are fewer than seats.
        let players = tournament.entrants.iter().cycle().take(n_seats);
        let entries: Vec<Entry> = players.map(|entrant| Entry::nameless(entrant.player.clone())).collect();
        let agreed = agree(&spec, &entries, tournament.seed);
        let mut agreed = agreed.map_err(|error| ArenaError::Agreed(format!("{named}: {error}")))?;
        agreed.time = tournament.time;
        agreed.limits = tournament.limits;
        agreed.conduct = tournament.conduct.unwrap_or(agreed.conduct);
        agreed.max_turns = tournament.max_turns;
        Ok(Self { named: named.to_owned(), game, n_seats, spec, agreed })
    }
}
