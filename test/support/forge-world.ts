/** The double of a forge over a real repository, with the parts of a `ForgeWorld` that all forges share. */
import type { Oid } from "../../src/core/ids.ts"
import type { ForgeWorld } from "../../src/forges/contract.ts"
import type { ApiServer } from "./api-server.ts"
import type { Pulls } from "./forge/pulls.ts"
import { TestRepo } from "./repo.ts"

type ForgeServer = ApiServer<{ readonly pulls: Pulls; readonly members: Set<string> }>

/** The parts that each forge adds: the client under test, its own words for reviews and merges, and its merge queue. */
export type OwnParts = Pick<
  ForgeWorld,
  "forge" | "impatient" | "review" | "allow" | "startQueue" | "leaveQueue"
>

/** The user `ada` is a member. The branch `work` has one commit more than `main`. */
export async function startForge<At extends ForgeServer>(kind: { start(): Promise<At> }) {
  const repo = new TestRepo()
  const server = await kind.start()
  const { pulls, members } = server.state
  pulls.remote = repo.addOrigin()
  members.add("ada")
  const worktree = repo.worktree("work")
  /** Another commit on the branch `work`. */
  const push = (text: string): Oid => {
    repo.commit({ "work.txt": text }, text, worktree)
    repo.git("push", "--quiet", "origin", "work")
    return repo.tip("work")
  }
  const shared: Omit<ForgeWorld, keyof OwnParts> = {
    head: push("work\n"),
    check: (commit, passed) => {
      const conclusion = passed === null ? null : passed ? "success" : "failure"
      pulls.runs.push({ name: `ci ${passed}`, commit, conclusion, summary: "" })
    },
    closePull: (number) => void Object.assign(pulls.find(number)!, { state: "closed" }),
    branch: (name) => void pulls.git("branch", name, "main"),
    loseAnswer: (how = "lose") =>
      server.fail({ when: ({ method }) => method !== "GET", times: 1, how }),
    pullCount: () => pulls.all.length,
    goDown: () => server.fail({ how: { status: 502, body: {} } }),
    target: () => {
      const subject = pulls.git("log", "-1", "--format=%s", "main")
      return { subject, parents: pulls.parents("main").length }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      repo[Symbol.dispose]()
    },
  }
  return { ...shared, server, pulls, push }
}
