//! The broker by which other machines are reached.

use std::path::PathBuf;

#[cfg(not(feature = "cluster"))]
use crate::spec::UsageError;

/// The broker.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct DispatchArgs {
    /// The broker by which other machines play, such as `nats://HOST:4222` or `tls://HOST:4222` (docs/cluster.md)
    #[arg(long, value_name = "URL", env = "ROOKERY_DISPATCH", hide_env_values = true)]
    pub(crate) dispatch: Option<String>,

    /// The file with our key for the broker, as `rookery worker enrol` wrote it
    #[arg(long, value_name = "FILE", env = "ROOKERY_DISPATCH_KEY", requires = "dispatch")]
    pub(crate) dispatch_key: Option<PathBuf>,

    /// Believe these certificates of the broker beside the system's
    #[arg(long, value_name = "FILE", env = "ROOKERY_DISPATCH_CA", requires = "dispatch")]
    pub(crate) dispatch_ca: Option<PathBuf>,
}

impl DispatchArgs {
    /// The broker that must be named.
    #[cfg(feature = "cluster")]
    pub(crate) fn expect(&self) -> anyhow::Result<rookery_cluster::broker::Access> {
        self.access()?.ok_or_else(|| {
            crate::spec::UsageError(
                "which broker? Say --dispatch nats://HOST:4222, or set ROOKERY_DISPATCH".to_owned(),
            )
            .into()
        })
    }

    /// The broker, if one is named.
    #[cfg(feature = "cluster")]
    pub(crate) fn access(&self) -> anyhow::Result<Option<rookery_cluster::broker::Access>> {
        let Some(text) = &self.dispatch else { return Ok(None) };
        let address =
            text.parse().map_err(|error| crate::spec::UsageError(format!("--dispatch: {error}")))?;
        let (key, certificates) = (self.dispatch_key.clone(), self.dispatch_ca.clone());
        Ok(Some(rookery_cluster::broker::Access { address, key, certificates }))
    }

    /// Refuses a broker, which this program cannot use.
    #[cfg(not(feature = "cluster"))]
    pub(crate) fn expect_none(&self) -> anyhow::Result<()> {
        let _ = (&self.dispatch_key, &self.dispatch_ca);
        if self.dispatch.is_some() { Err(without_cluster()) } else { Ok(()) }
    }
}

/// What a program without this part says.
#[cfg(not(feature = "cluster"))]
pub(crate) fn without_cluster() -> anyhow::Error {
    UsageError(
        "this program is built without other machines; build it with `--features cluster`, or use a released one"
            .to_owned(),
    )
    .into()
}
