//! A screen in memory as an SVG picture.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// The size of a character, in tenths of a pixel.
const WIDTH: u32 = 84;
const HEIGHT: u32 = 180;
const MARGIN: u32 = 120;

const PAPER: &str = "#14181d";
const INK: &str = "#e6eaef";

/// Draws a screen in which all colours are of the 256.
pub(crate) fn svg(buffer: &Buffer, title: &str) -> String {
    let (cols, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let px = |tenths: u32| format!("{}.{}", tenths / 10, tenths % 10);
    let (width, height) = (cols * WIDTH + 2 * MARGIN, rows * HEIGHT + 2 * MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {} {}\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{PAPER}\"/>\n\
         <g font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" \
         fill=\"{INK}\">",
        px(width),
        px(height)
    );
    for y in 0..rows {
        let cell = |x: u32| &buffer[(x as u16, y as u16)];
        let mut x = 0;
        while x < cols {
            let first = cell(x);
            let mut end = x + 1;
            while end < cols && look(cell(end)) == look(first) {
                end += 1;
            }
            let (left, top) = (MARGIN + x * WIDTH, MARGIN + y * HEIGHT);
            let (paper, ink, bold) = look(first);
            if paper != PAPER {
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{paper}\"/>",
                    px(left),
                    px(top),
                    px((end - x) * WIDTH + 3),
                    px(HEIGHT + 3)
                );
            }
            let text: String = (x..end).map(|x| cell(x).symbol()).collect();
            write_words(&mut out, &text, (left, top), (&ink, bold), &px);
            x = end;
        }
    }
    out += "</g>\n</svg>\n";
    out
}

/// Writes the words of a run, each at its place and with its length, so that columns stay columns in every font.
fn write_words(
    out: &mut String,
    text: &str,
    (left, top): (u32, u32),
    (ink, bold): (&str, bool),
    px: &dyn Fn(u32) -> String,
) {
    let fill = if ink == INK { String::new() } else { format!(" fill=\"{ink}\"") };
    let weight = if bold { " font-weight=\"700\"" } else { "" };
    let mut at = 0;
    for word in text.split(' ') {
        let n_chars = word.chars().count() as u32;
        if n_chars > 0 {
            let escaped = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\"{fill}{weight}>{escaped}</text>",
                px(left + at * WIDTH),
                px(top + 135),
                px(n_chars * WIDTH)
            );
        }
        at += n_chars + 1;
    }
}

/// Paper, ink and whether it is bold.
fn look(cell: &Cell) -> (String, String, bool) {
    let is_dim = cell.modifier.contains(Modifier::DIM);
    let ink = if is_dim { "#8b96a3".to_owned() } else { colour(cell.fg, INK) };
    let bold = cell.modifier.contains(Modifier::BOLD);
    (colour(cell.bg, PAPER), ink, bold)
}

fn colour(colour: Color, default: &str) -> String {
    let Color::Indexed(n) = colour else { return default.to_owned() };
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match n {
        16..=231 => {
            let n = n - 16;
            format!("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (n - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
        _ => default.to_owned(),
    }
}
