/** Adds to an error which disk of the failed row takes no data, because programs do not name the disk. */
import { dirname } from "node:path"
import { toErrorDocument } from "../base/errors.ts"
import type { Home } from "../kernel/home.ts"
import { findDiskTrouble } from "../kernel/process/disk.ts"
import type { Db } from "../kernel/store/open.ts"

type Disks = Pick<Home, "home" | "stateDir">
type Row = { readonly repos: readonly { readonly path: string }[] }

/** For the rows of a loop: a disk of another row's repository says nothing about this error. */
export function describeRow<Id>(
  home: Disks & Pick<Home, "db">,
  find: (db: Db, id: Id) => Row | undefined,
): (id: Id, error: unknown) => Promise<string> {
  return async (id, error) => {
    const repos = find(home.db, id)?.repos ?? []
    return await describeError(
      home,
      error,
      repos.map(({ path }) => path),
    )
  }
}

/** @param repos the paths of the repositories that the failed row works in. */
async function describeError(
  { home, stateDir }: Disks,
  error: unknown,
  repos: readonly string[],
): Promise<string> {
  const { message } = toErrorDocument(error).error
  const { path } = error as { readonly path?: unknown }
  const named = typeof path === "string" ? [dirname(path)] : []
  for (const folder of [...named, stateDir, home, ...repos]) {
    const trouble = await findDiskTrouble(folder)
    if (trouble) return message.includes(trouble) ? message : `${trouble} (${message})`
  }
  return message
}
