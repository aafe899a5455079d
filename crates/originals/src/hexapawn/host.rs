//! A match between whoever sits there, in either protocol.

use std::task::{Context, Poll};
use std::time::Duration;

use rookery_games::hexapawn::{Eliminate, Move, Position, Setup};
use rookery_referee::{
    Answering, BoxFuture, ChatBox, Conduct, EventOf, Fault, Observer, Player, Question, Referee, Terms,
    Verdict, play,
};
use rookery_rules::{Seat, Setup as _};
use rookery_wire::{Connection, Remote};

use super::elimination::{EliminationPlayer, ask_size};
use super::records::{Dialect, PlayerType};
use super::seed::SeedCodec;

/// Whoever sits at a seat.
pub enum Chair {
    /// A program or a person elsewhere.
    Remote {
        /// Where it is.
        connection: Box<Connection>,
        /// More time for its first answer.
        warm_up: Duration,
    },
    /// A player in this process.
    Local(Box<dyn Player<Position>>),
    /// Nobody came, for this reason.
    Absent(Fault),
}

impl std::fmt::Debug for Chair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Remote { connection, .. } => connection.fmt(f),
            Self::Local(_) => f.write_str("Local"),
            Self::Absent(fault) => fault.fmt(f),
        }
    }
}

impl Chair {
    /// Whoever is at the other end of a connection.
    pub fn remote(connection: Connection, warm_up: Duration) -> Self {
        Self::Remote { connection: Box::new(connection), warm_up }
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        if let Self::Remote { connection, .. } = self { Some(connection) } else { None }
    }
}

/// Which protocol is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// The first, with a spelling.
    Seed(Dialect),
    /// The second.
    Elimination,
}

/// What the match is about: the setup, and who has lost before it began.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The protocol.
    pub protocol: Protocol,
    /// The setup.
    pub setup: Setup,
    /// Whoever did something wrong before there was a board.
    pub offender: Option<(PlayerType, Fault)>,
}

/// The conduct of both protocols: one bad answer a turn is refused once the pawns move, everything else loses.
pub const CONDUCT: Conduct = Conduct::removing().with_retries(1).only_in_play();

/// Settles what is played. In the second protocol player 2 is asked for the size if it is at the end of a connection;
/// else it is the one given.
pub async fn agree(
    chairs: &mut [Chair; 2],
    protocol: Protocol,
    rows: u8,
    cols: u8,
    time: Duration,
) -> Agreed {
    let absent = PlayerType::BOTH.into_iter().find_map(|player| match &chairs[player as usize] {
        Chair::Absent(fault) => Some((player, fault.clone())),
        _ => None,
    });
    let eliminate = match protocol {
        Protocol::Seed(_) => Eliminate::Exactly(0),
        Protocol::Elimination => Eliminate::Choose,
    };
    let mut agreed = Agreed { protocol, setup: Setup { rows, cols, eliminate }, offender: absent };
    let [one, two] = chairs;
    if let (Protocol::Elimination, None, Chair::Remote { connection, warm_up }) =
        (protocol, &agreed.offender, two)
    {
        match ask_size(connection, one.connection(), time + *warm_up).await {
            Ok((rows, cols)) => agreed.setup = Setup { rows, cols, ..agreed.setup },
            Err(offender) => agreed.offender = Some(offender),
        }
    }
    agreed
}

/// Plays the match to its end and takes leave of those who came.
pub async fn host(
    mut chairs: [Chair; 2],
    agreed: &Agreed,
    terms: &Terms,
    observer: &mut (dyn Observer<Position> + Send),
) -> Verdict {
    let referee = Referee::new(agreed.setup.start(), CONDUCT);
    let mut players: Vec<Box<dyn Player<Position> + '_>> = PlayerType::BOTH
        .into_iter()
        .zip(&mut chairs)
        .map(|(player, chair)| {
            let seated = seat(player, chair, agreed);
            match &agreed.offender {
                Some((offender, fault)) if *offender == player => {
                    Box::new(Offender { player: seated, fault: fault.clone() })
                }
                _ => seated,
            }
        })
        .collect();
    let verdict = play(referee, &mut players, terms, observer).await;
    drop(players);
    let leaves = chairs.into_iter().filter_map(|chair| match chair {
        Chair::Remote { connection, .. } => Some(tokio::spawn(connection.close())),
        _ => None,
    });
    // Both at once: each may take its moment to end.
    for leave in leaves.collect::<Vec<_>>() {
        let _ = leave.await;
    }
    verdict
}

fn seat<'a>(player: PlayerType, chair: &'a mut Chair, agreed: &Agreed) -> Box<dyn Player<Position> + 'a> {
    let size = (agreed.setup.rows, agreed.setup.cols);
    match (chair, agreed.protocol) {
        (Chair::Remote { connection, warm_up }, Protocol::Seed(dialect)) => {
            Box::new(Remote::new(&mut **connection, SeedCodec::new(dialect, *warm_up)))
        }
        (Chair::Remote { connection, warm_up }, Protocol::Elimination) => {
            Box::new(EliminationPlayer::new(connection, player, size, *warm_up))
        }
        (Chair::Local(player), _) => Box::new(Lent(player.as_mut())),
        (Chair::Absent(_), _) => Box::new(Nobody),
    }
}

/// A player that somebody else owns.
struct Lent<'a>(&'a mut dyn Player<Position>);

impl Player<Position> for Lent<'_> {
    fn seated(&mut self, seat: Seat, chat: ChatBox) {
        self.0.seated(seat, chat);
    }

    fn choose<'a>(&'a mut self, question: Question<'a, Position>) -> Answering<'a, Move> {
        self.0.choose(question)
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.0.hear(event, position)
    }

    fn poll_foul(&mut self, cx: &mut Context<'_>) -> Poll<Fault> {
        self.0.poll_foul(cx)
    }

    fn extra_time(&self, position: &Position) -> Duration {
        self.0.extra_time(position)
    }

    fn is_built_in(&self) -> bool {
        self.0.is_built_in()
    }
}

/// An empty seat.
struct Nobody;

impl Player<Position> for Nobody {
    fn choose<'a>(&'a mut self, _: Question<'a, Position>) -> Answering<'a, Move> {
        unreachable!("whoever is absent has lost before the first question")
    }
}

/// A player that has lost before the first question, and still hears how it ended.
struct Offender<'a> {
    player: Box<dyn Player<Position> + 'a>,
    fault: Fault,
}

impl Player<Position> for Offender<'_> {
    fn choose<'a>(&'a mut self, _: Question<'a, Position>) -> Answering<'a, Move> {
        Answering::Now(Err(self.fault.clone().into()))
    }

    fn hear<'a>(
        &'a mut self,
        event: &'a EventOf<Position>,
        position: &'a Position,
    ) -> Option<BoxFuture<'a, Result<(), Fault>>> {
        self.player.hear(event, position)
    }

    fn poll_foul(&mut self, _: &mut Context<'_>) -> Poll<Fault> {
        Poll::Ready(self.fault.clone())
    }
}
