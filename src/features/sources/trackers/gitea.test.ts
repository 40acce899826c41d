/** Issues of Gitea and Forgejo as a source, against a double that fails on request. */
import { expect, test } from "vitest"
import type { GiteaIssue } from "../../../../test/support/gitea/issues.ts"
import { GiteaServer } from "../../../../test/support/gitea-server.ts"
import {
  GIT_HOST,
  LABELS,
  type SourceOptions,
  startTracker,
} from "../../../../test/support/tracker-bench.ts"
import { trackerContract } from "./contract.ts"
import { giteaSource } from "./gitea.ts"

const never = new AbortController().signal
const CLAIM = { item: "1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }

const sourceOf = (
  server: GiteaServer,
  { token = "token-of-robot", authors = "members", requestMsMax }: SourceOptions = {},
) =>
  giteaSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors, readyAgain: true },
    { token: async () => token, nowMs: server.state.nowMs, requestMsMax },
  )

/** A person has made the label that says "ready", and not the other one. */
async function start(): Promise<GiteaServer> {
  const server = await startTracker(GiteaServer)
  server.state.labels.add("bug")
  server.state.labels.add(LABELS.ready)
  return server
}

const ready = ({ state: { issues } }: GiteaServer, issue: Partial<GiteaIssue> = {}) =>
  issues.open({ labels: new Set([LABELS.ready, "bug"]), ...issue })

trackerContract<GiteaServer>({
  name: "gitea",
  start,
  sourceOf,
  openIssue: (server, { title, text, author }) => {
    const { issues } = server.state
    const issue = ready(server, { title, body: text, author: author ?? "" })
    return {
      id: String(issue.number),
      shown: () => [...issue.labels].toSorted(),
      comments: () => issue.comments.map(({ body }) => body),
      comment: (who, body) => issues.comment(issue, who, body),
      edit: (body) => issues.change(issue, { body }),
      setReady: (isReady) =>
        issues.change(issue, { labels: new Set(isReady ? [LABELS.ready] : []) }),
    }
  },
  openPull: (server) => String(ready(server, { isPull: true }).number),
  ...GIT_HOST,
  requestCount: 16,
  pageSize: 50,
  addsComment: ({ method, path }) => method === "POST" && path.endsWith("/comments"),
  changesIssue: ({ method, path }) => method === "POST" && path.includes("/labels"),
  memberCheck: {
    isRequest: ({ path }) => path.includes("/collaborators/"),
    error: /may not read who may write.*name the `authors`/,
  },
})

test("a server that does not know the label offers no issue", async () => {
  await using server = await GiteaServer.start()
  server.state.issues.open()
  expect((await sourceOf(server).list(never)).ready).toEqual([])
})

test("a claim adds a label that a page of labels further on has, and makes no second one", async () => {
  await using server = await start()
  const { labels } = server.state
  server.limitMax = 2
  for (let n = 0; n < 5; n++) labels.add(`other ${n}`)
  labels.add(LABELS.inProgress)
  const before = labels.all().length
  const issue = ready(server)
  expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("claimed")
  expect([...issue.labels]).toEqual(["bug", LABELS.inProgress])
  expect(labels.all()).toHaveLength(before)
})

test("a server that gives 20 a page, whatever it is asked for, is read to the end", async () => {
  await using server = await start()
  server.limitMax = 20
  const length = 250
  for (let n = 0; n < length; n++) ready(server)
  const source = sourceOf(server, { authors: "anyone" })
  expect(await source.list(never)).toMatchObject({ isWhole: true, ready: { length } })
})

test("a token that may not read the organization's labels still shows a claim", async () => {
  await using server = await start()
  const issue = ready(server)
  server.fail({ when: ({ path }) => path.includes("/orgs/"), how: GIT_HOST.refusal })
  expect((await sourceOf(server).claim(CLAIM, never)).kind).toBe("claimed")
  expect(issue.labels).toContain(LABELS.inProgress)
})
