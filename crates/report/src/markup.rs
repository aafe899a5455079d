//! Texts inside HTML and SVG.

/// A text as content or as an attribute. What no page can hold, or what does something instead of being seen, is
/// replaced.
///
/// ```
/// assert_eq!(rookery_report::escaped("<a & 'b'>"), "&lt;a &amp; &#39;b&#39;&gt;");
/// ```
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in rookery_rules::text::clean(text).chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(sign),
        }
    }
    escaped
}
