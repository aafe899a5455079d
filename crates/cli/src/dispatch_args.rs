//! The broker by which other machines are reached.

use std::path::PathBuf;

use crate::spec::UsageError;

/// The broker.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct DispatchArgs {
    /// The broker by which other machines play, such as `nats://HOST:4222` or `tls://HOST:4222` (docs/cluster.md)
    #[arg(long, value_name = "URL", env = "ROOKERY_DISPATCH", hide_env_values = true)]
    pub(crate) dispatch: Option<String>,

    /// The file with our key for the broker, as `rookery worker enrol` wrote it
    #[arg(long, value_name = "FILE", env = "ROOKERY_DISPATCH_KEY")]
    pub(crate) dispatch_key: Option<PathBuf>,

    /// Believe these certificates of the broker beside the system's
    #[arg(long, value_name = "FILE", env = "ROOKERY_DISPATCH_CA")]
    pub(crate) dispatch_ca: Option<PathBuf>,
}

/// How much workers are looked after, and how their clocks go.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct RemoteArgs {
    /// The share of games between built-in players without clocks that another worker plays again; both records must be the
    /// same, and a difference is told [default: 0.02]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    replay_share: Option<f64>,

    /// Scale the clocks of games by the speed of the worker that plays them: a worker of this SPEED, as `rookery cluster status`
    /// shows it, gets the time that was agreed, a worker half as fast gets twice the time
    #[arg(long, value_name = "SPEED", value_parser = clap::value_parser!(u32).range(1..))]
    scale_time: Option<u32>,
}

impl RemoteArgs {
    /// The same, with what a file says where nothing was said.
    pub(crate) fn or(self, replay_share: Option<f64>, scale_time: Option<u32>) -> Result<Self, String> {
        if let Some(given) = replay_share {
            share(&given.to_string()).map_err(|expected| format!("replay-share = {given}; {expected}"))?;
        }
        if scale_time == Some(0) {
            return Err("scale-time = 0; expected a speed as `rookery cluster status` shows it".to_owned());
        }
        Ok(Self {
            replay_share: self.replay_share.or(replay_share),
            scale_time: self.scale_time.or(scale_time),
        })
    }

    /// How machines are coordinated.
    #[cfg(feature = "cluster")]
    pub(crate) fn config(
        self,
        access: rookery_cluster::broker::Access,
        store: rookery_store::Store,
    ) -> rookery_cluster::RemoteConfig {
        let (replay_share, scale_time) = (self.replay_share.unwrap_or(0.02), self.scale_time);
        let usual = rookery_cluster::RemoteConfig::new(access, store);
        // Whoever goes on with a tournament by hand has looked at what failed.
        rookery_cluster::RemoteConfig { replay_share, scale_time, retry_parked: true, ..usual }
    }

    /// The speed that clocks are meant for, if it was given.
    pub(crate) fn scale_time(self) -> Option<u32> {
        self.scale_time
    }
}

/// Reads a share.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 (none) to 1 (all), such as 0.02".to_owned())
}

impl DispatchArgs {
    /// Refuses what is said of other machines where no broker leads to them; `also` are flags of the command's own.
    pub(crate) fn expect_broker(&self, remote: RemoteArgs, also: &[(&str, bool)]) -> Result<(), UsageError> {
        let own = [
            ("--dispatch-key", self.dispatch_key.is_some()),
            ("--dispatch-ca", self.dispatch_ca.is_some()),
            ("--replay-share", remote.replay_share.is_some()),
            ("--scale-time", remote.scale_time.is_some()),
        ];
        match own.iter().chain(also).find(|(_, is_given)| *is_given) {
            Some((flag, _)) if self.dispatch.is_none() => Err(UsageError(format!(
                "{flag} is for other machines that play; say --dispatch URL too, or leave it out"
            ))),
            _ => Ok(()),
        }
    }

    /// The broker that must be named.
    #[cfg(feature = "cluster")]
    pub(crate) fn expect(&self) -> anyhow::Result<rookery_cluster::broker::Access> {
        self.access()?.ok_or_else(|| {
            UsageError("which broker? Say --dispatch nats://HOST:4222, or set ROOKERY_DISPATCH".to_owned())
                .into()
        })
    }

    /// The broker, if one is named.
    #[cfg(feature = "cluster")]
    pub(crate) fn access(&self) -> anyhow::Result<Option<rookery_cluster::broker::Access>> {
        self.expect_broker(RemoteArgs::default(), &[])?;
        let Some(text) = &self.dispatch else { return Ok(None) };
        let address = text.parse().map_err(|error| UsageError(format!("--dispatch: {error}")))?;
        let (key, certificates) = (self.dispatch_key.clone(), self.dispatch_ca.clone());
        Ok(Some(rookery_cluster::broker::Access { address, key, certificates }))
    }

    /// Refuses a broker, which this program cannot use.
    #[cfg(not(feature = "cluster"))]
    pub(crate) fn expect_none(&self) -> anyhow::Result<()> {
        self.expect_broker(RemoteArgs::default(), &[])?;
        if self.dispatch.is_some() { Err(without_cluster()) } else { Ok(()) }
    }
}

/// What a program without this part says.
#[cfg(not(feature = "cluster"))]
pub(crate) fn without_cluster() -> anyhow::Error {
    UsageError(
        "this program is built without cluster support; build it with `--features cluster`, or use a released one"
            .to_owned(),
    )
    .into()
}
