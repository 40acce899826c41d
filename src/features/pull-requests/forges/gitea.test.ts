/** Gitea and Forgejo, against their double over a real repository. */
import { expect, test } from "vitest"
import { type OwnParts, startForge } from "../../../../test/support/forge-world.ts"
import { reviewPull } from "../../../../test/support/gitea/reviews.ts"
import { GiteaServer } from "../../../../test/support/gitea-server.ts"
import type { Oid } from "../../../base/ids.ts"
import { listRequests, pullReviewState } from "../rules.ts"
import { IMPATIENT_MS, testForge } from "./contract.ts"
import { giteaForge } from "./gitea.ts"

const PULL = { branch: "work", target: "main", title: "Work", body: "", isDraft: false }
const STATES = { approved: "APPROVED", changes_requested: "REQUEST_CHANGES" } as const

async function start() {
  const shared = await startForge(GiteaServer)
  const { server, pulls } = shared
  const { state } = server
  const at = { api: server.url, project: "acme/demo", token: async () => "token-of-robot" }
  const own: OwnParts = {
    forge: giteaForge({ ...at, nowMs: Date.now }),
    impatient: giteaForge({ ...at, nowMs: Date.now, requestMsMax: IMPATIENT_MS }),
    review: (number, verdict) => void reviewPull(state, pulls.find(number)!, STATES[verdict]),
    allow: () => {},
    startQueue: () => false,
    leaveQueue: () => {},
  }
  return { ...shared, ...own, state, gitea: state.gitea }
}

testForge("gitea", start)

test("an approval holds for the commit that was reviewed, and not once it is dismissed [42.8]", async () => {
  await using world = await start()
  const { forge, head, state, pulls, push } = world
  const { number } = await forge.open(PULL)
  const approval = reviewPull(state, pulls.find(number)!, "APPROVED")
  const next = push("more\n")
  const stateOf = async (commit: Oid) =>
    pullReviewState(await forge.listPullReviews(number), commit)
  expect(await stateOf(head)).toBe("approved")
  expect(await stateOf(next)).toBe("waiting")
  approval.dismissed = true
  expect(await stateOf(head)).toBe("waiting")
})

test("an approval counts no more after a later verdict, even if that one is dismissed", async () => {
  await using world = await start()
  const { forge, head, state, pulls } = world
  const { number } = await forge.open(PULL)
  const pull = pulls.find(number)!
  reviewPull(state, pull, "APPROVED")
  reviewPull(state, pull, "REQUEST_CHANGES").dismissed = true
  expect(pullReviewState(await forge.listPullReviews(number), head)).toBe("waiting")
})

test("only reviewers that Gitea counts decide, and a comment is no verdict [42.8]", async () => {
  await using world = await start()
  const { forge, head, state, pulls } = world
  const { number } = await forge.open(PULL)
  const pull = pulls.find(number)!
  reviewPull(state, pull, "APPROVED", { author: "stranger" })
  reviewPull(state, pull, "COMMENT")
  const reviews = await forge.listPullReviews(number)
  expect(reviews.map(({ author, isTrusted }) => [author, isTrusted])).toEqual([
    ["stranger", false],
    ["ada", false],
  ])
  expect(pullReviewState(reviews, head)).toBe("waiting")
})

test("requested changes have their author's words and unresolved comments, and no stranger's reply [42.7]", async () => {
  await using world = await start()
  const { forge, state, pulls } = world
  const { number } = await forge.open(PULL)
  const at = { author: "ada", path: "work.txt", line: 1 }
  const comments = [
    { ...at, body: "Say please." },
    { ...at, body: "Why did this go?", line: -2 },
    { ...at, body: "Done.", isResolved: true },
    { ...at, body: "Send me the key.", author: "stranger" },
  ]
  reviewPull(state, pulls.find(number)!, "REQUEST_CHANGES", { body: "Nearly there.", comments })
  const [request] = listRequests(await forge.listPullReviews(number), [])
  expect(request).toMatchObject({ text: "Nearly there.", author: "ada" })
  expect(await forge.listComments(number, request!.id)).toEqual([
    { path: "work.txt", line: 1, text: "Say please." },
    { path: "work.txt", line: 2, text: "Why did this go?" },
  ])
})

test("no review is overlooked on a server with small pages that sends no links", async () => {
  await using world = await start()
  const { forge, head, state, pulls, server } = world
  const { number } = await forge.open(PULL)
  const pull = pulls.find(number)!
  server.limitMax = 2
  for (let n = 0; n < 4; n++) reviewPull(state, pull, "COMMENT")
  reviewPull(state, pull, "PENDING", { author: "bob" })
  reviewPull(state, pull, "APPROVED")
  expect(pullReviewState(await forge.listPullReviews(number), head)).toBe("approved")
})

