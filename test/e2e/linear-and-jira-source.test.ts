/** Issues of Linear and Jira become tasks, also when the daemon is killed between a claim and its record. */
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { textOf } from "../../src/sources/jira/document.ts"
import type { Served } from "../support/api-server.ts"
import { Fleet } from "../support/fleet.ts"
import { JiraServer } from "../support/jira-server.ts"
import { identifierOf } from "../support/linear/issues.ts"
import { LinearServer } from "../support/linear-server.ts"
import { waitFor } from "../support/wait-for.ts"

const TOKEN = "token-of-robot"
const SH = 'env >> "$STEPS/env"; echo x > "$COPPICE_WORK_ITEM_ID"'

/** A tracker, and the hand of a person there. */
type Bench = {
  readonly server: AsyncDisposable & { onRequest: (request: Served) => void | Promise<void> }
  readonly source: object
  readonly variables: Readonly<Record<string, string>>
  open(): { readonly id: string; labels(): readonly string[]; said(): readonly string[] }
  isAbout(served: Served, id: string): boolean
}

async function startLinear(): Promise<Bench> {
  const server = await LinearServer.start()
  return {
    server,
    source: { type: "linear", team: "ENG", token_variable: "LINEAR_ROBOT_KEY" },
    variables: { LINEAR_ROBOT_KEY: TOKEN },
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
  const { url } = server as unknown as { readonly url: string }
  Object.assign(fleet.extra, variables)
  const sources = { tr: { ...source, api_url: url, interval: "1s" } }
  fleet.approve(
    { version: 1, repos: { app: { gate: false } }, agents: { sh: agent }, sources },
    "x",
  )
  return fleet
}

/** The requests of a claim, and of its end; the daemon is killed at one of them. With 0 it is not killed. */
const KILLED_AT = [0, 3, 5, 7, 9]

test.each([
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
    for (const n of KILLED_AT) {
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
    const grep = () => execFileSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
    expect(grep, "the files of the home, and its logs").toThrow()
  },
)
