//! Writing SVG: escaping, ids, numbers.

use std::fmt::Write as _;

use rookery_rules::scene::{Point, Viewbox};

/// An SVG text in the making.
pub(crate) struct Canvas {
    text: String,
    prefix: String,
}

impl Canvas {
    pub(crate) fn new(prefix: &str) -> Self {
        Self { text: String::new(), prefix: escape(prefix) }
    }

    pub(crate) fn open(&mut self, viewbox: &Viewbox, classes: &str, title: &str, description: &str) {
        let Viewbox { x, y, width, height } = viewbox;
        let prefix = self.prefix.clone();
        self.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x} {y} {width} {height}\" class=\"rk {}\" role=\"img\" \
             aria-labelledby=\"{prefix}title {prefix}desc\">\n<title id=\"{prefix}title\">{}</title>\n\
             <desc id=\"{prefix}desc\">{}</desc>\n",
            escape(classes),
            escape(title),
            escape(description)
        ));
    }

    pub(crate) fn close(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    /// Adds markup as it is.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    /// Adds markup in which each `~` stands for the prefix of ids.
    pub(crate) fn template(&mut self, markup: &str) {
        let markup = markup.replace('~', &self.prefix);
        self.raw(&markup);
    }

    /// Places something defined earlier.
    pub(crate) fn place(&mut self, id: &str, at: Point) {
        let _ = writeln!(self.text, "<use href=\"#{}{id}\" x=\"{}\" y=\"{}\"/>", self.prefix, at.x, at.y);
    }

    /// Places something defined earlier in another size.
    pub(crate) fn place_scaled(&mut self, id: &str, at: Point, scale: f64) {
        let _ = writeln!(
            self.text,
            "<use href=\"#{}{id}\" transform=\"translate({} {}) scale({scale})\"/>",
            self.prefix, at.x, at.y
        );
    }

    /// Adds a line of text whose middle, or for a class with another anchor whose start or end, is at `at`.
    pub(crate) fn write(&mut self, class: &str, at: Point, size: i32, text: &str) {
        // Digits and capitals are about 0.7 of the size high, so this centres them.
        let baseline = at.y + size * 35 / 100;
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{}\" y=\"{baseline}\" font-size=\"{size}\">{}</text>",
            at.x,
            escape(text)
        );
    }
}

/// A text as content or as an attribute of XML. Characters that XML does not allow are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(sign),
        }
    }
    escaped
}

/// A number with at most one decimal.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_markup() {
        assert_eq!(
            escape("<b a=\"1\" c='2'>&\u{1}\n"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;\u{fffd} "
        );
    }

    #[test]
    fn decimals_are_short() {
        assert_eq!([1.0, -0.04, 2.25, -3.56].map(decimal), ["1", "0", "2.2", "-3.6"]);
    }
}
