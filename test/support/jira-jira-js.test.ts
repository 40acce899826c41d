/**
 * A client of other authors judges the double of Jira: it and Coppice see the same. It checks the
 * shape of every answer.
 */
import {
  createCloudClient,
  isAuthError,
  isNotFoundError,
  isRateLimitError,
  isServerError,
} from "jira.js"
import { expect, test } from "vitest"
import type { StatesConfig } from "../../src/config/config.ts"
import { jiraSource } from "../../src/features/sources/trackers/jira.ts"
import { docOf } from "./jira/issues.ts"
import { JiraServer } from "./jira-server.ts"
import { startTracker } from "./tracker-bench.ts"

const never = new AbortController().signal
const CLAIM = { item: "ENG-1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
// A label of Jira has no spaces.
const OWN = { ready: "coppice", inProgress: "coppice-in-progress" }
const STATES: StatesConfig = { ready: ["To Do"], inProgress: "In Progress", done: "In Review" }

async function start(states?: StatesConfig) {
  const server = await startTracker(JiraServer)
  const settings = { apiUrl: server.url, project: "ENG", labels: OWN, states }
  return {
    server,
    state: server.state,
    jira: clientOf(server, "token-of-rival"),
    source: jiraSource(
      { ...settings, authors: "members", readyAgain: true },
      {
        email: "robot@acme.example",
        token: async () => "token-of-robot",
        nowMs: server.state.nowMs,
      },
    ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const clientOf = (server: JiraServer, apiToken: string) =>
  createCloudClient({
    host: server.url,
    auth: { type: "basic", email: "rival@acme.example", apiToken },
    onSchemaMismatch: "throw",
  })

test("the client offers an issue, and sees how Coppice claims it [39.6]", async () => {
  await using world = await start()
  const { jira, source, state } = world
  state.open({ summary: "Fix it", labels: ["bug"] })
  const issueIdOrKey = "ENG-1"
  await jira.issues.editIssue({ issueIdOrKey, update: { labels: [{ add: OWN.ready }] } })
  const mine = { issueIdOrKey, body: docOf("Mine.") }
  const written = await jira.issueComments.addComment(mine)
  expect(written).toMatchObject({ author: { displayName: "rival" } })
  expect(written.created).toBeInstanceOf(Date)

  expect(await source.list(never)).toMatchObject({ ready: ["ENG-1"], problems: [] })
  expect(await source.claim(CLAIM, never)).toMatchObject({ kind: "claimed" })
  const issue = await jira.issues.getIssue({ issueIdOrKey })
  expect(issue).toMatchObject({ key: "ENG-1", fields: { summary: "Fix it" } })
  expect(issue.fields?.["labels"].toSorted()).toEqual(["bug", OWN.inProgress])
  const said = await jira.issueComments.getComments({ issueIdOrKey, orderBy: "-created" })
  expect(said.total).toBe(2)
  expect(JSON.stringify(said.comments?.[0]?.body)).toContain(CLAIM.nonce)
  const people = await jira.userSearch.findAssignableUsers({
    project: "ENG",
    accountId: "712020:robot",
  })
  expect(people).toMatchObject([{ displayName: "robot", active: true }])
  await jira.issueComments.deleteComment({ issueIdOrKey, id: written.id ?? "" })
  expect(state.find(issue.id)?.comments).toHaveLength(1)
  await source.end(CLAIM, { kind: "done", text: "Done." }, never)
  const after = await jira.issues.getIssue({ issueIdOrKey, fields: ["labels"] })
  expect(after.fields).toEqual({ labels: ["bug"] })
})

test("the client moves an issue through the workflow, and Coppice goes on from there", async () => {
  await using world = await start(STATES)
  const { jira, source, state } = world
  state.open({ status: "In Review" })
  const issueIdOrKey = "ENG-1"
  expect((await source.list(never)).ready).toEqual([])
  const { transitions = [] } = await jira.issues.getTransitions({ issueIdOrKey })
  expect(transitions.map(({ to }) => to?.name)).toEqual(["Done", "To Do"])
  const transition = { id: transitions[1]?.id ?? "" }
  await jira.issues.doTransition({ issueIdOrKey, transition })
  const again = jira.issues.doTransition({ issueIdOrKey, transition })
  await expect(again).rejects.toMatchObject({ status: 400 })
  expect((await source.list(never)).ready).toEqual(["ENG-1"])
  await source.claim(CLAIM, never)
  const { fields } = await jira.issues.getIssue({ issueIdOrKey })
  expect(fields?.["status"]).toMatchObject({
    name: "In Progress",
    statusCategory: { key: "indeterminate" },
  })
})

test("the client reads every page by a query of its own", async () => {
  await using world = await start()
  const { jira, state } = world
  for (let n = 0; n < 5; n++) state.open({ labels: ["rock AND roll", "x"], status: "To Do" })
  state.open({ labels: ["x"], status: "Done" })
  const jql = 'project=ENG AND labels in (x) AND labels != bug AND statusCategory != "Done"'
  const read: (string | undefined)[] = []
  let nextPageToken: string | undefined
  do {
    const asked = { jql: `${jql} ORDER BY created ASC`, fields: ["summary"], maxResults: 2 }
    const page = await jira.issueSearch.searchAndReconsileIssuesUsingJql({
      ...asked,
      ...(nextPageToken !== undefined && { nextPageToken }),
    })
    read.push(...(page.issues ?? []).map(({ key }) => key))
    nextPageToken = page.nextPageToken ?? undefined
  } while (nextPageToken !== undefined)
  expect(read).toEqual(["ENG-1", "ENG-2", "ENG-3", "ENG-4", "ENG-5"])
  const quoted = { jql: 'labels = "rock AND roll" and key = ENG-3' }
  expect(await jira.issueSearch.searchAndReconsileIssuesUsingJql(quoted)).toMatchObject({
    issues: [{ id: "10003" }],
    isLast: true,
  })
  for (const wrong of ["project = OPS", "colour = red", "project ="])
    await expect(
      jira.issueSearch.searchAndReconsileIssuesUsingJql({ jql: wrong }),
    ).rejects.toMatchObject({ status: 400 })
})

test("the client understands each refusal and each failure", async () => {
  await using world = await start()
  const { jira, server } = world
  const errorOf = (asked: Promise<unknown>) =>
    asked.then(
      () => undefined,
      (error) => error,
    )
  const read = (client = jira) => errorOf(client.issues.getIssue({ issueIdOrKey: "ENG-9" }))
  expect(isNotFoundError(await read())).toBe(true)
  expect(isAuthError(await read(clientOf(server, "none")))).toBe(true)
  server.fail({ how: { status: 429, headers: { "retry-after": "7" }, body: {} }, times: 1 })
  const limited = await read()
  expect(isRateLimitError(limited) && limited.retryAfterMs).toBe(7000)
  server.fail({ how: { status: 503, body: {} }, times: 1 })
  expect(isServerError(await read())).toBe(true)
})
