//! A server that takes bundles, over plain HTTP.

use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use rookery_rules::text::clean;
use serde_json::Value;

use crate::programs::read_secret;
use crate::spec::UsageError;

/// Which server, and who asks.
#[derive(Debug, clap::Args)]
pub(super) struct RemoteArgs {
    /// A server instead of a store: http://HOST:PORT
    #[arg(long, value_name = "URL", conflicts_with = "store")]
    server: Option<String>,

    /// A file whose first line is a token of yours on that server (its page /connect or /settings makes one)
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
}

/// A server that is asked.
pub(super) struct Remote {
    /// `HOST:PORT`.
    host: String,
    token: Option<String>,
}

/// How long a server may be silent.
const PATIENCE: Duration = Duration::from_mins(3);
/// The longest answer that is read.
const MAX_ANSWER: u64 = 16 << 20;

impl RemoteArgs {
    /// The server, if one is named.
    pub(super) fn server(&self) -> anyhow::Result<Option<Remote>> {
        let Some(url) = &self.server else { return Ok(None) };
        let wrong = |expected: &str| UsageError(format!("--server {}: {expected}", clean(url)));
        if url.starts_with("https://") {
            return Err(wrong(
                "this program speaks no TLS; run `rookery bot pack`, then send the file with curl (docs/bundles.md)",
            )
            .into());
        }
        let host = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        let host = host.filter(|host| {
            let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
            matches!(port, Some(Ok(_)))
                && !host.contains(|c: char| c.is_control() || c.is_whitespace() || c == '/')
        });
        let host = host.ok_or_else(|| wrong("expected http://HOST:PORT"))?.to_owned();
        let token = self.token_file.as_deref().map(read_secret).transpose()?;
        Ok(Some(Remote { host, token }))
    }
}

impl Remote {
    /// Asks, and gives the body of the answer if all is well; else what the server says.
    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> anyhow::Result<Vec<u8>> {
        let host = &self.host;
        let failed = || format!("{} cannot be asked", clean(host));
        let address = host.to_socket_addrs().with_context(failed)?.next();
        let address = address.ok_or_else(|| anyhow!("{} is no address", clean(host)))?;
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE).with_context(failed)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/gzip\r\n\
             Content-Length: {}\r\n{}\r\n",
            body.len(),
            token.unwrap_or_default()
        );
        stream.write_all(head.as_bytes()).with_context(failed)?;
        // Who refuses us may close before all is read, and has said why.
        let sent = stream.write_all(body);
        let mut answer = vec![];
        let read = stream.take(MAX_ANSWER).read_to_end(&mut answer);
        if answer.is_empty() {
            sent.and(read.map(drop)).with_context(failed)?;
        }
        let Some((status, body)) = split(&answer) else {
            bail!("{} answers with something that is not HTTP", clean(host))
        };
        if (200..300).contains(&status) {
            return Ok(body.to_vec());
        }
        let said: Option<Value> = serde_json::from_slice(body).ok();
        let said = said.as_ref().and_then(|said| said["error"]["message"].as_str());
        bail!("{} says ({status}): {}", clean(host), clean(said.unwrap_or("nothing that can be shown")))
    }
}

/// The status and the body of an answer.
fn split(answer: &[u8]) -> Option<(u16, &[u8])> {
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, &answer[end + 4..]))
}
