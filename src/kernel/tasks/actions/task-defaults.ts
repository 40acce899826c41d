/** The defaults that a new task takes, as the person who starts it sees them. */
import { CONFIG_FILE, LOCAL_CONFIG_FILE } from "../../../api/client/home.ts"
import type { TakenDocument } from "../../../api/wire/requests.ts"
import { assert } from "../../../base/assert.ts"
import { AppError } from "../../../base/errors.ts"
import type { GitPath } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { AgentConfig, RepoConfig } from "../../../config/config.ts"
import { nameGate } from "../../../features/git-hooks/rules.ts"
import { readStatus } from "../../git/ask/status.ts"
import { displayPath } from "../../git/start/git-path.ts"
import { namePaths } from "../../landing/gate/run-gate.ts"
import type { LandMode } from "../../landing/rules/landing-states.ts"
import type { Task } from "../rows/row.ts"
import { findCommands } from "./find-commands.ts"
import type { TaskTarget } from "./target.ts"

export type RepoOfTask = { readonly repo: RepoConfig; readonly target: TaskTarget }

type Defaults = {
  readonly agent: AgentConfig
  readonly land: LandMode
  /** Another home around this one, which a person may have meant. */
  readonly outerHome: string | undefined
  /** How it goes on with existing work. */
  readonly start: string | undefined
}

/**
 * @param repos at least one; the first one's values are also at the top level of the document.
 * @throws {DaemonError} `programs.missing` (user).
 */
export async function readTaskDefaults(
  repos: readonly RepoOfTask[],
  { agent, land, outerHome, start }: Defaults,
): Promise<TakenDocument> {
  const isStatic = agent.workspace.strategy === "static"
  const taken = await Promise.all(
    repos.map((one) => (isStatic ? readFolder(one) : readRepo(one, agent))),
  )
  const [first, ...others] = taken
  assert(first, "a task has a repository")
  const { name, target, gate, setup } = first
  const isApproved = land === "merge" && repos.some(({ repo }) => repo.approve)
  return {
    agent: agent.name,
    runtime: agent.runtime,
    repo: name,
    target,
    gate,
    setup,
    land: isApproved ? "approve" : land,
    repos: [addNote(first, start, outerHome && noteOfHome(outerHome)), ...others],
  }
}

const noteOfHome = (outer: string): string =>
  `this home is inside another one: \`--home ${shellWord(outer)}\` names that one`

type TakenRepo = TakenDocument["repos"][number]

const addNote = (repo: TakenRepo, ...notes: readonly (string | undefined)[]): TakenRepo => ({
  ...repo,
  notes: [...repo.notes, ...notes.filter((note) => note !== undefined)],
})

/** A static folder has no set-up and no gate. */
function readFolder({ target: { name, target } }: RepoOfTask): TakenRepo {
  return { name, target, gate: null, setup: null, notes: [] }
}

async function readRepo({ repo, target }: RepoOfTask, agent: AgentConfig): Promise<TakenRepo> {
  const { setup = null, gate = null, isSetUpKnown } = await findCommands(repo, target, agent)
  const { name } = target
  const named = nameGate(gate, agent.landing.hooks)
  const unset = (key: string, what: string) =>
    `${what}: no file here says how. \`repos.${name}.${key}\` in coppice.yml names a command.`
  const notes = [
    ...(repo.setupFrom === undefined ? [] : [`set-up from ${repo.setupFrom}`]),
    ...(isSetUpKnown ? [] : [unset("setup", "nothing is installed")]),
    ...(named === null && repo.gate === undefined ? [unset("gate", "nothing is tested")] : []),
  ]
  return { name, target: target.target, gate: named, setup, notes }
}

/**
 * Adds a note about the user's uncommitted files. It reads the whole checkout, so it is asked for when
 * the task is already on its way.
 */
export async function withUncommitted(
  taken: TakenDocument,
  { repos, strategy }: Pick<Task, "repos" | "strategy">,
): Promise<TakenDocument> {
  if (strategy === "static") return taken
  const noted = taken.repos.map(async (one) => {
    const path = repos.find(({ name }) => name === one.name)?.path
    const uncommitted = path === undefined ? [] : await uncommittedIn(path)
    return uncommitted.length === 0 ? one : addNote(one, `${UNSEEN}: ${namePaths(uncommitted)}`)
  })
  return { ...taken, repos: await Promise.all(noted) }
}

const UNSEEN = "the agent does not see what you have not committed"

/** The user's uncommitted files; none where git cannot say, such as in a bare repository. */
async function uncommittedIn(checkout: string): Promise<readonly GitPath[]> {
  try {
    const { staged, unstaged, untracked, unmerged } = await readStatus(checkout, { isUsers: true })
    const all = new Set([...staged, ...unstaged, ...unmerged, ...untracked])
    return [...all].filter((path) => ![CONFIG_FILE, LOCAL_CONFIG_FILE].includes(displayPath(path)))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return []
  }
}
