/** Claims on a tracker whose comments strangers write, edit and delete, against a double of GitHub. */
import { expect, test } from "vitest"
import type { Served } from "../../../../test/support/api-server.ts"
import { GitHubServer } from "../../../../test/support/github-server.ts"
import type { Source } from "../source.ts"
import { githubSource } from "./github.ts"

const never = new AbortController().signal
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }
const OURS = { item: "1", nonce: "1f0c9c52-0001-4000-8000-000000000000" }
const THEIRS = { item: "1", nonce: "1f0c9c52-0002-4000-8000-000000000000" }
const RELEASED = { kind: "released", text: "Coppice gave this up." } as const
const DONE = { kind: "done", text: "Coppice has landed this." } as const

const sourceOf = (server: GitHubServer, token = "token-of-robot"): Source =>
  githubSource(
    { repo: "acme/app", apiUrl: server.url, labels: LABELS, authors: "members", readyAgain: true },
    { token: async () => token, nowMs: server.state.nowMs },
  )

/** An issue that is ready, and on which a stranger has written. */
async function start(comments = 1) {
  let nowMs = Date.UTC(2026, 0, 1)
  const server = await GitHubServer.start(() => (nowMs += 1000))
  server.tokens.set("token-of-rival", "rival")
  const { issues } = server.state
  const issue = issues.open({ labels: [LABELS.ready] })
  for (let n = 0; n < comments; n++) issues.comment(issue, "mallory", "Me too.")
  const said = () => issue.comments.filter(({ author }) => author !== "mallory")
  return {
    server,
    issue,
    source: sourceOf(server),
    rival: sourceOf(server, "token-of-rival"),
    claims: () => said().filter(({ body }) => body.includes("coppice:claim")).length,
    ends: () => said().filter(({ body }) => body.includes("coppice:end")).length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const isList = ({ method, path }: Served) => method === "GET" && path.includes("/comments")
const isPost = ({ method, path }: Served) => method === "POST" && path.endsWith("/comments")
const isLabel = ({ path }: Served) => path.includes("/labels")

/** The rival has seen no claim; then we claim, and it writes its own. @param before it reads that. */
async function race(bench: Awaited<ReturnType<typeof start>>, before: (served: Served) => void) {
  const { server, source, rival } = bench
  let ours: string | undefined
  server.onRequest = async (served) => {
    if (served.login !== "rival") return
    if (isPost(served)) ours ??= (await source.claim(OURS, never)).kind
    else if (ours !== undefined) before(served)
  }
  return { ours: () => ours, theirs: (await rival.claim(THEIRS, never)).kind }
}

test("an older comment that a stranger edits makes no second claim of one issue [39.7]", async () => {
  await using bench = await start()
  const { ours, theirs } = await race(bench, () => {
    bench.issue.comments[0]!.body = `coppice:claim ${THEIRS.nonce}`
  })
  expect([ours(), theirs]).toEqual(["claimed", "taken"])
  expect(bench.claims(), "the claim that lost is removed").toBe(1)
})

test("a later claim that the tracker puts first makes no second fleet [39.7]", async () => {
  await using bench = await start()
  const { issue, claims } = bench
  const { ours, theirs } = await race(bench, () => {
    const late = issue.comments.find(({ body }) => body.includes(THEIRS.nonce))
    if (late) Object.assign(late, { id: 1 })
  })
  expect([ours(), theirs, claims()]).toEqual(["claimed", "taken", 1])
})

test("the next daemon trusts no claim of its nonce under two authors [39.7]", async () => {
  await using bench = await start()
  const { server, issue, source } = bench
  await source.claim(OURS, never)
  issue.comments[0]!.body = `coppice:claim ${OURS.nonce}`
  expect((await sourceOf(server).claim(OURS, never)).kind).toBe("taken")
})

test("a comment that is deleted between two pages hides no claim [39.7]", async () => {
  await using bench = await start(250)
  const { issue } = bench
  let isDeleted = false
  const { ours, theirs } = await race(bench, ({ path }) => {
    if (isDeleted || !path.includes("page=3")) return
    isDeleted = true
    issue.comments.splice(120, 51)
  })
  expect([isDeleted, ours(), theirs]).toEqual([true, "claimed", "taken"])
})

test("comments that change at each read refuse the issue, and leave no claim", async () => {
  await using bench = await start(250)
  const { issue, server, source } = bench
  server.onRequest = ({ path }) => {
    if (path.includes("page=2") && bench.claims() > 0) issue.comments.shift()
  }
  expect(await source.claim(OURS, never)).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("change while they are read"),
  })
  expect(bench.claims()).toBe(0)
})

