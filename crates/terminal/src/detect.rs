//! What the terminal can show: what the environment says, and what the terminal answers if it is asked.
//!
//! A terminal is asked only if input and output both are one, and only for a moment. One that does not answer, or answers
//! something else, is taken as the environment describes it.

use crate::look::Look;
use crate::palette::{Depth, Theme};

/// What somebody wants, beside what the environment says.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Dark or light.
    pub theme: Option<Theme>,
    /// Letters and signs of a typewriter.
    pub ascii: bool,
}

/// What the environment says: the variables `NO_COLOR`, `TERM`, `COLORTERM` and `COLORFGBG`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Environment {
    /// Set to anything: no colours.
    pub no_color: Option<String>,
    /// The kind of terminal.
    pub term: Option<String>,
    /// `truecolor` or `24bit`.
    pub color_term: Option<String>,
    /// The numbers of ink and paper, `15;0`.
    pub color_fgbg: Option<String>,
}

impl Environment {
    /// That of this process.
    pub fn here() -> Self {
        let var = |name| std::env::var(name).ok();
        Self {
            no_color: var("NO_COLOR"),
            term: var("TERM"),
            color_term: var("COLORTERM"),
            color_fgbg: var("COLORFGBG"),
        }
    }

    /// How many colours there are.
    pub fn depth(&self) -> Depth {
        let term = self.term.as_deref().unwrap_or_default();
        let is_set = |var: &Option<String>| var.as_ref().is_some_and(|value| !value.is_empty());
        if is_set(&self.no_color) || term == "dumb" {
            Depth::None
        } else if matches!(self.color_term.as_deref(), Some("truecolor" | "24bit")) || term.contains("direct")
        {
            Depth::True
        } else if term.contains("256") || is_set(&self.color_term) {
            Depth::Indexed
        } else {
            Depth::Sixteen
        }
    }

    /// What the paper is like, if the environment says so: its number is the last one.
    fn theme(&self) -> Option<Theme> {
        let paper = self.color_fgbg.as_ref()?.rsplit(';').next()?.trim().parse::<u8>().ok()?;
        Some(if matches!(paper, 7 | 9..=15) { Theme::Light } else { Theme::Dark })
    }

    /// The look without asking anybody.
    pub fn look(&self, wanted: Wanted) -> Look {
        let theme = wanted.theme.or_else(|| self.theme()).unwrap_or(Theme::Dark);
        Look { depth: self.depth(), theme, ascii: wanted.ascii }
    }

    /// What the terminal is asked.
    #[cfg(unix)]
    fn questions(&self, wanted: Wanted) -> Questions {
        let term = self.term.as_deref().unwrap_or_default();
        // The console of Linux would print the question.
        let is_console = term.is_empty() || term == "linux" || term == "dumb";
        Questions {
            paper: wanted.theme.is_none() && self.depth() != Depth::None && !is_console,
            width: !wanted.ascii && term != "dumb" && !term.is_empty(),
        }
    }
}

/// What the terminal here can show. Asks it, if there is one.
pub fn look(wanted: Wanted) -> Look {
    let environment = Environment::here();
    let look = environment.look(wanted);
    #[cfg(unix)]
    {
        use std::io::{IsTerminal, stdin, stdout};
        let questions = environment.questions(wanted);
        if stdin().is_terminal() && stdout().is_terminal() && (questions.paper || questions.width) {
            let answer = ask::ask(questions);
            return Look {
                theme: wanted.theme.or(answer.theme).unwrap_or(look.theme),
                ascii: look.ascii || answer.column.is_some_and(|column| column != RIGHT_COLUMN),
                ..look
            };
        }
    }
    look
}

/// Characters of which each should take one column, and the column (from 1) in which the cursor is then.
#[cfg(unix)]
const SAMPLE: &str = "▀♟●";
#[cfg(unix)]
const RIGHT_COLUMN: u16 = 4;

#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Questions {
    /// What colour the paper has.
    paper: bool,
    /// How wide our characters are.
    width: bool,
}

/// What a terminal has answered.
#[cfg(unix)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Answer {
    theme: Option<Theme>,
    column: Option<u16>,
}

#[cfg(unix)]
impl Answer {
    /// Reads whatever has come; what is no answer is passed over.
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let paper = text.split("\x1b]11;rgb:").nth(1);
        let column = text.split("\x1b[").skip(1).find_map(|rest| {
            let (row, rest) = rest.split_once(';')?;
            row.parse::<u16>().ok()?;
            rest.split_once('R')?.0.parse().ok()
        });
        Self { theme: paper.and_then(theme_of), column }
    }
}

/// Whether a colour is dark, as terminals write it: `rrrr/gggg/bbbb`, one to four digits each.
#[cfg(unix)]
fn theme_of(text: &str) -> Option<Theme> {
    let mut parts = text.split('/').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_hexdigit).take(4).collect();
        let most = 16_u32.checked_pow(digits.len() as u32)? - 1;
        Some(f64::from(u32::from_str_radix(&digits, 16).ok()?) / f64::from(most.max(1)))
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
    Some(if brightness > 0.5 { Theme::Light } else { Theme::Dark })
}

