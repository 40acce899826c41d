/** A command whose daemon is of another version, or has other variables. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { BUILT, coppice, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { clear } from "../support/scratch.ts"
import { waitFor } from "../support/wait-for.ts"

const ROOT = resolve(import.meta.dirname, "../..")
const NEXT = "9.9.9"
/** Says nothing of the daemon. */
const UNNAMED = expect.not.stringContaining("coppice: the daemon")

/** A package of its own, which the test upgrades. */
function installCopy() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-upgrade-")))
  onTestFinished(() => clear(folder))
  const from = process.env[BUILT] ?? ROOT
  const code = existsSync(join(from, "dist")) ? "dist" : "src"
  for (const name of ["bin", "package.json", code])
    cpSync(join(from, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  const path = join(folder, "package.json")
  const { version, ...rest } = JSON.parse(readFileSync(path, "utf8"))
  const upgrade = () => writeFileSync(path, JSON.stringify({ ...rest, version: NEXT }))
  return { bin: join(folder, "bin/coppice.js"), version, upgrade }
}

class Place implements AsyncDisposable {
  readonly home = new ScratchHome()
  readonly repo = new TestRepo()
  readonly go = join(this.repo.folder, "go")

  constructor() {
    const command = `until [ -e ${this.go} ]; do sleep 0.1; done`
    this.repo.commit({
      "coppice.yml": JSON.stringify({
        version: 1,
        agents: { sh: { runtime: "command", command } },
      }),
    })
  }

  async [Symbol.asyncDispose]() {
    await this.home[Symbol.asyncDispose]()
    this.repo[Symbol.dispose]()
  }
}

test("after an upgrade a busy daemon is named, an idle one replaced, and `status` tells its true version [30.8]", async () => {
  const { bin, version, upgrade } = installCopy()
  await using it = new Place()
  const run = (...args: string[]) => coppice(it.repo.path, args, { env: it.home.env(), bin })
  const status = async () => JSON.parse((await run("status", "--json")).stdout)

  expect(await run("run", "-d", "wait")).toMatchObject({ code: 0, stderr: UNNAMED })
  const before = await status()
  upgrade()
  expect(await status()).toMatchObject({ version, pid: before.pid })
  expect((await run("status")).stdout).toContain(`${version}, but this command is ${NEXT}`)
  const named = await run("ls")
  expect(named.stderr).toContain(
    `the daemon runs version ${version}, and this command is version ${NEXT}`,
  )
  expect(await status()).toMatchObject({ version, pid: before.pid })

  writeFileSync(it.go, "")
  await waitFor("an idle daemon to be replaced", async () => (await run("ls")).stderr === "")
  expect(await run("run", "-d", "wait")).toMatchObject({ code: 0, stderr: UNNAMED })
  expect(await status()).toMatchObject({ running: true, version: NEXT })
})

test("a command that starts work names the variables that differ from the daemon's [30.9]", async () => {
  await using it = new Place()
  const run = (extra: Record<string, string>, ...args: string[]) =>
    coppice(it.repo.path, args, { env: it.home.env(extra) })
  expect(await run({}, "run", "-d", "one")).toMatchObject({ code: 0, stderr: UNNAMED })
  const other = { ANTHROPIC_API_KEY: "sk-other", PATH: `${it.home.env()["PATH"]}:/opt` }
  const said = await run(other, "run", "-d", "two")
  expect(said.stderr).toContain("other values of ANTHROPIC_API_KEY, PATH than this shell.")
  expect(said.stderr).toContain("coppice down && coppice up -d")
  expect((await run(other, "ls")).stderr).toEqual(UNNAMED)
  expect((await run({ CLAUDE_CODE_ENTRYPOINT: "cli" }, "run", "-d", "three")).stderr).toEqual(
    UNNAMED,
  )

  expect((await run(other, "down")).code).toBe(0)
  expect((await run(other, "up", "-d")).code).toBe(0)
  expect((await run(other, "run", "-d", "four")).stderr).toEqual(UNNAMED)
  const [path = ""] = globSync(join(it.home.path, "state/coppice/*/daemon.json"))
  const record = readFileSync(path, "utf8")
  expect(record).toContain("ANTHROPIC_API_KEY")
  expect(record).not.toContain("sk-other")
})
