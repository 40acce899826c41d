/** The fleet under torture. It is used as any other person would: through the client. */
import type { Client, TaskAction } from "../../src/api/client/client.ts"
import { connect } from "../../src/api/client/connect.ts"
import type { NewTask } from "../../src/api/wire/requests.ts"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { AppError } from "../../src/base/errors.ts"
import { examine } from "../../src/features/doctor/doctor.ts"
import type { Scratch } from "../scratch.ts"

const OVER: readonly string[] = ["complete", "cancelled"]
/** A command meets a killed daemon at most this often. */
const TRIES_MAX = 4

export class Fleet {
  readonly #client: Client
  readonly #scratch: Scratch

  constructor(scratch: Scratch) {
    const { fleet, env } = scratch
    this.#scratch = scratch
    this.#client = connect({ cwd: fleet, env: { ...env } })
  }

  /** A daemon that was killed at the wrong moment answers nothing, so we ask again. */
  async tasks(): Promise<readonly TaskDocument[]> {
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      const tasks = await unlessGone(async () => (await this.#client.list()).tasks)
      if (tasks) return tasks
    }
    return (await this.#client.list()).tasks
  }

  /** @returns the task's id; undefined if it is unknown whether the task was created. */
  async create(task: NewTask): Promise<string | undefined> {
    const create = async () => (await this.#client.create(task)).task.id
    return await unlessGone(create)
  }

  /** @returns whether it was accepted. */
  async act(id: string, action: TaskAction): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.act(id, action))) !== undefined
  }

  /** Sends work in review back to its agent. @returns whether it was accepted. */
  async reject(id: string, feedback: string): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.reject(id, { feedback }))) !== undefined
  }

  /** Approves work in review. @returns whether it was accepted. */
  async approve(id: string): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.approve(id))) !== undefined
  }

  /** @returns whether it was accepted. */
  async delete(id: string): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.delete(id))) !== undefined
  }

  async undo(landing: string): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.undo(landing))) !== undefined
  }

  async gc(): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.gc())) !== undefined
  }

  /** The reason why the task waits, and what would help. */
  async why(id: string): Promise<string> {
    const why = await unlessGone(async () => await this.#client.why(id))
    return why ? [why.waitingFor, why.unblock, ...why.paths].join(" ") : "no answer"
  }

  /** Everything that the fleet reports to a person without a question about one task. */
  async complaints(): Promise<string> {
    const { fleet, env } = this.#scratch
    const doctor = await unlessGone(() => examine(fleet, { home: undefined, env }))
    const gc = await unlessGone(() => this.#client.gc({ dryRun: true }))
    const status = await unlessGone(() => this.#client.status())
    return JSON.stringify([doctor, gc, status])
  }

  /** A task's worktree, branch and reasons, where the fleet says that the worktree was kept. */
  async keptOf(task: string): Promise<string> {
    const { events } = (await unlessGone(() => this.#client.events({ task }))) ?? { events: [] }
    const kept = events.filter(({ type }) => type === "workspace.kept")
    const made = events.filter(({ type }) => type === "workspace.ready")
    return kept.length === 0 ? "" : JSON.stringify([...kept, ...made])
  }

  async down(): Promise<void> {
    await this.#client.down()
  }
}

export const isOver = ({ state }: TaskDocument): boolean => OVER.includes(state)

/** @returns undefined if the daemon is gone, or refuses. */
async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AppError && error.blame !== "bug") return undefined
    throw error
  }
}