#[cfg(unix)]
mod ask {
    use std::io::{Write as _, stdin, stdout};
    use std::os::fd::AsFd as _;
    use std::time::{Duration, Instant};

    use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{Answer, Questions, SAMPLE};

    /// How long an answer is waited for.
    const TIME: Duration = Duration::from_millis(100);
    /// No answer is longer, and whoever sends more is not listened to.
    const MOST: usize = 256;

    /// Asks, and takes no answer for one.
    pub(super) fn ask(questions: Questions) -> Answer {
        if enable_raw_mode().is_err() {
            return Answer::default();
        }
        let bytes = write(questions).map(|()| listen()).unwrap_or_default();
        // Whether this succeeds is seen when the screen is entered.
        let _ = disable_raw_mode();
        crate::run::expect_late_answers();
        Answer::read(&bytes)
    }

    /// The place of the cursor is asked last: every terminal knows that, so what has not come before its answer never
    /// will.
    fn write(questions: Questions) -> std::io::Result<()> {
        let mut out = stdout();
        if questions.paper {
            write!(out, "\x1b]11;?\x1b\\")?;
        }
        let sample = if questions.width { SAMPLE } else { "" };
        write!(out, "\r{sample}\x1b[6n\r\x1b[K")?;
        out.flush()
    }

    fn listen() -> Vec<u8> {
        let (until, input) = (Instant::now() + TIME, stdin());
        let mut bytes = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).ok();
            let mut waiting = [PollFd::new(&input, PollFlags::IN)];
            match poll(&mut waiting, timeout.as_ref()) {
                Ok(1..) => {}
                // Nothing has come in time, or a signal has.
                _ => return bytes,
            }
            let mut buffer = [0; 64];
            match rustix::io::read(input.as_fd(), &mut buffer) {
                Ok(n @ 1..) => bytes.extend_from_slice(&buffer[..n]),
                _ => return bytes,
            }
            if Answer::read(&bytes).column.is_some() || bytes.len() > MOST || left.is_zero() {
                return bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(no_color: &str, term: &str, color_term: &str, color_fgbg: &str) -> Environment {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Environment {
            no_color: some(no_color),
            term: some(term),
            color_term: some(color_term),
            color_fgbg: some(color_fgbg),
        }
    }

    #[test]
    fn the_environment_decides() {
        for (no_color, term, color_term, depth) in [
            ("1", "xterm-256color", "truecolor", Depth::None),
            ("", "dumb", "truecolor", Depth::None),
            ("", "xterm-256color", "", Depth::Indexed),
            ("", "xterm-256color", "truecolor", Depth::True),
            ("", "xterm", "24bit", Depth::True),
            ("", "xterm", "yes", Depth::Indexed),
            ("", "linux", "", Depth::Sixteen),
            ("", "", "", Depth::Sixteen),
        ] {
            assert_eq!(environment(no_color, term, color_term, "").depth(), depth, "{term} {color_term}");
        }
        let empty =
            Environment { no_color: Some(String::new()), ..environment("", "xterm-256color", "", "") };
        assert_eq!(empty.depth(), Depth::Indexed, "an empty NO_COLOR says nothing");
        for (text, theme) in
            [("15;0", Theme::Dark), ("0;15", Theme::Light), ("0;default;7", Theme::Light), ("x", Theme::Dark)]
        {
            let look = environment("", "xterm", "", text).look(Wanted::default());
            assert_eq!(look.theme, theme, "{text}");
        }
        let wanted = Wanted { theme: Some(Theme::Light), ascii: true };
        let look = environment("", "xterm", "", "15;0").look(wanted);
        assert_eq!((look.theme, look.ascii), (Theme::Light, true));
    }

    #[cfg(unix)]
    #[test]
    fn only_what_is_not_known_is_asked() {
        let wanted = Wanted::default();
        let xterm = environment("", "xterm-256color", "", "");
        assert_eq!(xterm.questions(wanted), Questions { paper: true, width: true });
        let all = Wanted { theme: Some(Theme::Dark), ascii: true };
        assert_eq!(xterm.questions(all), Questions { paper: false, width: false });
        assert!(!environment("1", "xterm", "", "").questions(wanted).paper, "there are no colours");
        assert!(!environment("", "linux", "", "").questions(wanted).paper, "it would be printed");
        for term in ["dumb", ""] {
            let none = Questions { paper: false, width: false };
            assert_eq!(environment("", term, "", "").questions(wanted), none);
        }
    }

    #[cfg(unix)]
    #[test]
    fn answers_are_read_and_anything_else_is_passed_over() {
        let answer = |text: &str| Answer::read(text.as_bytes());
        let light = answer("\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[12;4R");
        assert_eq!(light, Answer { theme: Some(Theme::Light), column: Some(4) });
        let dark = answer("xx\x1b]11;rgb:1e/1e/2e\x07");
        assert_eq!(dark, Answer { theme: Some(Theme::Dark), column: None });
        assert_eq!(answer("\x1b[1;7R"), Answer { theme: None, column: Some(7) });
        for text in ["", "\x1b[A", "q", "\x1b]11;rgb:zz/1/2", "\x1b]11;rgb:", "\x1b[;R", "\x1b[99999999;4R"] {
            assert_eq!(answer(text), Answer::default(), "{text:?}");
        }
    }
}
