//! The way to where a match runs: plain TCP, WebSocket, WebSocket over TLS.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rookery_bots::PROTOCOL;
use rookery_wire::{Bounds, Connection, Transport, WebSocket};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

/// Lines of the server may be longer than those of a bot: a `new_game` has all moves of a game that goes on, some ten bytes each.
const FROM_SERVER: Bounds = Bounds { bytes: 64 << 20, blanks: 64 << 10, depth: 16 };
/// Where a server with TLS is, if nothing else is said.
const TLS_PORT: u16 = 443;

/// Where a match runs, and what is spoken there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Address {
    /// Host and port.
    at: String,
    way: Way,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Way {
    Tcp,
    Ws { url: String },
    Wss { url: String, name: ServerName<'static> },
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.at)
    }
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected HOST:PORT, ws://HOST:PORT or wss://HOST, for example 192.0.2.7:4000 or wss://example.org/bots"
                .to_owned()
        };
        let is_address = |text: &str| {
            text.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        let host_of = |rest: &str| rest.split('/').next().unwrap_or_default().to_owned();
        let (at, way) = if let Some(rest) = text.strip_prefix("wss://") {
            let mut at = host_of(rest);
            // The colons of an IPv6 address are inside its brackets.
            if !at[at.rfind(']').unwrap_or_default()..].contains(':') {
                at = format!("{at}:{TLS_PORT}");
            }
            let (host, _) = at.rsplit_once(':').ok_or_else(expected)?;
            let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
            let name = ServerName::try_from(host.to_owned()).map_err(|_| expected())?;
            (at, Way::Wss { url: text.to_owned(), name })
        } else if let Some(rest) = text.strip_prefix("ws://") {
            (host_of(rest), Way::Ws { url: text.to_owned() })
        } else {
            (text.to_owned(), Way::Tcp)
        };
        if is_address(&at) { Ok(Self { at, way }) } else { Err(expected()) }
    }
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum DialError {
    /// Nobody is there yet, or the way there is disturbed.
    Later(String),
    /// It would be the same again.
    Final(String),
}

impl From<io::Error> for DialError {
    fn from(error: io::Error) -> Self {
        Self::Later(error.to_string())
    }
}

/// Somebody who was reached.
pub(super) struct Dialled {
    pub(super) link: Box<dyn Transport>,
    /// Whether nobody on the way can read what is said.
    pub(super) is_private: bool,
}

/// Connects to one address.
pub(super) struct Dialler {
    address: Address,
    tls: Option<TlsConnector>,
}

impl Dialler {
    /// Whoever shows a certificate has to have it from an authority that this system trusts, or from one of the file `ca` if
    /// there is one.
    pub(super) fn new(address: &Address, ca: Option<&Path>) -> anyhow::Result<Self> {
        let tls = match (&address.way, ca) {
            (Way::Wss { .. }, _) => Some(trusting(ca)?),
            (_, None) => None,
            (_, Some(_)) => bail!(crate::spec::UsageError(
                "--ca is for an address that begins with wss://; others show no certificate".to_owned()
            )),
        };
        Ok(Self { address: address.clone(), tls })
    }

    pub(super) async fn dial(&self) -> Result<Dialled, DialError> {
        let stream = TcpStream::connect(&self.address.at).await?;
        let is_here = stream.peer_addr()?.ip().is_loopback();
        let link: Box<dyn Transport> = match (&self.address.way, &self.tls) {
            (Way::Ws { url }, _) => Box::new(WebSocket::connect(stream, url, FROM_SERVER).await?),
            (Way::Wss { url, name }, Some(tls)) => {
                let peer = stream.peer_addr()?.to_string();
                WebSocket::prepare(&stream)?;
                let secured = tls.connect(name.clone(), stream).await;
                let secured = secured.map_err(|error| self.refused(&error))?;
                let connected = WebSocket::connect_over(secured, peer, url, FROM_SERVER).await;
                Box::new(connected.map_err(|error| self.refused(&error))?)
            }
            _ => Box::new(Connection::tcp(stream, PROTOCOL.framing, FROM_SERVER)?),
        };
        Ok(Dialled { link, is_private: is_here || self.tls.is_some() })
    }

    /// What went wrong with TLS, in words for whoever runs the bot.
    fn refused(&self, error: &io::Error) -> DialError {
        let at = &self.address.at;
        // It is wrapped once for each layer that it went through.
        let mut cause: Option<&(dyn std::error::Error + 'static)> =
            error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
        while let Some(inner) = cause {
            if let Some(error) = inner.downcast_ref::<rustls::Error>() {
                return match tls_words(error) {
                    Some(words) => DialError::Final(format!("{at} {words}")),
                    None => DialError::Later(format!("no TLS with {at}: {error}")),
                };
            }
            cause = inner.source();
        }
        DialError::Later(error.to_string())
    }
}

/// What is wrong with whoever we wanted to speak TLS with, if that stays so.
fn tls_words(error: &rustls::Error) -> Option<String> {
    let certificate = match error {
        rustls::Error::InvalidMessage(_) => {
            return Some("speaks no TLS; leave out the s of wss:// if it is to be so".to_owned());
        }
        rustls::Error::InvalidCertificate(certificate) => certificate,
        _ => return None,
    };
    Some(match certificate {
        // A signature does not hold either where another authority has the same name.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "shows a certificate of an unknown issuer, so it may be anybody; if it is that of \
             your course, `--ca FILE` names its authority"
                .to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("shows a certificate for another name: {certificate}")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("shows a certificate that has expired: {certificate}")
        }
        other => format!("shows a certificate that does not hold: {other}"),
    })
}

/// Trusts the authorities of this system, or those of a file instead.
fn trusting(ca: Option<&Path>) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    if let Some(path) = ca {
        let named = || format!("--ca {}", path.display());
        for certificate in CertificateDer::pem_file_iter(path).with_context(named)? {
            let certificate = certificate.with_context(named)?;
            roots.add(certificate).with_context(named)?;
        }
        if roots.is_empty() {
            bail!("{}: no certificate is in it; expected PEM, with BEGIN CERTIFICATE", named());
        }
    } else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            bail!(
                "no authority is known to this system, so no certificate can be checked; install ca-certificates, or name \
                 one with --ca FILE"
            );
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_host_and_what_is_spoken_there() {
        for (text, at, is_secured) in [
            ("there:4000", "there:4000", false),
            ("[::1]:4000", "[::1]:4000", false),
            ("ws://there:4000/bots", "there:4000", false),
            ("wss://there/bots", "there:443", true),
            ("wss://there:8443/bots", "there:8443", true),
            ("wss://192.0.2.7/bots", "192.0.2.7:443", true),
            ("wss://[2001:db8::1]/bots", "[2001:db8::1]:443", true),
            ("wss://[2001:db8::1]:8443", "[2001:db8::1]:8443", true),
        ] {
            let address: Address = text.parse().expect(text);
            assert_eq!((&*address.at, matches!(address.way, Way::Wss { .. })), (at, is_secured), "{text}");
        }
        for text in ["there", "ws://there", "wss://", "wss://:443", "https://there/bots", "wss://the re/"] {
            let error = text.parse::<Address>().expect_err(text);
            assert!(error.starts_with("expected HOST:PORT"), "{error}");
        }
    }
}
