/** Tells a folder, or a repository, from every other one that ever stands at its path. */
import { join } from "node:path"
import { fs } from "./builtins.ts"
import { lookUpRepository } from "./repository.ts"

/** Distinguishes a folder from every other one on its disk; undefined if the system does not tell. */
export function findFolderId(path: string): string | undefined {
  try {
    const { ino, birthtimeNs } = fs.statSync(path, { bigint: true })
    return birthtimeNs > 0n ? `${ino} ${birthtimeNs}` : undefined
  } catch (error) {
    // Any other error does not prove that the folder is gone.
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "gone" : undefined
  }
}

/** Distinguishes the repository around a folder from every other one on its disk. */
export function findRepositoryId(home: string): string | undefined {
  const gitDir = lookUpRepository(home)?.gitDir
  return gitDir && findFolderId(gitDir)
}

/** The name of the first home in the repository. */
export function findMark(
  home: string,
): { readonly name: string; readonly path: string } | undefined {
  const gitDir = lookUpRepository(home)?.gitDir
  const path = gitDir && join(gitDir, "coppice.home")
  if (!path || !fs.statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  return { name: fs.readFileSync(path, "utf8").trimEnd(), path }
}
