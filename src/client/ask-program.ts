/** Asks a program something, and hears what it says. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const ANSWER_MS_MAX = 10_000

export type Answer =
  | { readonly said: string }
  /** It cannot be started, or fails; empty where it gave no reason. */
  | { readonly refused: string }

/** @param command the program and its arguments. */
export async function askProgram(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  const options = { env: { ...env }, timeout: ANSWER_MS_MAX }
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => ({ said: stdout.trim() }),
    ({ stderr }: { readonly stderr?: string }) => ({ refused: (stderr ?? "").trim() }),
  )
}
