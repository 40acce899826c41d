/** Reports how a worktree was prepared, and what is missing in it, before its agent starts. */

import { describePaths } from "../../base/text/group-paths.ts"
import { listIgnoredOf } from "../git/ask/check-ignore.ts"
import { findGitDir } from "../git/start/git-dir.ts"
import { displayPath, gitPath } from "../git/start/git-path.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import { listBusy } from "../workspaces/ports/lease-block.ts"
import { listPorts } from "../workspaces/rows/ports.ts"
import { recordRescued } from "../workspaces/rows/rescues.ts"
import {
  NONE_MISSING,
  PATHS_MAX,
  REPORT_EVENT,
  reportLines,
  type WorkspaceReport,
} from "../workspaces/rules/workspace-report.ts"
import { findMissing } from "../workspaces/setup/missing-files.ts"
import { findUnfilled } from "../workspaces/setup/unfilled-parts.ts"
import { databaseSlug } from "../workspaces/slug.ts"
import type { Workspace } from "../workspaces/workspace.ts"
import { pathInside, worktreesFolder } from "../workspaces/worktrees-folder.ts"
import type { JobsContext, Rows } from "./context.ts"
import type { Readied } from "./make-ready.ts"
import type { Task, TaskRepo } from "./rows/row.ts"
import { ownAgent } from "./rules/own-agent.ts"

type Reporting = Rows & Pick<JobsContext, "home" | "agentConfig">

export type Prepared = {
  readonly task: Task
  /** As it was before the preparation. */
  readonly repo: TaskRepo
  readonly workspace: Workspace
  readonly readied: Readied
}

export async function reportWorkspace(context: Reporting, prepared: Prepared): Promise<void> {
  const { db, world } = context
  const { task, repo, readied } = prepared
  const report = await makeReport(context, prepared)
  const ran = [readied.setup, readied.check].some((step) => step && step.outcome !== "reused")
  const isNew = !repo.ready || ran || report.busyPorts.length > 0
  const rescued = readied.leaves.flatMap((left) => left.rescued)
  const lines = isNew ? reportLines(report) : []
  transaction(db, () => {
    const nowMs = world.nowMs()
    recordRescued({ db, world }, task.id, rescued)
    appendEvent(db, { type: REPORT_EVENT, task: task.id, data: { ...report } }, nowMs)
    if (lines.length === 0) return
    const text = [`worktree of ${repo.name}`, ...lines].join("\n  ")
    appendLog(db, { task: task.id, turn: 0, kind: "notice", text }, nowMs)
  })
}

async function makeReport(
  context: Reporting,
  { task, repo, workspace, readied }: Prepared,
): Promise<WorkspaceReport> {
  const { home, db } = context
  const { worktree, fresh, copied, linked } = workspace
  const ports = listPorts(db, task.id).get(repo.name) ?? null
  return {
    repo: repo.name,
    worktree,
    fresh,
    copied: copied.slice(0, PATHS_MAX),
    copiedCount: copied.length,
    linked: linked.slice(0, PATHS_MAX),
    linkedCount: linked.length,
    setup: readied.setup,
    check: readied.check,
    ...leavesOf(readied),
    ...(await exposedIn(worktree, workspace.placed)),
    ports,
    busyPorts: ports && !fresh ? await listBusy(ports) : [],
    slug: databaseSlug({ home, task: task.id, title: task.title, repo: repo.name }),
    missing: await missingIn(context, { task, repo, worktree }),
    ...(await findUnfilled(worktree)),
  }
}

function leavesOf({ leaves }: Readied) {
  const made = [...new Set(leaves.flatMap((left) => left.made))]
  const putBack = [...new Set(leaves.flatMap((left) => left.putBack))]
  return {
    left: describePaths(made.map(displayPath)),
    leftCount: made.length,
    putBack: putBack.slice(0, PATHS_MAX).map(displayPath),
    putBackCount: putBack.length,
  }
}

async function exposedIn(worktree: string, placed: readonly string[]) {
  if (placed.length === 0) return { exposed: [], exposedCount: 0 }
  const ignored = new Set(await listIgnoredOf(worktree, placed.map(gitPath)))
  const exposed = placed.filter((path) => !ignored.has(gitPath(path)))
  return { exposed: exposed.slice(0, PATHS_MAX), exposedCount: exposed.length }
}

async function missingIn(
  context: Reporting,
  { task, repo, worktree }: { task: Task; repo: TaskRepo; worktree: string },
): Promise<WorkspaceReport["missing"]> {
  if (findGitDir(repo.path) === undefined) return NONE_MISSING // a bare repository has no files
  const { worktreeDir } = context.agentConfig(ownAgent(task)).workspace
  const folder = worktreesFolder({ repo: repo.path, repoName: repo.name, worktreeDir })
  const isOurs = (path: string) => path === folder || pathInside(path, folder) !== undefined
  return await findMissing(repo.path, worktree, isOurs)
}
