/** Jira issues as a source, against a look-alike that fails on request. */
import { expect, test } from "vitest"
import type { Failure, Served } from "../../test/support/api-server.ts"
import { docOf, type JiraIssue } from "../../test/support/jira/issues.ts"
import { JiraServer } from "../../test/support/jira-server.ts"
import type { StatesConfig } from "../core/config.ts"
import { type Bench, sourceContract } from "./contract.ts"
import { textOf } from "./jira/document.ts"
import { jiraSource } from "./jira.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice-in-progress" }
const STATES: StatesConfig = { ready: ["To Do"], inProgress: "In Progress", done: "In Review" }
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
const DONE = { kind: "done", text: "Coppice has landed this." } as const

const DEFAULTS = {
  project: "ENG",
  labels: LABELS,
  states: undefined,
  authors: "members",
  readyAgain: true,
} as const

type Options = Partial<Parameters<typeof jiraSource>[0]> & { readonly token?: string }

const sourceOf = (server: JiraServer, { token = "token-of-robot", ...options }: Options = {}) =>
  jiraSource(
    { ...DEFAULTS, apiUrl: server.url, ...options },
    { token: async () => token, email: "bot@acme.example", nowMs: server.state.nowMs },
  )

async function start(): Promise<JiraServer> {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await JiraServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  return server
}

type Look = { readonly ready: Partial<JiraIssue>; readonly withdrawn: Partial<JiraIssue> }

const benchOf =
  (options: Options, { ready, withdrawn }: Look) =>
  async (): Promise<Bench> => {
    const server = await start()
    const { state } = server
    const change = (id: string, to: Partial<JiraIssue>) => state.change(state.find(id)!, to)
    return {
      source: sourceOf(server, options),
      rival: sourceOf(server, { ...options, token: "token-of-rival" }),
      add: ({ title, text }) =>
        state.open({ summary: title, description: docOf(text), ...ready }).key,
      edit: (id, text) => change(id, { description: docOf(text) }),
      withdraw: (id) => change(id, withdrawn),
      offer: (id) => change(id, ready),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }

sourceContract(
  "jira, by labels",
  benchOf({}, { ready: { labels: [LABELS.ready] }, withdrawn: { labels: [] } }),
)
sourceContract(
  "jira, by states",
  benchOf({ states: STATES }, { ready: { status: "To Do" }, withdrawn: { status: "Done" } }),
)

const ready = ({ state }: JiraServer, issue = {}) =>
  state.open({ labels: [LABELS.ready, "bug"], ...issue })
const said = ({ comments }: JiraIssue) => comments.map(({ body }) => textOf(body))

test.each([
  ["labels", undefined, ["To Do", "bug,coppice-in-progress"], ["To Do", "bug"]],
  ["statuses", STATES, ["In Progress", "bug,coppice"], ["In Review", "bug,coppice"]],
] as const)("Jira: %s show the claim and the end [39.6]", async (_, states, claimed, ended) => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, { states })
  const shown = () => [issue.status, issue.labels.toSorted().join()]
  await source.claim(CLAIM, never)
  expect(shown()).toEqual(claimed)
  await source.end(CLAIM, DONE, never)
  expect(shown()).toEqual(ended)
  expect(said(issue)).toEqual([
    expect.stringContaining("A Coppice fleet works on this."),
    expect.stringContaining(DONE.text),
  ])
})

test("Jira: 1,000 unchanged issues cost one request in each poll [39.5]", async () => {
  await using server = await start()
  for (let n = 0; n < 1000; n++) ready(server)
  const source = sourceOf(server, { authors: "anyone" })
  expect(await source.list(never)).toMatchObject({ isWhole: true, ready: { length: 1000 } })
  const before = server.served.length
  expect((await source.list(never)).ready).toHaveLength(1000)
  expect(server.served.length - before).toBe(1)
})

const isNextPage = ({ path }: Served) => path.includes("nextPageToken")
const isMemberCheck = ({ path }: Served) => path.includes("/assignable/")

