-- Whom the operator keeps out of the server or of its chat, and what else it has decided.
create table measures (
    entrant {int} primary key references entrants (id),
    is_banned {int} not null,
    is_muted {int} not null
){table};

create table settings (
    name text primary key,
    value text not null
){table};
