-- Games that are played on other machines: the job of each pairing, and the attempts that came to nothing.
create table jobs (
    tournament {int} not null references tournaments (seq),
    pairing {int} not null,
    attempt {int} not null,
    fence {int} not null,
    failures {int} not null,
    state text not null,
    worker text,
    until_ms {int},
    beats {int} not null,
    last text,
    sha256 {blob},
    primary key (tournament, pairing)
){table};

create table attempts (
    tournament {int} not null references tournaments (seq),
    pairing {int} not null,
    attempt {int} not null,
    fence {int} not null,
    worker text not null,
    how text not null,
    ended_ms {int} not null,
    primary key (tournament, pairing, attempt, fence)
){table};
