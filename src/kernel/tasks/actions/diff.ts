/** A task's changes as a document: bounded, and each cut marked. */
import type { DiffDocument } from "../../../api/wire/landings.ts"
import { DaemonError } from "../../errors.ts"
import { listFileDiffs, readDiff } from "../../git/ask/diff-tree.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { FleetRows } from "../../home.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { type DiffRequest, diffWork } from "../../landing/snapshot/work-diff.ts"
import type { Task, TaskRepo } from "../rows/row.ts"

/** More than a person reads, per repository. */
const TEXT_BYTES_MAX = 1024 * 1024
const FILES_MAX = 5_000

type DiffQuery = Pick<DiffRequest, "against"> & { readonly repo?: string | undefined }

/** @throws {DaemonError} `repo.unknown` (user). */
export async function diff(fleet: FleetRows, task: Task, query: DiffQuery): Promise<DiffDocument> {
  const repos = task.repos.filter(({ name }) => query.repo === undefined || name === query.repo)
  if (repos.length === 0) {
    const names = task.repos.map(({ name }) => name).join(", ")
    throw new DaemonError("repo.unknown", `Task ${task.id} has no repository ${query.repo}.`, [
      `It has: ${names}.`,
    ])
  }
  const landing = findLandingOfTask(fleet.db, task.id)
  const asked = { task, landing, against: query.against }
  return {
    task: String(task.id),
    repos: await Promise.all(repos.map((repo) => repoDiff(repo, asked))),
  }
}

type RepoDiff = DiffDocument["repos"][number]

async function repoDiff(repo: TaskRepo, asked: DiffRequest): Promise<RepoDiff> {
  const { name, path } = repo
  const found = await diffWork(repo, asked)
  if (typeof found === "string") return { name, path, ...NOTHING, notices: [found] }
  const { from, to, leftovers, conflicts, notices } = found
  const [files, { text, truncated }] = await Promise.all([
    listFileDiffs(path, from, to),
    readDiff(path, { from, to, bytesMax: TEXT_BYTES_MAX }),
  ])
  return {
    name,
    path,
    from,
    to,
    files: files.slice(0, FILES_MAX).map(({ path, oldPath, status, added, removed }) => ({
      path: displayPath(path),
      oldPath: oldPath === undefined ? null : displayPath(oldPath),
      status,
      added: added ?? null,
      removed: removed ?? null,
    })),
    filesInAll: files.length,
    text,
    truncated,
    uncommitted: leftovers.slice(0, FILES_MAX).map(displayPath),
    conflicts: conflicts.map(({ path, kind }) => ({ path: displayPath(path), kind })),
    notices: [...notices],
  }
}

const NOTHING = {
  from: null,
  to: null,
  files: [],
  filesInAll: 0,
  text: "",
  truncated: false,
  uncommitted: [],
  conflicts: [],
} satisfies Partial<RepoDiff>
