//! Waiting for connections.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// Connections that wait to be accepted. With the usual 128 a crowd that comes at once is kept waiting for seconds by
/// the system.
const BACKLOG: u32 = 4096;

/// Listens on an address, with room for thousands that come at once; port 0 means any that is free. Everybody who
/// listens does it here.
///
/// # Panics
/// Outside of a runtime.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of an earlier run that are not forgotten yet do not keep the port.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
