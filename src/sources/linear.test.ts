/** Linear issues as a source, against a look-alike that fails on request. */
import { expect, test } from "vitest"
import type { Failure, Served } from "../../test/support/api-server.ts"
import { identifierOf, type LinearIssue } from "../../test/support/linear/issues.ts"
import { LinearServer } from "../../test/support/linear-server.ts"
import type { StatesConfig } from "../core/config.ts"
import { type Bench, sourceContract } from "./contract.ts"
import { linearSource } from "./linear.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }
const STATES: StatesConfig = { ready: ["Todo"], inProgress: "In Progress", done: "In Review" }
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
const DONE = { kind: "done", text: "Coppice has landed this." } as const

const DEFAULTS = {
  team: "ENG",
  slug: undefined,
  labels: LABELS,
  states: undefined,
  authors: "members",
  readyAgain: true,
} as const

type Options = Partial<Parameters<typeof linearSource>[0]> & { readonly token?: string }

const sourceOf = (server: LinearServer, { token = "token-of-robot", ...options }: Options = {}) =>
  linearSource(
    { ...DEFAULTS, apiUrl: server.url, ...options },
    { token: async () => token, nowMs: server.state.nowMs },
  )

async function start(): Promise<LinearServer> {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await LinearServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  return server
}

type Look = { readonly ready: Partial<LinearIssue>; readonly withdrawn: Partial<LinearIssue> }

const benchOf =
  (options: Options, { ready, withdrawn }: Look) =>
  async (): Promise<Bench> => {
    const server = await start()
    const { state } = server
    const change = (id: string, to: Partial<LinearIssue>) => state.change(state.find(id)!, to)
    return {
      source: sourceOf(server, options),
      rival: sourceOf(server, { ...options, token: "token-of-rival" }),
      add: ({ title, text }) => identifierOf(state.open({ title, description: text, ...ready })),
      edit: (id, text) => change(id, { description: text }),
      withdraw: (id) => change(id, withdrawn),
      offer: (id) => change(id, ready),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }

sourceContract(
  "linear, by labels",
  benchOf({}, { ready: { labels: [LABELS.ready] }, withdrawn: { labels: [] } }),
)
sourceContract(
  "linear, by states",
  benchOf({ states: STATES }, { ready: { state: "Todo" }, withdrawn: { state: "Canceled" } }),
)

const ready = ({ state }: LinearServer, issue = {}) =>
  state.open({ labels: [LABELS.ready, "bug"], ...issue })
const said = ({ comments }: LinearIssue) => comments.map(({ body }) => body)

test.each([
  ["labels", undefined, ["Todo", "bug,coppice: in progress"], ["Todo", "bug"]],
  ["states", STATES, ["In Progress", "bug,coppice"], ["In Review", "bug,coppice"]],
] as const)("Linear: %s show the claim and the end [39.6]", async (_, states, claimed, ended) => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, { states })
  const shown = () => [issue.state, issue.labels.toSorted().join()]
  await source.claim(CLAIM, never)
  expect(shown()).toEqual(claimed)
  await source.end(CLAIM, DONE, never)
  expect(shown()).toEqual(ended)
  expect(said(issue)).toEqual([
    expect.stringContaining("A Coppice fleet works on this."),
    expect.stringContaining(DONE.text),
  ])
})

test("Linear: only issues of the project, in any of the ready states", async () => {
  await using server = await start()
  const project = "0c79b11b75ea"
  ready(server, { project })
  ready(server, { project, state: "In Review" })
  ready(server, { project, state: "Done" })
  ready(server)
  const states: StatesConfig = { ...STATES, ready: ["Todo", "In Review"], done: undefined }
  const source = sourceOf(server, { slug: `app-${project}`, states })
  expect((await source.list(never)).ready).toEqual(["ENG-1", "ENG-2"])
  expect((await source.claim({ ...CLAIM, item: "ENG-4" }, never)).kind).toBe("gone")
  const claim = { ...CLAIM, item: "ENG-2" }
  await source.claim(claim, never)
  await source.end(claim, { kind: "released", text: "x" }, never)
  expect(server.state.find("ENG-2")?.state, "the first ready state").toBe("Todo")
})

