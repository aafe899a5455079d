-- Entrants, tournaments, games and ratings. `{int}`, `{real}`, `{blob}`, `{table}` and `{key_table}` are the engine's own words.
create table holder (
    id {int} primary key,
    epoch {int} not null,
    who text not null,
    since_ms {int} not null
){table};
insert into holder (id, epoch, who, since_ms) values (1, 0, '', 0);

create table entrants (
    id {int} primary key,
    name text not null,
    folded text not null unique,
    kind text not null,
    created_ms {int} not null
){table};

create table versions (
    id {int} primary key,
    entrant {int} not null references entrants (id),
    sha256 {blob} not null,
    note text not null,
    bundle {blob},
    created_ms {int} not null,
    unique (entrant, sha256)
){table};

create table tournaments (
    seq {int} primary key,
    id text not null unique,
    spec text not null,
    seed text not null,
    state text not null,
    created_ms {int} not null
){table};

create table tournament_entrants (
    tournament {int} not null references tournaments (seq),
    number {int} not null,
    entrant {int} not null references entrants (id),
    player text not null,
    version {int} references versions (id),
    present {int} not null,
    primary key (tournament, number),
    unique (tournament, entrant)
){table};

create table rounds (
    tournament {int} not null references tournaments (seq),
    number {int} not null,
    note text not null,
    created_ms {int} not null,
    primary key (tournament, number)
){table};

create table pairings (
    tournament {int} not null references tournaments (seq),
    id {int} not null,
    round {int},
    block {int} not null,
    entrants text not null,
    reason text not null,
    state text not null,
    attempt {int} not null,
    lease_owner text,
    lease_until_ms {int},
    lease_epoch {int},
    primary key (tournament, id)
){table};

create table games (
    seq {int} primary key,
    id text not null unique,
    tournament {int} references tournaments (seq),
    pairing {int},
    attempt {int},
    game text not null,
    spec text not null,
    names text not null,
    entrants text not null,
    winners text,
    scores text,
    cause text not null,
    failed text not null,
    plies {int} not null,
    finished_ms {int} not null,
    record_bytes {int} not null,
    sha256 {blob} not null,
    chain {blob} not null
){table};
create unique index games_by_key on games (tournament, pairing, attempt);
create index games_by_game on games (game, seq);
create index games_by_tournament on games (tournament, seq);
create index games_by_cause on games (cause, seq);

create table records (
    seq {int} primary key references games (seq),
    bytes {blob} not null
){table};

create table entrant_games (
    entrant {int} not null references entrants (id),
    seq {int} not null references games (seq),
    primary key (entrant, seq)
){key_table};

create table ratings (
    pool text not null,
    entrant {int} not null references entrants (id),
    method text not null,
    rating {real},
    numbers {blob} not null,
    n_games {int} not null,
    primary key (pool, entrant)
){table};
create index ratings_by_rating on ratings (pool, rating, entrant);

-- What programs wrote to their standard error, who came and went while a tournament was on, and how it is held.
create table logs (
    tournament {int} not null references tournaments (seq),
    pairing {int} not null,
    attempt {int} not null,
    seat {int} not null,
    text {blob} not null,
    primary key (tournament, pairing, attempt, seat)
){table};

create table changes (
    tournament {int} not null references tournaments (seq),
    number {int} not null,
    entrant {int} not null,
    joins {int} not null,
    from_pairing {int} not null,
    primary key (tournament, number)
){table};

create table tournament_runs (
    tournament {int} primary key references tournaments (seq),
    how text not null
){table};
