//! The codes that bots are told: closed lists, the same as on the page and in the schema of the protocol.

use std::fmt;

use rookery_referee::Offence;

/// A closed list of codes, with a word for each.
macro_rules! codes {
    ($(#[$of_all:meta])* $name:ident { $($(#[$of_one:meta])* $code:ident = $word:literal,)+ }) => {
        $(#[$of_all])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$of_one])* $code,)+
        }

        impl $name {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$code => $word,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

codes! {
    /// Why an answer did not count: the codes of `reject`.
    Code {
        /// It is no JSON object with each field once.
        BadJson = "bad_json",
        /// A field is missing or of the wrong type.
        MissingField = "missing_field",
        /// A message that answers something else than what was asked.
        UnexpectedType = "unexpected_type",
        /// It names no move.
        UnknownMove = "unknown_move",
        /// The move is not legal.
        IllegalMove = "illegal_move",
        /// Nothing was asked.
        NotYourTurn = "not_your_turn",
        /// It answers an earlier question.
        Late = "late",
        /// It did not come in time.
        Timeout = "timeout",
        /// The line is too long, or there are too many.
        LineTooLong = "line_too_long",
    }
}

codes! {
    /// Why something was ignored, or why a bot is not let in: the codes of `error`.
    ErrorCode {
        /// There is no message of this type.
        UnknownType = "unknown_type",
        /// No `hello` that can be read, or of another version.
        BadHello = "bad_hello",
        /// The name is none, or is missing.
        BadName = "bad_name",
        /// The seat asks for another secret.
        BadSecret = "bad_secret",
        /// The token of an account is not valid.
        BadToken = "bad_token",
        /// Too many tokens that are not valid.
        TooMany = "too_many",
        /// No seat is free.
        NoSeat = "no_seat",
        /// Somebody of this name is there.
        NameTaken = "name_taken",
        /// It is too late to come.
        Closed = "closed",
        /// A newer connection of the same bot has taken its place.
        Replaced = "replaced",
        /// Too many have come and not said hello.
        Busy = "busy",
    }
}

impl Code {
    /// The code for an offence that no message of the bot explains; none for whoever hears nothing any more.
    pub(crate) const fn of(offence: Offence) -> Option<Self> {
        match offence {
            Offence::IllegalMove => Some(Self::IllegalMove),
            Offence::OutOfTurn => Some(Self::NotYourTurn),
            Offence::OutputLimit => Some(Self::LineTooLong),
            Offence::Timeout => Some(Self::Timeout),
            Offence::Malformed => Some(Self::UnexpectedType),
            Offence::NoShow
            | Offence::BadHello
            | Offence::Disconnected
            | Offence::Crashed
            | Offence::MemoryLimit
            | Offence::ProcessLimit
            | Offence::DiskLimit
            | Offence::SandboxViolation => None,
        }
    }
}
