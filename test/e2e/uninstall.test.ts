/** Removing Coppice: what it made goes, and work stays as plain git. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { UninstallDocument } from "../../src/api/wire/shell.ts"
import { Fleet } from "../support/fleet.ts"
import { coppice } from "../support/home.ts"
import { waitFor } from "../support/wait-for.ts"

/** Approves nothing before, which would make a state directory. */
const again = (fleet: Fleet, ...args: string[]) =>
  coppice(fleet.repo.path, ["uninstall", ...args], { env: fleet.env, trusted: false })
const stateDirs = (fleet: Fleet) => globSync(join(fleet.home.path, "state/coppice/*"))
const coppiceRefs = (fleet: Fleet) =>
  fleet.repo.git("for-each-ref", "--format=%(refname)", "refs/coppice/")
const traces = (fleet: Fleet) => globSync(join(fleet.repo.path, ".git/*coppice*"))
const itemsOf = ({ homes }: UninstallDocument) =>
  homes.flatMap(({ items }) => items).filter(({ kind }) => kind !== "daemon")

test("uninstall removes all that Coppice made, keeps work that is nowhere else, and finds nothing afterwards [33.9, 33.10]", async () => {
  const pooled = { workspace: { pool: 1 } }
  await using fleet = new Fleet({
    repo: { gate: false, setup: "echo made > made.txt" },
    sh: pooled,
  })
  await fleet.until(
    await fleet.start("echo landed > landed.txt; git add landed.txt; git commit -qm landed"),
  )
  const empty = await fleet.until(await fleet.start("true", "--land", "none"))
  const work = await fleet.until(
    await fleet.start(
      "echo work > work.txt; git add work.txt; git commit -qm work",
      "--land",
      "none",
    ),
  )
  const lost = await fleet.until(await fleet.start("echo lost > lost.txt; exit 1"))
  await fleet.coppice("cancel", lost.id)
  const running = await fleet.start("echo half > half.txt; sleep 1000")
  const isHalf = async () => {
    const path = (await fleet.client.show(running)).repos[0]?.worktree ?? ""
    return existsSync(join(path, "half.txt")) && path
  }
  const half = await waitFor("an agent's file", isHalf)
  const worktree = work.repos[0]!.worktree!
  writeFileSync(join(worktree, "more.txt"), "more\n")
  const tips = fleet.repo.git("for-each-ref", "refs/heads/main")

  const asked = await fleet.coppice("uninstall")
  expect(asked).toMatchObject({ code: 2, stderr: /no terminal.*\n.*--dry-run.*--yes/ })
  expect((await fleet.client.status()).running).toBe(true)
  const plan = await fleet.json(UninstallDocument, ["uninstall", "--dry-run"])
  expect(plan.homes[0]?.items[0]).toMatchObject({ kind: "daemon", action: "remove" })
  expect((await fleet.client.status()).running).toBe(true)

  const done = await fleet.json(UninstallDocument, ["uninstall", "--yes"])
  const short = (document: UninstallDocument) =>
    itemsOf(document).map(({ kind, name, action }) => ({ kind, name, action }))
  expect(short(done)).toEqual(short(plan))
  expect(itemsOf(done).filter(({ removed }) => removed === false)).toEqual([])
  expect(readFileSync(join(worktree, "more.txt"), "utf8")).toBe("more\n")
  expect(readFileSync(join(half, "half.txt"), "utf8")).toBe("half\n")
  const keptPaths = itemsOf(done).filter(
    ({ kind, action }) => kind === "worktree" && action === "keep",
  )
  expect(keptPaths.map(({ name }) => name).sort()).toEqual([half, worktree].sort())
  expect(existsSync(empty.repos[0]!.worktree!)).toBe(false)
  expect([stateDirs(fleet), traces(fleet)]).toEqual([[], []])
  expect(fleet.repo.git("for-each-ref", "refs/heads/main")).toBe(tips)
  expect(fleet.repo.git("status", "--porcelain")).toBe("")
  expect(coppiceRefs(fleet)).toMatch(/^refs\/coppice\/rescue\/\d+\/\d+$/)

  const rest = UninstallDocument.parse(JSON.parse((await again(fleet, "--yes", "--json")).stdout))
  expect(itemsOf(rest)).toMatchObject([{ kind: "ref", action: "keep" }])
  const kept = [...itemsOf(rest), ...itemsOf(done).filter(({ kind }) => kind === "worktree")]
  const givingUp = kept.flatMap(
    ({ commands }) => /^to give up: `(.*)`$/.exec(commands.at(-1) ?? "")?.[1] ?? [],
  )
  for (const command of givingUp) execFileSync("sh", ["-c", command], { stdio: "pipe" })
  const last = UninstallDocument.parse(JSON.parse((await again(fleet, "--yes", "--json")).stdout))
  expect(itemsOf(last)).toMatchObject([{ kind: "folder", why: "it is empty", removed: true }])
  expect((await again(fleet)).stdout).toBe("There is nothing of Coppice here.\n")
  expect([coppiceRefs(fleet), existsSync(worktree), existsSync(half)]).toEqual(["", false, false])
  expect(fleet.repo.git("fsck", "--full")).not.toMatch(/error|missing|broken/)
  expect(fleet.repo.git("worktree", "list").split("\n")).toHaveLength(1)
})

