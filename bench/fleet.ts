/** A repository with the packed build's daemon running for it, as a user has one. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "../src/api/client/connect.ts"
import { approveConfig } from "../src/features/trust/find-unapproved.ts"
import { coppice, ScratchHome } from "../test/support/home.ts"
import type { Place } from "./figure.ts"
import { type Git, generateRepo } from "./generated-repo.ts"

/** The command of the agent `sh` in every fleet here. */
export const AGENT_COMMAND = "echo changed >> src/0/file-0.txt"

const CONFIG = `version: 1
agents:
  sh: { runtime: command, command: ${JSON.stringify(AGENT_COMMAND)} }
`

export class Fleet implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo: string
  readonly git: Git
  /** Variables of the shell in which commands are given, and of the daemon that they start. */
  readonly extra: Record<string, string> = {}
  readonly #launcher: string

  constructor(
    { folder, launcher }: Pick<Place, "folder" | "launcher">,
    { files, config = CONFIG }: { readonly files: number; readonly config?: string },
  ) {
    this.#launcher = launcher
    this.repo = join(folder, "repo")
    this.git = generateRepo(this.repo, files, {})
    this.git("reset", "--quiet", "--hard")
    writeFileSync(join(this.repo, "coppice.yml"), config)
    this.git("add", "--all")
    this.git("commit", "--quiet", "--message", "configure")
    approveConfig({ home: this.repo }, this.home.env())
  }

  get client() {
    return connect({ cwd: this.repo, env: this.home.env() })
  }

  /** Runs the packed program to its end. @throws when it fails. */
  async coppice(...args: string[]): Promise<void> {
    const options = { env: this.home.env(this.extra), bin: this.#launcher }
    const { code, stderr } = await coppice(this.repo, args, options)
    if (code !== 0) throw new Error(`coppice ${args.join(" ")} ended with ${code}: ${stderr}`)
  }

  /** Submits tasks one after another over one connection. */
  async *tasks(): AsyncGenerator<string, void, undefined> {
    const { client } = this
    const events = client.followEvents()[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { task } = await client.create({ prompt: "change a file", agent: "sh" })
        await untilLanded(events, task.id)
        yield task.id
      }
    } finally {
      await events.return?.()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.home[Symbol.asyncDispose]()
  }
}

type Events = AsyncIterator<{ readonly type: string; readonly task: string | null }>

async function untilLanded(events: Events, id: string): Promise<void> {
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error("the daemon has ended")
    if (value.task !== id) continue
    if (value.type === "task.landed") return
    if (/^task\.(got_stuck|landing_failed)$/.test(value.type))
      throw new Error(`task ${id}: ${JSON.stringify(value)}`)
  }
}
