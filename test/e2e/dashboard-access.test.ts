/** The login of a browser to the dashboard, and what a page of another origin can do: nothing. */
import { once } from "node:events"
import { type IncomingHttpHeaders, request } from "node:http"
import { createServer } from "node:net"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { LoginLinkDocument, SessionDocument } from "../../src/core/wire/browser.ts"
import { addressOf, ROUTES } from "../../src/core/wire/routes.ts"
import { Fleet } from "../support/fleet.ts"

type Asked = {
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}
type Answered = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Unlike `fetch`, sends every header as it is given. */
async function ask(origin: string, path: string, asked: Asked = {}): Promise<Answered> {
  const { method = asked.body ? "POST" : "GET", body } = asked
  const headers = { ...(body && { "content-type": "application/json" }), ...asked.headers }
  const sent = request(`${origin}${path}`, { method, headers, agent: false })
  sent.end(body && JSON.stringify(body))
  const [answer] = await once(sent, "response")
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

async function newLink(
  fleet: Fleet,
  ...options: string[]
): Promise<{ origin: string; code: string }> {
  const { url } = await fleet.json(LoginLinkDocument, ["ui", ...options])
  const { origin, hash } = new URL(url)
  return { origin, code: hash.replace("#/login/", "") }
}

const logIn = (origin: string, code: string, headers: Record<string, string> = { origin }) =>
  ask(origin, "/session", { headers, body: { code } })

/** The headers of a page that is logged in. */
async function openSession(fleet: Fleet, ...options: string[]) {
  const { origin, code } = await newLink(fleet, ...options)
  const answer = await logIn(origin, code)
  const { key } = SessionDocument.parse(JSON.parse(answer.text))
  const [cookie = ""] = answer.headers["set-cookie"]?.[0]?.split(";") ?? []
  return { origin, session: { cookie, "x-coppice-key": key } }
}

test("a login link works once, and its cookie is out of reach for scripts and other sites [38.1]", async () => {
  await using fleet = new Fleet()
  const { origin, code } = await newLink(fleet)
  const answer = await logIn(origin, code)
  expect(answer.status).toBe(200)
  expect(answer.headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^coppice-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    ),
  ])
  expect((await logIn(origin, code)).status).toBe(401)
  expect((await logIn(origin, `${code}x`)).status).toBe(401)
})

test("a page needs the cookie and its own key, and neither is enough alone [38.1]", async () => {
  await using fleet = new Fleet()
  const { origin, session } = await openSession(fleet)
  const { cookie, "x-coppice-key": key } = session
  const look = async (headers: Record<string, string>) =>
    (await ask(origin, "/task-lines", { headers })).status
  expect(await look(session)).toBe(200)
  expect(await look({ cookie })).toBe(401)
  expect(await look({ "x-coppice-key": key })).toBe(401)
  expect(await look({ ...session, "x-coppice-key": `${key}x` })).toBe(401)
  const other = await openSession(fleet)
  expect(await look({ cookie, "x-coppice-key": other.session["x-coppice-key"] })).toBe(401)
  await ask(origin, "/session/end", { headers: { ...session, origin }, body: {} })
  expect(await look(session)).toBe(401)
  expect(await look(other.session)).toBe(200)
})

test("a read-only link opens this home alone, and changes nothing [38.25]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.coppice("run", "true", "--title", "Seen")
  const { origin, session } = await openSession(fleet, "--read-only")
  const headers = { ...session, origin }
  const routes = Object.values(ROUTES).map(({ at }) => addressOf(at, "1"))
  for (const { method, path } of routes.filter(({ method }) => method === "POST")) {
    const answer = await ask(origin, path, { method, headers, body: {} })
    expect([path, answer.status, answer.text]).toEqual([path, 403, expect.stringContaining("look")])
  }
  expect((await ask(origin, "/task-lines", { headers })).text).toContain("Seen")
  for (const path of ["/tasks/1/why", "/queue", "/stats", "/tasks/1/log"])
    expect([path, (await ask(origin, path, { headers })).status]).toEqual([path, 200])
  for (const path of ["/homes", "/metrics", "/openapi.json"])
    expect([path, (await ask(origin, path, { headers })).status]).toEqual([path, 403])
  expect((await fleet.client.show("1")).state).toBe("complete")
  expect((await ask(origin, "/session/end", { headers, body: {} })).status).toBe(200)
  expect((await ask(origin, "/task-lines", { headers })).status).toBe(401)
})

