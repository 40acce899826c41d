/** Work that lands by a pull request of Gitea or Forgejo, from the command line to the merge. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { reviewPull } from "../support/gitea/reviews.ts"
import { GiteaServer } from "../support/gitea-server.ts"

const TOKEN = "token-of-robot"

test("a pull request of Gitea is opened, checked, reviewed, improved by its agent, approved and squashed [42.7, 42.11, 42.13]", async () => {
  await using server = await GiteaServer.start()
  await using fleet = new Fleet()
  fleet.extra["FORGEJO_TOKEN"] = TOKEN
  fleet.extra["FORGEJO_HOST"] = server.url
  const { state } = server
  const { pulls, members, labels } = state
  pulls.remote = fleet.repo.addOrigin()
  members.add("ada")
  labels.add("agent")
  const forge = { type: "gitea", project: "acme/demo", api_url: server.url, poll: "1s" }
  const pullRequest = { reviewers: ["ada"], labels: ["agent"], auto_merge: "squash" }
  const sh = { landing: { mode: "pr" }, pull_request: pullRequest }
  fleet.configure({ repo: { gate: false, forge }, sh })
  fleet.repo.git("push", "--quiet", "origin", "main")
  fleet.step(2, `cat > "$STEPS/checked"; env > "$STEPS/env"; echo checked > work.txt`)
  fleet.step(3, `cat > "$STEPS/reviewed"; echo please > work.txt`)
  const prompt = (name: string) => readFileSync(join(fleet.steps, name), "utf8")

  const id = await fleet.start("echo work > work.txt", "--title", "Add work")
  const reviewed = () => fleet.until(id, ({ state }) => state === "reviews_in_progress")
  const headOf = async () => (await reviewed()).pullRequests[0]?.head ?? ""
  const first = await headOf()
  const pull = pulls.all[0]!
  expect(pull).toMatchObject({ title: "Add work", base: "main", reviewers: ["ada"] })
  expect([...state.gitea.labelsOf(pull)]).toEqual(["agent"])

  pulls.runs.push({ name: "ci", commit: first, conclusion: "failure", summary: "It is red." })
  await fleet.until(id, ({ pullRequests: [one] }) => one?.head !== first)
  expect(prompt("checked")).toContain("It is red.")
  expect(prompt("env")).not.toContain(TOKEN)

  const second = await headOf()
  const comments = [{ author: "ada", path: "work.txt", line: 1, body: "Say please." }]
  reviewPull(state, pull, "REQUEST_CHANGES", { body: "Not yet.", comments })
  await fleet.until(id, ({ pullRequests: [one] }) => one?.head !== second)
  expect(prompt("reviewed")).toContain("```\nSay please.\n```")

  const third = await headOf()
  pulls.runs.push({ name: "ci", commit: third, conclusion: "success", summary: "" })
  reviewPull(state, pull, "APPROVED")
  const done = await fleet.until(id, ({ state }) => state === "complete")
  expect(done).toMatchObject({
    landing: { outcome: "LANDED" },
    pullRequests: [{ state: "merged" }],
  })
  expect(pulls.git("show", "main:work.txt")).toBe("please")
  const grep = () => execFileSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
  expect(grep, "the files of the home, and its logs").toThrow()
})
