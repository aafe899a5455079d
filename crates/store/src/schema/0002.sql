-- People who claim a name, what they sign in with, and the log of what operators did.
create table people (
    entrant {int} primary key references entrants (id),
    password_hash text,
    is_operator {int} not null
){table};

create table tokens (
    id {int} primary key,
    sha256 {blob} not null unique,
    entrant {int} references entrants (id),
    purpose text not null,
    note text not null,
    created_ms {int} not null,
    expires_ms {int}
){table};
create index tokens_by_entrant on tokens (entrant, id);

create table audit (
    id {int} primary key,
    at_ms {int} not null,
    actor text not null,
    act text not null,
    subject text not null
){table};
