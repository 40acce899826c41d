-- Work that no agent of ours did has no agent; landings have an order, approvals and reversals.
create table tasks_new (
  id           integer primary key autoincrement,
  title        text not null,
  prompt       text not null,
  agent        text,                      -- name in the configuration; null: done by hand, or by another tool
  state        text not null,             -- core/task.ts
  stuck_in     text,                      -- the state it got stuck in; kept while it is paused
  paused_in    text,                      -- the state it was paused in
  reason_code  text,
  reason_text  text,
  work_item    text,
  land         text not null,             -- merge | approve | none
  priority     integer not null default 0, -- in the landing queues; higher lands earlier
  last_message text,                      -- the last thing the agent said
  created_at   integer not null,          -- ms since the epoch, UTC
  updated_at   integer not null
) strict;
insert into tasks_new (id, title, prompt, agent, state, stuck_in, paused_in, reason_code,
  reason_text, work_item, land, last_message, created_at, updated_at)
  select id, title, prompt, agent, state, stuck_in, paused_in, reason_code,
    reason_text, work_item, land, last_message, created_at, updated_at from tasks;
drop table tasks;
alter table tasks_new rename to tasks;

-- A task lands after those it depends on: earlier ones alone, so that there is no cycle.
create table dependencies (
  task       integer not null references tasks (id) on delete cascade,
  depends_on integer not null references tasks (id) on delete cascade,
  primary key (task, depends_on),
  check (depends_on < task)
) strict;

-- A person has seen head on top of base and wants it landed; or Coppice made head, mechanically, of
-- one that was approved. Holds for these commits alone.
create table approvals (
  task integer not null references tasks (id) on delete cascade,
  name text not null,                     -- of the repository
  head text not null,
  base text not null,
  at   integer not null,
  primary key (task, name, head, base)
) strict;

-- What landed was taken back by this commit: it is on the target, and yet its change is not.
alter table task_repos add column taken_back text;

-- All targets were verified and locked: from here on the landing is rolled forward, never cancelled.
alter table landings add column decided integer not null default 0;
-- The landing that this one takes back.
alter table landings add column undoes integer references landings (id) on delete set null;
create index landings_undoing on landings (undoes) where undoes is not null;
