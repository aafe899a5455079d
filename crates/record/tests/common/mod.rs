//! Matches with everything that can happen in them.
#![allow(dead_code, reason = "each test file uses a part")]

use std::time::Duration;

use rookery_record::{Header, RecordWriter};
use rookery_referee::{
    Answering, Cause, Conduct, End, Event, EventOf, Evidence, Failure, Fault, Info, Limits, MatchSpec,
    Observer, Offence, Player, Question, Referee, Session, Start, Terms, TimeControl, play,
};
use rookery_rules::{Notation, Position, Rng, Seat, Seed, Setup, below};

/// The terms of a test match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wild {
    pub(crate) seed: u64,
    pub(crate) time: TimeControl,
    pub(crate) conduct: Conduct,
    pub(crate) max_turns: Option<u64>,
    pub(crate) casual: bool,
    /// Moves made before, and whether they are in the position instead of beside it.
    pub(crate) opening: Option<(u32, bool)>,
}

/// Rules of conduct of all kinds.
const CONDUCTS: &[&str] = &[
    "remove",
    "abort",
    "retry=1",
    "remove/abort,retry=2",
    "retry=until-deadline",
    "retry=1,in-play",
    "remove,play-on",
];

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
        casual: seed % 3 == 1,
        opening: (seed % 5 == 4).then_some((3, seed.is_multiple_of(2))),
    }
}

/// A plain match without a clock.
pub(crate) fn plain(seed: u64) -> Wild {
    Wild {
        conduct: Conduct::removing(),
        time: TimeControl::Untimed,
        max_turns: None,
        casual: false,
        opening: None,
        ..wild(seed)
    }
}

/// The spec of a match, and the position in which it begins.
pub(crate) fn agreed<S: Setup<Position: Notation>>(setup: &S, wild: Wild) -> (MatchSpec, S::Position) {
    let first = setup.start();
    let players = std::iter::repeat_n("random", first.n_seats());
    let mut spec = MatchSpec::new(&setup.spec(), players, Seed(wild.seed)).unwrap();
    for (seat, entry) in spec.seats.iter_mut().enumerate() {
        entry.name = format!("Ann \"{seat}\" \\ ü\u{1f427}\n");
    }
    spec.time = wild.time;
    spec.conduct = wild.conduct;
    spec.max_turns = wild.max_turns;
    spec.casual = wild.casual;
    spec.number = wild.seed.is_multiple_of(3).then_some(wild.seed + 1);
    if wild.seed % 4 == 1 {
        let think = Some(Duration::from_millis(1500));
        spec.limits = Limits { nodes: Some(1000), depth: Some(7), think, ..Limits::default() };
    }
    if let Some((n_moves, in_position)) = wild.opening {
        let mut rng = Seed(wild.seed).derive(8).rng();
        let (mut position, mut moves) = (first.clone(), vec![]);
        for _ in 0..n_moves {
            if let Some(mv) = position.random_move(&mut rng) {
                position.play_unchecked(mv);
                moves.push(mv.to_string());
            }
        }
        spec.start = Some(if in_position {
            Start { opening: None, position: Some(position.to_text()), moves: vec![] }
        } else {
            Start { opening: None, position: None, moves }
        });
    }
    let (start, _) = spec.first_position(first).unwrap();
    (spec, start)
}

pub(crate) fn header<S: Setup<Position: Notation>>(setup: &S, wild: Wild) -> Header {
    let (spec, start) = agreed(setup, wild);
    Header::new(spec, start.to_text())
}

/// Everything that happened in a match, as its observer saw it, and the record.
pub(crate) struct Played<P: Position> {
    pub(crate) record: Vec<u8>,
    pub(crate) events: Vec<EventOf<P>>,
    pub(crate) referee: Referee<P>,
}

/// A referee given answers of all kinds without waiting for anybody.
pub(crate) fn simulate<S: Setup<Position: Notation>>(setup: &S, wild: Wild) -> Played<S::Position> {
    let mut rng = Seed(wild.seed).derive(7).rng();
    let (spec, start) = agreed(setup, wild);
    let early: Vec<_> = start.legal_moves().collect();
    let mut record = vec![];
    let mut events: Vec<EventOf<S::Position>> = vec![];
    let header = Header::new(spec.clone(), start.to_text());
    let mut watch = (RecordWriter::new(&mut record, header), &mut events);
    let mut referee = Referee::of_spec(&spec, start.clone());
    let mut movers = vec![];
    watch.see(&Event::Started(Box::new(start.clone())), &start);
    while let Some(seat) = referee.to_ask() {
        let event = deed(&mut referee, seat, &early, &movers, &mut rng);
        match &event {
            Some(Event::Moved { seat, .. }) => movers.push(*seat),
            Some(Event::TakenBack { to, .. }) => movers.truncate(*to as usize),
            _ => {}
        }
        if let Some(event) = event {
            watch.see(&event, referee.position());
        }
    }
    let verdict = referee.verdict().expect("nobody is asked").clone();
    watch.see(&Event::Ended(Box::new(verdict)), referee.position());
    watch.0.finish().unwrap();
    Played { record, events, referee }
}

