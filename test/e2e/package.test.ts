/** The packages as users get them: made by `npm run package`, installed elsewhere, landing tasks there. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { keysFrame, TERMINAL_HOST } from "../../src/features/terminals/terminal-frames.ts"
import { coppice, ScratchHome } from "../support/home.ts"
import { MessagesApi } from "../support/messages-api.ts"
import { bash } from "../support/messages-api-reply.ts"
import { type Installed, installTarball, makePackages, NPM_MS_MAX } from "../support/packed.ts"
import { TestRepo } from "../support/repo.ts"
import { runInTime } from "../support/run-in-time.ts"

const CONFIG = `version: 1
agents:
  sh: { runtime: command, command: "echo hi > hi.txt" }
`
const RUN = ["run", "say hi", "--agent", "sh", "--json"]

const PLUGIN = [".claude-plugin", "plugin"]

const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-package-")))
let installed: Installed
let tarball: string
let executable: string
let formula: string
let debian: string | undefined

beforeAll(() => {
  const made = makePackages(folder)
  tarball = made.get(".tgz")!
  formula = made.get(".rb")!
  debian = made.get(".deb")
  executable = [...made.values()].find((file) => file.endsWith(`-${process.arch}`))!
  installed = installTarball(folder, tarball)
}, NPM_MS_MAX)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("holds the program and its documents, and neither sources nor tests", () => {
  const texts = ["ARCHITECTURE.md", "CHANGELOG.md", "GLOSSARY.md", "LICENSE", "README.md"]
  const documents = [...texts, "docs", "package.json"]
  const root = join(installed.prefix, "node_modules/coppice")
  expect(new Set(readdirSync(root))).toEqual(new Set([...documents, ...PLUGIN, "bin", "dist"]))
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  expect(files.filter((path) => /\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([])
  expect(files).toContain("dist/kernel/store/migrations/0001.sql")
  expect(files).toContain("dist/licences.txt")
  const pages = readFileSync(join(root, "dist/dashboard/licences.txt"), "utf8")
  expect(pages).toMatch(/^react-dom .*: MIT$/m)
})

test("installs without a registry, a compiler and the Claude SDK: it is one package", () => {
  const packages = readdirSync(join(installed.prefix, "node_modules"))
  expect(packages.filter((name) => !name.startsWith("."))).toEqual(["coppice"])
})

test("lands what a command did", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })

  const bin = join(installed.prefix, "node_modules/.bin/coppice")
  const run = await coppice(repo.path, RUN, { env: home.env(), bin })

  expect(run).toMatchObject({ code: 0 })
  expect(JSON.parse(run.stdout)).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:hi.txt")).toBe("hi")
})

test.each(["package", "executable"])(
  "the %s has node-pty's code inside, so a terminal opens [38.40]",
  async (kind) => {
    await using home = new ScratchHome()
    const bin = join(installed.prefix, "node_modules/coppice/bin/coppice.js")
    const [program, ...words] = kind === "package" ? [process.execPath, bin] : [executable]
    const args = [...words, TERMINAL_HOST, "80", "24", "/bin/sh"]
    const host = spawn(program!, args, { cwd: home.path, env: home.env() })
    let text = ""
    for (const stream of [host.stdout, host.stderr])
      stream.on("data", (bytes: Buffer) => {
        text += bytes
      })
    host.stdin.write(keysFrame(Buffer.from("echo $((40 + 2)) $(stty size); exit 5\n")))
    const [code] = await once(host, "exit")
    expect(text).toMatch(/(?<!\d)42 24 80\r\n/) // behind the prompt of the shell, or on a line of its own
    expect(code).toBe(5)
  },
)

test("a global installation has a command and a man page", () => {
  const prefix = join(folder, "global")
  const env = { ...process.env, ...installed.env }
  execFileSync("npm", ["install", "--global", "--prefix", prefix, tarball], { env, stdio: "pipe" })
  expect(readFileSync(join(prefix, "share/man/man1/coppice.1"), "utf8")).toContain(".SH NAME")
  const [command, args] = [join(prefix, "bin/coppice"), ["--version"]]
  expect(execFileSync(command, args, { env, encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test("runs with npx in a repository that is not an npm package", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })
  const env = home.env(installed.env)
  const npx = ["exec", "--yes", `--package=${tarball}`, "--", "coppice"]
  const run = (...args: readonly string[]) =>
    runInTime(["npm", ...npx, ...args], { cwd: repo.path, env, logs: home.daemonLogs })

  await run("trust", "--yes")
  expect(JSON.parse(await run(...RUN))).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:hi.txt")).toBe("hi")
})

test("the executable lands what a command did, with no Node and no file of Coppice's around it", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "coppice.yml": CONFIG })
  const run = alone(executable, repo.path, home)
  await run("trust", "--yes")

  expect(JSON.parse((await run(...RUN)).stdout)).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:hi.txt")).toBe("hi")
  expect((await run("ls")).stdout).toContain("say hi")
  const [command] = globSync("state/coppice/*/bin/coppice", { cwd: home.path })
  expect(readFileSync(join(home.path, command!), "utf8")).toContain(`program='${executable}'`)
  expect((await run("down")).stdout).toContain("ended")
  expect((await run("ls")).stdout).toContain("say hi")
})

