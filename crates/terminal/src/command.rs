//! What can be typed, in plain play and in the input line of the full screen.

use std::path::PathBuf;

/// The longest line that is read; no move and no file name is longer.
pub(crate) const MAX_INPUT: usize = 1000;

/// What a line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Nothing,
    Move(String),
    Help,
    Moves,
    Board,
    Undo,
    Hint,
    Resign,
    Draw,
    Accept(bool),
    Say(String),
    /// A line to say something.
    Chat,
    Review,
    Save(Option<PathBuf>),
    Load(Option<PathBuf>),
    Restart,
    Rules,
    Guide,
    Quit,
}

/// The commands with what they do, for people.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("MOVE", "play it, for example as `moves` lists it; short forms will do"),
    ("moves", "the legal moves"),
    ("board", "the board again"),
    ("undo", "take back your last move, and what came after it"),
    ("hint", "a good move, and why"),
    ("guide", "each step is explained, or no more"),
    ("resign", "give up"),
    ("draw", "offer a draw to the other persons here; they type accept or decline"),
    ("say TEXT", "a line to all, which goes into the record; say NAME: TEXT for another person here"),
    ("review", "when it is over: what went wrong, and what would have been better"),
    ("save FILE", "a copy of the record"),
    ("load FILE", "go on with another record"),
    ("restart", "a new match of the same kind"),
    ("rules", "how the game is played"),
    ("quit", "leave; the record is kept"),
];

impl Command {
    pub(crate) fn parse(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let file = || (!rest.is_empty()).then(|| PathBuf::from(rest));
        match (word.to_ascii_lowercase().as_str(), rest) {
            ("", _) => Self::Nothing,
            ("save", _) => Self::Save(file()),
            ("load", _) => Self::Load(file()),
            ("help", "") => Self::Help,
            ("moves", "") => Self::Moves,
            ("board", "") => Self::Board,
            ("undo", "") => Self::Undo,
            ("hint", "") => Self::Hint,
            ("resign", "") => Self::Resign,
            ("draw", "") => Self::Draw,
            ("accept", "") => Self::Accept(true),
            ("decline", "") => Self::Accept(false),
            ("say", text) if !text.is_empty() => Self::Say(text.to_owned()),
            ("chat" | "say", "") => Self::Chat,
            ("review", "") => Self::Review,
            ("restart", "") => Self::Restart,
            ("rules", "") => Self::Rules,
            ("guide", "") => Self::Guide,
            ("quit" | "exit", "") => Self::Quit,
            _ => Self::Move(line.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_moves() {
        assert_eq!(Command::parse("  "), Command::Nothing);
        assert_eq!(Command::parse(" Undo\r"), Command::Undo);
        assert_eq!(Command::parse("save my file.jsonl"), Command::Save(Some("my file.jsonl".into())));
        assert_eq!(Command::parse("load"), Command::Load(None));
        assert_eq!(Command::parse("say Well played!"), Command::Say("Well played!".to_owned()));
        assert_eq!(Command::parse("chat"), Command::Chat);
        assert_eq!(Command::parse("b2 b3"), Command::Move("b2 b3".to_owned()));
    }

    #[test]
    fn every_word_of_the_help_is_a_command() {
        for (text, _) in HELP.iter().filter(|(text, _)| *text != "MOVE") {
            assert!(!matches!(Command::parse(text), Command::Move(_)), "{text}");
        }
    }
}
