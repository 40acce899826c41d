/** A repository with a remote, a GitHub double over that, and landings by pull request. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "../../src/base/assert.ts"
import type { LandingId } from "../../src/base/ids.ts"
import { ForgeError } from "../../src/features/pull-requests/forges/errors.ts"
import { githubForge } from "../../src/features/pull-requests/forges/github.ts"
import { listPullRequests, type PullRequest } from "../../src/features/pull-requests/rows.ts"
import type { Landing } from "../../src/kernel/landing/rows/row.ts"
import type { PullState, Pulls } from "./forge/pulls.ts"
import { GitHubServer } from "./github-server.ts"
import { LandingTest, type LandingTestOptions } from "./landing.ts"
import { TestRepo } from "./repo.ts"

export const TOKEN = "token-of-robot"

export class ShippingTest implements AsyncDisposable {
  readonly repo = new TestRepo()
  readonly server: GitHubServer
  readonly fleet: LandingTest
  readonly origin: string
  /** Whether the configuration names the forge. */
  isForgeKnown = true

  private constructor(server: GitHubServer, options: LandingTestOptions) {
    this.server = server
    this.origin = this.repo.addOrigin()
    server.state.pulls.remote = this.origin
    server.state.members.add("ada")
    const at = { api: server.url, project: "acme/demo", token: async () => TOKEN }
    const forge = githubForge({ ...at, nowMs: () => this.fleet.nowMs })
    const forgeOf = () => {
      if (this.isForgeKnown) return forge
      throw new ForgeError("forge.refused", "the forge of app is not known")
    }
    this.fleet = new LandingTest(this.repo, { forgeOf, ...options })
  }

  static async start(options: LandingTestOptions = {}): Promise<ShippingTest> {
    return new ShippingTest(await GitHubServer.start(), options)
  }

  get pulls(): Pulls {
    return this.server.state.pulls
  }

  /** The only pull request. */
  get pull(): PullState {
    const [pull, other] = this.pulls.all
    assert(pull && !other, "there is exactly one pull request")
    return pull
  }

  /** An agent that has committed `work.txt` on the branch `agent/1` has stopped. */
  submit(files: Readonly<Record<string, string>> = { "work.txt": "work\n" }): LandingId {
    const worktree = this.repo.worktree("agent/1")
    this.repo.commit(files, "the work", worktree)
    return this.fleet.submit({ branch: "agent/1", worktree, land: "pr", title: "Do the work" })
  }

  /** The same for a task on the branch `agent/2` that starts from the work of `lower`. */
  submitOn(lower: LandingId, files: Readonly<Record<string, string>> = { "upper.txt": "upper\n" }) {
    const { task, repos } = this.fleet.landing(lower)
    const base = repos[0]?.head
    assert(base, "the work of the lower task has a snapshot")
    const worktree = this.repo.worktree("agent/2", base)
    this.repo.commit(files, "the upper work", worktree)
    return this.fleet.submit({ branch: "agent/2", worktree, land: "pr", base, on: task })
  }

  /** The agent's next turn commits `files`, and ends. */
  again(id: LandingId, files: Readonly<Record<string, string>>): void {
    const { worktree } = this.fleet.task(id).repos[0] ?? {}
    assert(worktree, "a task at work has a worktree")
    this.repo.commit(files, "more work", worktree)
    this.fleet.resubmit(id)
  }

  /** Runs, and looks once more at the pull request. */
  look(id: LandingId): Promise<Landing> {
    return this.fleet.run(id)
  }

  row(id: LandingId): PullRequest {
    const [row] = listPullRequests(this.fleet.db, this.fleet.landing(id).task)
    assert(row, "work that is shipped has a row")
    return row
  }

  /** Another person commits a file on a branch of the remote. @returns the commit. */
  pushAsOther(branch: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.repo.folder, `other-${branch.replaceAll("/", "-")}`)
    this.repo.git("clone", "--quiet", "--branch", branch, this.origin, folder)
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
    this.repo.gitIn(folder, "add", "--all")
    this.repo.gitIn(folder, "commit", "--quiet", "--message", "by another person")
    this.repo.gitIn(folder, "push", "--quiet", "origin", branch)
    return this.repo.gitIn(folder, "rev-parse", "HEAD")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet[Symbol.asyncDispose]()
    await this.server[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}
