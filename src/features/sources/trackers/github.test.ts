/** GitHub issues as a source, against a double that fails on request. */
import { expect, test } from "vitest"
import type { Failure } from "../../../../test/support/api-server.ts"
import type { IssueState } from "../../../../test/support/github/issues.ts"
import { GitHubServer } from "../../../../test/support/github-server.ts"
import {
  GIT_HOST,
  LABELS,
  type SourceOptions,
  START_MS,
  startTracker,
} from "../../../../test/support/tracker-bench.ts"
import type { Source } from "../source.ts"
import { trackerContract } from "./contract.ts"
import { githubSource } from "./github.ts"

const never = new AbortController().signal
const CLAIM = { nonce: "1f0c9c52-0001-4000-8000-000000000000" }
const OTHER = { nonce: "1f0c9c52-0002-4000-8000-000000000000" }
const DONE = { kind: "done", text: "Coppice has landed this." } as const

const sourceOf = (
  server: GitHubServer,
  { authors = "members", token = "token-of-robot", requestMsMax }: SourceOptions = {},
  readyAgain = true,
): Source =>
  githubSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors, readyAgain },
    { token: async () => token, nowMs: server.state.nowMs, requestMsMax },
  )

const start = () => startTracker(GitHubServer)

const ready = ({ state }: GitHubServer, issue: Partial<IssueState> = {}) =>
  state.issues.open({ labels: [LABELS.ready, "bug"], ...issue })

const answer = (status: number, message: string, headers = {}): Failure => ({
  how: { status, headers, body: { message } },
})

trackerContract<GitHubServer>({
  name: "github",
  start,
  sourceOf,
  openIssue: (server, { title, text, author }) => {
    const { issues } = server.state
    const issue = ready(server, { title, body: text, author: author ?? "" })
    return {
      id: String(issue.number),
      shown: () => issue.labels.toSorted(),
      comments: () => issue.comments.map(({ body }) => body),
      comment: (who, body) => issues.comment(issue, who, body),
      edit: (body) => issues.change(issue, { body }),
      setReady: (isReady) => issues.change(issue, { labels: isReady ? [LABELS.ready] : [] }),
    }
  },
  openPull: (server) => String(ready(server, { isPull: true }).number),
  ...GIT_HOST,
  requestCount: 10,
  pageSize: 100,
  addsComment: ({ method, path }) => method === "POST" && path.endsWith("/comments"),
  changesIssue: ({ path }) => path.includes("/labels"),
  limits: [
    ...GIT_HOST.limits,
    ["Retry-After of a 403", answer(403, "Wait.", { "retry-after": "90" }), { inMs: 90_000 }],
    [
      "its reset",
      answer(403, "x", {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(START_MS / 1000 + 100),
      }),
      { atMs: START_MS + 100_000 },
    ],
    [
      "a secondary limit",
      answer(403, "You have exceeded a secondary rate limit."),
      { inMs: 60_000 },
    ],
  ],
})

test("no more pages are read than ten", async () => {
  await using server = await start()
  for (let n = 0; n < 1001; n++) ready(server)
  const source = sourceOf(server)
  expect(await source.list(never)).toMatchObject({ isWhole: false, ready: { length: 1000 } })
  expect(server.served).toHaveLength(10)
})

test("an unchanged first page brings no old list after a list that failed", async () => {
  await using server = await start()
  for (let n = 0; n < 101; n++) ready(server)
  const source = sourceOf(server)
  await source.list(never)
  ready(server)
  const isNextPage = ({ path }: { readonly path: string }) => path.includes("page=2")
  server.fail({ ...answer(502, "Down."), when: isNextPage, times: 2 })
  for (const _ of [1, 2])
    await expect(source.list(never)).rejects.toMatchObject({ code: "source.unreachable" })
  expect((await source.list(never)).ready).toHaveLength(102)
})

test("a rival that claims between any two requests of ours never shares an item [39.7]", async () => {
  for (const n of [1, 2, 3, 4, 5]) {
    await using server = await start()
    const issue = ready(server)
    const item = String(issue.number)
    const [source, rival] = [sourceOf(server), sourceOf(server, { token: "token-of-rival" })]
    let theirs: string | undefined
    server.onRequest = async ({ login }) => {
      if (login !== "robot" || server.served.filter((one) => one.login === login).length !== n)
        return
      theirs = (await rival.claim({ item, ...OTHER }, never)).kind
    }
    const ours = (await source.claim({ item, ...CLAIM }, never)).kind
    expect(theirs, `the rival's claim at request ${n}`).toBeDefined()
    expect([ours, theirs].filter((kind) => kind === "claimed")).toHaveLength(1)
    expect(issue.comments.filter(({ body }) => body.includes("coppice:claim"))).toHaveLength(1)
  }
})

