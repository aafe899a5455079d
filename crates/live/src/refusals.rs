//! How often it is told that somebody was refused: a crowd that is sent away must not fill a log.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::time::Instant;

/// After this time an address is told of anew.
const WINDOW: Duration = Duration::from_mins(1);
/// How many refusals of one address are told one by one in that time.
const TOLD_EACH: u32 = 16;
/// How many addresses are told apart in that time; all others are one.
const ADDRESSES: usize = 256;

/// Whom to tell: where somebody came from, why it was refused, and how many more of the address were, untold.
type Tell<'a> = &'a mut dyn FnMut(SocketAddr, &str, u64);

/// What was told of each address, and what was not.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    since: Option<Instant>,
    told: HashMap<IpAddr, u32>,
    /// The last one that was not told, why, and how many there were.
    untold: HashMap<IpAddr, (SocketAddr, String, u64)>,
}

impl Refusals {
    /// Somebody was refused.
    pub(crate) fn add(&mut self, now: Instant, peer: SocketAddr, reason: &str, tell: Tell<'_>) {
        if self.since.is_none_or(|since| now - since >= WINDOW) {
            self.flush(tell);
            self.told.clear();
            self.since = Some(now);
        }
        let mut address = source(peer.ip());
        if self.told.len() >= ADDRESSES && !self.told.contains_key(&address) {
            address = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
        }
        let told = self.told.entry(address).or_default();
        if *told < TOLD_EACH {
            *told += 1;
            tell(peer, reason, 0);
        } else {
            let (last, why, n) = self.untold.entry(address).or_insert_with(|| (peer, String::new(), 0));
            reason.clone_into(why);
            *last = peer;
            *n += 1;
        }
    }

    /// Tells of all that were not told, each address once.
    pub(crate) fn flush(&mut self, tell: Tell<'_>) {
        for (_, (peer, reason, n)) in self.untold.drain() {
            tell(peer, &reason, n - 1);
        }
    }
}

/// Where somebody comes from, as far as it can be told apart from others: in the newer Internet one host has 2^64
/// addresses.
pub fn source(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> SocketAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn fault_j03_refusals_are_told_with_a_limit_and_none_is_lost() {
        let mut refusals = Refusals::default();
        let mut told: Vec<(SocketAddr, u64)> = vec![];
        let begin = Instant::now();
        let mut add = |refusals: &mut Refusals, at: Duration, from: SocketAddr| {
            refusals.add(begin + at, from, "no name", &mut |peer, _, more| told.push((peer, more)));
            told.len()
        };
        let crowd = peer("192.0.2.1:9");
        for _ in 0..10_000 {
            add(&mut refusals, Duration::ZERO, crowd);
        }
        assert_eq!(add(&mut refusals, Duration::from_secs(1), crowd), 16);
        assert_eq!(add(&mut refusals, Duration::from_secs(1), peer("192.0.2.2:9")), 17, "others are told");
        assert_eq!(add(&mut refusals, WINDOW, crowd), 19, "after a minute it is summed up and told anew");
        assert_eq!(told.iter().map(|(_, more)| more + 1).sum::<u64>(), 10_003);
    }

    #[test]
    fn addresses_without_number_are_one() {
        let mut refusals = Refusals::default();
        let mut n_told = 0;
        for number in 0..100_000u32 {
            let from = SocketAddr::from((number.to_be_bytes(), 9));
            refusals.add(Instant::now(), from, "no name", &mut |_, _, _| n_told += 1);
        }
        assert_eq!(n_told, ADDRESSES + TOLD_EACH as usize);
        assert!(refusals.untold.len() <= ADDRESSES + 1);
    }

    #[test]
    fn a_host_of_the_newer_internet_is_one_address() {
        let ip = |text: &str| source(text.parse().expect("an address"));
        assert_eq!(ip("2001:db8::1"), ip("2001:db8::ffff:2"));
        assert_ne!(ip("2001:db8::1"), ip("2001:db8:0:1::1"));
        assert_eq!(ip("::ffff:192.0.2.1"), ip("192.0.2.1"));
    }
}
