/** Asks bubblewrap whether it can make a sandbox here, until the answer is yes. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { SANDBOX_PROBE } from "./rules/sandbox-probe.ts"

/** An empty sandbox takes some 20 ms. */
const ANSWER_MS_MAX = 10_000

/** The values of PATH for which the answer was yes. */
const usable = new Set<string | undefined>()

/** @returns why not; undefined: it can. */
export async function probeSandbox(path: string | undefined): Promise<string | undefined> {
  const [program, ...args] = SANDBOX_PROBE
  if (usable.has(path)) return undefined
  const options = { env: { PATH: path }, timeout: ANSWER_MS_MAX }
  try {
    await promisify(execFile)(program, args, options)
    usable.add(path)
    return undefined
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string }
    if (code === "ENOENT") return `there is no program ${program}`
    return `${program} fails: ${stderr?.trim() || String(code)}`
  }
}
