//! A worker made by hand, word for word: it says what the test wants, as often as the test wants.

use std::io::Write as _;
use std::time::{Duration, Instant};

use async_nats::{Client, Subscriber};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use futures_util::StreamExt as _;
use rookery_cluster::broker::Access;
use rookery_cluster::subjects::Subjects;
use rookery_testkit::nats::Nats;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::PATIENCE;

pub(crate) struct Ghost {
    name: String,
    runtime: Runtime,
    client: Client,
    answers: Subscriber,
    /// What it was answered and nobody has asked for yet.
    heard: Vec<Value>,
}

impl Ghost {
    pub(crate) fn new(broker: &Nats, name: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (client, answers) = runtime.block_on(async {
            let client = Access::open(broker.url().parse().unwrap()).connect(name, false).await.unwrap();
            let answers = client.subscribe(Subjects::OWN.tell(name)).await.unwrap();
            client.flush().await.unwrap();
            (client, answers)
        });
        Self { name: name.to_owned(), runtime, client, answers, heard: vec![] }
    }

    pub(crate) fn say(&self, asks: &Value) {
        self.publish(Subjects::OWN.ask(&self.name), asks.to_string().into_bytes());
    }

    pub(crate) fn publish(&self, subject: String, bytes: Vec<u8>) {
        self.runtime.block_on(async {
            self.client.publish(subject, bytes.into()).await.unwrap();
            self.client.flush().await.unwrap();
        });
    }

    /// Sends a record, as workers pack them.
    pub(crate) fn send(&self, claim: &Value, record: &[u8]) {
        let mut bytes = claim.to_string().into_bytes();
        bytes.push(b'\n');
        let mut packer = DeflateEncoder::new(bytes, Compression::fast());
        packer.write_all(record).unwrap();
        self.publish(Subjects::OWN.record(&self.name), packer.finish().unwrap());
    }

    /// The next answer of this kind within a moment.
    pub(crate) fn answer(&mut self, kind: &str, patience: Duration) -> Option<Value> {
        let until = Instant::now() + patience;
        self.runtime.block_on(async {
            if let Some(idx) = self.heard.iter().position(|answer| answer.get(kind).is_some()) {
                return Some(self.heard.remove(idx)[kind].clone());
            }
            while let Some(left) = until.checked_duration_since(Instant::now())
                && let Ok(Some(message)) = tokio::time::timeout(left, self.answers.next()).await
            {
                self.heard.extend(serde_json::from_slice::<Vec<Value>>(&message.payload).unwrap());
                if let Some(idx) = self.heard.iter().position(|answer| answer.get(kind).is_some()) {
                    return Some(self.heard.remove(idx)[kind].clone());
                }
            }
            None
        })
    }

    /// Asks for a game until it is given: the claim.
    pub(crate) fn take(&mut self, key: &str, attempt: u32) -> Value {
        let begun = Instant::now();
        loop {
            self.say(&json!([{ "take": { "key": key, "attempt": attempt } }]));
            if let Some(granted) = self.answer("granted", Duration::from_millis(200)) {
                return granted["claim"].clone();
            }
            assert!(begun.elapsed() < PATIENCE, "{} is not given attempt {attempt} at {key}", self.name);
        }
    }
}
