/**
 * Gives agents access to the daemon: one token per job, valid only for the agent verbs.
 *
 * It is derived from the daemon's own token, which agents never see. So nothing is recorded, and a
 * token ends with its job and with the daemon.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { JobId } from "../base/ids.ts"

export class AgentAccess {
  readonly #secret: string
  /** The daemon's address; known before any agent is started. */
  address = ""

  constructor(secret: string) {
    this.#secret = secret
  }

  environment(job: JobId): Record<string, string> {
    return { COPPICE_URL: this.address, COPPICE_TOKEN: this.#token(job) }
  }

  /** @returns the job of a token of ours; the store knows whether the job still runs. */
  jobOf(token: string): JobId | undefined {
    const job = /^(\d{1,15})\.[0-9a-f]{64}$/.exec(token)?.[1]
    if (job === undefined) return undefined
    const id = Number(job) as JobId
    const [given, wanted] = [Buffer.from(token), Buffer.from(this.#token(id))]
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? id : undefined
  }

  #token(job: JobId): string {
    return `${job}.${createHmac("sha256", this.#secret).update(`agent of job ${job}`).digest("hex")}`
  }
}
