//! The way to somebody else: whole messages, whatever carries them.

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use rookery_referee::{BoxFuture, Fault, Offence};

use crate::excerpt;

/// Whole messages within [`Bounds`](crate::Bounds), there and back: over bytes, in memory, in frames of a protocol that
/// has its own.
///
/// Nothing here waits by itself: [`TransportExt`] has the calls that do.
pub trait Transport: Send {
    /// Who is at the other end, for logs: an address, or the command of a process.
    fn peer(&self) -> &str;

    /// The next message, if it is there. After a fault nothing more can be read, and the fault stays.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<u8>, Fault>>;

    /// Puts a message behind what is still to be sent; [`poll_flush`](Self::poll_flush) sends it.
    fn queue(&mut self, message: &[u8]);

    /// Sends what is still to be sent; ready when nothing is left.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>>;

    /// Whether nothing is expected of whoever is at the other end until something is sent to it. A program that may not use
    /// that time is stopped meanwhile, and goes on at the latest when a message is queued or the link is closed; whoever has
    /// connected is only then to show that it is there.
    fn set_idle(&mut self, idle: bool) {
        let _ = idle;
    }

    /// What has arrived of a message that is not complete.
    fn unfinished(&mut self) -> &[u8];

    /// What has arrived although nobody was asked: a part of a message, which is not an answer to a later question.
    fn spoken_early(&mut self) -> Option<Fault> {
        let unfinished = self.unfinished();
        if unfinished.is_empty() { None } else { Some(unasked(unfinished)) }
    }

    /// Why nothing can come at the moment, if whoever is at the other end is gone and may come back.
    fn absence(&self) -> Option<Fault> {
        None
    }

    /// The player at the other end is called like this from now on, for whoever writes down what travels.
    fn rename(&mut self, name: &str) {
        let _ = name;
    }

    /// Another link of the same player takes its place: said when it is closed, where a transport has words for it.
    fn replaced(&mut self) {}

    /// Whether the other end has said, when it closed this link, that another one has taken its place.
    fn was_replaced(&self) -> bool {
        false
    }

    /// Says that nothing more will be sent, and lets a process end by itself for a moment. What is dropped without it is
    /// closed at once, and a process killed.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// Waiting for what a transport does. Whatever is given up half-way loses nothing.
pub trait TransportExt: Transport {
    /// Sends a message. If this is given up half-way, the rest leaves before the next message.
    fn send(&mut self, message: &[u8]) -> impl Future<Output = Result<(), Fault>> + Send {
        async move {
            self.queue(message);
            self.flush().await
        }
    }

    /// Sends what is still to be sent.
    fn flush(&mut self) -> impl Future<Output = Result<(), Fault>> + Send {
        poll_fn(|cx| self.poll_flush(cx))
    }

    /// Waits for the next message.
    fn receive(&mut self) -> impl Future<Output = Result<Vec<u8>, Fault>> + Send {
        poll_fn(|cx| self.poll_receive(cx))
    }

    /// Sends a message and waits for the reply to it. What was sent before is no reply, but out of turn.
    fn call(&mut self, message: &[u8]) -> impl Future<Output = Result<Vec<u8>, Fault>> + Send {
        async move {
            match self.poll_receive(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(early) => return Err(unasked(&early?)),
                Poll::Pending => self.spoken_early().map_or(Ok(()), Err)?,
            }
            self.send(message).await?;
            self.receive().await
        }
    }
}

impl<T: Transport + ?Sized> TransportExt for T {}

/// What a message means that nobody has asked for.
pub(crate) fn unasked(message: &[u8]) -> Fault {
    let fault = Fault::new(Offence::OutOfTurn, "it was not asked");
    fault.sent(excerpt(message)).expected("nothing until it is asked")
}
