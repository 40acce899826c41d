CREATE TABLE account_limits (
  account text not null,                  -- names the login, never a key
  name    text not null,                  -- of the limit, as people call it
  share   real not null,                  -- in [0, 1]; 1: the account is refused
  until   integer not null,
  primary key (account, name)
) strict;

CREATE TABLE action_links (
  id      integer primary key autoincrement,
  event   integer not null,               -- that it was sent for
  task    integer not null references tasks (id) on delete cascade,
  action  text not null,                  -- approve | reject | answer
  subject text not null,                  -- JSON: the commits, the plan or the question, core/action-link.ts
  until   integer not null,
  used_at integer,                        -- null: it still works
  unique (event, action, subject)
) strict;

CREATE TABLE alternatives (
  task integer primary key references tasks (id) on delete cascade,
  pick integer not null                   -- names the group: its first task; not a reference: it may outlive the task
) strict;

CREATE INDEX alternatives_of_pick on alternatives (pick);

CREATE TABLE approvals (
  task integer not null references tasks (id) on delete cascade,
  name text not null,                     -- of the repository
  head text not null,
  base text not null,
  at   integer not null,
  approver text not null default '',      -- the reviewer's name; empty: a person
  primary key (task, name, head, base, approver)
) strict;

CREATE TABLE browser_sessions (
  hash      text primary key,             -- of the two secrets of a session
  name      text not null unique,         -- made of the page's secret, as is the next one; tells neither
  proof_key text not null,                -- with which the daemon shows the page that it is the one that it knows
  address   text not null,                -- of the daemon, with its port
  read_only integer not null,             -- 1: it sees the home, and changes nothing
  until     integer not null
) strict;

CREATE TABLE chat_threads (
  source      text not null,              -- its name in coppice.yml
  item        text not null,              -- the message that began it
  nonce       text not null,              -- of its claim: tells our notes from those of other fleets
  task        integer references tasks (id) on delete set null,
  seen        text not null,              -- the last message of the thread that the task has received
  noted       integer not null,           -- the last event that the thread knows of
  is_reported integer not null default 0, -- the first end of the task was reported with its claim
  active_at   integer not null,           -- its last message: it expires
  primary key (source, item)
) strict;

CREATE TABLE dependencies (
  task       integer not null references tasks (id) on delete cascade,
  depends_on integer not null references tasks (id) on delete cascade,
  kind       text not null default 'after', -- after | on: it starts from the other's work | off: that has ended
  forks      integer not null default 0,    -- with `on`: its conversation begins as a copy of the other's
  primary key (task, depends_on),
  check (depends_on < task)
) strict;

CREATE TABLE events (
  seq  integer primary key autoincrement,
  at   integer not null,
  type text not null,
  task integer,                           -- not a reference: events outlive the task
  data text not null
) strict;

CREATE INDEX events_of_cleaning on events (task)
  where type in ('workspace.kept', 'workspace.removed');

CREATE INDEX events_of_task on events (task, seq);

CREATE TABLE files (
  id       integer primary key autoincrement,
  task     integer not null references tasks (id) on delete cascade,
  name     text not null,                 -- as its sender named it
  kept_as  text not null,                 -- its name in the task's folder, with the beginning of its hash
  type     text,                          -- of an image, by its bytes; null: another file
  bytes    integer not null,
  by_agent integer not null default 0,    -- its agent reported it; else a person sent it
  message  integer references messages (id) on delete cascade, -- that it came with; null: with the prompt, or by the agent
  at       integer not null
) strict;

CREATE INDEX files_of_task on files (task);

CREATE TABLE folder_leases (
  path text primary key,                  -- real path
  task integer not null references tasks (id) on delete cascade
) strict;

CREATE TABLE forgotten (
  task      integer primary key,          -- 0: events of no task, and of deleted tasks
  events_to integer not null,             -- the last of its events that was deleted; 0: none was
  log_to    integer not null,             -- the same for its log lines
  at        integer not null
) strict;

CREATE TABLE gate_results (
  tree        text not null,
  command     text not null,
  environment text not null,              -- hash of what else the result depends on
  exit_code   integer not null,
  output      text not null,              -- the last part, bounded
  duration_ms integer not null,
  at          integer not null, wrote text,
  primary key (tree, command, environment)
) strict;

CREATE INDEX gate_results_by_age on gate_results (at);

