/**
 * The session file of one session: each report in it is applied once.
 *
 * A worker may write without end. So we read the file only at intervals, and limit the notices
 * about it. The content at the end of a turn counts in any case.
 */

import type { TaskId } from "../../base/ids.ts"
import type { World } from "../../base/world.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { findPlain } from "../../kernel/process/plain-file.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import type { Db } from "../../kernel/store/open.ts"
import { transaction } from "../../kernel/store/sql.ts"
import type { AgentSecrets } from "../../kernel/tasks/agent-secrets.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordHeartbeat } from "../../kernel/tasks/rows/jobs/record.ts"
import { setMessage } from "../../kernel/tasks/rows/texts.ts"
import { declareDone } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { recordReportedStuck } from "../verbs/record-reported-stuck.ts"
import { type FileReport, parseReport } from "./rules.ts"

export type SessionFilesContext = {
  readonly secrets: Pick<AgentSecrets, "hideIn">
  readonly db: Db
  readonly world: World
  readonly stateDir: string
  onBug(error: unknown): void
}

/** A report is a few lines. */
const REPORT_BYTES_MAX = 64 * 1024
/** Every report waits for the disk. */
const LOOK_EVERY_MS = 100
/** Notices per session; more of them say nothing new. */
const NOTICES_MAX = 20
/** A worker may write any keys, so their list in a notice is cut. */
const KEYS_TOLD_MAX = 200

export class SessionFile {
  readonly #context: SessionFilesContext
  readonly #task: TaskId
  readonly #path: string
  /** The file's content when we last read it. */
  #seen: string | undefined
  #notices = 0
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(context: SessionFilesContext, task: TaskId, path: string) {
    this.#context = context
    this.#task = task
    this.#path = path
  }

  /** Called when the file may have changed. */
  readonly changed = (): void => {
    if (this.#isEnded || this.#timer) return
    const waitMs = this.#lookedAtMs + LOOK_EVERY_MS - performance.now()
    if (waitMs <= 0) this.look()
    else this.#timer = setTimeout(() => this.look(), waitMs)
  }

  look(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#lookedAtMs = performance.now()
    try {
      if (!this.#isEnded) this.#apply()
    } catch (error) {
      this.#context.onBug(error)
    }
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  #apply(): void {
    const { db, world, secrets } = this.#context
    const reading = { bytesMax: REPORT_BYTES_MAX, follows: false }
    const text = findPlain(this.#path, reading)?.toString()
    if (text === undefined || this.#seen === text) return
    // Hidden after it is read: a value may be escaped in JSON, or be a part of a number.
    const parsed = secrets.hideIn(this.#task, parseReport(text, world.nowMs()))
    // The turn that it is about; a report may end it.
    const turn = findOpenTurn(db, this.#task)?.n ?? 0
    const why =
      parsed.kind === "ok" ? applyReport({ db, world }, this.#task, parsed.report) : parsed.why
    this.#seen = text
    const said =
      why !== undefined ? `${why}; the report is ignored` : parsed.kind === "ok" && strange(parsed)
    if (said) this.#tell(turn, `Its session file ${said}.`)
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

/**
 * @returns why it is ignored, completing a sentence about the file; undefined if it was applied.
 */
function applyReport(
  { db, world }: FleetRows,
  task: TaskId,
  { status, text, heartbeatAtMs }: FileReport,
): string | undefined {
  return transaction(db, () => {
    const nowMs = world.nowMs()
    const turn = findOpenTurn(db, task)
    if (!turn) return "was written when no turn was open"
    recordHeartbeat(db, task, Math.min(heartbeatAtMs ?? nowMs, nowMs))
    const said = text ?? `its session file says that it is ${status}`
    if (status === "stuck") recordReportedStuck({ db, world }, task, said)
    // One that is done and keeps reporting progress says nothing new.
    else if (status === "done" && turn.declared !== said) declareDone(db, turn, said, nowMs)
    else if (text !== null) setMessage(db, task, text)
    return undefined
  })
}
