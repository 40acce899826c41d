/** Creates a task, and reports the defaults that it uses. */

import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { ConfiguredHome } from "../../../api/fleet.ts"
import type { NewTask, TakenDocument } from "../../../api/wire/requests.ts"
import type { TaskId } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import type { AgentConfig, Config } from "../../../config/config.ts"
import { findKnownAgent } from "../../../config/known-agents.ts"
import { repoOfAgent } from "../../../config/working-directories.ts"
import {
  findPullAddress,
  type PullAddress,
  readAddress,
} from "../../../features/pull-requests/find-forge.ts"
import { addPullRequest, recordPull } from "../../../features/pull-requests/rows.ts"
import { lowerOf, refuseFork, withAgentOf } from "../../../features/stacks/lower-of-request.ts"
import { type Lower, refuseLower } from "../../../features/stacks/refuse-lower.ts"
import { DaemonError } from "../../errors.ts"
import { findRepository } from "../../git/ask/repository.ts"
import type { FleetRows, Home } from "../../home.ts"
import type { LandMode } from "../../landing/rules/landing-states.ts"
import { transaction } from "../../store/sql.ts"
import { worktreeVariable } from "../../workspaces/environment.ts"
import { addTask, findRequestedTask } from "../rows/add.ts"
import { countTasks } from "../rows/find.ts"
import type { Task } from "../rows/row.ts"
import { setPrompt } from "../rows/texts.ts"
import { withPaths } from "../rules/files.ts"
import type { StrategyName } from "../rules/strategies.ts"
import { agentOfRequest } from "./find-agent.ts"
import { findStart, isPullRequest, type Start } from "./find-start.ts"
import { findTaskAgain, orderOf } from "./find-task.ts"
import type { FilesToKeep, Intake } from "./intake.ts"
import { refuseActiveWorkItem } from "./refuse-in-use.ts"
import { findFolder, findTarget, type TaskTarget } from "./target.ts"
import { type RepoOfTask, readTaskDefaults } from "./task-defaults.ts"

/** A title must fit on one line of a list. */
const TITLE_CHARS_MAX = 72

const QUEUE_HINT =
  "With `agents.<name>.workspace.when_busy: queue` in coppice.yml a new task waits for its work item."

export type Creator = Home & Intake & Pick<ConfiguredHome, "findAttached" | "runtime">

type Creating = {
  /** The schedule of the agent that creates it. */
  readonly schedule?: string | undefined
  /** The task whose agent proposed it, and whether that agent waits for its end. */
  readonly parent?: Pick<Task, "parent" | "reports">
  /** In place of the request's `on`: a task that is not added yet. */
  readonly lower?: Lower | undefined
  /** The task whose commits it reviews. */
  readonly reviewOf?: TaskId
  /** Writes further records in the same transaction. */
  readonly records?: (task: Task) => void
  /** Key of the request; if it has already created a task, that task is returned. */
  readonly key?: string | undefined
}

/** @throws {DaemonError} (user) for anything that would keep the task from ever starting. */
export async function createTask(
  fleet: Creator,
  request: NewTask,
  creating: Creating = {},
): Promise<{ task: Task; taken: TakenDocument }> {
  const prepared = await prepareTask(fleet, request, creating)
  return { task: addPrepared(fleet, prepared), taken: prepared.taken }
}

/** A task that can start, and is not added yet. */
export type PreparedTask = {
  readonly task: Parameters<typeof addTask>[1]
  readonly taken: TakenDocument
  readonly whenBusy: AgentConfig["workspace"]["whenBusy"]
  readonly pulls: readonly PullAddress[]
  /** The pull request to whose branch it pushes. */
  readonly goesOn: Start["pull"]
  readonly files: FilesToKeep["files"]
  readonly records: (task: Task) => void
}

