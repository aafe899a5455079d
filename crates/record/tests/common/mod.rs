//! Matches with everything that can happen in them.
#![allow(dead_code, reason = "each test file uses a part")]

use std::time::Duration;

use rookery_record::{Header, Limits, RecordWriter};
use rookery_referee::{
    Cause, ChatBox, Clock, Conduct, Event, EventOf, Failure, Fault, Observer, Offence, Player, Question,
    Referee, Terms, TimeControl, play,
};
use rookery_rules::{Notation, Position, Rng, Seat, Seed, Setup, below};

/// The terms of a test match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wild {
    pub(crate) seed: u64,
    pub(crate) time: TimeControl,
    pub(crate) conduct: Conduct,
    pub(crate) max_turns: Option<u64>,
}

/// Rules of conduct of all kinds.
const CONDUCTS: &[&str] =
    &["remove", "abort", "retry=1", "remove/abort,retry=2", "retry=until-deadline", "retry=1,in-play"];

/// Other terms for every seed.
pub(crate) fn wild(seed: u64) -> Wild {
    let pick = |texts: &[&'static str], part| {
        texts[below(&mut Seed(seed).derive(part).rng(), texts.len() as u32) as usize]
    };
    Wild {
        seed,
        time: pick(&["untimed", "untimed", "2s", "10s+100ms", "1s/30s", "50ms+0s"], 100).parse().unwrap(),
        conduct: pick(CONDUCTS, 101).parse().unwrap(),
        max_turns: (seed % 7 == 3).then_some(20),
    }
}

pub(crate) fn header<S: Setup<Position: Notation>>(setup: &S, start: &S::Position, wild: Wild) -> Header {
    let names = (0..start.n_seats()).map(|seat| (format!("Ann \"{seat}\" \\ ü\u{1f427}\n"), "random"));
    let mut header = Header::new(setup, start, names, Seed(wild.seed));
    header.time = wild.time;
    header.conduct = wild.conduct;
    header.max_turns = wild.max_turns;
    header.number = wild.seed.is_multiple_of(3).then_some(wild.seed + 1);
    header.limits = (wild.seed % 4 == 1).then_some(Limits { nodes: Some(1000), ..Limits::default() });
    header
}

/// Everything that happened in a match, as its observer saw it, and the record.
pub(crate) struct Played<P: Position> {
    pub(crate) record: Vec<u8>,
    pub(crate) events: Vec<EventOf<P>>,
}

/// A referee given answers of all kinds without waiting for anybody.
pub(crate) fn simulate<S: Setup<Position: Notation>>(setup: &S, wild: Wild) -> Played<S::Position> {
    let mut rng = Seed(wild.seed).derive(7).rng();
    let mut start = setup.start();
    if wild.seed % 5 == 4 {
        // A position of its own: a few moves on.
        for _ in 0..3 {
            if let Some(mv) = start.random_move(&mut rng) {
                start.play_unchecked(mv);
            }
        }
    }
    let early: Vec<_> = start.legal_moves().collect();
    let mut record = vec![];
    let mut events: Vec<EventOf<S::Position>> = vec![];
    let mut watch = (RecordWriter::new(&mut record, header(setup, &start, wild)), &mut events);
    let mut clock = Clock::new(wild.time, start.n_seats());
    let mut referee = Referee::new(start.clone(), wild.conduct);
    if let Some(max_turns) = wild.max_turns {
        referee = referee.with_max_plies(max_turns);
    }
    watch.see(&Event::Started(start.clone()), &start);
    while let Some(seat) = referee.to_ask() {
        let used = Duration::from_micros(u64::from(below(&mut rng, 40_000)));
        let event = match below(&mut rng, 200) {
            0 => {
                referee.stop(Cause::Cancelled, "the operator said \"stop\"".to_owned());
                None
            }
            1 => referee.judge(Err(Failure::Platform("the disk is full\n".to_owned())), None),
            2 => referee.judge(Err(Failure::Resigned), None),
            3..8 => {
                let other = Seat::new(below(&mut rng, start.n_seats() as u32) as u8);
                let offence = Offence::ALL[below(&mut rng, 13) as usize];
                referee.foul(other, Fault::new(offence, "it happened \t so"))
            }
            8..12 => {
                let fault = Fault::new(Offence::Malformed, "sent \"�x\": no move");
                let charge = clock.preview(seat, used);
                referee.judge(Err(fault.into()), charge)
            }
            12..30 => {
                let text =
                    format!("well… {used:?} \"{seat}\" \\ {}", "é".repeat(below(&mut rng, 250) as usize));
                Some(Event::Said { seat: Seat::new(below(&mut rng, start.n_seats() as u32) as u8), text })
            }
            30..40 => match early.iter().find(|&&mv| !referee.position().is_legal(mv)) {
                Some(&mv) => {
                    let charge = clock.preview(seat, used);
                    referee.judge(Ok(mv), charge)
                }
                None => continue,
            },
            _ => {
                let mv = referee.position().random_move(&mut rng).expect("the game goes on");
                let charge = clock.charge(seat, used, true);
                referee.judge(Ok(mv), charge)
            }
        };
        if let Some(event) = event {
            watch.see(&event, referee.position());
        }
    }
    let verdict = referee.verdict().expect("nobody is asked").clone();
    watch.see(&Event::Ended(verdict), referee.position());
    watch.0.finish().unwrap();
    Played { record, events }
}

