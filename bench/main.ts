/**
 * Measures what Coppice costs, as ratios: `npm run bench`, or `npm run bench -- ls job` for some.
 *
 * Every figure compares two things that are measured alternately in one run, on one machine, so that
 * it means the same on a slow one. The bounds are promises: a figure over its bound fails the run.
 * Repositories lie in memory where they can: some disks are slow to make again what was deleted.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installPackage } from "../test/support/packed.ts"
import { coldWorktree } from "./cold-worktree.ts"
import { configReload } from "./config-reload.ts"
import { conflictVerdict } from "./conflict-verdict.ts"
import { daemonMemory } from "./daemon-memory.ts"
import { dashboard } from "./dashboard.ts"
import { drivers } from "./drivers.ts"
import { dueTick } from "./due-tick.ts"
import { endurance } from "./endurance.ts"
import { type Figure, judge, type Result } from "./figure.ts"
import { firstTask } from "./first-task.ts"
import { installSize } from "./install-size.ts"
import { issuePoll } from "./issue-poll.ts"
import { landingQueue } from "./landing-queue.ts"
import { listTasks } from "./list-tasks.ts"
import { preparePublish } from "./prepare-publish.ts"
import { progress } from "./progress.ts"
import { recovery } from "./recovery.ts"
import { restart } from "./restart.ts"
import { warmWorktree } from "./warm-worktree.ts"
import { wholeJob } from "./whole-job.ts"

const FIGURES = [
  installSize,
  firstTask,
  listTasks,
  wholeJob,
  daemonMemory,
  ...preparePublish,
  landingQueue,
  conflictVerdict,
  recovery,
  dueTick,
  configReload,
  issuePoll,
  ...progress,
  ...drivers,
  restart,
  ...dashboard,
  ...endurance,
  ...coldWorktree,
  ...warmWorktree,
]

const wanted = process.argv.slice(2)
const figures = FIGURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "coppice-bench-")))
const memory = existsSync("/dev/shm") ? mkdtempSync("/dev/shm/coppice-bench-") : scratch
let installed: string | undefined
const interrupted = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort(new Error("interrupted")))
try {
  const results = await measureAll()
  const over = results.filter(({ verdict }) => verdict === "over").length
  const unmeasured = results.filter(({ verdict }) => verdict === "not measured").length
  const more = unmeasured === 0 ? "" : `, ${unmeasured} not measured here`
  write(`${results.length - over - unmeasured} ok, ${over} over${more}`)
  process.exitCode = over === 0 && results.length > 0 ? 0 : 1
} finally {
  for (const folder of [scratch, memory]) remove(folder)
}

async function measureAll(): Promise<readonly Result[]> {
  const results: Result[] = []
  write(execFileSync("git", ["version"], { encoding: "utf8" }).trim())
  for (const figure of figures) results.push(await measure(figure))
  return results
}

/** Uses the packed and installed package, made for the first figure that needs it. */
function launcherOfPackage(): string {
  if (installed) return installed
  const folder = join(scratch, "package")
  mkdirSync(folder)
  installed = join(installPackage(folder).prefix, "node_modules/coppice/bin/coppice.js")
  return installed
}

async function measure(figure: Figure): Promise<Result> {
  const folder = join(memory, figure.name, "repositories")
  const disk = join(scratch, figure.name, "disk")
  for (const path of [folder, disk]) mkdirSync(path, { recursive: true })
  write(`${figure.name}: ${figure.subject}\n  against ${figure.baseline}`)
  const place = {
    folder,
    disk,
    signal: interrupted.signal,
    get launcher() {
      return launcherOfPackage()
    },
  }
  const result = judge(figure, await figure.measure(place))
  for (const path of [folder, disk]) remove(path)
  write(`  ${result.line}`)
  return result
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}
