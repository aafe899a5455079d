//! What a bot is told of the other seats: names, labels and how the game ended, but neither commands nor what a program
//! wrote, which may hold anything.

use rookery_referee::{Cause, Evidence, MatchSpec, SeatEntry, SeatSpec, Verdict, words};
use rookery_rules::Seat;

/// What a seat is called to bots. Who was given no name is called by its spec among people; if that is a command, the label
/// of its seat has to do.
pub(crate) fn name_of(entry: &SeatEntry) -> &str {
    let is_command =
        matches!(entry.player, SeatSpec::Command(_)) && entry.name.starts_with(&entry.player.to_string());
    if is_command { &entry.label } else { &entry.name }
}

/// How a match ended, in one sentence for the bot of a seat. What speaks against a player is told to that player alone.
pub(crate) fn sentence(spec: &MatchSpec, verdict: &Verdict, own: Seat) -> String {
    let mut told = verdict.clone();
    let ending = &mut told.ending;
    // Why a match was stopped is said by whoever runs it, to all.
    if ending.seat != Some(own) && ending.cause != Cause::Cancelled {
        let refused =
            |evidence: Box<Evidence>| Box::new(Evidence { refused: evidence.refused, ..Evidence::default() });
        ending.evidence = ending.evidence.take().map(refused);
    }
    words::verdict(&told, &|seat| match spec.seats.get(seat.index()) {
        Some(entry) if name_of(entry) == entry.label => entry.label.clone(),
        _ => spec.who(seat),
    })
}