/// Something that can happen while a seat is asked.
fn deed<P: Position>(
    referee: &mut Referee<P>,
    seat: Seat,
    early: &[P::Move],
    movers: &[Seat],
    rng: &mut Rng,
) -> Option<EventOf<P>> {
    let time = Duration::from_micros(u64::from(below(rng, 40_000)));
    let used = (referee.clock().control() != TimeControl::Untimed).then_some(time);
    let any_seat = Seat::new(below(rng, referee.position().n_seats() as u32) as u8);
    match below(rng, 300) {
        0 => {
            referee.stop(Cause::Cancelled, None, "the operator said \"stop\"".to_owned());
            None
        }
        1 => {
            referee.stop(Cause::PlatformAbort, Some(seat), "it did not stop".to_owned());
            None
        }
        2 => referee.judge(Err(Failure::Platform("the disk is full\n".to_owned())), None),
        3 => referee.judge(Err(Failure::Resigned), used),
        4 => referee.resign(any_seat),
        5 => referee.draw(),
        6..11 => {
            let offence = Offence::ALL[below(rng, 13) as usize];
            referee.foul(any_seat, fault(offence))
        }
        11..15 => referee.judge(Err(fault(Offence::Malformed).into()), used),
        15..40 => {
            let text = format!("well… {time:?} \"{seat:?}\" \\ {}", "é".repeat(below(rng, 240) as usize));
            Some(Event::Said { seat: any_seat, text })
        }
        40..55 => {
            let mv = early.iter().find(|&&mv| !referee.position().is_legal(mv))?;
            referee.judge(Ok(*mv), used)
        }
        55..75 if !movers.is_empty() => {
            let to = below(rng, movers.len() as u32);
            referee.take_back(movers[to as usize], u64::from(to))
        }
        n => {
            let mv = referee.position().random_move(rng).expect("the game goes on");
            let event = referee.judge(Ok(mv), used)?;
            let Event::Moved { seat, mv, charge, .. } = event else { panic!("a legal move is played") };
            let info = Info {
                depth: Some(n),
                score: Some(i64::from(n) - 200),
                line: vec![mv.to_string(), "…".to_owned()],
                text: (n % 2 == 0).then(|| "\"fine\" \\".to_owned()),
            };
            Some(Event::Moved { seat, mv, charge, info: (n % 5 == 0).then(|| Box::new(info)) })
        }
    }
}

/// An offence with all the evidence there can be.
fn fault(offence: Offence) -> Fault {
    let evidence = Evidence {
        sent: Some("\u{fffd}x \"\\".to_owned()),
        note: "it happened \t so".to_owned(),
        expected: Some("a move".to_owned()),
        exit: Some("exit status 3".to_owned()),
        stderr: Some("Traceback\n  line 2\n".to_owned()),
        ..Evidence::default()
    };
    Fault::with(offence, evidence)
}

/// Does what the seed of the question says, and nothing that depends on anything else: a match goes on as it began.
pub(crate) struct Rascal<P: Position> {
    pub(crate) early: Vec<P::Move>,
}

impl<P: Position> Player<P> for Rascal<P> {
    fn choose<'a>(&'a mut self, question: Question<'a, P>) -> Answering<'a, P::Move> {
        let mut rng: Rng = question.seed.derive(u64::from(question.refused)).rng();
        let illegal = self.early.iter().find(|&&mv| !question.position.is_legal(mv));
        Answering::Now(match (below(&mut rng, 60), illegal) {
            (0, _) => Err(fault(Offence::Malformed).into()),
            (1..4, Some(&mv)) => Ok(mv),
            (4, _) if question.ply > 10 => Err(Failure::Resigned),
            _ => Ok(question.position.random_move(&mut rng).expect("the game goes on")),
        })
    }

    fn info(&mut self) -> Option<Box<Info>> {
        Some(Box::new(Info { depth: Some(3), ..Info::default() }))
    }
}

pub(crate) fn rascals<P: Position>(start: &P) -> Vec<Box<dyn Player<P>>> {
    let rascal = || Box::new(Rascal { early: start.legal_moves().collect() }) as Box<dyn Player<P>>;
    (0..start.n_seats()).map(|_| rascal()).collect()
}

/// Plays on to the end.
pub(crate) fn play_on<P: Position>(
    referee: Referee<P>,
    spec: &MatchSpec,
    players: &mut [Box<dyn Player<P>>],
    observer: &mut (dyn Observer<P> + Send),
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let terms = Terms::default();
    let end = runtime.block_on(play(referee, players, &Session::new(spec, &terms), observer));
    assert!(matches!(end, End::Verdict(_)));
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
