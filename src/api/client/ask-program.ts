/** Runs a program briefly and returns its output. */
import { type ExecFileException, execFile } from "node:child_process"
import { promisify } from "node:util"

/** A program prints its version at once; a broken one may hang. */
const ANSWER_MS_MAX = 10_000

export type ProgramAnswer =
  | { readonly said: string }
  /** The program did not start, or failed: why, never empty. `isSilent`: ended without output. */
  | { readonly refused: string; readonly isSilent: boolean }

/**
 * @param command the program and its arguments. @param msMax time limit for its answer.
 * @param encoding `latin1`: raw bytes.
 */
export async function askProgram(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  msMax = ANSWER_MS_MAX,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<ProgramAnswer> {
  const options = { env: { ...env }, timeout: msMax, encoding }
  const silent = { refused: `it gave no answer within ${msMax / 1000} s`, isSilent: true }
  const running = promisify(execFile)(program, args, options)
  return running.then(
    // A program that we end may call that a success: the Gemini CLI does.
    ({ stdout }) => (running.child.killed ? silent : { said: stdout.trim() }),
    ({ stderr, killed = false, ...end }: ExecFileException) =>
      killed ? silent : { refused: stderr?.trim() || why(end), isSilent: false },
  )
}

/** The reason for one without output. */
function why({ code, signal }: Pick<ExecFileException, "code" | "signal">): string {
  if (typeof code === "string") return `it cannot be started (${code})`
  return signal ? `it was ended by ${signal}` : `it ended with ${code}, and said nothing`
}
