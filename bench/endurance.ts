/** Whether a daemon that has done thousands of tasks is as quick and as small as one that has done few. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { databasePath, stateDir } from "../src/api/client/state-dir.ts"
import type { Oid } from "../src/base/ids.ts"
import { openDb } from "../src/kernel/store/open.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { Fleet } from "./fleet.ts"
import { GIT_ENV } from "./generated-repo.ts"
import { residentMiB } from "./resident.ts"
import { addLandedTasks } from "./task-rows.ts"

/** Tasks that the daemon does, then rows of finished ones that it gets, then tasks that it does. */
const FIRST = 100
const ROWS = 2_500
const LATER = 400
/** The latest tasks, whose time counts. */
const TIMED = 50
/** By then the garbage of the tasks is collected. */
const REST_MS = 5_000
/** Worktrees and folders that tasks may leave for a while: cleaning up is not a landing's last act. */
const LEFT_MAX = 20
/** A home keeps the landed refs of its newest 50. */
const REFS_MAX = 50 + LEFT_MAX

/** Two at a time: so the second one is replayed, and its own commits are on no branch afterwards. */
const CONFIG = `version: 1
limits: { concurrent: 2 }
agents:
  sh: { runtime: command, command: 'echo $COPPICE_TASK > $COPPICE_TASK.txt; git add -A; git commit -qm work' }
`

type State = { readonly taskMs: readonly number[]; readonly memoryMiB: number }
let measured: Promise<{ readonly early: State; readonly late: State } | NotMeasurable> | undefined

const figure = (
  of: Pick<Figure, "name" | "unit" | "subject">,
  pick: (state: State) => number[],
) => ({
  ...of,
  baseline: `the same after ${FIRST} tasks`,
  async measure(place: Place): Promise<Samples | NotMeasurable> {
    measured ??= endure(place)
    const found = await measured
    if ("notMeasurable" in found) return found
    return { baseline: pick(found.early), subject: pick(found.late) }
  },
})

export const endurance: readonly Figure[] = [
  {
    ...figure(
      {
        name: "endurance",
        unit: "ms",
        subject: `a small task, two at a time, in a daemon that has done ${FIRST + LATER} and keeps ${FIRST + ROWS + LATER}`,
      },
      ({ taskMs }) => [...taskMs],
    ),
    ratioMax: 1.25,
  },
  {
    ...figure(
      { name: "endurance-memory", unit: "MiB", subject: "that daemon's memory at rest, VmRSS" },
      ({ memoryMiB }) => [memoryMiB],
    ),
    addedMax: 25,
  },
]

async function endure(place: Place): Promise<{ early: State; late: State } | NotMeasurable> {
  if (!existsSync("/proc/self/status")) return { notMeasurable: "there is no /proc" }
  await using fleet = new Fleet(place, { files: 10, config: CONFIG })
  await fleet.coppice("up", "--detach")
  const early = await work(fleet, FIRST, place.signal)
  addRows(fleet)
  const late = await work(fleet, LATER, place.signal)
  await fleet.coppice("down")
  return { early, late }
}

/** @throws when the tasks have left more behind than a few would. */
async function work(fleet: Fleet, count: number, signal: AbortSignal): Promise<State> {
  const taskMs: number[] = []
  let left = count
  const lane = async () => {
    const tasks = fleet.tasks()
    while (left-- > 0) {
      signal.throwIfAborted()
      const startMs = performance.now()
      await tasks.next()
      taskMs.push(performance.now() - startMs)
    }
    await tasks.return()
  }
  await Promise.all([lane(), lane()])
  await delay(REST_MS, undefined, { signal })
  assertTidy(fleet)
  const { pid } = await fleet.client.status()
  return { taskMs: taskMs.slice(-TIMED), memoryMiB: residentMiB(pid!) }
}

function assertTidy(fleet: Fleet): void {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: fleet.repo, env: GIT_ENV, encoding: "utf8" })
  const refs = git("for-each-ref", "--format=%(refname)", "refs/coppice", "refs/heads/agent")
    .split("\n")
    .filter(Boolean)
  const worktrees = git("worktree", "list", "--porcelain").match(/^worktree /gm) ?? []
  const agents = join(stateDir(fleet.repo, fleet.home.env()), "agents")
  const folders = existsSync(agents) ? readdirSync(agents) : []
  const left = { refs: refs.length, worktrees: worktrees.length, folders: folders.length }
  if (left.refs > REFS_MAX || left.worktrees > LEFT_MAX || left.folders > LEFT_MAX)
    throw new Error(`tasks that are done have left behind: ${JSON.stringify(left)}`)
}

function addRows(fleet: Fleet): void {
  const db = openDb(databasePath(stateDir(fleet.repo, fleet.home.env())))
  addLandedTasks(db, fleet.repo, fleet.git("rev-parse", "HEAD") as Oid, ROWS)
  db.close()
}
