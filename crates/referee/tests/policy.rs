//! What misconduct costs, as one table: every conduct, every offence, every number of earlier refusals.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

use std::collections::BTreeSet;

use rookery_catalog::game;
use rookery_games::{fish, hexapawn};
use rookery_referee::{Conduct, Event, Fault, Offence, Referee, Ruling};
use rookery_rules::Notation;

/// The player did answer, only badly.
const BAD_ANSWERS: &[&str] = &["malformed", "illegal_move"];
/// There is no answer, or one that was not asked for.
const NO_ANSWERS: &[&str] = &[
    "no_show",
    "bad_hello",
    "timeout",
    "disconnected",
    "crashed",
    "out_of_turn",
    "output_limit",
    "memory_limit",
    "process_limit",
    "disk_limit",
    "sandbox_violation",
];

/// The numbers of refusals before the offence, in the order of the columns.
const REFUSED: [u32; 6] = [0, 1, 2, 3, 999, 1000];

/// The conduct, the kind of offence, and the ruling after 0, 1, 2, 3, 999 and 1000 refusals.
#[rustfmt::skip]
const TABLE: &[(&str, &[&str], [&str; 6])] = &[
    // The four games.
    ("hexapawn",   BAD_ANSWERS, ["ask_again", "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("hexapawn",   NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("fish",       BAD_ANSWERS, ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("fish",       NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("stones",     BAD_ANSWERS, ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("stones",     NO_ANSWERS,  ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("renpaarden", BAD_ANSWERS, ["ask_again", "ask_again", "ask_again", "ask_again", "ask_again", "removed"]),
    ("renpaarden", NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("four",       BAD_ANSWERS, ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("four",       NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    // What a match may choose instead.
    ("forfeit",                    BAD_ANSWERS, ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("forfeit",                    NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("abort",                      BAD_ANSWERS, ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("abort",                      NO_ANSWERS,  ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("remove,retry=3",             BAD_ANSWERS, ["ask_again", "ask_again", "ask_again", "removed",   "removed",   "removed"]),
    ("remove,retry=3",             NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("abort,retry=1",              BAD_ANSWERS, ["ask_again", "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("abort,retry=1",              NO_ANSWERS,  ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("abort,retry=until-deadline", BAD_ANSWERS, ["ask_again", "ask_again", "ask_again", "ask_again", "ask_again", "aborted"]),
    ("abort,retry=until-deadline", NO_ANSWERS,  ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("abort/remove",               BAD_ANSWERS, ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
    ("abort/remove",               NO_ANSWERS,  ["removed",   "removed",   "removed",   "removed",   "removed",   "removed"]),
    ("remove/abort,retry=2",       BAD_ANSWERS, ["ask_again", "ask_again", "removed",   "removed",   "removed",   "removed"]),
    ("remove/abort,retry=2",       NO_ANSWERS,  ["aborted",   "aborted",   "aborted",   "aborted",   "aborted",   "aborted"]),
];

fn conduct(text: &str) -> Conduct {
    game(text).map_or_else(|_| text.parse().unwrap(), rookery_catalog::AnyGame::conduct)
}

fn offence(word: &str) -> Offence {
    Offence::ALL.into_iter().find(|offence| offence.word() == word).unwrap()
}

#[test]
fn the_ruling_on_every_offence() {
    for &(text, offences, rulings) in TABLE {
        for &word in offences {
            for (refused, expected) in REFUSED.into_iter().zip(rulings) {
                for preparing in [false, true] {
                    let conduct = conduct(text);
                    // Where there are retries only in play, there are none before.
                    let expected = match expected {
                        "ask_again" if preparing && conduct.only_in_play => "removed",
                        expected => expected,
                    };
                    let ruling = conduct.ruling(offence(word), refused, preparing).word();
                    assert_eq!(
                        ruling, expected,
                        "{text}: {word} after {refused} refusals, preparing {preparing}"
                    );
                }
            }
        }
    }
}

#[test]
fn retries_in_play_are_not_given_before_it() {
    for (in_play, always, never) in [
        ("retry=2,in-play", "retry=2", "remove"),
        ("abort,retry=until-deadline,in-play", "abort,retry=until-deadline", "abort"),
    ] {
        for (offence, refused) in Offence::ALL.into_iter().flat_map(|offence| REFUSED.map(|n| (offence, n))) {
            let ruling = |text, preparing| conduct(text).ruling(offence, refused, preparing);
            assert_eq!(ruling(in_play, false), ruling(always, false), "{in_play}: {offence} after {refused}");
            assert_eq!(ruling(in_play, true), ruling(never, true), "{in_play}: {offence} after {refused}");
        }
    }
}

/// The ruling on an answer that cannot be read, in this position, with one retry in play.
fn ruling<P: Notation>(position: &str) -> &'static str {
    let mut referee = Referee::new(P::from_text(position).unwrap(), conduct("retry=1,in-play"));
    let Some(Event::Fouled(foul)) = referee.judge(Err(Fault::new(Offence::Malformed, "").into()), None)
    else {
        panic!("{position}: somebody is asked")
    };
    foul.ruling.word()
}

#[test]
fn what_comes_before_play_is_for_the_game_to_say() {
    for (position, expected) in [
        ("p1 11/11/11/11/11 0,0 place=1", "removed"),
        ("p2 1a1/11/11/11/11 0,0 place=1", "removed"),
        ("p1 1a1/11/11/11/1b1 0,0", "ask_again"),
    ] {
        assert_eq!(ruling::<fish::Position>(position), expected, "{position}");
    }
    for (position, expected) in [
        ("p1 111/.../222 choose", "removed"),
        ("p1 111/.../222 off=2", "removed"),
        ("p2 11./.../222 off=1", "removed"),
        ("p1 111/.../222", "ask_again"),
    ] {
        assert_eq!(ruling::<hexapawn::Position>(position), expected, "{position}");
    }
}

#[test]
fn the_table_has_every_offence_and_every_game() {
    let words: BTreeSet<&str> = BAD_ANSWERS.iter().chain(NO_ANSWERS).copied().collect();
    assert_eq!(words, Offence::ALL.iter().map(|offence| offence.word()).collect());
    for game in rookery_catalog::CATALOG {
        let rows = TABLE.iter().filter(|row| row.0 == game.name()).count();
        assert_eq!(rows, 2, "{} has its two rows", game.name());
    }
}

#[test]
fn who_owes_no_answer_has_no_second_chance() {
    for (text, expected) in [
        ("hexapawn", Ruling::Removed),
        ("fish", Ruling::Removed),
        ("renpaarden", Ruling::Removed),
        ("stones", Ruling::Aborted),
        ("abort,retry=until-deadline", Ruling::Aborted),
    ] {
        for offence in Offence::ALL {
            assert_eq!(conduct(text).final_ruling(offence), expected, "{text}: {offence}");
        }
    }
}
