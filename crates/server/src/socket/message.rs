//! What a page says on its socket.

use rookery_referee::Command;
use serde::Deserialize;

/// One message of a page.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromPage {
    /// To be told of a match from now on.
    Watch {
        /// Which.
        #[serde(rename = "match")]
        id: String,
        /// The last version it knows.
        #[serde(default)]
        since: Option<u64>,
        /// Whether it wants to know how good the position is, if it may.
        #[serde(default)]
        eval: bool,
    },
    /// No longer.
    Unwatch {
        /// Which.
        #[serde(rename = "match")]
        id: String,
    },
    /// To be told of boards that run, or no longer.
    Lobby(Boards),
    /// To do something at a seat.
    Do(Do),
    /// Whether we are there.
    Ping(u64),
}

/// Of which boards a page is told.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Boards {
    /// Of any, or of none.
    Any(bool),
    /// Of some.
    Some(SomeBoards),
}

/// Some of the boards.
#[derive(Clone, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SomeBoards {
    /// Those that are in view, and told whenever they change; all others are told of once. Without it all are in view.
    pub matches: Option<Vec<String>>,
    /// Only of this game.
    pub game: Option<String>,
    /// Only those in which `people` play, or without them (`bots`).
    pub who: Option<String>,
    /// Only those of this tournament.
    pub tournament: Option<String>,
    /// How many running ones are told of beside those in view.
    pub limit: Option<usize>,
}

/// Something to do at a seat.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Do {
    /// In which match.
    #[serde(rename = "match")]
    pub id: String,
    /// The number of the question, for its reply.
    pub n: u64,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What somebody does.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Plays a move.
    Move {
        /// In answer to the question after so many moves.
        ply: u64,
        /// The move.
        text: String,
    },
    /// Gives up.
    Resign {},
    /// Says something.
    Say {
        /// What.
        text: String,
    },
    /// Wants moves back.
    TakeBack {
        /// How many are left.
        to: u64,
    },
    /// Wants a draw.
    OfferDraw {},
    /// Agrees to what another wants, or not.
    Answer {
        /// Whether.
        accept: bool,
    },
    /// Ends a match that cannot go on because another has gone away.
    End {},
    /// Wants to know what is best.
    Hint {},
}

impl What {
    /// What the match is told; nothing for what only the table knows.
    pub fn command(&self) -> Option<Command> {
        Some(match self {
            Self::Move { ply, text } => Command::Move { ply: *ply, text: text.clone() },
            Self::Resign {} => Command::Resign,
            Self::Say { text } => Command::Say(text.clone()),
            Self::TakeBack { to } => Command::TakeBack { to: *to },
            Self::OfferDraw {} => Command::OfferDraw,
            Self::Answer { accept } => Command::Accept(*accept),
            Self::End {} | Self::Hint {} => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_contract_are_read() {
        let read = |text: &str| serde_json::from_str::<FromPage>(text).unwrap();
        assert_eq!(
            read(r#"{"watch":{"match":"x","since":null}}"#),
            FromPage::Watch { id: "x".to_owned(), since: None, eval: false }
        );
        assert_eq!(read(r#"{"lobby":true}"#), FromPage::Lobby(Boards::Any(true)));
        let some = SomeBoards { game: Some("fish".to_owned()), limit: Some(0), ..SomeBoards::default() };
        assert_eq!(read(r#"{"lobby":{"game":"fish","limit":0}}"#), FromPage::Lobby(Boards::Some(some)));
        assert_eq!(read(r#"{"ping":3}"#), FromPage::Ping(3));
        let FromPage::Do(Do { n, what, .. }) =
            read(r#"{"do":{"match":"x","n":4,"move":{"ply":2,"text":"b2"}}}"#)
        else {
            panic!("it is something to do")
        };
        assert_eq!((n, what), (4, What::Move { ply: 2, text: "b2".to_owned() }));
        let FromPage::Do(Do { what, .. }) = read(r#"{"do":{"match":"x","n":4,"resign":{}}}"#) else {
            panic!("it is something to do")
        };
        assert_eq!(what, What::Resign {});
        for bad in
            ["", "{}", "[]", r#"{"do":{"match":"x","n":1}}"#, r#"{"dance":1}"#, r#"{"lobby":{"gam":"x"}}"#]
        {
            assert!(serde_json::from_str::<FromPage>(bad).is_err(), "{bad}");
        }
    }
}