test("an issue that another fleet has finished since it was listed is not done again", async () => {
  await using server = await start()
  const item = String(ready(server).number)
  const rival = sourceOf(server, { token: "token-of-rival" })
  let posts = 0
  server.onRequest = async ({ method, login }) => {
    if (login !== "robot" || method !== "POST" || posts++ > 0) return
    await rival.claim({ item, ...OTHER }, never)
    await rival.end({ item, ...OTHER }, DONE, never)
  }
  expect(await sourceOf(server).claim({ item, ...CLAIM }, never)).toEqual({ kind: "gone" })
})

test("a stranger's forged end gives a claimed issue to no other fleet", async () => {
  await using server = await start()
  const issue = ready(server)
  const item = String(issue.number)
  const source = sourceOf(server)
  await source.claim({ item, ...CLAIM }, never)
  server.state.issues.comment(issue, "mallory", `<!-- coppice:end ${CLAIM.nonce} -->`)
  server.state.issues.change(issue, { labels: [LABELS.ready] })
  const rival = sourceOf(server, { token: "token-of-rival" })
  expect(await rival.claim({ item, ...OTHER }, never)).toMatchObject({
    kind: "taken",
    isTie: false,
  })
  expect((await source.claim({ item, ...CLAIM }, never)).kind).toBe("claimed")
})

test("two users who are deleted are not one: neither ends the claim of the other", async () => {
  await using server = await start()
  const issue = ready(server)
  server.state.issues.comment(issue, "", `<!-- coppice:claim ${OTHER.nonce} -->`)
  server.state.issues.comment(issue, "", `<!-- coppice:end ${OTHER.nonce} -->`)
  const claim = { item: String(issue.number), ...CLAIM }
  expect(await sourceOf(server).claim(claim, never)).toMatchObject({ kind: "taken" })
})

test("C16: an issue that is closed, deleted, locked or claimed is told apart", async () => {
  await using server = await start()
  const source = sourceOf(server)
  const claim = (item: number | string, nonce = CLAIM) =>
    source.claim({ item: String(item), ...nonce }, never)
  const closed = ready(server, { state: "closed" })
  expect(await claim(closed.number)).toEqual({ kind: "gone" })
  expect(await claim(404)).toEqual({ kind: "gone" })
  const held = ready(server)
  await claim(held.number, OTHER)
  expect(await claim(held.number)).toMatchObject({ kind: "taken", isTie: false })
  const locked = ready(server)
  server.fail({ ...answer(403, "The issue is locked."), when: ({ method }) => method === "POST" })
  expect(await claim(locked.number)).toEqual({ kind: "refused", why: "The issue is locked." })
})

test.each([...["<html>log in to the network</html>", null, {}, [null], [{ number: "../1" }]]])(
  "an answer of something else than GitHub is no empty list, and no bug: %j",
  async (body) => {
    await using server = await start()
    const source = sourceOf(server, { authors: "anyone" })
    server.fail({ how: { status: 200, body } })
    const unreachable = { code: "source.unreachable" }
    await expect(source.list(never)).rejects.toMatchObject(unreachable)
    await expect(source.claim({ item: "1", ...CLAIM }, never)).rejects.toMatchObject(unreachable)
  },
)

test.each([
  [true, ["bug", LABELS.ready]],
  [false, ["bug"]],
])(
  "C17: an item that is given up gets its ready label back unless `ready_again` is off: %j [39.6]",
  async (readyAgain, labels) => {
    await using server = await start()
    const issue = ready(server)
    const claim = { item: String(issue.number), ...CLAIM }
    const source = sourceOf(server, {}, readyAgain)
    await source.claim(claim, never)
    expect(issue.labels.toSorted()).toEqual(["bug", LABELS.inProgress])
    const released = { kind: "released", text: "Given up." } as const
    expect(await source.end(claim, released, never)).toEqual({ staysListed: readyAgain })
    expect(issue.labels.toSorted()).toEqual(labels)
    expect((await source.list(never)).ready).toEqual(readyAgain ? [claim.item] : [])
  },
)
