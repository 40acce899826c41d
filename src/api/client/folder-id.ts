/** Identifies a folder or a repository, so that a later one at the same path is not taken for it. */
import { join } from "node:path"
import { fs } from "./node-builtins.ts"
import { readSmall } from "./read-small.ts"
import { lookUpRepository } from "./repository.ts"

/** The id of a folder, which no other one on its disk has. `gone`: there is no folder. Undefined: the system has no ids. */
export function findFolderId(path: string): string | undefined {
  try {
    const { ino, birthtimeNs } = fs.statSync(path, { bigint: true })
    return birthtimeNs > 0n ? `${ino} ${birthtimeNs}` : undefined
  } catch (error) {
    // Any other error does not prove that the folder is gone.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined
  }
}

/** The id of the repository around a folder. */
export function findRepositoryId(home: string): string | undefined {
  const gitDir = lookUpRepository(home)?.gitDir
  return gitDir && findFolderId(gitDir)
}

/** The name of the first home in the repository. */
export function findNameFile(
  home: string,
): { readonly name: string; readonly path: string } | undefined {
  const gitDir = lookUpRepository(home)?.gitDir
  const path = gitDir && join(gitDir, "coppice.home")
  if (!path || !fs.statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  return { name: readSmall(path).trimEnd(), path }
}
