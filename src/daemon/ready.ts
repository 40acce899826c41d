/** Reports to the command that started us, on descriptor 3, that we listen, or why we cannot. */
import { closeSync, fstatSync, writeSync } from "node:fs"
import type { ErrorDocument } from "../core/errors.ts"

const DESCRIPTOR = 3

export function tellStarter(
  said: { readonly ready: { readonly address: string } } | ErrorDocument,
): void {
  try {
    if (!fstatSync(DESCRIPTOR).isFIFO() && !fstatSync(DESCRIPTOR).isSocket()) return
    writeSync(DESCRIPTOR, `${JSON.stringify(said)}\n`)
    closeSync(DESCRIPTOR)
  } catch {
    // Started by hand, without that descriptor; or the starting command has gone.
  }
}
