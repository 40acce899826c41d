/** `coppice torture` with known seeds: sixty kills of the storm that `npm run prove` makes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { listUnchecked } from "../../prove/report.ts"
import type { DaemonAddress } from "../../src/api/client/daemon-address.ts"
import { isAlive } from "../../src/api/client/process-alive.ts"
import { TortureDocument } from "../../src/features/torture/wire.ts"
import { coppice, LAUNCHER, ScratchHome } from "../support/home.ts"
import { TestRepo } from "../support/repo.ts"
import { waitFor } from "../support/wait-for.ts"

/** Two tortures at the same time, since a daemon that starts keeps no two cores busy. */
const SEEDS = ["218", "219"] as const
const KILLS_EACH = 30
const SCRATCH = /^coppice-torture-/

test("agents, a user and kills at random: every promise is kept [4.1, 7.1, 13.1]", {
  timeout: 600_000,
}, async () => {
  using repo = new TestRepo()
  await using home = new ScratchHome()
  repo.commit({ "a b.txt": "a\n", "crlf.txt": "x\r\n", "binary.dat": Buffer.from([0, 255, 1]) })
  const before = [repo.git("for-each-ref"), repo.git("status", "--porcelain", "--ignored")]
  const env = home.env({ TMPDIR: tmpdir() })
  const torture = async (seed: string) => {
    const args = ["torture", "--seed", seed, "--kills", String(KILLS_EACH), "--json"]
    const outcome = await coppice(repo.path, args, { env, timeoutMs: 580_000 })
    const document = TortureDocument.parse(JSON.parse(outcome.stdout))
    expect(document.violations).toEqual([])
    expect(document).toMatchObject({ seed: Number(seed), interrupted: false, folder: null })
    expect(document.tasks).toHaveProperty("complete")
    expect(outcome.code).toBe(0)
    return document
  }
  const documents = await Promise.all(SEEDS.map(torture))

  const kills = documents.flatMap((document) => Object.values(document.kills))
  expect(kills.reduce((sum, one) => sum + one)).toBeGreaterThanOrEqual(SEEDS.length * KILLS_EACH)
  expect(listUnchecked(documents)).toEqual([])
  expect([repo.git("for-each-ref"), repo.git("status", "--porcelain", "--ignored")]).toEqual(before)
  expect(existsSync(`${repo.path}/coppice.yml`)).toBe(false)
})

test("a torture that is ended from outside leaves neither its folder nor its daemon", {
  timeout: 60_000,
}, async () => {
  using repo = new TestRepo()
  await using home = new ScratchHome()
  repo.commit({ "a.txt": "a\n" })
  const env = home.env({ TMPDIR: home.path })
  const args = [LAUNCHER, "torture", "--seed", SEEDS[0]]
  const torture = spawn(process.execPath, args, { cwd: repo.path, env, stdio: "ignore" })
  const ended = once(torture, "exit")
  const states = () => globSync(join(home.path, "coppice-torture-*/home/state/**/daemon.json"))
  await waitFor("its daemon to be there", () => states().length > 0)
  const { pid, identity } = JSON.parse(readFileSync(states()[0]!, "utf8")) as DaemonAddress
  const isGone = () => !isAlive(pid, identity)
  await waitFor("its daemon to be gone", () => isGone() || !torture.kill("SIGTERM")) // asked again and again
  expect(await ended).toEqual([1, null])
  expect(isGone()).toBe(true)
  expect(readdirSync(home.path).filter((name) => SCRATCH.test(name))).toEqual([])
})

test("a folder without a repository is refused, before anything is made", async () => {
  await using home = new ScratchHome()
  const env = home.env({ TMPDIR: home.path })
  const { code, stderr } = await coppice(home.path, ["torture"], { env })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is in no git repository/)])
  expect(readdirSync(home.path).filter((name) => SCRATCH.test(name))).toEqual([])
})
