/** An issue's work that lands by a pull request, in a repository where other work is merged. */
import { expect, test } from "vitest"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { StatsDocument } from "../../src/features/stats/wire.ts"
import { Fleet } from "../support/fleet.ts"
import { review } from "../support/forge/pulls.ts"
import { GitHubServer } from "../support/github-server.ts"
import { waitFor } from "../support/wait-for.ts"

const SH = `if [ "$COPPICE_TURN" = 1 ]; then echo work > work.txt; else echo "turn $COPPICE_TURN" >> work.txt; fi`

test("`land: pr` of a source holds for its tasks alone, and stats counts their hand-backs by cause [39.20, 12.23]", async () => {
  await using server = await GitHubServer.start()
  await using fleet = new Fleet()
  fleet.extra["GH_BOT_TOKEN"] = "token-of-robot"
  const { pulls, members, issues } = server.state
  pulls.remote = fleet.repo.addOrigin()
  fleet.repo.git("push", "--quiet", "origin", "main")
  members.add("ada")
  const at = { type: "github", api_url: server.url, token_variable: "GH_BOT_TOKEN" }
  const forge = { ...at, project: "acme/app", poll: "1s" }
  const gh = { ...at, repo: "acme/app", interval: "1s", land: "pr" }
  const sh = { runtime: "command", command: SH, landing: { mode: "merge" } }
  const repos = { app: { gate: false, forge } }
  fleet.approve({ version: 1, repos, agents: { sh }, sources: { gh } }, "configure")

  const issue = issues.open({ title: "Add work", labels: ["coppice"] })
  await fleet.coppice("up", "-d")
  const isOpen = ({ state }: { readonly state: string }) => state === "reviews_in_progress"
  await waitFor("its pull request", () => pulls.all.length === 1)
  await fleet.until("1", isOpen)
  const pull = pulls.all[0]!
  expect(pull).toMatchObject({ title: "Add work", base: "main", state: "open" })
  const other = await fleet.json(TaskDocument, ["run", "x"])
  expect(other).toMatchObject({ state: "complete", landing: { outcome: "LANDED" } })
  expect(pulls.all, "the work of another task is merged").toHaveLength(1)

  const nextTurn = async (n: number) => {
    await fleet.until("1", ({ usage, state }) => usage.turns === n && isOpen({ state }))
  }
  review(server.state, pull, "CHANGES_REQUESTED", { body: "Say please." })
  await nextTurn(2)
  const commit = pulls.headOf(pull)
  pulls.runs.push({ name: "ci", commit, conclusion: "failure", summary: "one test fails" })
  await nextTurn(3)
  review(server.state, pull, "APPROVED")
  await fleet.until("1", ({ state }) => state === "pr_ready")
  pulls.merge(pull, "squash")
  await fleet.until("1", ({ state }) => state === "complete")
  await waitFor("the result", () => issue.comments.length === 2)
  expect(issue.comments[1]?.body).toMatch(/^Coppice has landed this/)
  expect(pulls.git("show", "main:work.txt")).toBe("work\nturn 2\nturn 3")

  const { handBacks } = await fleet.json(StatsDocument, ["stats"])
  expect(handBacks).toEqual(
    expect.arrayContaining([
      { reason: "REVIEW", count: 1 },
      { reason: "CHECKS", count: 1 },
    ]),
  )
  expect(handBacks).toHaveLength(2)
}, 90_000)
