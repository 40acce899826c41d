/** Laws 7 and 10: no locks, worktrees, refs, files or processes that nobody needs any more. */
import { globSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { listProcessesOf } from "../play/left-processes.ts"
import type { User } from "../play/user.ts"
import type { Report } from "../report.ts"

/** What is deleted in the background, and how long processes take to end. */
const WAIT_MS_MAX = 20_000
const POLL_MS = 200

/** @param user has put their own away. */
export async function checkNothingLeft(user: User, report: Report): Promise<void> {
  const { repo, fleet, home } = user.scratch
  let left: string[] = []
  for (const endMs = performance.now() + WAIT_MS_MAX; performance.now() < endMs; ) {
    const refs = ((await user.ask("git for-each-ref --format='%(refname)'")) ?? "").split("\n")
    const known = [user.scratch.target, ...user.branches].map((name) => `refs/heads/${name}`)
    const isKnown = (ref: string) =>
      known.includes(ref) || /^refs\/(coppice\/rescue\/|stash$)|^refs\/heads\/user-/.test(ref)
    const listed = (await user.ask("git worktree list --porcelain")) ?? ""
    const worktrees = [...listed.matchAll(/^worktree (.*)$/gm)].map(([, path]) => path ?? "")
    const isOwn = (path: string) => path === repo || user.worktrees.has(path)
    left = [
      ...refs.filter((ref) => ref !== "" && !isKnown(ref)),
      ...worktrees.filter((path) => !isOwn(path)).map((path) => `the worktree ${path}`),
      ...globSync("**/*.lock", { cwd: join(repo, ".git"), exclude: ["coppice.lock"] }),
      ...globSync("*.worktrees/{*,.*}", { cwd: fleet }),
      ...listProcessesOf(home).map(({ pid, command }) => `process ${pid}: ${command}`),
    ]
    if (left.length === 0) break
    await delay(POLL_MS)
  }
  report.check("nothing is left lying about or running", 1, left)
  const status = (await user.ask("git status --porcelain --untracked-files=all")) ?? "no status"
  const texts = status === "" ? [] : [`the checkout is not as its commit: ${status}`]
  report.check("the checkout is the target's", 1, texts)
  const check = await user.type("git fsck --connectivity-only --no-dangling --no-progress")
  report.check("the repository is whole", 1, check.code === 0 ? [] : [check.output])
}
