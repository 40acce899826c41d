import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { changeTrust, readTrust } from "../../../features/trust/trust-record.ts"
import { findHome } from "../home.ts"
import { stateDir } from "../state-dir.ts"
import { explainKey, setConfigKey } from "./change-config.ts"
import { readHomeConfig } from "./config-layers.ts"

let repo: TestRepo
let env: Record<string, string>
let path: string

beforeEach(() => {
  repo = new TestRepo()
  env = { COPPICE_STATE: join(repo.folder, "state"), HOME: join(repo.folder, "user") }
  path = join(repo.path, "coppice.yml")
})
afterEach(() => repo[Symbol.dispose]())

const home = () => findHome(repo.path, { env })
const set = (key: string, given: string) => setConfigKey(home(), { key, given }, env)
const approved = () => readTrust(stateDir(home().home, env)).config
const explain = (key: string) => explainKey(home(), key, env)

test("`config set` writes through no link that stands in the place of its draft [31.7]", () => {
  const mine = join(repo.folder, "mine")
  writeFileSync(mine, "mine")
  symlinkSync(mine, `${path}.${process.pid}`)
  set("limits.concurrent", "2")
  expect(readFileSync(mine, "utf8")).toBe("mine")
  expect(lstatSync(path).isFile()).toBe(true)
})

test("`config set` writes a valid file, and approves exactly its own change [31.7, 32.9]", () => {
  expect(set("agents.a.session.max_turns", "50")).toEqual({
    path,
    needsTrust: false,
    overridden: null,
  })
  set("repos.app.gate", "npm test -- a: b")
  const text = readFileSync(path, "utf8")
  expect(text).toBe(
    'version: 1\nagents:\n  a:\n    session:\n      max_turns: 50\nrepos:\n  app:\n    gate: "npm test -- a: b"\n',
  )
  expect(approved()).toBe(text)
  expect(readdirSync(repo.path).filter((name) => name.startsWith("coppice.yml"))).toHaveLength(1)
})

test("a file that waited for an approval still waits after a change [32.9]", () => {
  writeFileSync(path, "version: 1\nrepos: { app: { gate: make } }\n")
  expect(set("limits.concurrent", "2").needsTrust).toBe(true)
  expect(approved()).toBeUndefined()
  changeTrust(stateDir(home().home, env), (now) => ({ ...now, config: "version: 1\n" }))
  expect(set("limits.concurrent", "3").needsTrust).toBe(true)
  expect(approved()).toBe("version: 1\n")
})

test("an invalid value or key changes nothing [31.7]", () => {
  writeFileSync(path, "version: 1\n")
  expect(() => set("limits.concurrent", "many")).toThrow(/limits.concurrent must be a whole number/)
  expect(() => set("limits.concurent", "2")).toThrow(
    expect.objectContaining({
      code: "config.unknown_key",
      hints: expect.arrayContaining([expect.stringContaining("limits.concurrent")]),
    }),
  )
  expect(() => set("agents.a.sesion.timeout", "1h")).toThrow(
    expect.objectContaining({
      code: "config.unknown_key",
      hints: expect.arrayContaining(["Did you mean `agents.*.session.timeout`?"]),
    }),
  )
  expect(readFileSync(path, "utf8")).toBe("version: 1\n")
})

test("a link stays a link, and the mode of the file stays", () => {
  const real = join(repo.folder, "real.yml")
  writeFileSync(real, "version: 1\n", { mode: 0o640 })
  symlinkSync(real, path)
  set("limits.concurrent", "2")
  expect(readFileSync(real, "utf8")).toContain("concurrent: 2")
  expect(statSync(real).mode & 0o777).toBe(0o640)
  expect(existsSync(path)).toBe(true)
})

