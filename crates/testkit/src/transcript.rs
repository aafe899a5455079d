//! The events of a match as lines for people, for golden files and for comparing two runs.

use std::fmt::{self, Write};

use rookery_referee::{Charge, Event, EventOf, Verdict, words};
use rookery_rules::{Notation, Seat};

/// Writes one event as one line.
pub fn write_event<P: Notation>(out: &mut impl Write, event: &EventOf<P>) -> fmt::Result {
    match event {
        Event::Started(position) => writeln!(out, "started   {}", position.to_text()),
        Event::Moved { seat, mv, charge, info } => {
            write!(out, "{}  {mv}", who(*seat))?;
            write_charge(out, *charge)?;
            match info {
                None => writeln!(out),
                Some(info) => writeln!(out, "; {info:?}"),
            }
        }
        Event::Said { seat, text } => writeln!(out, "{}  says {text:?}", who(*seat)),
        Event::Resigned { seat } => writeln!(out, "{}  resigns", who(*seat)),
        Event::Fouled(foul) => {
            let evidence = &foul.evidence;
            write!(out, "{}  {}, {}: ", who(foul.seat), foul.offence, foul.ruling.word())?;
            evidence.sent.iter().try_for_each(|sent| write!(out, "sent {sent}: "))?;
            write!(out, "{}", evidence.note)?;
            write_charge(out, foul.charge)?;
            match evidence.legal.len() {
                0 => writeln!(out),
                n if n <= 12 => writeln!(out, "; legal: {}", evidence.legal.join(" ")),
                n => writeln!(out, "; legal: {} and {} more", evidence.legal[..12].join(" "), n - 12),
            }
        }
        Event::TakenBack { seat, to } => writeln!(out, "{}  takes back to {to}", who(*seat)),
        Event::Drawn => writeln!(out, "drawn by agreement"),
        Event::Adjudicated { winner: Some(seat) } => writeln!(out, "{}  wins, which is proved", who(*seat)),
        Event::Adjudicated { winner: None } => writeln!(out, "drawn, which is proved"),
        Event::Ended(verdict) => write_verdict(out, verdict),
    }
}

fn who(seat: Seat) -> String {
    format!("player {}", seat.index() + 1)
}

fn write_charge(out: &mut impl Write, charge: Option<Charge>) -> fmt::Result {
    match charge {
        None => Ok(()),
        Some(Charge { used, left }) => {
            write!(out, " ({} ms, {} ms left)", used.as_millis(), left.as_millis())
        }
    }
}

fn write_verdict(out: &mut impl Write, verdict: &Verdict) -> fmt::Result {
    let blame = verdict.ending.blame().map_or("nobody", |blame| blame.word());
    write!(out, "ended     {}; moves: {}; blame: {blame}", verdict.ending.cause, verdict.plies)?;
    match &verdict.outcome {
        None => write!(out, "; no outcome")?,
        Some(outcome) => {
            write!(out, "; winners:")?;
            outcome.winners.iter().try_for_each(|seat| write!(out, " {}", seat.index() + 1))?;
            write!(out, "; scores:")?;
            outcome.scores.as_slice().iter().try_for_each(|score| write!(out, " {score}"))?;
        }
    }
    writeln!(out, "\n          {}", words::verdict(verdict, &who))
}

/// All events as lines.
pub fn transcript<'a, P: Notation>(events: impl IntoIterator<Item = &'a EventOf<P>>) -> String
where
    P::Move: 'a,
{
    let mut text = String::new();
    for event in events {
        write_event(&mut text, event).expect("a string takes everything");
    }
    text
}

/// The hash of a text that is never kept (FNV-1a).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextHash(pub u64);

impl Default for TextHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Write for TextHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
