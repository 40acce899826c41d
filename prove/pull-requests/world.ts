/** The world of a storm over pull requests: a fleet, a forge over a bare repository, and a person's clone. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"
import { Fleet } from "../../test/support/fleet.ts"
import type { PullState, Pulls } from "../../test/support/forge/pulls.ts"
import { GitHubServer } from "../../test/support/github-server.ts"
import type { Dice } from "../../torture/dice.ts"

const TOKEN = "token-of-robot"

/**
 * The first turn runs its prompt as a script. A later one takes in what the hand-back names: a
 * rebase onto what was merged, and the commits of a person.
 */
const AGENT = `
prompt=$(cat)
if [ "$COPPICE_TURN" = 1 ]; then eval "$prompt"; exit; fi
git rebase --abort 2>/dev/null; git merge --abort 2>/dev/null
git add -A; git commit -qm wip
rebase=$(printf %s "$prompt" | sed -n 's/^ *git rebase --onto \\([0-9a-f]*\\) \\([0-9a-f]*\\).*/\\1 \\2/p' | head -1)
commit=$(printf %s "$prompt" | sed -n 's/.*\`git merge \\([0-9a-f]\\{12\\}\\)\`.*/\\1/p' | head -1)
[ -z "$rebase" ] || git rebase -q -X theirs --onto $rebase || git rebase --abort
[ -z "$commit" ] || git merge -q --no-edit -X ours $commit || git merge --abort
echo "turn $COPPICE_TURN" >> "own-$COPPICE_TASK.txt"
`

/** `to` is all zeros when the ref was removed. */
export type Move = { readonly ref: string; readonly to: string }

export type Push = {
  readonly branch: string
  readonly commit: string
  readonly file: string
  /** `Name <email>`, of this commit alone. */
  readonly author: string
}

export class PullWorld implements AsyncDisposable {
  readonly fleet = new Fleet()
  readonly origin = this.fleet.repo.addOrigin()
  readonly server: GitHubServer
  /** The commits of a person on branches of agents, which the forge took. */
  readonly pushes: Push[] = []
  /** The pull requests that a person closed. */
  readonly closed = new Set<number>()
  readonly counts: Record<string, number> = {}
  readonly #clone: string
  /** Where the local target was at the start. */
  readonly main: string

  private constructor(server: GitHubServer) {
    this.server = server
    const { fleet, origin } = this
    server.state.pulls.remote = origin
    server.state.pulls.closesWithBranch = true
    const note = `#!/bin/sh\n[ "$1" != committed ] || cat >> "${join(origin, "moves")}"\n`
    writeFileSync(join(origin, "hooks", "reference-transaction"), note, { mode: 0o755 })
    server.state.members.add("ada")
    fleet.extra["GH_BOT_TOKEN"] = TOKEN
    writeFileSync(join(fleet.steps, "agent"), AGENT)
    const at = { type: "github", project: "acme/demo", api_url: server.url }
    const forge = { ...at, token_variable: "GH_BOT_TOKEN", poll: "1s" }
    fleet.configure({
      repo: { gate: false, setup: false, forge },
      sh: {
        command: 'sh "$STEPS/agent"',
        landing: { mode: "pr", max_handbacks: 20 },
        pull_request: { delete_branch: true },
      },
      limits: { concurrent: 4 },
    })
    fleet.repo.git("push", "--quiet", "origin", "main")
    this.main = fleet.repo.tip("main")
    this.#clone = join(fleet.repo.folder, "person")
    fleet.repo.git("clone", "--quiet", origin, this.#clone)
  }

  static async start(): Promise<PullWorld> {
    return new PullWorld(await GitHubServer.start())
  }

  get pulls(): Pulls {
    return this.server.state.pulls
  }

  get open(): readonly PullState[] {
    return this.pulls.all.filter(({ state }) => state === "open")
  }

  /** The moves of the branches in the forge's repository, oldest first. */
  get moves(): readonly Move[] {
    const lines = readFileSync(join(this.origin, "moves"), "utf8").split("\n")
    return lines.flatMap((line) => {
      const [, to, ref] = line.split(" ")
      return to && ref?.startsWith("refs/heads/") ? [{ ref, to }] : []
    })
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  /** A daemon that was killed at the wrong moment answers nothing, so we ask again. */
  async tasks(): Promise<readonly TaskDocument[]> {
    for (let n = 0; ; n++) {
      const tasks = await unlessGone(async () => (await this.fleet.client.list()).tasks)
      if (tasks) return tasks
      if (n > 20) throw new Error("no daemon answers")
    }
  }

  /** A person commits on an agent's branch. It may be refused: the agent was faster. */
  push(branch: string, n: number): boolean {
    const { repo } = this.fleet
    const git = (...args: readonly string[]) => repo.gitIn(this.#clone, ...args)
    const file = `person-${n}.txt`
    const author = `Person ${n} <person-${n}@example.com>`
    try {
      git("fetch", "--quiet", "--prune", "origin")
      git("checkout", "--quiet", "--detach", `origin/${branch}`)
      writeFileSync(join(this.#clone, file), `${n}\n`)
      git("add", "--all")
      git("commit", "--quiet", `--author=${author}`, "--message", `by a person ${n}`)
      git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`)
    } catch {
      return false
    }
    this.pushes.push({ branch, commit: git("rev-parse", "HEAD"), file, author })
    return true
  }

  /** @returns whether the forge could merge it. */
  merge(pull: PullState, dice: Dice): boolean {
    try {
      this.pulls.merge(pull, dice.pick(["merge", "squash", "rebase"] as const) ?? "merge")
      return true
    } catch {
      return false // the pull request conflicts
    }
  }

  /** A person closes it. */
  close(pull: PullState): void {
    pull.state = "closed"
    this.closed.add(pull.number)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet[Symbol.asyncDispose]()
    await this.server[Symbol.asyncDispose]()
  }
}

/** @returns undefined if the daemon is gone, or refuses. */
export async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if ((error as { readonly blame?: string }).blame === "bug") throw error
    return undefined
  }
}
