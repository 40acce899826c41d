/** Begins the demo: a home of its own in a scratch folder, with four tasks for a scripted agent. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import type { Client } from "../../api/client/client.ts"
import { connect, refuseAgents } from "../../api/client/connect.ts"
import { AppError } from "../../base/errors.ts"
import type { Env } from "../../config/substitute.ts"
import { approveConfig } from "../trust/find-unapproved.ts"
import { AGENT, AGENT_FILE, configOf, DEMO_TASKS, PROJECT_FILES } from "./demo-project.ts"

class DemoError extends AppError {
  constructor(message: string) {
    super("demo.failed", "world", message)
  }
}

/**
 * Every call makes a new folder, with a daemon of its own that ends when it has nothing to do.
 *
 * @returns a client of its home.
 * @throws {DemoError} if git cannot make the repository.
 */
export async function beginDemo(given: Env): Promise<Client> {
  refuseAgents(given)
  const env = { ...given, COPPICE_STATE: undefined, COPPICE_HOME: undefined } // of another home
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-demo-")))
  const home = join(folder, "greetings")
  const agent = join(folder, AGENT_FILE)
  writeFileSync(agent, AGENT)
  write(home, { ...PROJECT_FILES, "coppice.yml": configOf(agent) })
  await makeRepository(home, env)
  approveConfig({ home }, env)
  const client = connect({ home, env })
  await client.createAll({ tasks: DEMO_TASKS.map((task) => ({ ...task, follows: [] })) })
  return client
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** With nothing of the user's git configuration, which may sign commits or run hooks. */
async function makeRepository(path: string, env: Env): Promise<void> {
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))
  const plain = { ...Object.fromEntries(own), GIT_CONFIG_GLOBAL: "/dev/null" }
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Coppice's demo"],
    ["config", "user.email", "demo@coppice.invalid"],
    ["add", "--all"],
    ["commit", "--quiet", "--message", "greetings: first version"],
  ]) {
    const answer = await askProgram(["git", "-C", path, ...args], plain)
    if ("refused" in answer) throw new DemoError(`git ${args[0]} in ${path}: ${answer.refused}`)
  }
}
