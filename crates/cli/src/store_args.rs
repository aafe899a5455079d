//! The store that a command works on.

use anyhow::bail;
use rookery_rules::text::clean;
use rookery_store::{Location, Options, Store, StoreError};

use crate::data_folder::store_file;

/// Which store is meant.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// The store: a file, or a postgres:// URL [default: rookery.db in your data folder]
    #[arg(long, value_name = "FILE|URL", env = "ROOKERY_STORE", hide_env_values = true)]
    store: Option<String>,
}

impl StoreArgs {
    /// This one.
    pub(crate) fn at(location: &str) -> Self {
        Self { store: Some(location.to_owned()) }
    }

    /// Where it is, as it is opened. It may hold a password: people are shown a [`Location`].
    pub(crate) fn location(&self) -> String {
        let file = || store_file().to_string_lossy().into_owned();
        self.store.clone().filter(|store| !store.is_empty()).unwrap_or_else(file)
    }

    /// Opened to be read, also while another program writes there. A store that does not exist is not made.
    pub(crate) fn read(&self) -> anyhow::Result<Store> {
        self.expect_there()?;
        Ok(Store::open(&self.location(), &Options::read_only())?)
    }

    /// Opened to be written, and made if there is none.
    pub(crate) fn write(&self) -> Result<Store, StoreError> {
        Store::open(&self.location(), &Options::default())
    }

    /// Says what to do where there is no store.
    pub(crate) fn expect_there(&self) -> anyhow::Result<()> {
        let location: Location = self.location().parse()?;
        let missing = matches!(&location, Location::File(path) if !path.exists());
        if missing {
            bail!(
                "there is no store at {}; `rookery tournament run` and `rookery games import` make one, and \
                 --store names another",
                clean(&location.to_string())
            );
        }
        Ok(())
    }
}
