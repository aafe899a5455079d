//! The way to the broker: how it is reached, what is said where, and the stream of notifications.

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions};
use serde_json::{Value, json};

use crate::ClusterError;
use crate::outage::Outage;
use crate::subjects::Subjects;

/// The stream that keeps notifications until a worker takes them.
pub const STREAM: &str = "ROOKERY_JOBS";
/// The most notifications that wait; more are refused, and sent again later.
const MOST_NOTIFICATIONS: u32 = 100_000;
/// After this time nobody reads a notification any more: those of games that still wait are sent again long before.
const FORGOTTEN: Duration = Duration::from_hours(2);
/// A notification is delivered again if whoever got it acknowledges nothing for so long.
const ACK_WAIT: Duration = Duration::from_secs(30);
/// How long a question to the broker may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest file of a key that is read, in bytes.
const MAX_KEY: u64 = 4096;
/// The longest pause between two tries to reach the broker.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long everybody may take to find the broker after it came back, in milliseconds.
pub(crate) const RECONNECTING: u64 = 2 * 1000 * LONGEST_PAUSE.as_secs();

/// Where the broker is: `nats://HOST:PORT`, or `tls://HOST:PORT`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address(String);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = text.strip_prefix("nats://").or_else(|| text.strip_prefix("tls://"));
        match plain {
            Some(host) if !host.is_empty() && !host.contains(char::is_whitespace) && text.len() < 512 => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(format!("{text:?} is no broker; expected nats://HOST:4222, or tls://HOST:4222")),
        }
    }
}

impl Address {
    /// For people: without a name and a password.
    pub fn shown(&self) -> String {
        match (self.0.split_once("://"), self.0.rsplit_once('@')) {
            (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
            _ => self.0.clone(),
        }
    }
}

/// How somebody connects.
#[derive(Clone, Debug)]
pub struct Access {
    /// Where to.
    pub address: Address,
    /// The file with the secret of who connects, as `rookery worker enrol` wrote it.
    pub key: Option<PathBuf>,
    /// Certificates that are believed beside the system's.
    pub certificates: Option<PathBuf>,
}

impl Access {
    /// Without a secret.
    pub fn open(address: Address) -> Self {
        Self { address, key: None, certificates: None }
    }

