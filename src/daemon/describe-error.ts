/** Adds to an error which of the home's disks is full, because programs do not name the disk. */
import { dirname } from "node:path"
import { toErrorDocument } from "../core/errors.ts"
import { findFullDisk } from "../process/disk.ts"
import { listRepoPaths } from "../store/task-repos/list.ts"
import type { Home } from "./home.ts"

export async function describeError(
  { home, stateDir, db }: Pick<Home, "home" | "stateDir" | "db">,
  error: unknown,
): Promise<string> {
  const { message } = toErrorDocument(error).error
  const { path } = error as { readonly path?: unknown }
  const named = typeof path === "string" ? [dirname(path)] : []
  for (const folder of [...named, stateDir, home, ...listRepoPaths(db)]) {
    const full = await findFullDisk(folder)
    if (full && !message.includes(full)) return `${full} (${message})`
    if (full) return message
  }
  return message
}