CREATE TABLE git_lines (
  seq  integer primary key autoincrement,
  at   integer not null,
  task integer not null references tasks (id) on delete cascade,
  text text not null                      -- a line for each git
) strict;

CREATE INDEX gits_of_task on git_lines (task, seq);

CREATE TABLE home (
  one  integer primary key check (one = 1),
  name text not null,                     -- permanent: marks worktrees and refs of the home, wherever it moves
  path text not null,                     -- real path of the folder
  unique_name text not null default (lower(hex(randomblob(8)))) -- names its refs at remotes; no other home has it
) strict;

CREATE TABLE home_keys (
  name text primary key,
  key  text not null
) strict;

CREATE TABLE hook_cursors (
  hook     text primary key,              -- core/notices/hooks.ts
  seq      integer not null,              -- the last event that it is done with
  failures integer not null default 0,    -- of the delivery of the next one
  retry_at integer,                       -- when that is tried again; null: now
  retry_from integer                      -- when that was recorded: store/due.ts
) strict;

CREATE TABLE job_sessions (
  job     integer not null references jobs (id) on delete cascade,
  session text not null references sessions (id) on delete cascade,
  primary key (job, session)
) strict;

CREATE INDEX jobs_of_session on job_sessions (session);

CREATE TABLE jobs (
  id           integer primary key autoincrement,
  task         integer not null references tasks (id) on delete cascade,
  state        text not null,             -- running | ended
  started_at   integer not null,
  ended_at     integer,
  heartbeat_at integer                    -- the last sign of life in the agent's session file
, error text) strict;

CREATE INDEX jobs_of_task on jobs (task);

CREATE UNIQUE INDEX one_running_job on jobs (task) where state = 'running';

CREATE TABLE labels (
  task       integer not null references tasks (id) on delete cascade,
  label      text not null,
  is_removed integer not null default 0,
  since      integer not null,           -- ms since the epoch, UTC: added, or removed
  primary key (task, label)
) strict, without rowid;

CREATE TABLE landing_repos (
  landing   integer not null references landings (id) on delete cascade,
  name      text not null,
  path      text not null,
  target    text not null,                -- full ref name
  head      text,                         -- the snapshot
  base      text,                         -- the target's commit on which the candidate was made
  candidate text,
  published integer not null default 0,   -- the target has been moved
  intent    text,                         -- JSON: a checkout is being advanced, src/landing/move/advance-branch.ts
  receipt   text,                         -- the commit that shows that the push arrived, src/landing/ship/push-target.ts
  pushed    integer not null default 0,   -- the remote's target has been moved
  in_flight integer not null default 0,
  primary key (landing, name)
) strict;

CREATE INDEX landing_repos_made on landing_repos (path, target, candidate);

CREATE INDEX landing_repos_open on landing_repos (path, target) where published = 0;

CREATE UNIQUE INDEX one_in_flight on landing_repos (path, target) where in_flight = 1;

CREATE TABLE landings (
  id          integer primary key autoincrement,
  task        integer not null references tasks (id) on delete cascade,
  state       text not null,              -- core/landing/landing.ts
  outcome     text,
  reason      text,                       -- one sentence for a person
  details     text,                       -- JSON: conflict facts, gate output, paths in the way
  attempts    integer not null default 0, -- failed tries of publishing; reset by resubmission
  races       integer not null default 0, -- lost races for the target; many give precedence
  overtaken   integer not null default 0, -- later landings that went first: bounded, so that none starves
  handbacks   integer not null default 0,
  decided     integer not null default 0, -- all targets were verified and locked: roll forward, never cancel
  undoes      integer references landings (id) on delete set null, -- the landing that this one reverts
  wake_at     integer,                    -- when a waiting landing looks again; null: when a person acts
  wake_from   integer,                    -- when that was recorded: store/due.ts
  since       integer not null,           -- when it entered this state; of a wait: when it first waited for this
  waits_for   text,                       -- the outcome of its last wait; null once it is past that
  waits_since integer,                    -- when it first waited for that
  queued_at   integer not null
) strict;

CREATE INDEX landings_in_state on landings (state);

CREATE INDEX landings_of_task on landings (task);

CREATE INDEX landings_undoing on landings (undoes) where undoes is not null;

CREATE UNIQUE INDEX one_landing on landings (task) where state not in ('landed', 'cancelled');

CREATE TABLE leased_ports (
  port integer primary key,
  task integer not null,
  name text not null,                     -- of the repository
  foreign key (task, name) references task_repos (task, name) on delete cascade
) strict;

