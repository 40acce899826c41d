import { execFile } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { DaemonDouble } from "../../../test/support/daemon-double.ts"
import { LAUNCHER as BUNDLED } from "../../../test/support/home.ts"
import { TestRepo } from "../../../test/support/repo.ts"

const LAUNCHER = fileURLToPath(new URL("../../../bin/coppice.js", import.meta.url))
/** As many files of the bundle as `ls` needs, and a few to spare. Each costs about half a millisecond. */
const FILES_MAX = 15
/** zod and yaml, which are in the bundle too, have ten times as many. */
const LOADED_BYTES_MAX = 112_000

/** At the end, prints the path of every loaded file on stderr. */
const SPY = `import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
process.on("exit", () => console.error(loaded.filter((url) => url.startsWith("file:")).join("\\n")))`

test("`ls` loads a handful of files, and neither zod nor yaml", async () => {
  using repo = new TestRepo()
  await using daemon = await new DaemonDouble().start(repo.path)
  const spy = join(repo.folder, "spy.mjs")
  writeFileSync(spy, SPY)
  const env = { ...process.env, COPPICE_STATE: daemon.stateRoot }
  const loadedBy = async (launcher: string) => {
    const args = ["--import", pathToFileURL(spy).href, launcher, "ls"]
    const options = { cwd: repo.path, env }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options)
    expect(stdout).toContain("No tasks.")
    return stderr.trim().split("\n")
  }

  const loaded = await loadedBy(LAUNCHER)
  expect(loaded.filter((url) => url.includes("/node_modules/"))).toEqual([])
  expect(loaded.filter((url) => url.includes("/commands/"))).toHaveLength(1)

  const bundled = await loadedBy(BUNDLED)
  expect(bundled.length).toBeLessThanOrEqual(FILES_MAX)
  const bytes = bundled.map((url) => statSync(fileURLToPath(url)).size)
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(LOADED_BYTES_MAX)
})

test("a command that cannot write its output says so in one line, and ends quietly when its reader has gone", async () => {
  const run = (script: string) =>
    promisify(execFile)("sh", ["-c", script, process.execPath, LAUNCHER]).catch((error) => error)
  if (existsSync("/dev/full"))
    expect(await run('"$0" "$1" help --all > /dev/full; exit $?')).toMatchObject({
      code: 1,
      stderr: "coppice: the output cannot be written (ENOSPC).\n",
    })
  expect(await run('"$0" "$1" help --all | true')).toMatchObject({ stdout: "", stderr: "" })
})

test("a removed current folder is one error", async () => {
  using repo = new TestRepo()
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'
  const run = (...args: string[]) =>
    promisify(execFile)("sh", ["-c", script, process.execPath, LAUNCHER, ...args], {
      cwd: repo.path,
    })
  const told = await run("ls", "--json").catch((error) => error)
  expect(told).toMatchObject({ code: 2, stderr: "" })
  expect(JSON.parse(told.stdout)).toMatchObject({
    error: { code: "cli.usage", blame: "user", message: /current folder/ },
  })
  expect(await run("--help")).toMatchObject({ stdout: /Usage/ })
})

test("compiled code is kept in a folder of the user's own, and nowhere else, nor where another user could replace it [34.3]", async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), "coppice-cache-"))
  const { NODE_COMPILE_CACHE: _, ...outer } = process.env
  const env = { ...outer, HOME: scratch.path, XDG_CACHE_HOME: "", TMPDIR: scratch.path }
  const run = () => promisify(execFile)(process.execPath, [BUNDLED, "--version"], { env })
  const cache = join(scratch.path, ".cache/coppice")

  await run()
  expect(readdirSync(scratch.path)).toEqual([".cache"])
  expect(statSync(cache).mode & 0o777).toBe(0o700)
  expect(readdirSync(cache)).not.toEqual([])

  rmSync(cache, { recursive: true })
  mkdirSync(cache)
  chmodSync(cache, 0o777)
  await run()
  expect(readdirSync(cache)).toEqual([])

  const open = join(scratch.path, "open")
  mkdirSync(open)
  chmodSync(open, 0o777)
  const cacheIn = async (folder: string) => {
    const set = { ...env, XDG_CACHE_HOME: folder }
    await promisify(execFile)(process.execPath, [BUNDLED, "--version"], { env: set })
    return readdirSync(join(folder, "coppice"))
  }
  expect(await cacheIn(open)).toEqual([])
  chmodSync(open, 0o1777)
  expect(await cacheIn(open)).not.toEqual([])

  if (process.geteuid?.() !== 0) return
  for (const [uid, gid] of [
    [0, 65534],
    [65534, 65534],
  ] as const) {
    rmSync(open, { recursive: true })
    mkdirSync(open)
    chmodSync(open, 0o775)
    chownSync(open, uid, gid)
    expect(await cacheIn(open), `a folder of ${uid}:${gid}`).toEqual([])
  }
  chmodSync(cache, 0o755)
  chownSync(cache, 65534, 65534)
  await run()
  expect(readdirSync(cache)).toEqual([])
})
