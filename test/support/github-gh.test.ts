/** `gh` of Debian, a second client, judges the look-alike of GitHub: it and Coppice see the same. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Oid } from "../../src/core/ids.ts"
import { reviewState } from "../../src/core/pull-request.ts"
import { githubForge } from "../../src/forges/github.ts"
import { githubSource } from "../../src/sources/github.ts"
import { GitHubServer } from "./github-server.ts"
import { TestRepo } from "./repo.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }

const hasGh = spawnSync("gh", ["--version"]).status === 0
const testGh = (name: string, run: () => Promise<void>) =>
  test.skipIf(!hasGh)(hasGh ? name : `${name} (skipped: no gh)`, run)

/** `gh` as the user ada, which reaches the look-alike alone. */
async function start() {
  const folder = mkdtempSync(join(tmpdir(), "gh-"))
  const server = await GitHubServer.start()
  server.tokens.set("token-of-ada", "ada")
  server.state.members.add("ada")
  const socket = join(folder, "socket")
  await server.listenAt(socket)
  writeFileSync(join(folder, "config.yml"), `http_unix_socket: ${socket}\n`)
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    GH_CONFIG_DIR: folder,
    GH_TOKEN: "token-of-ada",
    GH_NO_UPDATE_NOTIFIER: "1",
  }
  const gh = (...args: readonly string[]) =>
    new Promise<{ stdout: string; stderr: string; isDone: boolean }>((done) => {
      execFile("gh", args, { env, cwd: folder }, (error, stdout, stderr) =>
        done({ stdout: stdout.trim(), stderr, isDone: error === null }),
      )
    })
  const json = async (...args: readonly string[]) => {
    const { stdout, stderr } = await gh(...args)
    expect(stderr).toBe("")
    return JSON.parse(stdout)
  }
  const at = { api: server.url, project: "acme/demo" }
  const parts = { nowMs: Date.now, token: async () => "token-of-robot" }
  const of = { apiUrl: server.url, repo: "acme/demo", labels: LABELS }
  const settings = { ...of, authors: "members", readyAgain: true } as const
  return {
    ...{ server, gh, json },
    forge: githubForge({ ...at, ...parts }),
    source: githubSource(settings, parts),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

const OF_DEMO = ["-R", "acme/demo"]
const PULL = { branch: "work", target: "main", title: "Work", body: "It works.", isDraft: false }

testGh("gh sees, reviews and merges the pull request that Coppice opened", async () => {
  await using world = await start()
  using repo = new TestRepo()
  const { server, forge, gh, json } = world
  const { pulls } = server.state
  pulls.remote = repo.addOrigin()
  repo.commit({ "work.txt": "work\n" }, "work", repo.worktree("work"))
  repo.git("push", "--quiet", "origin", "work")
  const head = repo.tip("work") as Oid
  const { number } = await forge.open(PULL)
  await forge.decorate(number, { labels: [], reviewers: ["ada"] })
  const fields = "number,title,body,state,isDraft,headRefName,headRefOid,baseRefName,reviewRequests"
  const view = () => json("pr", "view", String(number), ...OF_DEMO, "--json", fields)
  expect(await view()).toEqual({
    ...{ number, title: "Work", body: "It works.", state: "OPEN", isDraft: false },
    ...{ headRefName: "work", headRefOid: head, baseRefName: "main" },
    reviewRequests: [{ __typename: "User", login: "ada" }],
  })

  const run = { commit: head, summary: "" }
  pulls.runs.push({ ...run, name: "ci", conclusion: "success" })
  pulls.runs.push({ ...run, name: "old", conclusion: "failure", isStatus: true })
  const { stdout } = await gh("pr", "checks", String(number), ...OF_DEMO)
  const rows = stdout.split("\n").map((line) => line.split("\t").slice(0, 2))
  expect(rows.toSorted()).toEqual([
    ["ci", "pass"],
    ["old", "fail"],
  ])
  const states = (await forge.listChecks(head)).map(({ name, state }) => [name, state])
  expect(states).toEqual([
    ["ci", "passed"],
    ["old", "failed"],
  ])

  const review = async (...how: readonly string[]) => {
    expect(await gh("pr", "review", String(number), ...OF_DEMO, ...how)).toMatchObject({
      isDone: true,
    })
    return reviewState(await forge.listReviews(number), head)
  }
  expect(await review("--request-changes", "--body", "Not yet.")).toBe("changes_requested")
  expect(await review("--approve")).toBe("approved")
  expect(await gh("pr", "merge", String(number), ...OF_DEMO, "--squash")).toMatchObject({
    isDone: true,
  })
  expect(await view()).toMatchObject({ state: "MERGED" })
  expect(await forge.read(number)).toMatchObject({ state: "merged", merge: pulls.tip("main") })
  expect(pulls.parents("main")).toHaveLength(1)
  expect((await gh("pr", "view", "99", ...OF_DEMO)).stderr).toContain("Could not resolve")
})

testGh("gh reads all pages, offers an issue, and sees how Coppice claims it", async () => {
  await using world = await start()
  const { server, gh, json, source } = world
  for (let n = 0; n < 5; n++) server.state.issues.open()
  const all = "repos/acme/demo/issues?per_page=2&state=open"
  const { stdout } = await gh("api", "--paginate", all, "--jq", ".[].number")
  expect(stdout.split("\n").toSorted()).toEqual(["1", "2", "3", "4", "5"])
  expect((await gh("api", "repos/acme/demo/issues/99")).stderr).toContain("Not Found")

  await gh("api", "repos/acme/demo/issues/1/labels", "-f", "labels[]=coppice")
  await gh("api", "repos/acme/demo/issues/1/comments", "-f", "body=Mine.")
  expect((await source.list(never)).ready).toEqual(["1"])
  expect(await source.claim({ item: "1", nonce: NONCE }, never)).toMatchObject({
    kind: "claimed",
  })
  const issue = await json("issue", "view", "1", ...OF_DEMO, "--json", "number,labels,comments")
  expect(issue).toMatchObject({
    number: 1,
    labels: [{ name: LABELS.inProgress }],
    comments: [
      { author: { login: "ada" }, body: "Mine." },
      { author: { login: "robot" }, body: expect.stringContaining(NONCE) },
    ],
  })
})
