/** Jira issues as a source, against a double that fails on request. */
import { expect, test } from "vitest"
import type { Served } from "../../../../test/support/api-server.ts"
import { docOf, type JiraIssue } from "../../../../test/support/jira/issues.ts"
import { JiraServer } from "../../../../test/support/jira-server.ts"
import {
  type SourceOptions,
  START_MS,
  startTracker,
  type TrackerBench,
} from "../../../../test/support/tracker-bench.ts"
import type { StatesConfig } from "../../../config/config.ts"
import { trackerContract } from "./contract.ts"
import { textOfDocument } from "./jira/document.ts"
import { jiraSource } from "./jira.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice-in-progress" }
const STATES: StatesConfig = { ready: ["To Do"], inProgress: "In Progress", done: "In Review" }
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }

const DEFAULTS = {
  project: "ENG",
  labels: LABELS,
  states: undefined,
  authors: "members",
  readyAgain: true,
} as const

type Options = Partial<Parameters<typeof jiraSource>[0]> &
  Pick<SourceOptions, "token" | "requestMsMax">

const sourceOf = (
  server: JiraServer,
  { token = "token-of-robot", requestMsMax, ...options }: Options = {},
) =>
  jiraSource(
    { ...DEFAULTS, apiUrl: server.url, ...options },
    {
      token: async () => token,
      email: "bot@acme.example",
      nowMs: server.state.nowMs,
      requestMsMax,
    },
  )

async function start(): Promise<JiraServer> {
  const server = await startTracker(JiraServer)
  // The name that is shown is the user's own choice.
  server.state.join("guest", { isAssignable: false, displayName: "robot" })
  server.state.join("app", { accountType: "app", emailAddress: "app@acme.example" })
  server.state.join("left", { active: false })
  return server
}

const ready = ({ state }: JiraServer, issue: Partial<JiraIssue> = {}) =>
  state.open({ labels: [LABELS.ready, "bug"], ...issue })

const answer = (status: number, message: string, headers = {}) => ({
  how: { status, headers, body: { errorMessages: [message] } },
})
const NOT_YOURS = answer(403, "Not yours.")
const isMemberCheck = ({ path }: Served) => path.includes("/assignable/")

const byLabels: TrackerBench<JiraServer> = {
  name: "jira, by labels",
  start,
  sourceOf,
  openIssue: (server, { title, text, author }) => {
    const { state } = server
    const issue = ready(server, { summary: title, description: docOf(text), creator: author })
    return {
      id: issue.key,
      shown: () => [issue.status, ...issue.labels.toSorted()],
      comments: () => issue.comments.map(({ body }) => textOfDocument(body)),
      comment: (who, words) => state.comment(issue, who, docOf(words)),
      edit: (words) => state.change(issue, { description: docOf(words) }),
      setReady: (isReady) => state.change(issue, { labels: isReady ? [LABELS.ready] : [] }),
    }
  },
  shown: {
    ready: ["To Do", "bug", LABELS.ready],
    claimed: ["To Do", "bug", LABELS.inProgress],
    done: ["To Do", "bug"],
  },
  hidesHtmlComments: false,
  requestCount: 12,
  pageSize: 100,
  hasEntityTags: true,
  authors: [
    { login: "robot", isMember: true },
    { login: "guest", isListed: true, displayName: "robot" },
    { login: "app", isListed: true },
    { login: "left" },
    { login: null },
  ],
  // The list does not help a user who is not active.
  authorList: ["712020:guest", "app@acme.example", "left"],
  refusal: NOT_YOURS.how,
  addsComment: ({ method, path }) => method === "POST" && path.endsWith("/comment"),
  changesIssue: ({ method }) => method === "PUT",
  memberCheck: { isRequest: isMemberCheck, error: /The token may not read the users/ },
  failures: [
    ["a 5xx", answer(503, "Down.", { "retry-after": "5" }), { code: "source.unreachable" }],
    ["a broken connection", { how: "drop" }, { code: "source.unreachable" }],
    ["a bad token", answer(401, "No."), { code: "source.refused", transient: false }],
    ["no rights", NOT_YOURS, { code: "source.refused" }],
    ["no such site", answer(404, "No."), { code: "source.refused" }],
    ["a page of HTML", { how: { status: 200, body: "<html>" } }, { code: "source.unreachable" }],
    ["another shape", { how: { status: 200, body: { issues: [{}] } } }, { transient: true }],
    [
      "a redirect",
      { how: { status: 302, headers: { location: "/x" } } },
      { code: "source.refused" },
    ],
  ],
  limits: [
    ["Retry-After", answer(429, "Slow.", { "retry-after": "90" }), { inMs: 90_000 }],
    [
      "its reset",
      answer(429, "Slow.", { "x-ratelimit-reset": "2026-01-01T00:05Z" }),
      { atMs: START_MS + 300_000 },
    ],
  ],
}

trackerContract(byLabels)
trackerContract({
  ...byLabels,
  name: "jira, by states",
  sourceOf: (server, options) => sourceOf(server, { ...options, states: STATES }),
  openIssue: (server, given) => {
    const { state } = server
    const made = byLabels.openIssue(server, given)
    const setReady = (isReady: boolean) =>
      state.change(state.find(made.id)!, { status: isReady ? "To Do" : "Done" })
    return { ...made, setReady }
  },
  shown: {
    ready: ["To Do", "bug", LABELS.ready],
    claimed: ["In Progress", "bug", LABELS.ready],
    done: ["In Review", "bug", LABELS.ready],
  },
  requestCount: 14,
  changesIssue: ({ method, path }) => method === "POST" && path.endsWith("/transitions"),
  // The bench by labels has tested these.
  failures: [],
  limits: [],
})

const isNextPage = ({ path }: Served) => path.includes("nextPageToken")

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
