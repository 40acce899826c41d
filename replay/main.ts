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
import { type Report, report, table } from "./report.ts"
import { runGit } from "./scratch-clone.ts"

// Landings must merge like git without configuration, as the recorded merges do.
process.env["GIT_CONFIG_GLOBAL"] = devNull
process.env["GIT_CONFIG_NOSYSTEM"] = "1"

const USAGE = "usage: npm run replay -- <repo> [--range A..B] [--json]"
const TOLD_EVERY_MS = 5_000

type Wanted = { readonly repo: string; readonly range: string; readonly json: boolean }

try {
  const wanted = readArguments()
  const result = await replayed(wanted)
  process.stdout.write(`${wanted.json ? JSON.stringify(result, null, 2) : table(result)}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.trimEnd() : error}\n${USAGE}\n`)
  process.exitCode = 1
}

function readArguments(): Wanted {
  const range = { type: "string", default: "HEAD" } as const
  const json = { type: "boolean", default: false } as const
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { range, json } })
  const [named, ...more] = positionals
  if (named === undefined || more.length > 0) throw new Error("Name one repository.")
  // npm runs scripts in the project's folder, and says where its user stands.
  const repo = resolve(process.env["INIT_CWD"] ?? process.cwd(), named)
  return { repo: realpathSync(repo), ...values }
}

async function replayed({ repo, range }: Wanted): Promise<Report> {
  const disk = realpathSync(mkdtempSync(join(tmpdir(), "coppice-replay-")))
  const memory = existsSync("/dev/shm") ? mkdtempSync("/dev/shm/coppice-replay-") : `${disk}/git`
  const interrupted = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => interrupted.abort(new Error("interrupted")))
  try {
    const { signal } = interrupted
    const merges = await replay({ repo, range, folder: memory, disk, signal, onReplayed: teller() })
    const git = runGit(repo, ["--version"]).replace("git version ", "")
    return report({ repository: basename(repo), range, git }, merges)
  } finally {
    for (const folder of [memory, disk])
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function teller(): (done: number, of: number) => void {
  let toldMs = performance.now()
  return (done, of) => {
    if (done < of && performance.now() - toldMs < TOLD_EVERY_MS) return
    toldMs = performance.now()
    process.stderr.write(`${done} of ${of} merges\n`)
  }
}
