/**
 * Checks what Coppice needs on this machine, and says what is missing and what would help.
 *
 * It starts only git, and only to read, and asks the agent programs on the PATH for their versions.
 */

import { accessSync, constants, readFileSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import { readConfigFile } from "../../api/client/config/config-file.ts"
import { readHomeConfig } from "../../api/client/config/config-layers.ts"
import { connect } from "../../api/client/connect.ts"
import { findHome, type Home, type HomeOptions } from "../../api/client/home.ts"
import { stateDir } from "../../api/client/state-dir.ts"
import type { DoctorDocument } from "../../api/wire/home.ts"
import { AppError } from "../../base/errors.ts"
import {
  findVersion,
  GIT_HINT,
  GIT_MIN,
  isAtLeast,
  NODE_MAJOR_MIN,
} from "../../base/requirements.ts"
import { describeFull } from "../../base/text/sizes.ts"
import type { Config } from "../../config/config.ts"
import type { Env } from "../../config/substitute.ts"
import { REACHING_HINT } from "../../kernel/git/start/file-programs.ts"
import { cgroupFolder } from "../../kernel/process/cgroup-folder.ts"
import { examineTrust, type Found } from "../trust/find-unapproved.ts"
import { readTrust } from "../trust/trust-record.ts"
import { checkPrograms } from "./agents-check.ts"
import { checkContainment } from "./containment-check.ts"
import {
  type Attempt,
  attempt,
  type Check,
  failedCheck,
  notHeld,
  passedCheck,
} from "./doctor-check.ts"
import { checkProjects } from "./project-check.ts"
import { checkRepositories } from "./repository-check.ts"
import { checkStore } from "./store-check.ts"

export async function examine(
  cwd: string,
  { home: from, env }: HomeOptions & { readonly env: Env },
): Promise<DoctorDocument> {
  const home = attempt(() => findHome(cwd, { home: from, env }))
  const config = "value" in home ? attempt(() => readConfigFile(home.value, env)) : undefined
  const git = await gitCheck(env)
  const checks = [nodeCheck(), git, processCheck(), homeCheck(home)]
  const state = "value" in home ? stateCheck(home.value, env) : undefined
  if (state) checks.push(state)
  if (state?.state === "ok") checks.push(...checkStore(state.text))
  if ("value" in home && config) checks.push(configCheck(home.value, config, env))
  if ("value" in home && config && "value" in config && git.state === "ok") {
    const repositories = await checkRepositories(home.value, config.value, env)
    checks.push(...repositories)
    if (repositories.every(({ name, state }) => name !== "repo" || state === "ok"))
      checks.push(...(await checkProjects(home.value, config.value, env)))
  }
  const isReadable = config && "value" in config && state?.state === "ok" && git.state === "ok"
  if ("value" in home && isReadable) checks.push(...(await trustChecks(home.value, env)))
  if ("value" in home && state?.state === "ok")
    checks.push(...(await maintenanceCheck(home.value, env)))
  const known = config && "value" in config ? config.value.agents : undefined
  const isListed = "value" in home && home.value.configPath !== null
  checks.push(...(await checkPrograms({ agents: known, isListed, env })))
  const agents = known ?? []
  checks.push(...(await checkContainment(agents, env)))
  return { ok: checks.every(({ state }) => state !== "failed"), checks }
}

function nodeCheck(): Check {
  const text = `Node ${process.versions.node}`
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN
    ? passedCheck("node", text)
    : failedCheck("node", text, `Install Node ${NODE_MAJOR_MIN} or newer.`)
}

async function gitCheck(env: Env): Promise<Check> {
  const answer = await askProgram(["git", "--version"], env)
  if ("refused" in answer) return failedCheck("git", `git --version: ${answer.refused}`, GIT_HINT)
  const { said } = answer
  const version = findVersion(said)
  if (!version) return failedCheck("git", `"git --version" answers "${said}"`, GIT_HINT)
  return isAtLeast(version, GIT_MIN) ? passedCheck("git", said) : failedCheck("git", said, GIT_HINT)
}

/** Whether a process that hides can outlive the agent that started it. */
function processCheck(): Check {
  const folder = attempt(() => {
    const read = (file: string) => readFileSync(join("/proc/self", file), "latin1")
    const found = cgroupFolder(read("mountinfo"), read("cgroup"))
    if (found) accessSync(found, constants.W_OK)
    return found
  })
  if ("value" in folder && folder.value)
    return passedCheck("processes", "control groups hold all that an agent starts")
  const text =
    "no control groups: a process that hides its environment and leaves its session and parent outlives its agent"
  const hint =
    "On Linux with systemd, start the daemon by `systemd-run --user --scope -p Delegate=yes coppice up`."
  const check = notHeld(passedCheck("processes", text), "10.1", "10.2", "38.34")
  return { ...check, hint: process.platform === "linux" ? hint : null }
}

function homeCheck(home: Attempt<Home>): Check {
  if ("failed" in home) return failedCheck("home", home.failed, home.hint)
  return passedCheck("home", home.value.home)
}

function stateCheck({ home }: Home, env: Env): Check {
  const writable = attempt(() => {
    const dir = stateDir(home, env)
    accessSync(dir, constants.W_OK | constants.X_OK)
    const full = describeFull(dir, statfsSync(dir))
    return { dir, full }
  })
  if ("value" in writable) {
    const { dir, full } = writable.value
    return full ? failedCheck("state", full, "Make room there.") : passedCheck("state", dir)
  }
  return failedCheck("state", writable.failed, "Or name another folder with COPPICE_STATE.")
}

function configCheck({ home }: Home, config: Attempt<Config>, env: Env): Check {
  if ("failed" in config) return failedCheck("config", config.failed, config.hint)
  const { path, text } = readHomeConfig(home, env)
  if (text !== null) return passedCheck("config", path)
  const isGone = typeof readTrust(stateDir(home, env)).config === "string"
  const none = isGone ? "the approved one stays in force" : "the defaults apply"
  return passedCheck("config", `no coppice.yml: ${none}`)
}

/** Whether a person approved the programs of the home, and whether git may run them; see `coppice trust`. */
async function trustChecks(home: Home, env: Env): Promise<Check[]> {
  const found = await examineTrust(home, env).catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
  if (found instanceof AppError) return [failedCheck("trust", found.message, found.hints[0] ?? "")]
  const guarded = found.reaching.map(({ where, what }) => {
    const text = `${where} is of a driver that could run files of a contained agent, so git does not run it: ${what}`
    return failedCheck("filters", text, REACHING_HINT)
  })
  return [trustCheck(found), ...guarded]
}

function trustCheck({ document }: Found): Check {
  if (document.approved) return passedCheck("trust", "nothing waits for your approval")
  const what = [...document.config, ...document.git].map(({ where }) => where)
  const text = `not approved, so it does not run: ${what.slice(0, 5).join(", ")}`
  return failedCheck("trust", text, "`coppice trust` shows all of it and asks you.")
}

/** Asks the daemon, if one runs, what its last clean-up found. */
async function maintenanceCheck({ home }: Home, env: Env): Promise<Check[]> {
  const status = await connect({ home, env }).status()
  const { problems } = status.maintenance ?? { problems: [] }
  if (problems.length === 0) return []
  const hint = "`coppice gc --dry-run` says all of it."
  return [{ name: "maintenance", state: "ok", text: problems.join("\n"), hint }]
}