test("Linear: 1,000 unchanged issues cost one request in each poll [39.5]", async () => {
  await using server = await start()
  for (let n = 0; n < 1000; n++) ready(server)
  const source = sourceOf(server)
  const poll = async () => {
    const before = server.served.length
    const { ready: listed, isWhole } = await source.list(never)
    return [listed.length, isWhole, server.served.length - before]
  }
  expect(await poll(), "the names, and ten pages").toEqual([1000, true, 11])
  expect(await poll()).toEqual([1000, true, 1])
  server.state.change(server.state.find("ENG-999")!, { labels: [] })
  expect(await poll(), "a page that has changed").toEqual([999, true, 10])
})

test("Linear: after the clock was set back, all pages are read again", async () => {
  await using server = await start()
  for (let n = 0; n < 101; n++) ready(server)
  let nowMs = Date.UTC(2026, 0, 2)
  const world = { token: async () => "token-of-robot", nowMs: () => nowMs }
  const source = linearSource({ ...DEFAULTS, apiUrl: server.url }, world)
  await source.list(never)
  const before = server.served.length
  await source.list(never)
  expect(server.served.length - before, "nothing has changed").toBe(1)
  nowMs -= 86_400_000
  await source.list(never)
  expect(server.served.length - before, "and the names, and both pages").toBe(4)
})

/** Each request of a claim and of an end, in order: as many as there are. */
const REQUESTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

test.each(
  REQUESTS.flatMap((n) => [
    [n, "drop"],
    [n, "lose"],
  ]) as [number, "drop" | "lose"][],
)("Linear: request %i that fails (%s) neither loses nor doubles an item [39.7]", async (n, how) => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server)
  let isClaimed = false
  const go = async () => {
    if (!isClaimed) expect((await source.claim(CLAIM, never)).kind).toBe("claimed")
    isClaimed = true
    await source.end(CLAIM, DONE, never)
  }
  let served = 0
  server.fail({ how, times: 1, when: () => ++served === n })
  await go().catch(go)
  expect(issue.labels).toEqual(["bug"])
  expect(said(issue)).toEqual([
    expect.stringContaining("coppice:claim"),
    expect.stringContaining(DONE.text),
  ])
})

test.each<[string, Options["authors"], readonly string[]]>([
  ["members", "members", ["robot"]],
  ["a list", ["guest@acme.example", "App"], ["guest", "app"]],
  ["anyone", "anyone", ["robot", "guest", "app", "left", "unknown"]],
])("Linear: only issues of allowed authors are taken: %s [39.8]", async (_, authors, allowed) => {
  await using server = await start()
  const { state } = server
  state.join("guest", { guest: true })
  state.join("app", { app: true })
  state.join("left", { active: false })
  for (const creator of ["robot", "guest", "app", "left", null]) ready(server, { creator })
  const source = sourceOf(server, { authors: authors! })
  const listed = await source.list(never)
  const wanted = state.issues.filter(({ creator }) => allowed.includes(creator ?? "unknown"))
  expect(listed.ready).toEqual(wanted.map(identifierOf))
  expect(listed.problems).toHaveLength(5 - wanted.length)
  for (const issue of state.issues) {
    const { kind } = await source.claim({ ...CLAIM, item: identifierOf(issue) }, never)
    expect(kind).toBe(wanted.includes(issue) ? "claimed" : "refused")
  }
})

const answer = (status: number, message: string, type: string, headers = {}): Failure => ({
  how: { status, headers, body: { errors: [{ message, extensions: { type } }] } },
})

test.each<[string, Failure, object]>([
  ["a 5xx", answer(503, "Down.", ""), { code: "source.unreachable", transient: true }],
  ["an inner error", answer(200, "Oops.", "internal error"), { code: "source.unreachable" }],
  ["a lock", answer(200, "Busy.", "lock timeout"), { code: "source.unreachable" }],
  ["a broken connection", { how: "drop" }, { code: "source.unreachable" }],
  ["a bad token", answer(401, "No.", "authentication error"), { code: "source.refused" }],
  ["a token that ended", answer(200, "No.", "authentication error"), { code: "source.refused" }],
  ["no rights", answer(200, "Not yours.", "forbidden"), { code: "source.refused" }],
  ["a query that costs too much", answer(400, "Too complex.", "user error"), { transient: false }],
  ["a page of HTML", { how: { status: 200, body: "<html>" } }, { code: "source.unreachable" }],
  ["another shape", { how: { status: 200, body: { data: {} } } }, { code: "source.unreachable" }],
])("C16: Linear: %s rests the whole source", async (_, failure, error) => {
  await using server = await start()
  server.fail(failure)
  const listing = sourceOf(server).list(never)
  await expect(listing).rejects.toMatchObject(error)
  await expect(listing).rejects.not.toThrow(/token-of/)
})

