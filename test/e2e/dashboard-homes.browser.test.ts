/** All homes at one address: two daemons of one person, one of which passes requests on to the other. */
import { once } from "node:events"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { connect } from "../../src/api/client/connect.ts"
import { readLastDaemon } from "../../src/api/client/daemon-address.ts"
import { stateDirOf } from "../../src/api/client/state-dir.ts"
import { HomeSummariesDocument } from "../../src/api/wire/home.ts"
import { TaskDocument } from "../../src/api/wire/tasks.ts"
import { approveConfig } from "../../src/features/trust/find-unapproved.ts"
import { expectAccessible, withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"
import { PIXEL } from "../support/pixel.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

const EVIL = "<img src=x onerror=alert(1)>"
const CONFIG = {
  version: 1,
  repos: { app: { gate: false } },
  agents: { sh: { runtime: "command", command: "sh", landing: { mode: "approve" } } },
}
const { browserTest, openDashboard } = withBrowser()

/** A person with two homes: that of the fleet, and another one. */
class TwoHomes implements AsyncDisposable {
  readonly fleet = new Fleet({ repo: { gate: false } })
  readonly other = new TestRepo()
  readonly stateDir: string

  constructor() {
    const { fleet, other } = this
    Object.assign(fleet.extra, { SHELL: "/bin/sh", ENV: "" })
    other.commit({ "coppice.yml": JSON.stringify(CONFIG) })
    approveConfig({ home: other.path }, fleet.env)
    this.stateDir = stateDirOf(other.path, fleet.env)
  }

  there(...args: string[]) {
    return coppice(this.other.path, args, { env: this.fleet.env })
  }

  get id(): string {
    return this.stateDir.split("/").at(-1)!
  }

  async homes() {
    return HomeSummariesDocument.parse(await this.fleet.client.homes()).homes
  }

  /** A request at the fleet's daemon, with its token and exactly this path, which `fetch` would tidy up. */
  async ask(path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) {
    const { address, token } = readLastDaemon(stateDirOf(this.fleet.repo.path, this.fleet.env))!
    const { hostname, port } = new URL(address)
    const method = body ? "POST" : "GET"
    const type = body && { "content-type": "application/json" }
    const all = { authorization: `Bearer ${token}`, ...type, ...headers }
    const sent = request({ hostname, port, path, method, headers: all, agent: false })
    sent.end(body && JSON.stringify(body))
    const [answer] = await once(sent, "response")
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet[Symbol.asyncDispose]()
    this.other[Symbol.dispose]()
  }
}

const card = (page: Page, path: string) =>
  page.locator("section.card").filter({ has: page.getByText(path, { exact: true }) })

browserTest(
  "one address shows and works every home: its tasks, files and terminals [38.15, 38.41]",
  async () => {
    await using two = new TwoHomes()
    const { fleet, other, there } = { ...two, there: two.there.bind(two) }
    await there("run", `echo '${EVIL}'; exit 75`, "--title", `Stuck ${EVIL}`)
    const shot = join(fleet.steps, "shot.png")
    writeFileSync(shot, Buffer.from(PIXEL, "base64"))
    const asked = ["echo 1 > new.txt; exit 0", "--title", "Reviewed", "--attach", shot]
    const { stdout } = await there("run", ...asked, "--json")
    const { id } = TaskDocument.parse(JSON.parse(stdout))
    await fleet.coppice("run", "true", "--title", "Here")
    await using dashboard = await openDashboard(fleet)
    const { page, open, problems } = dashboard
    const { origin } = new URL(page.url())
    await open("#/homes")
    await card(page, other.path).getByText("2 needs you").waitFor()
    await card(page, other.path)
      .getByRole("link", { name: `Stuck ${EVIL}` })
      .waitFor()
    await card(page, fleet.repo.path).getByRole("link", { name: "This home" }).waitFor()
    const boxes = () =>
      Promise.all([other, fleet.repo].map(({ path }) => card(page, path).boundingBox()))
    const areSideBySide = async () => {
      const [first, second] = await boxes()
      const { x, y, width } = second!
      return y === first!.y && width === first!.width && x > first!.x
    }
    await expect.poll(areSideBySide, { message: "side by side" }).toBe(true)
    await expectAccessible(dashboard)

    await card(page, other.path).getByRole("link", { name: "Open repo" }).click()
    await page.getByRole("region", { name: "Needs you 2" }).getByText("Stuck <").waitFor()
    expect(page.url()).toBe(`${origin}/homes/${two.id}/#/`)
    await there("run", "true", "--title", "Watched")
    await page.getByRole("region", { name: /^Done/ }).getByText("Watched").waitFor()

    await open(`#/task/${id}`)
    await page.getByText("shot.png (").click()
    const width = () => page.evaluate("document.querySelector('img.shot')?.naturalWidth")
    await waitFor("the image", async () => (await width()) === 1)
    await open(`#/task/${id}/terminal`)
    await page.getByRole("button", { name: "New terminal" }).click()
    await page.getByText("Shift+F6 leaves").waitFor()
    await page
      .locator(".xterm-rows")
      .getByText(/[$#] ?$/)
      .first()
      .waitFor()
    await page.locator(".xterm-helper-textarea").focus()
    await page.keyboard.type("echo $((40 + 2)) $(cat new.txt)\n")
    await page.locator(".xterm-rows").getByText(/^42 1/).waitFor()
    await page.reload()
    await page.locator(".xterm-rows").getByText(/^42 1/).waitFor()
    expect(page.url()).toBe(`${origin}/homes/${two.id}/#/task/${id}/terminal`)
    await page.getByRole("button", { name: "End" }).click()
    await page.getByRole("button", { name: "Close" }).waitFor()

    await page.getByRole("button", { name: /^Approve / }).click()
    await page.locator(".facts .state").getByText("complete").first().waitFor()
    expect(other.git("show", "main:new.txt")).toBe("1")
    await page.goto(`${origin}/`)
    await page.getByRole("region", { name: "Done 1" }).getByText("Here").waitFor()
    expect(await page.locator("#root img").count()).toBe(0)
    expect(problems).toEqual([])
  },
)

browserTest("a terminal in another home ends with the session of its page [38.41]", async () => {
  await using two = new TwoHomes()
  const { fleet, other } = two
  await two.there("run", "echo 1 > new.txt", "--title", "Reviewed")
  await using dashboard = await openDashboard(fleet)
  const { page } = dashboard
  const { origin } = new URL(page.url())
  await page.goto(`${origin}/homes/${two.id}/#/task/1/terminal`)
  await page.getByRole("button", { name: "New terminal" }).click()
  await page
    .locator(".xterm-rows")
    .getByText(/[$#] ?$/)
    .first()
    .waitFor()
  const client = connect({ cwd: other.path, env: fleet.env })
  const processes = async () => (await client.facts("1")).processes.map(({ purpose }) => purpose)
  expect(await processes()).toEqual(["terminal"])
  await page.evaluate(`fetch("/session/end", {
    method: "POST",
    headers: { "content-type": "application/json", "x-coppice-key": localStorage["coppice-key"] },
    body: "{}",
  })`)
  await page.locator(".xterm-helper-textarea").focus()
  await page.keyboard.type("touch typed.txt\n")
  await waitFor("its end", async () => (await processes()).length === 0)
  const [repo] = (await client.show("1")).repos
  expect(existsSync(join(repo!.worktree!, "typed.txt"))).toBe(false)
})

browserTest(
  "the page of a home goes on when its daemon restarts at another port, and says that it is stopped [38.42]",
  async () => {
    await using two = new TwoHomes()
    const { fleet, other, there } = { ...two, there: two.there.bind(two) }
    await there("run", "true", "--title", "First")
    await using dashboard = await openDashboard(fleet)
    const { page } = dashboard
    const { origin } = new URL(page.url())
    await page.goto(`${origin}/homes/${two.id}/`)
    await page.getByText("First").waitFor()
    await there("down")
    await page.getByRole("status").getByText("Not live").waitFor()
    const { port } = new URL(readLastDaemon(two.stateDir)!.address)
    const squatter = createServer((_, answer) => answer.end("{}")).listen(Number(port), "127.0.0.1")
    await once(squatter, "listening")
    await page.goto(`${origin}/#/homes`)
    await card(page, other.path).getByText("Stopped: no daemon runs.").waitFor()
    await card(page, other.path).getByText("1 done").waitFor()
    await page.goto(`${origin}/homes/${two.id}/`)
    await page.getByText(`No daemon runs in ${other.path}.`).waitFor()
    await there("run", "true", "--title", "Second")
    expect(new URL(readLastDaemon(two.stateDir)!.address).port).not.toBe(port)
    await page.getByRole("region", { name: "Done 2" }).getByText("Second").waitFor()
    squatter.close()
  },
)

test("requests lead to routes of homes in the list alone, and start no daemon [38.41]", async () => {
  await using two = new TwoHomes()
  await two.there("run", "true", "--title", "Seen")
  await two.fleet.coppice("up", "-d")
  const { id } = two
  expect((await two.homes()).map((home) => [home.id, home.own]).sort()).toContainEqual([id, false])
  expect((await two.ask(`/homes/${id}/task-lines`)).text).toContain("Seen")
  const wrong = [
    "none",
    "..",
    "%2e%2e",
    `..%2f${id}`,
    `${id}%2f.`,
    `${id}%00`,
    ".",
    "%2f",
    "a%0d%0ab",
  ]
  for (const one of wrong)
    expect([one, (await two.ask(`/homes/${one}/task-lines`)).status]).toEqual([one, 404])
  // No route of another name, so nothing leads on to a third daemon, or to the files of the page.
  for (const path of ["homes", `homes/${id}/status`, "metrics", "session", "nothing", "assets/x"])
    expect([path, (await two.ask(`/homes/${id}/${path}`)).status]).toEqual([path, 400])
  const refs = ["1%2f..%2f..%2fstatus", "..", "%2e%2e%2fstatus"]
  for (const ref of refs)
    expect((await two.ask(`/homes/${id}/tasks/${ref}`)).text).not.toContain('"uptimeS"')
  // A home whose configuration waits for an approval keeps no other one from its work.
  expect((await two.fleet.coppice("trust", "--revoke")).code).toBe(0)
  const made = await two.ask(`/homes/${id}/tasks`, { body: { prompt: "true" } })
  expect([made.status, made.text]).toEqual([200, expect.stringContaining('"task"')])
  chmodSync(two.stateDir, 0o777)
  expect((await two.ask(`/homes/${id}/task-lines`)).status).toBe(404)
  chmodSync(two.stateDir, 0o700)
  await two.there("down")
  const stopped = await two.ask(`/homes/${id}/task-lines`)
  expect([stopped.status, stopped.text]).toEqual([503, expect.stringContaining("home.stopped")])
  expect((await two.homes()).find((home) => home.id === id)).toMatchObject({
    running: false,
    counts: { done: expect.any(Number) }, // the second task may have ended too
  })
})

test("a daemon that does not answer is named, and a passed-on connection ends and leaves no warning [38.41, 38.48]", async () => {
  await using two = new TwoHomes()
  await two.there("run", "true")
  await two.fleet.coppice("up", "-d")
  const { address, token } = readLastDaemon(stateDirOf(two.fleet.repo.path, two.fleet.env))!
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }
  const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }
  const headers = { authorization: `Bearer ${token}`, ...upgrade, ...key }
  const sent = request(`${address}/homes/${two.id}/events/follow?after=0`, { headers }).end()
  const [{ statusCode }, socket] = await once(sent, "upgrade")
  expect(statusCode).toBe(101)
  const { pid } = readLastDaemon(two.stateDir)!
  process.kill(pid, "SIGSTOP")
  await once(socket.resume(), "close") // within ten seconds
  const { status, text } = await two.ask(`/homes/${two.id}/status`)
  process.kill(pid, "SIGCONT")
  expect([status, text]).toEqual([503, expect.stringContaining(`its process ${pid} is stopped`)])
  expect(text).toContain("home.silent")
  expect(two.fleet.home.daemonLogs()).not.toContain("Warning")
})

test("of an answer of the other daemon, only status and document go back [38.41]", async () => {
  await using two = new TwoHomes()
  await two.there("run", "true")
  await two.fleet.coppice("up", "-d")
  const seen: string[] = []
  const evil = createServer(({ url, headers }, answer) => {
    seen.push(`${url} ${headers.cookie} ${headers["x-coppice-key"]} ${headers.origin}`)
    const all = { "set-cookie": "coppice-1=x", location: "https://evil.example" }
    answer.writeHead(200, { ...all, "content-type": "text/html" }).end(EVIL)
  })
  evil.on("upgrade", (_, socket) =>
    socket.end("HTTP/1.1 401 No\r\nSet-Cookie: coppice-1=x\r\n\r\n"),
  )
  await once(evil.listen(0, "127.0.0.1"), "listening")
  const file = join(two.stateDir, "daemon.json")
  const published = JSON.parse(readFileSync(file, "utf8"))
  const publish = (change: object) =>
    writeFileSync(file, JSON.stringify({ ...published, ...change }), { mode: 0o600 })
  const { port } = evil.address() as { port: number }
  publish({ address: `http://127.0.0.1:${port}` })
  const headers = { cookie: "a=b", "x-other": "c" }
  const answer = await two.ask(`/homes/${two.id}/task-lines?finished=1`, { headers })
  expect(answer.headers["set-cookie"]).toBeUndefined()
  expect(answer.headers.location).toBeUndefined()
  expect(answer.headers["content-type"]).toMatch("application/json")
  expect(answer.headers["x-content-type-options"]).toBe("nosniff")
  expect(seen).toEqual(["/task-lines?finished=1 undefined undefined undefined"])
  publish({ address: `http://evil.example:${port}` })
  expect((await two.ask(`/homes/${two.id}/task-lines`)).text).toContain("home.stopped")
  publish({ version: "0.0.0" })
  const other = await two.ask(`/homes/${two.id}/task-lines`)
  expect([other.status, other.text]).toEqual([503, expect.stringContaining("home.other_version")])
  publish({})
  await waitFor("it again", async () => (await two.ask(`/homes/${two.id}/status`)).status === 200)
  evil.close()
})
