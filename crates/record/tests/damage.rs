//! What is damaged is noticed, and nothing makes the reader panic.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use common::{simulate, wild};
use rookery_games::hexapawn::Setup as Hexapawn;
use rookery_record::{Header, Line, Lines, Problem, RecordError, random_record, resume, verify};
use rookery_referee::{Cause, MAX_TAKE_BACKS, Start};
use rookery_rules::{Notation, Seed, Setup, below};
use sha2::{Digest, Sha256};

/// Small records with lines of every kind.
fn records() -> Vec<Vec<u8>> {
    let setup = Hexapawn::parse("rows=4,cols=3").unwrap();
    let all: Vec<Vec<u8>> = (0..400).map(|seed| simulate(&setup, wild(seed)).record).collect();
    let has = |record: &[u8], word: &str| String::from_utf8_lossy(record).contains(&format!("{{\"{word}\":"));
    let mut chosen = vec![];
    for word in ["moved", "said", "resigned", "fouled", "taken_back", "drawn", "stopped"] {
        let mut with: Vec<_> = all.iter().filter(|record| has(record, word)).collect();
        assert!(with.len() >= 3, "{word} happens: {} times", with.len());
        with.sort_by_key(|record| record.len());
        chosen.push(with[with.len() / 3].clone());
    }
    chosen
}

/// Whether a record is said to be right and complete.
fn is_complete(record: &[u8]) -> bool {
    verify::<Hexapawn>(record).is_ok_and(|summary| summary.verdict.is_some())
}

#[test]
fn one_changed_byte_is_always_noticed() {
    for record in records() {
        assert!(is_complete(&record));
        let mut damaged = record.clone();
        for idx in 0..record.len() {
            let flips = (0..8).map(|bit| record[idx] ^ (1 << bit));
            for byte in flips.chain(*b"\n\r\t \"\\0159{}[],:-\0\xff").filter(|&byte| byte != record[idx]) {
                damaged[idx] = byte;
                let result = verify::<Hexapawn>(&damaged[..]);
                // Without its newline the verdict is a torn line: the record counts as unfinished.
                let torn = idx + 1 == record.len();
                match result {
                    Err(_) => {}
                    Ok(summary) if torn => assert!(summary.verdict.is_none() && summary.torn_bytes > 0),
                    Ok(_) => panic!("byte {idx} made {byte}: {}", String::from_utf8_lossy(&damaged)),
                }
            }
            damaged[idx] = record[idx];
        }
    }
}

#[test]
fn missing_and_doubled_bytes_and_lines_are_noticed() {
    for record in records() {
        for idx in 0..record.len() {
            let mut missing = record.clone();
            missing.remove(idx);
            assert!(!is_complete(&missing), "without byte {idx}");
            let mut doubled = record.clone();
            doubled.insert(idx, record[idx]);
            assert!(!is_complete(&doubled), "byte {idx} twice");
        }
        let lines: Vec<&[u8]> = record.split_inclusive(|&byte| byte == b'\n').collect();
        for idx in 0..lines.len() {
            let mut missing = lines.clone();
            missing.remove(idx);
            assert!(!is_complete(&missing.concat()), "without line {idx}");
            let mut doubled = lines.clone();
            doubled.insert(idx, lines[idx]);
            assert!(!is_complete(&doubled.concat()), "line {idx} twice");
            for other in idx + 1..lines.len() {
                let mut swapped = lines.clone();
                swapped.swap(idx, other);
                assert!(
                    lines[idx] == lines[other] || !is_complete(&swapped.concat()),
                    "{idx} and {other} swapped"
                );
            }
        }
        for tail in ["\n", " ", "x", "{\"moved\":{\"seat\":0,\"move\":\"a1-a2\"}}\n"] {
            let longer = [&record[..], tail.as_bytes()].concat();
            assert!(verify::<Hexapawn>(&longer[..]).is_err(), "{tail:?} after the verdict");
        }
    }
}

/// How many moves stand after these lines, told from the lines alone.
fn plies(lines: &[u8]) -> u64 {
    let mut plies = 0;
    for line in lines.split_inclusive(|&byte| byte == b'\n').skip(1) {
        match Line::parse(line).unwrap() {
            Line::Moved(_) => plies += 1,
            Line::TakenBack(line) => plies = line.to,
            _ => {}
        }
    }
    plies
}

