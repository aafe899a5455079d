//! A bot that may say anything.

use std::sync::Arc;
use std::time::Duration;

use rookery_bots::{PROTOCOL, greet};
use rookery_catalog::{CATALOG, agree};
use rookery_live::{Guest, prepare};
use rookery_referee::{Blame, End, TimeControl};
use rookery_rules::{GameSpec, Seat, Seed};
use rookery_wire::memory::Choppy;
use rookery_wire::{Connection, Lent, Protocols};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};
use tokio::runtime::Builder;

/// Between two answers in the data.
pub(crate) const NEXT: u8 = 0;
/// Stands for the id of the turn that was asked last.
pub(crate) const ID: u8 = 1;
/// The bytes before the first answer: the game, and where what travels is cut.
pub(crate) const HEAD: usize = 2;

/// How long everybody has. The clock stands still while something happens, so that it costs nothing.
const TIME: Duration = Duration::from_secs(1);

/// Plays a match with a bot whose answers are these bytes: the first byte chooses the game, the second where what travels is
/// cut, and the rest are answers, one for each question. However it ends, it is never our failure, and nobody but the bot is
/// to blame.
pub fn session(data: &[u8]) {
    let Some((&[game, cuts], answers)) = data.split_first_chunk::<HEAD>() else { return };
    // The clock is the runtime's own, and jumps when everybody waits.
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.expect("a runtime without threads can be built");
    runtime.block_on(async {
        let (ours, theirs) = duplex(256);
        let bot = bot(theirs, answers);
        let referee = referee(ours, usize::from(game), Seed(cuts.into()));
        tokio::join!(bot, referee);
    });
}

async fn referee(stream: DuplexStream, game: usize, cuts: Seed) {
    let (reader, writer) = split(Choppy::new(stream, cuts));
    let connection = Connection::new(reader, writer, "memory", PROTOCOL.framing, PROTOCOL.bounds);
    let mut link: Box<dyn rookery_wire::Transport> = Box::new(connection);
    let Ok(greeting) = greet(&mut *link, TIME).await else { return };
    let spec = GameSpec::parse(CATALOG[game % CATALOG.len()].name()).expect("every game has a usual setup");
    let entries = ["bot=cmd:bot", "random"].map(|text| text.parse().expect("well formed"));
    let mut agreed = agree(&spec, &entries, Seed(1)).expect("every game can be played by two");
    agreed.time = TimeControl::PerMove(TIME);
    agreed.max_turns = Some(64);
    let random = Guest::built_in(&agreed_without_bot(&agreed)).expect("it is built in").remove(0);
    let guests = vec![Guest::Bot(Lent::new(link).0, Arc::new(greeting)), random];
    let Ok(prepared) = prepare(agreed, guests, &Protocols::default(), None) else { return };
    let End::Verdict(verdict) = prepared.run().await.end else { panic!("nobody has stopped it") };
    for ending in verdict.removed.iter().chain([&verdict.ending]) {
        assert_ne!(ending.blame(), Some(Blame::Platform), "{verdict:?}");
        if ending.blame() == Some(Blame::Player) {
            assert_eq!(ending.seat, Some(Seat::new(0)), "{verdict:?}");
        }
    }
}

/// The same match for the guests that need not be brought.
fn agreed_without_bot(agreed: &rookery_referee::MatchSpec) -> rookery_referee::MatchSpec {
    let mut others = agreed.clone();
    others.seats.remove(0);
    others
}

/// Sends one answer for each question, and leaves when there are no more.
async fn bot(stream: DuplexStream, answers: &[u8]) {
    let (reader, mut writer) = split(stream);
    let mut reader = BufReader::new(reader);
    let (mut line, mut id) = (vec![], vec![]);
    for answer in answers.split(|&byte| byte == NEXT) {
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let asks = [&b"{\"type\":\"hello\""[..], b"{\"type\":\"new_game\"", b"{\"type\":\"turn\""];
            if asks.iter().any(|kind| line.starts_with(kind)) {
                break;
            }
        }
        if let Some(after) = line.strip_prefix(b"{\"type\":\"turn\",\"id\":") {
            id = after.iter().copied().take_while(u8::is_ascii_digit).collect();
        }
        let said: Vec<u8> = answer
            .iter()
            .flat_map(|byte| if *byte == ID { id.as_slice() } else { std::slice::from_ref(byte) })
            .copied()
            .collect();
        if writer.write_all(&said).await.is_err() {
            return;
        }
    }
}
