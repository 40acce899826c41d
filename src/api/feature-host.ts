/** The parts of a daemon that each feature gets when it starts, and from which it makes its loops and its members of the fleet. */
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Logger } from "pino"
import type { TaskId } from "../base/ids.ts"
import type { AgentConfig } from "../config/config.ts"
import type { LiveConfig } from "../config/live/live-config.ts"
import type { LandingContext } from "../kernel/landing/action.ts"
import type { Task } from "../kernel/tasks/rows/row.ts"
import type { GitWorktreeStrategy } from "../kernel/workspaces/git-worktree.ts"
import type { Fleet, FleetParts } from "./fleet.ts"
import type { StatusDocument } from "./wire/home.ts"

export type Host = {
  /** A feature finds the parts of those before it in the list here. */
  readonly fleet: Fleet
  /** The approved configuration, as it changes. */
  readonly live: LiveConfig
  readonly log: Logger
  /** The parts of the kernel that start processes, make and remove worktrees, and land work. */
  readonly kernel: LandingContext & { readonly workspaces: GitWorktreeStrategy }
  /** Logs that one of these rests after an error. */
  onError(what: string): (id: number | string | undefined, error: unknown) => void
  onBug(error: unknown): void
}

/** Nothing goes on before `start`, which waits until a person has approved the configuration. */
export type Part = {
  readonly fleet?: Partial<FleetParts>
  start?(): void
  /** Lets go at once, before any loop stops. The last feature of the list begins. */
  end?(): void
  /** Settles when its work is at a safe point. All stop at the same time. */
  stop?(): Promise<void>
  /** A sentence for each, for a person. */
  problems?(): readonly string[]
  /** A part of `coppice status`. */
  status?(): Partial<StatusDocument>
  /** Whether the home needs a daemon that stays though no row waits for one. `down --if-idle` ends it all the same. */
  isUsed?(): boolean
  /** Before the first turn of a job. @returns why its agent must not start. */
  beforeRun?(run: AgentRun): Promise<string | undefined>
  /** For the programs of a task. */
  variables?(task: TaskId, by: { readonly forAgent: boolean }): Readonly<Record<string, string>>
  serve?(server: FastifyInstance, serving: Serving): void
}

export type AgentRun = {
  readonly task: Task
  readonly agent: AgentConfig
  readonly signal: AbortSignal
}

export type Serving = {
  readonly fleet: Fleet
  /** False for a server that gives one answer, of a home whose daemon was ended. */
  readonly isLasting: boolean
  isEnding(): boolean
  /** Whether the token of a request, or the session of its page, has all rights of the person now. */
  isPersons(request: FastifyRequest): boolean
  version(): string | null
}

/** A loop as a part. */
export const driving = (loop: { start(): void; stop(): Promise<void> }) => ({
  start: () => loop.start(),
  stop: () => loop.stop(),
})
