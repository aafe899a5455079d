//! Short names of games and tournaments, fit for addresses and for reading aloud.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::StoreError;

/// Digits and small letters without those that look alike.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 60 bits: among a million names two are the same once in two million stores.
const LENGTH: usize = 12;

/// A SHA-256, shown in hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash that a column holds.
    pub(crate) fn of_column(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $Id:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Id([u8; LENGTH]);

        impl $Id {
            /// One that nobody can guess.
            pub fn random() -> Self {
                let mut bytes = [0; 16];
                getrandom::fill(&mut bytes).expect("the system has random numbers");
                Self::made_of(&bytes)
            }

            /// The one that follows from these bytes, always the same.
            pub(crate) fn made_of(bytes: &[u8]) -> Self {
                let hash = Sha256::digest(bytes);
                Self(std::array::from_fn(|idx| ALPHABET[usize::from(hash[idx] & 31)]))
            }

            /// Its text.
            pub fn as_str(&self) -> &str {
                std::str::from_utf8(&self.0).expect("it is made of digits and small letters")
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $Id {
            type Err = StoreError;

            fn from_str(text: &str) -> Result<Self, StoreError> {
                let id = <[u8; LENGTH]>::try_from(text.as_bytes()).ok();
                id.filter(|id| id.iter().all(|byte| ALPHABET.contains(byte)))
                    .map(Self)
                    .ok_or_else(|| StoreError::unknown($what, text))
            }
        }
    };
}

text_id! {
    /// Names a game that is stored.
    GameId, "game"
}

text_id! {
    /// Names a tournament that is stored.
    TournamentId, "tournament"
}

/// Numbers an entrant: the same in every tournament.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntrantId(pub i64);

impl EntrantId {
    /// The number, for texts and other programs.
    pub const fn number(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_back_and_nothing_else_is() {
        let id = GameId::random();
        assert_eq!(id.to_string().parse::<GameId>().unwrap(), id);
        assert_ne!(id, GameId::random());
        assert_eq!(GameId::made_of(b"a"), GameId::made_of(b"a"));
        for text in ["", "0123456789a", "0123456789abc", "0123456789ai", "0123456789a\u{1b}", "../../../etc"]
        {
            assert!(text.parse::<GameId>().is_err(), "{text:?}");
        }
    }
}
