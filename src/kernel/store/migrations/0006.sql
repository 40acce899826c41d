-- An outcome that only early versions recorded.
update landings set outcome = 'SQUASH_CONFLICT' where outcome = 'REBASE_CONFLICT';
