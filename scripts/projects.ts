/**
 * Lands a first task in real repositories, with nothing configured but an agent that adds a line to
 * one file, and prints what Coppice detected and how the task ended.
 *
 *     npm run projects -- [--out docs/projects.md] <name>=<path> …
 *
 * A page that is there keeps its lines of the projects that are not named.
 *
 * A repository is cloned; the original is only read. Its tests and installers run as you, with your
 * network: name only repositories that you trust.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs, stripVTControlCharacters } from "node:util"
import { connect } from "../src/api/client/connect.ts"
import type { TaskDocument } from "../src/api/wire/tasks.ts"
import { AppError } from "../src/base/errors.ts"
import { approveConfig } from "../src/features/trust/find-unapproved.ts"
import { isSettled, type TaskState } from "../src/kernel/tasks/rules.ts"

/** A cold install and a long test suite; more says that the first task does not land soon. */
const TASK_MS_MAX = 15 * 60_000
const POLL_MS = 500
const REASON_CHARS_MAX = 260
/** How tools name the cause of a failure. */
const CAUSE = /could not (?!be started)|cannot|unable to|no matching|\w+error\b|not found/i
const AGENT = `f=$(git ls-files | grep -iE '^(readme|license|changelog)' | head -n 1)
echo "One more line." >> "\${f:-NOTES.md}"`
const CONFIG = { version: 1, agents: { edit: { runtime: "command", command: AGENT } } }
/** Waits of a landing that only a person ends. */
const FOR_A_PERSON = ["GATE_UNAVAILABLE", "TARGET_RED", "TOO_MUCH_LEFT"]

type Row = {
  readonly name: string
  readonly commit: string
  readonly setup: string
  readonly gate: string
  readonly outcome: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" } },
})
const from = process.env["INIT_CWD"] ?? process.cwd() // npm runs scripts in the project's folder
const lines = new Map(values.out ? linesOf(resolve(from, values.out)) : [])
for (const operand of positionals) {
  const [name = "", path = ""] = operand.split("=")
  const unusable = (error: Error) => {
    return { name, commit: "", setup: "", gate: "", outcome: `not tried: ${short(error.message)}` }
  }
  const row = await tryOne(name, resolve(from, path)).catch(unusable)
  process.stderr.write(`${Object.values(row).join("  ")}\n`)
  lines.set(name, lineOf(row))
  if (values.out) writeFileSync(resolve(from, values.out), page([...lines.values()]))
}
if (!values.out) process.stdout.write(page([...lines.values()]))

async function tryOne(name: string, source: string): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "coppice-projects-"))
  const repo = join(folder, "app")
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim()
  git("clone", "--quiet", source, repo)
  writeFileSync(join(repo, "coppice.yml"), JSON.stringify(CONFIG))
  const env = { ...process.env, XDG_STATE_HOME: join(folder, "state") }
  approveConfig({ home: repo }, env)
  const commit = git("-C", repo, "rev-parse", "--short=12", "HEAD")
  const client = connect({ cwd: repo, env })
  try {
    const { task, taken } = await client.create({ prompt: "Add a line." })
    const { setup, gate } = taken
    const outcome = describe(await settled((id) => client.show(id), task.id))
    return { name, commit, setup: code(setup), gate: code(gate), outcome }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name, commit, setup: "", gate: "", outcome: `refused: ${short(error.message)}` }
  } finally {
    await client.down().catch(() => undefined) // none runs if the task was refused
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function settled(
  show: (id: string) => Promise<TaskDocument>,
  id: string,
): Promise<TaskDocument> {
  const endMs = performance.now() + TASK_MS_MAX
  for (;;) {
    const task = await show(id)
    const waits = FOR_A_PERSON.includes(task.landing?.outcome ?? "")
    if (isSettled(task.state as TaskState) || waits || performance.now() > endMs) return task
    await setTimeout(POLL_MS)
  }
}

function describe({ state, landing, reason }: TaskDocument): string {
  if (state === "complete" && landing?.outcome === "LANDED") return "landed"
  const why = landing?.reason ?? reason?.text ?? ""
  return `${state}${landing?.outcome ? ` (${landing.outcome})` : ""}: ${short(why)}`
}

function code(command: string | null): string {
  return command === null ? "none" : `\`${command}\``
}

/** The first line and the one that has the cause, without the hint and without paths and hosts. */
function short(text: string): string {
  const [told = ""] = stripVTControlCharacters(text).split(/Run `.*` in \S+ to see what it needs/)
  const [first = "", ...others] = told.split("\n").filter((line) => line.trim() !== "")
  const cause = others.findLast((line) => CAUSE.test(line)) ?? others.at(-1) ?? ""
  const line = `${first} ${cause}`
    .replaceAll(/\b(https?|file):\S+|(?<![\w:/.])\/[\w.+-]+\/\S*|\b[\w.-]+\.(org|com|io)\b/g, "…")
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .trim()
  return line.length <= REASON_CHARS_MAX ? line : `${line.slice(0, REASON_CHARS_MAX)} …`
}

/** By the names of their projects. */
function linesOf(path: string): readonly (readonly [string, string])[] {
  if (!existsSync(path)) return []
  const rows = readFileSync(path, "utf8").matchAll(/^\| (\S+) \| `.*$/gm)
  return [...rows].map(([line, name = ""]) => [name, line] as const)
}

function lineOf({ name, commit, setup, gate, outcome }: Row): string {
  return `| ${name} | \`${commit}\` | ${setup} | ${gate} | ${outcome} |`
}

function page(done: readonly string[]): string {
  const landed = done.filter((line) => line.endsWith("| landed |")).length
  return `# Real projects

How the first task of real repositories ended, with nothing configured but an agent that adds a line to one file.
Made by runs of \`npm run projects\` (scripts/projects.ts) on one machine. Its tools, and the registries that it
reaches, decide as much as Coppice does: that one reaches npm's registry alone, and Bundler and pip use packages
that are on its disk. ${landed} of ${done.length} landed.

| project | commit | set-up | gate | outcome |
|---|---|---|---|---|
${done.join("\n")}
`
}
