//! Questions to a person, and what the person types.

use std::io::{BufRead, Write};

use rookery_rules::text::{Typed, clean_lines, read_typed};

use crate::keyboard::CalledAway;

/// The longest line that is read; the rest of a longer one is thrown away.
const MAX_LINE: usize = 1000;
/// How much of a typed text an error message repeats.
const SHOWN: usize = 40;

/// Why a conversation ends before the game does.
#[derive(Debug)]
pub(super) enum Stop {
    /// The person wants to leave.
    Quit,
    /// There is nobody any more who could type.
    EndOfInput,
    /// Everything is to stop.
    CalledAway,
    /// Reading, writing or recording failed.
    Failed(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        let error = error.into();
        let called = error.downcast_ref().is_some_and(CalledAway::is_reason_of);
        if called { Self::CalledAway } else { Self::Failed(error) }
    }
}

/// The result of a part of a conversation.
pub(super) type Talk<T> = Result<T, Stop>;

/// An answer that is the same at every prompt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Help,
    Rules,
    Board,
    Hint,
    Back,
    Undo,
    Resign,
    Quit,
}

/// The words for each command, the one for people first.
const COMMANDS: [(Command, &[&str]); 8] = [
    (Command::Help, &["help", "h", "?"]),
    (Command::Rules, &["rules"]),
    (Command::Board, &["board", "show"]),
    (Command::Hint, &["hint"]),
    (Command::Back, &["back"]),
    (Command::Undo, &["undo", "u"]),
    (Command::Resign, &["resign"]),
    (Command::Quit, &["quit", "q", "exit"]),
];

/// What was typed at a prompt.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// In lower case, without spaces around it.
    Text(String),
    Do(Command),
}

/// Both ends of a conversation.
pub(super) struct Terminal<'a> {
    pub(super) input: &'a mut dyn BufRead,
    pub(super) out: &'a mut dyn Write,
    /// Whether to write what was read: without a terminal nobody has seen it.
    pub(super) echo: bool,
}

impl Terminal<'_> {
    /// Writes a line, or several. A text may repeat what was typed: nothing in it can harm a terminal.
    pub(super) fn say(&mut self, text: &str) -> Talk<()> {
        Ok(writeln!(self.out, "{}", clean_lines(text))?)
    }

    /// Asks until there is a line that can be read. `quit` and the end of input leave the conversation.
    pub(super) fn ask(&mut self, prompt: &str) -> Talk<Answer> {
        loop {
            write!(self.out, "{prompt}> ")?;
            self.out.flush()?;
            let line = match read_typed(self.input, MAX_LINE)? {
                Typed::Line(line) => String::from_utf8_lossy(&line).into_owned(),
                Typed::TooLong(_) => {
                    self.say(&format!(
                        "That line has more than {MAX_LINE} bytes. A short answer is expected."
                    ))?;
                    continue;
                }
                Typed::End => {
                    self.say("")?;
                    return Err(Stop::EndOfInput);
                }
            };
            if self.echo {
                self.say(&line)?;
            }
            let text = line.trim().to_lowercase();
            let command = COMMANDS.iter().find(|(_, words)| words.contains(&text.as_str()));
            match command {
                Some((Command::Quit, _)) => return Err(Stop::Quit),
                Some(&(command, _)) => return Ok(Answer::Do(command)),
                None => return Ok(Answer::Text(text)),
            }
        }
    }
}

/// As much of a typed text as a message repeats.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(input: &[u8]) -> (Talk<Answer>, String) {
        let (mut input, mut out) = (input, vec![]);
        let answer = Terminal { input: &mut input, out: &mut out, echo: false }.ask("What");
        (answer, String::from_utf8(out).unwrap())
    }

    #[test]
    fn answers_are_read_in_any_case_and_with_any_line_end() {
        for input in ["B1-C3\n", "  b1-c3  \r\n", "b1-c3"] {
            let (answer, out) = ask(input.as_bytes());
            assert_eq!(answer.unwrap(), Answer::Text("b1-c3".to_owned()), "{input:?}");
            assert_eq!(out, "What> ");
        }
        assert_eq!(ask(b"Undo\n").0.unwrap(), Answer::Do(Command::Undo));
        assert!(matches!(ask(b"q\n").0, Err(Stop::Quit)));
        assert!(matches!(ask(b"").0, Err(Stop::EndOfInput)));
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let long = [vec![b'a'; 100_000], b"\nb1\n".to_vec()].concat();
        let (answer, out) = ask(&long);
        assert_eq!(answer.unwrap(), Answer::Text("b1".to_owned()));
        assert_eq!(out, "What> That line has more than 1000 bytes. A short answer is expected.\nWhat> ");
        let exact = vec![b'a'; MAX_LINE];
        assert_eq!(ask(&exact).0.unwrap(), Answer::Text("a".repeat(MAX_LINE)));
    }

    #[test]
    fn fault_w04_what_acts_on_a_terminal_is_replaced() {
        let mut out = vec![];
        let mut terminal = Terminal { input: &mut &b"\x1b[2J\x9b\x07\n"[..], out: &mut out, echo: true };
        terminal.ask("What").unwrap();
        terminal.say("a\u{1b}[31mb\u{7f}\u{85}\u{202e}\u{200d}\u{feff}\r\nc").unwrap();
        let said = String::from_utf8(out).unwrap();
        let expected = "What> \u{fffd}[2J\u{fffd}\u{fffd}\na\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\nc\n";
        assert_eq!(said, expected);
    }

    #[test]
    fn long_texts_are_repeated_in_part() {
        assert_eq!(shown(&"é".repeat(41)), format!("{}...", "é".repeat(40)));
        assert_eq!(shown("b1-c3"), "b1-c3");
    }
}
