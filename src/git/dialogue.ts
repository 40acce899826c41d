/** A git that stays and answers line by line. */
import { once } from "node:events"
import { assert } from "../core/assert.ts"
import { collect, type GitOptions, type GitResult, startGit } from "./exec.ts"

export type Dialogue = {
  readonly pid: number | undefined
  /** Tells git some lines. */
  say(lines: string): void
  /** Waits until git has said this line. @returns false when it ended without. */
  hear(line: string): Promise<boolean>
  /** Says no more. @returns how git ended. */
  end(): Promise<GitResult>
}

/** @param options `onPid` is told git's process id before anything is said to it. */
export function openDialogue(
  cwd: string,
  args: readonly string[],
  options: Pick<GitOptions, "onPid"> = {},
): Dialogue {
  const child = startGit(cwd, args)
  const { stdin, stdout } = child
  assert(stdin && stdout, "git is started with pipes")
  let said = ""
  stdin.on("error", () => {}) // git has ended; `hear` and `end` tell
  stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("latin1")
  })
  const ended = collect(child, cwd, args, options)
  /** @returns false when git has ended. */
  const more = () => Promise.race([once(stdout, "data").then(() => true), ended.then(() => false)])
  return {
    pid: child.pid,
    say: (lines) => void stdin.write(lines),
    async hear(line) {
      const isHeard = () => `\n${said}`.includes(`\n${line}\n`)
      while (!isHeard() && (await more()));
      return isHeard()
    },
    end() {
      stdin.end()
      return ended
    },
  }
}
