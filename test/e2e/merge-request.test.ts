/** Work that lands by a merge request of GitLab, from the command line to the merge. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { reviewPull } from "../support/gitlab/reviews.ts"
import { GitLabServer } from "../support/gitlab-server.ts"

const TOKEN = "token-of-robot"

test("a merge request is opened, reviewed, improved by its agent, approved and squashed [42.7, 42.11, 42.13]", async () => {
  await using server = await GitLabServer.start()
  await using fleet = new Fleet()
  fleet.extra["GITLAB_BOT_TOKEN"] = TOKEN
  const { state } = server
  const { pulls, members, merges } = state
  pulls.remote = fleet.repo.addOrigin()
  members.add("ada")
  const at = { type: "gitlab", project: "acme/tools/demo", api_url: server.url }
  const forge = { ...at, token_variable: "GITLAB_BOT_TOKEN", poll: "1s" }
  const sh = { landing: { mode: "pr" }, pull_request: { reviewers: ["ada"], auto_merge: "squash" } }
  fleet.configure({ repo: { gate: false, forge }, sh })
  fleet.repo.git("push", "--quiet", "origin", "main")
  fleet.step(2, `cat > "$STEPS/prompt"; env > "$STEPS/env"; echo please > work.txt`)

  const id = await fleet.start("echo work > work.txt", "--title", "Add work")
  const open = await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  const pull = pulls.all[0]!
  const head = open.pullRequests[0]?.head
  expect(pull).toMatchObject({ title: "Add work", base: "main", reviewers: ["ada"] })

  const note = { path: "work.txt", line: 1 }
  merges.note(pull, { author: "ada", body: "Say please.", ...note })
  reviewPull(state, pull, "changes_requested")
  await fleet.until(id, ({ pullRequests: [one] }) => one?.head !== head)
  expect(readFileSync(join(fleet.steps, "prompt"), "utf8")).toContain("```\nSay please.\n```")
  expect(readFileSync(join(fleet.steps, "env"), "utf8")).not.toContain(TOKEN)

  await fleet.until(id, ({ state }) => state === "reviews_in_progress")
  reviewPull(state, pull, "approved")
  const done = await fleet.until(id, ({ state }) => state === "complete")
  expect(done).toMatchObject({
    landing: { outcome: "LANDED" },
    pullRequests: [{ state: "merged" }],
  })
  expect(pulls.git("show", "main:work.txt")).toBe("please")
})
