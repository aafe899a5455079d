//! Passwords: argon2id, slow on purpose, where blocking is allowed.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};

/// The hash of a password, with a salt of its own.
pub fn hash_password(password: &str) -> Result<String, String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|error| error.to_string())?;
    let salt = SaltString::encode_b64(&salt).map_err(|error| error.to_string())?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string()).map_err(|error| error.to_string())
}

/// Whether a password is the one of this hash. Without a hash it takes as long, and is wrong.
pub fn is_right(password: &str, hash: Option<&str>) -> bool {
    let decoy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$\
                 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(decoy)) else { return false };
    Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_w08_only_the_right_password_is_right() {
        let hash = hash_password("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$"));
        assert!(is_right("correct horse", Some(&hash)));
        assert!(!is_right("correct horsf", Some(&hash)));
        assert!(!is_right("correct horse", None));
        assert_ne!(hash, hash_password("correct horse").unwrap(), "each has its own salt");
    }
}
