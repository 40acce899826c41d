/**
 * Fetches the agent programs that tests run into a cache folder, and runs those tests.
 * `--fetch`: it only fetches. Then `npm test` runs them too.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  AGENT_PROGRAMS,
  type AgentProgramName,
  cacheFolder,
  findAgentFolder,
} from "../test/support/agent-programs.ts"

/** A fetch that takes longer hangs. */
const FETCH_MS_MAX = 20 * 60_000

for (const name of Object.keys(AGENT_PROGRAMS) as AgentProgramName[])
  if (findAgentFolder(name) === undefined) fetchProgram(name)
if (!process.argv.includes("--fetch")) {
  const tests = ["run", "src/runtimes", ".agent.test.ts"]
  process.exitCode = spawnSync("vitest", tests, { stdio: "inherit" }).status ?? 1
}

function fetchProgram(name: AgentProgramName): void {
  const folder = cacheFolder(name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  const { spec, omit }: { spec: string; omit?: string } = AGENT_PROGRAMS[name]
  process.stdout.write(`fetching ${spec} into ${folder}\n`)
  const quiet = ["--ignore-scripts", "--save-exact", "--no-audit", "--no-fund", "--fetch-retries=1"]
  const args = ["install", ...quiet, ...(omit ? [`--omit=${omit}`] : []), spec]
  const { status } = spawnSync("npm", args, {
    cwd: folder,
    stdio: "inherit",
    timeout: FETCH_MS_MAX,
  })
  if (status !== 0 || findAgentFolder(name) === undefined)
    throw new Error(`${spec} cannot be fetched`)
}
