/**
 * The terminals that pages have open, and what ends them.
 *
 * A terminal ends with its page, with its task's worktree and with the daemon. A landing, a cancelled
 * and a deleted task wait for the end of the task's processes before they remove a worktree, and a
 * terminal's shell is one of them.
 */

import { DaemonEndingError, DaemonError } from "../../kernel/errors.ts"
import type { Home } from "../../kernel/home.ts"
import type { ProcessOwner } from "../../kernel/process/owner.ts"
import { onCommit } from "../../kernel/store/sql.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { folderOf } from "../../kernel/workspaces/workspace-facts.ts"
import { loadPty } from "./pty-binding.ts"
import { startShell } from "./shell.ts"
import { Terminal, type TerminalPlace } from "./terminal.ts"
import type { TerminalSize } from "./terminal-frames.ts"
import { type Standing, terminalStanding } from "./terminal-standing.ts"

/** A person looks at a few at a time. Each costs a process of 50 MB. */
const OF_TASK_MAX = 4
const ALL_MAX = 16

type Context = Pick<Home, "db" | "home" | "stateDir"> & {
  readonly owner: Pick<ProcessOwner, "spawn">
  readonly workspaces: { isLeaving(worktree: string): boolean }
}

export class Terminals {
  readonly #context: Context
  readonly #open = new Map<string, Terminal>()
  /** Places at which a shell is being started. */
  readonly #starting = new Set<TerminalPlace>()
  readonly #onBug: (error: unknown) => void
  #stopWatching: (() => void) | undefined
  #isLooking = false
  #isStopped = false

  constructor(context: Context, onBug: (error: unknown) => void) {
    this.#context = context
    this.#onBug = onBug
  }

  /**
   * Where a new terminal would open.
   *
   * @param repoName default: the task's first repository.
   * @throws {DaemonError} `task.refused` (user)
   * @throws {TerminalUnavailableError} (world)
   */
  placeFor(task: Task, repoName: string | undefined): TerminalPlace {
    const repo = task.repos.find(({ name }) => name === (repoName ?? task.repos[0]?.name))
    const folder = repo && folderOf(task, repo)
    if (!repo || !folder)
      throw refused(task, "it has no worktree now", [
        "It is made when its agent starts, and removed when its work has landed.",
      ])
    const place = { task: task.id, repo: repo.name, folder }
    this.#requireStanding(task, place)
    this.#requireRoom(task)
    loadPty()
    return place
  }

  #requireStanding(task: Task, place: TerminalPlace): void {
    const standing = this.#standingOf(place)
    if (standing.kind === "ends") throw refused(task, standing.why)
  }

  #standingOf(place: TerminalPlace): Standing {
    return this.#context.workspaces.isLeaving(place.folder)
      ? { kind: "ends", why: "Its worktree is being removed." }
      : terminalStanding(this.#context.db, place)
  }

  /** @returns undefined if it has ended. */
  find(task: Task, id: string): Terminal | undefined {
    const found = this.#open.get(id)
    return found?.place.task === task.id ? found : undefined
  }

  /** @throws as `placeFor` does, and {UnstartableError} (world). */
  async open(task: Task, repoName: string | undefined, size: TerminalSize): Promise<Terminal> {
    if (this.#isStopped) throw new DaemonEndingError()
    const place = this.placeFor(task, repoName)
    this.#starting.add(place)
    try {
      const shell = await startShell(this.#context, place, size)
      try {
        this.#requireStanding(task, place) // a removal may have begun before it was on record
      } catch (error) {
        await shell.end()
        throw error
      }
      const terminal = new Terminal(place, shell)
      this.#keep(terminal)
      return terminal
    } finally {
      this.#starting.delete(place)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#stopWatching?.()
    for (const terminal of this.#open.values()) terminal.end("The daemon has ended.")
  }

  #requireRoom(task: Task): void {
    const all = [...this.#starting, ...[...this.#open.values()].map(({ place }) => place)]
    const ofTask = all.filter((one) => one.task === task.id)
    if (ofTask.length < OF_TASK_MAX && all.length < ALL_MAX) return
    const which =
      ofTask.length < OF_TASK_MAX ? `${ALL_MAX} terminals` : `${OF_TASK_MAX} of the task`
    throw refused(task, `${which} are open`, ["End one of them first."])
  }

  #keep(terminal: Terminal): void {
    this.#open.set(terminal.id, terminal)
    this.#stopWatching ??= onCommit(this.#context.db, () => this.#lookSoon())
    void terminal.untilEnded().then(() => {
      this.#open.delete(terminal.id)
      if (this.#open.size > 0) return
      this.#stopWatching?.()
      this.#stopWatching = undefined
    }, this.#onBug)
    this.#lookSoon()
  }

  #lookSoon(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    setImmediate(() => {
      this.#isLooking = false
      this.#look()
    })
  }

  #look(): void {
    if (!this.#context.db.open) return
    for (const terminal of this.#open.values()) {
      try {
        const standing = this.#standingOf(terminal.place)
        if (standing.kind === "ends") terminal.end(standing.why)
        else terminal.notify(standing.notice)
      } catch (error) {
        this.#onBug(error) // the task cannot be read now; the next commit looks again
      }
    }
  }
}

function refused({ id }: Task, why: string, hints: readonly string[] = []): DaemonError {
  return new DaemonError("task.refused", `No terminal of task ${id} opens: ${lower(why)}.`, hints)
}

const lower = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "")
