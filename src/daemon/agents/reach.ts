/** How the agents of a daemon reach it: variables, session files and progress. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import type { World } from "../../core/world.ts"
import type { JobsContext } from "../../jobs/context.ts"
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
   * The agent's variables and its folder, with a fresh session file.
   *
   * @param path the agent's PATH, to which the folder of `coppice` is appended.
   */
  begin: JobsContext["agentReach"] = (task, path) => {
    const { db, agents } = this.#parts
    const job = findRunningJob(db, task)
    assert(job, "an agent runs for a job")
    const facts = { task: String(task), job: String(job.id) }
    const { folder, variables } = this.#files.begin(task, facts)
    const own = { ...agents.environment(job.id), ...variables }
    return { variables: { ...own, ...withCommand(path, this.#commands) }, scratch: folder }
  }

  /** Reads what the agent has written to its session file so far. */
  takeReport = (task: TaskId): void => this.#files.look(task)

  end(): void {
    this.progress.end()
    this.#files.end()
  }
}
