/** Issues of every tracker become tasks, also when the daemon is killed between a claim and its record. */
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { textOf } from "../../src/features/sources/trackers/jira/document.ts"
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
   * effect. With 0 it is not killed.
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
    killedAt: [0, 3, 4, 6, 7, 8, 9, 10],
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
    killedAt: [0, 3, 4, 6, 7, 8, 9],
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
    killedAt: [0, 3, 4, 6, 7, 9, 10, 11],
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
    killedAt: [0, 3, 5, 7, 9],
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
    killedAt: [0, 3, 5, 7, 9],
    open: () => {
      const issue = server.state.open({ labels: ["coppice"] })
      const said = () => issue.comments.map(({ body }) => textOf(body))
      return { id: issue.key, labels: () => issue.labels, said }
    },
    isAbout: ({ path }, id) => path.includes(`/issue/${id}`),
  }
}

function createFleet({ server, source, variables }: Bench): Fleet {
  const fleet = new Fleet()
  const agent = { runtime: "command", command: SH, env: { STEPS: fleet.steps } }
  Object.assign(fleet.extra, variables)
  const sources = { tr: { ...source, api_url: server.url, interval: "1s" } }
  fleet.approve(
    { version: 1, repos: { app: { gate: false } }, agents: { sh: agent }, sources },
    "x",
  )
  return fleet
}

test.each([
  ["GitHub", startGitHub],
  ["GitLab", startGitLab],
  ["Gitea", startGitea],
  ["Linear", startLinear],
  ["Jira", startJira],
] as const)(
  "an issue of %s becomes one task, at whatever request the daemon is killed [39.7]",
  async (_, start) => {
    const bench = await start()
    const { server } = bench
    await using _server = server
    await using fleet = createFleet(bench)
    const ids: string[] = []
    for (const n of bench.killedAt) {
      const issue = bench.open()
      ids.push(`tr-${issue.id}`)
      let isKilled = n === 0
      let count = 0
      server.onRequest = async (served) => {
        if (!bench.isAbout(served, issue.id) || ++count !== n || isKilled) return
        isKilled = true
        process.kill(await fleet.pid(), "SIGKILL")
      }
      await fleet.coppice("up", "-d")
      await waitFor(`the kill at request ${n}`, () => isKilled)
      await fleet.coppice("up", "-d")
      const results = () =>
        issue.said().filter((one) => one.startsWith("Coppice has landed this: "))
      await waitFor(`the result after a kill at ${n}`, () => results().length > 0)
      await waitFor("the labels", () => issue.labels().length === 0)
      expect([results().length, issue.said().length]).toEqual([1, 2])
    }
    const { tasks } = await fleet.client.list()
    expect(tasks.map(({ workItem }) => workItem).toSorted()).toEqual(ids.toSorted())
    expect(fleet.noted("env").join("\n")).not.toContain(TOKEN)
    const found = spawnSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
    expect(String(found.stdout), "the files of the home, and its logs").toBe("")
  },
)
