/**
 * Starts every child process of a daemon that runs other people's code: agents, set-ups, gates.
 *
 * Invariant: a child is registered with the guard before its program runs. It stays
 * registered until nothing of its tree is left, however it ended.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { assert } from "../../base/assert.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import { makeCgroup, removeCgroup } from "./cgroup.ts"
import { endTree, type ProcessTree } from "./end-tree.ts"
import { UnstartableError } from "./errors.ts"
import type { Launch } from "./fence.ts"
import { findProgram } from "./find-program.ts"
import { Guard } from "./guard.ts"
import { SHIM } from "./guard-script.ts"
import type { ChildExit, OwnedChild } from "./owned-child.ts"
import { readIdentity } from "./process-identity.ts"
import type { Purpose } from "./process-purpose.ts"
import { MARK_VARIABLE } from "./process-table.ts"

export type OwnerOptions = {
  /** Unique to this owner, e.g. random hex; it marks the owner's children. */
  readonly mark: string
  /** Decides how a child is contained. Default: not at all. */
  contain?(launch: Launch, of: OwnedFor): Promise<Launch>
  /** Called before a child's output can be read. */
  onStart?(process: Started, of: OwnedFor): void
  /** Called when nothing of a child's tree is left. */
  onExit?(pid: number): void
}

/** Identifies a child and its tree after a restart. */
export type Started = {
  readonly pid: number
  readonly identity: string
  /** The folder of its control group; null if it has none. */
  readonly cgroup: string | null
}

/** The task and purpose of a child. */
export type OwnedFor = {
  readonly purpose: Purpose
  readonly task: TaskId | null
  /** The conversation that an agent process holds exclusively. */
  readonly session?: SessionId
  /** A program that a person approved, and that needs the repository itself. */
  readonly isTrusted?: boolean | undefined
}

export type OwnedOptions = OwnedFor & {
  readonly cwd: string
  /** The whole environment: nothing is inherited, and only the mark is added. */
  readonly env: Readonly<Record<string, string>>
}

/** Grace period for processes that still run when their leader has exited, or is being ended. */
const GRACE_MS = 2_000
/** For output still in the pipe when the tree is gone; only an escaped process makes us wait. */
const DRAIN_MS_MAX = 1_000

export class ProcessOwner implements AsyncDisposable {
  readonly #options: OwnerOptions
  readonly #guard: Guard
  /** Made with the first child, so that an owner that is killed before leaves none. */
  #cgroup: string | null | undefined
  readonly #children = new Set<OwnedChild>()
  #started = 0

  constructor(options: OwnerOptions) {
    this.#options = options
    this.#guard = new Guard(options.mark)
  }

  /**
   * Starts `command` (a path, or a name on the PATH of `env`) in a process group of its own.
   *
   * @throws {UnstartableError} (`world`) when it is missing or the system refuses to start it.
   */
  async spawn(
    command: string,
    args: readonly string[],
    options: OwnedOptions,
  ): Promise<OwnedChild> {
    const { cwd: folder, env: own, ...of } = options
    if (!existsSync(folder))
      throw new UnstartableError(`cannot start ${command}: no folder ${folder}`)
    const launched: Launch = { command, args, cwd: folder, env: own }
    const contained = (await this.#options.contain?.(launched, of)) ?? launched
    const running = await this.#start(command, contained).catch(async (error: unknown) => {
      await contained.cleanUp?.({ code: null, signal: null })
      throw error
    })
    const owned = this.#own(running)
    this.#children.add(owned)
    try {
      const { pid, cgroup } = running.tree
      const identity = readIdentity(pid) ?? "gone"
      this.#options.onStart?.({ pid, identity, cgroup }, of)
    } catch (error) {
      await owned.end() // a child that could not be recorded must not run
      throw error
    }
    return owned
  }

  async endAll(graceMs?: number): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.end(graceMs)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endAll()
    await this.#guard[Symbol.asyncDispose]()
    if (this.#cgroup) removeCgroup(this.#cgroup)
  }

  async #start(command: string, contained: Launch): Promise<Running> {
    const { cwd, env } = contained
    const program = demandProgram(contained.command, env, cwd)
    const n = ++this.#started
    const mark = `${this.#options.mark}:${n}`
    this.#cgroup ??= makeCgroup(cgroupName(this.#options))
    const cgroup = this.#cgroup && makeCgroup(`${cgroupName(this.#options)}/${n}`)
    const child = launch(command, [cgroup ?? "", program, ...contained.args], {
      cwd,
      env: { ...env, [MARK_VARIABLE]: mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", this.#guard.open(this.#cgroup)],
    })
    const { readExit = (read) => read, cleanUp } = contained
    const exit = once(child, "exit").then(([code, signal]) => readExit({ code, signal }))
    const pid = await startedPid(child, command, exit)
    this.#guard.remember(pid)
    return { child, tree: { pid, mark, cgroup }, exit, cleanUp }
  }

  #own({ child, tree, exit, cleanUp }: Running): OwnedChild {
    let ending: Promise<void> | undefined
    const end = (graceMs = GRACE_MS) => {
      ending ??= endTree(tree, graceMs)
      return ending
    }
    const exited = exit.then(async (result) => {
      await end()
      await cleanUp?.(result)
      await drain(child)
      this.#guard.forget(tree.pid)
      this.#children.delete(owned)
      this.#options.onExit?.(tree.pid)
      return result
    })
    const owned: OwnedChild = {
      child,
      pid: tree.pid,
      exit,
      exited,
      end: async (graceMs) => {
        await end(graceMs)
        await exited
      },
    }
    return owned
  }
}

type Running = {
  readonly child: ChildProcess
  readonly tree: ProcessTree
  readonly exit: Promise<ChildExit>
  readonly cleanUp: Launch["cleanUp"]
}

const cgroupName = ({ mark }: OwnerOptions): string => `coppice-${mark}`

function launch(command: string, line: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn("/bin/sh", ["-c", SHIM, "sh", ...line], options)
  } catch (error) {
    throw unstartable(command, error) // node throws some refusals (E2BIG) and emits others
  }
}

async function startedPid(
  child: ChildProcess,
  command: string,
  exit: Promise<ChildExit>,
): Promise<number> {
  // `exit` rejects with the same error as the wait for "spawn" below, which is thrown.
  void Promise.allSettled([exit])
  child.stdin?.on("error", () => {}) // a program may exit before it reads; its exit tells how
  try {
    await once(child, "spawn")
  } catch (error) {
    throw unstartable(command, error)
  }
  assert(child.pid !== undefined, "a process that was spawned has a pid")
  return child.pid
}

function unstartable(command: string, error: unknown): UnstartableError {
  const message = error instanceof Error ? error.message : String(error)
  return new UnstartableError(`cannot start ${command}: ${message}`, [], error)
}

async function drain(child: ChildProcess): Promise<void> {
  const streams = [child.stdout, child.stderr]
  const closed = streams.map((stream) => stream && !stream.closed && once(stream, "close"))
  const timer = new AbortController()
  const late = delay(DRAIN_MS_MAX, "late", { signal: timer.signal }).catch(() => "done")
  await Promise.race([Promise.allSettled(closed), late])
  timer.abort()
  for (const stream of streams) stream?.destroy()
}

/** The path of the program. @throws {UnstartableError} when it is missing. */
export function demandProgram(command: string, env: NodeJS.ProcessEnv, cwd: string): string {
  const program = findProgram(command, { path: env["PATH"], cwd })
  if (program) return program
  throw new UnstartableError(`there is no program ${command}`, [
    `Install ${command}, or put its folder on the PATH with which Coppice is started.`,
  ])
}