test("C16: Linear's limit ends when Linear says, and no request is sent before [39.9]", async () => {
  await using server = await start()
  const resetMs = Date.UTC(2026, 0, 1) + 600_000
  server.fail({
    how: {
      status: 400,
      headers: { "x-ratelimit-requests-reset": String(resetMs) },
      body: { errors: [{ message: "Slow.", extensions: { code: "RATELIMITED" } }] },
    },
  })
  const source = sourceOf(server)
  for (const _ of [1, 2])
    await expect(source.list(never)).rejects.toMatchObject({
      code: "source.limited",
      retryAtMs: resetMs,
    })
  expect(server.served).toHaveLength(1)
})

test.each<[string, Options, RegExp]>([
  ["team", { team: "NO" }, /NO in Linear cannot be read: there is no such/],
  ["label", { labels: { ready: "go", inProgress: "run" } }, /has no label "go"/],
  ["state", { states: { ...STATES, done: "Shipped" } }, /has no state "Shipped"/],
])("Linear: a %s that does not exist is named, and claims nothing", async (_, options, message) => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, options)
  await expect(source.list(never)).rejects.toThrow(message)
  expect(issue.comments).toEqual([])
})

test("Linear: an issue that was moved, archived, closed or never there is gone", async () => {
  await using server = await start()
  const changes = [{ team: "OPS" }, { isArchived: true }, { state: "Done" }]
  for (const change of changes) ready(server, change)
  const source = sourceOf(server)
  for (const item of ["ENG-1", "ENG-2", "ENG-3", "ENG-4", "OPS-1", "eng-1", "ENG-01", "1"])
    expect(await source.claim({ ...CLAIM, item }, never), item).toEqual({ kind: "gone" })
})

const isAsked = (name: string) => (served: Served) =>
  String(served.body["query"]).includes(` ${name}`)

test("Linear: a page that names no next one, and is not the last, hides no claim", async () => {
  await using server = await start()
  const issue = ready(server)
  const comments = { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } }
  server.fail({ when: isAsked("Comments"), how: { status: 200, body: { data: { comments } } } })
  await expect(sourceOf(server).claim(CLAIM, never)).rejects.toThrow("Linear cut off a list.")
  expect(issue.comments).toEqual([])
})

test("Linear: a change that is refused leaves no claim, and removes that of an end", async () => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server)
  const refused = answer(200, "Not yours.", "forbidden")
  server.fail({ ...refused, when: isAsked("Change") })
  expect(await source.claim(CLAIM, never)).toEqual({ kind: "refused", why: "Not yours." })
  expect(said(issue)).toEqual([])
  server.heal()
  await source.claim(CLAIM, never)
  server.fail({ ...refused, when: isAsked("AddComment") })
  expect((await source.end(CLAIM, DONE, never)).problem).toContain("Not yours.")
  expect(said(issue)).toEqual([])
})

test.each([null, "mallory"])(
  "Linear: the next daemon trusts no claim of its nonce under two authors: %s [39.7]",
  async (author) => {
    await using server = await start()
    const issue = ready(server)
    await sourceOf(server).claim(CLAIM, never)
    // A comment can be written with a time of the past.
    server.state.comment(issue, author, `\`coppice:claim ${CLAIM.nonce}\``).createdAtMs = 1
    expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("taken")
  },
)

test.each(["this daemon", "the next daemon"])(
  "Linear: an end ends a claim although comments of an app name no user: %s",
  async (who) => {
    await using server = await start()
    const issue = ready(server)
    const comment = server.state.comment.bind(server.state)
    server.state.comment = (on, _, body) => comment(on, null, body)
    const source = sourceOf(server)
    await source.claim(CLAIM, never)
    const now = who === "this daemon" ? source : sourceOf(server)
    await now.end(CLAIM, { kind: "released", text: "Given up." }, never)
    expect(said(issue)).toEqual([expect.stringContaining("Given up.")])
    const nonce = "1f0c9c52-0002-4000-8000-000000000000"
    const rival = sourceOf(server, { token: "token-of-rival" })
    expect((await rival.claim({ ...CLAIM, nonce }, never)).kind).toBe("claimed")
  },
)