CREATE INDEX leased_ports_of_task on leased_ports (task, name);

CREATE TABLE log_lines (
  seq  integer primary key autoincrement,
  at   integer not null,
  task integer not null references tasks (id) on delete cascade,
  turn integer not null,
  kind text not null,                     -- text | tool | output | notice
  text text not null,
  call text                               -- of a tool's use and its output: the agent's name of the use
) strict;

CREATE INDEX log_of_task on log_lines (task, seq);

CREATE TABLE messages (
  id   integer primary key autoincrement,
  task integer not null references tasks (id) on delete cascade,
  text text not null,
  is_report integer not null default 0,   -- the end of a sub-task, not a person's words
  is_now integer not null default 0,      -- for the turn that runs; 0 once the prompt of a turn has it
  at   integer not null,
  turn integer                            -- which its agent got it in; null: not yet
) strict;

CREATE INDEX messages_to_deliver on messages (task) where turn is null;

CREATE TABLE pool_entries (
  path   text primary key,                -- of the worktree, absolute
  repo   text not null,                   -- the repository's main worktree, or bare directory
  folder text not null,                   -- of its worktrees, real path
  state  text not null,                   -- filling: belongs to no task, and is not ready for one | ready | claimed | abandoned: its task is over
  base   text,                            -- the commit that its files come from; null: not filled yet
  task   integer references tasks (id) on delete set null, -- that claimed it; then it is the task's, and the row goes
  since  integer not null,                -- when it entered this state
  bytes  integer                          -- of the disk, when it was ready; null: not measured
) strict;

CREATE INDEX pool_entries_of_place on pool_entries (repo, folder, state);

CREATE TABLE processes (
  pid        integer primary key,
  started    text not null,               -- start-time identity, src/process/identity.ts
  mark       text not null,               -- in its environment, and in that of all it started
  cgroup     text,                        -- folder of its control group; null where it has none
  task       integer references tasks (id) on delete cascade,
  purpose    text not null,               -- agent | setup | gate | hook | sign | merge | terminal
  session    text
) strict;

CREATE UNIQUE INDEX one_process_of_session on processes (session) where session is not null;

CREATE TABLE pull_requests (
  task    integer not null,
  name    text not null,                  -- of the repository
  address text not null,                  -- where its remote's branches are pushed to
  branch  text,                           -- at the remote; null: nothing was pushed yet
  base    text,                           -- the branch that we made it lead into; written before it is opened
  pushed  text,                           -- the last commit that we know to be there
  pushing text,                           -- written before it is pushed
  created integer not null default 0,     -- our push made the branch there; written before it is pushed
  number  integer,                        -- null until it is opened
  url     text,
  state   text not null default 'open',   -- open | merged | closed
  review  text not null default 'waiting', -- core/pull-request.ts
  checks  text not null default 'none',   -- likewise
  handled text not null default '[]',     -- JSON: the reviews that were handed back
  queue   text,                           -- JSON: its place in the forge's merge queue; null: none was asked for
  problem text,                           -- why the forge could not be asked
  primary key (task, name),
  foreign key (task, name) references task_repos (task, name) on delete cascade
) strict;

CREATE TABLE push_subscriptions (
  id       integer primary key autoincrement,
  endpoint text not null unique,          -- at the push service of the browser; whoever has it may send
  p256dh   text not null,                 -- the browser's public key
  auth     text not null                  -- its secret for the encryption
) strict;

CREATE TABLE questions (
  id           integer primary key autoincrement,
  task         integer not null references tasks (id) on delete cascade,
  turn         integer not null,          -- in which it was asked
  kind         text not null,             -- core/question.ts
  text         text not null,
  choices      text not null,             -- JSON: possible answers; empty: any text
  subject      text not null,             -- JSON: what it is about, by kind
  asked_at     integer not null,
  answer       text,
  answered_at  integer,
  told_at      integer,                   -- when the agent was given the answer
  closed_at    integer                    -- when its conversation was given up, without an answer
) strict;

CREATE UNIQUE INDEX one_open_question on questions (task, kind, text, subject)
  where answer is null and closed_at is null;

CREATE INDEX questions_of_task on questions (task);

