/** Detects what a task takes in a repository that configures nothing. It reads with git and runs nothing else. */

import { askProgram } from "../../api/client/ask-program.ts"
import type { RepoConfig } from "../../config/config.ts"
import type { Env } from "../../config/substitute.ts"
import { guessCommands } from "../../kernel/workspaces/rules/ecosystems/ecosystems.ts"
import { programsOf } from "../../kernel/workspaces/rules/ecosystems/programs.ts"
import {
  FILES_READ,
  FOLDER_READ,
  type Project,
} from "../../kernel/workspaces/rules/ecosystems/project.ts"
import { findForeignSetup } from "../foreign-setup/foreign-setup.ts"

type Configured = Partial<Pick<RepoConfig, "target" | "gate" | "setup">>

export type Detected = {
  /** Branch name; undefined without a commit. */
  readonly target: string | undefined
  readonly setup: string | undefined
  /** The file of another tool that names the set-up. */
  readonly setupFrom: string | undefined
  readonly gate: string | undefined
  readonly isSetUpKnown: boolean
  /** On the PATH; guessed commands cannot run without theirs. */
  readonly programs: readonly { readonly name: string; readonly isGuessed: boolean }[]
}

/** The configured target and commands, else those that a task would take. */
export async function detect(repo: string, settings: Configured, env: Env): Promise<Detected> {
  const ask = (...args: string[]) => askGit(repo, args, env)
  const target = settings.target ?? (await guessTarget(ask))
  const guess = guessCommands(await readProjectAt(ask, `refs/heads/${target ?? ""}`))
  const foreign = settings.setup === undefined ? findForeignSetup(repo) : undefined
  const setup = (settings.setup ?? foreign?.command ?? guess.setup) || undefined
  const gate = (settings.gate ?? guess.gate) || undefined
  const isSetUpKnown = foreign !== undefined || settings.setup !== undefined || guess.isSetUpKnown
  const isAllGuessed = !foreign && settings.setup === undefined && settings.gate === undefined
  const of = (key: "setup" | "gate", command: string | undefined) =>
    programsOf(command ?? "").map((name) => ({
      name,
      isGuessed: !foreign && settings[key] === undefined,
    }))
  const needed = isAllGuessed
    ? guess.programs.map((name) => ({ name, isGuessed: true }))
    : [...of("setup", setup), ...of("gate", gate)]
  const programs = needed.filter(
    ({ name }, at) => needed.findIndex((one) => one.name === name) === at,
  )
  return { target, setup, setupFrom: foreign?.source, gate, isSetUpKnown, programs }
}

type Ask = (...args: string[]) => Promise<string | undefined>

async function askGit(repo: string, args: readonly string[], env: Env) {
  const answer = await askProgram(["git", "-C", repo, ...args], {
    ...env,
    LC_ALL: "C",
    GIT_NO_LAZY_FETCH: "1", // to read starts no other program
  })
  return "said" in answer ? answer.said : undefined
}

/** As the daemon does: origin/HEAD if it exists locally, else main, master, the one checked out. */
async function guessTarget(ask: Ask): Promise<string | undefined> {
  const said = await ask("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
  const branches = new Set(said?.split("\n").filter(Boolean))
  const remote = await ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
  const head = await ask("symbolic-ref", "--quiet", "HEAD")
  const wanted = [
    remote?.replace("refs/remotes/origin/", ""),
    ...["main", "master"],
    head?.replace("refs/heads/", ""),
  ]
  return wanted.find((name) => name !== undefined && branches.has(name))
}

async function readProjectAt(ask: Ask, ref: string): Promise<Project> {
  const list = async (...paths: string[]) =>
    ((await ask("ls-tree", "-z", "--name-only", ref, ...paths)) ?? "").split("\0").filter(Boolean)
  const files = await list()
  const below = files.includes(FOLDER_READ) ? await list(`${FOLDER_READ}/`) : []
  const texts: Record<string, string> = {}
  for (const name of FILES_READ.filter((one) => files.includes(one))) {
    const text = await ask("cat-file", "blob", `${ref}:${name}`)
    if (text !== undefined) texts[name] = text
  }
  return { files: new Set([...files, ...below]), texts }
}
