/** Lists what a stopped task has changed so far, for the fresh conversation that goes on with it. */
import { existsSync } from "node:fs"
import { shellWord } from "../../../base/text/shell-word.ts"
import { DaemonError } from "../../errors.ts"
import { listFileDiffs } from "../../git/ask/diff-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { diffWork } from "../../landing/snapshot/work-diff.ts"
import type { Stopped } from "../prompts/fresh-conversation.ts"
import type { Task, TaskRepo } from "../rows/row.ts"

/** A brief must be short; git shows the rest. */
const FILES_MAX = 50

/**
 * Files that differ from the base, including uncommitted ones.
 *
 * @throws {DaemonError} `task.refused` (user) if the worktree is gone.
 */
export async function listChangedFiles(
  task: Task,
  landing: Landing | undefined,
): Promise<Stopped["changes"]> {
  const files: string[] = []
  for (const repo of task.repos) {
    if (repo.worktree === null) continue
    if (!existsSync(repo.worktree)) throw worktreeGone(task, repo, repo.worktree)
    const found = await diffWork(repo, { task, landing, against: "base" })
    if (typeof found === "string") continue
    const name = task.repos.length > 1 ? `${repo.name}: ` : ""
    const all = await listFileDiffs(repo.path, found.from, found.to)
    files.push(...all.map(({ status, path }) => `${status} ${name}${displayPath(path)}`))
  }
  return { files: files.slice(0, FILES_MAX), inAll: files.length }
}

/** A new worktree would start elsewhere and silently lack the uncommitted files. */
function worktreeGone({ id }: Task, { path, branch }: TaskRepo, worktree: string): DaemonError {
  const words = [worktree, ...(branch === null ? [] : [branch])].map(shellWord).join(" ")
  return new DaemonError("task.refused", `The worktree of task ${id} is gone: ${worktree}.`, [
    `If you moved it: \`git -C ${shellWord(path)} worktree repair <its new folder>\`, and try again.`,
    `\`git -C ${shellWord(path)} worktree add -f ${words}\` puts it back, with what was committed.`,
    `\`coppice recover\` lists what was saved; \`coppice delete ${id}\` removes the task.`,
  ])
}
