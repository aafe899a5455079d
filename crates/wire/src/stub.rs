use crate::{Bounds, Connection, Framing};
#[derive(Debug)]
pub struct Lent(pub Box<Connection>);
impl Lent { pub fn owned(link: Box<Connection>) -> Self { Self(link) } }
#[derive(Clone, Copy, Debug)]
pub struct ProtocolInfo { pub name: &'static str, pub framing: Framing, pub bounds: Bounds }
#[derive(Default, Debug, Clone)]
pub struct Protocols;
impl Protocols {
    pub fn player<P: rookery_rules::Position>(&self, name: &str, lent: Lent) -> Result<Box<dyn rookery_referee::Player<P>>, String> { let _ = (name, lent); Err("no".into()) }
}
pub fn listen(address: std::net::SocketAddr) -> std::io::Result<tokio::net::TcpListener> {
    let socket = if address.is_ipv4() { tokio::net::TcpSocket::new_v4() } else { tokio::net::TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(4096)
}