test("the package and the executable serve the dashboard [38.9]", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  for (const program of [join(installed.prefix, "node_modules/.bin/coppice"), executable]) {
    const run = alone(program, repo.path, home)
    const { url } = JSON.parse((await run("ui", "--json")).stdout)
    const page = await (await fetch(new URL("/", url))).text()
    const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    const { status, headers } = await fetch(new URL(script, url))
    const type = headers.get("content-type")
    expect({ status, type }).toEqual({ status: 200, type: "text/javascript; charset=utf-8" })
    await run("down")
  }
})

test("the executable keeps SQLite's code in a folder of the user's own, and trusts no other [34.3]", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  const run = alone(executable, repo.path, home)
  await run("ls")
  await run("down")
  const cache = join(home.path, ".cache/coppice")
  const [code] = globSync(join(cache, "sqlite-*.node"))
  expect([cache, code!].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])

  const { size } = statSync(code!)
  writeFileSync(code!, "something else")
  await run("ls")
  await run("down")
  expect(statSync(code!).size).toBe(size)

  chmodSync(cache, 0o777)
  await expect(run("up", "--detach")).rejects.toMatchObject({
    stderr: expect.stringContaining(`${cache} cannot be read or written`),
  })
})

test("the executable drives the claude program without the Agent SDK [30.13]", async () => {
  await using home = new ScratchHome()
  await using api = await MessagesApi.start(({ step, tools }) => {
    if (!tools.includes("Bash")) return { text: "A title" }
    return step === 0 ? { tools: [bash("echo hi > hi.txt")] } : { text: "Done." }
  })
  using repo = new TestRepo()
  repo.commit({ "file.txt": "a file\n" })
  const run = alone(executable, repo.path, home, api.env)

  const { stdout } = await run("run", "say hi", "--agent", "claude", "--json")
  expect(JSON.parse(stdout)).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:hi.txt")).toBe("hi")
})

test("without a claude program, a claude agent is refused with the words to type [30.13]", async () => {
  await using home = new ScratchHome()
  using repo = new TestRepo()
  repo.commit({ "file.txt": "a file\n" })
  const env = { COPPICE_CLAUDE: "" }
  for (const program of [join(installed.prefix, "node_modules/.bin/coppice"), executable]) {
    const run = alone(program, repo.path, home, env)
    const told = await run("run", "say hi", "--agent", "claude").catch((error) => error)
    expect(told).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Run `npm install -g @anthropic-ai/claude-code`"),
    })
    expect((await run("doctor").catch((error) => error)).stdout).toContain("claude-code")
    await run("down")
  }
})

test("the Debian package holds the executable, man pages and completions", async (context) => {
  if (debian === undefined) return context.skip("there is no dpkg-deb here")
  const unpacked = join(folder, "unpacked")
  execFileSync("dpkg-deb", ["-x", debian, unpacked])
  const version = execFileSync(join(unpacked, "usr/bin/coppice"), ["--version"], {
    encoding: "utf8",
  })
  const field = (name: string) => spawnSync("dpkg-deb", ["-f", debian!, name], { encoding: "utf8" })
  expect(field("Version").stdout).toBe(version)
  expect(field("Depends").stdout).toContain("git (>= 1:2.39)")
  const shared = ["doc/coppice/copyright", "man/man1/coppice.1.gz", "man/man1/coppice-run.1.gz"]
  const completions = ["bash-completion/completions/coppice", "zsh/vendor-completions/_coppice"]
  const files = readdirSync(join(unpacked, "usr/share"), { recursive: true })
  expect(files).toEqual(expect.arrayContaining([...shared, ...completions]))
})

test("the Homebrew formula names npm's package by its checksum", () => {
  const text = readFileSync(formula, "utf8")
  const sum = createHash("sha256").update(readFileSync(tarball)).digest("hex")
  expect(text).toContain(`sha256 "${sum}"`)
  expect(text).toMatch(new RegExp(`url "https://.*/${basename(tarball)}"`))
  const pages = [...text.matchAll(/(man\d)\.install_symlink libexec\.glob\("lib\/(.*)"\)/g)]
  expect(pages.map(([, section]) => section)).toEqual(["man1", "man7"])
  for (const [, , pattern] of pages)
    expect(globSync(pattern!, { cwd: installed.prefix }), pattern).not.toEqual([])
})

test("gives users of the library its types, without other packages", async () => {
  const use = (type: string) => `import type { TaskDocument } from "coppice"
export const state: TaskDocument["state"] extends ${type} ? true : false = true\n`
  writeFileSync(join(installed.prefix, "right.mts"), use("string"))
  writeFileSync(join(installed.prefix, "wrong.mts"), use("number"))
  const types = realpathSync(join(import.meta.dirname, "../../node_modules/@types"))
  const options = ["--module", "nodenext", "--strict", "--noEmit"]
  const compile = (...files: readonly string[]) =>
    promisify(execFile)("tsc", [...options, "--types", "node", "--typeRoots", types, ...files], {
      cwd: installed.prefix,
      env: { PATH: join(import.meta.dirname, "../../node_modules/.bin") },
    })

  const { stdout } = await compile("right.mts", "wrong.mts").catch((error) => error)
  expect(stdout).toMatch(/^wrong\.mts\(2,.*\n$/)
})

/** Runs a program with nothing of these tests around it; the executable finds no Node. */
function alone(program: string, cwd: string, home: ScratchHome, more: object = {}) {
  const node = program === executable ? [] : [dirname(process.execPath)]
  const PATH = [...node, "/usr/bin", "/bin"].join(delimiter)
  const env = home.env({ PATH, NODE_COMPILE_CACHE: "", ...more })
  return (...args: readonly string[]) => promisify(execFile)(program, args, { cwd, env })
}
