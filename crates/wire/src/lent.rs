//! Links that are lent to one match after another.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use crate::Transport;

/// Where a link comes back to when its match is over. It comes as it is: what was not sent or not read yet is still so,
/// and one that has failed goes on failing.
pub type Home = oneshot::Receiver<Box<dyn Transport>>;

/// A link for one match. It goes home when this is dropped, however that comes about, also in a panic; so whoever plays
/// on it needs to borrow nothing.
///
/// Without a home, or if nobody is there any more, it is closed, and a process at its other end is killed with
/// everything it has started.
///
/// ```
/// use rookery_wire::{Bounds, Framing, Lent, TransportExt, memory};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let (near, mut far) = memory::pair(Framing::Lines, Bounds::default());
/// let (mut lent, home) = Lent::new(Box::new(near));
/// lent.send(b"first match\n").await.expect("it is there");
/// drop(lent);
/// let mut again = home.await.expect("it came home");
/// again.send(b"second match\n").await.expect("it is there");
/// assert_eq!(far.receive().await.expect("a line"), b"first match");
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Lent {
    /// Gone only while this is being dropped.
    link: Option<Box<dyn Transport>>,
    home: Option<oneshot::Sender<Box<dyn Transport>>>,
    spoilt: Spoilt,
}

/// Whether a link that was lent should play no further match: whoever is at its other end was removed for what it did, and
/// may still be at it.
#[derive(Clone, Default, Debug)]
pub struct Spoilt(Arc<AtomicBool>);

impl Spoilt {
    /// Whether it is so.
    pub fn is_so(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Lent {
    /// Lends a link, which comes home when it is no longer used.
    pub fn new(link: Box<dyn Transport>) -> (Self, Home) {
        let (home, receiver) = oneshot::channel();
        (Self { link: Some(link), home: Some(home), spoilt: Spoilt::default() }, receiver)
    }

    /// A link that ends with its match.
    pub fn owned(link: Box<dyn Transport>) -> Self {
        Self { link: Some(link), home: None, spoilt: Spoilt::default() }
    }

    /// What will be known of it when it is home again.
    pub fn spoilt(&self) -> Spoilt {
        self.spoilt.clone()
    }

    /// Whoever is at its other end was removed.
    pub(crate) fn spoil(&self) {
        self.spoilt.0.store(true, Ordering::Release);
    }
}

const LENT: &str = "a link is here until it goes home";

impl Deref for Lent {
    type Target = dyn Transport;

    fn deref(&self) -> &Self::Target {
        self.link.as_deref().expect(LENT)
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.link.as_deref_mut().expect(LENT)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some((home, link)) = self.home.take().zip(self.link.take()) {
            // If nobody is at home, the link ends here.
            let _ = home.send(link);
        }
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lent({})", self.peer())
    }
}
