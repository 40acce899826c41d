-- An outcome that only early versions recorded.
update landings set outcome = 'SQUASH_CONFLICT' where outcome = 'REBASE_CONFLICT';
-- A runtime that went: the one after it resumes the same conversations.
update tasks set program = json_set(program, '$.runtime', 'codex') where program ->> 'runtime' = 'codex-exec';
