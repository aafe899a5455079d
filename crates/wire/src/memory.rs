//! Connections in memory: the same code as over sockets and pipes, without any, so that what is tested here holds there.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rookery_rules::{Rng, Seed, below};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, duplex, split};

use crate::{Bounds, Connection, Framing};

/// How much fits between two ends.
const BUFFER: usize = 64 << 10;
/// The same where it should often be full.
const SMALL_BUFFER: usize = 96;
/// The most bytes of one piece.
const PIECE: u32 = 24;

/// Two connected ends.
pub fn pair(framing: Framing, bounds: Bounds) -> (Connection, Connection) {
    let (one, other) = duplex(BUFFER);
    (connect(one, framing, bounds), connect(other, framing, bounds))
}

/// Two connected ends with little room between them, over which everything travels in small pieces and not at once. The
/// seed says where they are cut.
pub fn choppy(framing: Framing, bounds: Bounds, seed: Seed) -> (Connection, Connection) {
    let (one, other) = duplex(SMALL_BUFFER);
    let end = |stream, seed| connect(Choppy::new(stream, seed), framing, bounds);
    (end(one, seed.derive(0)), end(other, seed.derive(1)))
}

fn connect(
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    framing: Framing,
    bounds: Bounds,
) -> Connection {
    let (reader, writer) = split(stream);
    Connection::new(reader, writer, "memory", framing, bounds)
}

/// A stream that gives and takes only small pieces, and often takes nothing at all for a moment, so that a message is on
/// its way while others get their turn. What has arrived is always given when it is asked for: whether somebody has
/// spoken early stays a question with one answer. The seed says where it cuts and when it halts; no clock is involved.
pub struct Choppy<T> {
    stream: T,
    rng: Rng,
    /// Whether it takes nothing now and then.
    halts: bool,
    /// It took nothing just now, so that there is progress this time.
    halted: bool,
}

impl<T> Choppy<T> {
    /// The same stream in pieces.
    pub fn new(stream: T, seed: Seed) -> Self {
        Self { stream, rng: seed.rng(), halts: true, halted: false }
    }

    /// The same without halts, for whoever needs that everything happens in one order.
    #[must_use]
    pub fn without_halts(self) -> Self {
        Self { halts: false, ..self }
    }

    /// The most bytes of the next piece.
    fn piece(&mut self) -> usize {
        1 + below(&mut self.rng, PIECE) as usize
    }
}

impl<T> fmt::Debug for Choppy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Choppy")
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Choppy<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = self.piece();
        let mut piece = [0; PIECE as usize];
        let mut read = ReadBuf::new(&mut piece[..most.min(buffer.remaining())]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut read))?;
        buffer.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Choppy<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.halted = self.halts && !self.halted && below(&mut self.rng, 4) == 0;
        if self.halted {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let most = self.piece();
        Pin::new(&mut self.stream).poll_write(cx, &bytes[..most.min(bytes.len())])
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