/** @throws as {@link createTask} does. */
export async function prepareTask(
  fleet: Creator,
  request: NewTask,
  { records = () => {}, key, schedule, parent, reviewOf, lower: given }: Creating = {},
): Promise<PreparedTask> {
  const config = fleet.checkedConfig()
  const on = lowerOf(fleet, request)
  const lower = given ?? on
  const [agent, by] = agentOfRequest(config, withAgentOf(on, request))
  refuseFork(request, agent)
  const byPull = isPullRequest(request) && request.copy !== true ? "pr" : undefined
  const land = landMode(agent, request.land ?? lower?.land ?? byPull)
  if (lower) refuseLower(lower, { land, strategy: agent.workspace.strategy })
  const { strategy, whenBusy } = agent.workspace
  const names =
    request.repos ??
    lower?.repos.map(({ name }) => name) ??
    (await findRepoAround(fleet, { config, agent }, request.cwd))
  const repos = await findRepos(fleet, { config, agent }, names)
  const start = await startOf(fleet, { request, repos, strategy })
  const missing = await fleet.runtime(agent).unavailable()
  if (missing) {
    const install = findKnownAgent(by.program ? agent.name : undefined)?.install
    const hints = install ? [`Install it: \`${install}\`.`] : missing.hints
    throw new DaemonError("agent.unavailable", missing.message, hints)
  }
  const outerHome = isFirstTask(fleet) ? fleet.findOuterHome() : undefined
  const taken = await readTaskDefaults(repos, { agent, land, outerHome, start: start?.note })
  const pulls = land === "pr" ? await Promise.all(repos.map(findPullAddress)) : []
  for (const { repo, target } of repos)
    if (repo.pushTarget || land === "pr") await fleet.requireAddress({ repo, path: target.path })
  const planMode = request.plan ?? agent.plan
  const task = {
    title: request.title ?? titleOf(request.prompt),
    prompt: request.prompt,
    ...by,
    model: request.model ?? null,
    workItem: request.workItem ?? null,
    land,
    strategy,
    planMode,
    planner: planMode === "none" ? null : (agent.planner ?? null),
    request: key,
    schedule,
    reviewOf: reviewOf ?? null,
    ...parent,
    ...orderOf(fleet, request),
    on: on?.id,
    forks: request.fork !== undefined,
    repos: (await Promise.all(repos.map(repoToAdd))).map((one) => ({
      ...one,
      start: start?.commit ?? null,
    })),
  }
  const goesOn = land === "pr" ? start?.pull : undefined
  return { task, taken, whenBusy, pulls, goesOn, files: request.files ?? [], records }
}

/**
 * @param order tasks that were added since: further ones to land after, and the one to start from.
 * @returns the task of the same request, if there is one.
 */
export function addPrepared(
  home: FleetRows & Pick<Intake, "keepFiles">,
  { task, whenBusy, records, pulls, goesOn, files }: PreparedTask,
  order: { readonly after?: readonly TaskId[]; readonly on?: TaskId | undefined } = {},
): Task {
  const { db, world } = home
  return transaction(db, () => {
    const made = findRequestedTask(db, task.request)
    if (made) return made
    if (whenBusy === "skip") refuseActiveWorkItem(db, task.workItem, QUEUE_HINT)
    const after = [...(task.after ?? []), ...(order.after ?? [])]
    const added = addTask(db, { ...task, after, on: order.on ?? task.on }, world.nowMs())
    for (const pull of pulls) {
      addPullRequest(db, { task: added.id, ...pull })
      if (!goesOn) continue
      const { branch, head: pushed } = goesOn
      recordPull(db, { task: added.id, name: pull.name }, { branch, pushed })
    }
    keepWith(home, added, files)
    records(added)
    return findTaskAgain(home, added)
  })
}

/** The existing work that the task goes on with, if the request names some. */
async function startOf(
  fleet: Home,
  asked: { request: NewTask; repos: readonly RepoOfTask[]; strategy: StrategyName },
): Promise<Start | undefined> {
  const { request, repos, strategy } = asked
  const { from, copy = false, on } = request
  if (from === undefined && !copy) return undefined
  const wrong = (message: string, hint: string) => new DaemonError("start.refused", message, [hint])
  if (from === undefined) throw wrong("There is nothing to copy.", "`--copy` needs `--from`.")
  const [one, ...others] = repos
  if (!one || others.length > 0)
    throw wrong("Existing work is in one repository.", "`--repo <name>` names it.")
  if (on !== undefined)
    throw wrong("A task starts from one place.", "Leave out `--from` or `--on`.")
  if (strategy !== "git_worktree")
    throw wrong(
      "Existing work needs a branch of its own.",
      "Use an agent with `strategy: git_worktree`.",
    )
  return await findStart(fleet, one, { from, copy })
}

/** Keeps the files of a prompt, and adds their paths to it. */
function keepWith(
  home: FleetRows & Pick<Intake, "keepFiles">,
  { id, title, prompt }: Task,
  files: FilesToKeep["files"],
): void {
  const kept = home.keepFiles({ task: id, files, byAgent: false })
  kept.record(null)
  setPrompt(home.db, id, { title, prompt: withPaths(prompt, kept.paths) })
}

const isFirstTask = ({ db }: FleetRows): boolean => Object.keys(countTasks(db)).length === 0

/** No remote has this hash, so a remote that an agent adds later gets nothing. */
const NO_ADDRESS = "none"

