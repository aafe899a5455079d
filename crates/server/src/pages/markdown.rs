//! Our own pages of documentation, from Markdown to the page: as much of it as they use. Everything is escaped.

use std::fmt::Write as _;

use maud::PreEscaped;
use rookery_report::escaped;

/// What a block of code is shown as instead, by the words behind its fence.
pub(super) type Instead<'a> = &'a mut dyn FnMut(&str, &str) -> Option<String>;

/// How deep lists may be in lists.
const MOST_DEPTH: usize = 6;

/// A page, and its headings of the second level: the id and the text.
pub(super) fn render(text: &str, instead: Instead<'_>) -> (PreEscaped<String>, Vec<(String, String)>) {
    let mut out = Writer { html: String::new(), headings: vec![], n_tables: 0, instead };
    let lines: Vec<&str> = text.lines().collect();
    out.blocks(&lines, 0);
    (PreEscaped(out.html), out.headings)
}

struct Writer<'a> {
    html: String,
    headings: Vec<(String, String)>,
    n_tables: usize,
    instead: Instead<'a>,
}

/// The text of an item of a list, if the line begins one.
fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
        return Some((false, rest));
    }
    let (number, rest) = line.split_once(". ")?;
    (!number.is_empty() && number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit()))
        .then_some((true, rest))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let text = line.get(level..)?.strip_prefix(' ')?;
    (1..=4).contains(&level).then_some((level, text.trim()))
}

fn is_block(line: &str) -> bool {
    line.trim().is_empty()
        || line.starts_with("```")
        || line.starts_with('|')
        || line.starts_with("> ")
        || heading(line).is_some()
        || item(line).is_some()
}

