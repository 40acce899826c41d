/** `git log --walk-reflogs`: when refs moved, and what was said about it. */
import { git, stdoutText } from "./exec.ts"

export type Reflogged = {
  readonly atMs: number
  readonly reason: string
}

const ARGS = [
  "log",
  "-z",
  "--walk-reflogs",
  "--no-show-signature",
  "--date=raw",
  "--format=%gD %gs",
]
const ENTRY = /^(.+)@\{(\d+) [+-]\d+\} ?(.*)$/s

/** The latest entry of each ref under `prefix` (`refs/coppice/rescue/`) that has any, by ref. */
export async function readReflogs(cwd: string, prefix: string): Promise<Map<string, Reflogged>> {
  const entries = stdoutText(await git(cwd, [...ARGS, `--glob=${prefix}*`, "--"])).split("\0")
  const latest = new Map<string, Reflogged>()
  for (const entry of entries) {
    const [, ref, seconds, reason = ""] = ENTRY.exec(entry) ?? []
    if (ref === undefined || latest.has(ref)) continue
    latest.set(ref, { atMs: Number(seconds) * 1000, reason: reason.trim() })
  }
  return latest
}
