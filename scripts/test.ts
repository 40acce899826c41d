/**
 * Checks everything: types, lint, unused code, tests. `--quick` leaves out the slow tests. `--agents` runs
 * the tests with real agent programs and with contained agents, and those alone; `--browser` those in a
 * browser.
 *
 * Every step runs, also after one that failed. At the end come the names of what failed. The last line
 * is always `N passed, N failed`, with `, N skipped` where tests could not run here: tests, and one
 * more failure per other failed step.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { COUNTS_FILE, type Counts } from "./count-reporter.ts"

/** A step that takes longer hangs. */
const STEP_MS_MAX = 30 * 60_000
/**
 * Tests that `--quick` leaves out, by folder: those that start daemons, install the package or start
 * real agent programs, and those with many worktrees and landings. The rest must take under 90 s on
 * two cores.
 */
const SLOW = [
  "test/{e2e,fault,scenarios}/**",
  "test/replay.test.ts",
  "src/landing/**",
  "src/runtimes/claude*.test.ts",
  "src/workspaces/**",
  "src/git/{history,refs}/**",
]
/** Tests that need minutes of their own, by the ends of their names: programs, containers, a browser. */
const GROUPS = { agents: ".agent.test.ts", browser: ".browser.test.ts" }

// A log is plain text; not every tool asks whether it writes to a terminal.
const colors = process.stdout.isTTY ? "force" : "off"
if (colors === "off") process.env["NO_COLOR"] = "1"
// Every worker and every program that a test starts compiles the same modules: once is enough.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache")
const quick = process.argv.includes("--quick")
const group = Object.entries(GROUPS).find(([name]) => process.argv.includes(`--${name}`))?.[1]
const failedSteps = group
  ? []
  : [
      step("types", "tsc", ["--noEmit"]),
      step("types of the dashboard", "tsc", ["--noEmit", "-p", "dashboard"]),
      step("lint and format", "biome", ["ci", "--error-on-warnings", `--colors=${colors}`]),
      step("unused code", "knip", []),
    ].filter((failed) => failed !== undefined)
const counts = runTests()

for (const { name, why } of counts.skipped) write(`not run here: ${name}${why && ` (${why})`}`)
const failures = [...failedSteps, ...counts.failed]
for (const name of failures) write(`failed: ${name}`)
const failed = failures.length
const skipped = counts.skipped.length === 0 ? "" : `, ${counts.skipped.length} skipped`
write(`${counts.passed} passed, ${failed} failed${skipped}`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs a program to its end. @returns the step's name if it failed. */
function step(name: string, command: string, args: readonly string[]): string | undefined {
  write(`\n== ${name}: ${[command, ...args].join(" ")}`)
  const options = { stdio: "inherit", timeout: STEP_MS_MAX } as const
  const { status, error } = spawnSync(command, args, options)
  if (error) write(`${command}: ${error.message}`)
  return status === 0 ? undefined : name
}

/** A test run that fails without a failed test, or that dies, counts as one failure. */
function runTests(): Counts {
  const folder = mkdtempSync(join(tmpdir(), "coppice-counts-"))
  const file = join(folder, "counts.json")
  process.env[COUNTS_FILE] = file
  const left = [...(quick ? SLOW : []), ...Object.values(GROUPS).map((end) => `**/*${end}`)]
  const which = group ? [group] : left.map((pattern) => `--exclude=${pattern}`)
  const reporters = ["--reporter=default", "--reporter=./scripts/count-reporter.ts"]
  const crashed = step("tests", "vitest", ["run", ...reporters, ...which]) !== undefined
  try {
    const counts = JSON.parse(readFileSync(file, "utf8")) as Counts
    const failed = crashed && counts.failed.length === 0 ? ["tests"] : counts.failed
    return { ...counts, failed }
  } catch {
    // The run died before it could write its counts.
    return { passed: 0, failed: ["tests"], skipped: [] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}
