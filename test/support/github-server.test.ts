/** The double answers an unmodified Octokit as GitHub does. */
import { request } from "@octokit/request"
import { expect, test } from "vitest"
import { githubForge } from "../../src/features/pull-requests/forges/github.ts"
import { listRequests, pullReviewState } from "../../src/features/pull-requests/rules.ts"
import { startForge } from "./forge-world.ts"
import { GitHubServer } from "./github-server.ts"

const REPO = { owner: "acme", repo: "app" }
const authorization = "token token-of-robot"

test("issues and comments are listed, added and removed", async () => {
  await using server = await GitHubServer.start()
  const api = request.defaults({ baseUrl: server.url, headers: { authorization } })
  const { number } = server.state.issues.open({ author: "stranger", labels: ["ready"] })
  const issue = { ...REPO, issue_number: number }
  const listed = await api("GET /repos/{owner}/{repo}/issues", { ...REPO, labels: "ready" })
  expect(listed.data).toMatchObject([{ number, author_association: "NONE", state: "open" }])

  const made = await api("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
    ...issue,
    body: "Mine.",
  })
  expect(made.data).toMatchObject({ user: { login: "robot" }, author_association: "MEMBER" })
  await api("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", {
    ...REPO,
    comment_id: made.data.id,
  })
  expect(server.state.issues.find(number)?.comments).toEqual([])
})

test("a list has pages, and an unchanged one is not sent again", async () => {
  await using server = await GitHubServer.start()
  for (let n = 0; n < 5; n++) server.state.issues.open()
  const api = request.defaults({ baseUrl: server.url, headers: { authorization } })
  const first = await api("GET /repos/{owner}/{repo}/issues", { ...REPO, per_page: 3 })
  expect(first.data).toHaveLength(3)
  expect(first.headers.link).toContain('page=2>; rel="next"')
  const again = api("GET /repos/{owner}/{repo}/issues", {
    ...REPO,
    per_page: 3,
    headers: { "if-none-match": first.headers.etag ?? "" },
  })
  await expect(again).rejects.toMatchObject({ status: 304 })
})

test.each([
  ["an answer", { status: 503, body: { message: "Down." } }, 0],
  ["a connection that breaks before the effect", "drop", 0],
  ["an answer that is lost after the effect", "lose", 1],
] as const)("a failure can be switched on: %s", async (_, how, comments) => {
  await using server = await GitHubServer.start()
  const issue = server.state.issues.open()
  server.fail({ how, times: 1 })
  const comment = () =>
    request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
      ...REPO,
      baseUrl: server.url,
      headers: { authorization },
      issue_number: issue.number,
      body: "Hello.",
    })
  await expect(comment()).rejects.toThrow()
  expect(issue.comments).toHaveLength(comments)
  await comment()
  expect(issue.comments).toHaveLength(comments + 1)
})

/** Octokit acts as ada, and Coppice as robot. */
async function startPulls() {
  const world = await startForge(GitHubServer)
  const { server } = world
  server.tokens.set("token-of-ada", "ada")
  const headers = { authorization: "token token-of-ada" }
  const at = { api: server.url, project: "acme/app", nowMs: Date.now }
  return {
    ...world,
    api: request.defaults({ baseUrl: server.url, headers, ...REPO }),
    forge: githubForge({ ...at, token: async () => "token-of-robot" }),
  }
}

const PULL = { branch: "work", target: "main", title: "Work", body: "It works.", isDraft: false }
const REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"

test("Octokit checks, reviews and merges the pull request that Coppice opened", async () => {
  await using world = await startPulls()
  const { api, forge, head, pulls, push } = world
  const { number: pull_number } = await forge.open(PULL)
  const one = { ...REPO, pull_number }
  const seen = await api("GET /repos/{owner}/{repo}/pulls/{pull_number}", one)
  expect(seen.data).toMatchObject({ title: "Work", state: "open", head: { sha: head } })

  const run = { name: "ci", head_sha: head, status: "completed", conclusion: "failure" } as const
  await api("POST /repos/{owner}/{repo}/check-runs", { ...REPO, ...run })
  for (const state of ["pending", "success"] as const) {
    const status = { ...REPO, sha: head, state, context: "old" }
    await api("POST /repos/{owner}/{repo}/statuses/{sha}", status)
  }
  const states = (await forge.listChecks(head)).map(({ name, state }) => [name, state])
  expect(states).toEqual([
    ["ci", "failed"],
    ["old", "passed"],
  ])
  const combined = await api("GET /repos/{owner}/{repo}/commits/{ref}/status", {
    ...REPO,
    ref: head,
  })
  expect(combined.data).toMatchObject({ state: "success", total_count: 1 })

  const comments = [{ path: "work.txt", line: 1, body: "Say please." }]
  await api(REVIEWS, { ...one, event: "REQUEST_CHANGES", body: "Not yet.", comments })
  const reviews = await forge.listPullReviews(pull_number)
  const [asked] = listRequests(reviews, [])
  expect([pullReviewState(reviews, head), asked?.text]).toEqual(["changes_requested", "Not yet."])
  const lines = await forge.listComments(pull_number, asked?.id ?? 0)
  expect(lines).toEqual([{ path: "work.txt", line: 1, text: "Say please." }])
  await api(REVIEWS, { ...one, event: "APPROVE" })
  expect(pullReviewState(await forge.listPullReviews(pull_number), head)).toBe("approved")

  const next = push("more\n")
  const merge = (sha: string) =>
    api("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", {
      ...one,
      sha,
      merge_method: "squash",
    })
  await expect(merge(head)).rejects.toMatchObject({ status: 409 })
  expect((await merge(next)).data).toMatchObject({ merged: true, sha: pulls.tip("main") })
  expect(await forge.read(pull_number)).toMatchObject({ state: "merged" })
})

test("Coppice finds the pull request that Octokit opened, and follows it", async () => {
  await using world = await startPulls()
  const { api, branch, forge } = world
  const opening = { ...REPO, head: "work", base: "main", title: "Work", draft: true }
  const { data } = await api("POST /repos/{owner}/{repo}/pulls", opening)
  const one = { ...REPO, pull_number: data.number }
  expect(data).toMatchObject({ draft: true, body: "", merged: false, head: { ref: "work" } })
  expect(await forge.open(PULL), "no second one").toMatchObject({ number: data.number })
  branch("next")
  const change = { ...one, title: "More work", base: "next" }
  await api("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", change)
  expect(await forge.read(data.number)).toMatchObject({ target: "next", state: "open" })
  const closed = await api("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
    ...one,
    state: "closed",
  })
  expect(closed.data).toMatchObject({ title: "More work", state: "closed" })
  expect(await forge.read(data.number)).toMatchObject({ target: "next", state: "closed" })
})
