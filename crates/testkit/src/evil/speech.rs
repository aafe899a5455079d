//! What is sent wrongly, too late, too often, half or not at all.

use std::net::Shutdown;
use std::process::exit;
use std::time::Duration;

use super::link::{WAYS, frame, opcode, rest};
use super::{At, Bot, LINES, Mode, NET, PIPE, READY, TCP, WS, Way, answer, mode};

/// What a deep message nests.
const DEPTH: usize = 1000;

pub(super) const MODES: &[Mode] = &[
    mode("honest", WAYS, Bot::answer),
    // What is sent.
    mode("garbage", WAYS, |bot, _| bot.say(b"\x00\x01 no JSON \x1b[31m")),
    mode("bad-utf8", WAYS, |bot, id| {
        let mut message = format!(r#"{{"type":"move","id":{id},"move":""#).into_bytes();
        message.extend_from_slice(b"\xff\xfe\"}");
        bot.say(message);
    }),
    mode("byte-order-mark", WAYS, |bot, id| bot.say(format!("\u{feff}{}", answer(id)))),
    mode("lone-surrogate", WAYS, |bot, id| {
        bot.say(format!(r#"{{"type":"move","id":{id},"move":"\ud800"}}"#));
    }),
    mode("nul", WAYS, |bot, id| bot.say(format!(r#"{{"type":"move","id":{id},"move":"\u0000"}}"#))),
    mode("deep", WAYS, |bot, id| {
        let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
        bot.say(format!(r#"{{"type":"move","id":{id},"index":0,"x_deep":{open}{close}}}"#));
    }),
    mode("huge-number", WAYS, |bot, id| number(bot, id, "1234567890123456789012345")),
    mode("huge-exponent", WAYS, |bot, id| number(bot, id, "1e999")),
    mode("fraction", WAYS, |bot, id| number(bot, id, "0.0")),
    mode("exponent", WAYS, |bot, id| number(bot, id, "0e0")),
    mode("negative", WAYS, |bot, id| number(bot, id, "-1")),
    mode("minus-zero", WAYS, |bot, id| number(bot, id, "-0")),
    mode("leading-zero", WAYS, |bot, id| number(bot, id, "00")),
    mode("missing-id", WAYS, |bot, _| bot.say(r#"{"type":"move","index":0}"#)),
    mode("missing-move", WAYS, |bot, id| bot.say(format!(r#"{{"type":"move","id":{id}}}"#))),
    mode("duplicate-field", WAYS, |bot, id| {
        bot.say(format!(r#"{{"type":"move","id":{id},"id":{id},"index":0}}"#));
    }),
    mode("unknown-field", WAYS, |bot, id| {
        bot.say(format!(r#"{{"type":"move","id":{id},"index":0,"x_mine":{{"a":[1,2]}}}}"#));
    }),
    mode("two-values", WAYS, |bot, id| bot.say(format!("{}{}", answer(id), answer(id)))),
    mode("many-lines", LINES, |bot, id| bot.say(answer(id).replace(',', ",\n"))),
    mode("illegal-move", WAYS, |bot, id| {
        bot.say(format!(r#"{{"type":"move","id":{id},"move":"a1-a3"}}"#));
    }),
    mode("claims", WAYS, |bot, id| {
        bot.say(r#"{"type":"game_over","cause":"illegal_move","seat":1,"winner":0}"#);
        bot.say(r#"{"type":"error","code":"illegal_move","message":"the other moved illegally"}"#);
        bot.answer(id);
    }),
    mode("future-id", WAYS, |bot, id| bot.answer(id + 7)),
    mode("old-id", WAYS, |bot, id| {
        bot.answer(id - 1);
        bot.answer(id);
    }),
    // When it is sent.
    mode("never-answers", WAYS, |_, _| rest()),
    mode("late", WAYS, |bot, id| {
        std::thread::sleep(Duration::from_millis(900));
        bot.answer(id);
    }),
    mode("twice", WAYS, |bot, id| {
        let answer = answer(id);
        bot.say_all(&[answer.as_bytes(); 2]);
    }),
    mode("often", WAYS, |bot, id| {
        let answer = answer(id);
        bot.say_all(&[answer.as_bytes(); 200]);
    }),
    mode("too-early", WAYS, |bot, id| {
        let (now, next) = (answer(id), answer(id + 1));
        bot.say_all(&[now.as_bytes(), next.as_bytes()]);
    }),
    mode("hello-again", WAYS, |bot, id| {
        let now = answer(id);
        bot.say_all(&[now.as_bytes(), br#"{"type":"hello","version":1}"#]);
    }),
    mode("drip", WAYS, |bot, id| {
        let bytes = if bot.link.way == Way::Ws {
            frame(opcode::LAST | opcode::TEXT, answer(id).as_bytes())
        } else {
            answer(id).into_bytes()
        };
        for byte in bytes.iter().cycle() {
            bot.raw([*byte]);
            std::thread::sleep(Duration::from_millis(60));
        }
    }),
    // What is missing.
    mode("half-then-silence", WAYS, |bot, id| {
        half(bot, id);
        rest();
    }),
    mode("half-then-exit", WAYS, |bot, id| {
        half(bot, id);
        exit(0);
    }),
    mode("no-newline", LINES, |bot, id| {
        bot.raw(answer(id));
        rest();
    }),
    mode("answer-then-exit", WAYS, |bot, id| {
        bot.answer(id);
        exit(0);
    }),
    Mode {
        name: "never-reads",
        ways: WAYS,
        at: At::Start,
        deed: |bot, _| {
            bot.say(READY);
            rest();
        },
    },
    Mode {
        name: "never-reads-its-chat",
        ways: WAYS,
        at: At::Start,
        deed: |bot, _| {
            // All seats are told what was said, so also this one: more than a pipe holds.
            let line = format!(r#"{{"type":"say","text":"{}"}}"#, "\u{1f427}".repeat(300));
            bot.say_all(&[line.as_bytes(); 190]);
            bot.say(READY);
            rest();
        },
    },
    // How much is sent.
    mode("endless-line", WAYS, |bot, _| {
        if bot.link.way == Way::Ws {
            // The head of a frame of 100 MB, and then the frame.
            bot.raw([opcode::LAST | opcode::TEXT, 0xff, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]);
        }
        bot.flood(&[b'['; 1 << 16]);
    }),
    mode("blank-lines", LINES, |bot, _| bot.flood(&[b'\n'; 1 << 12])),
    mode("flood-info", WAYS, |bot, _| floods(bot, r#"{"type":"info","depth":1,"text":"deep"}"#)),
    mode("flood-say", WAYS, |bot, _| floods(bot, r#"{"type":"say","text":"so"}"#)),
    mode("flood-unasked", WAYS, |bot, id| {
        bot.answer(id);
        floods(bot, r#"{"type":"say","text":"so"}"#);
    }),
    mode("flood-unknown", WAYS, |bot, _| floods(bot, r#"{"type":"dance"}"#)),
    mode("flood-garbage", WAYS, |bot, _| floods(bot, "garbage")),
    // A connection that ends.
    mode("disconnect", NET, |_, _| exit(0)),
    mode("reset", NET, |bot, _| {
        if let Some(stream) = &bot.link.stream {
            // What is closed like this is reset.
            let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
        }
        exit(0);
    }),
    mode("half-close", NET, |bot, _| {
        if let Some(stream) = &bot.link.stream {
            let _ = stream.shutdown(Shutdown::Write);
        }
        rest();
    }),
    mode("wrong-transport", TCP, |bot, id| {
        bot.raw(frame(opcode::LAST | opcode::TEXT, answer(id).as_bytes()));
        bot.raw(b"\n");
    }),
    // Frames.
    mode("binary", WS, |bot, id| bot.raw(frame(opcode::LAST | opcode::BINARY, answer(id).as_bytes()))),
    mode("unmasked", WS, |bot, _| bot.raw(b"\x81\x02{}")),
    mode("compressed", WS, |bot, id| {
        bot.raw(frame(0x40 | opcode::LAST | opcode::TEXT, answer(id).as_bytes()));
    }),
    mode("bad-opcode", WS, |bot, _| bot.raw(frame(opcode::LAST | 0x3, b"x"))),
    mode("fragmented-ping", WS, |bot, _| bot.raw(frame(opcode::PING, b"x"))),
    mode("long-ping", WS, |bot, _| bot.raw(frame(opcode::LAST | opcode::PING, &[b'x'; 200]))),
    mode("stray-fragment", WS, |bot, _| bot.raw(frame(opcode::LAST | opcode::GOES_ON, b"x"))),
    mode("ping-flood", WS, |bot, _| {
        let ping = frame(opcode::LAST | opcode::PING, b"x");
        bot.flood(&ping);
    }),
    mode("fragments", WS, |bot, _| {
        bot.raw(frame(opcode::TEXT, b"{"));
        let more = frame(opcode::GOES_ON, b" ").repeat(1000);
        bot.flood(&more);
    }),
    mode("empty-fragments", WS, |bot, _| {
        bot.raw(frame(opcode::TEXT, b""));
        let more = frame(opcode::GOES_ON, b"").repeat(1000);
        bot.flood(&more);
    }),
    mode("close", WS, |bot, _| {
        bot.raw(frame(opcode::LAST | opcode::CLOSE, &1000_u16.to_be_bytes()));
        rest();
    }),
    mode("bad-close", WS, |bot, _| {
        bot.raw(frame(opcode::LAST | opcode::CLOSE, b"\x03"));
        rest();
    }),
    // The log.
    mode("flood-stderr", PIPE, |bot, id| {
        use std::io::Write as _;
        let line = "x".repeat(1 << 16);
        for _ in 0..128 {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        bot.answer(id);
    }),
];

fn number(bot: &mut Bot, id: u64, number: &str) {
    bot.say(format!(r#"{{"type":"move","id":{id},"index":{number}}}"#));
}

/// The first half of an answer.
fn half(bot: &mut Bot, id: u64) {
    let answer = answer(id);
    let half = &answer.as_bytes()[..answer.len() / 2];
    if bot.link.way == Way::Ws {
        let whole = frame(opcode::LAST | opcode::TEXT, answer.as_bytes());
        bot.raw(&whole[..whole.len() / 2]);
    } else {
        bot.raw(half);
    }
}

/// The same message for ever.
fn floods(bot: &mut Bot, message: &str) -> ! {
    loop {
        bot.say_all(&[message.as_bytes(); 64]);
    }
}
