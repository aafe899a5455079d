//! Where a picture goes.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{OsStringValueParser, TypedValueParser};
use rookery_terminal::clean;

/// The target of a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SvgFile {
    /// Standard output, written `-`.
    Stdout,
    /// A file whose name ends in `.svg`.
    File(PathBuf),
}

impl SvgFile {
    /// Reads it from a command line.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().try_map(Self::read)
    }

    fn read(text: OsString) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::Stdout);
        }
        let path = PathBuf::from(text);
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
            return Ok(Self::File(path));
        }
        let svg = path.with_extension("svg");
        let name = if path.file_name().is_some() {
            clean(&svg.display().to_string())
        } else {
            "board.svg".to_owned()
        };
        Err(format!(
            "the picture is SVG, so expected a file that ends in .svg, for example {name}, or - to print it"
        ))
    }

    pub(crate) fn is_stdout(&self) -> bool {
        *self == Self::Stdout
    }

    /// Writes the picture; the path of a file is given back.
    pub(crate) fn write(&self, svg: &str, out: &mut dyn Write) -> anyhow::Result<Option<&Path>> {
        match self {
            Self::Stdout => {
                writeln!(out, "{}", svg.trim_end())?;
                Ok(None)
            }
            Self::File(path) => {
                fs::write(path, svg)
                    .with_context(|| format!("the picture could not be written to {}", path.display()))?;
                Ok(Some(path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_in_svg_is_written() {
        assert_eq!(SvgFile::read("-".into()), Ok(SvgFile::Stdout));
        for good in ["a.svg", "a/b.SVG", "./-.svg"] {
            assert_eq!(SvgFile::read(good.into()), Ok(SvgFile::File(good.into())));
        }
        for (bad, better) in [
            ("out.png", "out.svg"),
            ("out", "out.svg"),
            ("a/b.svg.gz", "a/b.svg.svg"),
            ("..", "board.svg"),
            ("", "board.svg"),
            ("\u{1b}x.png", "\u{fffd}x.svg"),
        ] {
            let error = SvgFile::read(bad.into()).unwrap_err();
            assert!(error.contains(&format!("ends in .svg, for example {better}, or - ")), "{bad}: {error}");
        }
    }
}