test.each([
  ["the second page", isNextPage, "drop", 151],
  ["the check of an author", isMemberCheck, { status: 502 }, 151],
] as const)(
  "Jira: a list that fails at %s is no list for the next poll",
  async (_, when, how, n) => {
    await using server = await start()
    server.state.join("carol")
    for (let made = 1; made < n; made++) ready(server)
    const source = sourceOf(server)
    expect((await source.list(never)).ready).toHaveLength(n - 1)
    ready(server, { creator: "carol" })
    server.fail({ when, times: 2, how })
    for (const _again of [1, 2])
      await expect(source.list(never)).rejects.toMatchObject({ code: "source.unreachable" })
    expect((await source.list(never)).ready).toHaveLength(n)
  },
)

test("Jira: an empty page before the end hides no claim, and no comment is written", async () => {
  await using server = await start()
  const issue = ready(server)
  const cut = { comments: [], startAt: 0, total: 1 }
  const isList = ({ method, path }: Served) => method === "GET" && path.includes("/comment")
  server.fail({ when: isList, how: { status: 200, body: cut } })
  await expect(sourceOf(server).claim(CLAIM, never)).rejects.toThrow("Jira cut off the list")
  expect(issue.comments).toEqual([])
})

test("Jira: a claim is seen among more comments than a page has", async () => {
  await using server = await start()
  const issue = ready(server)
  for (let n = 0; n < 250; n++) server.state.comment(issue, "mallory", docOf("Me too."))
  expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("claimed")
  const rival = sourceOf(server, { token: "token-of-rival" })
  const nonce = "1f0c9c52-0002-4000-8000-000000000000"
  expect((await rival.claim({ ...CLAIM, nonce }, never)).kind).toBe("taken")
})

/** Each request of a claim and of an end, in order: as many as there are. */
const REQUESTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

test.each(
  [undefined, STATES].flatMap((states) =>
    REQUESTS.flatMap((n) => [
      [n, "drop", states],
      [n, "lose", states],
    ]),
  ) as [number, "drop" | "lose", StatesConfig | undefined][],
)("Jira: request %i that fails (%s) neither loses nor doubles an item [39.7]", async (...given) => {
  const [n, how, states] = given
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, { states })
  let isClaimed = false
  const go = async () => {
    if (!isClaimed) expect((await source.claim(CLAIM, never)).kind).toBe("claimed")
    isClaimed = true
    await source.end(CLAIM, DONE, never)
  }
  let served = 0
  server.fail({ how, times: 1, when: () => ++served === n })
  await go().catch(go)
  expect(states ? issue.status : issue.labels).toEqual(states ? "In Review" : ["bug"])
  expect(said(issue)).toEqual([
    expect.stringContaining("coppice:claim"),
    expect.stringContaining(DONE.text),
  ])
})

test.each<[string, Options["authors"], readonly string[]]>([
  ["members", "members", ["robot"]],
  ["a list", ["712020:guest", "app@acme.example", "left"], ["guest", "app"]],
  ["anyone", "anyone", ["robot", "guest", "app", "left", "unknown"]],
])("Jira: only issues of allowed authors are taken: %s [39.8]", async (_, authors, allowed) => {
  await using server = await start()
  const { state } = server
  // The name that is shown is the user's own choice.
  state.join("guest", { isAssignable: false, displayName: "robot" })
  state.join("app", { accountType: "app", emailAddress: "app@acme.example" })
  state.join("left", { active: false })
  for (const creator of ["robot", "guest", "app", "left", null]) ready(server, { creator })
  const source = sourceOf(server, { authors: authors! })
  const listed = await source.list(never)
  const wanted = state.issues.filter(({ creator }) => allowed.includes(creator ?? "unknown"))
  expect(listed.ready).toEqual(wanted.map(({ key }) => key))
  expect(listed.problems).toHaveLength(5 - wanted.length)
})

const answer = (status: number, message: string, headers = {}): Failure => ({
  how: { status, headers, body: { errorMessages: [message] } },
})

