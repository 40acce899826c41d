/** How the agents of a daemon reach it: variables, session files and progress. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { AgentAccess } from "../../api/agent-tokens.ts"
import { assert } from "../../base/assert.ts"
import type { SessionId, TaskId } from "../../base/ids.ts"
import type { World } from "../../base/world.ts"
import { SessionFiles } from "../../features/session-file/session-files.ts"
import { ProgressLog } from "../../features/verbs/progress-log.ts"
import type { Db } from "../../kernel/store/open.ts"
import { removeFolder } from "../../kernel/tasks/agent-folders.ts"
import type { JobsContext } from "../../kernel/tasks/context.ts"
import { withCommand, writeOwnCommand } from "../../kernel/tasks/own-command.ts"
import { findRunningJob } from "../../kernel/tasks/rows/jobs/find.ts"
import { findSession } from "../../kernel/tasks/rows/sessions/find.ts"

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
    this.#files = new SessionFiles({ ...parts, progress: this.progress, onBug })
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
