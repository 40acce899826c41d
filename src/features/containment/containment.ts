/**
 * Contains the processes of tasks as `containment` of their agents says: agent, set-up, check, gate
 * and teardown alike. The owner of all processes asks here before it starts one.
 *
 *   <state directory>/contained/<task>/home       the agent's HOME
 *   <state directory>/contained/<task>/setup      the HOME of set-up; a gate has an empty one
 *   <state directory>/contained/<task>/<git>      one git directory for each worktree
 *
 * A gate shares no HOME with anything, so that no file there makes it pass. The next
 * contained process removes the folders of deleted tasks. Caches: caches.ts.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { isSea } from "node:sea"
import type { RebasedDocument } from "../../api/wire/agent.ts"
import { assert } from "../../base/assert.ts"
import type { TaskId } from "../../base/ids.ts"
import { fnv1a } from "../../base/text/hash.ts"
import { findRealPlace } from "../../kernel/git/start/real-place.ts"
import { refusedRebase } from "../../kernel/landing/rebase-to-main.ts"
import { commandEnvironment } from "../../kernel/process/environment.ts"
import { type Fence, type Launch, realPath } from "../../kernel/process/fence.ts"
import {
  demandProgram,
  type OwnedFor,
  type OwnerOptions,
  type ProcessOwner,
} from "../../kernel/process/owner.ts"
import { type RunEnd, runBounded } from "../../kernel/process/run.ts"
import { filesOf, removeFolder, removeIfAllowed } from "../../kernel/tasks/agent-folders.ts"
import type { JobsContext } from "../../kernel/tasks/context.ts"
import { PROGRAM_VARIABLE } from "../../kernel/tasks/own-command.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { findRunningJob, listJobs } from "../../kernel/tasks/rows/jobs/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listOwnWorktrees } from "../../kernel/workspaces/rows/worktrees.ts"
import { reviewerView } from "../reviews/reviewer-view.ts"
import { hasLanded, mountCaches } from "./caches.ts"
import { inContainer, mountedProgram, RUNS_INSIDE } from "./container.ts"
import { demandImage, findEngine } from "./container-engine.ts"
import { Notices } from "./fence-notices.ts"
import { type Enclosed, HostAccess } from "./host-access.ts"
import { noteEngine, STATE_LABEL } from "./left-containers.ts"
import { PROGRAM_INSIDE, portableNode } from "./portable-node.ts"
import {
  type Exchange,
  exchangeCommits,
  fenceOfGit,
  hasUntaken,
  makePrivateGit,
  type PrivateGit,
} from "./private-git.ts"
import { probeSandbox } from "./probe-sandbox.ts"
import { withReadOnlyView } from "./read-only-view.ts"
import type { ContainerConfig, ContainmentConfig } from "./rules/containment.ts"
import { programFolders, sandboxed } from "./sandbox.ts"

type Facts = Pick<JobsContext, "db" | "world" | "agentConfig" | "repoConfig"> & {
  readonly home: string
  readonly stateDir: string
  /** The main worktrees of the home's repositories. */
  repos(): readonly string[]
}

type InFence = {
  readonly task: Task
  readonly own: PrivateGit
  readonly script: readonly string[]
}

type Fenced = {
  readonly task: Task
  readonly containment: ContainmentConfig
  readonly gits: readonly PrivateGit[]
  readonly home: string | null
}

type Enclosing = Pick<Fenced, "task" | "containment"> & {
  /** The hosts that the task reaches if its network is a list. */
  readonly hosts: readonly string[] | undefined
}
type InContainer = Pick<Enclosing, "task" | "hosts"> & { readonly container: ContainerConfig }
type WithHosts = Pick<Enclosing, "task" | "hosts"> & Pick<Enclosed, "node" | "readable" | "enclose">

/** The folder of this program. `coppice agent …` starts it inside the fence, too. */
const OWN_FOLDER = programFolder(process.argv[1])

/** An agent writes in the other folders of its task, so nothing there says what a git directory does. */
const GIT_FOLDER = /^[0-9a-f]{16}$/

