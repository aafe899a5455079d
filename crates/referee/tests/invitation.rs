//! What players are told of a match that goes on: from where the moves begin they lead to where the match stands.
#![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

mod common;

use std::sync::{Arc, Mutex};

use common::Table as _;
use rookery_games::fish;
use rookery_referee::{
    Answering, EventOf, Invitation, MatchSpec, Observer, Player, Question, Referee, Session, Terms, play,
};
use rookery_rules::{Notation as _, Position as _, Seat, Seed, Setup as _};

type Told = Arc<Mutex<Vec<(String, usize)>>>;

/// Notes where the moves begin that it was told, and how many there are.
struct Listener(Told);

impl Player<fish::Position> for Listener {
    fn seated(&mut self, invitation: &Invitation<'_, fish::Position>) {
        self.0.lock().unwrap().push((invitation.start.to_text(), invitation.moves.len()));
    }

    fn choose<'a>(&'a mut self, question: Question<'a, fish::Position>) -> Answering<'a, fish::Move> {
        Answering::Now(Ok(question.position.legal_moves().next().unwrap()))
    }
}

struct Nobody;

impl Observer<fish::Position> for Nobody {
    fn see(&mut self, _: &EventOf<fish::Position>, _: &fish::Position) {}
}

#[tokio::test(start_paused = true)]
async fn moves_alone_do_not_lead_to_where_somebody_was_removed() {
    for resigned in [false, true] {
        let start = fish::Setup::table("rows=4,cols=4,players=3,fish=1").start();
        let spec = MatchSpec::new("fish", ["cmd:a", "cmd:b", "cmd:c"], Seed(1)).unwrap();
        let mut referee = Referee::of_spec(&spec, start.clone());
        let mv = start.legal_moves().next().unwrap();
        referee.judge(Ok(mv), None);
        if resigned {
            referee.resign(Seat::new(1)).unwrap();
        }
        let expected = if resigned { (referee.position().to_text(), 0) } else { (start.to_text(), 1) };
        let told = Told::default();
        let mut players: Vec<Box<dyn Player<_>>> =
            (0..3).map(|_| Box::new(Listener(Arc::clone(&told))) as _).collect();
        let terms = Terms::default();
        let session = Session { moves: &[mv], start: Some(&start), ..Session::new(&spec, &terms) };
        play(referee, &mut players, &session, &mut Nobody).await;
        assert_eq!(*told.lock().unwrap(), vec![expected; 3]);
    }
}