async function repoToAdd({ repo, target: { name, path, target } }: RepoOfTask) {
  if (!repo.pushTarget) return { name, path, target }
  const address = (await readAddress(path, repo.forge.remote)) ?? NO_ADDRESS
  return { name, path, target, address }
}

function landMode(agent: AgentConfig, asked: NewTask["land"]): LandMode {
  const land = asked ?? agent.landing.mode
  if (agent.workspace.strategy === "static" && land !== "none")
    throw new DaemonError(
      "land.unsupported",
      `The work of ${agent.name} cannot land with \`${land}\`.`,
      [
        `It works directly in its folder (\`agents.${agent.name}.workspace.strategy: static\`), and its work stays there.`,
      ],
    )
  if (land === "pr" && agent.review)
    throw new DaemonError(
      "land.unsupported",
      `The work of ${agent.name} is reviewed by other agents, which \`pr\` does not ask.`,
      [`Land it with \`merge\` or \`approve\`, or remove \`agents.${agent.name}.review\`.`],
    )
  return land
}

/** In the given order: the agent begins in the worktree of the first one. */
export async function findRepos(
  fleet: Home & Intake,
  { config, agent }: { readonly config: Config; readonly agent: AgentConfig },
  names: readonly string[],
): Promise<readonly RepoOfTask[]> {
  const known = config.repos.map((repo) => repo.name)
  const own = repoOfAgent(config, agent)?.name ?? []
  const found: RepoOfTask[] = []
  for (const name of names.length > 0 ? names : [own].flat()) {
    const repo = config.repos.find((one) => one.name === name)
    if (!repo)
      throw new DaemonError("repo.unknown", `There is no repository ${name}.`, [
        `Repositories here: ${known.join(", ")}.`,
      ])
    await fleet.ensureCloned(repo)
    const isStatic = agent.workspace.strategy === "static"
    const target = isStatic
      ? await findFolder(fleet.home, repo)
      : await findTarget(fleet.home, repo)
    await fleet.requireGitTrust(target.path)
    if (!isStatic) fleet.requireSetupTrust(repo)
    const other = found.find((one) => areAlike(one.target, target))
    if (other)
      throw new DaemonError(
        "repo.repeated",
        `${other.repo.name} and ${name} cannot be in the same task.`,
        [
          "Each repository of a task must be a different one, with a name that differs in letters or digits.",
        ],
      )
    found.push({ repo, target })
  }
  return found
}

/**
 * A repository given twice would land onto itself, and two with the same variable name would
 * confuse the agent.
 */
const areAlike = (one: TaskTarget, other: TaskTarget): boolean =>
  one.path === other.path || worktreeVariable(one.name) === worktreeVariable(other.name)

/** The prompt's first meaningful line, cut at a word. */
function titleOf(prompt: string): string {
  const line =
    prompt
      .split("\n")
      .map((text) => text.trim())
      .find(Boolean) ?? "untitled"
  if (line.length <= TITLE_CHARS_MAX) return line
  const cut = line.slice(0, TITLE_CHARS_MAX)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_CHARS_MAX / 2)).trimEnd()}…`
}

/**
 * @param cwd undefined: the agent's repository, else the first one.
 * @returns its name; nothing where the configuration leaves no choice.
 * @throws {DaemonError} `repo.unclear` (user) if the folder is in a repository that the home does not
 *   name, or in none of several repositories.
 */
export async function findRepoAround(
  { home }: Pick<Home, "home">,
  { config: { repos }, agent }: { readonly config: Config; readonly agent: AgentConfig },
  cwd: string | undefined,
): Promise<readonly string[]> {
  if (cwd === undefined || agent.workingDirectory) return []
  const here = await rootOf(cwd)
  for (const { name, path } of repos)
    if (here !== undefined && (await rootOf(resolve(home, path))) === here) return [name]
  const isOther = here !== undefined && here !== (await rootOf(home))
  if (repos.length < 2 && !isOther) return []
  const names = repos.map(({ name }) => name)
  const question = `Which repository is the task for: ${names.join(", ")}?`
  const asName = names.map((name) => `\`--repo ${name}\``)
  if (!isOther) throw new DaemonError("repo.unclear", question, asName)
  throw new DaemonError("repo.unclear", `${home} has no repository ${here}. ${question}`, [
    ...asName,
    `\`--home ${shellWord(here)}\` works in that repository itself.`,
  ])
}

const rootOf = async (folder: string): Promise<string | undefined> =>
  existsSync(folder) ? (await findRepository(folder))?.root : undefined
