//! Where this server is reached, and whom it believes.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST, ORIGIN};

/// The address at which people reach this server: `https://play.example.org`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicUrl {
    secure: bool,
    /// With its port, if it is not the usual one.
    host: String,
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is no address of a server; expected https://HOST or http://HOST:PORT without a path"
            )
        };
        let (secure, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(wrong()),
        };
        let host = rest.strip_suffix('/').unwrap_or(rest).to_ascii_lowercase();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        if host.is_empty() || !host.chars().all(is_part) {
            return Err(wrong());
        }
        Ok(Self { secure, host })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)
    }
}

impl PublicUrl {
    /// Whether browsers talk to it over TLS.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host without its port.
    pub fn host_name(&self) -> &str {
        without_port(&self.host)
    }

    /// Whether only this machine reaches it.
    pub fn is_here(&self) -> bool {
        is_local(self.host_name())
    }
}

/// The address at which bots reach this server: `tcp://bots.example.org:7601`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotsUrl(String);

impl FromStr for BotsUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        let is_host = |host: &str| !host.is_empty() && host.chars().all(is_part);
        let address = text.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':'));
        let is_it = address
            .is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok_and(|port| port > 0));
        if is_it {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(format!("{text:?} is no address for bots; expected tcp://HOST:PORT"))
        }
    }
}

