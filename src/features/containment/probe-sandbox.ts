/** Asks the program that makes sandboxes whether it can here, until the answer is yes. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { SANDBOX_PROBE } from "./rules/sandbox-probe.ts"

/** An empty sandbox takes some 20 ms. */
const ANSWER_MS_MAX = 10_000

/** The programs and values of PATH for which the answer was yes. */
const usable = new Set<string>()

/** @param probe by default that of bubblewrap. @returns why not; undefined: it can. */
export async function probeSandbox(
  path: string | undefined,
  probe = SANDBOX_PROBE,
): Promise<string | undefined> {
  const [program, ...args] = probe
  const key = `${program} ${path}`
  if (usable.has(key)) return undefined
  const options = { env: { PATH: path }, timeout: ANSWER_MS_MAX }
  try {
    await promisify(execFile)(program, args, options)
    usable.add(key)
    return undefined
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string }
    if (code === "ENOENT") return `there is no program ${program}`
    return `${program} fails: ${stderr?.trim() || String(code)}`
  }
}
