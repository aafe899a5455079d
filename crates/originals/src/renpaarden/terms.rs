//! Prolog terms as answers: anything up to a full stop that is followed by white space.

use std::io::{self, BufRead};

/// The longest term that is kept; a longer one is read to its end and is [`Term::Other`].
const MAX_TERM: usize = 1000;

/// A term, as far as an answer can be one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    Integer(i64),
    Atom(String),
    /// Something else, which no question has as an answer.
    Other,
}

/// The next term; `None` at the end of input, also within a term. Comments from `%` to the end of a line do not count.
pub(super) fn read_term(input: &mut dyn BufRead) -> io::Result<Option<Term>> {
    let mut text = vec![];
    let mut in_comment = false;
    while let Some(byte) = next(input)? {
        match byte {
            b'\n' => in_comment = false,
            _ if in_comment => continue,
            b'%' => in_comment = true,
            b'.' if ends_here(input)? => return Ok(Some(understand(&text))),
            _ => {}
        }
        let blank = byte.is_ascii_whitespace() || in_comment;
        if text.len() <= MAX_TERM && !(blank && text.is_empty()) {
            text.push(if blank { b' ' } else { byte });
        }
    }
    Ok(None)
}

fn next(input: &mut dyn BufRead) -> io::Result<Option<u8>> {
    let byte = input.fill_buf()?.first().copied();
    input.consume(usize::from(byte.is_some()));
    Ok(byte)
}

/// Whether a full stop ends a term: `4.` and not `4.5`.
fn ends_here(input: &mut dyn BufRead) -> io::Result<bool> {
    Ok(input.fill_buf()?.first().is_none_or(|&byte| byte.is_ascii_whitespace() || byte == b'%'))
}

fn understand(text: &[u8]) -> Term {
    let text = match std::str::from_utf8(text) {
        Ok(text) if text.len() <= MAX_TERM => text.trim(),
        _ => return Term::Other,
    };
    let starts = |with: fn(&u8) -> bool| text.as_bytes().first().is_some_and(with);
    if let Ok(number) = text.parse()
        && !text.starts_with('+')
    {
        Term::Integer(number)
    } else if starts(u8::is_ascii_lowercase)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        Term::Atom(text.to_owned())
    } else {
        Term::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(mut input: &[u8]) -> Vec<Term> {
        std::iter::from_fn(|| read_term(&mut input).unwrap()).collect()
    }

    #[test]
    fn a_term_ends_with_a_full_stop_and_white_space() {
        let atom = |text: &str| Term::Atom(text.to_owned());
        assert_eq!(terms(b"4.\n7. 3 .\n\n-1.\n"), [4, 7, 3, -1].map(Term::Integer));
        assert_eq!(terms(b"% which?\n  4. % that\n5.%six\n6."), [4, 5, 6].map(Term::Integer));
        assert_eq!(terms(b"y.\nend_of_file.\n"), [atom("y"), atom("end_of_file")]);
        assert_eq!(terms(b"4.5.\n+1.\n(1,2).\nY.\n.\n1\n2.\n"), vec![Term::Other; 6]);
        assert_eq!(terms(b"99999999999999999999.\n"), [Term::Other]);
        assert_eq!(terms(b"4"), [], "no full stop, no term");
        assert_eq!(terms(b""), []);
    }

    #[test]
    fn a_term_without_end_is_not_kept() {
        let long = [vec![b'1'; 1_000_000], b".\n2.\n".to_vec()].concat();
        assert_eq!(terms(&long), [Term::Other, Term::Integer(2)]);
        assert_eq!(terms(b"\xff\xfe.\n3.\n"), [Term::Other, Term::Integer(3)]);
    }
}