impl Writer<'_> {
    fn blocks(&mut self, lines: &[&str], depth: usize) {
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            let rest = &lines[at + 1..];
            if line.trim().is_empty() || line.starts_with("<!--") {
                at += 1;
            } else if let Some(info) = line.strip_prefix("```") {
                let n = rest.iter().take_while(|line| !line.starts_with("```")).count();
                self.code(info.trim(), &rest[..n]);
                at += n + 2;
            } else if let Some((level, text)) = heading(line) {
                self.heading(level, text);
                at += 1;
            } else if line.starts_with('|') {
                let n = lines[at..].iter().take_while(|line| line.starts_with('|')).count();
                self.table(&lines[at..at + n]);
                at += n;
            } else if line.starts_with("> ") {
                let n = lines[at..].iter().take_while(|line| line.starts_with('>')).count();
                let inner: Vec<&str> =
                    lines[at..at + n].iter().map(|line| line.trim_start_matches('>').trim_start()).collect();
                self.wrapped("blockquote", &inner, depth);
                at += n;
            } else if let Some((is_numbered, _)) = item(line).filter(|_| depth < MOST_DEPTH) {
                at += self.list(&lines[at..], is_numbered, depth);
            } else {
                let n = rest.iter().take_while(|line| !is_block(line)).count();
                let text = lines[at..=at + n].join(" ");
                // Pictures of the repository are not here; boards are.
                if !text.trim_start().starts_with("![") {
                    self.html.push_str("<p>");
                    inline(&text, &mut self.html);
                    self.html.push_str("</p>\n");
                }
                at += n + 1;
            }
        }
    }

    fn wrapped(&mut self, tag: &str, lines: &[&str], depth: usize) {
        let _ = write!(self.html, "<{tag}>");
        if depth < MOST_DEPTH {
            self.blocks(lines, depth + 1);
        }
        let _ = writeln!(self.html, "</{tag}>");
    }

    /// A list; how many lines it has.
    fn list(&mut self, lines: &[&str], is_numbered: bool, depth: usize) -> usize {
        let tag = if is_numbered { "ol" } else { "ul" };
        let _ = writeln!(self.html, "<{tag}>");
        let mut at = 0;
        while let Some((_, first)) =
            lines.get(at).and_then(|line| item(line)).filter(|(numbered, _)| *numbered == is_numbered)
        {
            let belongs = |line: &&&str| line.starts_with("  ") || !is_block(line);
            let mut n = lines[at + 1..].iter().take_while(belongs).count();
            // An empty line ends it, unless more of it follows.
            while lines.get(at + 1 + n).is_some_and(|line| line.is_empty())
                && lines.get(at + 2 + n).is_some_and(|line| line.starts_with("  "))
            {
                n += 1 + lines[at + 2 + n..].iter().take_while(belongs).count();
            }
            let inner: Vec<&str> =
                std::iter::once(first)
                    .chain(lines[at + 1..=at + n].iter().map(|line| {
                        line.strip_prefix("   ").or_else(|| line.strip_prefix("  ")).unwrap_or(line)
                    }))
                    .collect();
            self.html.push_str("<li>");
            let plain = inner.iter().all(|line| !is_block(line));
            if plain {
                inline(&inner.join(" "), &mut self.html);
            } else {
                self.blocks(&inner, depth + 1);
            }
            self.html.push_str("</li>\n");
            at += n + 1;
            while lines.get(at).is_some_and(|line| line.is_empty())
                && lines.get(at + 1).is_some_and(|line| item(line).is_some())
            {
                at += 1;
            }
        }
        let _ = writeln!(self.html, "</{tag}>");
        at.max(1)
    }

    fn heading(&mut self, level: usize, text: &str) {
        let letters: String =
            text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-')).collect();
        let id = letters.to_lowercase().replace(' ', "-");
        let _ = write!(self.html, "<h{level} id=\"{}\">", escaped(&id));
        inline(text, &mut self.html);
        let _ = writeln!(self.html, "</h{level}>");
        if level == 2 {
            self.headings.push((id, text.replace(['`', '*'], "")));
        }
    }

    fn code(&mut self, info: &str, lines: &[&str]) {
        if let Some(html) = (self.instead)(info, &lines.join("\n")) {
            self.html.push_str(&html);
            return;
        }
        // Line by line: an end of a line is no text that can be shown.
        let text: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let _ = writeln!(self.html, "<pre tabindex=\"0\"><code>{}</code></pre>", text.join("\n"));
    }

    fn table(&mut self, lines: &[&str]) {
        self.n_tables += 1;
        let _ = write!(
            self.html,
            "<div class=\"scroll-x\" tabindex=\"0\" role=\"region\" aria-label=\"Table {}\"><table class=\"table\">",
            self.n_tables
        );
        for (idx, line) in lines.iter().enumerate().filter(|(idx, _)| *idx != 1) {
            let (open, close) = if idx == 0 { ("<th scope=\"col\">", "</th>") } else { ("<td>", "</td>") };
            self.html.push_str(if idx == 0 { "<thead><tr>" } else { "<tr>" });
            for cell in cells(line) {
                self.html.push_str(open);
                inline(cell.trim(), &mut self.html);
                self.html.push_str(close);
            }
            self.html.push_str(if idx == 0 { "</tr></thead>\n" } else { "</tr>\n" });
        }
        self.html.push_str("</table></div>\n");
    }
}

/// The cells of a row; `\|` and a bar in code belong to a cell.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut cells, mut is_code, mut is_escaped) = (vec![String::new()], false, false);
    for c in inner.chars() {
        match c {
            '|' if is_escaped => {
                if let Some(cell) = cells.last_mut() {
                    cell.pop();
                }
            }
            '|' if !is_code => {
                cells.push(String::new());
                continue;
            }
            '`' => is_code = !is_code,
            _ => {}
        }
        is_escaped = c == '\\';
        if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
    }
    cells
}

/// Words within a block: code, bold, italic, links.
fn inline(text: &str, html: &mut String) {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let taken = match c {
            '`' => after.split_once('`').map(|(code, after)| {
                let _ = write!(html, "<code>{}</code>", escaped(code));
                after
            }),
            '*' if after.starts_with('*') => marked(&after[1..], "**", "strong", html),
            '*' => marked(after, "*", "em", html),
            '[' => link(after, html),
            '<' => {
                after.split_once('>').filter(|(url, _)| url.starts_with("https://")).map(|(url, after)| {
                    let _ = write!(html, "<a href=\"{0}\" rel=\"noreferrer\">{0}</a>", escaped(url));
                    after
                })
            }
            '\\' => after.chars().next().filter(char::is_ascii_punctuation).map(|c| {
                html.push_str(&escaped(&c.to_string()));
                &after[1..]
            }),
            _ => None,
        };
        rest = taken.unwrap_or_else(|| {
            html.push_str(&escaped(&c.to_string()));
            after
        });
    }
}

