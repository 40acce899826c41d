/** Two repositories, `app` and `web`, and tasks that have both; `feat` adds a file named as each. */
import { join } from "node:path"
import type { LandingId } from "../../src/base/ids.ts"
import { Crash, LandingTest, type LandingTestOptions } from "./landing.ts"
import { TestRepo } from "./repo.ts"

export const PAIR = ["app", "web"] as const
export type PairName = (typeof PAIR)[number]

export class Pair implements AsyncDisposable {
  readonly app: TestRepo
  readonly web: TestRepo
  readonly it: LandingTest

  /** @param copyOf whose repositories are taken as they are by now. */
  constructor(options: LandingTestOptions = {}, copyOf?: Pair) {
    this.app = new TestRepo(copyOf && { copyOf: copyOf.app })
    this.web = new TestRepo(copyOf && { copyOf: copyOf.web })
    this.it = new LandingTest(this.app, { ...options, also: { web: this.web } })
    if (copyOf) return
    for (const name of PAIR) {
      const worktree = this[name].worktree("feat")
      this[name].commit({ [`${name}.txt`]: name }, `in ${name}`, worktree)
    }
  }

  /** Of both, by name. */
  each<T>(read: (repo: TestRepo, name: PairName) => T): Record<PairName, T> {
    return { app: read(this.app, "app"), web: read(this.web, "web") }
  }
  tips(branch = "main"): Record<PairName, string> {
    return this.each((repo) => repo.tip(branch))
  }
  /** The subject of the newest commit of each target. */
  subjects(): Record<PairName, string> {
    return this.each((repo) => repo.git("log", "-1", "--format=%s", "main"))
  }
  /** Whether each target's tree has the task's file, as the task wrote it. */
  landed(): Record<PairName, boolean> {
    return this.each((repo, name) => {
      const names = repo.git("ls-tree", "--name-only", "main").split("\n")
      return names.includes(`${name}.txt`) && repo.git("show", `main:${name}.txt`) === name
    })
  }
  worktree(name: PairName): string {
    return join(this[name].folder, "worktrees/feat")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.it[Symbol.asyncDispose]()
    this.app[Symbol.dispose]()
    this.web[Symbol.dispose]()
  }
}

/** The first target has moved and is on record; then the program dies, and `then` happens. */
export async function cutBetween(pair: Pair, then: () => void): Promise<LandingId> {
  const { it } = pair
  const id = it.submit({ branch: "feat" })
  let isCut = false
  it.onPoint = (name) => {
    if (name === "publishing: before" && isCut) {
      it.onPoint = () => {}
      then()
    }
    if (name !== "publishing: one published" || isCut) return
    isCut = true
    throw new Crash()
  }
  await it.run(id)
  return id
}
