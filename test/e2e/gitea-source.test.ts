/** Issues of Gitea or Forgejo become tasks, also when the daemon is killed between a claim and its record. */
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { GiteaServer } from "../support/gitea-server.ts"
import { waitFor } from "../support/wait-for.ts"

const TOKEN = "token-of-robot"
const SH = 'env >> "$STEPS/env"; echo x > "$COPPICE_WORK_ITEM_ID"'

function createFleet(server: GiteaServer): Fleet {
  const fleet = new Fleet()
  const agent = { runtime: "command", command: SH, env: { STEPS: fleet.steps } }
  const gt = {
    type: "gitea",
    repo: "acme/app",
    api_url: server.url,
    token_variable: "GITEA_ROBOT_TOKEN",
    interval: "1s",
  }
  fleet.extra["GITEA_ROBOT_TOKEN"] = TOKEN
  const file = { version: 1, repos: { app: { gate: false } }, agents: { sh: agent } }
  fleet.approve({ ...file, sources: { gt } }, "configure")
  return fleet
}

/**
 * The requests of a claim, and of its end; the daemon is killed at the arrival of one, which has its
 * effect. With 0 it is not killed.
 */
const KILLED_AT = [0, 3, 4, 6, 7, 9, 10, 11]

test("an issue of Gitea becomes one task, at whatever request the daemon is killed [39.7]", async () => {
  await using server = await GiteaServer.start()
  server.state.labels.add("coppice")
  await using fleet = createFleet(server)
  for (const n of KILLED_AT) {
    const issue = server.state.issues.open({ labels: new Set(["coppice"]) })
    let isKilled = n === 0
    server.onRequest = async () => {
      const { served } = server
      const count = served.filter(({ path }) => path.includes(`/issues/${issue.number}`)).length
      if (isKilled || count !== n) return
      isKilled = true
      process.kill(await fleet.pid(), "SIGKILL")
    }
    await fleet.coppice("up", "-d")
    await waitFor(`the kill at request ${n}`, () => isKilled)
    await fleet.coppice("up", "-d")
    const results = () =>
      issue.comments.filter(({ body }) => body.startsWith("Coppice has landed this: "))
    await waitFor(`the result after a kill at ${n}`, () => results().length > 0)
    expect(results()).toHaveLength(1)
    expect(issue.comments).toHaveLength(2)
    await waitFor("the labels", () => issue.labels.size === 0)
  }
  const { tasks } = await fleet.client.list()
  expect(tasks.map(({ workItem }) => workItem).sort()).toEqual(
    KILLED_AT.map((_, at) => `gt-${at + 1}`),
  )
  expect(fleet.noted("env").join("\n")).not.toContain(TOKEN)
  const grep = () => execFileSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
  expect(grep, "the files of the home, and its logs").toThrow()
})
