import { execFile } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { branchRef, type Oid } from "../../../base/ids.ts"
import { push } from "./push.ts"

const MOVE = { ref: branchRef("work"), from: null }
const NETWORK = { timeoutMs: 30_000 }

/** Serves the refs of a repository to all. Pushes get the given status. */
async function serve(path: string, status: number) {
  const server = createServer(async ({ url = "" }, response) => {
    if (!url.endsWith("info/refs?service=git-upload-pack"))
      return void response.writeHead(status).end()
    const command = ["upload-pack", "--stateless-rpc", "--advertise-refs", path]
    const { stdout } = await promisify(execFile)("git", command, { encoding: "latin1" })
    const type = "application/x-git-upload-pack-advertisement"
    response.writeHead(200, { "content-type": type })
    response.end(`001e# service=git-upload-pack\n0000${stdout}`, "latin1")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const remote = { name: "origin", push: url, fetch: url }
  return { remote, [Symbol.asyncDispose]: async () => void server.close() }
}

test.each([
  [403, "refused"],
  [503, "unreachable"],
])("a server that answers a push with %i counts as %s", async (status, kind) => {
  using repo = new TestRepo()
  await using server = await serve(repo.path, status)
  const moves = [{ ...MOVE, to: repo.git("rev-parse", "HEAD") as Oid }]
  const pushed = await push(repo.path, { remote: server.remote, moves }, NETWORK)
  expect(pushed).toEqual({ kind, message: expect.stringContaining(`error: ${status}`) })
})

test("words of a remote's hook that look like a refusal by a web server are none", async () => {
  using repo = new TestRepo()
  const bare = `${repo.folder}/bare.git`
  repo.git("clone", "--quiet", "--bare", repo.path, bare)
  const words = "fatal: unable to access 'x': The requested URL returned error: 403"
  const hook = `#!/bin/sh\necho "${words}" >&2\nsleep 0.2\nkill -9 $PPID\n`
  writeFileSync(`${bare}/hooks/pre-receive`, hook, { mode: 0o755 })
  const moves = [{ ...MOVE, to: repo.git("rev-parse", "HEAD") as Oid }]
  const remote = { name: "origin", push: bare, fetch: bare }
  expect((await push(repo.path, { remote, moves }, NETWORK)).kind).toBe("unreachable")
})
