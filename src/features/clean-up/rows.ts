/** Remembers when each rescue ref was first seen. */
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"

export type SeenRescue = { readonly ref: string; readonly commit: string }

const NOTE = `
  insert into seen_rescues (repo, ref, commit_id, at) values (:repo, :ref, :commit, :nowMs)
  on conflict (repo, ref) do update set commit_id = :commit, at = :nowMs
  where commit_id <> :commit`
const FORGET = "delete from seen_rescues where repo = :repo and ref = :ref"
const LIST = "select ref, at from seen_rescues where repo = :repo"

/**
 * Remembers when rescue refs of a repository were first seen, and forgets those that are gone.
 *
 * @param rescues all of the repository. @returns when each was first seen at its commit.
 */
export function noteRescues(
  db: Db,
  { repo, rescues }: { readonly repo: string; readonly rescues: readonly SeenRescue[] },
  nowMs: number,
): ReadonlyMap<string, number> {
  return transaction(db, () => {
    const there = new Set(rescues.map(({ ref }) => ref))
    for (const { ref, commit } of rescues) sql(db, NOTE).run({ repo, ref, commit, nowMs })
    const seen = sql(db, LIST).list({ repo })
    for (const { ref } of seen)
      if (!there.has(ref as string)) sql(db, FORGET).run({ repo, ref: ref as string })
    return new Map(seen.map(({ ref, at }) => [ref as string, at as number]))
  })
}
