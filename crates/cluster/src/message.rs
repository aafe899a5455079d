//! What travels: lists of questions and answers as JSON, notifications, and records packed behind their claim.

use std::io::Read as _;

use flate2::read::DeflateDecoder;
use rookery_arena::Order;
use rookery_referee::MatchSpec;
use rookery_store::{MAX_RECORD, StoredBundle, pack};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::JobId;
use crate::core::Claim;

/// The longest message that is read, in bytes. Brokers refuse more than 1 MiB by themselves.
const MAX_MESSAGE: usize = 8 << 20;
/// The longest answer that is sent as it is, in bytes.
const MAX_PLAIN: usize = 256 << 10;
/// What a packed answer begins with.
const PACKED: u8 = 0;

/// A notification that a game is to be played, with everything that it takes to play it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notification {
    pub(crate) key: JobId,
    pub(crate) attempt: u32,
    pub(crate) spec: MatchSpec,
    #[serde(default)]
    pub(crate) until_proved: bool,
    /// The bots that have to be brought, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bots: Option<JobBots>,
    /// The speed for which the clock was meant, if machines of another one are to scale it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<u32>,
}

/// Bots of a game that come as archives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobBots {
    /// How much they are confined at least.
    pub(crate) sandbox: String,
    pub(crate) bundles: Vec<JobBundle>,
}

/// One of them: its archive has this SHA-256 and so many bytes, its files this hash.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobBundle {
    pub(crate) name: String,
    pub(crate) sha256: String,
    pub(crate) contents: String,
    pub(crate) bytes: u64,
}

impl JobBots {
    /// Those at the table of an order.
    pub(crate) fn of(order: &Order) -> Option<Self> {
        let bots = order.bots.as_ref()?;
        let bundle = |bundle: &StoredBundle| JobBundle {
            name: bundle.name.clone(),
            sha256: bundle.sha256.to_string(),
            contents: bundle.contents.clone(),
            bytes: bundle.bytes,
        };
        let bundles: Vec<JobBundle> = bots.at(&order.spec).map(bundle).collect();
        // Built-in players among themselves need no sandbox.
        (!bundles.is_empty()).then(|| Self { sandbox: bots.sandbox.to_string(), bundles })
    }
}

pub(crate) fn write<T: Serialize + ?Sized>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages are made of texts, numbers and lists")
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    if bytes.len() > MAX_MESSAGE {
        return None;
    }
    serde_json::from_slice(bytes).ok()
}

/// Like [`write`], and packed where brokers might not carry it. What is packed begins with a byte that no JSON begins with.
pub(crate) fn write_long<T: Serialize + ?Sized>(message: &T) -> Vec<u8> {
    let bytes = write(message);
    if bytes.len() <= MAX_PLAIN { bytes } else { pack(vec![PACKED], &bytes) }
}

/// Reads either.
pub(crate) fn read_long<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    match bytes.split_first() {
        Some((&PACKED, packed)) => serde_json::from_slice(&unpack(packed)?).ok(),
        _ => read(bytes),
    }
}

/// A record with its claim before it.
pub(crate) fn write_record(claim: &Claim<JobId>, record: &[u8]) -> Vec<u8> {
    let mut bytes = write(claim);
    bytes.push(b'\n');
    pack(bytes, record)
}

/// The claim of a packed record, and where the record begins.
pub(crate) fn read_claim(bytes: &[u8]) -> Option<(Claim<JobId>, usize)> {
    if bytes.len() > MAX_MESSAGE {
        return None;
    }
    let end = bytes.iter().take(1000).position(|&byte| byte == b'\n')?;
    Some((read(&bytes[..end])?, end + 1))
}

/// Unpacks a record, if it is one within bounds.
pub(crate) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut record = vec![];
    let bound = MAX_RECORD as u64 + 1;
    DeflateDecoder::new(packed).take(bound).read_to_end(&mut record).ok()?;
    (record.len() <= MAX_RECORD).then_some(record)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails here should fail")]

    use std::collections::BTreeSet;
    use std::time::Duration;

    use rookery_record::Header;
    use rookery_referee::{Limits, Start};
    use rookery_rules::Seed;
    use rookery_store::TournamentId;
    use serde_json::Value;

    use super::*;
    use crate::PROTOCOL;

    /// The names of all fields, those within others behind their names.
    fn fields(value: &Value, before: &str, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    let path = format!("{before}{name}");
                    fields(value, &format!("{path}."), found);
                    found.insert(path);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| fields(value, before, found)),
            _ => {}
        }
    }

    /// Whoever finds this broken by a new field raises `PROTOCOL` with it: programs of the version before refuse what they do not
    /// know, and must never get to see it.
    #[test]
    fn whatever_coordinators_and_workers_of_one_protocol_read_strictly_has_the_same_fields() {
        let MatchSpec { game, seats, seed, conduct, .. } =
            MatchSpec::new("hexapawn:rows=3,cols=3", ["first", "first"], Seed(1)).unwrap();
        let start = Start {
            opening: Some("a".to_owned()),
            position: Some("b".to_owned()),
            moves: vec!["c".to_owned()],
        };
        let limits =
            Limits { nodes: Some(1), playouts: Some(1), depth: Some(1), think: Some(Duration::from_secs(1)) };
        let spec = MatchSpec {
            game,
            start: Some(start),
            seats,
            seed,
            time: "1s".parse().unwrap(),
            scale: Some(1),
            speed: Some(1),
            limits,
            conduct,
            casual: true,
            max_turns: Some(1),
            number: Some(1),
        };
        let bundle =
            JobBundle { name: "a".to_owned(), sha256: "b".to_owned(), contents: "c".to_owned(), bytes: 1 };
        let notification = Notification {
            key: JobId { tournament: TournamentId::random(), pairing: 1, again: false },
            attempt: 1,
            spec: spec.clone(),
            until_proved: true,
            bots: Some(JobBots { sandbox: "full".to_owned(), bundles: vec![bundle] }),
            reference: Some(1),
        };
        let mut found = BTreeSet::new();
        fields(&serde_json::to_value(&notification).unwrap(), "", &mut found);
        fields(&serde_json::to_value(Header::new(spec, String::new())).unwrap(), "record.", &mut found);
        let found: Vec<&str> =
            found.iter().map(String::as_str).filter(|path| !path.starts_with("record.match.")).collect();
        let known = "attempt bots bots.bundles bots.bundles.bytes bots.bundles.contents bots.bundles.name bots.bundles.sha256 \
             bots.sandbox key record.match record.position record.software record.version reference spec spec.casual \
             spec.conduct spec.game spec.limits spec.limits.depth spec.limits.nodes spec.limits.playouts spec.limits.think \
             spec.max_turns spec.number spec.scale spec.seats spec.seats.label spec.seats.name spec.seats.player spec.seed spec.speed \
             spec.start spec.start.moves spec.start.opening spec.start.position spec.time until_proved";
        assert_eq!((PROTOCOL, found.join(" ").as_str()), (2, known));
    }

    #[test]
    fn a_long_answer_is_packed_so_that_a_broker_carries_it() {
        let workers: Vec<String> =
            (0..40_000).map(|number| format!("a worker of the name {number}")).collect();
        let bytes = write_long(&workers);
        assert!(write(&workers).len() > 1 << 20 && bytes.len() < 1 << 20, "{}", bytes.len());
        assert_eq!(read_long(&bytes), Some(workers));
        assert_eq!(write_long(&7), b"7");
        assert_eq!(read_long(b"7"), Some(7));
        assert_eq!(read_long::<u64>(&[PACKED, 1, 2, 3]), None);
    }
}
