/**
 * Brings tasks and landings of a home to every state, by what agents and persons do.
 *
 * A landing is stopped in a state that passes quickly by a git that waits (held-git.ts): we look at the store, and
 * hold the landing's repository as soon as the state is there. In the end all states stand at the same time.
 */
import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import Sqlite from "better-sqlite3"
import { type PullState, review } from "../forge/pulls.ts"
import { waitFor } from "../wait-for.ts"
import { configOf, REPOS, STOPPED, until } from "./config.ts"
import type { HeldGit } from "./held-git.ts"
import type { Place } from "./place.ts"
import { KEPT } from "./states.ts"

export class Story {
  readonly #place: Place
  readonly #git: HeldGit
  #db: Sqlite.Database | undefined

  constructor(place: Place, git: HeldGit) {
    this.#place = place
    this.#git = git
    place.programs.push(git.folder)
  }

  /** Ends when every task is as {@link KEPT} says, and stays so. */
  async tell(): Promise<void> {
    this.#makeRepositories()
    await this.#place.json("trust", "--yes")
    await this.#place.json("up", "-d")
    await this.#endSome()
    await this.#leaveToPersons()
    await this.#leaveToAgents()
    await this.#openPullRequests()
    await this.#stopLandings()
    for (const title of Object.keys(KEPT)) await this.#until(title)
    this.#db?.close()
  }

  #makeRepositories(): void {
    const { path, home } = this.#place
    for (const folder of ["go", "repos", "home", "home/items"]) mkdirSync(join(path, folder))
    for (const name of REPOS) {
      mkdirSync(this.#place.repo(name))
      const git = (...args: string[]) => this.#place.git(name, ...args)
      git("init", "--quiet", "--initial-branch=main")
      git("config", "user.name", "a")
      git("config", "user.email", "a@example.com")
      this.#commit(name, "README.md")
    }
    const shop = (...args: string[]) => this.#place.git("shop", ...args)
    shop("clone", "--quiet", "--bare", ".", "../shop-origin.git")
    shop("remote", "add", "origin", join(path, "repos/shop-origin.git"))
    shop("fetch", "--quiet", "origin")
    writeFileSync(join(home, "coppice.yml"), `${JSON.stringify(configOf(this.#place), null, 2)}\n`)
  }

  /** Tasks whose story is over, but those that end by another one. */
  async #endSome(): Promise<void> {
    await this.#run("landed", "echo landed > landed.txt", "--agent", "pooled")
    await this.#run("nothing to land", "true")
    await this.#run("kept", "echo kept > kept.txt", "--land", "none")
    await this.#run("taken back", "echo back > back.txt")
    await this.#until("taken back")
    await this.#place.json("undo", "taken back", "--yes")
    this.#place.git("web", "switch", "--quiet", "--create", "mine")
    this.#commit("web", "mine.txt")
    this.#place.git("web", "switch", "--quiet", "main")
    await this.#place.json("land", "mine", "--title", "by a person")
    await this.#run("cancelled", `echo given-up > given-up.txt; ${until("never")}`)
    await wait("the work", () => this.#hasWritten("cancelled", "given-up.txt"))
    await this.#place.json("cancel", "cancelled")
    await this.#run("withdrawn", "echo withdrawn > withdrawn.txt", "--land", "approve")
    await this.#until("withdrawn", "in_approval", "in_review")
    await this.#place.json("cancel", "withdrawn")
  }

