//! What is said is seen by all, in one order, before the move it came before.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::{Arc, Mutex};

use common::{Table, ms};
use rookery_games::fish;
use rookery_referee::{
    Answering, BoxFuture, ChatBox, End, Event, EventOf, Fault, Invitation, MatchSpec, Observer, Player,
    Question, Referee, Session, Terms, play,
};
use rookery_rules::{Position, Seed, Setup};
use tokio::time::sleep;

/// Everything that was heard, as words.
type Heard = Arc<Mutex<Vec<String>>>;

fn word<P: Position>(event: &EventOf<P>) -> String {
    match event {
        Event::Said { text, .. } => text.clone(),
        Event::Moved { seat, .. } => format!("{} moves", seat.index()),
        Event::Ended(_) => "ended".to_owned(),
        Event::Resigned { .. } => "resigned".to_owned(),
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}

/// Notes everything.
struct Notes(Heard);

impl<P: Position> Observer<P> for Notes {
    fn see(&mut self, event: &EventOf<P>, _: &P) {
        self.0.lock().unwrap().push(word::<P>(event));
    }
}

/// Talks before it moves, while it thinks, and when it hears of a move; takes note quickly or slowly.
struct Talker {
    heard: Heard,
    chat: Option<ChatBox>,
    seat: usize,
    n_asked: usize,
    /// Thinks for a while instead of answering at once.
    thinks: bool,
    hears_slowly: bool,
}

impl<P: Position> Player<P> for Talker {
    fn seated(&mut self, invitation: &Invitation<'_, P>) {
        self.seat = invitation.seat.index();
        self.chat = Some(invitation.chat.clone());
    }

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let mv = question.position.legal_moves().next().unwrap();
        let (seat, turn) = (self.seat, self.n_asked);
        self.n_asked += 1;
        let chat = self.chat.clone().unwrap();
        chat.say(&format!("{seat} begins {turn}"));
        if !self.thinks {
            chat.say(&format!("{seat} answers {turn}"));
            return Answering::Now(Ok(mv));
        }
        Answering::Later(Box::pin(async move {
            sleep(ms(10)).await;
            chat.say(&format!("{seat} thinks {turn}"));
            sleep(ms(10)).await;
            // In the very moment of its answer.
            chat.say(&format!("{seat} answers {turn}"));
            Ok(mv)
        }))
    }

    fn hear<'a>(&'a mut self, event: &'a EventOf<P>, _: &'a P) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.heard.lock().unwrap().push(word::<P>(event));
        if let Event::Moved { seat, .. } = event
            && seat.index() != self.seat
            && self.n_asked.is_multiple_of(2)
        {
            self.chat.as_ref().unwrap().say(&format!("{} comments", self.seat));
        }
        self.hears_slowly.then(|| {
            Box::pin(async {
                sleep(ms(7)).await;
                Ok(())
            }) as BoxFuture<'a, _>
        })
    }
}

fn talkers(n: usize) -> (Vec<Heard>, Vec<Talker>) {
    let heard: Vec<Heard> = (0..n).map(|_| Heard::default()).collect();
    let talker = |(idx, heard): (usize, &Heard)| Talker {
        heard: Arc::clone(heard),
        chat: None,
        seat: 0,
        n_asked: 0,
        thinks: idx % 2 == 0,
        hears_slowly: idx == 1,
    };
    let talkers = heard.iter().enumerate().map(talker).collect();
    (heard, talkers)
}

#[tokio::test(start_paused = true)]
async fn all_see_the_same_in_the_same_order() {
    let setup = fish::Setup::table("rows=4,cols=4,players=3,fish=1");
    let (heard, talkers) = talkers(3);
    let mut players: Vec<Box<dyn Player<_>>> =
        talkers.into_iter().map(|talker| Box::new(talker) as _).collect();
    let spec = MatchSpec::new("fish", ["cmd:a", "cmd:b", "cmd:c"], Seed(1)).unwrap();
    let seen = Heard::default();
    let referee = Referee::of_spec(&spec, setup.start());
    let mut notes = Notes(Arc::clone(&seen));
    let end = play(referee, &mut players, &Session::new(&spec, &Terms::default()), &mut notes).await;
    assert!(matches!(end, End::Verdict(_)));
    let seen = seen.lock().unwrap().clone();
    for (seat, heard) in heard.iter().enumerate() {
        assert_eq!(*heard.lock().unwrap(), seen, "seat {seat} hears what is recorded, in this order");
    }
    // What is said before a move stands before it: between its beginning and the move nobody else moves.
    let mut turns = [0; 3];
    for (idx, line) in seen.iter().enumerate() {
        let Some((seat, _)) = line.split_once(" moves") else { continue };
        let seat: usize = seat.parse().unwrap();
        let last = seen[..idx].iter().rposition(|line| line.ends_with(" moves")).map_or(0, |last| last + 1);
        let (begins, answers) =
            (format!("{seat} begins {}", turns[seat]), format!("{seat} answers {}", turns[seat]));
        turns[seat] += 1;
        let since = &seen[last..idx];
        assert!(since.contains(&begins) && since.contains(&answers), "{line} after {since:?}");
    }
    assert!(turns.iter().all(|&n| n >= 3), "{turns:?}");
    assert!(seen.iter().any(|line| line.ends_with("comments")), "they talk when it is not their turn, too");
    assert_eq!(seen.last().map(String::as_str), Some("ended"));
}

/// Three players talk until the match is cancelled after 22 ms: what was seen then and in the end, what each heard, and
/// how many moves were made. The start takes the slow one 7 ms; at 17 ms the first one speaks, at 27 ms it would move.
async fn cancelled_early() -> (Vec<String>, Vec<String>, Vec<Heard>, u64) {
    let setup = fish::Setup::table("rows=4,cols=4,players=3,fish=1");
    let (heard, talkers) = talkers(3);
    let mut players: Vec<Box<dyn Player<_>>> =
        talkers.into_iter().map(|talker| Box::new(talker) as _).collect();
    let spec = MatchSpec::new("fish", ["cmd:a", "cmd:b", "cmd:c"], Seed(1)).unwrap();
    let seen = Heard::default();
    let mut notes = Notes(Arc::clone(&seen));
    let terms = Terms::default();
    let session = Session::new(&spec, &terms);
    let controls = session.controls.clone();
    let referee = Referee::of_spec(&spec, setup.start());
    let script = async {
        sleep(ms(22)).await;
        controls.cancel("enough");
        seen.lock().unwrap().clone()
    };
    let (end, then) = tokio::join!(play(referee, &mut players, &session, &mut notes), script);
    let at_the_end = seen.lock().unwrap().clone();
    (then, at_the_end, heard, end.verdict().unwrap().plies)
}

#[tokio::test(start_paused = true)]
async fn a_line_is_seen_while_the_speaker_still_thinks() {
    let (seen, _, _, plies) = cancelled_early().await;
    assert!(seen.contains(&"0 thinks 0".to_owned()), "{seen:?}");
    assert!(!seen.contains(&"0 moves".to_owned()), "{seen:?}");
    assert_eq!(plies, 0);
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_the_end_is_heard_before_the_end() {
    let (_, seen, heard, _) = cancelled_early().await;
    assert_eq!(seen.iter().filter(|line| line.starts_with("0 ")).count(), 2, "{seen:?}");
    for heard in &heard {
        assert_eq!(*heard.lock().unwrap(), seen);
    }
}
