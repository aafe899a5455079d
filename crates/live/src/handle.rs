//! A match that goes on by itself, and the one handle to it.

use std::fmt;
use std::sync::Arc;

use rookery_referee::{BoxFuture, Command, Controls, Desk, MatchSpec, Offer, Reply};
use rookery_rules::{Notation, Seat};
use tokio::sync::watch;

use crate::hurry::Hurry;
use crate::view::Shared;
use crate::{News, Played, Since, Snapshot};

/// A desk without the types of its game.
pub(crate) trait AnyDesk: Send + Sync {
    fn command(&self, from: Option<Seat>, command: &Command) -> Reply;
    fn offer(&self) -> Option<Offer>;
}

impl<P: Notation> AnyDesk for Desk<P> {
    fn command(&self, from: Option<Seat>, command: &Command) -> Reply {
        self.command(from, command)
    }

    fn offer(&self) -> Option<Offer> {
        self.offer()
    }
}

/// A live match: terminals, pages, servers and workers all hold this. Copies are the same match.
///
/// ```
/// use rookery_live::{Guest, prepare};
/// use rookery_referee::{Command, MatchSpec, SeatSpec};
/// use rookery_rules::{Seat, Seed};
/// use rookery_wire::Protocols;
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// let spec = MatchSpec::new("hexapawn:rows=3,cols=3", ["human", "first"], Seed(7))?;
/// let live = prepare(spec.clone(), Guest::built_in(&spec)?, &Protocols::default(), None)?.start();
/// // It is our turn as soon as the match has begun.
/// let mut version = 0;
/// while live.snapshot().asked.is_none() {
///     version = live.changed(version).await;
/// }
/// let me = Some(Seat::new(0));
/// assert!(live.command(me, &Command::Move { ply: 0, text: "e9".to_owned() }).is_err());
/// live.command(me, &Command::Move { ply: 0, text: "b2".to_owned() })?;
/// while live.snapshot().plies() < 2 {
///     version = live.changed(version).await;
/// }
/// live.command(None, &Command::Suspend)?;
/// let played = live.played().await;
/// assert_eq!(played.end.clone().verdict(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LiveMatch(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    first: Arc<Snapshot>,
    desk: Arc<dyn AnyDesk>,
    controls: Controls,
    hurry: Hurry,
    played: watch::Receiver<Option<Arc<Played>>>,
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveMatch").field("spec", self.spec()).finish_non_exhaustive()
    }
}

impl LiveMatch {
    pub(crate) fn start(
        shared: Arc<Shared>,
        desk: Arc<dyn AnyDesk>,
        controls: Controls,
        hurry: Hurry,
        going: BoxFuture<'static, Played>,
    ) -> Self {
        let (sender, played) = watch::channel(None);
        let first = shared.snapshot();
        let telling = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut played = going.await;
            // Nobody hears of the end before its record is on the disk.
            if let Some(receipt) = played.receipt.take()
                && let Err(error) = receipt.await
            {
                played.problem.get_or_insert(error.to_string());
            }
            if let Some(problem) = &played.problem {
                telling.tell(News::RecordFailed(problem.clone()));
            }
            sender.send_replace(Some(Arc::new(played)));
        });
        Self(Arc::new(Inner { shared, first, desk, controls, hurry, played }))
    }

    /// What was agreed.
    pub fn spec(&self) -> &Arc<MatchSpec> {
        self.0.shared.spec()
    }

    /// How it stands now. Built once a version and shared.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.shared.snapshot()
    }

    /// How it stood when it became live, before any of its news.
    pub fn first_snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0.first)
    }

    /// How many news there were.
    pub fn version(&self) -> u64 {
        self.0.shared.version()
    }

    /// What happened since a version: the news, or a snapshot if they are too many.
    pub fn since(&self, version: u64) -> Since {
        self.0.shared.since(version)
    }

    /// Waits until there are news after this version, and says which it is then.
    pub async fn changed(&self, version: u64) -> u64 {
        let mut versions = self.0.shared.subscribe();
        match versions.wait_for(|now| *now > version).await {
            Ok(now) => *now,
            // The sender lives as long as we do.
            Err(_) => version,
        }
    }

    /// Takes a command of a seat, or (`None`) of whoever runs the match, and says at once what becomes of it.
    pub fn command(&self, from: Option<Seat>, command: &Command) -> Reply {
        let reply = self.0.desk.command(from, command);
        self.0.shared.tell_offer(&*self.0.desk);
        reply
    }

    /// Whoever of our own thinks now answers with what it has found so far.
    pub fn hurry(&self) {
        self.0.hurry.raise();
    }

    /// The way to stop it from anywhere.
    pub fn controls(&self) -> Controls {
        self.0.controls.clone()
    }

    /// Waits for the end: of the match, or of this part of it. Its record is on the disk then.
    pub async fn played(&self) -> Arc<Played> {
        let mut played = self.0.played.clone();
        match played.wait_for(Option::is_some).await {
            Ok(played) => Arc::clone(played.as_ref().expect("it was waited for")),
            Err(_) => Arc::new(Played {
                end: rookery_referee::End::Suspended,
                path: None,
                receipt: None,
                problem: Some("the task of the match was ended".to_owned()),
                cut: None,
            }),
        }
    }

    /// The same, and suspends it when it is to stop, whoever thinks then.
    pub async fn played_until(&self, stop: impl Future<Output = ()>) -> Arc<Played> {
        tokio::select! {
            played = self.played() => played,
            () = stop => {
                self.0.controls.suspend();
                self.played().await
            }
        }
    }

    /// The end, if it is there already.
    pub fn played_now(&self) -> Option<Arc<Played>> {
        self.0.played.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;

    use rookery_catalog::{AnyPosition, game};
    use rookery_record::Syncer;
    use rookery_referee::{Clock, End, TimeControl};
    use rookery_rules::{GameSpec, Seed};

    use super::*;

    struct NoDesk;

    impl AnyDesk for NoDesk {
        fn command(&self, _: Option<Seat>, _: &Command) -> Reply {
            Ok(())
        }

        fn offer(&self) -> Option<Offer> {
            None
        }
    }

    #[tokio::test]
    async fn the_end_waits_for_the_disk_and_tells_of_its_trouble() {
        let spec = MatchSpec::new("hexapawn", ["random", "random"], Seed(1)).expect("both are players");
        let start = game("hexapawn").and_then(|game| game.start(&GameSpec::parse("hexapawn")?));
        let start: Arc<dyn AnyPosition> = Arc::from(start.expect("hexapawn is a game"));
        let clock = Clock::new(TimeControl::Untimed, 2);
        let shared = Arc::new(Shared::new(Arc::new(spec), Arc::clone(&start), start, vec![], &clock));
        // What can be written to but not be brought to a disk.
        let null = File::options().write(true).open("/dev/null").expect("there is a /dev/null");
        let syncer = Syncer::start();
        let path = PathBuf::from("record");
        let played = Played {
            end: End::Suspended,
            path: Some(path.clone()),
            receipt: Some(syncer.add(path, null)),
            problem: None,
            cut: None,
        };
        let going = Box::pin(std::future::ready(played));
        let live = LiveMatch::start(shared, Arc::new(NoDesk), Controls::default(), Hurry::default(), going);
        assert!(live.played_now().is_none());
        let played = live.played().await;
        let problem = played.problem.as_ref().expect("it is not on the disk");
        assert!(problem.contains("cannot be brought to the disk"), "{problem}");
        assert_eq!(live.snapshot().record_problem.as_ref(), Some(problem));
    }
}
