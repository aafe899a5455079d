//! Records and tournaments that the tests store.

use rookery_games::fish;
use rookery_games::hexapawn::Setup;
use rookery_record::{Header, RecordWriter, random_record};
use rookery_referee::{
    Cause, Ending, Event, Evidence, Fault, MatchSpec, Observer as _, Offence, Referee, Verdict,
};
use rookery_rules::{Notation, Position as _, Seed};
use rookery_store::{
    EntrantKind, NewEntrant, NewGame, NewTournament, Options, Receipt, Reserve, Store, Stored, TournamentId,
};
use rookery_tournament::{Format as _, Next, Pairing, Series};

/// The record of a random match of Hexapawn.
pub(crate) fn record(seed: u64) -> Vec<u8> {
    random_record(&Setup::default(), Seed(seed))
}

/// The record of a match with these names, as a tournament plays it.
pub(crate) fn record_of(names: [&str; 2], seed: u64) -> Vec<u8> {
    write_record("hexapawn", &Setup::default(), &names, seed, |referee, writer| {
        let mut rng = Seed(seed).rng();
        while let Some(mv) = referee.position().random_move(&mut rng).filter(|_| referee.verdict().is_none())
        {
            if let Some(event) = referee.judge(Ok(mv), None) {
                writer.see(&event, referee.position());
            }
        }
        referee.verdict().expect("a random match ends").clone()
    })
}

/// The record of a match that failed by our fault.
pub(crate) fn aborted(names: [&str; 2], seed: u64) -> Vec<u8> {
    let evidence = Some(Box::new(Evidence { note: "the test says so".to_owned(), ..Evidence::default() }));
    let ending = Ending { cause: Cause::PlatformAbort, seat: None, evidence };
    let verdict = Verdict { ending, outcome: None, plies: 0, removed: vec![] };
    write_record("hexapawn", &Setup::default(), &names, seed, |_, _| verdict)
}

/// The record of a match of Fish in which the first players fail, one after the other, in these ways.
pub(crate) fn failing(names: &[&str], offences: &[Offence]) -> Vec<u8> {
    let setup = fish::Setup { players: names.len() as u8, ..fish::Setup::default() };
    write_record(&format!("fish:players={}", names.len()), &setup, names, 1, |referee, writer| {
        let mut rng = Seed(1).rng();
        let mut offences = offences.iter();
        while referee.verdict().is_none() {
            let answer = match offences.next() {
                Some(&offence) => Err(Fault::new(offence, "the test says so").into()),
                None => Ok(referee.position().random_move(&mut rng).expect("the match is not over")),
            };
            if let Some(event) = referee.judge(answer, None) {
                writer.see(&event, referee.position());
            }
        }
        referee.verdict().expect("the match has ended").clone()
    })
}

fn write_record<S: rookery_rules::Setup<Position: Notation>>(
    game: &str,
    setup: &S,
    names: &[&str],
    seed: u64,
    play: impl FnOnce(&mut Referee<S::Position>, &mut RecordWriter<&mut Vec<u8>>) -> Verdict,
) -> Vec<u8> {
    let start = setup.start();
    let players: Vec<String> = names.iter().map(|name| format!("{name}=random")).collect();
    let spec = MatchSpec::new(game, players.iter().map(String::as_str), Seed(seed)).unwrap();
    let mut referee = Referee::of_spec(&spec, start.clone());
    let mut record = vec![];
    let mut writer = RecordWriter::new(&mut record, Header::new(spec, start.to_text()));
    writer.see(&Event::Started(Box::new(start.clone())), &start);
    let verdict = play(&mut referee, &mut writer);
    writer.see(&Event::Ended(Box::new(verdict)), referee.position());
    writer.finish().unwrap();
    record
}

pub(crate) fn built_in(name: &str) -> NewEntrant {
    let (name, player) = (name.to_owned(), "random".to_owned());
    NewEntrant { name, kind: EntrantKind::BuiltIn, player, version: None }
}

/// A tournament of two, with the pairings of a series of so many games.
pub(crate) fn series(store: &Store, n_games: u64) -> (TournamentId, Vec<Pairing>) {
    let entrants = vec![built_in("ann"), built_in("bob")];
    let spec = "{\"format\":\"series\"}".to_owned();
    let id = store.create_tournament(NewTournament { spec, seed: Seed(u64::MAX), entrants }).unwrap();
    let Next::Play(pairings) = Series::new(2, n_games).next(n_games as usize) else {
        panic!("games to play")
    };
    store.put_pairings(id, &pairings).unwrap();
    (id, pairings)
}

/// The record of a pairing of [`series`].
pub(crate) fn played(pairing: &Pairing) -> Vec<u8> {
    let names = [0, 1].map(|seat| ["ann", "bob"][pairing.entrants[seat].index()]);
    record_of(names, pairing.id)
}

/// Stores the records of these seeds, and waits for all of them.
pub(crate) fn put_all(store: &Store, seeds: std::ops::Range<u64>) {
    expect_new(seeds.map(|seed| store.put_game(NewGame::free(record(seed)))).collect());
}

/// Waits for games that were not stored before.
pub(crate) fn expect_new(receipts: Vec<Receipt<Stored>>) {
    for receipt in receipts {
        assert!(receipt.wait().unwrap().is_new);
    }
}

/// How tests open stores: with little room kept, since many run at a time.
pub(crate) fn options() -> Options {
    Options { ballast: 1 << 20, reserve: Reserve { bytes: 0, percent: 0 }, ..Options::default() }
}
