-- The labels of tasks. A row stays when its label is removed: the configuration does not add it again.
create table labels (
  task       integer not null references tasks (id) on delete cascade,
  label      text not null,
  is_removed integer not null default 0,
  since      integer not null,           -- ms since the epoch, UTC: added, or removed
  primary key (task, label)
) strict, without rowid;
