/** The login of a browser to the dashboard, and what a page of another origin can do: nothing. */
import { once } from "node:events"
import { globSync, readFileSync } from "node:fs"
import { type IncomingHttpHeaders, request } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { LoginLinkDocument, SessionDocument } from "../../src/api/wire/browser.ts"
import { addressOf, ROUTES } from "../../src/api/wire/routes.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

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
  const { id } = (await fleet.client.homes()).homes[0]!
  for (const path of ["/homes", "/metrics", "/openapi.json", `/homes/${id}/task-lines`])
    expect([path, (await ask(origin, path, { headers })).status]).toEqual([path, 403])
  expect((await fleet.client.show("1")).state).toBe("complete")
  expect((await ask(origin, "/session/end", { headers, body: {} })).status).toBe(200)
  expect((await ask(origin, "/task-lines", { headers })).status).toBe(401)
})

test("a request with a foreign host or origin is refused, and so is a change without an origin [38.2]", async () => {
  await using fleet = new Fleet()
  await fleet.until(await fleet.start("sleep 1000"), ({ state }) => state === "working")
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
  await fleet.kill()
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

const SIZE = "columns=80&rows=24"
/** How a WebSocket to a terminal ends, or the first words of the daemon. */
async function openTerminal(
  origin: string,
  headers: Record<string, string>,
  query = SIZE,
): Promise<{ socket: WebSocket; said: string }> {
  const url = `${origin.replace("http", "ws")}/tasks/1/terminal?${query}`
  const socket = new WebSocket(url, { headers } as unknown as string[])
  socket.binaryType = "arraybuffer"
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.onmessage = ({ data }) => resolve(String(data))
  socket.onclose = () => resolve("closed")
  socket.onerror = () => resolve("refused")
  return { socket, said: await promise }
}

/** The headers of a page's WebSocket: its key is a subprotocol there. */
const socketHeaders = (origin: string, session: { cookie: string; "x-coppice-key": string }) => ({
  origin,
  cookie: session.cookie,
  "sec-websocket-protocol": `coppice, coppice-key.${session["x-coppice-key"]}`,
})

async function withWorktree(): Promise<Fleet> {
  const fleet = new Fleet({ repo: { gate: false } })
  fleet.extra["SHELL"] = "/bin/sh"
  const id = await fleet.start("printf %s $COPPICE_TOKEN >token.txt; echo written; sleep 1000")
  await fleet.until(id, ({ repos }) => Boolean(repos[0]?.worktree))
  return fleet
}

test("only a page of the person gets a terminal: no reader, agent, program or foreign page [38.38]", async () => {
  await using fleet = await withWorktree()
  const { origin, session } = await openSession(fleet)
  const reader = await openSession(fleet, "--read-only")
  const state = globSync(`${fleet.home.path}/state/coppice/*/daemon.json`)
  const { token } = JSON.parse(readFileSync(state[0]!, "utf8"))
  await waitFor("the agent's token", async () => {
    const { lines } = await fleet.client.log("1")
    return lines.some(({ text }) => text === "written")
  })
  const { repos } = await fleet.client.show("1")
  const said = readFileSync(join(repos[0]!.worktree!, "token.txt"), "utf8")
  const bearer = (of: string) => ({ authorization: `Bearer ${of}` })
  const own = socketHeaders(origin, session)
  const refused = {
    reader: { ...socketHeaders(origin, reader.session), ...reader.session },
    agent: bearer(said),
    "the daemon's own token": bearer(token),
    "another page": { ...own, origin: "http://evil.example" },
    "a page of another port": { ...own, origin: origin.replace(/\d+$/, "1") },
    "no page": { cookie: own.cookie, "sec-websocket-protocol": own["sec-websocket-protocol"] },
    nobody: { origin },
  }
  for (const [who, headers] of Object.entries(refused)) {
    expect([who, (await openTerminal(origin, headers)).said]).toEqual([who, "refused"])
    const plain = await ask(origin, `/tasks/1/terminal?${SIZE}`, { headers })
    // A plain GET needs no origin, and this one starts nothing.
    const status = who === "reader" ? 403 : who === "no page" ? 200 : 401
    expect([who, plain.status]).toEqual([who, status])
  }
  const { processes } = await fleet.client.facts("1")
  expect(processes.map(({ purpose }) => purpose)).toEqual(["agent"])
  const { socket, said: note } = await openTerminal(origin, own)
  expect(JSON.parse(note)).toMatchObject({ next: 0, notice: null, ended: null })
  socket.close()
})

test("sizes, messages and the number of terminals are bounded, and a session's end is theirs [38.39]", async () => {
  await using fleet = await withWorktree()
  const { origin, session } = await openSession(fleet)
  const headers = socketHeaders(origin, session)
  const asks = async (query: string, ref = "1") =>
    (await ask(origin, `/tasks/${ref}/terminal?${query}`, { headers: session })).text
  for (const query of [
    "",
    "columns=80",
    "columns=0&rows=24",
    "columns=80&rows=1001",
    "columns=1e9&rows=2",
    "columns=80&rows=24&shell=x",
  ])
    expect([query, await asks(query)]).toEqual([query, expect.stringContaining("request.invalid")])
  expect(await asks(`${SIZE}&terminal=${"0".repeat(16)}`)).toContain(
    "This terminal of task 1 has ended.",
  )
  expect(await asks(SIZE, "7")).toContain("task.not_found")
  expect(await asks(SIZE)).toContain('"ended":null')

  const open = []
  for (let n = 0; n < 4; n++) open.push(await openTerminal(origin, headers))
  expect(await asks(SIZE)).toContain("No terminal of task 1 opens: 4 of the task are open.")
  const [first, second, third, fourth] = open.map(({ socket }) => socket)
  const ends = (socket: WebSocket | undefined) =>
    new Promise((resolve) => {
      let last = ""
      socket!.onmessage = ({ data }) => {
        if (typeof data === "string") last = JSON.parse(data).ended
      }
      socket!.onclose = () => resolve(last)
    })
  first!.send("not json")
  expect(await ends(first)).toBe("Its page sent what is no message.")
  second!.send(JSON.stringify({ columns: 5, rows: 100_000 }))
  expect(await ends(second)).toBe("Its page sent what is no message.")
  const { socket: silent } = await openTerminal(origin, headers)
  third!.send(new Uint8Array(5_000))
  await ends(third)
  const last = [ends(fourth), ends(silent)] // watched before they can end
  await ask(origin, "/session/end", { headers: { ...session, origin }, body: {} })
  fourth!.send(new TextEncoder().encode("echo still here\n"))
  expect(await Promise.all(last)).toEqual([
    "This browser is logged out.",
    "This browser is logged out.",
  ])
})