fn marked<'a>(text: &'a str, mark: &str, tag: &str, html: &mut String) -> Option<&'a str> {
    let (inner, after) = text.split_once(mark)?;
    if inner.is_empty() || inner.starts_with(' ') || inner.ends_with(' ') {
        return None;
    }
    let _ = write!(html, "<{tag}>");
    inline(inner, html);
    let _ = write!(html, "</{tag}>");
    Some(after)
}

fn link<'a>(text: &'a str, html: &mut String) -> Option<&'a str> {
    let (said, after) = text.split_once("](")?;
    let (to, after) = after.split_once(')')?;
    if said.contains('[') {
        return None;
    }
    match address(to) {
        Some(to) => {
            let _ = write!(html, "<a href=\"{}\">", escaped(&to));
            inline(said, html);
            html.push_str("</a>");
        }
        None => inline(said, html),
    }
    Some(after)
}

/// Where a link of the documentation leads to here; nowhere if that is not served.
fn address(to: &str) -> Option<String> {
    if to.starts_with("https://") || to.starts_with('#') {
        return Some(to.to_owned());
    }
    let (file, anchor) =
        to.split_once('#').map_or((to, String::new()), |(file, anchor)| (file, format!("#{anchor}")));
    let name = file.strip_suffix(".md")?.trim_start_matches("../").trim_start_matches("docs/");
    match name.strip_prefix("rules/") {
        Some(game) => rookery_catalog::game(game).ok().map(|game| format!("/rules/{}{anchor}", game.name())),
        None => super::rules::doc(name).map(|_| format!("/docs/{name}{anchor}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        render(text, &mut |_, _| None).0.into_string()
    }

    #[test]
    fn blocks_and_words_become_markup() {
        assert_eq!(
            rendered("## A `b`\n\ntwo\nlines **of** *it*"),
            "<h2 id=\"a-b\">A <code>b</code></h2>\n<p>two lines <strong>of</strong> <em>it</em></p>\n"
        );
        assert_eq!(
            rendered("- one\n  more\n- two\n\nend"),
            "<ul>\n<li>one more</li>\n<li>two</li>\n</ul>\n<p>end</p>\n"
        );
        assert_eq!(rendered("1. a\n2. b"), "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n");
        assert!(rendered("| a | `x|y` |\n|---|---|\n| 1 | \\| |").contains("<td>1</td><td>|</td>"));
        assert!(
            rendered("[p](protocol.md#hello) [x](../bots/) <https://a.b>")
                .contains("<a href=\"/docs/protocol#hello\">p</a> x <a href")
        );
    }

    #[test]
    fn lines_of_code_stay_lines() {
        assert_eq!(rendered("```sh\na <b\n c\n```"), "<pre tabindex=\"0\"><code>a &lt;b\n c</code></pre>\n");
    }

    #[test]
    fn nothing_of_a_text_is_markup_by_itself() {
        for hostile in [
            "<script>alert(1)</script>",
            "[a](javascript:alert(1))",
            "`<b>`",
            "# <img src=x onerror=y>",
            "| <i> |\n|---|",
            "```\n<u>\n```",
            "[\"](https://x\"onclick=y)",
        ] {
            let html = rendered(hostile);
            for bad in ["<script", "javascript:", "<b>", "<img", "<i>", "<u>", "\"onclick"] {
                assert!(!html.contains(bad), "{hostile}: {html}");
            }
        }
    }

    #[test]
    fn every_page_of_ours_is_read_to_its_end() {
        let rules = rookery_catalog::CATALOG.iter().map(|game| game.rules());
        for text in rules.chain(super::super::rules::DOCS.iter().map(|(_, _, text)| *text)) {
            let html = rendered(text);
            assert!(
                html.len() > text.len() / 2 && !html.contains("<p>```") && !html.contains("<p>|"),
                "{html}"
            );
        }
    }
}
