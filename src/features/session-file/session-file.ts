/**
 * The session file of one session: each report in it is applied once.
 *
 * A worker may write without end. So we read the file only at intervals, and limit the notices
 * about it. The content at the end of a turn counts in any case. Until then, a torn file may be one
 * that its worker is writing.
 */
import { lstatSync } from "node:fs"
import type { TaskId } from "../../base/ids.ts"
import { oneLine } from "../../base/text/one-line.ts"
import type { World } from "../../base/world.ts"
import { readPlain, writeWhole } from "../../kernel/process/plain-file.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import type { Db } from "../../kernel/store/open.ts"
import { transaction } from "../../kernel/store/sql.ts"
import type { AgentSecrets } from "../../kernel/tasks/agent-secrets.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordHeartbeat } from "../../kernel/tasks/rows/jobs/record.ts"
import { declareDone } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import type { ProgressLog } from "../verbs/progress-log.ts"
import { recordReportedStuck } from "../verbs/record-reported-stuck.ts"
import { type FileReport, parseReport, REPORT_BYTES_MAX } from "./rules.ts"

export type SessionFilesContext = {
  readonly secrets: Pick<AgentSecrets, "hideIn">
  readonly progress: Pick<ProgressLog, "record">
  readonly db: Db
  readonly world: World
  readonly stateDir: string
  onBug(error: unknown): void
}

/** Every report waits for the disk. */
const LOOK_EVERY_MS = 100
/** Notices per session; more of them say nothing new. */
const NOTICES_MAX = 20
/** A worker may write any keys, so their list in a notice is cut. */
const KEYS_TOLD_MAX = 200
/** As long as the line of progress that an agent can report by a verb. */
const PROGRESS_CHARS_MAX = 500
/** A worker may read the file before it changes its status. */
const FIRST = '{"status":"working"}\n'
const FIRST_SAID = "its session file says working"

/** `text`: undefined for a file that cannot be read. */
type Written = { readonly text: string | undefined; readonly atMs: number }

export class SessionFile {
  readonly #context: SessionFilesContext
  readonly #task: TaskId
  readonly #path: string
  /** The file when we last applied it. */
  #seen: Written | undefined
  /** The last report of the turn. A heartbeat repeats it. */
  #said = FIRST_SAID
  #notices = 0
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(context: SessionFilesContext, task: TaskId, path: string) {
    this.#context = context
    this.#task = task
    this.#path = path
    writeWhole(path, FIRST)
    this.#seen = this.#read()
  }

  /** Called when the file may have changed. */
  readonly changed = (): void => {
    if (this.#isEnded || this.#timer) return
    const waitMs = this.#lookedAtMs + LOOK_EVERY_MS - performance.now()
    if (waitMs <= 0) this.#look(false)
    else this.#timer = setTimeout(() => this.#look(false), waitMs)
  }

  /** At the end of a turn. */
  look(): void {
    this.#look(true)
    this.#said = FIRST_SAID
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  #look(isFinal: boolean): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lookedAtMs = performance.now()
    try {
      if (!this.#isEnded) this.#apply(isFinal)
    } catch (error) {
      this.#context.onBug(error)
    }
  }

  #apply(isFinal: boolean): void {
    const { db, world, secrets } = this.#context
    // The turn that it is about; a report may end it.
    const turn = findOpenTurn(db, this.#task)
    const found = this.#read()
    const { text, atMs } = this.#seen ?? {}
    if (!found || (found.text === text && found.atMs === atMs)) return
    if (found.text === text && !turn) {
      this.#seen = found // else it would count in the next turn
      return
    }
    // Hidden after it is read: a value may be escaped in JSON, or be a part of a number.
    const parsed = secrets.hideIn(this.#task, parseReport(found.text, world.nowMs()))
    if (parsed.kind === "torn" && !isFinal) return
    const why = parsed.kind === "ok" ? this.#report(parsed.report) : parsed.why
    this.#seen = found
    const said =
      why !== undefined ? `${why}; the report is ignored` : parsed.kind === "ok" && strange(parsed)
    if (said) this.#tell(turn?.n ?? 0, `Its session file ${said}.`)
  }

  /** Reads the time last, so that it is not older than the text. @returns undefined: nothing is there. */
  #read(): Written | undefined {
    try {
      const reading = { bytesMax: REPORT_BYTES_MAX, follows: false }
      const text = readPlain(this.#path, reading)?.toString()
      return text ? { text, atMs: lstatSync(this.#path).mtimeMs } : undefined
    } catch {
      return { text: undefined, atMs: 0 } // something else is in its place, or was just now
    }
  }

  /** @returns why it is ignored, completing a sentence about the file; undefined if it was applied. */
  #report({ kind, text, heartbeatAtMs }: FileReport): string | undefined {
    const { db, world, progress } = this.#context
    const task = this.#task
    const ignored = transaction(db, () => {
      const nowMs = world.nowMs()
      const turn = findOpenTurn(db, task)
      if (!turn) return "was written when no turn was open"
      recordHeartbeat(db, task, Math.min(heartbeatAtMs ?? nowMs, nowMs))
      if (kind === "stuck") recordReportedStuck({ db, world }, task, text)
      else if (text !== this.#said)
        progress.record(task, oneLine(text).slice(0, PROGRESS_CHARS_MAX), nowMs)
      // One that is done and keeps reporting says nothing new.
      if (kind === "done" && turn.declared !== text) declareDone(db, turn, text, nowMs)
      return undefined
    })
    if (ignored === undefined) this.#said = text
    return ignored
  }

  #tell(turn: number, text: string): void {
    const { db, world } = this.#context
    if (++this.#notices > NOTICES_MAX || !findTask(db, this.#task)) return
    const last = this.#notices === NOTICES_MAX ? " Further notices are suppressed." : ""
    const notice = { task: this.#task, turn, kind: "notice", text: `${text}${last}` } as const
    appendLog(db, notice, world.nowMs())
  }
}

function strange({ unknown }: { readonly unknown: readonly string[] }): string | undefined {
  if (unknown.length === 0) return undefined
  return `has unknown keys: ${unknown.join(", ").slice(0, KEYS_TOLD_MAX)}`
}
