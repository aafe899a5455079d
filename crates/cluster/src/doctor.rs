//! Whether a broker is set up so that little is lost and nobody reads along.

use std::time::Duration;

use serde_json::Value;

use crate::broker::{Access, STREAM};
use crate::{ClusterError, broker};

/// Before this version a broker that is killed may lose a stream.
const SAFE: (u64, u64, u64) = (2, 10, 23);
/// How long the monitoring port may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was looked at, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What.
    pub what: String,
    /// Whether it is as it should be.
    pub good: bool,
    /// What to do, or what was found.
    pub note: String,
}

fn finding(what: &str, good: bool, note: impl Into<String>) -> Finding {
    Finding { what: what.to_owned(), good, note: note.into() }
}

fn version(version: &str) -> Finding {
    // What follows a hyphen is no release yet, and older.
    let (numbers, is_release) =
        version.split_once('-').map_or((version, true), |(numbers, _)| (numbers, false));
    let numbers: Vec<u64> = numbers.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    let is_safe = numbers.len() == 3
        && ((numbers[0], numbers[1], numbers[2]) > SAFE
            || is_release && (numbers[0], numbers[1], numbers[2]) == SAFE);
    if is_safe {
        return finding("version", true, version);
    }
    let note = format!(
        "{version}: before 2.10.23 a broker that is killed may lose all notifications; they are sent again from the store, after one lease"
    );
    finding("version", false, note)
}

fn who_may_connect(secured: bool) -> Finding {
    let note = if secured {
        "only who has a key"
    } else {
        "everybody who reaches the port: give each worker a key, `rookery worker enrol`"
    };
    finding("who may connect", secured, note)
}

fn tls(required: bool) -> Finding {
    let note = if required {
        "is required"
    } else {
        "is off: others on the way read games and keys; set `tls` in the broker"
    };
    finding("TLS", required, note)
}

/// Whether every notification is brought to the disk at once, if that is known.
pub fn sync(always: Option<bool>) -> Finding {
    let note = match always {
        Some(true) => "every notification is on the disk before it is confirmed",
        Some(false) => {
            "a power cut loses the notifications of up to two minutes; set `sync_interval: always` in `jetstream`, or live with games \
             that begin one lease later"
        }
        None => {
            "not known: only the broker's monitoring port tells; start it with `http: 127.0.0.1:8222` and say --monitor HOST:8222"
        }
    };
    finding("sync", always == Some(true), note)
}

/// Judges on how many servers the stream of notifications is: as the broker says of the stream (`STREAM.INFO`).
pub fn judge_stream(info: &Value) -> Finding {
    let n = info["config"]["num_replicas"].as_u64().unwrap_or(1);
    let note = match n {
        0 | 1 => "the stream is on 1 server: while it is away no new game begins; with three servers, \
                  `nats stream edit ROOKERY_JOBS --replicas 3` has them share the notifications"
            .to_owned(),
        n => format!("the stream is on {n} servers"),
    };
    finding("replicas", n >= 3, note)
}

/// There is no stream before the first coordinator, and it makes one on a single server.
fn no_stream() -> Finding {
    let note = "there is no stream yet: the first coordinator makes it on 1 server, and while that is away no new game begins; with three \
                servers, `nats stream edit ROOKERY_JOBS --replicas 3` after that has them share the notifications";
    finding("replicas", false, note)
}

/// Judges what a broker says of itself (`/varz` of its monitoring port).
pub fn judge(varz: &Value) -> Vec<Finding> {
    let jetstream = &varz["jetstream"]["config"];
    let is_on = jetstream.is_object();
    let always = jetstream["sync_always"].as_bool() == Some(true)
        || jetstream["sync_interval"].as_i64().is_some_and(|nanos| (1..1_000_000).contains(&nanos));
    vec![
        version(varz["version"].as_str().unwrap_or_default()),
        finding("JetStream", is_on, if is_on { "is on" } else { "is off: start nats-server with -js" }),
        sync(Some(always)),
        who_may_connect(varz["auth_required"].as_bool() == Some(true)),
        tls(varz["tls_required"].as_bool() == Some(true)),
    ]
}

/// Reaches the broker and judges what it says of itself; with its monitoring port, given as `HOST:PORT`, also whether what it
/// confirms is on the disk.
pub async fn look(access: &Access, monitor: Option<&str>) -> Result<Vec<Finding>, ClusterError> {
    let client = access.connect("doctor", false).await?;
    let mut findings = vec![finding("broker", true, format!("{} answers", access.address.shown()))];
    if let Some(monitor) = monitor {
        let varz = tokio::time::timeout(PATIENCE, varz(monitor)).await;
        let varz = varz.map_err(|_| ClusterError::Broker(format!("{monitor} does not answer")))??;
        findings.extend(judge(&varz));
    } else {
        let info = client.server_info();
        let account = broker::api(&client, "INFO", &Value::Null).await;
        let is_on = account.is_ok();
        findings.push(version(&info.version));
        let note = account.map_or_else(|error| error.to_string(), |_| "is on".to_owned());
        findings.push(finding("JetStream", is_on, note));
        findings.push(sync(None));
        findings.push(who_may_connect(info.auth_required));
        findings.push(tls(info.tls_required));
    }
    findings.push(match broker::api(&client, &format!("STREAM.INFO.{STREAM}"), &Value::Null).await {
        Ok(stream) => judge_stream(&stream),
        Err(_) => no_stream(),
    });
    Ok(findings)
}

/// The broker's word on itself.
async fn varz(monitor: &str) -> Result<Value, ClusterError> {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let failed = |error: &dyn std::fmt::Display| ClusterError::Broker(format!("{monitor}: {error}"));
    let mut stream = tokio::net::TcpStream::connect(monitor).await.map_err(|error| failed(&error))?;
    let request = format!("GET /varz HTTP/1.0\r\nHost: {monitor}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(|error| failed(&error))?;
    let mut answer = vec![];
    stream.take(1 << 20).read_to_end(&mut answer).await.map_err(|error| failed(&error))?;
    let body =
        answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(&answer[..], |at| &answer[at + 4..]);
    serde_json::from_slice(body).map_err(|error| failed(&error))
}
