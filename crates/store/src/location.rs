//! Where a store is.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::StoreError;

/// Where a store is: a file, or a database by its URL. Shown without its password.
///
/// ```
/// use rookery_store::Location;
///
/// let location: Location = "postgres://ann:secret@db/rookery".parse()?;
/// assert_eq!(location.to_string(), "postgres://ann:***@db/rookery");
/// assert!("mysql://db".parse::<Location>().is_err());
/// # Ok::<(), rookery_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of SQLite.
    File(PathBuf),
    /// A database of PostgreSQL.
    Postgres(String),
}

impl FromStr for Location {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        if text.is_empty() {
            return Err(StoreError::Location(
                "a store has a name: expected a file or a postgres:// URL".to_owned(),
            ));
        }
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(StoreError::Location(format!(
                "there is no store by {scheme:?}; expected a file or a postgres:// URL"
            )));
        }
        Ok(Self::File(text.into()))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(url) => f.write_str(&without_secrets(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The URL without a password and without parameters, which may hold one too.
fn without_secrets(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
    match user.map(|user| user.split_once(':').map_or((user, false), |(user, _)| (user, true))) {
        None => format!("{scheme}://{place}"),
        Some((user, false)) => format!("{scheme}://{user}@{place}"),
        Some((user, true)) => format!("{scheme}://{user}:***@{place}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_s17_a_password_is_never_shown() {
        for url in [
            "postgres://ann:hunter2@db:5432/rookery",
            "postgresql://ann:hunter2@db",
            "postgres://ann:hun@hunter2@db/x",
            "postgres://db/x?user=ann&password=hunter2",
            "postgres://:hunter2@/x",
        ] {
            let location: Location = url.parse().unwrap();
            assert!(!format!("{location} {location:?}").contains("hunter2"), "{location}");
        }
        let plain: Location = "postgres://ann@db/x".parse().unwrap();
        assert_eq!(plain.to_string(), "postgres://ann@db/x");
    }
}
