/** Issues of Gitea and Forgejo as a source, against a look-alike that fails on request. */
import { expect, test } from "vitest"
import type { Failure } from "../../test/support/api-server.ts"
import { GiteaServer } from "../../test/support/gitea-server.ts"
import { type Bench, sourceContract } from "./contract.ts"
import { giteaSource } from "./gitea.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }

const CLAIM = { item: "1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
const DONE = { kind: "done", text: "Coppice has landed this." } as const

const sourceOf = (server: GiteaServer, token = "token-of-robot") =>
  giteaSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors: "members", readyAgain: true },
    { token: async () => token, nowMs: server.state.nowMs },
  )

/** A person has made the label that says "ready", and not the other one. */
async function start(): Promise<GiteaServer> {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await GiteaServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  server.state.labels.add("bug")
  server.state.labels.add(LABELS.ready)
  return server
}

const isReady = () => new Set([LABELS.ready])

async function createBench(): Promise<Bench> {
  const server = await start()
  const { issues } = server.state
  const change = (id: string, labels: Set<string>) => issues.change(issues.find(id)!, { labels })
  return {
    source: sourceOf(server),
    rival: sourceOf(server, "token-of-rival"),
    add: ({ title, text }) => String(issues.open({ title, body: text, labels: isReady() }).number),
    edit: (id, text) => issues.change(issues.find(id)!, { body: text }),
    withdraw: (id) => change(id, new Set()),
    offer: (id) => change(id, isReady()),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

sourceContract("gitea", createBench)

test("only issues of people who may write to the repository are taken, and no pull requests [39.8]", async () => {
  await using server = await start()
  const { issues } = server.state
  issues.open({ author: "robot", labels: isReady() })
  issues.open({ author: "mallory", labels: isReady() })
  issues.open({ author: "robot", labels: isReady(), isPull: true })
  const source = sourceOf(server)
  expect(await source.list(never)).toMatchObject({
    ready: ["1"],
    problems: [expect.stringContaining("mallory")],
  })
  expect((await source.claim({ ...CLAIM, item: "2" }, never)).kind).toBe("refused")
  expect((await source.claim({ ...CLAIM, item: "3" }, never)).kind).toBe("gone")
})

test("a server that does not know the label offers no issue", async () => {
  await using server = await GiteaServer.start()
  server.state.issues.open()
  expect((await sourceOf(server).list(never)).ready).toEqual([])
})

/** An issue that is ready, and the texts of its comments. */
function ready({ state: { issues } }: GiteaServer) {
  const issue = issues.open({ labels: isReady() })
  issue.labels.add("bug")
  return { issue, said: () => issue.comments.map(({ body }) => body) }
}

const REQUESTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]

test.each(
  REQUESTS.flatMap((n) => [
    [n, "drop"],
    [n, "lose"],
  ]) as [number, "drop" | "lose"][],
)("Gitea: request %i that fails (%s) neither loses nor doubles an item [39.7]", async (n, how) => {
  await using server = await start()
  const { issue, said } = ready(server)
  const source = sourceOf(server)
  let isClaimed = false
  const go = async () => {
    if (!isClaimed) expect((await source.claim(CLAIM, never)).kind).toBe("claimed")
    isClaimed = true
    expect(issue.labels).not.toContain(LABELS.ready)
    await source.end(CLAIM, DONE, never)
  }
  let served = 0
  server.fail({ how, times: 1, when: () => ++served === n })
  await go().catch(go)
  expect([...issue.labels]).toEqual(["bug"])
  expect(said()).toEqual([
    expect.stringContaining("coppice:claim"),
    expect.stringContaining(DONE.text),
  ])
})

test("a claim adds a label that a page of labels further on has, and makes no second one", async () => {
  await using server = await start()
  const { labels } = server.state
  server.limitMax = 2
  for (let n = 0; n < 5; n++) labels.add(`other ${n}`)
  labels.add(LABELS.inProgress)
  const before = labels.all().length
  const { issue } = ready(server)
  expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("claimed")
  expect([...issue.labels]).toEqual(["bug", LABELS.inProgress])
  expect(labels.all()).toHaveLength(before)
})

const refuse = (when: NonNullable<Failure["when"]>): Failure => ({
  how: { status: 403, body: { message: "token does not have the scope" } },
  when,
})

test("a token that may not read the organization's labels still shows a claim", async () => {
  await using server = await start()
  const { issue } = ready(server)
  server.fail(refuse(({ path }) => path.includes("/orgs/")))
  expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("claimed")
  expect(issue.labels).toContain(LABELS.inProgress)
})

test("a claim that cannot be shown is refused, and leaves no comment", async () => {
  await using server = await start()
  const { issue, said } = ready(server)
  server.fail(refuse(({ method, path }) => method === "POST" && path.includes("/labels")))
  const claimed = await sourceOf(server).claim(CLAIM, never)
  expect(claimed).toEqual({ kind: "refused", why: "token does not have the scope" })
  expect(said()).toEqual([])
  expect(issue.labels).toContain(LABELS.ready)
})

test("a token that may not read permissions is an error with a way out, and makes no author a stranger", async () => {
  await using server = await start()
  ready(server)
  const source = sourceOf(server)
  server.fail(refuse(({ path }) => path.includes("/collaborators/")))
  await expect(source.list(never)).rejects.toMatchObject({
    code: "source.refused",
    message: expect.stringMatching(/may not read who may write.*name the `authors`/),
  })
  server.heal()
  expect((await source.list(never)).ready, "the refusal is not kept").toEqual(["1"])
})
