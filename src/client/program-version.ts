/** Asks a program what it is. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const ANSWER_MS_MAX = 10_000

/** What `<program> --version` prints; undefined when it cannot be started or fails. */
export async function readProgramVersion(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const options = { env: { ...env }, timeout: ANSWER_MS_MAX }
  const run = promisify(execFile)(program, ["--version"], options)
  return run.then(
    ({ stdout }) => stdout.trim(),
    () => undefined, // not there, or not what its name says: to the caller it is the same
  )
}