fn cut_anywhere<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    for seed in [1, 4, 9] {
        let record = simulate(&setup, wild(seed)).record;
        let header = 1 + record.iter().position(|&byte| byte == b'\n').unwrap();
        // Every byte of a short record, and of a long one its ends and some on the way.
        let is_tried = |len: &usize| *len < 3000 || *len + 1000 > record.len() || len.is_multiple_of(61);
        for len in (0..record.len()).filter(is_tried) {
            let cut = &record[..len];
            match verify::<S>(cut) {
                Err(RecordError { line: 1, problem: Problem::Empty }) => assert_eq!(len, 0),
                Err(RecordError { line: 1, problem: Problem::TornHeader }) => assert!(len < header),
                Ok(summary) => {
                    assert!(len >= header && summary.verdict.is_none());
                    let whole = 1 + cut.iter().rposition(|&byte| byte == b'\n').unwrap();
                    assert_eq!(summary.torn_bytes, len - whole);
                    assert_eq!(summary.plies, plies(&cut[..whole]));
                    // A stop is void without its verdict.
                    let mut lines = cut[..whole].split_inclusive(|&byte| byte == b'\n');
                    let void = lines
                        .next_back()
                        .filter(|line| line.starts_with(b"{\"stopped\""))
                        .map_or(0, <[u8]>::len);
                    assert_eq!(summary.n_bytes as usize, whole - void);
                }
                Err(error) => panic!("{options} cut at {len}: {error}"),
            }
        }
    }
}

#[test]
fn a_record_cut_anywhere_is_unfinished() {
    for_every_game!(cut_anywhere);
}

#[test]
fn noise_is_refused() {
    let mut rng = Seed(1).rng();
    let record = random_record(&Hexapawn::default(), Seed(1));
    for _ in 0..20_000 {
        let mut noisy = record.clone();
        for _ in 0..=below(&mut rng, 6) {
            let at = below(&mut rng, noisy.len() as u32) as usize;
            let from = below(&mut rng, noisy.len() as u32) as usize;
            let to = (from + below(&mut rng, 40) as usize).min(noisy.len());
            let piece = noisy[from..to].to_vec();
            if below(&mut rng, 2) == 0 {
                noisy.splice(at..at, piece);
            } else {
                noisy[at] = below(&mut rng, 256) as u8;
            }
        }
        assert!(noisy == record || !is_complete(&noisy), "{}", String::from_utf8_lossy(&noisy));
    }
}

/// A record that somebody wrote by hand, hash included.
fn forged(lines: &[&str]) -> String {
    let (last, before) = lines.split_last().unwrap();
    let before = before.join("\n") + "\n";
    let hash = Sha256::digest(&before).iter().fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"));
    format!("{before}{}\n", last.replace("HASH", &hash))
}

const HEADER: &str = r#"{"record":{"version":2,"match":{"game":"hexapawn:rows=3,cols=3","seats":[{"name":"Ann","label":"player 1","player":"first"},{"name":"Bob","label":"player 2","player":"random"}],"seed":"7","time":"1s+100ms","conduct":"remove,retry=1"},"position":"p1 111/.../222","software":"rookery 0.1.0"}}"#;
const FIRST: &str =
    r#"{"moved":{"seat":0,"move":"b1-b2","ms":300,"left_ms":800,"info":{"depth":3,"line":["a3xb2"]}}}"#;
const FOUL: &str = r#"{"fouled":{"seat":1,"offence":"illegal_move","ruling":"ask_again","evidence":{"sent":"a3-a1","note":"no","legal":["c3xb2","c3-c2","a3xb2","a3-a2"]},"ms":20,"left_ms":980}}"#;
const RESIGNED: &str = r#"{"resigned":{"seat":1}}"#;
const VERDICT: &str =
    r#"{"verdict":{"ending":"resigned","seat":1,"winners":[0],"scores":[1,0],"plies":1,"sha256":"HASH"}}"#;

