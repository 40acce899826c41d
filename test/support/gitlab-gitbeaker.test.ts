/** A client of other authors judges the double of GitLab: it and Coppice see the same. */
import { GitbeakerRequestError, Gitlab } from "@gitbeaker/rest"
import { expect, test } from "vitest"
import { gitlabForge } from "../../src/features/pull-requests/forges/gitlab.ts"
import { pullReviewState } from "../../src/features/pull-requests/rules.ts"
import { gitlabSource } from "../../src/features/sources/trackers/gitlab.ts"
import { startForge } from "./forge-world.ts"
import { GitLabServer } from "./gitlab-server.ts"
import { LABELS } from "./tracker-bench.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"
const PROJECT = "acme/tools/demo"
const PULL = { branch: "work", target: "main", title: "Work", body: "It works.", isDraft: false }

/** The client acts as ada, who is a developer of the project. */
async function start() {
  const world = await startForge(GitLabServer)
  const { server } = world
  server.tokens.set("token-of-ada", "ada")
  const parts = { nowMs: Date.now, token: async () => "token-of-robot" }
  const settings = { apiUrl: server.url, repo: PROJECT, labels: LABELS }
  return {
    ...world,
    gitlab: clientOf(server, "token-of-ada"),
    forge: gitlabForge({ ...parts, api: server.url, project: PROJECT }),
    source: gitlabSource({ ...settings, authors: "members", readyAgain: true }, parts),
  }
}

const clientOf = (server: GitLabServer, token: string) =>
  new Gitlab({ host: new URL(server.url).origin, token })

test("the client offers issues, and sees how Coppice claims one [39.6]", async () => {
  await using world = await start()
  const { gitlab, server, source } = world
  for (let n = 0; n < 5; n++) server.state.issues.open({ author: n === 1 ? "mallory" : "ada" })
  const listed = await gitlab.Issues.all({ projectId: PROJECT, state: "opened", perPage: 2 })
  expect(listed.map(({ iid }) => iid).toSorted()).toEqual([1, 2, 3, 4, 5])
  for (const iid of [1, 2])
    await gitlab.Issues.edit(PROJECT, iid, { addLabels: `${LABELS.ready},bug` })
  const mine = await gitlab.IssueNotes.create(PROJECT, 1, "Mine.")
  expect(mine).toMatchObject({ author: { username: "ada" }, noteable_iid: 1, system: false })

  expect((await source.list(never)).ready).toEqual(["1"])
  expect(await source.claim({ item: "1", nonce: NONCE }, never)).toMatchObject({ kind: "claimed" })
  const issue = await gitlab.Issues.show(1, { projectId: PROJECT })
  expect(issue.labels).toEqual(["bug", LABELS.inProgress])
  const notes = await gitlab.IssueNotes.all(PROJECT, 1, { sort: "asc" })
  expect(notes.filter(({ system }) => !system).map(({ body }) => body)).toEqual([
    "Mine.",
    expect.stringContaining(NONCE),
  ])
  await gitlab.IssueNotes.remove(PROJECT, 1, mine.id)
  expect(server.state.issues.find(1)?.notes.map(({ body }) => body)).not.toContain("Mine.")
  const member = await gitlab.ProjectMembers.show(PROJECT, issue.author.id, {
    includeInherited: true,
  })
  expect(member).toMatchObject({ username: "ada", access_level: 30 })
  await gitlab.Issues.edit(PROJECT, 3, { labels: LABELS.ready })
  expect((await source.list(never)).ready).toEqual(["3"])
  await gitlab.Issues.edit(PROJECT, 3, { stateEvent: "close" })
  expect((await source.list(never)).ready).toEqual([])
})

