/** GitHub, against its double over a real repository. */
import { expect, test } from "vitest"
import { MergeQueue } from "../../../../test/support/forge/merge-queue.ts"
import { review } from "../../../../test/support/forge/pulls.ts"
import { type OwnParts, startForge } from "../../../../test/support/forge-world.ts"
import { GitHubServer } from "../../../../test/support/github-server.ts"
import { IMPATIENT_MS, testForge } from "./contract.ts"
import type { ForgeError } from "./errors.ts"
import { githubForge } from "./github.ts"

const TOKEN = "token-of-robot"
const PULL = { branch: "work", target: "main" }

async function start() {
  const shared = await startForge(GitHubServer)
  const { server, pulls } = shared
  const at = { api: server.url, project: "acme/demo", token: async () => TOKEN }
  const states = { approved: "APPROVED", changes_requested: "CHANGES_REQUESTED" } as const
  const own: OwnParts = {
    forge: githubForge({ ...at, nowMs: Date.now }),
    impatient: githubForge({ ...at, nowMs: Date.now, requestMsMax: IMPATIENT_MS }),
    review: (number, verdict) => void review(server.state, pulls.find(number)!, states[verdict]),
    startQueue: () => {
      pulls.queue = new MergeQueue(pulls, "merge")
      return true
    },
    leaveQueue: (number, reason) => void pulls.queue?.remove(pulls.find(number)!, reason),
    allow: () => {},
  }
  return { ...shared, ...own }
}

testForge("github", start)

test("while a limit is reached no request is sent, and no error holds the token", async () => {
  await using world = await start()
  const reset = String(Math.ceil(Date.now() / 1_000) + 3_600)
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset }
  world.server.fail({ times: 1, how: { status: 403, headers, body: { message: "limit" } } })
  const limited = await world.forge.read(1).catch((error: Error) => error)
  expect(limited).toMatchObject({ code: "forge.unavailable", retryAtMs: Number(reset) * 1_000 })
  const asked = world.server.served.length
  await expect(world.forge.read(1)).rejects.toMatchObject({ code: "forge.unavailable" })
  expect(world.server.served).toHaveLength(asked)
  expect(JSON.stringify(Object.getOwnPropertyNames(limited))).not.toContain("request")
  expect(`${(limited as Error).stack}${JSON.stringify(limited)}`).not.toContain(TOKEN)
})

test.each(["1e300", "86400"])(
  "a limit lasts no longer than two hours, whatever the forge says: %s",
  async (after) => {
    await using world = await start()
    const headers = { "retry-after": after }
    world.server.fail({ times: 1, how: { status: 429, headers, body: {} } })
    const limited = await world.forge.read(1).catch((error: Error) => error)
    expect(limited).toMatchObject({ code: "forge.unavailable" })
    expect((limited as ForgeError).retryAtMs).toBeLessThanOrEqual(Date.now() + 7_200_000)
  },
)

test.each([{ hello: "from a proxy" }, "<html>", null])(
  "a list that is none counts as no answer: %j",
  async (body) => {
    await using world = await start()
    world.server.fail({ how: { status: 200, body } })
    await expect(world.forge.findOpen(PULL)).rejects.toMatchObject({ code: "forge.unavailable" })
    await expect(world.forge.listChecks(world.head)).rejects.toMatchObject({
      code: "forge.unavailable",
    })
  },
)

test("a name of a commit that is none never reaches git", async () => {
  await using world = await start()
  const head = { sha: world.head }
  const at = { merged_at: "2026-01-01", head, base: { ref: "main" } }
  const pull = { number: 1, html_url: "", state: "closed", ...at }
  for (const body of [
    { ...pull, merge_commit_sha: "refs/heads/work" },
    { ...pull, head: { sha: "--upload-pack=x" } },
  ]) {
    world.server.fail({ times: 1, how: { status: 200, body } })
    await expect(world.forge.read(1)).rejects.toMatchObject({ code: "forge.unavailable" })
  }
})

test.each(["gh\u00fcsecret", "two\nsecrets", "a\0secret"])(
  "a token that cannot be one is in no error: %j",
  async (secret) => {
    await using world = await start()
    const at = { api: world.server.url, project: "acme/demo", token: async () => secret }
    const error = await githubForge({ ...at, nowMs: Date.now })
      .read(1)
      .catch((error: Error) => error)
    expect(error).toMatchObject({ code: "forge.refused" })
    expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toContain("secret")
  },
)

test("an answer that is no pull request counts as none, and is asked for again", async () => {
  await using world = await start()
  world.server.fail({ times: 1, how: { status: 200, body: { hello: "from a proxy" } } })
  await expect(world.forge.read(1)).rejects.toMatchObject({ code: "forge.unavailable" })
})

test("no error of the network has the address, which may hold a password [42.14]", async () => {
  const api = "https://bob:s3cret@127.0.0.1:1"
  const at = { api, project: "acme/demo", token: async () => TOKEN, nowMs: Date.now }
  await expect(githubForge(at).read(1)).rejects.toMatchObject({
    code: "forge.unavailable",
    message: "127.0.0.1:1 does not answer: no connection",
  })
})