test.each<[string, Failure, object]>([
  ["a 5xx", answer(503, "Down.", { "retry-after": "5" }), { code: "source.unreachable" }],
  ["a broken connection", { how: "drop" }, { code: "source.unreachable" }],
  ["a bad token", answer(401, "No."), { code: "source.refused", transient: false }],
  ["no rights", answer(403, "Not yours."), { code: "source.refused" }],
  ["no such site", answer(404, "No."), { code: "source.refused" }],
  ["a page of HTML", { how: { status: 200, body: "<html>" } }, { code: "source.unreachable" }],
  ["another shape", { how: { status: 200, body: { issues: [{}] } } }, { transient: true }],
  ["a redirect", { how: { status: 302, headers: { location: "/x" } } }, { code: "source.refused" }],
])("C16: Jira: %s rests the whole source", async (_, failure, error) => {
  await using server = await start()
  server.fail(failure)
  const listing = sourceOf(server).list(never)
  await expect(listing).rejects.toMatchObject(error)
  await expect(listing).rejects.not.toThrow(/token-of/)
})

test.each<[string, object, number]>([
  ["Retry-After", { "retry-after": "90" }, 90_000],
  ["its reset", { "x-ratelimit-reset": "2026-01-01T00:05Z" }, 0],
])("C16: Jira's limit ends when Jira says: %s [39.9]", async (_, headers, inMs) => {
  await using server = await start()
  server.fail(answer(429, "Slow.", headers))
  const source = sourceOf(server)
  const beforeMs = server.state.nowMs()
  const error = await source.list(never).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: "source.limited", transient: true })
  const { retryAtMs } = error as { readonly retryAtMs: number }
  if (inMs === 0) expect(retryAtMs).toBe(Date.UTC(2026, 0, 1, 0, 5))
  else expect(Math.abs(retryAtMs - beforeMs - inMs)).toBeLessThan(10_000)
  await expect(source.list(never)).rejects.toMatchObject({ code: "source.limited" })
  expect(server.served).toHaveLength(1)
})

test.each<[string, Options, RegExp]>([
  ["project", { project: "NO" }, /NO in Jira cannot be read: The value 'NO' does not exist/],
  [
    "status",
    { states: { ...STATES, ready: ["To Do", "Ready"] } },
    /The value 'Ready' does not exist/,
  ],
])("Jira: a %s that does not exist is named", async (_, options, message) => {
  await using server = await start()
  await expect(sourceOf(server, options).list(never)).rejects.toThrow(message)
})

test("Jira: a project that hides the labels of its issues is read by their states", async () => {
  await using server = await start()
  const status = { name: "To Do", statusCategory: { key: "new" } }
  const creator = { accountId: "robot", active: true, accountType: "atlassian" }
  const issues = [{ key: "ENG-1", fields: { summary: "One", status, creator } }]
  const when = ({ path }: Served) => path.includes("/search/jql")
  server.fail({ when, how: { status: 200, body: { issues } } })
  const source = sourceOf(server, { states: STATES, authors: "anyone" })
  expect((await source.list(never)).ready).toEqual(["ENG-1"])
})

test("Jira: an issue that was moved, closed or never there is gone", async () => {
  await using server = await start()
  ready(server, { status: "Done" })
  const source = sourceOf(server)
  for (const item of ["ENG-1", "ENG-4", "OPS-1", "eng-1", "ENG-01", "1"])
    expect(await source.claim({ ...CLAIM, item }, never), item).toEqual({ kind: "gone" })
  const moved = ready(server)
  const find = server.state.find.bind(server.state)
  server.state.find = (key) => (key === "ENG-2" ? moved : find(key))
  moved.key = "OPS-9"
  expect(await source.claim({ ...CLAIM, item: "ENG-2" }, never)).toEqual({ kind: "gone" })
})

test("Jira: a status that the workflow does not lead to refuses the claim, and leaves none", async () => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, { states: { ...STATES, inProgress: "Done" } })
  expect(await source.claim(CLAIM, never)).toEqual({
    kind: "refused",
    why: 'No transition leads ENG-1 to "Done" now.',
  })
  expect([issue.status, issue.comments]).toEqual(["To Do", []])
})

test("Jira: a token that may not read users is an error, and makes no author a stranger", async () => {
  await using server = await start()
  ready(server)
  server.fail({ ...answer(403, "No."), when: ({ path }) => path.includes("/assignable/") })
  await expect(sourceOf(server).list(never)).rejects.toThrow("The token may not read the users")
})
