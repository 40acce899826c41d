-- A port is one task's at most, from its set-up until its worktree is gone.
create table leased_ports (
  port integer primary key,
  task integer not null,
  name text not null,                     -- of the repository
  foreign key (task, name) references task_repos (task, name) on delete cascade
) strict;
create index leased_ports_of_task on leased_ports (task, name);

-- The command that the repository has for worktrees that go has run in this one.
alter table task_repos add column torn_down integer not null default 0;

-- How many that came later were taken first: a bound keeps the less urgent from starving.
alter table landings add column overtaken integer not null default 0;

-- The queues are looked at after every commit; what is over does not slow them down.
create index landings_in_state on landings (state);
create index landing_repos_open on landing_repos (path, target) where published = 0;
-- What an agent asks of a person; open until there is an answer, or nobody is left to hear it.
create table questions (
  id           integer primary key autoincrement,
  task         integer not null references tasks (id) on delete cascade,
  turn         integer not null,          -- in which it was asked
  kind         text not null,             -- core/question.ts
  text         text not null,
  choices      text not null,             -- JSON: possible answers, none where any text is one
  subject      text not null,             -- JSON: what it is about, by kind
  asked_at     integer not null,
  answer       text,
  answered_at  integer,
  told_at      integer,                   -- when the agent was given the answer
  closed_at    integer                    -- when its conversation was given up, without an answer
) strict;
-- The same is asked once, however often the agent is interrupted and asks again.
create unique index one_open_question on questions (task, kind, text, subject)
  where answer is null and closed_at is null;
create index questions_of_task on questions (task);

-- What the agent declared when it said that it was done.
alter table turns add column declared text;

-- The last sign of life that the agent gave by its session file.
alter table jobs add column heartbeat_at integer;

-- How the task's workspace is set up: git_worktree | static; null: the work is somebody else's.
alter table tasks add column strategy text;
update tasks set strategy = 'git_worktree' where agent is not null;
create index tasks_of_work_item on tasks (work_item) where work_item is not null;

-- Of a folder in which agents work as it is: its files when the task began, as a tree.
alter table task_repos add column as_found text;

-- Which task works in a folder that agents work in as it is. It holds while the task is working.
create table folder_leases (
  path text primary key,                  -- real path
  task integer not null references tasks (id) on delete cascade
) strict;

-- How much room worktrees take, as last measured: to measure is slow.
create table worktree_sizes (
  path  text primary key,                 -- absolute
  bytes integer not null,
  at    integer not null
) strict;

-- What was deleted of events and logs because it was older than the retention: followers are told.
create table forgotten (
  task      integer primary key,          -- 0: events of no task, and of tasks that are deleted
  events_to integer not null,             -- the last of its events that was deleted; 0: none was
  log_to    integer not null,             -- of its log lines likewise
  at        integer not null
) strict;

-- What is older than the retention is found without reading the rest.
create index gate_results_by_age on gate_results (at);

-- When a rescue ref was first seen: git forgets when it made one, and it goes by its age.
create table seen_rescues (
  repo      text not null,
  ref       text not null,
  commit_id text not null,
  at        integer not null,
  primary key (repo, ref)
) strict;

-- Worktrees that wait for a task, or are one's; a row is the right to its path.
create table pool_entries (
  path   text primary key,                -- of the worktree, absolute
  repo   text not null,                   -- the repository's main worktree, or bare directory
  folder text not null,                   -- of its worktrees, real path
  state  text not null,                   -- filling: nobody's, and not fit for a task | ready | claimed
  base   text,                            -- the commit that its files are of; null: they never were
  task   integer references tasks (id) on delete set null, -- who claimed it
  used   integer not null default 0,      -- a task has had it: what it installed may be there
  since  integer not null                 -- when it entered this state
) strict;
create index pool_entries_of_place on pool_entries (repo, folder, state);

-- A task may begin with a plan, and a person may speak to its agent, attach to it, and delete it.
alter table tasks add column plan_mode text not null default 'none'; -- none | auto | approve
alter table tasks add column plan text;               -- what its agent is to follow
alter table tasks add column deletion text;           -- remove | keep: is being deleted, with its worktree or without
alter table tasks add column deletion_failed text;    -- why it is still there; null while it is tried
alter table tasks add column deletion_retry text;     -- remove | keep: as cleaning up tries it again; null: nobody wants it now
alter table tasks add column attached text;           -- JSON: in which processes a person has the conversation
create index tasks_attached on tasks (id) where attached is not null;

-- What a person says to a task's agent, until it is part of a turn's prompt.
create table messages (
  id   integer primary key autoincrement,
  task integer not null references tasks (id) on delete cascade,
  text text not null,
  at   integer not null,
  turn integer                            -- whose prompt it is part of; null: not yet
) strict;
create index messages_to_deliver on messages (task) where turn is null;

-- A turn whose model cannot be had now is tried again.
alter table turns add column retry_at integer;
alter table turns add column waits_for text;      -- what it was put off for
alter table turns add column failures integer not null default 0;
alter table turns add column insisted integer not null default 0; -- a person wants it tried, whatever its account's limit
alter table turns add column given_at integer;    -- to the agent, last: again after it was interrupted
alter table turns add column going_since integer; -- its latest try; null: that was interrupted, and is in spent_ms
alter table turns add column spent_ms integer not null default 0; -- by tries that were interrupted
update turns set given_at = begun_at, going_since = begun_at;

-- How far a limit of an account at a model API is used, and until when that holds.
create table account_limits (
  account text not null,                  -- names the login, never a key
  name    text not null,                  -- of the limit, as people call it
  share   real not null,                  -- in [0, 1]; 1: nothing is served
  until   integer not null,
  primary key (account, name)
) strict;

-- In which job it was opened; a session may have several.
alter table turns add column job integer references jobs (id) on delete cascade;
update turns set job = (select job from sessions where id = turns.session);
create index turns_of_job on turns (job);

-- A conversation is of an agent and its work item, or of one task: jobs of several tasks may have
-- it, one after another.
create table sessions_new (
  id         text primary key,            -- minted by us before the agent starts
  agent      text,                        -- its key, with the work item: as of the task that it began in
  work_item  text,                        -- null: it is that task's alone
  held_by    text,                        -- the program and its store of conversations; null: not used yet
  started_at integer not null,
  used_at    integer                      -- when it was last given a turn; null: never
) strict;
insert into sessions_new (id, agent, work_item, started_at, used_at)
  select sessions.id, tasks.agent, tasks.work_item, sessions.started_at,
    (select max(begun_at) from turns where session = sessions.id)
  from sessions join jobs on jobs.id = sessions.job join tasks on tasks.id = jobs.task;
create table job_sessions (
  job     integer not null references jobs (id) on delete cascade,
  session text not null references sessions (id) on delete cascade,
  primary key (job, session)
) strict;
insert into job_sessions (job, session) select job, id from sessions;
drop table sessions;
alter table sessions_new rename to sessions;
create index sessions_of_work_item on sessions (work_item, agent) where work_item is not null;
create index jobs_of_session on job_sessions (session);

-- Nothing is ever run twice on one session.
alter table processes add column session text;
create unique index one_process_of_session on processes (session) where session is not null;

-- The turns that a session takes along are looked up by it.
create index turns_of_session on turns (session);