test("`config explain` shows value, origin and meaning, without passwords or variables [31.8]", () => {
  expect(explain("agents.a.session.max_turns")).toMatchObject({
    value: 200,
    origin: "default",
    path: null,
  })
  expect(explain("repos.app.gate")).toMatchObject({ value: null, origin: "none" })
  writeFileSync(
    path,
    "version: 1\nagents: { a: { model: '${HOME:-x}', env: { A: b }, working_directory: { root: o, auto_clone: 'https://u:p@x/y' } } }\n",
  )
  expect(explain("agents.a.model")).toMatchObject({ value: "${HOME:-x}", origin: "file", path })
  expect(explain("agents.a.env.A")).toMatchObject({ value: "b", about: "The value of a variable." })
  expect(explain("agents.a.working_directory.auto_clone").value).toBe("https://…@x/y")
  const unknown = { code: "config.unknown_key" }
  expect(() => explain("nothing")).toThrow(expect.objectContaining(unknown))
  const hints = expect.arrayContaining(["Did you mean `agents.*.session`?"])
  expect(() => explain("agents.a.sesion")).toThrow(expect.objectContaining({ ...unknown, hints }))
  const ofRepo = expect.arrayContaining(["Did you mean `repos.*.gate`?"])
  expect(() => explain("gate")).toThrow(expect.objectContaining({ ...unknown, hints: ofRepo }))
})

test("`config explain` says that a value comes from `defaults`, and of which file [31.11, 31.8]", () => {
  const user = join(repo.folder, "user/.config/coppice/coppice.yml")
  mkdirSync(dirname(user), { recursive: true })
  writeFileSync(user, "defaults: { model: u, env: { A: b } }")
  const own = "agents: { a: { model: m, session: { timeout: 2h } }, b: {} }"
  writeFileSync(path, `version: 1\ndefaults: { session: { max_turns: 7 } }\n${own}\n`)
  expect(explain("agents.a.model")).toMatchObject({ value: "m", origin: "file", path })
  expect(explain("agents.b.model")).toMatchObject({ value: "u", origin: "defaults", path: user })
  expect(explain("agents.b.env.A")).toMatchObject({ value: "b", origin: "defaults", path: user })
  const session = { value: { max_turns: 7, timeout: "2h" }, origin: "file", path }
  expect(explain("agents.a.session")).toMatchObject(session)
  expect(explain("agents.a.session.max_turns")).toMatchObject({
    value: 7,
    origin: "defaults",
    path,
  })
  expect(explain("defaults.session.max_turns")).toMatchObject({ value: 7, origin: "file", path })
  expect(explain("defaults.plan")).toMatchObject({ origin: "default" })

  set("defaults.session.max_turns", "9")
  expect(explain("agents.b.session.max_turns").value).toBe(9)
  expect(() => set("defaults.session.max_turns", "x")).toThrow(
    / defaults.session.max_turns must be/,
  )
})

test("`config explain` names the WORKFLOW.md that a value of a source comes from [39.17, 31.8]", () => {
  const workflow = join(repo.path, "WORKFLOW.md")
  writeFileSync(path, "version: 1\nsources: { gh: { type: workflow, max_open: 2 } }\n")
  writeFileSync(workflow, "---\ntracker: { kind: github, provider: { repo: a/b } }\n---\nDo it.\n")
  expect(explain("sources.gh.prompt")).toMatchObject({ value: "Do it.", path: workflow })
  expect(explain("sources.gh.max_open")).toMatchObject({ value: 2, path })
  expect(set("sources.gh.max_open", "3").needsTrust).toBe(true)
  expect(readFileSync(path, "utf8")).toContain("type: workflow, max_open: 3")
})