test("a request with a foreign host or origin is refused, and so is a change without an origin [38.2]", async () => {
  await using fleet = new Fleet()
  await fleet.start("sleep 60")
  const { origin, session } = await openSession(fleet)
  const { port } = new URL(origin)
  const pause = async (headers: Record<string, string>) =>
    (await ask(origin, "/tasks/1/pause", { headers: { ...session, ...headers }, body: {} })).status
  const foreign = [
    "http://evil.example",
    `http://localhost:${port}`,
    "null",
    `https://127.0.0.1:${port}`,
  ]
  for (const one of foreign) {
    expect(await pause({ origin: one })).toBe(401)
    const headers = { ...session, origin: one }
    expect((await ask(origin, "/task-lines", { headers })).status).toBe(401)
    const { code } = await newLink(fleet)
    expect((await logIn(origin, code, { origin: one })).status).toBe(401)
  }
  for (const host of ["evil.example", `localhost:${port}`, `127.0.0.1:${Number(port) + 1}`]) {
    expect(await pause({ origin, host })).toBe(401)
    expect((await ask(origin, "/", { headers: { host } })).status).toBe(401)
  }
  expect(await pause({})).toBe(401)
  const { code } = await newLink(fleet)
  expect((await logIn(origin, code, {})).status).toBe(401)
  expect((await fleet.client.show("1")).state).toBe("working")
  expect(await pause({ origin })).toBe(200)
  expect((await fleet.client.show("1")).state).toBe("paused")
})

test("no answer may be framed, embedded or sniffed, and no script runs but the page's own files [38.3]", async () => {
  await using fleet = new Fleet()
  const { origin, session } = await openSession(fleet)
  for (const path of ["/", "/task-lines"]) {
    const { headers } = await ask(origin, path, { headers: session })
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for/,
    )
    expect(headers["content-security-policy"]).not.toMatch(/unsafe|\*|data:|https?:/)
    expect(headers).toMatchObject({
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    })
    expect(headers).not.toHaveProperty("access-control-allow-origin")
  }
})

test("a session outlives the daemon at its address; at another address it is over [38.4]", async () => {
  await using fleet = new Fleet()
  const { origin, session } = await openSession(fleet)
  process.kill(await fleet.pid(), "SIGKILL")
  await fleet.coppice("up", "-d")
  expect((await fleet.client.status()).address).toBe(origin)
  expect((await ask(origin, "/task-lines", { headers: session })).status).toBe(200)
  await fleet.coppice("down")
  const thief = createServer().listen(Number(new URL(origin).port), "127.0.0.1")
  await once(thief, "listening")
  await fleet.coppice("up", "-d")
  thief.close()
  const { address } = await fleet.client.status()
  expect(address).not.toBe(origin)
  const name = (cookie: string) =>
    cookie.replace(/^coppice-\d+/, `coppice-${new URL(address!).port}`)
  const moved = { ...session, cookie: name(session.cookie) }
  expect((await ask(address!, "/task-lines", { headers: moved })).status).toBe(401)
})

test("an agent gets no login link [38.1]", async () => {
  await using fleet = new Fleet()
  const id = await fleet.start('coppice ui > "$STEPS/link" 2>&1; echo $? >> "$STEPS/link"')
  await fleet.until(id)
  expect(fleet.noted("link").join("\n")).toMatch(/Agents report and do not decide.*\n(.*\n)*2$/)
})
