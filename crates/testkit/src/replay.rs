//! What was seen of a match, played again by the rules: the record must give the same positions and the same verdict.

use rookery_referee::{
    Cause, Event, EventOf, Foul, LISTED_MOVES, MAX_CHAT_CHARS, MAX_CHAT_LINES, Observer, Offence, Ruling,
    Verdict,
};
use rookery_rules::{MAX_SEATS, Outcome, Position, Seat, Seats, Status};

/// An observer that keeps everything: each event with the position after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch<P: Position>(pub Vec<(EventOf<P>, P)>);

impl<P: Position> Default for Watch<P> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<P: Position> Observer<P> for Watch<P> {
    fn see(&mut self, event: &EventOf<P>, position: &P) {
        self.0.push((event.clone(), position.clone()));
    }
}

impl<P: Position> Watch<P> {
    /// The events without the positions.
    pub fn events(&self) -> impl Iterator<Item = &EventOf<P>> {
        self.0.iter().map(|(event, _)| event)
    }

    /// All offences, in order.
    pub fn fouls(&self) -> impl Iterator<Item = &Foul> {
        self.events().filter_map(|event| if let Event::Fouled(foul) = event { Some(&**foul) } else { None })
    }

    /// How many lines were said.
    pub fn n_said(&self) -> usize {
        self.events().filter(|event| matches!(event, Event::Said { .. })).count()
    }

    /// Who resigned or was removed.
    pub fn removed(&self) -> Seats {
        self.events().filter_map(removal).collect()
    }

    /// Plays the match again by its events and compares every position, every list of legal moves, and the verdict.
    ///
    /// # Panics
    /// If anything differs.
    pub fn check(&self, verdict: &Verdict) {
        let Some((Event::Started(start), _)) = self.0.first() else { panic!("a match begins with Started") };
        let mut position = P::clone(start);
        let (mut removed, mut said) = (Seats::NONE, [0; MAX_SEATS]);
        // How it stood before each move.
        let mut past = vec![];
        for (idx, (event, after)) in self.0.iter().enumerate() {
            let is_last = idx + 1 == self.0.len();
            assert_eq!(matches!(event, Event::Ended(_)), is_last, "Ended comes once, and last: event {idx}");
            match event {
                Event::Started(_) => assert_eq!(idx, 0, "Started comes once, and first"),
                Event::Moved { seat, mv, info, .. } => {
                    assert_eq!(position.to_move(), Some(*seat), "who moved was to move: event {idx}");
                    past.push((position.clone(), removed));
                    position.play(*mv).expect("a move in the record is legal");
                    assert!(
                        info.as_ref().is_none_or(|info| info.is_bounded()),
                        "what is said of it is bounded"
                    );
                }
                Event::Said { seat, text } => {
                    said[seat.index()] += 1;
                    assert!(said[seat.index()] <= MAX_CHAT_LINES, "{seat:?} says only so much");
                    assert!(text.chars().count() <= MAX_CHAT_CHARS, "{seat:?} says only so much at once");
                }
                Event::Resigned { seat } => position.remove(*seat),
                Event::Fouled(foul) => check_foul(&mut position, foul),
                Event::TakenBack { seat, to } => {
                    past.truncate(*to as usize + 1);
                    assert_eq!(past.len() as u64, to + 1, "there was such a move: event {idx}");
                    (position, removed) = past.pop().expect("there was such a move");
                    assert_eq!(position.to_move(), Some(*seat), "who takes back decides again: event {idx}");
                }
                Event::Drawn | Event::Adjudicated { .. } => {}
                Event::Ended(ended) => assert_eq!(**ended, *verdict, "the record has the verdict"),
            }
            if let Some(seat) = removal(event) {
                removed.put_in(seat);
            }
            assert_eq!(after, &position, "the rules lead to the same position: event {idx}, {event:?}");
        }
        assert_eq!(past.len() as u64, verdict.plies, "the moves are counted");
        let told: Seats = verdict.removed.iter().filter_map(|ending| ending.seat).collect();
        assert_eq!(told, removed, "the verdict says who was removed");
        check_end(&position, verdict, removed);
    }
}

/// Who is out by this event.
fn removal<P, M>(event: &Event<P, M>) -> Option<Seat> {
    match event {
        Event::Resigned { seat } => Some(*seat),
        Event::Fouled(foul) if foul.ruling == Ruling::Removed => Some(foul.seat),
        _ => None,
    }
}

fn check_foul<P: Position>(position: &mut P, foul: &Foul) {
    let evidence = &foul.evidence;
    assert!(evidence.is_bounded(), "evidence is bounded: {foul:?}");
    let legal: Vec<String> = position.legal_moves().take(LISTED_MOVES).map(|mv| mv.to_string()).collect();
    if position.to_move() == Some(foul.seat) {
        assert_eq!(evidence.legal, legal, "the proof lists the legal moves");
    } else {
        assert!(evidence.legal.is_empty(), "who owes no move is shown none");
        assert_ne!(foul.ruling, Ruling::AskAgain, "who owes no answer is not asked again");
    }
    if matches!(foul.offence, Offence::IllegalMove | Offence::Malformed) {
        assert!(!evidence.note.is_empty(), "a refusal says why");
    }
    if foul.ruling == Ruling::Removed {
        position.remove(foul.seat);
    }
}

fn check_end<P: Position>(position: &P, verdict: &Verdict, removed: Seats) {
    let over = match position.status() {
        Status::Over(outcome) => Some(outcome),
        Status::ToMove(_) => None,
    };
    let won = |seat: Seat| verdict.outcome.as_ref().is_some_and(|outcome| outcome.winners.contains(seat));
    match verdict.ending.cause {
        Cause::Resigned if over.is_none() => {
            // All have resigned but one, who would have to play on alone.
            let out = |seat: &Seat| removed.contains(*seat) || !position.playing().contains(*seat);
            let left: Vec<Seat> = Seat::all(position.n_seats()).filter(|seat| !out(seat)).collect();
            let [winner] = left[..] else { panic!("one is left: {verdict:?}") };
            assert_eq!(verdict.outcome, Some(Outcome::win(position.n_seats(), winner)), "and has won");
        }
        Cause::Normal | Cause::Resigned => {
            assert!(over.is_some(), "the game is over: {verdict:?}");
            assert_eq!(over, verdict.outcome, "the outcome is that of the rules");
        }
        Cause::Adjudicated => {
            assert!(over.is_none(), "an adjudicated game was going on: {verdict:?}");
            let n_winners = verdict.outcome.as_ref().map(|outcome| outcome.winners.len());
            assert!(n_winners.is_some_and(|n| n > 0), "it has a result: {verdict:?}");
        }
        Cause::Offence(_) if verdict.outcome.is_some() => {
            assert_eq!(over, verdict.outcome, "the outcome is that of the rules");
        }
        Cause::Offence(_) => assert!(over.is_none(), "an aborted game was going on: {verdict:?}"),
        Cause::MaxTurns | Cause::DrawAgreed => {
            assert!(over.is_none(), "a drawn game was going on: {verdict:?}");
            let share = |seat| position.playing().contains(seat) && !removed.contains(seat);
            let shared = Seat::all(position.n_seats()).all(|seat| won(seat) == share(seat));
            assert!(shared, "all who still play share the first place: {verdict:?}");
        }
        Cause::PlatformAbort | Cause::Cancelled => assert_eq!(verdict.outcome, None, "nobody wins or loses"),
    }
    for seat in removed.iter() {
        assert!(!won(seat), "who was removed does not win: {seat:?}, {verdict:?}");
    }
}
