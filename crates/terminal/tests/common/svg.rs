//! A screen in memory as an SVG picture.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// The size of a character, in tenths of a pixel.
const WIDTH: u32 = 84;
const HEIGHT: u32 = 180;
const MARGIN: u32 = 120;

/// Paper and ink of a terminal, dark and light.
const DARK: (&str, &str) = ("#0b151c", "#e8eff3");
const LIGHT: (&str, &str) = ("#f7f4ed", "#15232c");

/// Draws a screen in which all colours are true, or of the 256.
pub(crate) fn svg(buffer: &Buffer, title: &str, is_light: bool) -> String {
    let own = if is_light { LIGHT } else { DARK };
    let (cols, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let px = |tenths: u32| format!("{}.{}", tenths / 10, tenths % 10);
    let (width, height) = (cols * WIDTH + 2 * MARGIN, rows * HEIGHT + 2 * MARGIN);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {} {}\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{}\"/>\n\
         <g font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" \
         fill=\"{}\">",
        px(width),
        px(height),
        own.0,
        own.1
    );
    for y in 0..rows {
        let cell = |x: u32| &buffer[(x as u16, y as u16)];
        let mut x = 0;
        while x < cols {
            let first = cell(x);
            let mut end = x + 1;
            while end < cols && look(cell(end), own) == look(first, own) {
                end += 1;
            }
            let (left, top) = (MARGIN + x * WIDTH, MARGIN + y * HEIGHT);
            let (paper, ink, bold) = look(first, own);
            if paper != own.0 {
                let _ = writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{paper}\" shape-rendering=\"crispEdges\"/>",
                    px(left),
                    px(top),
                    px((end - x) * WIDTH + 3),
                    px(HEIGHT + 3)
                );
            }
            let text: String = (x..end).map(|x| cell(x).symbol()).collect();
            write_blocks(&mut out, &text, (left, top), &ink);
            let text: String = text.chars().map(|c| if blocks(c).is_empty() { c } else { ' ' }).collect();
            write_words(&mut out, &text, (left, top), (&ink, bold, own.1), &px);
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
    (ink, bold, usual): (&str, bool, &str),
    px: &dyn Fn(u32) -> String,
) {
    let fill = if ink == usual { String::new() } else { format!(" fill=\"{ink}\"") };
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

/// The parts of a character that are filled, in quarters of its width and eighths of its height: from where, how large.
fn blocks(c: char) -> &'static [(u32, u32, u32, u32)] {
    match c {
        '█' => &[(0, 0, 4, 8)],
        '▀' => &[(0, 0, 4, 4)],
        '▄' => &[(0, 4, 4, 4)],
        '▌' => &[(0, 0, 2, 8)],
        '▟' => &[(2, 0, 2, 4), (0, 4, 4, 4)],
        '▙' => &[(0, 0, 2, 4), (0, 4, 4, 4)],
        '▜' => &[(0, 0, 4, 4), (2, 4, 2, 4)],
        '▛' => &[(0, 0, 4, 4), (0, 4, 2, 4)],
        '▘' => &[(0, 0, 2, 4)],
        '▝' => &[(2, 0, 2, 4)],
        '▖' => &[(0, 4, 2, 4)],
        '▗' => &[(2, 4, 2, 4)],
        '▚' => &[(0, 0, 2, 4), (2, 4, 2, 4)],
        '▞' => &[(2, 0, 2, 4), (0, 4, 2, 4)],
        '▁' => &[(0, 7, 4, 1)],
        '▂' => &[(0, 6, 4, 2)],
        '▃' => &[(0, 5, 4, 3)],
        '▅' => &[(0, 3, 4, 5)],
        '▆' => &[(0, 2, 4, 6)],
        '▇' => &[(0, 1, 4, 7)],
        _ => &[],
    }
}

/// Blocks are drawn as what they are: fonts leave gaps between them.
fn write_blocks(out: &mut String, text: &str, (left, top): (u32, u32), ink: &str) {
    let px = |hundredths: u32| f64::from(hundredths) / 100.0;
    let mut path = String::new();
    for (at, c) in (0..).zip(text.chars()) {
        for &(x, y, width, height) in blocks(c) {
            let (x, y) = ((left + at * WIDTH) * 10 + x * WIDTH * 10 / 4, top * 10 + y * HEIGHT * 10 / 8);
            let (width, height) = (width * WIDTH * 10 / 4, height * HEIGHT * 10 / 8);
            let _ = write!(path, "M{} {}h{}v{}h-{}z", px(x), px(y), px(width), px(height), px(width));
        }
    }
    if !path.is_empty() {
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"{ink}\" shape-rendering=\"crispEdges\"/>");
    }
}

/// Paper, ink and whether it is bold.
fn look(cell: &Cell, own: (&str, &str)) -> (String, String, bool) {
    let bold = cell.modifier.contains(Modifier::BOLD);
    let (paper, ink) = (colour(cell.bg, own.0), colour(cell.fg, own.1));
    if cell.modifier.contains(Modifier::REVERSED) { (ink, paper, bold) } else { (paper, ink, bold) }
}

/// The sixteen colours as one terminal has them.
const SIXTEEN: [&str; 16] = [
    "#1e2227", "#c04a40", "#3f8f4f", "#b08020", "#2f62a8", "#8e55b0", "#2f8f98", "#c9d0d4", "#667079",
    "#ee6a5e", "#62c07a", "#f0c558", "#6aa2e8", "#c58ae0", "#62c4cc", "#ffffff",
];

fn colour(colour: Color, own: &str) -> String {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    let sixteen = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Indexed(n @ 16..=231) => {
            let n = n - 16;
            format!("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        Color::Indexed(n @ 232..) => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (n - 232)),
        named => sixteen
            .iter()
            .position(|other| *other == named)
            .map_or_else(|| own.to_owned(), |at| SIXTEEN[at].to_owned()),
    }
}