CREATE TABLE reviews (
  id          integer primary key autoincrement,
  task        integer references tasks (id) on delete set null, -- whose commits they are; null: it was deleted
  reviewer    text not null,              -- name of the agent
  commits     text not null,              -- JSON: name of the repository, head and base of each
  state       text not null,              -- core/second-opinion.ts
  by_task     integer unique references tasks (id) on delete set null, -- that reads them
  verdict     text,                       -- approve | changes: its agent's word; counts once the turn has ended
  comments    text,                       -- what its agent says about them, or why there is no verdict
  handed_back integer not null default 0, -- the author has the comments
  unique (task, reviewer, commits)
) strict;

CREATE INDEX reviews_in_state on reviews (state);

CREATE TABLE schedules (
  agent    text not null,
  name     text not null,
  timing   text not null,                 -- JSON: as due_at was computed from, core/sources/schedule.ts
  switched integer,                       -- a person's word: 1 on, 0 off; null: as coppice.yml says
  due_at   integer,                       -- the next start; null: it is off
  fired_at integer,                       -- when its last tick was taken, with a task or without
  primary key (agent, name)
) strict;

CREATE INDEX schedules_due on schedules (due_at) where due_at is not null;

CREATE TABLE seen_rescues (
  repo      text not null,
  ref       text not null,
  commit_id text not null,
  at        integer not null,
  primary key (repo, ref)
) strict;

CREATE TABLE seen_settings (
  repo     text primary key,              -- its main worktree, or bare directory; real path
  settings text not null,                 -- JSON: the value of each that is set
  seq      integer not null,              -- the last event at that look
  changed  text not null                  -- JSON: those that changed while tasks ran and have not changed back
) strict;

CREATE TABLE seen_targets (
  path      text not null,
  target    text not null,                -- full ref name
  tip       text,                         -- null: the branch is gone
  is_logged integer not null default 0,   -- it has a reflog, or had one
  moved     text,                         -- JSON: how it moved past the gate, src/core/target-move.ts
  primary key (path, target)
) strict;

CREATE TABLE sessions (
  id         text primary key,            -- minted by us before the agent starts
  agent      text,                        -- its key, with the work item: as of the task that it began in
  work_item  text,                        -- null: it belongs to that task alone
  held_by    text,                        -- the program and its store of conversations; null: not used yet
  program_id text,                        -- the program's own id of it, where it makes one
  fork_of    text,                        -- the session that it begins as a copy of, while that is on record
  started_at integer not null,
  used_at    integer                      -- start of its latest turn; null: none yet
) strict;

CREATE INDEX sessions_of_work_item on sessions (work_item, agent) where work_item is not null;

CREATE TABLE set_up_costs (
  name  text primary key,                 -- the repository's name in coppice.yml
  ms    integer not null,                 -- of the set-up command
  files integer not null,                 -- that git tracks
  at    integer not null
) strict;

CREATE TABLE source_items (
  source     text not null,               -- its name in coppice.yml
  item       text not null,               -- its id in the source
  nonce      text not null unique,        -- tells our claim from every other
  task       integer unique references tasks (id) on delete set null,
  state      text not null,               -- claiming | working | reporting | ended: core/source-item.ts
  result     text,                        -- JSON: what is reported to the source
  noted      integer not null default 0,  -- the event of the last stop with a comment there
  updated_at integer not null,
  primary key (source, item)
) strict;

CREATE TABLE task_repos (
  task       integer not null references tasks (id) on delete cascade,
  name       text not null,
  path       text not null,               -- the repository's main worktree, or bare directory; real path
  target     text not null,               -- branch name
  branch     text,                        -- null until the workspace is set up
  made_branch text,                       -- the branch that we made; written before it is made, null once it is deleted
  made_at    text,                        -- the commit that it was made at
  worktree   text,                        -- absolute path; null before set-up and after removal
  entry      text,                        -- git's own folder of that worktree: stays the same when the worktree is moved
  start      text,                        -- the existing commit that the branch goes on from (`--from`); null: it begins at the target
  base       text,                        -- where its own commits begin: the commit the branch started at; with `start`, where that left the target
  ready      integer not null default 0,  -- set-up and check have passed in this worktree
  placed     text not null default '[]',  -- JSON: paths that copy and link put there, never committed
  as_found   text,                        -- of a static folder: its files when the task began, as a tree
  torn_down  integer not null default 0,  -- the repository's teardown command has run in this worktree
  merge_base text,                        -- once landed: the target before
  merge_tip  text,                        -- once landed: the target after
  address    text,                        -- hash of where its remote leads; null: its target is not pushed
  taken_back text,                        -- the commit on the target that reverted what landed
  primary key (task, name)
) strict;

