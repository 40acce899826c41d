/** Linear's own SDK, a second client, judges the double of Linear: it and Coppice see the same. */
import {
  AuthenticationLinearError,
  InvalidInputLinearError,
  LinearClient,
  LinearErrorType,
  RatelimitedLinearError,
} from "@linear/sdk"
import { expect, test } from "vitest"
import { linearSource } from "../../src/features/sources/trackers/linear.ts"
import { LinearServer } from "./linear-server.ts"
import { LABELS } from "./tracker-bench.ts"

const never = new AbortController().signal
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }

async function start() {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await LinearServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-ada", "ada")
  server.state.join("ada")
  const settings = { team: "ENG", slug: undefined, labels: LABELS, states: undefined }
  return {
    server,
    state: server.state,
    client: clientOf(server, "token-of-ada"),
    source: linearSource(
      { ...settings, apiUrl: server.url, authors: "members", readyAgain: true },
      { token: async () => "token-of-robot", nowMs: server.state.nowMs },
    ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const clientOf = (server: LinearServer, apiKey: string) =>
  new LinearClient({ apiKey, apiUrl: `${server.url}/graphql` })

test("the SDK offers an issue, and sees how Coppice claims it [39.6]", async () => {
  await using world = await start()
  const { client, source, state } = world
  state.open({ title: "Fix it", description: "Please.", labels: ["bug"] })
  const { nodes: teams } = await client.teams({ filter: { key: { eq: "ENG" } } })
  expect(teams.map(({ key, name }) => [key, name])).toEqual([["ENG", "Engineering"]])
  const { nodes: labels } = await client.issueLabels({ filter: { name: { eq: LABELS.ready } } })
  await client.issueAddLabel("ENG-1", labels[0]!.id)
  const written = await client.createComment({ issueId: "ENG-1", body: "Mine." })
  expect(await (await written.comment)?.user).toMatchObject({ displayName: "ada", active: true })

  expect(await source.list(never)).toMatchObject({ ready: ["ENG-1"], problems: [] })
  expect(await source.claim(CLAIM, never)).toMatchObject({ kind: "claimed" })
  const issue = await client.issue("ENG-1")
  expect(issue).toMatchObject({ identifier: "ENG-1", title: "Fix it", description: "Please." })
  expect(issue.createdAt).toBeInstanceOf(Date)
  expect((await issue.creator)?.email).toBe("robot@acme.example")
  const shown = await issue.labels({ first: 10 })
  expect(shown.nodes.map(({ name }) => name).toSorted()).toEqual(["bug", LABELS.inProgress])
  const said = await issue.comments()
  expect(said.nodes.map(({ body }) => body)).toEqual([
    expect.stringContaining(CLAIM.nonce),
    "Mine.",
  ])

  await client.deleteComment(said.nodes[1]!.id)
  expect(state.find("ENG-1")?.comments).toHaveLength(1)
  await source.end(CLAIM, { kind: "done", text: "Done." }, never)
  expect((await issue.comments()).nodes[0]?.body).toMatch(/^Done\./)
})

test("the SDK moves an issue to another state, and Coppice takes no issue that has ended", async () => {
  await using world = await start()
  const { client, source, state } = world
  state.open({ labels: [LABELS.ready] })
  const team = await client.team("ENG")
  const { nodes: states } = await team.states({ filter: { type: { eq: "completed" } } })
  const issue = await client.issue("ENG-1")
  expect(await issue.state).toMatchObject({ name: "Todo", type: "unstarted" })
  const changed = await issue.update({ stateId: states[0]!.id })
  expect(changed.success).toBe(true)
  expect(await (await changed.issue)?.state).toMatchObject({ name: "Done" })
  expect((await source.list(never)).ready).toEqual([])
  expect(await source.claim(CLAIM, never)).toEqual({ kind: "gone" })
})

test("the SDK reads every page, the last change first", async () => {
  await using world = await start()
  const { client, state } = world
  for (let n = 0; n < 5; n++) state.open({ state: n === 2 ? "Done" : "Todo" })
  const filter = { team: { key: { eq: "ENG" } }, state: { type: { nin: ["completed"] } } }
  const page = await client.issues({ filter, first: 3 })
  expect(page.nodes.map(({ number }) => number)).toEqual([5, 4, 2])
  expect(page.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  const { nodes } = await page.fetchNext()
  expect(nodes.map(({ number }) => number)).toEqual([5, 4, 2, 1])
  const all = await client.paginate(client.issues, { first: 2 })
  expect(all).toHaveLength(5)
  expect((await client.viewer).isMe).toBe(true)
})

test("the SDK understands each refusal and each failure", async () => {
  await using world = await start()
  const { client, server, state } = world
  state.open()
  const wrong = client.issue("ENG-9")
  await expect(wrong).rejects.toBeInstanceOf(InvalidInputLinearError)
  await expect(wrong).rejects.toThrow("Entity not found: Issue")
  const stranger = clientOf(server, "token-of-mallory")
  await expect(stranger.viewer).rejects.toBeInstanceOf(AuthenticationLinearError)
  const query = "{ issues(filter: { colour: { eq: 1 } }) { nodes { id } } }"
  await expect(client.client.rawRequest(query)).rejects.toMatchObject({
    type: LinearErrorType.GraphqlError,
    status: 400,
  })
  await expect(client.issueLabels({ first: 250 })).resolves.toBeDefined()
  await expect(client.issueLabels({ first: 251 })).rejects.toThrow(
    "first must not be greater than 250",
  )

  const extensions = { type: "ratelimited", code: "RATELIMITED" }
  const headers = { "x-ratelimit-requests-reset": "1767225600000" }
  const body = { errors: [{ message: "Slow.", extensions }] }
  server.fail({ how: { status: 400, headers, body }, times: 1 })
  const limited = client.viewer
  await expect(limited).rejects.toBeInstanceOf(RatelimitedLinearError)
  await expect(limited).rejects.toMatchObject({ requestsResetAt: 1_767_225_600_000 })
  server.fail({ how: { status: 503, body: {} }, times: 1 })
  await expect(client.viewer).rejects.toMatchObject({ type: LinearErrorType.NetworkError })
  const lost = client.createComment({ issueId: "ENG-1", body: "Hello." })
  server.fail({ how: "lose", times: 1 })
  await expect(lost).rejects.toThrow()
  expect(state.find("ENG-1")?.comments).toHaveLength(1)
})

test("a query whose lists are too long costs too much", async () => {
  await using world = await start()
  const { client } = world
  const inner = "comments(first: 250) { nodes { id body } }"
  const query = `{ issues(first: 250) { nodes { id ${inner} } } }`
  await expect(client.client.rawRequest(query)).rejects.toThrow("Query too complex")
})
