/** How the agents of a daemon reach it: variables, session files and progress. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import type { World } from "../../core/world.ts"
import { findRunningJob } from "../../store/jobs/find.ts"
import type { Db } from "../../store/open.ts"
import type { AgentAccess } from "./access.ts"
import { withCommand, writeOwnCommand } from "./own-command.ts"
import { ProgressLog } from "./progress-log.ts"
import { SessionFiles } from "./session-files.ts"

type Parts = {
  readonly db: Db
  readonly world: World
  readonly stateDir: string
  readonly agents: AgentAccess
}

export class AgentReach {
  readonly progress: ProgressLog
  readonly #parts: Parts
  readonly #files: SessionFiles
  readonly #commands: string

  constructor(parts: Parts, onBug: (error: unknown) => void) {
    this.#parts = parts
    this.progress = new ProgressLog(parts.db, parts.world)
    this.#files = new SessionFiles({ ...parts, onBug })
    this.#commands = writeOwnCommand(parts.stateDir)
  }

  /**
   * The agent's variables; also creates a fresh session file.
   *
   * @param path the agent's PATH, to which the folder of `coppice` is appended.
   */
  variables(task: TaskId, path: string | undefined): Record<string, string> {
    const { db, agents } = this.#parts
    const job = findRunningJob(db, task)
    assert(job, "an agent runs for a job")
    const facts = { task: String(task), job: String(job.id) }
    const own = { ...agents.environment(job.id), ...this.#files.begin(task, facts) }
    return { ...own, ...withCommand(path, this.#commands) }
  }

  /** Reads what the agent has written to its session file so far. */
  takeReport(task: TaskId): void {
    this.#files.look(task)
  }

  end(): void {
    this.progress.end()
    this.#files.end()
  }
}
