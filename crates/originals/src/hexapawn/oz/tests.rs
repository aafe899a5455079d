use rookery_rules::{Rng, Seed, below};

use super::*;

/// Any value that is no deeper than `depth`, with all kinds of names.
fn any(rng: &mut Rng, depth: u32) -> Value {
    let kinds = if depth == 0 { 3 } else { 6 };
    match below(rng, kinds) {
        0 => Value::Int([0, 1, -1, 8, 64, i64::MAX, i64::MIN][below(rng, 7) as usize]),
        1 => Value::Atom(name(rng)),
        2 => Value::Text(name(rng)),
        3 => Value::List((0..=below(rng, 3)).map(|_| any(rng, depth - 1)).collect()),
        4 => {
            let fields: Vec<Value> = (0..below(rng, 4)).map(|_| any(rng, depth - 1)).collect();
            Value::tuple(&name(rng), fields)
        }
        _ => {
            let mut fields = vec![];
            for _ in 0..=below(rng, 3) {
                let number = i64::from(below(rng, 5)) - 1;
                let feature =
                    if below(rng, 2) == 0 { Feature::Int(number) } else { Feature::Atom(name(rng)) };
                fields.push((feature, any(rng, depth - 1)));
                if repeated(&fields).is_some() {
                    fields.pop();
                }
            }
            Value::from_fields(&name(rng), fields)
        }
    }
}

fn name(rng: &mut Rng) -> String {
    const SIGNS: [char; 16] =
        ['a', 'b', 'p', '1', '_', 'Z', ' ', '\'', '"', '\\', '\n', '\u{1b}', 'é', '棋', '(', '|'];
    if below(rng, 4) == 0 {
        return ["nil", "p1", "if", "true", "", "empty"][below(rng, 6) as usize].to_owned();
    }
    (0..below(rng, 6)).map(|_| SIGNS[below(rng, 16) as usize]).collect()
}

#[test]
fn what_is_written_reads_back() {
    let mut longest = 0;
    for seed in 0..20_000 {
        let value = any(&mut Seed(seed).rng(), 3);
        let text = value.to_string();
        assert!(!text.contains(['\n', '\u{1b}']), "{text:?} stays in its line");
        assert_eq!(text.parse(), Ok(value), "seed {seed}: {text}");
        longest = longest.max(text.len());
    }
    assert!(longest > 100, "the values are not all trivial");
}

#[test]
fn damaged_texts_never_panic_and_read_back_if_they_are_read() {
    let mut read = 0;
    for seed in 0..20_000 {
        let mut rng = Seed(seed).rng();
        let mut bytes = any(&mut rng, 3).to_string().into_bytes();
        for _ in 0..=below(&mut rng, 2) {
            let at = below(&mut rng, bytes.len() as u32) as usize;
            match below(&mut rng, 3) {
                0 => bytes[at] = below(&mut rng, 256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"()[]|:~'\" "[below(&mut rng, 10) as usize]),
            }
        }
        if let Ok(value) = Value::try_from(&bytes[..]) {
            read += 1;
            assert_eq!(value.to_string().parse(), Ok(value), "{bytes:?}");
        }
    }
    assert!(read > 100, "some damage is harmless");
}

