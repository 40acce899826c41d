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
