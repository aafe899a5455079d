//! Enough JSON for the messages of Rookery, since the standard library has none.
#![allow(dead_code)] // not every bot uses everything

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn parse(text: &str) -> Option<Json> {
        let mut rest = text;
        let value = value(&mut rest, 0)?;
        rest.trim_start().is_empty().then_some(value)
    }

    /// The field of an object; `Null` if it is not there.
    pub fn get(&self, key: &str) -> &Json {
        let Json::Object(fields) = self else {
            return &Json::Null;
        };
        fields.iter().find(|(name, _)| name == key).map_or(&Json::Null, |(_, value)| value)
    }

    pub fn as_text(&self) -> Option<String> {
        if let Json::Text(text) = self {
            Some(text.clone())
        } else {
            None
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        if let Json::Number(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    pub fn as_whole(&self) -> Option<u64> {
        self.as_number().map(|number| number as u64)
    }

    /// A field that is a text; empty if it is not there.
    pub fn text(&self, key: &str) -> String {
        self.get(key).as_text().unwrap_or_default()
    }

    /// A field that is a whole number; 0 if it is not there.
    pub fn size(&self, key: &str) -> usize {
        self.get(key).as_whole().unwrap_or(0) as usize
    }

    /// A field that is a list; empty if it is not there.
    pub fn list(&self, key: &str) -> &[Json] {
        if let Json::List(items) = self.get(key) {
            items
        } else {
            &[]
        }
    }

    /// The texts of a list.
    pub fn texts(&self, key: &str) -> Vec<String> {
        self.list(key).iter().filter_map(Json::as_text).collect()
    }
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// Takes the token from the front, and says whether it was there.
fn take(rest: &mut &str, token: &str) -> bool {
    let stripped = rest.trim_start().strip_prefix(token);
    *rest = stripped.unwrap_or(rest);
    stripped.is_some()
}

fn value(rest: &mut &str, depth: usize) -> Option<Json> {
    const DEEPEST: usize = 64;
    if depth > DEEPEST {
        return None;
    }
    for (word, json) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
        if take(rest, word) {
            return Some(json);
        }
    }
    if take(rest, "\"") {
        return string(rest).map(Json::Text);
    }
    if take(rest, "[") {
        let mut items = Vec::new();
        while !take(rest, "]") {
            if !items.is_empty() && !take(rest, ",") {
                return None;
            }
            items.push(value(rest, depth + 1)?);
        }
        return Some(Json::List(items));
    }
    if take(rest, "{") {
        let mut fields = Vec::new();
        while !take(rest, "}") {
            if !fields.is_empty() && !take(rest, ",") || !take(rest, "\"") {
                return None;
            }
            let key = string(rest)?;
            if !take(rest, ":") {
                return None;
            }
            fields.push((key, value(rest, depth + 1)?));
        }
        return Some(Json::Object(fields));
    }
    let text = rest.trim_start();
    let end = text.find(|c| !"+-.0123456789eE".contains(c)).unwrap_or(text.len());
    *rest = &text[end..];
    text[..end].parse().ok().map(Json::Number)
}

/// What follows the first quote of a string, up to and without the last one.
fn string(rest: &mut &str) -> Option<String> {
    let mut text = String::new();
    loop {
        let end = rest.find(['"', '\\'])?;
        text.push_str(&rest[..end]);
        let is_end = rest[end..].starts_with('"');
        *rest = &rest[end + 1..];
        if is_end {
            return Some(text);
        }
        let escape = rest.chars().next()?;
        *rest = &rest[escape.len_utf8()..];
        text.push(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => unicode(rest)?,
            '"' | '\\' | '/' => escape,
            _ => return None,
        });
    }
}

/// A character written as `\uXXXX`, or as two of them if it is beyond the first 65,536.
fn unicode(rest: &mut &str) -> Option<char> {
    let first = unit(rest)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(u32::from(first));
    }
    *rest = rest.strip_prefix("\\u")?;
    char::decode_utf16([first, unit(rest)?]).next()?.ok()
}

fn unit(rest: &mut &str) -> Option<u16> {
    let digits = rest.get(..4)?;
    *rest = &rest[4..];
    u16::from_str_radix(digits, 16).ok()
}
