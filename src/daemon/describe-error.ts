/** Adds to an error which of the home's disks takes no data, because programs do not name the disk. */
import { dirname } from "node:path"
import { toErrorDocument } from "../core/errors.ts"
import { findDiskTrouble } from "../process/disk.ts"
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
    const trouble = await findDiskTrouble(folder)
    if (trouble) return message.includes(trouble) ? message : `${trouble} (${message})`
  }
  return message
}