    /// Connects, and goes on trying by itself whenever the connection is lost. With `patient` it does so from the start.
    pub async fn connect(&self, name: &str, patient: bool) -> Result<Client, ClusterError> {
        // Where two libraries for the arithmetic of TLS are linked, one has to be chosen. It stays when it was chosen before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut options = ConnectOptions::new()
            .name(name)
            .custom_inbox_prefix(inbox_prefix(name))
            .ping_interval(Duration::from_secs(10))
            .max_reconnects(None)
            .reconnect_delay_callback(pause);
        let outage = Outage::new(name, &self.address.shown());
        let of_tries = outage.clone();
        options = options
            .event_callback(move |event| {
                let outage = outage.clone();
                async move { outage.heard(event).await }
            })
            .reconnect_to_server_callback(move |servers, _| {
                let last = servers.into_iter().find_map(|server| server.last_error);
                of_tries.tried(last);
                // Where to is left to the library.
                async { None }
            });
        if let Some(path) = &self.key {
            options = options.nkey(seed(path)?);
        }
        if let Some(path) = &self.certificates {
            // Whoever says whom to believe does not mean to speak in the open.
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if patient {
            options = options.retry_on_initial_connect();
        }
        options.connect(&self.address.0).await.map_err(|error| {
            ClusterError::Broker(format!(
                "{}: the broker cannot be reached: {error}; start nats-server with JetStream (-js), or see docs/cluster.md",
                self.address.shown()
            ))
        })
    }
}

/// The secret of a file that `rookery worker enrol` wrote.
fn seed(path: &Path) -> Result<String, ClusterError> {
    let wrong = |error: &dyn Display| ClusterError::File(format!("{}: {error}", path.display()));
    let mut seed = String::new();
    let file = File::open(path).map_err(|error| wrong(&error))?;
    file.take(MAX_KEY).read_to_string(&mut seed).map_err(|error| wrong(&error))?;
    let seed = seed.trim();
    nkeys::KeyPair::from_seed(seed).map_err(|error| {
        wrong(&format!(
            "it has no key: {error}; expected the file that `rookery worker enrol --key FILE` wrote"
        ))
    })?;
    Ok(seed.to_owned())
}

/// Where answers to somebody's questions come: of its own, so that nobody else can listen.
pub(crate) fn inbox_prefix(name: &str) -> String {
    format!("_INBOX_{name}")
}

/// How long to wait before the next try: longer each time, and never the same for two machines.
fn pause(tries: usize) -> Duration {
    let longest = Duration::from_millis(50 << tries.min(10)).min(LONGEST_PAUSE);
    let mut byte = [0];
    // Without chance all wait the same, which is no harm.
    let _ = getrandom::fill(&mut byte);
    longest * (128 + u32::from(byte[0]) / 2) / 256
}

/// Whether something that is sent now has a way.
pub(crate) fn is_connected(client: &Client) -> bool {
    client.connection_state() == State::Connected
}

/// Makes the stream and whoever hears it, if they are not there. Never deletes one: a stream that is made at once where one was
/// deleted may fail.
pub async fn ensure_stream(client: &Client, subjects: Subjects, rules: &str) -> Result<(), ClusterError> {
    let stream = json!({
        "name": STREAM,
        "subjects": ["rookery.*.jobs.>"],
        "retention": "workqueue",
        "storage": "file",
        "discard": "new",
        "max_msgs": MOST_NOTIFICATIONS,
        "max_bytes": -1,
        "max_age": nanos(FORGOTTEN),
        "max_consumers": -1,
        "num_replicas": 1,
        "duplicate_window": nanos(Duration::from_mins(2)),
    });
    // One that is there stays as it is: an operator may have given it more servers.
    match api(client, &format!("STREAM.INFO.{STREAM}"), &Value::Null).await {
        Err(_) => drop(api(client, &format!("STREAM.CREATE.{STREAM}"), &stream).await?),
        Ok(known) => {
            let mut config = known["config"].clone();
            if config["max_age"] == 0 {
                // An earlier version made it. Without an end it fills with what nobody reads any more.
                config["max_age"] = nanos(FORGOTTEN).into();
                let changed = api(client, &format!("STREAM.UPDATE.{STREAM}"), &config).await;
                if let Err(error) = changed {
                    tracing::warn!(%error, "the stream of notifications keeps them for ever");
                }
            }
        }
    }
    let name = subjects.consumer(rules);
    let wanted = json!({
        "stream_name": STREAM,
        "config": {
            "durable_name": name,
            "filter_subject": subjects.jobs(rules),
            "deliver_policy": "all",
            "ack_policy": "explicit",
            "replay_policy": "instant",
            "ack_wait": nanos(ACK_WAIT),
            "max_deliver": -1,
            "max_ack_pending": MOST_NOTIFICATIONS,
        },
    });
    api(client, &format!("CONSUMER.DURABLE.CREATE.{STREAM}.{name}"), &wanted).await?;
    Ok(())
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Asks the broker itself.
pub(crate) async fn api(client: &Client, what: &str, body: &Value) -> Result<Value, ClusterError> {
    let subject = format!("$JS.API.{what}");
    let asked = tokio::time::timeout(PATIENCE, client.request(subject, body.to_string().into())).await;
    let failed = |why: String| {
        ClusterError::Broker(format!(
            "the broker does not do {what}: {why}; JetStream must be on (nats-server -js), and this user may use it"
        ))
    };
    let answer =
        asked.map_err(|_| failed("no answer".to_owned()))?.map_err(|error| failed(error.to_string()))?;
    let answer: Value = serde_json::from_slice(&answer.payload).map_err(|error| failed(error.to_string()))?;
    match answer.get("error") {
        None => Ok(answer),
        Some(error) => Err(failed(error["description"].as_str().unwrap_or("no reason").to_owned())),
    }
}
