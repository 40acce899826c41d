/** Linear issues as a source, against a double that fails on request. */
import { expect, test } from "vitest"
import type { Failure, Served } from "../../../../test/support/api-server.ts"
import { identifierOf, type LinearIssue } from "../../../../test/support/linear/issues.ts"
import { LinearServer } from "../../../../test/support/linear-server.ts"
import {
  LABELS,
  type SourceOptions,
  START_MS,
  startTracker,
  type TrackerBench,
} from "../../../../test/support/tracker-bench.ts"
import type { StatesConfig } from "../../../config/config.ts"
import { trackerContract } from "./contract.ts"
import { linearSource } from "./linear.ts"

const never = new AbortController().signal
const STATES: StatesConfig = { ready: ["Todo"], inProgress: "In Progress", done: "In Review" }
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }

const DEFAULTS = {
  team: "ENG",
  slug: undefined,
  labels: LABELS,
  states: undefined,
  authors: "members",
  readyAgain: true,
} as const

type Options = Partial<Parameters<typeof linearSource>[0]> &
  Pick<SourceOptions, "token" | "requestMsMax">

const sourceOf = (
  server: LinearServer,
  { token = "token-of-robot", requestMsMax, ...options }: Options = {},
) =>
  linearSource(
    { ...DEFAULTS, apiUrl: server.url, ...options },
    { token: async () => token, nowMs: server.state.nowMs, requestMsMax },
  )

async function start(): Promise<LinearServer> {
  const server = await startTracker(LinearServer)
  server.state.join("guest", { guest: true })
  server.state.join("app", { app: true })
  server.state.join("left", { active: false })
  return server
}

const ready = ({ state }: LinearServer, issue: Partial<LinearIssue> = {}) =>
  state.open({ labels: [LABELS.ready, "bug"], ...issue })
const said = ({ comments }: LinearIssue) => comments.map(({ body }) => body)

const answer = (status: number, message: string, type: string) => ({
  how: { status, body: { errors: [{ message, extensions: { type } }] } },
})
const NOT_YOURS = answer(200, "Not yours.", "forbidden")
const RESET_MS = START_MS + 600_000
const LIMITED: Failure = {
  how: {
    status: 400,
    headers: { "x-ratelimit-requests-reset": String(RESET_MS) },
    body: { errors: [{ message: "Slow.", extensions: { code: "RATELIMITED" } }] },
  },
}
const isAsked = (name: string) => (served: Served) =>
  String(served.body["query"]).includes(` ${name}`)

const byLabels: TrackerBench<LinearServer> = {
  name: "linear, by labels",
  start,
  sourceOf,
  openIssue: (server, { title, text, author }) => {
    const { state } = server
    const issue = ready(server, { title, description: text, creator: author })
    return {
      id: identifierOf(issue),
      shown: () => [issue.state, ...issue.labels.toSorted()],
      comments: () => said(issue),
      comment: (who, body) => state.comment(issue, who, body),
      edit: (description) => state.change(issue, { description }),
      setReady: (isReady) => state.change(issue, { labels: isReady ? [LABELS.ready] : [] }),
    }
  },
  shown: {
    ready: ["Todo", "bug", LABELS.ready],
    claimed: ["Todo", "bug", LABELS.inProgress],
    done: ["Todo", "bug"],
  },
  hidesHtmlComments: false,
  requestCount: 12,
  pageSize: 100,
  hasEntityTags: false,
  authors: [
    { login: "robot", isMember: true },
    { login: "guest", isListed: true },
    { login: "app", isListed: true },
    { login: "left" },
    { login: null },
  ],
  authorList: ["guest@acme.example", "App"],
  refusal: NOT_YOURS.how,
  addsComment: isAsked("AddComment"),
  changesIssue: isAsked("Change"),
  failures: [
    ["a 5xx", answer(503, "Down.", ""), { code: "source.unreachable", transient: true }],
    ["an inner error", answer(200, "Oops.", "internal error"), { code: "source.unreachable" }],
    ["a lock", answer(200, "Busy.", "lock timeout"), { code: "source.unreachable" }],
    ["a broken connection", { how: "drop" }, { code: "source.unreachable" }],
    ["a bad token", answer(401, "No.", "authentication error"), { code: "source.refused" }],
    ["a token that ended", answer(200, "No.", "authentication error"), { code: "source.refused" }],
    ["no rights", NOT_YOURS, { code: "source.refused" }],
    [
      "a query that costs too much",
      answer(400, "Too complex.", "user error"),
      { transient: false },
    ],
    ["a page of HTML", { how: { status: 200, body: "<html>" } }, { code: "source.unreachable" }],
    ["another shape", { how: { status: 200, body: { data: {} } } }, { code: "source.unreachable" }],
  ],
  limits: [["its reset", LIMITED, { atMs: RESET_MS }]],
}

