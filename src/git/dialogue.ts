/** A git that stays and answers line by line. */
import { type ConversationOptions, converse, type GitResult } from "./exec.ts"

export type Dialogue = {
  readonly pid: number
  /** Tells git some lines. */
  say(lines: string): void
  /** Waits until git has said this line, and forgets all before. @returns false when it ended without. */
  hear(line: string): Promise<boolean>
  /** Whether Node has to wait for it before it ends by itself; at first it has. */
  hold(isBusy: boolean): void
  /** Says no more; must be called. @returns how git ended. */
  end(): Promise<GitResult>
}

/** @param options `onPid` is told git's process id before anything is said to it. */
export async function openDialogue(
  cwd: string,
  args: readonly string[],
  options: Pick<ConversationOptions, "onPid"> = {},
): Promise<Dialogue> {
  let said = ""
  let onMore = () => {}
  const onOutput = (chunk: Buffer) => {
    said += chunk.toString("latin1")
    onMore()
  }
  const { pid, say, hold, close, ended } = await converse(cwd, args, { ...options, onOutput })
  /** @returns false when git has ended. */
  const more = () => {
    const heard = new Promise<boolean>((resolve) => {
      onMore = () => resolve(true)
    })
    return Promise.race([heard, ended.then(() => false)])
  }
  return {
    pid,
    say,
    hold,
    async hear(line) {
      const at = () => `\n${said}`.indexOf(`\n${line}\n`)
      while (at() < 0 && (await more()));
      const start = at()
      if (start >= 0) said = said.slice(start + line.length + 1)
      return start >= 0
    },
    end() {
      close()
      return ended
    },
  }
}
