/**
 * The file route of agents: a context that we write, and a session file that the agent writes.
 *
 *   <state directory>/agents/<task>/session-context.json   who it is, and where its session file is
 *   <state directory>/agents/<task>/session.json           what it reports
 *
 * A watcher applies each report once. What is torn, unknown or illegal changes nothing and is told in
 * the task's log. Both files are of the session that runs: a new one begins with neither.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { TaskId } from "../../core/ids.ts"
import { parseReport } from "../../core/session-file.ts"
import type { World } from "../../core/world.ts"
import { findPlain, writeWhole } from "../../process/plain-file.ts"
import { findRunningJob } from "../../store/jobs/find-running.ts"
import { appendLog } from "../../store/log/append.ts"
import type { Db } from "../../store/open.ts"
import { findTask } from "../../store/tasks/find.ts"
import { findOpenTurn } from "../../store/turns/find-open.ts"
import { applyReport } from "./apply-report.ts"
import { watchedFile } from "./watch-file.ts"

const CONTEXT = "session-context.json"
const SESSION = "session.json"
/** A report is a few lines. */
const REPORT_BYTES_MAX = 64 * 1024

export type SessionFilesContext = {
  readonly db: Db
  readonly world: World
  readonly stateDir: string
  onBug(error: unknown): void
}

export class SessionFiles {
  readonly #context: SessionFilesContext
  readonly #folder: string
  /** What each file said when it was last looked at. */
  readonly #seen = new Map<TaskId, string>()
  /** How to stop watching each. */
  readonly #watched = new Map<TaskId, () => void>()
  #isEnded = false

  constructor(context: SessionFilesContext) {
    this.#context = context
    this.#folder = join(context.stateDir, "agents")
    rmSync(this.#folder, { recursive: true, force: true }) // of sessions that died with a daemon
  }

  /** Before a session's program starts. @returns what it finds in its environment. */
  begin(task: TaskId, facts: object): Record<string, string> {
    const folder = join(this.#folder, String(task))
    const sessionFile = join(folder, SESSION)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    rmSync(sessionFile, { recursive: true, force: true })
    this.#seen.delete(task)
    const path = join(folder, CONTEXT)
    writeWhole(path, `${JSON.stringify({ ...facts, sessionFile }, null, 2)}\n`)
    this.#watch(task, folder)
    return { COPPICE_SESSION_CONTEXT: path }
  }

  end(): void {
    this.#isEnded = true
    for (const task of this.#watched.keys()) this.#leave(task)
  }

  /** Those of tasks that have stopped are watched no more. */
  #watch(task: TaskId, folder: string): void {
    for (const other of this.#watched.keys())
      if (other === task || !findRunningJob(this.#context.db, other)) this.#leave(other)
    const path = join(folder, SESSION)
    const onError = (error: unknown) => this.#context.onBug(error)
    const onChange = () => {
      try {
        if (!this.#isEnded) this.#look(task, path)
      } catch (error) {
        onError(error)
      }
    }
    this.#watched.set(task, watchedFile({ folder, name: SESSION, onChange, onError }))
  }

  #leave(task: TaskId): void {
    this.#watched.get(task)?.()
    this.#watched.delete(task)
  }

  #look(id: TaskId, path: string): void {
    const { db, world } = this.#context
    const text = findPlain(path, { bytesMax: REPORT_BYTES_MAX, follows: false })?.toString()
    if (text === undefined || this.#seen.get(id) === text) return
    this.#seen.set(id, text)
    const parsed = parseReport(text, world.nowMs())
    // The turn that it is about: a report may end it.
    const turn = findOpenTurn(db, id)?.n ?? 0
    const why = parsed.kind === "ok" ? applyReport({ db, world }, id, parsed.report) : parsed.why
    const said =
      why !== undefined ? `${why}; nothing of it counts` : parsed.kind === "ok" && strange(parsed)
    if (!said || !findTask(db, id)) return
    const notice = { task: id, turn, kind: "notice", text: `Its session file ${said}.` } as const
    appendLog(db, notice, world.nowMs())
  }
}

/** A worker may write anything in there: what is told of it has a bound. */
const KEYS_TOLD_MAX = 200

function strange({ unknown }: { readonly unknown: readonly string[] }): string | undefined {
  if (unknown.length === 0) return undefined
  return `has keys that do not count: ${unknown.join(", ").slice(0, KEYS_TOLD_MAX)}`
}
