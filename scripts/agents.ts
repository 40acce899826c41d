/** Fetches the agent programs that tests run into a cache folder, and runs those tests. */
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
const tests = [join(import.meta.dirname, "test.ts"), "--agents"]
process.exitCode = spawnSync(process.execPath, tests, { stdio: "inherit" }).status ?? 1

/** Where no registry has a program, its tests are skipped, and say so. */
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
    process.stdout.write(`${spec} cannot be fetched: its tests are skipped\n`)
}
