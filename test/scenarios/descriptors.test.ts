import { spawn } from "node:child_process"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { TestRepo } from "../support/repo.ts"

const SRC = join(import.meta.dirname, "../../src")

/** Uses up its file descriptors, tries to start programs, gives them back, and tries again. */
const PROGRAM = `
import { closeSync, openSync } from "node:fs"
import { isTransient } from "${SRC}/base/errors.ts"
import { git } from "${SRC}/kernel/git/start/exec.ts"
import { ProcessOwner } from "${SRC}/kernel/process/owner.ts"
const [cwd] = process.argv.slice(-1)
const owner = new ProcessOwner({ mark: "descriptors-" + process.pid })
const env = { PATH: process.env.PATH }
const acts = {
  git: () => git(cwd, ["rev-parse", "HEAD"]),
  agent: async () => (await owner.spawn("true", [], { cwd, env, purpose: "agent", task: null })).exited,
}
const tried = async (act) => act().then(() => "done", (error) => isTransient(error) ? "transient" : String(error))
const open = []
try { for (;;) open.push(openSync("/dev/null")) } catch {}
const during = {}
for (const [name, act] of Object.entries(acts)) during[name] = await tried(act)
for (const file of open) closeSync(file)
const after = {}
for (const [name, act] of Object.entries(acts)) after[name] = await tried(act)
console.log(JSON.stringify({ during, after }))
await owner[Symbol.asyncDispose]()
`

test("running out of file descriptors is transient: programs start again once there are some", async () => {
  using repo = new TestRepo()
  const node = [process.execPath, "--input-type=module", "-e", PROGRAM, "program", repo.path]
  const child = spawn("sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...node], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...repo.env, PATH: process.env["PATH"] },
  })
  expect(JSON.parse(await text(child.stdout))).toEqual({
    during: { git: "transient", agent: "transient" },
    after: { git: "done", agent: "done" },
  })
})
