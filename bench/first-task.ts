/**
 * The first task of a fresh installation, on a project like express: package.json without a
 * lockfile, and tests by mocha. Claude Code is real, and a script is in the place of its model.
 *
 * No network: mocha is a small program of ours that npm installs from a folder.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { findOnPath } from "../src/kernel/process/find-program.ts"
import { ScratchHome } from "../test/support/home.ts"
import { MessagesApi } from "../test/support/messages-api.ts"
import { bash } from "../test/support/messages-api-reply.ts"
import type { Figure, NotMeasurable, Place, Samples } from "./figure.ts"
import { GIT_ENV, generateRepo } from "./generated-repo.ts"

/** As many as express has in git. */
const FILES = 210
const ROUNDS = 5
const MANIFEST = {
  name: "like-express",
  version: "1.0.0",
  scripts: { test: "mocha test" },
}
const MOCHA = `#!/usr/bin/env node
const { readdirSync } = require("node:fs")
const { resolve } = require("node:path")
for (const name of readdirSync(process.argv[2])) require(resolve(process.argv[2], name))
`
const PROMPT = "Add a line to the history"

export const firstTask: Figure = {
  name: "first-task",
  subject: `coppice run "${PROMPT}" in a fresh installation, until its task has landed; ${FILES} files`,
  baseline: "npm's own time in it: npm install and npm test",
  unit: "ms",
  addedMax: 5_000,
  measure,
}

async function measure(place: Place): Promise<Samples | NotMeasurable> {
  const npm = findOnPath("npm", process.env["PATH"])
  if (npm === undefined) return { notMeasurable: "there is no npm" }
  addClaude(place.launcher)
  const samples = { baseline: [] as number[], subject: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    place.signal.throwIfAborted()
    const folder = join(place.folder, String(round))
    const timed = await runFirstTask({ ...place, folder, launcher: place.launcher }, npm)
    if (typeof timed === "string") return { notMeasurable: timed }
    samples.subject.push(timed.all)
    samples.baseline.push(timed.npm)
    rmSync(folder, { recursive: true, force: true })
  }
  return samples
}

/** The SDK of the working copy, beside the installed package as npm would put it. */
function addClaude(launcher: string): void {
  const own = resolve(import.meta.dirname, "../node_modules/@anthropic-ai")
  const beside = resolve(dirname(launcher), "../../@anthropic-ai")
  if (existsSync(own) && !existsSync(beside)) symlinkSync(own, beside)
}

type Timed = { readonly all: number; readonly npm: number }

/** @returns times in ms, or why there are none. */
async function runFirstTask({ folder, launcher, signal }: Place, npm: string) {
  await using home = new ScratchHome()
  await using api = await MessagesApi.start(({ step }) =>
    step === 0 ? { tools: [bash("echo line >> HISTORY.md")] } : { text: "Done." },
  )
  const repo = makeProject(folder)
  const { bin, log } = wrapNpm(folder, npm)
  const PATH = [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const env = home.env({ PATH, ...api.env })
  if (!existsSync(env["COPPICE_CLAUDE"] ?? "")) return "there is no Claude Code"
  const startMs = performance.now()
  const args = [launcher, "run", PROMPT]
  const child = spawn(process.execPath, args, { cwd: repo, env, signal, stdio: "pipe" })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data))
  const [code] = await once(child, "exit")
  const all = performance.now() - startMs
  const landed = execFileSync("git", ["show", "main:HISTORY.md"], { cwd: repo, env: GIT_ENV })
  if (code !== 0 || !String(landed).includes("line")) throw new Error(`it did not land:\n${said}`)
  const spent = readFileSync(log, "utf8").trim().split("\n").map(Number)
  return { all, npm: spent.reduce((sum, ms) => sum + ms, 0) } satisfies Timed
}

function makeProject(folder: string): string {
  const mocha = join(folder, "mocha")
  mkdirSync(mocha, { recursive: true })
  const about = { name: "mocha", version: "1.0.0", bin: "mocha.js" }
  writeFileSync(join(mocha, "package.json"), JSON.stringify(about))
  writeFileSync(join(mocha, "mocha.js"), MOCHA, { mode: 0o755 })

  const manifest = { ...MANIFEST, devDependencies: { mocha: `file:${mocha}` } }
  const repo = join(folder, "app")
  const git = generateRepo(repo, FILES, {})
  git("reset", "--quiet", "--hard")
  mkdirSync(join(repo, "test"))
  writeFileSync(join(repo, "package.json"), JSON.stringify(manifest))
  writeFileSync(join(repo, ".gitignore"), "node_modules\n")
  writeFileSync(join(repo, "HISTORY.md"), "# History\n")
  writeFileSync(join(repo, "test/app.js"), 'require("node:assert").ok(true)\n')
  git("add", "--all")
  git("commit", "--quiet", "--message", "a project")
  return repo
}

/** An npm that notes how long each run of it took. */
function wrapNpm(folder: string, npm: string): { readonly bin: string; readonly log: string } {
  const [bin, log] = [join(folder, "bin"), join(folder, "npm.log")]
  mkdirSync(bin)
  const script = `#!${process.execPath}
const { spawnSync } = require("node:child_process")
const start = performance.now()
const { status } = spawnSync(${JSON.stringify(npm)}, process.argv.slice(2), { stdio: "inherit" })
require("node:fs").appendFileSync(${JSON.stringify(log)}, (performance.now() - start) + "\\n")
process.exitCode = status ?? 1
`
  writeFileSync(join(bin, "npm"), script, { mode: 0o755 })
  return { bin, log }
}
