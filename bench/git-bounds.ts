/** Bounds that depend on the git that is there: a newer one can do more in one process. */
import { execFileSync } from "node:child_process"
import { GIT_ENV } from "./generated-repo.ts"

const GOOD = { major: 2, minor: 47 }

const said = execFileSync("git", ["version"], { env: GIT_ENV, encoding: "utf8" }).trim()
const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said)?.slice(1) ?? []).map(Number)
const isGood = major > GOOD.major || (major === GOOD.major && minor >= GOOD.minor)

export const gitBounds = `${said}: the bounds are those of a git ${isGood ? "from" : "before"} 2.47`

/** @param bounds of git 2.47 and newer ones, and of those before. */
export const byGit = (bounds: { readonly new: number; readonly old: number }): number =>
  isGood ? bounds.new : bounds.old