/// Does what the seed of the question says, and nothing that depends on anything else: a match goes on as it began.
pub(crate) struct Rascal<P: Position> {
    pub(crate) early: Vec<P::Move>,
}

impl<P: Position> Player<P> for Rascal<P> {
    fn seated(&mut self, _: Seat, _: ChatBox) {}

    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> rookery_referee::Answering<'a, P::Move> {
        let mut rng: Rng = question.seed.derive(u64::from(question.refused)).rng();
        let illegal = self.early.iter().find(|&&mv| !question.position.is_legal(mv));
        rookery_referee::Answering::Now(match (below(&mut rng, 60), illegal) {
            (0, _) => Err(Fault::new(Offence::Malformed, "sent \"?\": no move").into()),
            (1..4, Some(&mv)) => Ok(mv),
            (4, _) if question.ply > 10 => Err(Failure::Resigned),
            _ => Ok(question.position.random_move(&mut rng).expect("the game goes on")),
        })
    }
}

pub(crate) fn rascals<P: Position>(start: &P) -> Vec<Box<dyn Player<P>>> {
    let rascal = || Box::new(Rascal { early: start.legal_moves().collect() }) as Box<dyn Player<P>>;
    (0..start.n_seats()).map(|_| rascal()).collect()
}

/// Plays on, and gives back what was written.
pub(crate) fn play_on<P: Position>(
    referee: Referee<P>,
    clock: Option<Clock>,
    wild: Wild,
    players: &mut [Box<dyn Player<P>>],
    observer: &mut (dyn Observer<P> + Send),
) {
    let mut terms = Terms::new(wild.time, Seed(wild.seed));
    terms.clock = clock;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(play(referee, players, &terms, observer));
}

/// A setup of every kind, as `check::<Setup>("options")`.
#[macro_export]
macro_rules! for_every_game {
    ($check:ident) => {
        for options in ["rows=3,cols=3", "rows=5,cols=5,eliminate=choose", "rows=8,cols=8"] {
            $check::<rookery_games::hexapawn::Setup>(options);
        }
        for options in
            ["rows=4,cols=4,fish=2", "rows=5,cols=5,players=4,holes=2,seed=3", "board=classic,players=3"]
        {
            $check::<rookery_games::fish::Setup>(options);
        }
        for options in ["rows=4,cols=4,quiet=20", "rows=5,cols=5,players=4,stones=3,layout=corners"] {
            $check::<rookery_games::stones::Setup>(options);
        }
        for options in ["", "max-turns=60"] {
            $check::<rookery_games::renpaarden::Setup>(options);
        }
    };
}