test("a server that gives 20 a page, whatever it is asked for, is read to the end", async () => {
  await using world = await start()
  const { forge, head, state, pulls, server } = world
  const { number } = await forge.open(PULL)
  server.limitMax = 20
  for (let n = 0; n < 450; n++) reviewPull(state, pulls.find(number)!, "COMMENT")
  reviewPull(state, pulls.find(number)!, "APPROVED")
  expect(pullReviewState(await forge.listPullReviews(number), head)).toBe("approved")
})

test("a server whose every page names a next one, and has nothing, is given up", async () => {
  await using world = await start()
  const { forge, server } = world
  const { number } = await forge.open(PULL)
  const how = { status: 200, headers: { link: '<https://h>; rel="next"' }, body: [] }
  server.fail({ when: ({ path }) => path.includes("/reviews"), how })
  await expect(forge.listPullReviews(number)).rejects.toMatchObject({ code: "forge.refused" })
})

test("labels and reviewers are added to those that are there; unknown ones are refused [42.1]", async () => {
  await using world = await start()
  const { forge, pulls, gitea, state } = world
  for (const name of ["a", "b"]) state.labels.add(name)
  const { number } = await forge.open({ ...PULL, isDraft: true })
  const pull = pulls.find(number)!
  expect(pull).toMatchObject({ title: "WIP: Work", isDraft: true })
  pull.reviewers.push("rival")
  gitea.labelsOf(pull).add("a")
  for (const _ of [1, 2]) await forge.decorate(number, { labels: ["b"], reviewers: ["ada"] })
  expect(pull.reviewers.toSorted()).toEqual(["ada", "rival"])
  expect([...gitea.labelsOf(pull)]).toEqual(["a", "b"])
  const refused = { code: "forge.refused" }
  for (const unknown of [{ labels: ["gone"] }, { reviewers: ["gone"] }])
    await expect(
      forge.decorate(number, { labels: [], reviewers: [], ...unknown }),
    ).rejects.toMatchObject(refused)
})

test("a token that may not read the organization's labels still gives the repository's own", async () => {
  await using world = await start()
  const { forge, pulls, gitea, state, server } = world
  state.labels.add("a")
  const { number } = await forge.open(PULL)
  const body = { message: "token does not have at least one of required scope(s)" }
  server.fail({ when: ({ path }) => path.includes("/orgs/"), how: { status: 403, body } })
  await forge.decorate(number, { labels: ["a"], reviewers: [] })
  expect([...gitea.labelsOf(pulls.find(number)!)]).toEqual(["a"])
})

test("the latest status of a check counts", async () => {
  await using world = await start()
  const { head, forge } = world
  const states = async () => (await forge.listChecks(head)).map(({ name, state }) => [name, state])
  const push = (gitea: string) =>
    world.pulls.runs.push({ name: "ci", commit: head, conclusion: null, summary: "", gitea })
  for (const [word, state] of [
    ["failure", "failed"],
    ["pending", "pending"],
    ["success", "passed"],
    ["error", "failed"],
    ["warning", "passed"],
    ["a new word", "pending"],
  ] as const) {
    push(word)
    expect(await states()).toEqual([["ci", state]])
  }
})

test("a pull request of a fork with the same branch name is not ours", async () => {
  await using world = await start()
  const { pulls, forge } = world
  const fork = { number: 1, head: "work", base: "main", title: "", body: "", isDraft: false }
  pulls.open(Object.assign(fork, { isFork: true }))
  expect(await forge.findOpen(PULL)).toBeUndefined()
  expect(await forge.open(PULL)).toMatchObject({ number: 2 })
})

test("a merge is never put off, and the branch stays [42.11]", async () => {
  await using world = await start()
  const { forge, head, gitea, pulls, server } = world
  const { number } = await forge.open(PULL)
  gitea.methods.delete("squash")
  expect(await forge.merge(number, { method: "squash", head })).toMatch(/Invalid merge style/)
  expect(await forge.merge(number, { method: "rebase", head })).toBeUndefined()
  expect(server.served.at(-1)?.body).toMatchObject({ merge_when_checks_succeed: false })
  expect(pulls.tip("work")).toBe(head)
  expect((await forge.read(number)).merge).toBe(pulls.tip("main"))
})

test("a name of a commit that is none never reaches git", async () => {
  await using world = await start()
  const branch = { ref: "main", repo_id: 1 }
  const pull = { number: 1, html_url: "", state: "closed", merged: true, base: branch }
  for (const body of [
    { ...pull, head: { ...branch, sha: world.head }, merge_commit_sha: "refs/heads/work" },
    { ...pull, head: { ...branch, sha: "--upload-pack=x" } },
  ]) {
    world.server.fail({ times: 1, how: { status: 200, body } })
    await expect(world.forge.read(1)).rejects.toMatchObject({ code: "forge.unavailable" })
  }
})
