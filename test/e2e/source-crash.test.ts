/**
 * Issues of every tracker become tasks, also when the daemon is killed between a claim and its record.
 *
 * The contract of trackers has every request of each fail. Here the daemon dies: at each request of one
 * tracker, and once at each of the others.
 */
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { textOfDocument } from "../../src/features/sources/trackers/jira/document.ts"
import type { ApiServer, Served } from "../support/api-server.ts"
import { Fleet } from "../support/fleet.ts"
import { GiteaServer } from "../support/gitea-server.ts"
import { GitHubServer } from "../support/github-server.ts"
import { GitLabServer } from "../support/gitlab-server.ts"
import { JiraServer } from "../support/jira-server.ts"
import { identifierOf } from "../support/linear/issues.ts"
import { LinearServer } from "../support/linear-server.ts"
import { waitFor } from "../support/wait-for.ts"

const TOKEN = "token-of-robot"
const SH = 'env >> "$STEPS/env"; echo x > "$COPPICE_WORK_ITEM_ID"'

/** A tracker, and the hand of a person there. */
type Bench = {
  readonly server: Pick<ApiServer<unknown>, "url" | "onRequest"> & AsyncDisposable
  readonly source: object
  readonly variables: Readonly<Record<string, string>>
  /**
   * The requests of a claim, and of its end. The daemon is killed at the arrival of one, which has its
   * effect.
   */
  readonly killedAt: readonly number[]
  open(): { readonly id: string; labels(): readonly string[]; said(): readonly string[] }
  isAbout(served: Served, id: string): boolean
}

const isIssue = ({ path }: Served, id: string) => path.includes(`/issues/${id}`)

async function startGitHub(): Promise<Bench> {
  const server = await GitHubServer.start()
  return {
    server,
    source: { type: "github", repo: "acme/app", token_variable: "GITHUB_ROBOT_TOKEN" },
    variables: { GITHUB_ROBOT_TOKEN: TOKEN },
    killedAt: [3, 4, 6, 7, 8, 9, 10],
    open: () => {
      const issue = server.state.issues.open({ labels: ["coppice"] })
      const said = () => issue.comments.map(({ body }) => body)
      return { id: String(issue.number), labels: () => issue.labels, said }
    },
    isAbout: isIssue,
  }
}

async function startGitLab(): Promise<Bench> {
  const server = await GitLabServer.start()
  return {
    server,
    source: { type: "gitlab", repo: "acme/group/app", token_variable: "GITLAB_ROBOT_TOKEN" },
    variables: { GITLAB_ROBOT_TOKEN: TOKEN },
    killedAt: [6],
    open: () => {
      const issue = server.state.issues.open({ labels: ["coppice"] })
      const said = () => issue.notes.filter(({ system }) => !system).map(({ body }) => body)
      return { id: String(issue.iid), labels: () => issue.labels, said }
    },
    isAbout: isIssue,
  }
}

async function startGitea(): Promise<Bench> {
  const server = await GiteaServer.start()
  server.state.labels.add("coppice")
  return {
    server,
    source: { type: "gitea", repo: "acme/app", token_variable: "GITEA_ROBOT_TOKEN" },
    variables: { GITEA_ROBOT_TOKEN: TOKEN },
    killedAt: [9],
    open: () => {
      const issue = server.state.issues.open({ labels: new Set(["coppice"]) })
      const said = () => issue.comments.map(({ body }) => body)
      return { id: String(issue.number), labels: () => [...issue.labels], said }
    },
    isAbout: isIssue,
  }
}