test.each(["this daemon", "the next daemon"])(
  "a stranger's claim and end of our nonce keep no result from the issue: %s",
  async (who) => {
    await using bench = await start()
    const { server, issue, source, ends } = bench
    await source.claim(OURS, never)
    issue.comments[0]!.body = `coppice:claim ${OURS.nonce}`
    server.state.issues.comment(issue, "mallory", `coppice:end ${OURS.nonce}`)
    const now = who === "this daemon" ? source : sourceOf(server)
    await now.end(OURS, DONE, never)
    expect([issue.labels, ends()]).toEqual([[], 1])
    await now.end(OURS, DONE, never)
    expect(ends(), "repeated").toBe(1)
  },
)

test.each([404, 403, "more than 1,000"])(
  "a result is reported although the comments cannot be read: %s",
  async (how) => {
    await using bench = await start()
    const { server, issue, source, ends } = bench
    await source.claim(OURS, never)
    if (typeof how === "number")
      server.fail({ when: isList, how: { status: how, body: { message: "No." } } })
    else for (let n = 0; n < 1000; n++) server.state.issues.comment(issue, "mallory", "x")
    expect((await source.end(OURS, DONE, never)).problem).toBeUndefined()
    expect([issue.labels, ends()]).toEqual([[], 1])
  },
)

test("an end whose labels are refused says so", async () => {
  await using bench = await start()
  const { server, source, ends } = bench
  await source.claim(OURS, never)
  server.fail({ when: isLabel, how: { status: 403, body: { message: "Not yours." } } })
  const { problem } = await source.end(OURS, DONE, never)
  expect(problem).toContain("Not yours.")
  expect(ends()).toBe(1)
})

test("a comment that stays invisible is written once, and then refuses its issue alone", async () => {
  await using bench = await start()
  const { server, source } = bench
  server.fail({ when: isList, how: { status: 200, body: [] } })
  const late = { code: "source.unreachable" }
  const tries = () => server.served.filter(isPost).length
  await expect(source.claim(OURS, never)).rejects.toMatchObject(late)
  await expect(source.claim(OURS, never)).rejects.toMatchObject(late)
  const refused = { kind: "refused", why: expect.stringContaining("#1 does not show our comment") }
  expect(await source.claim(OURS, never)).toEqual(refused)
  expect(await source.claim(THEIRS, never), "of a later poll").toEqual(refused)
  expect([tries(), bench.claims()]).toEqual([1, 0])
})

test("a comment that appears late is the claim", async () => {
  await using bench = await start()
  const { server, source } = bench
  server.fail({ when: isList, times: 2, how: { status: 200, body: [] } })
  await expect(source.claim(OURS, never)).rejects.toMatchObject({ code: "source.unreachable" })
  expect((await source.claim(OURS, never)).kind).toBe("claimed")
  expect(bench.claims()).toBe(1)
})

const isRemoval = ({ method, path }: Served) => method === "DELETE" && path.includes("/comments/")
const isChange = ({ method }: Served) => method !== "GET"
const NO = { status: 403, body: { message: "Not yours." } }

