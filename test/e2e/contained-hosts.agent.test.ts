/** Contained programs with a list of hosts, from outside: which they reach, and which they do not. */
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net"
import { afterAll, beforeAll, describe, expect, test as vitest } from "vitest"
import { containedBy, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import { Fleet } from "../support/fleet.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"

const images = TestImage.all()
const servers: Server[] = []
afterAll(() => {
  for (const image of images) image[Symbol.dispose]()
  for (const server of servers) server.close()
})

const [SANDBOX, ...CONTAINERS] = (await Promise.all(images.map(listKinds))).flatMap(
  ([sandbox, container], n) => (n === 0 ? [sandbox, container] : [container]),
)
const KINDS = [SANDBOX, ...CONTAINERS].flatMap((kind) => kind ?? [])
for (const { kind, missing } of KINDS)
  if (missing !== undefined)
    console.warn(`SKIPPED: hosts of \`containment: ${kind}\` are not tested: ${missing}`)

/** Servers on this machine: two of them are in the list. The second address is not `loopback` to programs. */
const at = { listed: "", unlisted: "", listedElsewhere: "", unlistedElsewhere: "" }

beforeAll(async () => {
  for (const [name, host] of [
    ["listed", "127.0.0.1"],
    ["unlisted", "127.0.0.1"],
    ["listedElsewhere", "127.0.0.2"],
    ["unlistedElsewhere", "127.0.0.2"],
  ] as const) {
    const server = createServer((_asked, answer) => answer.end("hello"))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    at[name] = `${host}:${(server.address() as AddressInfo).port}`
  }
})

/** Succeeds if an answer of our servers comes back. */
const reaches = (address: string, env = "") =>
  `${env} "\${COPPICE_PROGRAM:-node}" -e 'fetch("http://${address}/").then((r) => r.text()).then((text) => process.exit(text === "hello" ? 0 : 1), () => process.exit(2))'`

const ECHO = `"\${COPPICE_PROGRAM:-node}" -e '
  const server = require("node:http").createServer((_, answer) => answer.end()).listen(0, "127.0.0.1", () =>
    fetch("http://127.0.0.1:" + server.address().port).then(() => process.exit(0), () => process.exit(1)))'`

const noting = (lines: Readonly<Record<string, string>>) =>
  Object.entries(lines)
    .map(
      ([what, command]) =>
        `if (${command}) >/dev/null 2>&1; then echo "${what}: yes"; else echo "${what}: no"; fi >> found.txt`,
    )
    .join("\n")

describe.each(KINDS)("in a $kind ($engine)", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)
  const contained = containedBy(kind)

  test("an agent reaches the hosts of its list and Coppice, and no other [43.21, 43.22, 43.23, 43.24]", async () => {
    const network = [at.listed, at.listedElsewhere, "*.example.org"]
    const asked = {
      "a listed port of this machine": reaches(at.listed),
      "a listed address": reaches(at.listedElsewhere),
      "its own server": ECHO,
      Coppice: "coppice agent progress works",
      "another port of this machine": reaches(at.unlisted),
      "that port by another name": reaches(at.unlisted.replace("127.0.0.1", "localhost")),
      "that port through the proxy": reaches(at.unlisted, "NO_PROXY= no_proxy="),
      "another address": reaches(at.unlistedElsewhere),
      "a listed address without the proxy": reaches(at.listedElsewhere, "NODE_USE_ENV_PROXY=0"),
      "another host": reaches("not-listed.example"),
      "the same once more": reaches("not-listed.example"),
    }
    await using fleet = contained({}, { network })
    const id = await fleet.start(`${noting(asked)}\ngit add found.txt && git commit -qm found`)
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    const found = fleet.repo.git("show", "main:found.txt").split("\n")
    expect(found).toEqual(Object.keys(asked).map((what, n) => `${what}: ${n < 4 ? "yes" : "no"}`))
    const lines = (await fleet.coppice("logs", id)).stdout
    expect(lines.split("refused: not-listed.example:80 is not in contained.network")).toHaveLength(
      1,
    )
    expect(lines.split("refused: not-listed.example is not in contained.network")).toHaveLength(2)
    expect(lines).toContain(`refused: ${at.unlistedElsewhere} is not in contained.network`)
  })

  test("set-up, check and gate have the same hosts [43.21]", async () => {
    const both = `${reaches(at.listed)} && ! ${reaches(at.unlistedElsewhere)}`
    await using fleet = contained(
      { repo: { setup: both, check: both, gate: both } },
      { network: [at.listed] },
    )
    const id = await fleet.start("echo a > a.txt && git add . && git commit -qm work")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log()[0]).toBe("work")
  })
})

vitest.skipIf(images[0]?.missing !== undefined)(
  "a list of hosts needs no Node in the image, nor its libraries [43.21]",
  async () => {
    using bare = new TestImage("podman", { isBare: true })
    const [, container] = await listKinds(bare)
    await using fleet = containedBy(container!)({}, { network: [at.listed] })
    const id = await fleet.start(`exec 2>&1
      command -v node && exit 1
      bash -c 'exec 3<>/dev/tcp/${at.listed.replace(":", "/")} && printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3' > a.txt
      git add . && git commit -qm work`)
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.repo.git("show", "main:a.txt")).toContain("hello")
  },
)

vitest.skipIf(KINDS[0]?.missing !== undefined)(
  "Claude Code reaches its model through the proxy, and Coppice without it [43.21, 43.24]",
  async () => {
    const replies = [
      { tools: [{ name: "mcp__coppice__progress", input: { text: "half of it" } }] },
      { tools: [bash("echo a > a.txt && git add a.txt && git commit -qm work")] },
    ]
    await using api = await MessagesApi.start(() => replies.shift() ?? { text: "Done." })
    const model = await forward(Number(new URL(api.url).port))
    await using fleet = new Fleet()
    const address = { ANTHROPIC_BASE_URL: `http://${model}`, CLAUDE_CODE_MAX_RETRIES: "1" }
    Object.assign(fleet.extra, api.env, address)
    const worker = { runtime: "claude", containment: "sandbox", contained: { network: [model] } }
    fleet.configure({ repo: { gate: false }, agents: { worker } })
    const id = await fleet.start("Do it.", "--agent", "worker")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.log()[0]).toBe("work")
    expect((await fleet.coppice("logs", id)).stdout).toContain("half of it")
  },
)

/** The port of loopback, at an address that programs reach through a proxy. */
async function forward(port: number): Promise<string> {
  const server = createTcpServer((socket) => {
    const other = connect(port, "127.0.0.1")
    for (const one of [socket, other]) one.on("error", () => {})
    socket.pipe(other).pipe(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve))
  return `127.0.0.2:${(server.address() as AddressInfo).port}`
}