async function startLinear(): Promise<Bench> {
  const server = await LinearServer.start()
  return {
    server,
    source: { type: "linear", team: "ENG", token_variable: "LINEAR_ROBOT_KEY" },
    variables: { LINEAR_ROBOT_KEY: TOKEN },
    killedAt: [5],
    open: () => {
      const issue = server.state.open({ labels: ["coppice"] })
      const said = () => issue.comments.map(({ body }) => body)
      return { id: identifierOf(issue), labels: () => issue.labels, said }
    },
    isAbout: ({ body }, id) => {
      const variables = JSON.stringify(body["variables"])
      return variables.includes(id) || variables.includes(`"number":{"eq":${id.slice(4)}}`)
    },
  }
}

async function startJira(): Promise<Bench> {
  const server = await JiraServer.start()
  return {
    server,
    source: { type: "jira", project: "ENG", token_variable: "JIRA_ROBOT_TOKEN" },
    variables: { JIRA_ROBOT_TOKEN: TOKEN, JIRA_EMAIL: "bot@acme.example" },
    killedAt: [7],
    open: () => {
      const issue = server.state.open({ labels: ["coppice"] })
      const said = () => issue.comments.map(({ body }) => textOfDocument(body))
      return { id: issue.key, labels: () => issue.labels, said }
    },
    isAbout: ({ path }, id) => path.includes(`/issue/${id}`),
  }
}

const BENCHES = {
  github: startGitHub,
  gitlab: startGitLab,
  gitea: startGitea,
  linear: startLinear,
  jira: startJira,
} as const

type Benches = Readonly<Record<string, Bench>>

function createFleet(benches: Benches): Fleet {
  const fleet = new Fleet()
  const agent = { runtime: "command", command: SH, env: { STEPS: fleet.steps } }
  const sources: Record<string, object> = {}
  for (const [name, { server, source, variables }] of Object.entries(benches)) {
    Object.assign(fleet.extra, variables)
    sources[name] = { ...source, api_url: server.url, interval: "1s" }
  }
  fleet.approve(
    { version: 1, repos: { app: { gate: false } }, agents: { sh: agent }, sources },
    "x",
  )
  return fleet
}

test("an issue of every tracker becomes one task, at whatever request the daemon is killed [39.7]", async () => {
  await using servers = new AsyncDisposableStack()
  const benches: Record<string, Bench> = {}
  for (const [name, start] of Object.entries(BENCHES)) {
    benches[name] = await start()
    servers.use(benches[name].server)
  }
  await using fleet = createFleet(benches)
  const ids: string[] = []
  const checks: (() => void)[] = []
  const land = async (name: string, n?: number) => {
    const bench = benches[name]!
    const issue = bench.open()
    ids.push(`${name}-${issue.id}`)
    let isKilled = false
    let count = 0
    bench.server.onRequest = async (served) => {
      if (!bench.isAbout(served, issue.id) || ++count !== n) return
      await fleet.kill()
      isKilled = true
    }
    if (n !== undefined) {
      await waitFor(`the kill at request ${n} of ${name}`, () => isKilled)
      await fleet.coppice("up", "-d")
    }
    const results = () => issue.said().filter((one) => one.startsWith("Coppice has landed this: "))
    await waitFor(`the result after a kill at ${n} of ${name}`, () => results().length > 0)
    await waitFor(`the labels of ${name}`, () => issue.labels().length === 0)
    const check = () =>
      expect(
        [results().length, issue.said().length],
        `${name}-${issue.id}, killed at ${n}`,
      ).toEqual([1, 2])
    check()
    checks.push(check)
  }
  await fleet.coppice("up", "-d")
  await Promise.all(Object.keys(benches).map((name) => land(name)))
  for (const [name, { killedAt }] of Object.entries(benches))
    for (const n of killedAt) await land(name, n)
  // The next daemon would have said it again by now.
  for (const check of checks) check()
  const { tasks } = await fleet.client.list()
  expect(tasks.map(({ workItem }) => workItem).toSorted()).toEqual(ids.toSorted())
  expect(fleet.noted("env").join("\n")).not.toContain(TOKEN)
  const found = spawnSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
  expect(String(found.stdout), "the files of the home, and its logs").toBe("")
})
