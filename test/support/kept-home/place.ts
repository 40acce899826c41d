/**
 * The place of a kept home: the home, its repositories, the forge, and the hands of a person there.
 *
 * Everything is below one folder, so its path is the only thing in the files that differs between two places.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commandLine } from "../command-line.ts"
import { GitHubServer } from "../github-server.ts"
import { coppice, type Outcome, ScratchHome } from "../home.ts"

export class Place implements AsyncDisposable {
  readonly #scratch = new ScratchHome()
  readonly forge: GitHubServer
  /** Folders to search for programs before the system's. */
  readonly programs: string[] = []

  private constructor(forge: GitHubServer) {
    this.forge = forge
    forge.state.members.add("ada")
    forge.state.pulls.remote = join(this.repo("shop"), "../shop-origin.git")
  }

  static async create(): Promise<Place> {
    return new Place(await GitHubServer.start())
  }

  get path(): string {
    return this.#scratch.path
  }

  /** The folder with coppice.yml; no repository. */
  get home(): string {
    return join(this.path, "home")
  }

  repo(name: string): string {
    return join(this.path, "repos", name)
  }

  get env(): Record<string, string> {
    const env = this.#scratch.env({ GH_BOT_TOKEN: "token-of-robot" })
    return { ...env, PATH: [...this.programs, env["PATH"]].join(":") }
  }

  /** Nothing is approved in passing: the kept home has the approval of its person. */
  coppice(...args: string[]): Promise<Outcome> {
    return coppice(this.home, args, { env: this.env, trusted: false })
  }

  /** Runs a command with `--json`. @throws Error if it fails. */
  async json<T>(...args: string[]): Promise<T> {
    const outcome = await this.coppice(...args, "--json")
    if (outcome.code !== 0) throw new Error(`${args.join(" ")}: ${JSON.stringify(outcome)}`)
    return JSON.parse(outcome.stdout) as T
  }

  async pid(): Promise<number | null> {
    return (await this.json<{ pid: number | null }>("status")).pid
  }

  /** The same in this process, for looking often. A daemon must run. */
  async ask<T>(...args: string[]): Promise<T> {
    const line = { cwd: this.home, env: this.env }
    const { exitCode, stdout } = await commandLine(line, ...args, "--json")
    if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stdout}`)
    return JSON.parse(stdout) as T
  }

  /** Plain git, as a person runs it, without any configuration of the machine. */
  git(repo: string, ...args: string[]): string {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.path,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    }
    const cwd = this.repo(repo)
    return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim()
  }

  /** Lets everything go on that waits for this name. */
  go(name: string): void {
    mkdirSync(join(this.path, "go"), { recursive: true })
    writeFileSync(join(this.path, "go", name), "")
  }

  /** From now on it waits again. */
  stop(name: string): void {
    rmSync(join(this.path, "go", name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scratch[Symbol.asyncDispose]()
    await this.forge[Symbol.asyncDispose]()
  }
}
