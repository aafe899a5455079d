//! The page and its server: play, watch, replay and run tournaments in a browser.
//!
//! [`Server::bind`] takes the ports, [`Server::run`] serves until it is told to stop. Everything that others may send is
//! bounded on the way in ([`http`]); matches are [`hub::Table`]s around a [`rookery_live::LiveMatch`]; nothing here knows a
//! game.

pub mod accounts;
pub mod accuracy;
pub mod api;
pub mod app;
pub mod assets;
pub mod bots;
mod bundles;
pub mod data;
pub mod dates;
pub mod http;
pub mod hub;
pub mod ladders;
mod machines;
pub mod pages;
pub mod routes;
mod server;
pub mod socket;
pub mod thinkers;
pub mod tournaments;

pub use bundles::BundleDoor;
pub use machines::{Answering, Machines, MachinesData, NoAnswer, ParkedData, QueueData, WorkerData};
pub use server::{Config, Ports, Server, StartError};
