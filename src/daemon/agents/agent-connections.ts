/** How the agents of a daemon reach it: variables, session files and progress. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { SessionId, TaskId } from "../../core/ids.ts"
import type { World } from "../../core/world.ts"
import type { JobsContext } from "../../jobs/context.ts"
import { findRunningJob } from "../../store/jobs/find.ts"
import type { Db } from "../../store/open.ts"
import { findSession } from "../../store/sessions/find.ts"
import type { AgentAccess } from "./access.ts"
import { removeFolder } from "./agent-folders.ts"
import { withCommand, writeOwnCommand } from "./own-command.ts"
import { ProgressLog } from "./progress-log.ts"
import { SessionFiles } from "./session-files.ts"

type Parts = Pick<JobsContext, "secrets"> & {
  readonly db: Db
  readonly world: World
  readonly stateDir: string
  readonly agents: AgentAccess
}

export class AgentConnections {
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
  begin: JobsContext["connectAgent"] = (task, path) => {
    const { db, agents, stateDir } = this.#parts
    const job = findRunningJob(db, task)
    assert(job, "an agent runs for a job")
    const facts = { task: String(task), job: String(job.id) }
    const { folder, variables } = this.#files.begin(task, facts)
    const own = { ...agents.environment(job.id), ...variables }
    const transcripts = join(stateDir, "transcripts")
    sweepTranscripts(db, transcripts)
    return {
      variables: { ...own, ...withCommand(path, this.#commands) },
      scratch: folder,
      transcripts,
    }
  }

  /** Reads what the agent has written to its session file so far. */
  takeReport = (task: TaskId): void => this.#files.look(task)

  end(): void {
    this.progress.end()
    this.#files.end()
  }
}

/** Removes the copies of conversations that have gone with their last task. */
function sweepTranscripts(db: Db, folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (!findSession(db, name as SessionId)) removeFolder(join(folder, name))
}
