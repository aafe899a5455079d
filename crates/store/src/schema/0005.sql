-- Bots whose archives are kept: which version may play, whose it is, and what came of its validation game. The archive
-- itself is `versions.bundle`, which never changes.
create table bundles (
    version {int} primary key references versions (id),
    owner {int} references entrants (id),
    contents text not null,
    state text not null,
    problem text not null,
    changed_ms {int} not null
){table};
