//! Which of the stored games are meant.

use rookery_catalog::AnyGame;
use rookery_referee::Cause;
use rookery_store::{GameFilter, Store, StoreError, StoredEntrant, StoredGame, TournamentId};

use crate::lists::{page, pages};

/// What the games have in common.
#[derive(Debug, clap::Args)]
pub(super) struct FilterArgs {
    /// Only games of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,

    /// Only games of this entrant
    #[arg(long, value_name = "NAME")]
    entrant: Option<String>,

    /// Only games of this name
    #[arg(long, value_name = "GAME", value_parser = rookery_catalog::game)]
    game: Option<&'static dyn AnyGame>,

    /// Only games that ended so: normal, resigned, timeout, crashed and so on
    #[arg(long, value_name = "WORD", value_parser = cause)]
    cause: Option<Cause>,
}

fn cause(word: &str) -> Result<Cause, String> {
    Cause::of_word(word).ok_or_else(|| {
        let words: Vec<&str> = Cause::all().map(Cause::word).collect();
        format!("expected one of {}", words.join(", "))
    })
}

impl FilterArgs {
    /// The same for the store, in which the names are looked up.
    pub(super) fn filter(&self, store: &Store) -> anyhow::Result<GameFilter> {
        if let Some(id) = self.tournament {
            store.tournament(id)?;
        }
        let entrant = self.entrant.as_deref().map(|name| expect_entrant(store, name)).transpose()?;
        Ok(GameFilter {
            tournament: self.tournament,
            entrant: entrant.map(|entrant| entrant.id),
            game: self.game.map(|game| game.name().to_owned()),
            cause: self.cause,
        })
    }

    /// Whether every game is meant.
    pub(super) fn is_none(&self) -> bool {
        let Self { tournament, entrant, game, cause } = self;
        tournament.is_none() && entrant.is_none() && game.is_none() && cause.is_none()
    }
}

/// The entrant of this name.
pub(in crate::commands) fn expect_entrant(store: &Store, name: &str) -> Result<StoredEntrant, StoreError> {
    let unknown = || StoreError::Unknown { what: "entrant", name: name.to_owned() };
    store.find_entrant(name)?.ok_or_else(unknown)
}

/// The games that are meant, the latest first, read page by page.
pub(in crate::commands) fn stored_games(
    store: &Store,
    filter: GameFilter,
    before: Option<u64>,
) -> impl Iterator<Item = Result<StoredGame, StoreError>> {
    pages(before, |game: &StoredGame| game.seq, move |before| store.games(&filter, page(before)))
}