test("uninstall leaves an empty folder alone that an unapproved coppice.yml names [33.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  const folder = join(fleet.home.path, "empty")
  mkdirSync(folder)
  const sh = { runtime: "command", command: ["sh"], workspace: { worktree_dir: folder } }
  const config = { version: 1, repos: { app: {} }, agents: { sh } }
  writeFileSync(join(fleet.repo.path, "coppice.yml"), JSON.stringify(config))
  for (const dir of stateDirs(fleet)) rmSync(dir, { recursive: true }) // nothing is approved
  const { stdout } = await again(fleet, "--yes")
  expect(stdout).toBe("There is nothing of Coppice here.\n")
  expect(existsSync(folder)).toBe(true)
})

test("uninstall takes every home of the user, also two in one repository [33.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.until(await fleet.start("true"))
  const inner = join(fleet.repo.path, "inner")
  fleet.repo.commit({ "inner/coppice.yml": '{"version":1,"repos":{"app":{"path":".."}}}' }, "inner")
  expect(await fleet.coppice("ls", "--home", inner)).toMatchObject({ code: 0 })
  expect(stateDirs(fleet)).toHaveLength(2)
  const all = await fleet.json(UninstallDocument, ["uninstall", "--all-homes", "--yes"])
  expect(all.homes.map(({ problem }) => problem)).toEqual([null, null])
  expect(all.cache === null || !existsSync(join(all.cache, "v"))).toBe(true)
  expect([stateDirs(fleet), traces(fleet)]).toEqual([[], []])
})

test("uninstall keeps the repository's files while another home has approvals or saved work there [33.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.until(await fleet.start("true"))
  const inner = join(fleet.repo.path, "inner")
  fleet.repo.commit({ "inner/coppice.yml": '{"version":1,"repos":{"app":{"path":".."}}}' }, "inner")
  expect(await fleet.coppice("trust", "--yes", "--home", inner)).toMatchObject({ code: 0 })
  const kept = await fleet.json(UninstallDocument, ["uninstall", "--dry-run"])
  const filesOf = (document: UninstallDocument) =>
    itemsOf(document).filter(({ kind }) => kind === "file")
  expect(filesOf(kept).length).toBeGreaterThan(0)
  expect(new Set(filesOf(kept).map(({ action }) => action))).toEqual(new Set(["keep"]))

  await fleet.coppice("trust", "--revoke", "--home", inner)
  const going = await fleet.json(UninstallDocument, ["uninstall", "--dry-run"])
  expect(new Set(filesOf(going).map(({ action }) => action))).toEqual(new Set(["remove"]))

  fleet.repo.git("update-ref", "refs/coppice/rescue/home-0123abcd/7/1", "HEAD")
  const others = await fleet.json(UninstallDocument, ["uninstall", "--dry-run"])
  expect(new Set(filesOf(others).map(({ action }) => action))).toEqual(new Set(["keep"]))
})

test("an agent cannot uninstall, and a landing that was cut off is finished first [9.1, 33.9]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.until(await fleet.start("echo a > a.txt"))
  fleet.extra["COPPICE_TASK"] = "1"
  fleet.extra["COPPICE_JOB"] = "1"
  expect(await fleet.coppice("uninstall", "--yes")).toMatchObject({ code: 2, stderr: /decide/ })
  delete fleet.extra["COPPICE_TASK"]
  await fleet.coppice("down")
  const [state] = stateDirs(fleet)
  const { openDb } = await import("../../src/kernel/store/open.ts")
  const db = openDb(join(state!, "coppice.db"))
  db.exec("update landing_repos set intent = '{}'")
  db.close()
  const refused = await fleet.json(UninstallDocument, ["uninstall", "--yes"], 1)
  expect(refused.homes[0]?.problem).toMatch(/cut off.*\n.*coppice up -d/)
  expect(stateDirs(fleet)).toEqual([state])
})

test("uninstall in a repository never removes the home above it [33.11]", async () => {
  await using fleet = new Fleet()
  const around = join(fleet.home.path, "around")
  const app = join(around, "app")
  fleet.repo.git("clone", "--quiet", fleet.repo.path, app)
  rmSync(join(app, "coppice.yml"))
  const sh = { runtime: "command", command: "sh" }
  const file = { version: 1, repos: { app: { path: "app" } }, agents: { sh } }
  writeFileSync(join(around, "coppice.yml"), JSON.stringify(file))
  const { env } = fleet
  await coppice(around, ["trust", "--yes"], { env })
  expect(await coppice(app, ["run", "echo x > x.txt"], { env })).toMatchObject({ code: 0 })

  const inApp = await coppice(app, ["uninstall", "--yes"], { env, trusted: false })
  expect(inApp).toMatchObject({ code: 0 })
  expect(inApp.stderr).toContain(`\`coppice uninstall --home ${around}\` is for that one.`)
  const listed = await coppice(app, ["ls", "--json"], { env, trusted: false })
  expect(JSON.parse(listed.stdout).tasks).toHaveLength(1)
  const named = await coppice(app, ["uninstall", "--yes", "--home", around], {
    env,
    trusted: false,
  })
  expect(named).toMatchObject({ code: 0, stdout: /tasks, logs and approvals/ })
})
