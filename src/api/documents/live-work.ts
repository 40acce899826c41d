/**
 * The work of unfinished tasks, for the board: its size, latest gate and ports, and which tasks conflict.
 *
 * Two tasks conflict if both change a path of a repository and a three-way merge of their work fails.
 * So the second of them to land will come back, unless the first is given up.
 */
import { AppError } from "../../base/errors.ts"
import type { Oid } from "../../base/ids.ts"
import { type FileDiff, listFileDiffs } from "../../kernel/git/ask/diff-tree.ts"
import { readCommitSettings } from "../../kernel/git/ask/settings.ts"
import { isolateMerges, readAttributes } from "../../kernel/git/change/merge-isolation.ts"
import { mergeTree } from "../../kernel/git/change/merge-tree.ts"
import { displayPath } from "../../kernel/git/start/git-path.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { diffWork } from "../../kernel/landing/snapshot/work-diff.ts"
import { listTasks } from "../../kernel/tasks/rows/find.ts"
import type { Task, TaskRepo } from "../../kernel/tasks/rows/row.ts"
import { mayStillLand } from "../../kernel/tasks/rules/may-still-land.ts"
import type { LiveWorkDocument } from "../wire/work.ts"
import { isGreenGate, listGates } from "./task-facts.ts"
import { taskPorts } from "./task-ports.ts"

/** Each takes a few git commands, and a page asks every ten seconds. */
const TASKS_MAX = 20
/** Each takes a merge. */
const PAIRS_MAX = 30
const PATHS_MAX = 20

type Work = {
  readonly task: Task
  readonly repo: TaskRepo
  readonly from: Oid
  readonly to: Oid
  readonly files: readonly FileDiff[]
}
type Conflict = { readonly tasks: readonly Task[]; readonly paths: readonly string[] }

const reading = new WeakMap<FleetRows, Promise<LiveWorkDocument>>()

/** All who ask while it is read get the same answer. */
export async function liveWorkDocument(fleet: FleetRows): Promise<LiveWorkDocument> {
  const found = reading.get(fleet)
  if (found) return await found
  const read = readLiveWork(fleet).finally(() => reading.delete(fleet))
  reading.set(fleet, read)
  return await read
}

async function readLiveWork(fleet: FleetRows): Promise<LiveWorkDocument> {
  const tasks = listTasks(fleet.db).filter(mayStillLand).slice(-TASKS_MAX)
  const works: Work[] = []
  for (const task of tasks)
    for (const repo of task.repos) works.push(...(await orNone(() => readWork(fleet, task, repo))))
  const conflicts = await listConflicts(works)
  const described = tasks.map(async (task) => {
    const files = works.flatMap((work) => (work.task === task ? work.files : []))
    const gate = listGates(fleet, task).find(({ onTarget }) => !onTarget)
    const result = gate && isGreenGate(gate) ? ("passed" as const) : ("failed" as const)
    return {
      task: String(task.id),
      files: files.length,
      added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
      removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
      gate: gate ? result : null,
      ports: await taskPorts(fleet, task),
      conflicts: conflicts.flatMap(({ tasks, paths }) => {
        const other = tasks.includes(task) ? tasks.find((one) => one !== task) : undefined
        return other ? [{ task: String(other.id), paths: [...paths] }] : []
      }),
    }
  })
  return { tasks: await Promise.all(described) }
}

/** A worktree may go while it is read; the other tasks are shown all the same. */
async function orNone<Item>(read: () => Promise<Item[]>): Promise<Item[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/** Empty without changes. */
async function readWork({ db }: FleetRows, task: Task, repo: TaskRepo): Promise<Work[]> {
  const landing = findLandingOfTask(db, task.id)
  const found = await diffWork(repo, { task, landing, against: "base" })
  if (typeof found === "string") return []
  const { from, to } = found
  const files = await listFileDiffs(repo.path, from, to)
  return files.length === 0 ? [] : [{ task, repo, from, to, files }]
}

async function listConflicts(works: readonly Work[]): Promise<Conflict[]> {
  const pairs = works.flatMap((one, at) =>
    works.slice(at + 1).flatMap((other) => (meets(one, other) ? [[one, other] as const] : [])),
  )
  const conflicts: Conflict[] = []
  for (const [one, other] of pairs.slice(-PAIRS_MAX)) {
    const paths = await orNone(() => mergePaths(one, other))
    if (paths.length > 0) conflicts.push({ tasks: [one.task, other.task], paths })
  }
  return conflicts
}

function meets(one: Work, other: Work): boolean {
  if (one.repo.path !== other.repo.path || one.repo.target !== other.repo.target) return false
  const paths = new Set(one.files.map(({ path }) => path))
  return other.files.some(({ path }) => paths.has(path))
}

/** The paths in which a merge of both fails. */
async function mergePaths({ repo: { path }, to: ours, from }: Work, other: Work) {
  const { drivers } = await readCommitSettings(path)
  await using isolation = await isolateMerges(path, await readAttributes(path, from), drivers)
  const merged = await mergeTree(path, { ours, theirs: other.to }, isolation)
  return merged.kind === "clean" ? [] : merged.paths.slice(0, PATHS_MAX).map(displayPath)
}
