/** `gh` of Debian, a second client, judges the double of GitHub: it and Coppice see the same. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Oid } from "../../src/base/ids.ts"
import { githubForge } from "../../src/features/pull-requests/forges/github.ts"
import { pullReviewState } from "../../src/features/pull-requests/rules.ts"
import { githubSource } from "../../src/features/sources/trackers/github.ts"
import { GitHubServer } from "./github-server.ts"
import { TestRepo } from "./repo.ts"

const never = new AbortController().signal
const NONCE = "1f0c9c52-0001-4000-8000-000000000000"
const LABELS = { ready: "coppice", inProgress: "coppice: in progress" }

const hasGh = spawnSync("gh", ["--version"]).status === 0
const testGh = (name: string, run: () => Promise<void>) =>
  test.skipIf(!hasGh)(hasGh ? name : `${name} (skipped: no gh)`, run)

/** `gh` as the user ada, which reaches the double alone. */
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
  const ghIn = (cwd: string, ...args: readonly string[]) =>
    new Promise<{ stdout: string; stderr: string; isDone: boolean }>((done) => {
      execFile("gh", args, { env, cwd }, (error, stdout, stderr) =>
        done({ stdout: stdout.trim(), stderr, isDone: error === null }),
      )
    })
  const gh = (...args: readonly string[]) => ghIn(folder, ...args)
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
    ...{ server, gh, ghIn, json },
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
    return pullReviewState(await forge.listPullReviews(number), head)
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

/** The columns of a list, without its times. */
const columns = (stdout: string, count: number) =>
  stdout.split("\n").map((line) => line.split("\t").slice(0, count))

testGh("gh opens, lists and closes pull requests, and Coppice sees the same ones", async () => {
  await using world = await start()
  using repo = new TestRepo()
  const { server, forge, gh, ghIn, json } = world
  server.state.issues.open({ labels: ["bug"] })
  server.state.pulls.remote = repo.addOrigin()
  const worktree = repo.worktree("work")
  repo.commit({ "work.txt": "work\n" }, "work", worktree)
  repo.git("push", "--quiet", "origin", "work")
  repo.git("remote", "set-url", "origin", "https://github.com/acme/demo.git")
  expect((await gh("pr", "list", ...OF_DEMO)).stdout).toBe("")

  const asked = ["--title", "Work", "--body", "It works.", "--label", "bug", "--head", "work"]
  const created = await ghIn(worktree, "pr", "create", ...asked)
  expect(created).toMatchObject({ isDone: true, stdout: "https://github.com/acme/demo/pull/2" })
  expect(await forge.findOpen(PULL)).toMatchObject({ number: 2, state: "open" })
  expect(await forge.open(PULL), "Coppice opens no second one").toMatchObject({ number: 2 })
  const again = await ghIn(worktree, "pr", "create", ...asked)
  expect(again.stderr).toContain("already exists")
  expect((await gh("pr", "create", ...OF_DEMO, ...asked, "--base", "gone")).isDone).toBe(false)

  for (const filter of [[], ["--head", "work"], ["--label", "bug"], ["--author", "ada"]]) {
    const { stdout } = await gh("pr", "list", ...OF_DEMO, ...filter)
    expect(columns(stdout, 4)).toEqual([["2", "Work", "work", "OPEN"]])
  }
  for (const filter of [
    ["--head", "other"],
    ["--label", "other"],
    ["--state", "closed"],
  ])
    expect(await json("pr", "list", ...OF_DEMO, ...filter, "--json", "number")).toEqual([])
  const status = await json("pr", "status", ...OF_DEMO, "--json", "number,headRefName")
  expect(status.createdBy).toEqual([{ number: 2, headRefName: "work" }])
  const here = await ghIn(worktree, "pr", "status")
  expect(here.stdout).toMatch(/Current branch\s+#2 {2}Work \[work\]/)

  expect(await gh("pr", "close", "2", ...OF_DEMO, "--comment", "Not now.")).toMatchObject({
    isDone: true,
  })
  expect(await forge.read(2)).toMatchObject({ state: "closed", merge: null })
  expect(await forge.findOpen(PULL)).toBeUndefined()
  expect(server.state.issues.find(2)!.comments).toMatchObject([{ author: "ada", body: "Not now." }])
  const closed = await gh("pr", "list", ...OF_DEMO, "--state", "closed")
  expect(columns(closed.stdout, 4)).toEqual([["2", "Work", "work", "CLOSED"]])
  expect((await forge.open(PULL)).number).toBe(3)
})

testGh("gh opens, comments on and closes issues, and Coppice takes the open ones", async () => {
  await using world = await start()
  const { server, gh, json, source } = world
  server.state.issues.open({ title: "First", labels: [LABELS.ready, "bug"], author: "robot" })
  const asked = ["--title", "Second", "--body", "Please.", "--label", LABELS.ready]
  const created = await gh("issue", "create", ...OF_DEMO, ...asked)
  expect(created.stdout).toBe("https://github.com/acme/demo/issues/2")
  const unknown = await gh("issue", "create", ...OF_DEMO, "-t", "x", "-b", "x", "-l", "unknown")
  expect(unknown.stderr).toContain("'unknown' not found")
  expect((await source.list(never)).ready).toEqual(["1", "2"])
  expect(await source.read("2", never)).toMatchObject({ title: "Second", text: "Please." })

  const { stdout: list } = await gh("issue", "list", ...OF_DEMO)
  expect(columns(list, 4)).toEqual([
    ["2", "OPEN", "Second", LABELS.ready],
    ["1", "OPEN", "First", `${LABELS.ready}, bug`],
  ])
  const mine = await gh("issue", "list", ...OF_DEMO, "--label", LABELS.ready, "--author", "ada")
  expect(columns(mine.stdout, 1)).toEqual([["2"]])
  const { stdout: labels } = await gh("label", "list", ...OF_DEMO)
  expect(columns(labels, 1)).toEqual([["bug"], [LABELS.ready]])

  expect(await source.claim({ item: "2", nonce: NONCE }, never)).toMatchObject({ kind: "claimed" })
  const { stdout: url } = await gh("issue", "comment", "2", ...OF_DEMO, "--body", "Thanks.")
  expect(url).toMatch(/issues\/2#issuecomment-\d+$/)
  await source.end({ item: "2", nonce: NONCE }, { kind: "done", text: "Landed." }, never)
  const { comments } = await json("issue", "view", "2", ...OF_DEMO, "--json", "comments")
  expect(comments.map(({ body }: { body: string }) => body.split("\n")[0])).toEqual([
    "A Coppice fleet works on this. To take it away from the fleet, delete this comment.",
    "Thanks.",
    "Landed.",
  ])
  for (const number of ["1", "2"])
    expect((await gh("issue", "close", number, ...OF_DEMO)).isDone).toBe(true)
  expect(await json("issue", "list", ...OF_DEMO, "--json", "number")).toEqual([])
  expect(await source.list(never)).toMatchObject({ ready: [] })
  expect(await source.claim({ item: "1", nonce: NONCE }, never)).toEqual({ kind: "gone" })
})