#[test]
fn texts_that_are_no_records() {
    for (bad, at, problem) in [
        ("", 1, "the text ends too early"),
        ("   ", 4, "the text ends too early"),
        ("move(f(1 3) t(2 3)", 19, "the text ends too early; `)` is missing"),
        ("move(f(1 3) t(2 3)))", 20, "the record ends before this; expected one record and nothing else"),
        ("move(f(1 3] t(2 3))", 11, "expected an atom, a number, a string, a list or a record"),
        ("move (f(1 3) t(2 3))", 6, "the record ends before this"),
        ("move(f(1 3) t(2 3)) move", 21, "the record ends before this"),
        ("Move(f(1 3) t(2 3))", 1, "variables cannot be sent"),
        ("move(_ x)", 6, "variables cannot be sent"),
        ("f(-1 2)", 3, "expected an atom, a number"),
        ("f(1.5 2)", 4, "expected an atom, a number"),
        ("f(01 2)", 3, "expected an integer"),
        ("f(1e3 2)", 3, "expected an integer"),
        ("f(0x10)", 3, "expected an integer"),
        ("f(~ 1)", 3, "expected an integer"),
        ("f(~0)", 3, "expected an integer"),
        ("9223372036854775808", 1, "expected an integer"),
        ("f(a:1 a:2)", 2, "a feature comes twice"),
        ("f(1:x y)", 2, "a feature comes twice"),
        ("f(a: )", 6, "expected an atom, a number"),
        ("f(a :b)", 5, "expected an atom, a number"),
        ("f(a,b)", 4, "expected an atom, a number"),
        ("{\"move\": 1}", 1, "expected an atom, a number"),
        ("if", 1, "`if` is a word of the language"),
        ("'open", 6, "the text ends inside quotes"),
        ("\"open", 6, "the text ends inside quotes"),
        ("'a\nb'", 3, "a control character"),
        ("'\\x00'", 2, "expected two hexadecimal digits after \\x, and not 00"),
        ("'\\xg1'", 2, "expected two hexadecimal digits"),
        ("'\\q'", 2, "after \\ comes"),
        ("a\0", 2, "the record ends before this"),
        ("\u{feff}a", 1, "expected an atom, a number"),
        ("a|b", 4, "a list ends with `|nil`"),
        ("a|", 3, "the text ends too early"),
        ("[a b", 5, "the text ends too early; `]` is missing"),
        ("a#b", 2, "the record ends before this"),
        ("&a", 1, "expected an atom, a number"),
    ] {
        let error = bad.parse::<Value>().expect_err(bad);
        assert_eq!(error.at, at, "{bad:?}: {error}");
        assert!(error.problem.starts_with(problem), "{bad:?}: {error}");
    }
    assert_eq!(Value::try_from(&b"a\xff"[..]).expect_err("not UTF-8").at, 2);
}

#[test]
fn fault_t10_depth_and_size_are_bounded() {
    let nested = |open: &str, close: &str, n: usize| format!("{}a{}", open.repeat(n), close.repeat(n));
    for (open, close) in [("[", "]"), ("f(", ")"), ("f(a:", ")"), ("a|[", "]")] {
        assert!(nested(open, close, MAX_DEPTH).parse::<Value>().is_ok(), "{open}");
        let error = nested(open, close, MAX_DEPTH + 1).parse::<Value>().expect_err(open);
        assert!(error.problem.starts_with("at most 16 brackets"), "{error}");
        assert!(nested(open, close, 1000).parse::<Value>().is_err());
    }
    assert!(format!("'{}'", "a".repeat(MAX_BYTES - 2)).parse::<Value>().is_ok());
    assert!(format!("'{}'", "a".repeat(MAX_BYTES - 1)).parse::<Value>().is_err());
    // A long list is no deep one.
    assert!(format!("{}nil", "a|".repeat(2000)).parse::<Value>().is_ok());
}

#[test]
fn records_are_equal_in_any_order_of_their_features() {
    let same = ["f(k:1 row:2 col:3)", "f(col:3 k:1 row:2)", "'f'( col:3  'k':1 row:2 )"];
    for text in same {
        assert_eq!(text.parse::<Value>(), same[0].parse());
    }
    assert_eq!("f(2:b 1:a)".parse::<Value>(), "f(a b)".parse());
    assert_eq!("f(2:b a)".parse::<Value>(), "f(a b)".parse());
    assert_ne!("f(a b)".parse::<Value>(), "f(b a)".parse());
    assert_ne!("f(a b)".parse::<Value>(), "f(a b c)".parse());
    assert_eq!("f()".parse::<Value>(), "f".parse());
    assert_eq!("[]".parse::<Value>(), "nil".parse());
}

#[test]
fn fields_are_found() {
    let value: Value = "r(request:elimination(2) other:nil)".parse().expect("a record");
    let [other, request] = value.as_record("r", ["other", "request"]).expect("both are there");
    assert_eq!(other, &Value::nil());
    assert_eq!(request.as_tuple("elimination"), Some([&Value::Int(2)]));
    assert_eq!(value.as_record("r", ["other"]), None, "there is one more");
    assert_eq!(value.as_record("q", ["other", "request"]), None);
    assert_eq!(request.as_tuple::<2>("elimination"), None);
}
