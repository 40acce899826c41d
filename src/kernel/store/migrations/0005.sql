-- Settings of a repository that all of its checkouts obey, as at the last look.
create table seen_settings (
  repo     text primary key,              -- its main worktree, or bare directory; real path
  settings text not null,                 -- JSON: the value of each that is set
  seq      integer not null,              -- the last event at that look
  changed  text not null                  -- JSON: those that changed while tasks ran and have not changed back
) strict;