/** Git takes long to write the index of a large repository. */
const EXCHANGE_MS_MAX = 5 * 60_000
/** An error quotes at most this much output. */
const OUTPUT_BYTES_MAX = 4_000

/** The programs of a task run behind its agent's fence. */
export class Containment {
  readonly #facts: Facts
  readonly #folder: string
  readonly #access: HostAccess
  readonly #notices: Notices

  constructor(facts: Facts) {
    this.#facts = facts
    this.#notices = new Notices(facts)
    this.#access = new HostAccess(this.#notices)
    this.#folder = join(facts.stateDir, "contained")
  }

  /** The launch that the owner of all processes uses in place of `launch`. */
  readonly contain: NonNullable<OwnerOptions["contain"]> = async (launch, of) => {
    if (of.task === null || of.isTrusted) return launch
    const task = findTask(this.#facts.db, of.task)
    assert(task, "a process of a task starts while its task is there")
    const { containment } = this.#facts.agentConfig(task)
    const isReviewer = of.purpose === "agent" && task.reviewOf !== null
    if (isReviewer && containment.isDefault) return await this.#onlyShow(launch, task)
    if (containment.by === "none") return launch
    this.#sweep()
    const gits = await this.#makeGits(task, launch.cwd)
    const home = of.purpose === "gate" ? null : this.#makeHome(task.id, of.purpose)
    const own = { task, containment, gits, home }
    const fence = { ...(await this.#fence(own)), caches: await this.#caches(launch, of, own) }
    const seen = isReviewer ? onlyReading(fence, gits) : fence
    const hosts = typeof containment.network === "boolean" ? undefined : containment.network
    return await this.#enclose(launch, seen, { task, containment, hosts })
  }

  /** For a reviewer whose configuration names no kind. */
  async #onlyShow(launch: Launch, task: Task): Promise<Launch> {
    const { db, home, stateDir, repos } = this.#facts
    if ((await probeSandbox(process.env["PATH"])) !== undefined) return launch
    const command = demandProgram(launch.command, launch.env, launch.cwd)
    const worktreesOf = (repo: string) => listOwnWorktrees(db, repo).map(({ path }) => path)
    const { runtime } = this.#facts.agentConfig(task)
    const of = { task: task.id, home, stateDir, repos: repos(), worktreesOf, runtime }
    const view = await reviewerView({ ...of, env: launch.env })
    return withReadOnlyView({ ...launch, command }, view, stateDir)
  }

  /** Puts the fence up, as a sandbox or as a container. */
  async #enclose(launch: Launch, fence: Fence, of: Enclosing): Promise<Launch> {
    const { container } = of.containment
    if (container) return await this.#encloseInContainer(launch, fence, { ...of, container })
    const command = demandProgram(launch.command, launch.env, launch.cwd)
    const started = { ...launch, command }
    const seen = { ...fence, readable: [process.execPath, ...fence.readable] }
    const readable = programFolders(command, launch.env, fence)
    const { stateDir } = this.#facts
    const enclose = (one: Launch, other: Fence) => sandboxed(one, other, stateDir)
    const way = { node: [process.execPath], readable, enclose }
    return await this.#withHosts(started, seen, { ...of, ...way })
  }

  async #encloseInContainer(
    launch: Launch,
    fence: Fence,
    { task, hosts, container }: InContainer,
  ): Promise<Launch> {
    const { db, home, stateDir } = this.#facts
    const engine = await findEngine(container.engine, process.env)
    const { variables: declared } = await demandImage(engine, container, process.env)
    noteEngine(stateDir, engine)
    const job = findRunningJob(db, task.id) ?? listJobs(db, task.id).at(-1)
    const labels = {
      [STATE_LABEL]: stateDir,
      "coppice.home": home,
      "coppice.task": String(task.id),
      "coppice.job": String(job?.id ?? ""),
    }
    const { env: set } = this.#facts.agentConfig(task)
    const programs = join(stateDir, "bin")
    const env = { ...launch.env, [PROGRAM_VARIABLE]: RUNS_INSIDE ? PROGRAM_INSIDE : "node" }
    const fixed = [...fence.fixed, ...(RUNS_INSIDE ? portableNode(stateDir) : [])]
    const seen = { ...fence, fixed, readable: [...fence.readable, programs] }
    const of = { engine, config: container, labels, set, declared, stateDir, programs }
    const enclose = (one: Launch, other: Fence) => inContainer(one, other, of)
    const way = { node: [PROGRAM_INSIDE], readable: mountedProgram(launch.command, fence), enclose }
    return await this.#withHosts({ ...launch, env }, seen, { task, hosts, ...way })
  }