test("the client reviews and merges the merge request that Coppice opened", async () => {
  await using world = await start()
  const { forge, gitlab, head, pulls, push } = world
  const { number } = await forge.open(PULL)
  await forge.decorate(number, { labels: ["a"], reviewers: ["ada"] })
  const seen = await gitlab.MergeRequests.show(PROJECT, number)
  expect(seen).toMatchObject({
    ...{ iid: number, title: "Work", description: "It works.", state: "opened", draft: false },
    ...{ source_branch: "work", target_branch: "main", sha: head, labels: ["a"] },
    reviewers: [{ username: "ada" }],
  })

  for (const state of ["pending", "success"] as const)
    await gitlab.Commits.editStatus(PROJECT, head, state, { name: "ci" })
  expect(await gitlab.Commits.allStatuses(PROJECT, head)).toMatchObject([{ status: "success" }])
  expect(await forge.listChecks(head)).toMatchObject([{ name: "ci", state: "passed" }])

  const review = async () => pullReviewState(await forge.listPullReviews(number), head)
  await gitlab.MergeRequestNotes.create(PROJECT, number, "Looks good.")
  await gitlab.MergeRequestApprovals.approve(PROJECT, number, { sha: head })
  expect(await review()).toBe("approved")
  const { approved_by: by } = await gitlab.MergeRequestApprovals.showConfiguration(PROJECT, {
    mergerequestIId: number,
  })
  expect(by).toMatchObject([{ user: { username: "ada" } }])
  await gitlab.MergeRequestApprovals.unapprove(PROJECT, number)
  expect(await review()).toBe("waiting")

  const next = push("more\n")
  const versions = await gitlab.MergeRequests.allDiffVersions(PROJECT, number)
  expect(versions.map((one) => one.head_commit_sha)).toEqual([next, head])
  const merge = (sha: string) => gitlab.MergeRequests.merge(PROJECT, number, { sha, squash: true })
  await expect(merge(head)).rejects.toThrow("SHA does not match HEAD")
  expect(await merge(next)).toMatchObject({ state: "merged", squash_commit_sha: pulls.tip("main") })
  expect(await forge.read(number)).toMatchObject({ state: "merged", merge: pulls.tip("main") })
})

test("Coppice finds the merge request that the client opened, and follows it", async () => {
  await using world = await start()
  const { branch, forge, gitlab } = world
  const reviewerIds = [(await gitlab.Users.all({ username: "ada" }))[0]?.id ?? 0]
  const opened = await gitlab.MergeRequests.create(PROJECT, "work", "main", "Draft: Work", {
    description: "Mine.",
    labels: ["a", "b"],
    reviewerIds,
  })
  expect(opened).toMatchObject({ labels: ["a", "b"], reviewers: [{ username: "ada" }] })
  expect(await forge.findOpen(PULL)).toMatchObject({ number: opened.iid, state: "open" })
  expect(await forge.open(PULL), "no second one").toMatchObject({ number: opened.iid })
  branch("next")
  await gitlab.MergeRequests.edit(PROJECT, opened.iid, { title: "Work", targetBranch: "next" })
  expect(await forge.read(opened.iid)).toMatchObject({ target: "next" })
  const [listed] = await gitlab.MergeRequests.all({ projectId: PROJECT, state: "opened" })
  expect(listed).toMatchObject({ title: "Work", draft: false })
  await gitlab.MergeRequests.edit(PROJECT, opened.iid, { stateEvent: "close" })
  expect(await forge.read(opened.iid)).toMatchObject({ state: "closed" })
})

test("the client understands each refusal and each failure", async () => {
  await using world = await start()
  const { gitlab, server } = world
  const missing = gitlab.Issues.show(9, { projectId: PROJECT })
  await expect(missing).rejects.toBeInstanceOf(GitbeakerRequestError)
  await expect(missing).rejects.toThrow("404 Not found")
  const stranger = clientOf(server, "none").Users.all({ username: "ada" })
  await expect(stranger).rejects.toThrow("401 Unauthorized")
  server.fail({ how: { status: 503, body: { message: "Down." } }, times: 1 })
  await expect(gitlab.Users.all({ username: "ada" })).rejects.toThrow("Down.")
  server.fail({ how: { status: 429, headers: { "retry-after": "1" }, body: {} }, times: 1 })
  expect(await gitlab.Users.all({ username: "ada" }), "it asks again").toHaveLength(1)
})
