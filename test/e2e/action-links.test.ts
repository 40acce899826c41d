/** The addresses in notifications: each acts once, on exactly what its message was about. */
import { globSync, readFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { Receiver } from "../support/receiver.ts"

const { browserTest, openDashboard, openPage } = withBrowser()

type Links = { page: string; actions: { action: string; url: string }[] }

/** A fleet whose dashboard a proxy serves at another address, and which tells a person's server. */
class Reached implements AsyncDisposable {
  readonly fleet = new Fleet()
  readonly #proxy = createServer((asked, answer) => {
    const { method, url: path, headers } = asked
    const { port } = new URL(this.#daemon)
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    sent.on("error", () => answer.destroy())
    asked.pipe(sent)
  })
  #daemon = ""
  readonly #receiver: Receiver

  private constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  static async start(sh: object = {}): Promise<Reached> {
    const reached = new Reached(await Receiver.start())
    const { fleet } = reached
    await new Promise<void>((done) => reached.#proxy.listen(0, "localhost", done))
    const command = 'if [ -f "$STEPS/$COPPICE_TURN" ]; then . "$STEPS/$COPPICE_TURN"; else sh; fi'
    const agent = { runtime: "command", command, env: { STEPS: fleet.steps }, ...sh }
    const file = {
      version: 1,
      repos: { app: { gate: false } },
      agents: { sh: agent },
      notify: { own: { type: "webhook", url: reached.#receiver.url } },
      dashboard: { url: reached.url },
    }
    fleet.approve(file, "reach it")
    await fleet.coppice("up", "-d")
    reached.#daemon = (await fleet.client.status()).address ?? ""
    return reached
  }

  get url(): string {
    return `http://localhost:${(this.#proxy.address() as AddressInfo).port}`
  }

  /** The addresses in the nth message. */
  async links(n = 1): Promise<Links> {
    const got = await this.#receiver.until(n)
    return JSON.parse(got[n - 1]!.body).links
  }

  async link(action: string, n = 1): Promise<string> {
    const { actions } = await this.links(n)
    return actions.find((one) => one.action === action)!.url
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#proxy.closeAllConnections()
    this.#proxy.close()
    await this.#receiver[Symbol.asyncDispose]()
    await this.fleet[Symbol.asyncDispose]()
  }
}

const REVIEWED = { landing: { mode: "approve" } }

/** As the form of the page does. */
async function post(url: string, words?: string) {
  const body = new URLSearchParams(words === undefined ? {} : { words })
  const { origin } = new URL(url)
  const answer = await fetch(url, { method: "POST", body, headers: { origin } })
  return { status: answer.status, text: await answer.text() }
}

test("an address approves the commits of its message, once, and looking at it changes nothing [41.8]", async () => {
  await using reached = await Reached.start(REVIEWED)
  const { fleet } = reached
  const id = await fleet.start("echo a > a.txt", "--title", "<b>First</b>")
  const approve = await reached.link("approve")
  const { head } = (await fleet.until(id)).repos[0]!
  for (const method of ["GET", "HEAD", "GET"]) {
    const looked = await fetch(approve, { method })
    expect(looked.status).toBe(200)
    const policy = looked.headers.get("content-security-policy")
    expect(policy).toMatch(/^default-src 'none'; form-action 'self'; .*frame-ancestors 'none'/)
    const page = await looked.text()
    if (method === "HEAD") continue
    expect(page).toContain("&lt;b&gt;First&lt;/b&gt;")
    expect(page).toContain(head!.slice(0, 12))
  }
  expect((await fleet.client.show(id)).state).toBe("in_approval")
  expect(await post(approve)).toMatchObject({ status: 200 })
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  const again = await post(approve)
  expect(again).toMatchObject({ status: 410, text: expect.stringContaining("works once") })
  expect((await fetch(approve)).status).toBe(410)
  const other = await post(await reached.link("reject"))
  expect(other).toMatchObject({ status: 409, text: expect.stringContaining("has moved on") })
})

test("an address is refused when the work has other commits since [41.9]", async () => {
  await using reached = await Reached.start(REVIEWED)
  const { fleet } = reached
  fleet.step(2, 'cat > "$STEPS/words"; echo b > b.txt')
  const id = await fleet.start("echo a > a.txt")
  const approve = await reached.link("approve")
  expect(await post(await reached.link("reject"), "Add <b>.")).toMatchObject({ status: 200 })
  const next = await reached.link("approve", 2)
  expect(fleet.noted("words").join("\n")).toContain("Add <b>.")
  const stale = await post(approve)
  expect(stale).toMatchObject({ status: 409, text: expect.stringContaining("has moved on") })
  expect((await fleet.client.show(id)).state).toBe("in_approval")
  expect((await post(next)).status).toBe(200)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

/** The number of the row and its signature, which may have a `-` too. */
function partsOf(link: string): [id: string, mac: string] {
  const [, id, mac] = /\/act\/(\d+)-(.{43})$/.exec(link) ?? []
  if (!id || !mac) throw new Error(`no code in ${link}`)
  return [id, mac]
}

test("an address that is not ours, from another site, or for another route is refused [41.9]", async () => {
  await using reached = await Reached.start(REVIEWED)
  const { fleet } = reached
  await fleet.start("echo a > a.txt")
  const approve = await reached.link("approve")
  const [id, mac] = partsOf(approve)
  for (const code of [`${Number(id) + 1}-${mac}`, `${id}-${"A".repeat(43)}`, "1", "x"])
    expect((await post(`${reached.url}/act/${code}`)).status).toBe(404)
  const foreign = { method: "POST", headers: { origin: "https://evil.example" } }
  expect((await fetch(approve, foreign)).status).toBe(401)
  const form = new URLSearchParams({ code: "x" })
  const headers = { origin: reached.url }
  const session = await fetch(`${reached.url}/session`, { method: "POST", body: form, headers })
  expect(session.status).toBe(400)
  expect((await fleet.client.show("1")).state).toBe("in_approval")
})

test("an address takes the answer to a question, which gets to the agent once [41.8]", async () => {
  await using reached = await Reached.start()
  const { fleet } = reached
  const id = await fleet.start(
    'coppice agent ask "Which <colour>?" --choice "red" --choice "<blue>" > "$STEPS/answer"',
  )
  const answer = await reached.link("answer")
  const page = await (await fetch(answer)).text()
  for (const shown of ["Which &lt;colour&gt;?", 'value="&lt;blue&gt;"', "<textarea"])
    expect(page).toContain(shown)
  expect(await post(answer, "")).toMatchObject({ status: 400 })
  expect(await post(answer, "<blue>")).toMatchObject({ status: 200 })
  await fleet.until(id, ({ state }) => state === "complete")
  expect(fleet.noted("answer").join("\n")).toContain("<blue>")
  expect((await post(answer, "red")).status).toBe(410)
})

test("no event, log or file of the home holds an address that works [41.10]", async () => {
  await using reached = await Reached.start(REVIEWED)
  const { fleet } = reached
  const id = await fleet.start("env > $STEPS/env; echo a > a.txt")
  const link = await reached.link("approve")
  const [, code] = link.split("/act/")
  const [, mac] = partsOf(link)
  await fetch(`${reached.url}/act/${code}`)
  await fetch(`${reached.url}/act/${code}x`)
  await fleet.event(({ type }) => type === "hook.ran")
  await post(`${reached.url}/act/${code}`)
  await fleet.until(id, ({ state }) => state === "complete")
  await fleet.coppice("down")
  const files = globSync(join(fleet.home.path, "**/*"), { withFileTypes: true })
  const texts = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  expect(texts.some((path) => path.endsWith("coppice.db"))).toBe(true)
  for (const path of texts) expect(readFileSync(path).includes(mac), path).toBe(false)
})

browserTest("a person approves on another device, without a login [41.8]", async () => {
  await using reached = await Reached.start(REVIEWED)
  const { fleet } = reached
  const id = await fleet.start("echo a > a.txt", "--title", "First")
  const page = await openPage()
  await page.goto(await reached.link("approve"))
  await page.getByRole("heading", { name: "Approve?" }).waitFor()
  await page.getByRole("button", { name: "Approve" }).click()
  await page.getByRole("heading", { name: "Approved" }).waitFor()
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
})

browserTest(
  "a browser logs in at the address of the proxy, beside one at the daemon's own [38.18]",
  async () => {
    await using reached = await Reached.start()
    const { fleet } = reached
    await fleet.until(await fleet.start("echo a > a.txt", "--title", "First"))
    await using here = await openDashboard(fleet)
    const { elsewhere } = await fleet.client.loginLink()
    const page = await openPage()
    await page.goto(elsewhere!)
    await page.getByText("complete").waitFor()
    await here.page.reload()
    await here.page.getByText("complete").waitFor()
  },
)