impl fmt::Display for BotsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A range of addresses: `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    base: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is no range of addresses; expected one such as 10.0.0.0/8 or 127.0.0.1");
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().map_err(|_| wrong())?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).map_err(|_| wrong())?;
        if bits <= most { Ok(Self { base, bits }) } else { Err(wrong()) }
    }
}

impl Network {
    /// Whether an address is in it.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let wide = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => u128::from(u32::from(ip)) << 96,
            IpAddr::V6(ip) => u128::from(ip),
        };
        let shift = 128 - u32::from(self.bits);
        let same = wide(self.base) ^ wide(ip.to_canonical());
        self.base.is_ipv4() == ip.to_canonical().is_ipv4() && same.checked_shr(shift).unwrap_or(0) == 0
    }
}

/// Where this server is reached, and whom it believes.
#[derive(Clone, Debug)]
pub struct Site {
    /// As people reach it, if that is not the address it listens on.
    pub public: Option<PublicUrl>,
    /// Whose word about the client's address counts.
    pub trusted: Vec<Network>,
}

/// The longest list of addresses that is read of a proxy.
const MAX_HOPS: usize = 20;

impl Site {
    /// Whether cookies are for TLS alone.
    pub fn is_secure(&self) -> bool {
        self.public.as_ref().is_some_and(PublicUrl::is_secure)
    }

    /// Whether browsers believe that an answer to this request comes from us: it goes over TLS, or stays on its machine.
    pub fn is_trustworthy(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        self.is_secure() || host.is_some_and(|host| is_local(without_port(host)))
    }

    /// The name of the session's cookie.
    pub fn cookie(&self) -> &'static str {
        if self.is_secure() { "__Host-rookery" } else { "rookery" }
    }

    /// A cookie that holds a session.
    pub fn session_cookie(&self, token: &str) -> String {
        let secure = if self.is_secure() { "; Secure" } else { "" };
        format!("{}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000{secure}", self.cookie())
    }

    /// A cookie that ends a session.
    pub fn no_cookie(&self) -> String {
        let secure = if self.is_secure() { "; Secure" } else { "" };
        format!("{}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{secure}", self.cookie())
    }

    /// The host that a request is for, if it is one of ours. A name that somebody else has pointed at this machine is not:
    /// a page of theirs could otherwise read what is here.
    pub fn host<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next()?.to_str().ok()?;
        if hosts.next().is_some() {
            return None;
        }
        let ours = self.public.as_ref().is_some_and(|public| public.host.eq_ignore_ascii_case(host));
        (ours || is_plain(host)).then_some(host)
    }

    /// Whether a request comes from a page of this server.
    pub fn is_same_origin(&self, headers: &HeaderMap, host: &str) -> bool {
        if let Some(origin) = headers.get(ORIGIN) {
            let public = self.public.as_ref().map(ToString::to_string);
            // Whoever is on the way can be the same host without TLS.
            let is_ours = |public: &PublicUrl| public.secure && public.host.eq_ignore_ascii_case(host);
            let plain = (!self.public.as_ref().is_some_and(is_ours)).then(|| format!("http://{host}"));
            let own = [plain, public];
            return origin.to_str().is_ok_and(|origin| own.iter().flatten().any(|own| own == origin));
        }
        headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin")
    }

    /// Where a request comes from: the peer, or what a trusted proxy says of it.
    pub fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let is_trusted = |ip: IpAddr| self.trusted.iter().any(|network| network.contains(ip));
        let peer = peer.ip().to_canonical();
        if !is_trusted(peer) {
            return peer;
        }
        let said = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let mut hops: Vec<&str> = said.flat_map(|value| value.split(',')).map(str::trim).collect();
        hops.reverse();
        // The last address that no proxy of ours has is the client's; what stands before it, the client said itself.
        let addresses = hops.into_iter().take(MAX_HOPS).map_while(|hop| hop.parse::<IpAddr>().ok());
        let mut client = peer;
        for ip in addresses {
            client = ip.to_canonical();
            if !is_trusted(client) {
                break;
            }
        }
        client
    }

    /// Whether somebody sits at this machine itself: behind a proxy everybody may seem to.
    pub fn is_at_home(&self, ip: IpAddr) -> bool {
        ip.is_loopback() && !self.is_secure() && self.trusted.is_empty()
    }

    /// The token of the session's cookie.
    pub fn session<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        cookie(headers, self.cookie())
    }
}

/// The address that somebody is counted by: in the newer Internet one host has 2^64 of them.
pub(crate) fn counted_by(ip: IpAddr) -> IpAddr {
    let ip = ip.to_canonical();
    if ip.is_loopback() { ip } else { rookery_live::source(ip) }
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// The theme that somebody has chosen, if it is one of ours.
pub(crate) fn theme(headers: &HeaderMap) -> Option<&'static str> {
    let chosen = cookie(headers, "theme");
    ["light", "dark"].into_iter().find(|known| chosen == Some(known))
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// Whether a name or an address is that of this machine.
fn is_local(name: &str) -> bool {
    let ip = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.is_loopback())
}

/// Whether a host is `localhost` or an address, which nobody can point elsewhere.
fn is_plain(host: &str) -> bool {
    let name = without_port(host);
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost")
        || bare.map_or_else(
            || name.parse::<std::net::Ipv4Addr>().is_ok(),
            |name| name.parse::<std::net::Ipv6Addr>().is_ok(),
        )
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn site(public: Option<&str>, trusted: &[&str]) -> Site {
        Site {
            public: public.map(|url| url.parse().unwrap()),
            trusted: trusted.iter().map(|range| range.parse().unwrap()).collect(),
        }
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn fault_w20_only_our_own_hosts_are_ours() {
        let local = site(None, &[]);
        for host in ["localhost", "localhost:80", "127.0.0.1:4000", "[::1]:4000", "192.168.1.4"] {
            assert_eq!(local.host(&headers(&[("host", host)])), Some(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "", "[::1"] {
            assert_eq!(local.host(&headers(&[("host", host)])), None, "{host}");
        }
        assert_eq!(local.host(&headers(&[("host", "localhost"), ("host", "localhost")])), None);
        let public = site(Some("https://play.example"), &[]);
        assert!(public.host(&headers(&[("host", "play.example")])).is_some());
        assert_eq!(public.cookie(), "__Host-rookery");
    }

    #[test]
    fn fault_w05_fault_w06_other_origins_are_others() {
        let local = site(None, &[]);
        let same = |pairs: &[(&'static str, &str)]| local.is_same_origin(&headers(pairs), "127.0.0.1:80");
        assert!(same(&[("origin", "http://127.0.0.1:80")]));
        assert!(same(&[("sec-fetch-site", "same-origin")]));
        assert!(!same(&[]));
        assert!(!same(&[("sec-fetch-site", "same-site")]));
        assert!(!same(&[("origin", "http://127.0.0.1:81"), ("sec-fetch-site", "same-origin")]));
        assert!(!same(&[("origin", "null")]));
    }

    #[test]
    fn fault_w14_only_a_trusted_proxy_says_where_somebody_comes_from() {
        let peer = "10.0.0.1:5".parse().unwrap();
        let forged = headers(&[("x-forwarded-for", "1.1.1.1, 9.9.9.9, 10.0.0.2")]);
        assert_eq!(site(None, &[]).client(peer, &forged).to_string(), "10.0.0.1");
        let behind = site(None, &["10.0.0.0/8"]);
        assert_eq!(behind.client(peer, &forged).to_string(), "9.9.9.9");
        assert_eq!(behind.client(peer, &headers(&[])).to_string(), "10.0.0.1");
        assert_eq!(behind.client("8.8.8.8:1".parse().unwrap(), &forged).to_string(), "8.8.8.8");
    }

    #[test]
    fn browsers_believe_tls_and_their_own_machine() {
        let believed =
            |public: Option<&str>, host: &str| site(public, &[]).is_trustworthy(&headers(&[("host", host)]));
        for host in ["localhost", "localhost:7600", "127.0.0.1:7600", "[::1]:7600", "127.8.0.1"] {
            assert!(believed(None, host), "{host}");
        }
        assert!(believed(Some("https://play.example"), "play.example"));
        for host in ["192.168.1.5:7600", "class.example", "[fe80::1]", "127.0.0.1.class.example", ""] {
            assert!(!believed(Some("http://class.example"), host), "{host}");
        }
    }

    #[test]
    fn ranges_of_addresses() {
        let all: Network = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains("255.1.2.3".parse().unwrap()) && !all.contains("::1".parse().unwrap()));
        let one: Network = "127.0.0.1".parse().unwrap();
        assert!(one.contains("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!one.contains("127.0.0.2".parse().unwrap()));
        assert!("10.0.0.0/33".parse::<Network>().is_err() && "x".parse::<Network>().is_err());
    }

    #[test]
    fn fault_w08_one_host_of_the_newer_internet_is_counted_once() {
        let counted = |text: &str| counted_by(text.parse().unwrap()).to_string();
        assert_eq!(counted("2001:db8::1"), counted("2001:db8::ffff:2"));
        assert_ne!(counted("2001:db8::1"), counted("2001:db8:0:1::1"));
        assert_eq!(
            (counted("::1"), counted("::ffff:203.0.113.7")),
            ("::1".to_owned(), "203.0.113.7".to_owned())
        );
    }
}
