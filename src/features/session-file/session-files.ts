/**
 * The file route of agents: a context that we write, and a session file that the agent writes.
 *
 * <state directory>/agents/<task>/session-context.json: its facts, and the path of its session file
 * <state directory>/agents/<task>/session.json: its reports
 *
 * A watcher applies each report once. An unknown or illegal one changes nothing, and the task's log
 * says so. A torn one is named only at the end of the turn. Both files belong to the running session;
 * the next one starts with fresh files.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { TaskId } from "../../base/ids.ts"
import { writeWhole } from "../../kernel/process/plain-file.ts"
import { removeFolder } from "../../kernel/tasks/agent-folders.ts"
import { findRunningJob } from "../../kernel/tasks/rows/jobs/find.ts"
import { SessionFile, type SessionFilesContext } from "./session-file.ts"
import { watchForChanges } from "./watch-file.ts"

const CONTEXT = "session-context.json"
const SESSION = "session.json"

type Watched = { readonly file: SessionFile; stop(): void }

export class SessionFiles {
  readonly #context: SessionFilesContext
  readonly #folder: string
  readonly #watched = new Map<TaskId, Watched>()

  constructor(context: SessionFilesContext) {
    this.#context = context
    this.#folder = join(context.stateDir, "agents")
    removeFolder(this.#folder) // from sessions that died with a daemon
  }

  /** Before a session's program starts. @returns the folder, and variables that name the files. */
  begin(task: TaskId, facts: object) {
    this.#leaveEnded(task)
    const folder = join(this.#folder, String(task))
    const sessionFilePath = join(folder, SESSION)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, CONTEXT)
    // Workers may also read it as `sessionFile`.
    const context = { ...facts, sessionFilePath, sessionFile: sessionFilePath }
    writeWhole(path, `${JSON.stringify(context, null, 2)}\n`)
    this.#watch(task, folder)
    return { folder, variables: { COPPICE_SESSION_CONTEXT: path } }
  }

  /** At the end of a turn: the agent's last report counts even if the watcher has not fired yet. */
  look(task: TaskId): void {
    this.#watched.get(task)?.file.look()
  }

  end(): void {
    for (const task of this.#watched.keys()) this.#leave(task)
  }

  /** Removes the files of this task's last session, and those of tasks whose job has ended. */
  #leaveEnded(task: TaskId): void {
    for (const other of this.#watched.keys())
      if (other === task || !findRunningJob(this.#context.db, other)) {
        this.#leave(other)
        removeFolder(join(this.#folder, String(other)))
      }
  }

  #watch(task: TaskId, folder: string): void {
    const file = new SessionFile(this.#context, task, join(folder, SESSION))
    const { changed: onChange } = file
    const onError = (error: unknown) => this.#context.onBug(error)
    const stop = watchForChanges({ folder, name: SESSION, onChange, onError })
    this.#watched.set(task, { file, stop })
  }

  #leave(task: TaskId): void {
    const watched = this.#watched.get(task)
    watched?.stop()
    watched?.file.end()
    this.#watched.delete(task)
  }
}
