/** The fleet under torture, asked and told as by any other person: through the client. */
import { setTimeout as delay } from "node:timers/promises"
import type { Client, TaskAction } from "../../src/client/client.ts"
import { connect } from "../../src/client/connect.ts"
import { AppError } from "../../src/core/errors.ts"
import type { NewTask, TaskDocument } from "../../src/core/wire.ts"
import type { Scratch } from "../scratch.ts"

const OVER: readonly string[] = ["complete", "cancelled"]
const GONE_POLL_MS = 20
const TRIES_MAX = 4

export class Fleet {
  readonly #client: Client

  constructor({ fleet, env }: Scratch) {
    this.#client = connect({ cwd: fleet, env: { ...env } })
  }

  /** A daemon that was killed at the wrong moment answers nothing: then it is asked again. */
  async tasks(): Promise<readonly TaskDocument[]> {
    for (let tries = 1; tries < TRIES_MAX; tries++) {
      const tasks = await unlessGone(async () => (await this.#client.list()).tasks)
      if (tasks) return tasks
    }
    return (await this.#client.list()).tasks
  }

  /** @returns the task's id; undefined when nobody knows whether there is one. */
  async create(task: NewTask): Promise<string | undefined> {
    const create = async () => (await this.#client.create(task)).task.id
    return await unlessGone(create)
  }

  /** @returns whether it was accepted. */
  async act(id: string, action: TaskAction): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.act(id, action))) !== undefined
  }

  /** Gives the agent back what is in review. @returns whether it was accepted. */
  async reject(id: string, feedback: string): Promise<boolean> {
    return (await unlessGone(async () => await this.#client.reject(id, { feedback }))) !== undefined
  }

  /** Lets what is in review land. @returns whether it was accepted. */
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

  async why(id: string): Promise<string> {
    const why = await unlessGone(async () => await this.#client.why(id))
    return why?.waitingFor ?? "nobody knows"
  }

  /** `kill -9`, and waits for the end. @returns whether one was running. */
  async kill(): Promise<boolean> {
    const { pid } = await this.#client.status()
    if (pid === null) return false
    try {
      process.kill(pid, "SIGKILL")
      while ((await this.#client.status()).pid === pid) await delay(GONE_POLL_MS)
    } catch {
      return false // it had ended this instant
    }
    return true
  }

  async down(): Promise<void> {
    await this.#client.down()
  }
}

export const isOver = ({ state }: TaskDocument): boolean => OVER.includes(state)

/** @returns undefined where the daemon is gone, or refuses. */
async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof AppError && error.blame !== "bug") return undefined
    throw error
  }
}
