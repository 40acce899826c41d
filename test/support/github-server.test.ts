/** The look-alike answers an unmodified Octokit as GitHub does. */
import { request } from "@octokit/request"
import { expect, test } from "vitest"
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
