/**
 * Lists what the git hooks of a gate judge, as a part of the key of its result.
 *
 * Two commits of one tree may differ for a hook, so a landing's result counts only for commits of
 * the same content on the same target. The commits' ids are not part of the key: each replay writes
 * the same commits with a new committer time and a new signature, and must not repeat the gate.
 */
import { assert } from "../../base/assert.ts"
import { type ListedCommit, listCommits } from "../../kernel/git/ask/rev-list.ts"
import { parseCommit } from "../../kernel/git/change/commit-objects.ts"
import type { Configured, Step } from "../../kernel/landing/action.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"

/** @returns undefined if no hook is part of the gate. */
export async function listJudgedByHooks(
  { context, task }: Step<Configured>,
  repo: LandingRepo,
): Promise<object | undefined> {
  const { base, candidate, target, path } = repo
  const { hooks } = context.agentConfig(task).landing
  if (hooks.length === 0) return undefined
  assert(base && candidate, "hooks judge a candidate on its base")
  const listed = await listCommits(path, base, candidate)
  const approved = context.repoConfig(repo).hooks
  return { hooks, approved, base, target, commits: describeCommits(listed) }
}

function describeCommits(listed: readonly ListedCommit[]): readonly object[] {
  const places = new Map(listed.map(({ oid }, n) => [oid, n]))
  return listed.map(({ tree, parents, raw }) => {
    const { author, committer, encoding, message } = parseCommit(raw)
    const under = parents.map((parent) => places.get(parent) ?? parent)
    return { tree, under, author, committer: withoutTime(committer), encoding, message }
  })
}

/** @param ident `Name <email> seconds zone`. */
const withoutTime = (ident: string): string => ident.replace(/>[^>]*$/, ">")
