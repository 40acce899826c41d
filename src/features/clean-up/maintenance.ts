/**
 * Cleans up at start, at intervals and on request; never two runs at once.
 *
 * A start never waits for it. Each run decides by the facts that it finds, so an interrupted run needs no
 * memory: the next one finds the rest.
 */

import type { MaintenanceDocument } from "../../api/wire/home.ts"
import type { UninstallItem } from "../../api/wire/shell.ts"
import { isTransient } from "../../base/errors.ts"
import { abortable } from "../../kernel/git/start/limits.ts"
import { sweepScratch } from "../../kernel/process/scratch-folder.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { type Leaving, leaveRepositories } from "../uninstall/leave-repositories.ts"
import { gcDocument } from "./carry-out.ts"
import type { MaintenanceContext } from "./clean-up-item.ts"
import { type CleanUpList, findProblems, listCleanUp } from "./list-items.ts"
import {
  pruneWorktrees,
  removeTaskWorktrees,
  withSizes,
  worktreesDocument,
} from "./list-worktrees.ts"
import { countOldTasks, forgetOldRecords } from "./old-records.ts"
import type { GcDocument, GcItem, WorktreesDocument } from "./wire.ts"

/** The time for one run; the next one finds the rest. */
const RUN_MS_MAX = 30 * 60_000

export class Maintenance {
  readonly #context: MaintenanceContext
  readonly #onError: (error: unknown) => void
  readonly #ending = new AbortController()
  #last: Promise<unknown> = Promise.resolve()
  #timers: NodeJS.Timeout[] = []
  #report: MaintenanceDocument = { at: null, removed: 0, problems: [] }

  constructor(context: MaintenanceContext, onError: (error: unknown) => void) {
    this.#context = context
    this.#onError = onError
  }

  /** The findings of the last run, for `status`. */
  get report(): MaintenanceDocument {
    return this.#report
  }

  start(): void {
    const { worktrees, sessions } = this.#settings
    const isAtOnce = worktrees.enabled && worktrees.onStartup
    this.#later(isAtOnce ? 0 : worktrees.intervalMs, () => this.#cleanUp())
    this.#later(isAtOnce ? 0 : sessions.intervalMs, () => this.#forget())
  }

  /** Settles when the current run has reached a safe point; the next start continues from there. */
  async stop(): Promise<void> {
    this.#ending.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#last
  }

  preview(): Promise<GcDocument> {
    return this.#alone(async () => {
      const document = await gcDocument(
        this.#context.db,
        await listCleanUp(this.#context),
        undefined,
      )
      return { ...document, records: { tasks: await countOldTasks(this.#context), deleted: null } }
    })
  }

  /** Runs now, at a person's request, even if automatic clean-up is off. */
  collect(): Promise<GcDocument> {
    return this.#alone(() => this.#collect(RUN_MS_MAX))
  }

  /** @param sizes measures them, after the list is made: clean-ups need not wait for that. */
  async worktrees(sizes = false): Promise<WorktreesDocument> {
    const document = await this.#alone(() => worktreesDocument(this.#context))
    return sizes ? withSizes(document) : document
  }

  /**
   * Removes worktrees of finished tasks whose work is safe, even if the configuration would keep
   * them.
   */
  prune(): Promise<GcItem[]> {
    return this.#alone(() => pruneWorktrees(this.#context, this.#ending.signal))
  }

  /** Removes all that Coppice made in the repositories, as long as no work is lost. */
  leave(request: Omit<Leaving, "signal">): Promise<UninstallItem[]> {
    const { signal } = this.#ending
    return this.#alone(() => leaveRepositories(this.#context, { ...request, signal }))
  }

  /** Removes those of a task. @throws {DaemonError} `task.refused` (user). */
  remove(task: Task): Promise<GcItem[]> {
    return this.#alone(() => removeTaskWorktrees(this.#context, task, this.#ending.signal))
  }

  async #collect(msMax: number): Promise<GcDocument> {
    const { signal } = this.#ending
    const list = await listCleanUp(this.#context)
    await this.#context.world.point("cleanup: planned")
    const carried = await gcDocument(this.#context.db, list, { signal, msMax })
    const tasks = await countOldTasks(this.#context)
    const deleted = await forgetOldRecords(this.#context, signal)
    const document = { ...carried, records: { tasks, deleted } }
    this.#tell(list, document)
    return document
  }

  /** Appends an event if something was done, or if the list for a person has changed. */
  #tell(list: CleanUpList, document: GcDocument): void {
    const { db, world } = this.#context
    const items = document.repos.flatMap((repo) => repo.items)
    const removed = items.filter(({ outcome }) => outcome === "removed").length
    const problems = findProblems(db, list, document)
    const isNews = removed > 0 || problems.join("\n") !== this.#report.problems.join("\n")
    this.#report = { at: new Date(world.nowMs()).toISOString(), removed, problems }
    if (!isNews) return
    appendEvent(
      db,
      { type: "maintenance.done", task: null, data: { removed, problems } },
      world.nowMs(),
    )
  }

  async #cleanUp(): Promise<number> {
    if (this.#settings.worktrees.enabled)
      await this.#alone(async () => {
        await this.#collect(RUN_MS_MAX)
        await sweepScratch()
      })
    return this.#settings.worktrees.intervalMs
  }

  async #forget(): Promise<number> {
    await this.#alone(() => forgetOldRecords(this.#context, this.#ending.signal))
    return this.#settings.sessions.intervalMs
  }

  get #settings() {
    return this.#context.config().maintenance
  }

  /** Runs `work` when all earlier requests are done. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => abortable(this.#ending.signal, work))
    this.#last = Promise.allSettled([mine]) // the caller gets its result or error
    return mine
  }

  /** @param work returns the delay in ms until its next run. */
  #later(ms: number, work: () => Promise<number>): void {
    const timer = setTimeout(() => {
      this.#timers = this.#timers.filter((other) => other !== timer)
      void this.#run(work)
    }, ms)
    timer.unref()
    this.#timers.push(timer)
  }

  async #run(work: () => Promise<number>): Promise<void> {
    let nextMs = RETRY_MS
    try {
      nextMs = await work()
    } catch (error) {
      if (!isTransient(error) || !this.#ending.signal.aborted) this.#onError(error)
    }
    if (!this.#ending.signal.aborted) this.#later(nextMs, work)
  }
}

/** After a transient error. */
const RETRY_MS = 10 * 60_000
