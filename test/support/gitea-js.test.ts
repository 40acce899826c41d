/**
 * A client made from Gitea's own description of its API judges the double: it and Coppice see the
 * same.
 */
import { giteaApi } from "gitea-js"
import { expect, test } from "vitest"
import { giteaForge } from "../../src/features/pull-requests/forges/gitea.ts"
import { pullReviewState } from "../../src/features/pull-requests/rules.ts"
import { giteaSource } from "../../src/features/sources/trackers/gitea.ts"
import { startForge } from "./forge-world.ts"
import { GiteaServer } from "./gitea-server.ts"
import { LABELS } from "./tracker-bench.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"
const AT = ["acme", "demo"] as const
const PULL = { branch: "work", target: "main", title: "Work", body: "It works.", isDraft: false }

/** The client acts as ada, who may write to the repository. */
async function start() {
  const world = await startForge(GiteaServer)
  const { server } = world
  server.tokens.set("token-of-ada", "ada")
  const parts = { nowMs: Date.now, token: async () => "token-of-robot" }
  const settings = { apiUrl: server.url, repo: AT.join("/"), labels: LABELS }
  return {
    ...world,
    gitea: clientOf(server, "token-of-ada"),
    forge: giteaForge({ ...parts, api: server.url, project: AT.join("/") }),
    source: giteaSource({ ...settings, authors: "members", readyAgain: true }, parts),
  }
}

const clientOf = (server: GiteaServer, token: string) =>
  giteaApi(new URL(server.url).origin, { token }).repos

test("the client offers issues, and sees how Coppice claims one [39.6]", async () => {
  await using world = await start()
  const { gitea, server, source } = world
  for (let n = 0; n < 5; n++) server.state.issues.open({ author: n === 1 ? "mallory" : "ada" })
  const { data: label } = await gitea.issueCreateLabel(...AT, { name: "bug", color: "#f00" })
  await gitea.issueCreateLabel(...AT, { name: LABELS.ready, color: "#0f0" })
  for (const index of [1, 2])
    await gitea.issueAddLabel(...AT, index, { labels: [label.id, LABELS.ready] })
  const mine = await gitea.issueCreateComment(...AT, 1, { body: "Mine." })
  expect(mine.data.user).toMatchObject({ login: "ada" })

  expect((await source.list(never)).ready).toEqual(["1"])
  expect(await source.claim({ item: "1", nonce: NONCE }, never)).toMatchObject({ kind: "claimed" })
  const { data: issue } = await gitea.issueGetIssue(...AT, 1)
  expect(issue.labels?.map(({ name }) => name)).toEqual(["bug", LABELS.inProgress])
  expect(issue).toMatchObject({ number: 1, comments: 2, user: { login: "ada" } })
  const { data: said } = await gitea.issueGetComments(...AT, 1)
  expect(said.map(({ body }) => body)).toEqual(["Mine.", expect.stringContaining(NONCE)])
  await gitea.issueDeleteComment(...AT, mine.data.id ?? 0)
  expect(server.state.issues.find(1)?.comments).toHaveLength(1)
  await gitea.issueRemoveLabel(...AT, 1, label.id ?? 0)
  const { data: rights } = await gitea.repoGetRepoPermissions(...AT, "mallory")
  expect(rights.permission).toBe("read")

  const list = async (query: object) =>
    (await gitea.issueListIssues(...AT, query)).data.map(({ number }) => number)
  expect([...(await list({ limit: 3, page: 1 })), ...(await list({ limit: 3, page: 2 }))]).toEqual(
    expect.arrayContaining([1, 2, 3, 4, 5]),
  )
  await gitea.issueAddLabel(...AT, 3, { labels: [LABELS.ready] })
  expect((await source.list(never)).ready).toEqual(["3"])
  await gitea.issueEditIssue(...AT, 3, { state: "closed" })
  expect((await source.list(never)).ready).toEqual([])
  expect(await list({ state: "closed" })).toEqual([3])
})

