/** Makes a git repository of demo/project in a scratch folder, with main checked out. */
import { execFileSync } from "node:child_process"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Env = Readonly<Record<string, string>>

export class ScratchProject {
  readonly path: string
  readonly #env: Env

  /** @param files more files of the first commit. */
  constructor(path: string, env: Env, files: Readonly<Record<string, string>> = {}) {
    this.path = path
    this.#env = env
    cpSync(join(import.meta.dirname, "project"), path, { recursive: true })
    // npm would ask a registry whether there is a newer one.
    writeFileSync(join(env["HOME"]!, ".npmrc"), "update-notifier=false\n")
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
    this.run("git", "init", "--quiet", "--initial-branch=main")
    this.run("git", "config", "user.name", "Robin")
    this.run("git", "config", "user.email", "robin@example.com")
    this.run("git", "add", "--all")
    this.run("git", "commit", "--quiet", "-m", "textkit: first version")
  }

  /** @returns the command's stdout. @throws when it ends with anything but 0, with what it said. */
  run(command: string, ...args: string[]): string {
    const options = { cwd: this.path, env: this.#env, encoding: "utf8", stdio: "pipe" } as const
    return execFileSync(command, args, options).trimEnd()
  }
}