test("`config explain` names the file whose value counts, and `config set` approves it with the others [31.9, 31.8]", () => {
  const local = join(repo.path, "coppice.local.yml")
  const user = join(repo.folder, "user/.config/coppice/coppice.yml")
  mkdirSync(dirname(user), { recursive: true })
  writeFileSync(user, "limits: { concurrent: 2 }\nagents: { a: { session: { max_turns: 5 } } }")
  writeFileSync(path, "version: 1\nlimits: { concurrent: 3, reserve: 0.1 }\n")
  writeFileSync(local, "limits: { reserve: 0.2 }\n")
  expect(explain("agents.a.session.max_turns")).toMatchObject({ value: 5, path: user })
  expect(explain("limits.concurrent")).toMatchObject({ value: 3, path })
  expect(explain("limits.reserve")).toMatchObject({ value: 0.2, path: local })
  expect(explain("agents.a.plan")).toMatchObject({ origin: "default", path: null })
  expect(explain("limits")).toMatchObject({ path: `${path} and ${local}` })

  const { text } = readHomeConfig(repo.path, env)
  changeTrust(stateDir(home().home, env), (now) => ({ ...now, config: text }))
  expect(set("limits.concurrent", "4")).toMatchObject({ path, needsTrust: false, overridden: null })
  expect(readFileSync(path, "utf8")).toContain("reserve: 0.1")
  expect(readHomeConfig(repo.path, env).text).toBe(approved())
  writeFileSync(local, "limits: { concurrent: 9 }\n")
  expect(set("limits.reserve", "0").needsTrust, "the local file has changed").toBe(true)
  writeFileSync(local, "limits: [\n")
  expect(() => set("limits.reserve", "0")).toThrow(`${local} is not valid`)
  writeFileSync(local, "limit: 1\n")
  expect(() => set("limits.reserve", "0")).toThrow(`${path} with ${local} and ${user} is not valid`)
})

test("`config explain` of a section names the file of each key, and all files in one line [31.8]", () => {
  const local = join(repo.path, "coppice.local.yml")
  const user = join(repo.folder, "user/.config/coppice/coppice.yml")
  const workflow = join(repo.path, "WORKFLOW.md")
  mkdirSync(dirname(user), { recursive: true })
  writeFileSync(user, "sources: { gh: { authors: anyone } }\ndefaults: { model: u }")
  const own = "sources: { gh: { type: workflow, max_open: 2, interval: 5m } }"
  writeFileSync(path, `version: 1\n${own}\nagents: { a: { plan: auto } }\n`)
  writeFileSync(local, "sources: { gh: { max_open: 3 } }\nagents: { a: { env: { A: b } } }\n")
  writeFileSync(workflow, "---\ntracker: { kind: github, provider: { repo: a/b } }\n---\nDo it.\n")
  const { keys, path: files, value } = explain("sources.gh")
  const from = Object.fromEntries(keys.map((one) => [one.key, one.path]))
  expect(from).toMatchObject({
    "sources.gh.type": workflow,
    "sources.gh.prompt": workflow,
    "sources.gh.repo": workflow,
    "sources.gh.interval": path,
    "sources.gh.max_open": local,
    "sources.gh.authors": user,
  })
  expect(value).toMatchObject({ max_open: 3, authors: "anyone" })
  for (const file of [local, path, user, workflow]) expect(files).toContain(file)
  expect(explain("agents.a").keys).toEqual([
    { key: "agents.a.model", origin: "defaults", path: user },
    { key: "agents.a.plan", origin: "file", path },
    { key: "agents.a.env.A", origin: "file", path: local },
  ])
  expect(explain("agents.a.plan").keys).toEqual([])
})

test("`config set` names the stronger file that sets the key too, as the new value has no effect there [31.7]", () => {
  const local = join(repo.path, "coppice.local.yml")
  writeFileSync(path, "version: 1\n")
  writeFileSync(local, "limits: { reserve: 0.2 }\nagents: { a: { env: { A: b } } }\n")
  const overridden = (key: string, value: string) => set(key, value).overridden
  expect(overridden("limits.concurrent", "4")).toBe(null)
  expect(overridden("limits.reserve", "0.1")).toEqual({ path: local, keys: ["limits.reserve"] })
  expect(explain("limits.reserve")).toMatchObject({ value: 0.2, path: local })
  expect(overridden("agents.a.env", "{ A: c, B: d }")).toEqual({
    path: local,
    keys: ["agents.a.env.A"],
  })
  expect(overridden("agents.a.model", "m")).toBe(null)
})
