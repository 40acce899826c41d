/**
 * Lands the merged topic branches of a repository again: `npm run replay -- <repo> [--range A..B]`.
 *
 * Progress goes to standard error, the table to standard output; with --json the same as one
 * document. The repository is only read.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { basename, join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { replay } from "./replay.ts"
import { report, table } from "./report.ts"
import { runGit } from "./scratch-clone.ts"

// Landings shall merge as git does that nobody has configured, like the merges they are held against.
process.env["GIT_CONFIG_GLOBAL"] = devNull
process.env["GIT_CONFIG_NOSYSTEM"] = "1"

const USAGE = "usage: npm run replay -- <repo> [--range A..B] [--json]"
const SHOWN_EVERY_MS = 5_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    range: { type: "string", default: "HEAD" },
    json: { type: "boolean", default: false },
  },
})
const [named, ...more] = positionals
if (named === undefined || more.length > 0) throw new Error(USAGE)
// npm runs scripts in the project's folder, and says where its user stands.
const repo = realpathSync(resolve(process.env["INIT_CWD"] ?? process.cwd(), named))

const disk = realpathSync(mkdtempSync(join(tmpdir(), "coppice-replay-")))
const memory = existsSync("/dev/shm") ? mkdtempSync("/dev/shm/coppice-replay-") : join(disk, "git")
const interrupted = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => interrupted.abort(new Error("interrupted")))
try {
  let shownMs = 0
  const replayed = await replay({
    repo,
    range: values.range,
    folder: memory,
    disk,
    signal: interrupted.signal,
    onReplayed(done, of) {
      if (done < of && performance.now() - shownMs < SHOWN_EVERY_MS) return
      shownMs = performance.now()
      process.stderr.write(`${done} of ${of} merges\n`)
    },
  })
  const git = runGit(repo, ["--version"]).replace("git version ", "")
  const result = report({ repository: basename(repo), range: values.range, git }, replayed)
  process.stdout.write(`${values.json ? JSON.stringify(result, null, 2) : table(result)}\n`)
} finally {
  for (const folder of [memory, disk])
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
