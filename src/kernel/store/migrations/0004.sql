-- Why the task stopped when the job ended; null: nothing went wrong.
alter table jobs add column error text;
