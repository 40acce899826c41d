/**
 * Checks everything: types, lint, unused code, tests. `--quick` leaves out the slow tests. `--agents` runs
 * the tests with real agent programs and with contained agents, and those alone; `--browser` those in a
 * browser.
 *
 * Every step runs, also after one that failed. The other steps run beside the tests, whose waits leave
 * the processor idle; their output comes after that of the tests. Then test files that failed run once
 * more, alone (flaky.ts). At the end come the names of what was skipped, is flaky or failed (closing.ts).
 * The last line is always `N passed, N failed`, with `, N skipped` where tests could not run here: tests,
 * and one more failure per other failed step. In .ci/run the last group counts those before it as well.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { addResult, closing, RESULTS_FILE, readResults, resultOf } from "./closing.ts"
import { COUNTS_FILE, type RunCounts } from "./count-reporter.ts"
import { listAgain, listFlaky, merge, parseFlakyList } from "./flaky.ts"

/** A step that takes longer hangs. */
const STEP_MS_MAX = 60 * 60_000
/**
 * Tests that `--quick` leaves out, by folder: those that start daemons, install the package or start
 * real agent programs or containers, and those with many worktrees and landings. Those that talk to the
 * double of a service are left out too. The rest must take under 90 s on two cores.
 */
const SLOW = [
  "test/{e2e,fault,scenarios}/**",
  "test/replay.test.ts",
  "test/slow-texts.test.ts",
  "src/features/{git-hooks,pool,preview,pull-requests,push-target,signing,stacks}/**",
  "src/features/sources/{files,trackers/{gitea,github,gitlab,jira,linear},chat/chat-source}.test.ts",
  "src/kernel/tasks/clean-cancelled.test.ts",
  "src/kernel/landing/**",
  "src/features/claude/**",
  "src/kernel/workspaces/**",
  "src/features/containment/{container,container-engine,private-git}.test.ts",
  "test/support/{github-gh,gitea-js,gitlab-gitbeaker,jira-jira-js,linear-sdk}.test.ts",
]
/** Tests that need minutes of their own, by the ends of their names: programs, containers, a browser. */
const GROUPS = { agents: ".agent.test.ts", browser: ".browser.test.ts" }

// A log is plain text; not every tool asks whether it writes to a terminal.
const colors = process.stdout.isTTY ? "force" : "off"
if (colors === "off") process.env["NO_COLOR"] = "1"
type Step = readonly [name: string, command: string, ...args: string[]]
// Each of its threads makes the same types again, for half as much more of the processor.
const types = ["--noEmit", "--singleThreaded"]
/** A second check takes a quarter of the first one's time: the file says what has not changed. */
const known = ["--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"]
/** One after another, in the order of this list. */
const STEPS: readonly Step[] = [
  ["types", "tsc", ...types, ...known],
  ["types of the dashboard", "tsc", ...types, "-p", "dashboard"],
  ["unused code", "knip"],
  ["lint and format", "biome", "ci", "--error-on-warnings", `--colors=${colors}`],
]
// Every worker and every program that a test starts compiles the same modules: once is enough.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache")
const quick = process.argv.includes("--quick")
const group = Object.entries(GROUPS).find(([name]) => process.argv.includes(`--${name}`))?.[1]
const results = process.env[RESULTS_FILE]
// Programs that the tests start must not see it.
delete process.env[RESULTS_FILE]

const [first, steps] = await Promise.all([runTests(chosenTests()), runSteps(group ? [] : STEPS)])
for (const { heading, output } of steps) write(`\n== ${heading}\n${output}`)
const again = listAgain(first)
const counts = again.length > 0 ? merge(first, await runAgain(again)) : first

const { listed, mistakes } = readFlakyList()
const failedSteps = steps.filter(({ isFine }) => !isFine).map(({ name }) => name)
const own = {
  ...resultOf(counts, [...failedSteps, ...mistakes]),
  flaky: listFlaky(again, counts),
}
const { lines, isGreen } = closing(group ? [] : readResults(results), own, listed)
addResult(results, own)
for (const line of lines) write(line)
process.exitCode = isGreen ? 0 : 1

async function runSteps(steps: readonly Step[]) {
  const ended = []
  for (const [name, command, ...args] of steps) {
    const heading = `${name}: ${[command, ...args].join(" ")}`
    ended.push({ name, heading, ...(await run(command, args, "pipe")) })
  }
  return ended
}

/** Runs a program to its end. @returns what it printed to pipes. */
async function run(command: string, args: readonly string[], output: "pipe" | "inherit") {
  const stdio = ["ignore", output, output] as const
  const child = spawn(command, args, { stdio: [...stdio], timeout: STEP_MS_MAX })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (bytes: Buffer) => printed.push(bytes))
  const isFine = await new Promise<boolean>((resolve) => {
    child.once("close", (code) => resolve(code === 0))
    child.once("error", ({ message }) => {
      write(`${command}: ${message}`)
      resolve(false)
    })
  })
  return { isFine, output: Buffer.concat(printed).toString("utf8") }
}

function chosenTests(): string[] {
  if (group) return [group]
  const left = [...(quick ? SLOW : []), ...Object.values(GROUPS).map((end) => `**/*${end}`)]
  return left.map((pattern) => `--exclude=${pattern}`)
}

/** Nothing else runs now, and the files run one after another. */
function runAgain(files: readonly string[]): Promise<RunCounts> {
  const failed = files.flatMap((file) => first.files[file]?.failed ?? [])
  write("\n== once more, alone, what failed:")
  for (const name of failed) write(`   ${name}`)
  return runTests(["--maxWorkers=1", ...files])
}

/** A test run that fails without a failed test, or that dies, counts as one failure. */
async function runTests(which: readonly string[]): Promise<RunCounts> {
  const folder = mkdtempSync(join(tmpdir(), "coppice-counts-"))
  const file = join(folder, "counts.json")
  process.env[COUNTS_FILE] = file
  const reporters = ["--reporter=default", "--reporter=./scripts/count-reporter.ts"]
  const args = ["run", ...reporters, ...which]
  write(`\n== tests: ${["vitest", ...args].join(" ")}`)
  const { isFine } = await run("vitest", args, "inherit")
  try {
    const counts = JSON.parse(readFileSync(file, "utf8")) as RunCounts
    const isKnown = resultOf(counts, []).failed.length > 0
    return isFine || isKnown ? counts : { ...counts, stray: ["tests"] }
  } catch {
    // The run died before it could write its counts.
    return { files: {}, stray: ["tests"] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A list that cannot be read is a failure. */
function readFlakyList(): { listed: readonly string[]; mistakes: readonly string[] } {
  try {
    return {
      listed: parseFlakyList(readFileSync("test/flaky.txt", "utf8"), existsSync),
      mistakes: [],
    }
  } catch (error) {
    return { listed: [], mistakes: [(error as Error).message] }
  }
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}
