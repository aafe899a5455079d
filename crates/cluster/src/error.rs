//! Why machines cannot work together.

use std::fmt;

use rookery_store::StoreError;

/// Why machines cannot work together.
#[derive(Clone, Debug)]
pub enum ClusterError {
    /// The broker cannot be reached or used; what to do.
    Broker(String),
    /// The store cannot be used.
    Store(StoreError),
    /// A file of this machine cannot be used.
    File(String),
    /// What was asked for is wrong.
    Wrong(String),
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broker(what) | Self::File(what) | Self::Wrong(what) => f.write_str(what),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ClusterError {}

impl From<StoreError> for ClusterError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
