/** GitLab issues as a source, against a look-alike that fails on request. */
import { expect, test } from "vitest"
import { GitLabServer } from "../../test/support/gitlab-server.ts"
import { type Bench, sourceContract } from "./contract.ts"
import { gitlabSource } from "./gitlab.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }

const sourceOf = (server: GitLabServer, token = "token-of-robot") =>
  gitlabSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors: "members", readyAgain: true },
    { token: async () => token, nowMs: server.state.nowMs },
  )

async function start(): Promise<GitLabServer> {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await GitLabServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  return server
}

async function createBench(): Promise<Bench> {
  const server = await start()
  const { issues } = server.state
  const change = (id: string, labels: string[]) => issues.change(issues.find(id)!, { labels })
  return {
    source: sourceOf(server),
    rival: sourceOf(server, "token-of-rival"),
    add: ({ title, text }) =>
      String(issues.open({ title, description: text, labels: [LABELS.ready] }).iid),
    edit: (id, text) => issues.change(issues.find(id)!, { description: text }),
    withdraw: (id) => change(id, []),
    offer: (id) => change(id, [LABELS.ready]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

sourceContract("gitlab", createBench)

test("only issues of the project's members are taken", async () => {
  await using server = await start()
  const { issues } = server.state
  issues.open({ author: "robot", labels: [LABELS.ready] })
  issues.open({ author: "mallory", labels: [LABELS.ready] })
  const source = sourceOf(server)
  expect(await source.list(never)).toMatchObject({
    ready: ["1"],
    problems: [expect.stringContaining("mallory")],
  })
  const claim = { item: "2", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
  expect((await source.claim(claim, never)).kind).toBe("refused")
})
