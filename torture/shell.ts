/** Runs a line of shell as a person would type it. */
import type { ProcessOwner } from "../src/kernel/process/owner.ts"
import { runBounded } from "../src/kernel/process/run.ts"

export type Typed = {
  readonly script: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}
/** `code` is 124 after a timeout. */
export type Said = { readonly code: number; readonly output: string }

const TIMEOUT_MS = 120_000
/** More than any command of torture prints. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** @returns standard output and standard error together. */
export async function runShell(owner: ProcessOwner, { script, cwd, env }: Typed): Promise<Said> {
  const end = await runBounded(owner, {
    command: script,
    cwd,
    env,
    purpose: "agent",
    task: null,
    timeoutMs: TIMEOUT_MS,
    outputBytesMax: OUTPUT_BYTES_MAX,
  })
  if (end.kind === "exited") return { code: end.code, output: end.output }
  return { code: 124, output: end.kind === "unstartable" ? end.message : end.output }
}

export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
