//! What others say, read as coordinators and workers read it: for tests that say anything at all.

use async_nats::Message;

use crate::core::{Answer, Ask, Claim, Name};
use crate::server::Event;
use crate::{JobId, incoming, message};

/// What a coordinator makes of a message.
#[derive(Debug)]
pub enum Heard {
    /// A worker asks this.
    Asked(Name, Vec<Ask<JobId>>),
    /// A worker sends a record; none if it cannot be unpacked within its bounds.
    Record(Name, Claim<JobId>, Option<Vec<u8>>),
    /// Something that changes no job.
    Other,
}

/// Reads a message that came at a subject, as a coordinator does: nothing if it would not look at it.
pub fn by_coordinator(subject: &str, payload: &[u8]) -> Option<Heard> {
    let (subject, length, payload) = (subject.into(), payload.len(), payload.to_vec().into());
    let (reply, headers, status, description) = (None, None, None, None);
    let event = incoming::event(Message { subject, reply, payload, headers, status, description, length })?;
    Some(match event {
        Event::Asked(worker, _, asks) => Heard::Asked(worker, asks),
        Event::Came(worker, claim, packed) => Heard::Record(worker, claim, message::unpack(packed.bytes())),
        _ => Heard::Other,
    })
}

/// Reads the answers of a coordinator, as a worker does.
pub fn answers(payload: &[u8]) -> Vec<Answer<JobId>> {
    message::read(payload).unwrap_or_default()
}

/// Reads a notification, as a worker does: which attempt at which job.
pub fn notification(payload: &[u8]) -> Option<(JobId, u32)> {
    message::read::<message::Notification>(payload).map(|read| (read.key, read.attempt))
}

/// Packs a record behind its claim, as a worker does.
pub fn pack(claim: &Claim<JobId>, record: &[u8]) -> Vec<u8> {
    message::write_record(claim, record)
}
