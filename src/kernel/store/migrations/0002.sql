-- What a gate that passed wrote among the files that it tested, as JSON; null: nothing.
alter table gate_results add column wrote text;
