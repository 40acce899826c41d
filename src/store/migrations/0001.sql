create table tasks (
  id           integer primary key autoincrement,
  title        text not null,
  prompt       text not null,
  agent        text not null,             -- name in the configuration
  state        text not null,             -- core/task.ts
  stuck_in     text,                      -- the state it got stuck in; kept while it is paused
  paused_in    text,                      -- the state it was paused in
  reason_code  text,
  reason_text  text,
  work_item    text,
  land         text not null,             -- merge | none
  last_message text,                      -- the last thing the agent said
  created_at   integer not null,          -- ms since the epoch, UTC
  updated_at   integer not null
) strict;

create table task_repos (
  task       integer not null references tasks (id) on delete cascade,
  name       text not null,
  path       text not null,               -- the repository's main worktree, or bare directory; real path
  target     text not null,               -- branch name
  branch     text,                        -- null until the workspace is set up
  worktree   text,                        -- absolute path; null before set-up and after removal
  base       text,                        -- the commit the branch started at
  ready      integer not null default 0,  -- set-up and check have passed in this worktree
  placed     text not null default '[]',  -- JSON: paths that copy and link put there, never committed
  merge_base text,                        -- once landed: the target before
  merge_tip  text,                        -- once landed: the target after
  primary key (task, name)
) strict;

create table jobs (
  id         integer primary key autoincrement,
  task       integer not null references tasks (id) on delete cascade,
  state      text not null,               -- running | ended
  started_at integer not null,
  ended_at   integer
) strict;
-- A task has at most one running job.
create unique index one_running_job on jobs (task) where state = 'running';
create index jobs_of_task on jobs (task);

create table sessions (
  id         text primary key,            -- minted by us before the agent starts
  job        integer not null references jobs (id) on delete cascade,
  started_at integer not null
) strict;
create index sessions_of_job on sessions (job);

-- A prompt until the agent stops. An open turn is work to do, also after a crash.
create table turns (
  task         integer not null references tasks (id) on delete cascade,
  n            integer not null,          -- 1, 2, 3… within the task; COPPICE_TURN
  session      text not null references sessions (id) on delete cascade,
  prompt       text not null,
  begun_at     integer,                   -- when the agent was first given it
  ended_at     integer,
  usage        text,                      -- JSON, core/wire.ts
  primary key (task, n)
) strict;
create unique index one_open_turn on turns (task) where ended_at is null;

-- Processes that an agent or a gate started and that must not outlive us.
create table processes (
  pid        integer primary key,
  started    text not null,               -- start-time identity, src/process/identity.ts
  mark       text not null,               -- in its environment, and in that of all it started
  task       integer references tasks (id) on delete cascade,
  purpose    text not null                -- agent | setup | gate
) strict;

create table landings (
  id          integer primary key autoincrement,
  task        integer not null references tasks (id) on delete cascade,
  state       text not null,              -- core/landing.ts
  outcome     text,
  reason      text,                       -- one sentence for a person
  details     text,                       -- JSON: conflict facts, gate output, paths in the way
  attempts    integer not null default 0, -- failed tries of publishing; reset by resubmission
  races       integer not null default 0, -- lost races for the target; many give precedence
  handbacks   integer not null default 0,
  wake_at     integer,                    -- when a waiting landing looks again; null: when a person acts
  since       integer not null,           -- when it entered this state
  queued_at   integer not null
) strict;
-- A task has at most one landing under way.
create unique index one_landing on landings (task) where state not in ('landed', 'cancelled');
create index landings_of_task on landings (task);

create table landing_repos (
  landing   integer not null references landings (id) on delete cascade,
  name      text not null,
  path      text not null,
  target    text not null,                -- full ref name
  head      text,                         -- the snapshot
  base      text,                         -- the target's commit on which the candidate was made
  candidate text,
  published integer not null default 0,   -- the target has been moved
  intent    text,                         -- JSON: a checkout is being advanced, src/landing/move/advance-branch.ts
  in_flight integer not null default 0,
  primary key (landing, name)
) strict;
-- At most one landing of a target is in flight: the queue's central promise.
create unique index one_in_flight on landing_repos (path, target) where in_flight = 1;

create table gate_results (
  tree        text not null,
  command     text not null,
  environment text not null,              -- hash of what else the result depends on
  exit_code   integer not null,
  output      text not null,              -- the last part, bounded
  duration_ms integer not null,
  at          integer not null,
  primary key (tree, command, environment)
) strict;

create table events (
  seq  integer primary key autoincrement,
  at   integer not null,
  type text not null,
  task integer,                           -- not a reference: events outlive the task
  data text not null
) strict;
create index events_of_task on events (task, seq);
-- What was cancelled and cleaned up is passed over without reading its events.
create index events_of_cleaning on events (task)
  where type in ('workspace.kept', 'workspace.removed');

create table log_lines (
  seq  integer primary key autoincrement,
  at   integer not null,
  task integer not null references tasks (id) on delete cascade,
  turn integer not null,
  kind text not null,                     -- text | tool | output | notice
  text text not null
) strict;
create index log_of_task on log_lines (task, seq);
