/** Checks the target, set-up, gate, programs and identity of a task in each repository. */

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { askProgram } from "../../api/client/ask-program.ts"
import type { Home } from "../../api/client/home.ts"
import { AppError } from "../../base/errors.ts"
import type { Config, RepoConfig } from "../../config/config.ts"
import type { Env } from "../../config/substitute.ts"
import { findOnPath } from "../../kernel/process/find-program.ts"
import { type Detected, detect } from "../init/detect.ts"
import { type Check, failedCheck, passedCheck } from "./doctor-check.ts"

/** Skips repositories that are absent or have no commit: another check names them. */
export async function checkProjects(
  { home }: Pick<Home, "home">,
  { repos }: Config,
  env: Env,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const repo of repos) {
    const path = resolve(home, repo.path)
    if (!existsSync(path)) continue
    const found = await detect(path, repo, env).catch((error: unknown) => {
      if (error instanceof AppError) return error
      throw error
    })
    if (found instanceof AppError)
      checks.push(failedCheck("setup", found.message, found.hints[0] ?? ""))
    else if (found.target !== undefined) checks.push(...checksOf(repo, found, env["PATH"]))
  }
  return [...checks, await identityCheck(home, env)]
}

function checksOf(repo: RepoConfig, found: Detected, path: string | undefined): Check[] {
  const { name } = repo
  const { target, setup, setupFrom, gate, isSetUpKnown, programs } = found
  const origin = (key: "target" | "setup" | "gate") => {
    if (key === "setup" && setupFrom !== undefined) return `from ${setupFrom}`
    return repo[key] === undefined ? "detected" : "configured"
  }
  const line = (key: "setup" | "gate", command: string | undefined, hint: string | null): Check =>
    command === undefined
      ? { ...passedCheck(key, `none for ${name}`), hint }
      : passedCheck(key, `${command} (${origin(key)} for ${name})`)
  const write = (key: string) => `\`repos.${name}.${key}\` in coppice.yml names a command.`
  const untested = gate === undefined && repo.gate === undefined
  return [
    passedCheck("target", `${target} of ${name} (${origin("target")})`),
    line("setup", setup, isSetUpKnown ? null : write("setup")),
    line("gate", gate, untested ? `Nothing is tested. ${write("gate")}` : null),
    ...programs.map((program) => programCheck(name, program, path)),
  ]
}

function programCheck(
  repo: string,
  { name, isGuessed }: Detected["programs"][number],
  path: string | undefined,
): Check {
  const found = findOnPath(name, path)
  if (found) return passedCheck("program", found)
  const text = `${name} is not on the PATH, and commands of ${repo} need it`
  const hint = `Install it, or set \`repos.${repo}.setup\` and \`.gate\` in coppice.yml to other commands.`
  // The set-up may install the programs of a configured command.
  return isGuessed ? failedCheck("program", text, hint) : { ...passedCheck("program", text), hint }
}

async function identityCheck(home: string, env: Env): Promise<Check> {
  const ask = (key: string) => askProgram(["git", "-C", home, "config", "--get", key], env)
  const [name, email] = await Promise.all([ask("user.name"), ask("user.email")])
  if ("said" in name && "said" in email)
    return passedCheck("identity", `${name.said} <${email.said}>`)
  const text = "git knows no name and email of yours: commits are by Coppice <coppice@localhost>"
  const hint =
    "`git config --global user.name <name>`, and `user.email`: agents' commits need both."
  return { ...passedCheck("identity", text), hint }
}