test("a token that may not delete comments ends a claim that lost, so that one fleet has it [39.7]", async () => {
  await using bench = await start()
  const { server, issue, source, rival } = bench
  server.fail({ when: isRemoval, how: NO })
  const { ours, theirs } = await race(bench, () => {})
  expect([ours(), theirs]).toEqual(["claimed", "taken"])
  await source.end(OURS, DONE, never)
  server.state.issues.change(issue, { labels: [LABELS.ready] })
  const next = { item: "1", nonce: "1f0c9c52-0003-4000-8000-000000000000" }
  expect((await rival.claim(next, never)).kind).toBe("claimed")
})

test("a claim that can be neither deleted nor ended is named", async () => {
  await using bench = await start()
  const { server, source } = bench
  server.onRequest = (served) => {
    if (!isPost(served)) return
    server.onRequest = () => {}
    server.fail({ when: (one) => one !== served && isChange(one), how: NO })
  }
  expect(await source.claim(OURS, never)).toMatchObject({
    kind: "refused",
    why: expect.stringContaining("Its claim stays"),
  })
})

test.each(["this daemon", "the next daemon"])(
  "a result whose every change is refused is reported again, and the claim stays: %s",
  async (who) => {
    await using bench = await start()
    const { server, source, claims, ends } = bench
    await source.claim(OURS, never)
    server.fail({ when: isChange, how: NO })
    const now = who === "this daemon" ? source : sourceOf(server)
    expect(await now.end(OURS, DONE, never)).toMatchObject({
      mustRepeat: true,
      problem: expect.stringContaining("Not yours."),
    })
    server.heal()
    expect(await now.end(OURS, DONE, never)).toEqual({ staysListed: false })
    expect([claims(), ends()]).toEqual([1, 1])
  },
)

test.each(["> coppice:claim NONCE\nWhat is this?", 'Who is "coppice:claim NONCE"?'])(
  "a person's quote of our mark is no claim, and stays: %s",
  async (words) => {
    await using bench = await start()
    const { server, issue, source, rival } = bench
    await source.claim(OURS, never)
    server.state.issues.comment(issue, "mallory", words.replace("NONCE", OURS.nonce))
    const next = sourceOf(server)
    expect((await next.claim(OURS, never)).kind).toBe("claimed")
    await next.end(OURS, DONE, never)
    server.state.issues.change(issue, { labels: [LABELS.ready] })
    expect((await rival.claim(THEIRS, never)).kind).toBe("claimed")
    expect(issue.comments.filter(({ author }) => author === "mallory")).toHaveLength(2)
  },
)

test("the next daemon deletes no comment while its claim stands under two authors", async () => {
  await using bench = await start()
  const { server, issue, source, claims, ends } = bench
  await source.claim(OURS, never)
  const copy = server.state.issues.comment(issue, "mallory", `coppice:claim ${OURS.nonce}`)
  expect((await sourceOf(server).claim(OURS, never)).kind).toBe("taken")
  expect([issue.comments.includes(copy), claims(), ends()]).toEqual([true, 1, 1])
})

test("fleets that give an issue up one after the other stop after a few, until a person makes it ready [39.19]", async () => {
  await using bench = await start()
  const { issue, source, rival } = bench
  const fleets = [source, rival]
  const tryOnce = async (n: number) => {
    const fleet = fleets[n % 2]!
    if (!(await fleet.list(never)).ready.includes("1")) return false
    const claim = { item: "1", nonce: `1f0c9c52-0001-4000-8000-00000000000${n}` }
    expect(await fleet.claim(claim, never)).toMatchObject({ kind: "claimed" })
    const ended = await fleet.end(claim, RELEASED, never)
    expect(await fleet.end(claim, RELEASED, never), "repeated").toEqual(ended)
    return true
  }
  let tries = 0
  while (tries < 9 && (await tryOnce(tries))) tries++
  expect([tries, issue.labels]).toEqual([6, []])
  expect(issue.comments.at(-1)?.body).toContain("it is not ready again until a person makes it so")
  issue.labels.push(LABELS.ready)
  expect([await tryOnce(7), await tryOnce(8)]).toEqual([true, false])
})
