/** In the single executable, replaces the search for node-pty's compiled code: it is embedded. */

import type { loadPty as load, PtyBinding } from "../../src/features/terminals/pty-binding.ts"
import { TerminalUnavailableError } from "../../src/kernel/process/errors.ts"
import { writeEmbedded } from "./embedded.ts"

/** The folder of the embedded files. */
export const PTY = "node-pty"
/** macOS alone needs it, as a program. */
const HELPER = `${PTY}/spawn-helper`
const PROGRAM_MODE = 0o700

export const loadPty: typeof load = () => {
  try {
    const module = { exports: {} as PtyBinding }
    process.dlopen(module, writeEmbedded(`${PTY}/pty.node`))
    const { fork, resize } = module.exports
    const helper = process.platform === "darwin" ? writeEmbedded(HELPER, PROGRAM_MODE) : HELPER
    return { fork, resize, helper }
  } catch (cause) {
    throw new TerminalUnavailableError(cause)
  }
}
