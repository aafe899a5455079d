//! Why a bot fails, in most cases: what its author looks at first.

use rookery_referee::{Evidence, Offence};

/// What is usually the reason for a fault: `received` is the last line that came.
pub fn usual_reason(offence: Offence, evidence: &Evidence, received: Option<&str>) -> Option<&'static str> {
    Some(match offence {
        Offence::Timeout | Offence::BadHello if received.is_none() && evidence.sent.is_none() => {
            "nothing came at all. Is each line flushed (Python: print(..., flush=True); C: fflush(stdout); Java: flush())? \
             Does it read line by line, and not until the end of its input?"
        }
        Offence::Malformed | Offence::BadHello if evidence.note.contains("no JSON object") => {
            "the standard output is for messages alone. Does it print something else there? Its log goes to the standard error."
        }
        Offence::Timeout | Offence::BadHello
            if evidence.note.starts_with("no ") && evidence.sent.is_some() =>
        {
            "a part of a line came, without its end. Does each message end with a newline?"
        }
        Offence::Malformed | Offence::BadHello => {
            "the answer has the wrong shape: compare it with what was expected, and with docs/protocol.md."
        }
        Offence::OutOfTurn => {
            "it answers only hello, new_game and turn, each once; nothing else asks for an answer."
        }
        Offence::IllegalMove => {
            "the legal moves are in the turn, as texts; an index into that list can never be illegal."
        }
        Offence::Crashed => {
            "the program ended. Its standard error below often says why; it has to go on until quit."
        }
        Offence::Timeout => "it took longer than it may. --time gives it more.",
        Offence::OutputLimit => "a line has at most 65,536 bytes.",
        _ => return None,
    })
}
