/** The double of a forge over a real repository, with the parts of a `ForgeWorld` that all forges share. */
import { join } from "node:path"
import type { Oid } from "../../src/base/ids.ts"
import type { ForgeWorld } from "../../src/features/pull-requests/forges/contract.ts"
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
  const repo = new TestRepo({ preparedBy: prepare })
  const server = await kind.start()
  const { pulls, members } = server.state
  pulls.remote = join(repo.folder, "origin.git")
  members.add("ada")
  const shared: Omit<ForgeWorld, keyof OwnParts> = {
    head: repo.tip("work"),
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
  return { ...shared, server, pulls, push: (text: string) => push(repo, text) }
}

function prepare(repo: TestRepo): void {
  repo.addOrigin()
  repo.worktree("work")
  push(repo, "work\n")
}

/** Another commit on the branch `work`. */
function push(repo: TestRepo, text: string): Oid {
  const head = repo.commit({ "work.txt": text }, text, join(repo.folder, "worktrees/work"))
  repo.git("push", "--quiet", "origin", "work")
  return head
}
