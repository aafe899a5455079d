//! Stones: messages and the player interface.
