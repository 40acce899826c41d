/**
 * `git rebase`: an agent's own branch, in its own worktree, onto a commit.
 *
 * Apart from update-ref.ts the only code that moves a branch. It never moves a target, only a
 * branch that its agent could move too. The user's settings for rebases do not count, and no hook,
 * editor, signature or merge driver runs.
 */
import type { Oid } from "../../../base/ids.ts"
import { readCommitSettings } from "../ask/settings.ts"
import type { GitResult } from "../start/errors.ts"
import { git } from "../start/exec.ts"

export type Onto = { readonly base: Oid; readonly onto: Oid }

const ARGS = [
  "rebase",
  ...["--merge", "--empty=drop", "--keep-empty", "--no-stat", "--no-gpg-sign"],
  ...["--no-autostash", "--no-autosquash", "--no-fork-point", "--no-update-refs"],
]

/**
 * Replays `base..HEAD` onto `onto`. If a commit conflicts, stops with git's rebase in progress.
 *
 * @returns git's own output, for people. {@link findOperation} tells whether the rebase is over.
 */
export async function rebase(worktree: string, { base, onto }: Onto): Promise<GitResult> {
  const { drivers, committer: who } = await readCommitSettings(worktree)
  const disabled = drivers.map((name) => [`merge.${name}.driver`, "false"])
  const settings = { "rebase.rebaseMerges": "false", ...Object.fromEntries(disabled) }
  const env = {
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_COMMITTER_NAME: asText(who.name),
    GIT_COMMITTER_EMAIL: asText(who.email),
  }
  const args = [...ARGS, "--onto", onto, base]
  return await git(worktree, args, { answers: [0, 1, 128], env, settings })
}

const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8")
