/** Finds the submodules in an index, and the nested repositories that were added as if they were. */
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { pathBytes, splitZ } from "../start/git-path.ts"
import { listChanges } from "./diff-tree.ts"
import { listEntries } from "./ls-tree.ts"
import { gitDir } from "./rev-parse.ts"

const MODE = "160000"
/** A gitlink's mode in an index, and the signatures of a split (`link`) and a sparse (`sdir`) index. */
const SIGNS = [Buffer.from([0, 0, 0o160000 >> 8, 0]), Buffer.from("link"), Buffer.from("sdir")]

export type Gitlink = { readonly path: GitPath; readonly oid: Oid }

/** Paths from the top level of the worktree, which is `cwd`. */
export async function listGitlinks(cwd: string, indexFile?: string): Promise<GitPath[]> {
  return [...new Set((await readGitlinks(cwd, indexFile)).map(({ path }) => path))]
}

/** The same with their commits, of which a conflict has several. Starts git only if the index may have one. */
export async function readGitlinks(cwd: string, indexFile?: string): Promise<Gitlink[]> {
  const index = await readLarge(indexFile ?? join(await gitDir(cwd), "index"))
  if (!index || !SIGNS.some((sign) => index.includes(sign))) return []
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z", "--full-name", "--", ":/"], {
    env: indexEnv(indexFile),
  })
  const lines = splitZ(stdout).filter((line) => line.startsWith(`${MODE} `))
  return lines.map((line) => {
    const oid = line.split(" ")[1] as Oid
    return { path: line.slice(line.indexOf("\t") + 1) as GitPath, oid }
  })
}

/** The commits of submodules that a commit records at these paths, by path. */
export async function readGitlinksAt(
  cwd: string,
  commit: Oid,
  paths: readonly GitPath[],
): Promise<ReadonlyMap<GitPath, Oid>> {
  const names = paths.map((path) => pathBytes(path).toString("utf8")) as GitPath[]
  const entries = await listEntries(cwd, commit, names)
  const lines = entries.filter((line) => line.startsWith(`${MODE} `))
  return new Map(
    lines.map((line) => {
      const tab = line.indexOf("\t")
      return [line.slice(tab + 1) as GitPath, line.slice(0, tab).split(" ")[2] as Oid]
    }),
  )
}

/** Whether a submodule, or the description of one, differs between two commits. */
export async function changesSubmodules(cwd: string, from: Oid, to: Oid): Promise<boolean> {
  const changes = await listChanges(cwd, from, to)
  return changes.some(
    ({ path, oldMode, newMode }) => path === ".gitmodules" || oldMode === MODE || newMode === MODE,
  )
}