  async #withHosts(launch: Launch, fence: Fence, of: WithHosts): Promise<Launch> {
    const { task, hosts, ...way } = of
    if (!hosts) return way.enclose(launch, fence)
    return await this.#access.enclose({ ...way, launch, fence, hosts, task: task.id })
  }

  /** @param owner starts the git that works where the agent may have written. */
  exchangeWith(owner: ProcessOwner): JobsContext["exchangeCommits"] {
    return async (id, { isEnd }) => {
      const task = findTask(this.#facts.db, id)
      if (!task) return
      for (const own of this.#gitsOf(task)) {
        const run: Exchange["run"] = async (script, args) =>
          await this.#runInFence(owner, { task, own, script: [script, "sh", ...args] })
        await exchangeCommits(own, { isEnd, run })
      }
    }
  }

  /** Runs a script that sees only the worktree and its git. */
  async #runInFence(owner: ProcessOwner, { task, own, script }: InFence): Promise<RunEnd> {
    const { containment } = this.#facts.agentConfig(task)
    const findReal = this.#findReal(task)
    const fence = { ...(await fenceOfGit(own)), home: null, caches: [], network: false, findReal }
    const env = commandEnvironment(process.env, {})
    const shell = { command: "/bin/sh", args: ["-c", ...script], cwd: own.worktree, env }
    const contained = await this.#enclose(shell, fence, { task, containment, hosts: undefined })
    const end = await runBounded(owner, {
      command: [contained.command, ...contained.args],
      cwd: contained.cwd,
      env: contained.env,
      purpose: "setup",
      task: null,
      timeoutMs: EXCHANGE_MS_MAX,
      outputBytesMax: OUTPUT_BYTES_MAX,
    })
    const ended = { code: end.kind === "exited" ? end.code : null, signal: null }
    const exit = contained.readExit?.(ended) ?? ended
    await contained.cleanUp?.(exit)
    return end.kind === "exited" ? { ...end, code: exit.code ?? end.code } : end
  }

  /** A contained agent rebases with its own git; `rebase` would do it where the agent cannot see. */
  async rebase(task: Task, rebase: () => Promise<RebasedDocument>): Promise<RebasedDocument> {
    if (this.#facts.agentConfig(task).containment.by === "none") return await rebase()
    const [repo] = task.repos
    const reason = `you are contained, so your git is your own: commit, then run \`git rebase ${repo?.target}\``
    return refusedRebase(reason)
  }

  #gitsOf(task: Task): readonly PrivateGit[] {
    return task.repos.flatMap((repo) =>
      repo.worktree === null ? [] : this.#gitAt(task.id, repo.worktree),
    )
  }

  #gitAt(task: TaskId, worktree: string): PrivateGit {
    return { worktree, folder: join(this.#folder, String(task), fnv1a(worktree)) }
  }

  /** A disposable worktree gets a new git directory for each program, so a program leaves nothing there. */
  async #makeGits(task: Task, cwd: string): Promise<readonly PrivateGit[]> {
    const gits = this.#gitsOf(task).filter(({ worktree }) => existsSync(worktree))
    const isOwn = gits.some(({ worktree }) => `${cwd}/`.startsWith(`${worktree}/`))
    const disposable = isOwn ? [] : [this.#gitAt(task.id, cwd)]
    for (const { folder } of disposable) removeFolder(folder)
    const all = [...gits, ...disposable]
    for (const own of all) await makePrivateGit(own)
    for (const { worktree } of all) chmodSync(worktree, 0o700) // closed to other users
    return all
  }

  /** A gate gets none, so nothing that an agent left in a cache can make it pass. */
  async #caches(launch: Launch, { purpose }: OwnedFor, of: Fenced): Promise<Fence["caches"]> {
    const { HOME: home } = launch.env
    const { caches, cachesWrittenBy } = of.containment
    if (caches.length === 0 || home === undefined) return []
    if (purpose !== "agent" && purpose !== "setup") return []
    const folder = join(this.#folder, String(of.task.id))
    const targets = of.task.repos.map(({ target }) => target)
    const isFirst = purpose === "setup" && !existsSync(join(folder, "agent"))
    const fills = cachesWrittenBy === "all" || (isFirst && (await hasLanded(launch.cwd, targets)))
    const own = fills ? undefined : join(folder, "caches")
    return await mountCaches(caches, { shared: join(this.#facts.stateDir, "caches"), own, home })
  }

  async #fence({ task, containment, gits, home }: Fenced): Promise<Omit<Fence, "caches">> {
    const parts = await Promise.all(gits.map(fenceOfGit))
    const session = join(this.#facts.stateDir, "agents", String(task.id))
    const links = task.repos.flatMap((repo) =>
      this.#facts.repoConfig(repo).link.map((path) => join(repo.path, path)),
    )
    const files = filesOf(this.#facts.stateDir, task.id)
    mkdirSync(files, { recursive: true, mode: 0o700 }) // a later message may bring some
    const named = containment.read.map((path) => this.#resolve(path))
    return {
      home,
      writable: [...parts.flatMap(({ writable }) => writable), ...[session].filter(existsSync)],
      readable: [
        ...OWN_FOLDER,
        files,
        ...links,
        ...named,
        ...parts.flatMap(({ readable }) => readable),
      ],
      fixed: parts.flatMap(({ fixed }) => fixed),
      network: containment.network === true,
      findReal: this.#findReal(task),
    }
  }

  /** A link that an agent may have left leads no fence elsewhere, and the task's log names it. */
  #findReal(task: Task): Fence["findReal"] {
    const repos = this.#facts.repos().flatMap((repo) => realPath(repo) ?? [])
    return (path) => {
      const place = findRealPlace(path, repos)
      if (place.kind === "refused")
        this.#notices.note(task.id, place.link, leftOut(path, place.link))
      return place.kind === "found" ? place.path : undefined
    }
  }

  #resolve(path: string): string {
    const isInHome = path === "~" || path.startsWith("~/")
    return isInHome ? join(homedir(), path.slice(1)) : resolve(this.#facts.home, path)
  }

  #makeHome(task: TaskId, name: string): string {
    const folder = join(this.#folder, String(task), name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return folder
  }

  /** Deletes the folders of tasks that are gone, except commits that git refused. */
  #sweep(): void {
    const { db } = this.#facts
    if (!existsSync(this.#folder)) return
    const isGone = (name: string) => !findTask(db, Number(name) as TaskId)
    for (const task of readdirSync(this.#folder).filter(isGone)) {
      const folder = join(this.#folder, task)
      const parts = readdirSync(folder).map((name) => ({ name, folder: join(folder, name) }))
      const untaken = parts.filter((part) => GIT_FOLDER.test(part.name) && hasUntaken(part))
      const removed = parts.filter((part) => !untaken.includes(part))
      const left = untaken.length === 0 ? [{ folder }] : removed
      for (const part of left) removeIfAllowed(part.folder)
    }
  }
}

/** A reviewer changes no file of the work that it reads. */
function onlyReading(fence: Fence, gits: readonly PrivateGit[]): Fence {
  const worktrees = gits.map(({ worktree }) => ({ from: worktree, at: worktree }))
  return { ...fence, fixed: [...worktrees, ...fence.fixed] }
}

const leftOut = (path: string, link: string): string =>
  `${path} is not shown to the contained program: ${link} is a symbolic link, and agents may write there. Name the path that it leads to, if you trust it.`

/** The folder of this program, as it was started; none for the single executable. */
function programFolder(launcher: string | undefined): string[] {
  if (launcher === undefined || isSea() || !existsSync(launcher)) return []
  return [dirname(dirname(realpathSync(launcher)))]
}
