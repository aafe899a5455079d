//! Whether a broker is set up so that little is lost and nobody reads along.

use std::time::Duration;

use serde_json::Value;

use crate::broker::Access;
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

/// Judges what a broker says of itself (`/varz` of its monitoring port).
pub fn judge(varz: &Value) -> Vec<Finding> {
    let finding = |what: &str, good: bool, note: String| Finding { what: what.to_owned(), good, note };
    let version = varz["version"].as_str().unwrap_or_default();
    let numbers: Vec<u64> = version.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    let is_safe = numbers.len() == 3 && (numbers[0], numbers[1], numbers[2]) >= SAFE;
    let jetstream = &varz["jetstream"]["config"];
    let always = jetstream["sync_always"].as_bool() == Some(true)
        || jetstream["sync_interval"].as_i64().is_some_and(|nanos| (1..1_000_000).contains(&nanos));
    let n_servers = 1 + varz["cluster"]["urls"].as_array().map_or(0, Vec::len);
    let tls = varz["tls_required"].as_bool() == Some(true);
    let secured = varz["auth_required"].as_bool() == Some(true);
    vec![
        finding(
            "version",
            is_safe,
            if is_safe {
                version.to_owned()
            } else {
                format!(
                    "{version}: before 2.10.23 a broker that is killed may lose all bells; they ring again from the store, \
                     after one lease"
                )
            },
        ),
        finding(
            "JetStream",
            jetstream.is_object(),
            if jetstream.is_object() { "is on" } else { "is off: start nats-server with -js" }.to_owned(),
        ),
        finding(
            "sync",
            always,
            if always {
                "every bell is on the disk before it is confirmed".to_owned()
            } else {
                "a power cut loses the bells of up to two minutes; set `sync_interval: always` in `jetstream`, or live \
                 with games that begin one lease later"
                    .to_owned()
            },
        ),
        finding(
            "replicas",
            n_servers >= 3,
            if n_servers >= 3 {
                format!("{n_servers} servers")
            } else {
                format!(
                    "{n_servers} server: while it is away no new game begins; three servers share the bells"
                )
            },
        ),
        finding(
            "who may connect",
            secured,
            if secured {
                "only who has a key"
            } else {
                "everybody who reaches the port: give each worker a key, `rookery worker enrol`"
            }
            .to_owned(),
        ),
        finding(
            "TLS",
            tls,
            if tls {
                "is required"
            } else {
                "is off: others on the way read games and keys; set `tls` in the broker"
            }
            .to_owned(),
        ),
    ]
}

/// Reaches the broker and, if its monitoring port is given as `HOST:PORT`, reads what it says of itself.
pub async fn look(access: &Access, monitor: Option<&str>) -> Result<Vec<Finding>, ClusterError> {
    let client = access.connect("doctor", false).await?;
    let mut findings = vec![Finding {
        what: "broker".to_owned(),
        good: true,
        note: format!("{} answers", access.address.shown()),
    }];
    if let Some(monitor) = monitor {
        let varz = tokio::time::timeout(PATIENCE, varz(monitor)).await;
        let varz = varz.map_err(|_| ClusterError::Broker(format!("{monitor} does not answer")))??;
        findings.extend(judge(&varz));
        return Ok(findings);
    }
    let info = client.server_info();
    let has_stream = broker::api(&client, "INFO", &Value::Null).await;
    findings.push(Finding {
        what: "JetStream".to_owned(),
        good: has_stream.is_ok(),
        note: has_stream.map_or_else(|error| error.to_string(), |_| "is on".to_owned()),
    });
    findings.push(Finding {
        what: "version".to_owned(),
        good: true,
        note: format!("{}; its settings can be read with --monitor HOST:8222", info.version),
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