/// The same match, in which moves can be taken back.
fn casual() -> String {
    HEADER.replace(r#""conduct":"remove,retry=1""#, r#""conduct":"remove,retry=1","casual":true"#)
}

#[test]
fn forgeries_with_a_right_hash_are_noticed() {
    let good = [HEADER, FIRST, FOUL, RESIGNED, VERDICT];
    verify::<Hexapawn>(forged(&good).as_bytes()).unwrap();
    for (line, from, to, complaint) in [
        (0, r#""version":2"#, r#""version":3"#, "line 1: the record has version 3 of the format"),
        (
            0,
            r#""version":2,"#,
            r#""version":3,"colour":"red","#,
            "line 1: the record has version 3 of the format",
        ),
        (0, r#""seed":"7""#, r#""seed":"7","date":"today""#, "line 1: column"),
        (0, r#""seed":"7""#, r#""seed":7"#, "line 1: column"),
        (0, r#""seed":"7""#, r#""seed":"-7""#, "line 1: column"),
        (0, r#""seed":"7""#, r#""seed":"+7""#, "line 1: column"),
        (0, r#""seed":"7""#, r#""seed":"18446744073709551616""#, "line 1: column"),
        (0, "rows=3,cols", "rows=4,cols", "line 1: `position` is not where this match begins"),
        (0, "rows=3,cols", "rows=9,cols", "line 1: `game`: hexapawn: `rows=9` is not possible"),
        (0, "hexapawn:", "fish:", "line 1: `game`: "),
        (0, r#""seats""#, r#""start":{"position":"p1 111/xxx/222"},"seats""#, "line 1: `start`: "),
        (0, r#""seats""#, r#""start":{"moves":["a1-a3"]},"seats""#, "line 1: `start`, move 1: "),
        (0, r#""seats""#, r#""start":{"moves":["a1-a2"]},"seats""#, "line 1: `position` is not where"),
        (0, r#"{"name":"Ann","label":"player 1","player":"first"},"#, "", "line 1: `seats` has 1 entries"),
        (0, r#""name":"Ann""#, r#""name":"Bob""#, "line 1: `seats`: the name \"Bob\" of seat 1 does not do"),
        (0, r#""name":"Ann""#, r#""name":"""#, "line 1: `seats`: the name \"\" of seat 0 does not do"),
        (0, r#""player":"first""#, r#""player":"cmd:""#, "line 1: column"),
        (0, r#""label":"player 1","#, "", "line 1: column"),
        (0, "1s+100ms", "soon", "line 1: column"),
        (0, "remove,", "smile,", "line 1: column"),
        (1, r#""seat":0"#, r#""seat":1"#, "line 2: seat 1 is not to move here; expected seat 0"),
        (1, r#""seat":0"#, r#""seat":2"#, "line 2: there is no seat 2"),
        (1, r#""seat":0"#, r#""seat":200"#, "line 2: there is no seat 200"),
        (1, r#""seat":0"#, r#""seat":300"#, "line 2: column"),
        (1, "b1-b2", "b1-b3", "line 2: illegal move b1-b3: "),
        (1, "b1-b2", "b2", "line 2: \"b2\" is no move"),
        (1, r#""ms":300,"left_ms":800"#, r#""ms":300"#, "line 2: `ms` and `left_ms` go together"),
        (1, r#","ms":300,"left_ms":800"#, "", "line 2: `ms` and `left_ms` are missing"),
        (1, "800", "801", "line 2: `left_ms` is 801"),
        (1, "800", "799", "line 2: `left_ms` is 799"),
        (1, r#""depth":3"#, r#""mood":3"#, "line 2: column"),
        (1, "a3xb2", r"a3\u0007b2", "line 2: `info` is longer than a record's, or has control characters"),
        (2, "ask_again", "removed", "line 3: `ruling` is \"removed\"; by the conduct remove,retry=1 it is"),
        (2, "illegal_move", "rudeness", "line 3: there is no offence \"rudeness\""),
        (2, "illegal_move", "timeout", "line 3: `ruling` is \"ask_again\""),
        (
            2,
            r#""sent":"a3-a1""#,
            r#""sent":"a3-a2""#,
            "line 3: the move a3-a2 is called illegal, but it is legal here",
        ),
        (2, r#","a3-a2""#, "", "line 3: `legal` is not the list of legal moves"),
        (
            2,
            r#""note":"no""#,
            r#""note":"no","refused":1"#,
            "line 3: `evidence` is longer than a record's, or `refused`",
        ),
        (2, r#""note":"no""#, r#""mote":"no""#, "line 3: column"),
        (2, r#""left_ms":980"#, r#""left_ms":500"#, "line 3: `left_ms` is 500"),
        (3, r#""seat":1"#, r#""seat":0"#, "line 5: the verdict's `seat`"),
        (3, r#""seat":1"#, r#""seat":2"#, "line 4: there is no seat 2"),
        (4, r#""winners":[0]"#, r#""winners":[1]"#, "line 5: the verdict's `winners` is Some([1])"),
        (4, "[1,0]", "[2,0]", "line 5: the verdict's `scores`"),
        (
            4,
            r#""plies":1"#,
            r#""plies":2"#,
            "line 5: the verdict's `plies` is 2, but replaying the record gives 1",
        ),
        (4, r#""ending":"resigned""#, r#""ending":"normal""#, "line 5: the verdict's `ending`"),
        (4, r#""seat":1,"#, "", "line 5: the verdict's `seat`"),
        (4, r#""seat":1"#, r#""seat":1,"blame":"player""#, "line 5: the verdict's `blame`"),
        (4, "HASH", "0000", "line 5: `sha256` is \"0000\""),
    ] {
        let changed = good[line].replacen(from, to, 1);
        assert_ne!(changed, good[line], "{from} is there");
        let mut lines = good;
        lines[line] = &changed;
        let error = verify::<Hexapawn>(forged(&lines).as_bytes()).expect_err(to).to_string();
        assert!(error.starts_with(complaint), "{to}: {error}");
    }
}

#[test]
fn forged_take_backs_and_draws_are_noticed() {
    let header = casual();
    let back = r#"{"taken_back":{"seat":0,"to":0}}"#;
    let second = r#"{"moved":{"seat":1,"move":"a3-a2","ms":1,"left_ms":1099}}"#;
    let good = forged(&[&header, FIRST, second, back, FIRST, RESIGNED, VERDICT]);
    let summary = verify::<Hexapawn>(good.as_bytes()).unwrap();
    assert_eq!(summary.verdict.unwrap().plies, 1, "what was taken back does not count");
    // The clock is as it was: the same move costs the same again.
    let charged_twice = FIRST.replace("800", "600");
    let drawn = r#"{"drawn":{}}"#;
    for (lines, complaint) in [
        (&[HEADER, FIRST, back][..], "line 3: seat 0 cannot take back all moves from number 0 on"),
        (&[&header, FIRST, &back.replace(r#""to":0"#, r#""to":1"#)], "line 3: seat 0 cannot take back"),
        (&[&header, FIRST, &back.replace(r#""seat":0"#, r#""seat":1"#)], "line 3: seat 1 cannot take back"),
        (&[&header, FIRST, &back.replace(r#""seat":0"#, r#""seat":9"#)], "line 3: there is no seat 9"),
        (&[&header, back], "line 2: seat 0 cannot take back"),
        (&[&header, FIRST, second, back, &charged_twice], "line 5: `left_ms` is 600"),
        (&[&header, FIRST, RESIGNED, back], "line 4: the match is over with the line before"),
        (&[&header, FIRST, drawn, back], "line 4: the match is over with the line before"),
        (&[&header, FIRST, drawn, drawn], "line 4: the match is over with the line before"),
        (&[&header, r#"{"drawn":{"seat":0}}"#], "line 2: column"),
        (&[&header, FIRST, drawn, VERDICT], "line 4: the verdict's `ending`"),
    ] {
        let error = verify::<Hexapawn>(forged(lines).as_bytes()).expect_err(complaint).to_string();
        assert!(error.starts_with(complaint), "{complaint}: {error}");
    }
    let verdict =
        r#"{"verdict":{"ending":"draw_agreed","winners":[0,1],"scores":[0,0],"plies":1,"sha256":"HASH"}}"#;
    let agreed = forged(&[HEADER, FIRST, drawn, verdict]);
    assert_eq!(
        verify::<Hexapawn>(agreed.as_bytes()).unwrap().verdict.unwrap().ending.cause,
        Cause::DrawAgreed
    );
}

#[test]
fn moves_are_taken_back_only_so_often() {
    let back = r#"{"taken_back":{"seat":0,"to":0}}"#;
    let mut lines = vec![casual()];
    for _ in 0..=MAX_TAKE_BACKS {
        lines.extend([FIRST.to_owned(), back.to_owned()]);
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let error = verify::<Hexapawn>(forged(&lines).as_bytes()).unwrap_err().to_string();
    // One line for the header, two for each of the thousand, and one for the move before.
    assert!(error.starts_with("line 2003: seat 0 cannot take back"), "{error}");
}

#[test]
fn lines_at_the_wrong_place_are_noticed() {
    let stopped = r#"{"stopped":{"cause":"cancelled","note":"enough"}}"#;
    let loud = format!(r#"{{"said":{{"seat":0,"text":"{}"}}}}"#, "x".repeat(301));
    for (lines, complaint) in [
        (&[HEADER, HEADER, VERDICT][..], "line 2: there is a second header"),
        (&[FIRST, VERDICT], "line 1: column"),
        (&[HEADER, FIRST, VERDICT], "line 3: the match is not over here; expected what seat 1 did"),
        (&[HEADER, FIRST, RESIGNED, FIRST], "line 4: the match is over with the line before"),
        (&[HEADER, stopped, FIRST], "line 3: the match is over with the line before"),
        (&[HEADER, &stopped.replace("cancelled", "normal")], "line 2: `cause` is \"normal\""),
        (&[HEADER, &stopped.replace("\"note\"", "\"seat\":7,\"note\"")], "line 2: there is no seat 7"),
        (&[HEADER, "", FIRST], "line 2: column"),
        (&[HEADER, &loud], "line 2: `text` must have at most 300"),
        (&[HEADER, r#"{"said":{"seat":0,"text":"a\nb"}}"#], "line 2: `text` must have"),
        (&[HEADER, r#"{"sung":{"seat":0,"text":"la"}}"#], "line 2: column"),
        (&[HEADER, r#"{"said":{"seat":0,"text":"la","loud":true}}"#], "line 2: column"),
    ] {
        let error = verify::<Hexapawn>(forged(lines).as_bytes()).expect_err(complaint).to_string();
        assert!(error.starts_with(complaint), "{complaint}: {error}");
    }
}

#[test]
fn files_are_bounded() {
    let long = [HEADER.as_bytes(), b"\n", &vec![b' '; 70_000], b"\n"].concat();
    let error = verify::<Hexapawn>(&long[..]).unwrap_err();
    assert!(matches!(error, RecordError { line: 2, problem: Problem::TooLong(_) }), "{error}");

    let record = random_record(&Hexapawn::default(), Seed(1));
    let mut lines = Lines::new(&record[..]).with_max_lines(3);
    for _ in 0..3 {
        assert!(lines.next_line().unwrap().is_some());
    }
    let error = lines.next_line().unwrap_err();
    assert_eq!(error.to_string(), "line 4: the record has more than 3 lines, more than is read");

    let deep = format!("{}\n", "[".repeat(50_000));
    assert!(Header::parse(deep.as_bytes()).is_err());
}

/// First positions and game specs that somebody wrote badly: refused or played from, never a panic.
fn strange_headers<S: Setup<Position: Notation>>(options: &str) {
    let setup = S::parse(options).unwrap();
    let mut rng = Seed(5).rng();
    // These seeds begin from a position of their own, or with an opening.
    for seed in [4, 9, 14, 19] {
        let record = simulate(&setup, wild(seed)).record;
        let end = record.iter().position(|&byte| byte == b'\n').unwrap();
        let header = Header::parse(&record[..end]).unwrap();
        let alphabet = format!("{}{} 0123456789abp./=-,:", header.position, header.spec.game).into_bytes();
        for _ in 0..500 {
            let mut strange = header.clone();
            let own_start = Start { opening: None, position: Some(header.position.clone()), moves: vec![] };
            let text = match below(&mut rng, 4) {
                0 => &mut strange.spec.game,
                1 => &mut strange.position,
                _ => strange.spec.start.insert(own_start).position.as_mut().unwrap(),
            };
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=below(&mut rng, 3) {
                let at = below(&mut rng, bytes.len() as u32) as usize;
                let byte = alphabet[below(&mut rng, alphabet.len() as u32) as usize];
                match below(&mut rng, 3) {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ if bytes.len() > 1 => drop(bytes.remove(at)),
                    _ => {}
                }
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
            let line = format!("{{\"record\":{}}}", serde_json::to_string(&strange).unwrap());
            let file = [line.as_bytes(), &record[end..]].concat();
            let complete = verify::<S>(&file[..]).is_ok_and(|summary| summary.verdict.is_some());
            assert!(file == record || !complete, "the hash is over the header, too: {line}");
        }
    }
}

#[test]
fn strange_headers_do_no_harm() {
    for_every_game!(strange_headers);
}

#[test]
fn a_stop_without_its_verdict_is_void() {
    let stopped = r#"{"stopped":{"cause":"platform_abort","seat":1,"note":"enough"}}"#;
    let before = format!("{HEADER}\n{FIRST}\n");
    let file = format!("{before}{stopped}\n");
    let summary = verify::<Hexapawn>(file.as_bytes()).unwrap();
    assert_eq!((summary.n_bytes, summary.verdict), (before.len() as u64, None));
    let resumed = resume::<Hexapawn>(file.as_bytes()).unwrap();
    assert_eq!(resumed.n_bytes, before.len() as u64);
    assert!(resumed.referee.to_ask().is_some(), "the match goes on");
    let verdict =
        r#"{"verdict":{"ending":"platform_abort","seat":1,"blame":"platform","plies":1,"sha256":"HASH"}}"#;
    let whole = forged(&[HEADER, FIRST, stopped, verdict]);
    let verdict = verify::<Hexapawn>(whole.as_bytes()).unwrap().verdict.unwrap();
    assert_eq!(
        (verdict.ending.seat.map(rookery_rules::Seat::index), verdict.ending.note()),
        (Some(1), "enough")
    );
}
