/**
 * A home, a repository and an agent that does what it is told: the whole program, from outside.
 *
 * The agent `sh` runs its prompt as a shell script, unless `step` says what it does in a turn.
 */
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { z } from "zod"
import type { Client } from "../../src/api/client/client.ts"
import { connect } from "../../src/api/client/connect.ts"
import type { EventDocument } from "../../src/api/wire/events.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { approveConfig } from "../../src/features/trust/find-unapproved.ts"
import { readIdentity } from "../../src/kernel/process/process-identity.ts"
import { isSettled, type TaskState } from "../../src/kernel/tasks/rules.ts"
import { coppice, type Outcome, ScratchHome } from "./home.ts"
import { checkEvents } from "./known-events.ts"
import { TestRepo, type TestRepoOptions } from "./repo.ts"
import { waitFor } from "./wait-for.ts"

/** As in coppice.yml. `sh` is laid over the settings of the agent of that name. */
export type FleetConfig = {
  readonly repo?: object
  readonly sh?: object
  readonly agents?: object
  readonly limits?: object
  readonly maintenance?: object
}

const SH = 'if [ -f "$STEPS/$COPPICE_TURN" ]; then exec sh "$STEPS/$COPPICE_TURN"; else exec sh; fi'
const LONG_MS = 120_000

export class Fleet implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo: TestRepo
  /** Scripts by number of turn, and whatever agents note down for the test to read. Not in HOME: a reviewer notes too. */
  readonly steps: string
  /** Variables of the shell in which commands are given. */
  readonly extra: Record<string, string> = {}

  constructor(config: FleetConfig = {}, options: TestRepoOptions = {}) {
    this.repo = new TestRepo(options)
    this.steps = join(this.repo.folder, "steps")
    mkdirSync(this.steps)
    this.configure(config)
  }

  /**
   * Makes it as good as new for another test, with the same daemon: no tasks, steps or files of the last
   * one, and its own configuration. The log of the target and the numbers of tasks go on.
   */
  async renew(config: FleetConfig = {}): Promise<void> {
    const { client } = this
    for (const { id } of (await client.list()).tasks) await client.delete(id)
    rmSync(this.steps, { recursive: true })
    mkdirSync(this.steps)
    const first = this.repo.git("rev-list", "--max-parents=0", "main")
    this.repo.git("read-tree", "--reset", "-u", first)
    this.configure(config)
  }

  /** Writes coppice.yml (JSON is YAML), commits and approves it. */
  configure({ repo = {}, sh = {}, agents = {}, limits = {}, maintenance = {} }: FleetConfig): void {
    const agent = { runtime: "command", command: SH, env: { STEPS: this.steps }, ...sh }
    const file = { version: 1, repos: { app: repo }, agents: { sh: agent, ...agents } }
    const all = { ...file, limits, maintenance }
    this.approve(all, "configure")
  }

  /** Writes a whole coppice.yml, commits and approves it. */
  approve(file: object, message: string): void {
    this.repo.commit({ "coppice.yml": JSON.stringify(file, null, 2) }, message)
    approveConfig({ home: this.repo.path }, this.env)
  }

  /** Replaces the prompt as the script of turn `n` in every task. */
  step(n: number, script: string): void {
    writeFileSync(join(this.steps, String(n)), script)
  }

  /** The lines noted under a name in `steps`, in order. */
  noted(name: string): string[] {
    appendFileSync(join(this.steps, name), "")
    return readFileSync(join(this.steps, name), "utf8").split("\n").filter(Boolean)
  }

  /** Sets something for all repositories of the user. */
  userConfig(key: string, value: string): void {
    this.repo.git("config", "--file", join(this.home.path, ".gitconfig"), key, value)
  }

  get env(): Record<string, string> {
    return this.home.env(this.extra)
  }

  /** The library, for looking often; what it starts is the same daemon. */
  get client(): Client {
    return connect({ cwd: this.repo.path, env: this.env })
  }

  coppice(...args: string[]): Promise<Outcome> {
    return coppice(this.repo.path, args, { env: this.env })
  }

  /** Runs a command with `--json`, that ends with `code`, and checks its document. */
  async json<Schema extends z.ZodType>(
    schema: Schema,
    args: readonly string[],
    code = 0,
  ): Promise<z.infer<Schema>> {
    const outcome = await this.coppice(...args, "--json")
    if (outcome.code !== code) throw new Error(`${args[0]}: ${JSON.stringify(outcome)}`)
    return schema.parse(JSON.parse(outcome.stdout))
  }

  /** Gives the agent a task and does not wait for it. @returns the task's id. */
  async start(prompt: string, ...args: string[]): Promise<string> {
    return (await this.json(TaskDocument, ["run", prompt, "--detach", ...args])).id
  }

  /** Waits until the task is as `wanted`; by default until nothing more happens. */
  async until(
    id: string,
    wanted: (task: TaskDocument) => boolean = ({ state }) => isSettled(state as TaskState),
  ): Promise<TaskDocument> {
    const { client } = this
    const look = async () => {
      const task = await client.show(id)
      return wanted(task) && task
    }
    return waitFor(`task ${id}`, look, LONG_MS)
  }

  /** The first event behind `after` that is as `wanted`, as soon as it has happened. */
  async event(wanted: (event: EventDocument) => boolean, after = 0): Promise<EventDocument> {
    const signal = AbortSignal.timeout(LONG_MS)
    for await (const event of this.client.followEvents({ after, signal }))
      if (wanted(event)) return event
    throw new Error("an event did not happen")
  }

  async pid(): Promise<number> {
    const { pid } = await this.client.status()
    if (pid === null) throw new Error("no daemon runs")
    return pid
  }

  /** Kills the daemon, and waits until nothing of it can answer. */
  async kill(): Promise<void> {
    const pid = await this.pid()
    const identity = readIdentity(pid)
    process.kill(pid, "SIGKILL")
    await waitFor(`the end of daemon ${pid}`, () => readIdentity(pid) !== identity)
  }

  /** The lines of `git log` of the target, newest first. */
  log(format = "%s"): string[] {
    return this.repo.git("log", `--format=${format}`, "main").split("\n")
  }

  /** Leftovers: worktrees, refs other than rescues, locks of git. */
  leftovers(): string[] {
    const refs = this.repo.git("for-each-ref", "--format=%(refname)").split("\n")
    const known = /^refs\/(heads\/main$|coppice\/rescue\/)/
    const worktrees = this.repo.git("worktree", "list", "--porcelain").match(/^worktree .*/gm) ?? []
    const files = ["repo/.git/**/*.lock", "app.worktrees/*", "app.worktrees/.*"]
    return [
      ...refs.filter((ref) => !known.test(ref)),
      ...worktrees.slice(1),
      ...globSync(files, { cwd: this.repo.folder, exclude: ["repo/.git/coppice.lock"] }),
      ...this.repo.git("status", "--porcelain").split("\n").filter(Boolean),
    ]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const databases = globSync(join(this.home.path, "state/coppice/*/coppice.db"))
    try {
      for (const path of databases) checkEvents(path)
    } finally {
      await this.home[Symbol.asyncDispose]()
      this.repo[Symbol.dispose]()
    }
  }
}
