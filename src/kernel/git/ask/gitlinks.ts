/** Finds the submodules in an index, and the nested repositories that were added as if they were. */
import { join } from "node:path"
import type { GitPath } from "../../../base/ids.ts"
import { readLarge } from "../../process/plain-file.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"
import { gitDir } from "./rev-parse.ts"

const MODE = "160000"
/** A gitlink's mode in an index, and the signatures of a split (`link`) and a sparse (`sdir`) index. */
const SIGNS = [Buffer.from([0, 0, 0o160000 >> 8, 0]), Buffer.from("link"), Buffer.from("sdir")]

/** Paths from the top level of the worktree, which is `cwd`. Starts git only if the index may have one. */
export async function listGitlinks(cwd: string, indexFile?: string): Promise<GitPath[]> {
  const index = await readLarge(indexFile ?? join(await gitDir(cwd), "index"))
  if (!index || !SIGNS.some((sign) => index.includes(sign))) return []
  const { stdout } = await git(cwd, ["ls-files", "--stage", "-z", "--full-name", "--", ":/"], {
    env: indexEnv(indexFile),
  })
  const lines = splitZ(stdout).filter((line) => line.startsWith(`${MODE} `))
  return [...new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1) as GitPath))]
}