trackerContract(byLabels)
trackerContract({
  ...byLabels,
  name: "linear, by states",
  sourceOf: (server, options) => sourceOf(server, { ...options, states: STATES }),
  openIssue: (server, given) => {
    const { state } = server
    const made = byLabels.openIssue(server, given)
    const setReady = (isReady: boolean) =>
      state.change(state.find(made.id)!, { state: isReady ? "Todo" : "Canceled" })
    return { ...made, setReady }
  },
  shown: {
    ready: ["Todo", "bug", LABELS.ready],
    claimed: ["In Progress", "bug", LABELS.ready],
    done: ["In Review", "bug", LABELS.ready],
  },
  // The bench by labels has tested these.
  failures: [],
  limits: [],
})

test("Linear: only issues of the project, in any of the ready states", async () => {
  await using server = await start()
  const project = "0c79b11b75ea"
  ready(server, { project, labels: [] })
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

test("Linear: a page that has changed is read again, and all after it", async () => {
  await using server = await start()
  for (let n = 0; n < 1000; n++) ready(server)
  const source = sourceOf(server)
  const poll = async () => {
    const before = server.served.length
    const { ready: listed, isWhole } = await source.list(never)
    return [listed.length, isWhole, server.served.length - before]
  }
  expect(await poll(), "the names, and ten pages").toEqual([1000, true, 11])
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

test.each<[string, Options, RegExp]>([
  ["team", { team: "NO" }, /NO in Linear cannot be read: it does not exist/],
  ["label", { labels: { ready: "go", inProgress: "run" } }, /has no label "go"/],
  ["state", { states: { ...STATES, done: "Shipped" } }, /has no state "Shipped"/],
])("Linear: a %s that does not exist is named, and claims nothing", async (_, options, message) => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server, options)
  await expect(source.list(never)).rejects.toThrow(message)
  expect(issue.comments).toEqual([])
})

test("Linear: a label that was deleted after it was read makes no issue gone", async () => {
  await using server = await start()
  const issue = ready(server)
  const source = sourceOf(server)
  await source.list(never)
  const { labels } = server.state
  labels.splice(labels.indexOf(LABELS.inProgress), 1)
  const claimed = await source.claim(CLAIM, never)
  expect(claimed).toEqual({ kind: "refused", why: "Entity not found: IssueLabel" })
  expect(said(issue)).toEqual([])
})

test("Linear: an issue that was moved, archived, closed or never there is gone", async () => {
  await using server = await start()
  const changes = [{ team: "OPS" }, { isArchived: true }, { state: "Done" }]
  for (const change of changes) ready(server, change)
  const source = sourceOf(server)
  for (const item of ["ENG-1", "ENG-2", "ENG-3", "ENG-4", "OPS-1", "eng-1", "ENG-01", "1"])
    expect(await source.claim({ ...CLAIM, item }, never), item).toEqual({ kind: "gone" })
})

test("Linear: a page that names no next one, and is not the last, hides no claim", async () => {
  await using server = await start()
  const issue = ready(server)
  const comments = { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } }
  server.fail({ when: isAsked("Comments"), how: { status: 200, body: { data: { comments } } } })
  await expect(sourceOf(server).claim(CLAIM, never)).rejects.toThrow("Linear cut off a list.")
  expect(issue.comments).toEqual([])
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
