/** Refuses guessed commands whose programs are not on this machine, before anything runs. */
import type { AgentConfig, RepoConfig } from "../../../config/config.ts"
import { DaemonError } from "../../errors.ts"
import { commandEnvironment } from "../../process/environment.ts"
import { findProgram } from "../../process/find-program.ts"
import { readProjectAt } from "../../workspaces/project-at.ts"
import { type Guess, guessCommands } from "../../workspaces/rules/ecosystems/ecosystems.ts"
import { programsOf } from "../../workspaces/rules/ecosystems/programs.ts"
import type { TaskTarget } from "./target.ts"

export type Commands = Pick<Guess, "setup" | "gate" | "isSetUpKnown">

/**
 * The set-up and the gate of a repository: as configured, else guessed from the target.
 *
 * A configured command is not checked: what it needs may come from the set-up.
 *
 * @param agent undefined for a person's own work.
 * @throws {DaemonError} `programs.missing` (user).
 */
export async function findCommands(
  repo: RepoConfig,
  { path, commit }: Pick<TaskTarget, "path" | "commit">,
  agent: Pick<AgentConfig, "env"> | undefined,
): Promise<Commands> {
  if (repo.gate !== undefined && repo.setup !== undefined)
    return { setup: repo.setup || undefined, gate: repo.gate || undefined, isSetUpKnown: true }
  const guess = guessCommands(await readProjectAt(path, commit))
  const setup = repo.setup ?? guess.setup
  const gate = repo.gate ?? guess.gate
  const env = commandEnvironment(process.env, agent?.env ?? {})
  refuseMissing(repo, guess, env["PATH"])
  const isSetUpKnown = repo.setup !== undefined || guess.isSetUpKnown
  return { setup: setup || undefined, gate: gate || undefined, isSetUpKnown }
}

function refuseMissing(repo: RepoConfig, guess: Guess, path: string | undefined): void {
  const guessed = (["setup", "gate"] as const).flatMap((key) => {
    const command = repo[key] === undefined ? guess[key] : undefined
    return command === undefined ? [] : [{ key, command }]
  })
  const needed = guessed.length === 2 ? guess.programs : guessed.flatMap(programsOfOne)
  const missing = needed.filter((name) => !findProgram(name, { path, cwd: "/" }))
  if (missing.length === 0) return
  const names = missing.map((name) => `\`${name}\``).join(" and ")
  const needs = guessed.filter((one) => programsOfOne(one).some((name) => missing.includes(name)))
  const [first = guessed[0]] = needs
  const noun = first?.key === "gate" ? "gate" : "set-up"
  const settings = (needs.length > 0 ? needs : guessed).map(
    ({ key }) => `\`repos.${repo.name}.${key}\``,
  )
  throw new DaemonError(
    "programs.missing",
    `The ${noun} of ${repo.name}, \`${first?.command}\`, needs ${names}, which ${missing.length > 1 ? "are" : "is"} not on the PATH of Coppice.`,
    [
      `Install ${names}. If only your shell has it, \`coppice down\` lets the next command use its PATH.`,
      `Or set ${settings.join(" and ")} in coppice.yml to other commands; \`true\` does nothing.`,
    ],
  )
}

const programsOfOne = ({ command }: { readonly command: string }) => programsOf(command)