  async #leaveToPersons(): Promise<void> {
    await this.#run("stuck", "echo half > half.txt; exit 4")
    await this.#run("merge failed", "echo bad > bad.txt; echo m > mended.txt", "--agent=stubborn")
    await this.#run("planned", "Write it.", "--agent", "planner", "--plan", "approve")
    this.#place.go("plan")
    await this.#until("planned")
    this.#place.stop("plan")
    const ask = 'coppice agent ask "Which colour?" --choice red --choice blue'
    await this.#run("asking", `echo colour > colour.txt; ${ask} || true`)
    await this.#run("in approval", "echo approval > approval.txt", "--land", "approve")
    const both = ["--repo", "app", "--repo", "web", "--land", "approve"]
    await this.#run("half approved", BOTH, ...both)
    await this.#until("half approved")
    await this.#place.json("approve", "half approved", "--repo", "app", "-d")
    const pick = ["run", "echo pick > pick.txt", "--repo", "app", "--pick", "-d"]
    await this.#place.json(...pick, "--agent", "sh,other", "--title", "one of two")
    await this.#run("paused", `echo paused > paused.txt; ${until("paused")}`)
    await wait("the work", () => this.#hasWritten("paused", "paused.txt"))
    await this.#place.json("pause", "paused")
    writeFileSync(join(this.#place.repo("app"), "way.txt"), "a person's\n")
    await this.#run("in the way", "echo agent > way.txt")
  }

  async #leaveToAgents(): Promise<void> {
    const notes = join(this.#place.path, "notes.txt")
    writeFileSync(notes, "remember\n")
    const single = ["--agent", "single"]
    await this.#run("working", `echo begun > working.txt; ${until("working")}`, ...single)
    await this.#until("working")
    await this.#place.json("say", "working", "And more.", "-d")
    await this.#run("registered", "echo registered > registered.txt", ...single)
    const plan = ["--agent", "planner", "--plan", "approve", "--attach", notes]
    await this.#run("planning", "Write it.", ...plan)
    await this.#run("handed back", "echo bad > bad.txt; echo f > fixed.txt", "--agent", "fixer")
    await this.#place.json("trigger", "nightly")
    await this.#run("in a folder", `${until("folder")}; echo new > new.txt`, "--agent", "writer")
    const propose = `coppice agent propose_task "a part" '${until("part")}; echo part > part.txt'`
    await this.#run("a lead", `echo lead > lead.txt; ${propose}`, "--agent", "lead")
    await this.#until("a part")
    await this.#run("reviewed", "echo reviewed > reviewed.txt", "--agent", "author")
    await this.#until("Review of task 27: reviewed")
    const item = "---\ntitle: Do one\nstatus: ready\n---\nWrite it.\n"
    writeFileSync(join(this.#place.home, "items/one.md"), item)
    await wait("a pool", () => this.#find("select 1 from pool_entries where state = 'ready'"))
  }

  async #openPullRequests(): Promise<void> {
    const { forge } = this.#place
    const { pulls } = forge.state
    const propose = ["--agent", "proposer", "--repo", "shop"]
    for (const title of ["merged", "proposed", "approved", "lower"]) {
      await this.#run(title, `echo work > ${title}.txt`, ...propose)
      await this.#until(title, "reviews_in_progress", "proposed")
    }
    await this.#run("upper", "echo work > upper.txt", ...propose, "--on", "lower")
    await this.#until("upper", "reviews_in_progress", "proposed")
    review(forge.state, this.#pull("approved"), "APPROVED")
    pulls.merge(this.#pull("merged"), "squash")
    await this.#until("merged")
    await this.#run("shipping", `${until("ship")}; echo work > shipping.txt`, ...propose)
  }

  #pull(title: string): PullState {
    const found = this.#place.forge.state.pulls.all.find((pull) => pull.title === title)
    if (!found) throw new Error(`there is no pull request ${title}`)
    return found
  }

  /** All of these agents wait; then they end at the same time. */
  async #stopLandings(): Promise<void> {
    const work = (title: string) => `${until("stop")}; echo work > ${title}.txt`
    for (const title of STOPPED) await this.#run(title, work(title), "--repo", title)
    const pair = ["--repo", "left", "--repo", "right"]
    await this.#run("half published", `${until("stop")}; ${PAIR}`, ...pair)
    for (const title of [...STOPPED, "half published"]) await this.#until(title, "working")
    for (const repo of STOPPED) this.#commit(repo, "theirs.txt") // so there is something to replay
    this.#git.slow()
    this.#place.go("stop")
    const published = "select landing from landing_repos where name = 'left' and published = 1"
    await Promise.all([
      ...STOPPED.filter((repo) => repo !== "gating").map((repo) =>
        this.#hold([repo], `title = '${repo}' and landings.state = '${repo}'`),
      ),
      this.#hold(["left", "right"], `title = 'half published' and landings.id in (${published})`),
      this.#until("gating"),
    ])
    await this.#run("queued", "echo queued > queued.txt", "--repo", "gating")
    await this.#run("paused landing", "echo pl > paused-landing.txt", "--repo", "gating")
    await this.#until("paused landing", "merging", "queued")
    await this.#place.json("pause", "paused landing")
    await this.#stopPullRequests()
  }

  async #stopPullRequests(): Promise<void> {
    const { forge } = this.#place
    // The target now has the commits that `upper` starts from, in another form.
    forge.state.pulls.merge(this.#pull("lower"), "squash")
    const worktree = basename(this.#worktreeOf("upper") ?? "")
    const condition = "title = 'upper' and landings.state = 'restacking'"
    await this.#hold([`shop.worktrees/${worktree}`], condition)
    const opens = ({ method, path }: { method: string; path: string }) =>
      method === "POST" && path.endsWith("/pulls")
    const count = forge.served.filter(opens).length
    forge.fail({ when: opens, how: "hang" })
    this.#place.go("ship")
    await wait("the request", () => forge.served.filter(opens).length > count)
  }

  /** Holds these places as soon as a task with its landing is so. */
  async #hold(places: readonly string[], condition: string): Promise<void> {
    await wait(condition, () => this.#isSo(condition))
    for (const place of places) this.#git.hold(place)
  }

  /** A person commits a file in the checkout of the target. */
  #commit(repo: string, file: string): void {
    writeFileSync(join(this.#place.repo(repo), file), `${repo}\n`)
    this.#place.git(repo, "add", file)
    this.#place.git(repo, "commit", "--quiet", "--message", `add ${file}`)
  }

  async #run(title: string, prompt: string, ...args: string[]): Promise<void> {
    const isElsewhere = args.includes("--repo") || args.includes("writer")
    const where = isElsewhere ? args : [...args, "--repo", "app"]
    await this.#place.json("run", prompt, "-d", "--title", title, ...where)
  }

  /** Waits until all tasks of this title, and their landings, are in these states; default: as in the end. */
  async #until(title: string, ...states: readonly string[]): Promise<void> {
    const [task, landing] = states.length > 0 ? states : (KEPT[title] ?? [])
    const isThere = `tasks.state = '${task}'${landing ? ` and landings.state = '${landing}'` : ""}`
    const isIt = `title = '${title.replaceAll("'", "''")}'`
    await wait(
      `${title}: ${task} ${landing}`,
      () => this.#isSo(`${isIt} and ${isThere}`) && !this.#isSo(`${isIt} and not (${isThere})`),
    )
  }

  #isSo(condition: string): boolean {
    const from = "from tasks left join landings on landings.task = tasks.id"
    return this.#find(`select 1 ${from} where ${condition}`) !== undefined
  }

  #find(query: string): unknown {
    const [path = ""] = globSync(join(this.#place.path, "state/coppice/*/coppice.db"))
    this.#db ??= new Sqlite(path, { readonly: true })
    return this.#db.prepare(query).get()
  }

  /** Whether the agent of this task has written the file. */
  #hasWritten(title: string, file: string): boolean {
    const worktree = this.#worktreeOf(title)
    return worktree !== undefined && existsSync(join(worktree, file))
  }

  #worktreeOf(title: string): string | undefined {
    const query = `select worktree from tasks join task_repos on task = id where title = '${title}'`
    const { worktree } = (this.#find(query) ?? {}) as { worktree?: string | null }
    return worktree ?? undefined
  }
}

/** Waits as {@link waitFor}, longer: a busy machine has no haste here. */
const wait = (what: string, look: () => unknown) => waitFor(what, async () => look(), 300_000)

const BOTH = `echo half > both.txt; cd "$COPPICE_WORKTREE_PATH_WEB"; echo half > both.txt`
const PAIR = `echo half > both.txt; cd "$COPPICE_WORKTREE_PATH_RIGHT"; echo half > both.txt`
