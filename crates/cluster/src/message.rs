//! What travels: lists of questions and answers as JSON, bells, and records packed behind their claim.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rookery_referee::MatchSpec;
use rookery_store::MAX_RECORD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::JobId;
use crate::core::Claim;

/// The longest message that is read, in bytes. Brokers refuse more than 1 MiB by themselves.
const MAX_MESSAGE: usize = 8 << 20;

/// A bell: everything that it takes to play the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bell {
    pub(crate) key: JobId,
    pub(crate) attempt: u32,
    pub(crate) spec: MatchSpec,
    #[serde(default)]
    pub(crate) until_proved: bool,
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

/// A record with its claim before it.
pub(crate) fn write_record(claim: &Claim<JobId>, record: &[u8]) -> Vec<u8> {
    let mut bytes = write(claim);
    bytes.push(b'\n');
    let mut packer = DeflateEncoder::new(bytes, Compression::fast());
    packer.write_all(record).expect("memory takes it");
    packer.finish().expect("memory takes it")
}

/// The claim and the record, if it is one within bounds.
pub(crate) fn read_record(bytes: &[u8]) -> Option<(Claim<JobId>, Vec<u8>)> {
    if bytes.len() > MAX_MESSAGE {
        return None;
    }
    let end = bytes.iter().take(1000).position(|&byte| byte == b'\n')?;
    let claim = read(&bytes[..end])?;
    let mut record = vec![];
    let bound = MAX_RECORD as u64 + 1;
    DeflateDecoder::new(&bytes[end + 1..]).take(bound).read_to_end(&mut record).ok()?;
    (record.len() <= MAX_RECORD).then_some((claim, record))
}