CREATE TABLE tasks (
  id              integer primary key autoincrement,
  title           text not null,
  prompt          text not null,
  agent           text,                      -- name in the configuration, or of the program; null: a person or another tool did the work
  program         text,                      -- JSON: how its program is started; null: as coppice.yml says
  model           text,                      -- for its sessions, instead of its agent's
  strategy        text,                      -- of the workspace: git_worktree | static; null: the work was done elsewhere
  state           text not null,             -- core/tasks/task.ts
  stuck_in        text,                      -- the state it got stuck in; kept while it is paused
  paused_in       text,                      -- the state it was paused in
  reason_code     text,
  reason_text     text,
  work_item       text,
  land            text not null,             -- merge | approve | pr | none
  priority        integer not null default 0, -- in the landing queues; higher lands earlier
  plan_mode       text not null default 'none', -- none | auto | approve
  planner         text,                      -- the agent that plans; null: its own
  stand_in        text,                      -- JSON: the fallback that has taken over, and why; null: none
  plan            text,                      -- the plan that its agent follows
  last_message    text,                      -- the last thing the agent said
  deletion        text,                      -- remove | keep: being deleted, with or without its worktree
  attached        text,                      -- JSON: the processes in which a person has the conversation
  schedule        text,                      -- the schedule of its agent that created it
  parent          integer references tasks (id) on delete set null, -- the task whose agent proposed it
  reports         integer not null default 0, -- its parent waits for its end, and gets it as a turn
  reported        integer not null default 0, -- its parent has its end
  restarted       integer not null default 0, -- Coppice restarted it after a failure, since a person last did
  review_of       integer,                   -- it gives a second opinion on this task's commits; not a reference: it may outlive the task
  request         text unique,               -- the key of the request that made it; a repetition makes no second one
  created_at      integer not null,          -- ms since the epoch, UTC
  updated_at      integer not null
) strict;

CREATE INDEX tasks_attached on tasks (id) where attached is not null;

CREATE INDEX tasks_of_parent on tasks (parent) where parent is not null;

CREATE INDEX tasks_of_schedule on tasks (agent, schedule) where schedule is not null;

CREATE INDEX tasks_of_work_item on tasks (work_item) where work_item is not null;

CREATE INDEX tasks_to_report on tasks (id) where reports = 1 and reported = 0;

CREATE INDEX tasks_to_restart on tasks (id) where state = 'stuck' and restarted = 0;

CREATE TABLE trace_cursor (
  one integer primary key check (one = 1),
  seq integer not null                    -- the last event whose spans the collector has
) strict;

CREATE TABLE trash (
  path text primary key,                  -- absolute
  repo text not null
) strict;

CREATE TABLE turns (
  task        integer not null references tasks (id) on delete cascade,
  n           integer not null,          -- 1, 2, 3… within the task; COPPICE_TURN
  session     text not null references sessions (id) on delete cascade,
  job         integer references jobs (id) on delete cascade, -- in which it was opened
  prompt      text not null,
  begun_at    integer,                   -- when the agent was first given it
  given_at    integer,                   -- when the agent was last given it: again after an interruption
  going_since integer,                   -- start of the latest try; null: interrupted, and counted in spent_ms
  spent_ms    integer not null default 0, -- by tries that were interrupted
  ended_at    integer,
  usage       text,                      -- JSON, core/wire/tasks.ts
  declared    text,                      -- what the agent said with `done`
  message     text,                      -- the agent's last message in it; null: none, or not ended
  retry_at    integer,                   -- when the model is tried again
  retry_from  integer,                   -- when that was recorded: store/due.ts
  waits_for   text,                      -- why it was put off
  failures    integer not null default 0,
  failing_since integer,                 -- when the model was first unavailable
  insisted    integer not null default 0, -- a person wants it tried, whatever the account's limit
  primary key (task, n)
) strict;

CREATE UNIQUE INDEX one_open_turn on turns (task) where ended_at is null;

CREATE INDEX turns_of_job on turns (job);

CREATE INDEX turns_of_session on turns (session);

CREATE TABLE worktrees (
  path    text primary key,               -- absolute
  repo    text not null,                  -- the repository's main worktree, or bare directory
  purpose text not null,                  -- task | gate: a landing's, without any work in it
  task    integer,                        -- that it was made for; not a reference: it may outlive the task; null: a pool's
  branch  text                            -- that was made for it
) strict;

CREATE INDEX worktrees_of_repo on worktrees (repo);