test("the client reviews and merges the pull request that Coppice opened", async () => {
  await using world = await start()
  const { forge, gitea, head, pulls, push, server } = world
  server.state.labels.add("a")
  const { number } = await forge.open(PULL)
  await forge.decorate(number, { labels: ["a"], reviewers: ["ada"] })
  const { data: seen } = await gitea.repoGetPullRequest(...AT, number)
  expect(seen).toMatchObject({
    ...{ number, title: "Work", body: "It works.", state: "open", draft: false, merged: false },
    head: { ref: "work", sha: head },
    base: { ref: "main" },
    requested_reviewers: [{ login: "ada" }],
  })
  expect(seen.labels?.map(({ name }) => name)).toEqual(["a"])

  for (const state of ["pending", "success"])
    await gitea.repoCreateStatus(...AT, head, { context: "ci", state })
  const { data: statuses } = await gitea.repoListStatuses(...AT, head)
  expect(statuses.map(({ status }) => status)).toEqual(["success", "pending"])
  expect(await forge.listChecks(head)).toMatchObject([{ name: "ci", state: "passed" }])

  const comments = [{ path: "work.txt", new_position: 1, body: "Say please." }]
  const wish = { event: "REQUEST_CHANGES", body: "Not yet.", comments }
  const { data: first } = await gitea.repoCreatePullReview(...AT, number, wish)
  const state = async () => pullReviewState(await forge.listPullReviews(number), head)
  expect(await state()).toBe("changes_requested")
  const expected = [{ path: "work.txt", line: 1, text: "Say please." }]
  expect(await forge.listComments(number, first.id ?? 0)).toEqual(expected)
  await gitea.repoCreatePullReview(...AT, number, { event: "APPROVED" })
  expect(await state()).toBe("approved")
  const { data: reviews } = await gitea.repoListPullReviews(...AT, number)
  expect(reviews.map(({ state: verdict, official }) => [verdict, official])).toEqual([
    ["REQUEST_CHANGES", false],
    ["APPROVED", true],
  ])

  const next = push("more\n")
  const merge = (sha: string) =>
    gitea.repoMergePullRequest(...AT, number, { Do: "squash", head_commit_id: sha })
  await expect(merge(head)).rejects.toMatchObject({ status: 409 })
  await merge(next)
  const { data: merged } = await gitea.repoGetPullRequest(...AT, number)
  expect(merged).toMatchObject({ merged: true, merge_commit_sha: pulls.tip("main") })
  expect(await forge.read(number)).toMatchObject({ state: "merged", merge: pulls.tip("main") })
})

test("Coppice finds the pull request that the client opened, and follows it", async () => {
  await using world = await start()
  const { branch, forge, gitea, server } = world
  const opening = { head: "work", base: "main", title: "WIP: Work", body: "Mine." }
  const labels = [server.state.labels.add("a")]
  const { data: opened } = await gitea.repoCreatePullRequest(...AT, { ...opening, labels })
  expect(opened).toMatchObject({ draft: true, labels: [{ name: "a" }] })
  const number = opened.number ?? 0
  expect(await forge.findOpen(PULL)).toMatchObject({ number, state: "open" })
  expect(await forge.open(PULL), "no second one").toMatchObject({ number })
  const again = gitea.repoCreatePullRequest(...AT, opening)
  await expect(again).rejects.toMatchObject({ status: 409 })
  branch("next")
  await gitea.repoEditPullRequest(...AT, number, { title: "Work", base: "next" })
  expect(await forge.read(number)).toMatchObject({ target: "next" })
  const { data: listed } = await gitea.repoListPullRequests(...AT)
  expect(listed).toMatchObject([{ title: "Work", draft: false }])
  await gitea.repoEditPullRequest(...AT, number, { state: "closed" })
  expect(await forge.read(number)).toMatchObject({ state: "closed" })
  expect((await gitea.repoListPullRequests(...AT)).data).toEqual([])
})

test("the client understands each refusal and each failure", async () => {
  await using world = await start()
  const { gitea, server } = world
  await expect(gitea.issueGetIssue(...AT, 9)).rejects.toMatchObject({
    status: 404,
    error: { message: "The target couldn't be found." },
  })
  const stranger = clientOf(server, "none").issueListLabels(...AT)
  await expect(stranger).rejects.toMatchObject({ status: 401 })
  server.fail({ how: { status: 503, body: { message: "Down." } }, times: 1 })
  await expect(gitea.issueListLabels(...AT)).rejects.toMatchObject({ status: 503 })
})
