//! How much somebody may begin. A class sits behind one address, and sessions cost nothing: so each has a share, and all from an
//! address have a larger one together.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use super::{Owner, Rates};
use crate::http::ApiError;

/// How often each may begin something within a span, a person or the guest of a session.
const EACH: u32 = 60;
/// How often whoever has no session yet may, from one address: each time a new guest is made.
const NEWCOMERS: u32 = 120;
/// How often all may from one address: as often as a class of thirty begins games. New sessions and names give nobody more.
const ADDRESS: u32 = 600;

/// Counts what is begun.
#[derive(Debug)]
pub struct Makings {
    each: Rates<Owner>,
    newcomers: Rates<IpAddr>,
    addresses: Rates<IpAddr>,
}

impl Makings {
    /// Counted within such a span.
    pub fn new(span: Duration) -> Self {
        Self {
            each: Rates::new(EACH, span),
            newcomers: Rates::new(NEWCOMERS, span),
            addresses: Rates::new(ADDRESS, span),
        }
    }

    /// Counts one more, if it is not too much.
    pub fn expect(&self, who: Option<&Owner>, ip: IpAddr, now: Instant) -> Result<(), ApiError> {
        // Who has had its share takes nothing from the others at its address.
        let (is_few, whose) = match who {
            Some(who) => (self.each.allow(who.clone(), now), "you have started too many games"),
            None => (self.newcomers.allow(ip, now), "too many guests have come from your address"),
        };
        if !is_few {
            return Err(ApiError::too_many(format!("{whose}; wait ten minutes")));
        }
        self.expect_from(ip, now)
    }

    /// The same of what makes nobody a guest, and is gone again after a while: only all from an address together have a share.
    pub fn expect_from(&self, ip: IpAddr, now: Instant) -> Result<(), ApiError> {
        if self.addresses.allow(ip, now) {
            return Ok(());
        }
        Err(ApiError::too_many("too many games were started from your address; wait ten minutes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Duration = Duration::from_mins(10);

    fn address(last: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, last])
    }

    #[test]
    fn fault_w05_a_class_behind_one_address_plays_and_nobody_has_more_by_new_sessions() {
        let (makings, now) = (Makings::new(SPAN), Instant::now());
        let guest = |n: u64| Owner::Guest(n);
        let begin = |who: Option<&Owner>, last: u8| makings.expect(who, address(last), now).is_ok();
        for pupil in 0..30 {
            assert!((0..15).all(|_| begin(Some(&guest(pupil)), 1)), "pupil {pupil}");
        }
        // One of them has had enough; that is nothing to the others.
        let n = (0..100).filter(|_| begin(Some(&guest(7)), 1)).count();
        assert_eq!(n, 60 - 15);
        assert!(begin(Some(&Owner::Named(7)), 1));
        // Somebody makes sessions without end.
        let n = (100..10_000).filter(|n| begin(Some(&guest(*n)), 1)).count();
        assert_eq!(n, 600 - 30 * 15 - 45 - 1);
        assert!(begin(Some(&guest(20_000)), 2), "others come from elsewhere");
        assert!(makings.expect(Some(&guest(7)), address(1), now + SPAN).is_ok());
    }

    #[test]
    fn new_guests_are_counted_by_their_address() {
        let (makings, now) = (Makings::new(SPAN), Instant::now());
        let n = (0..1000).filter(|_| makings.expect(None, address(1), now).is_ok()).count();
        assert_eq!(n, 120);
        assert!(makings.expect(Some(&Owner::Guest(1)), address(1), now).is_ok(), "who is known plays on");
        assert!(makings.expect_from(address(1), now).is_ok(), "and records are opened");
        assert!(makings.expect(None, address(2), now).is_ok());
    }
}
