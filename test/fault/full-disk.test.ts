/**
 * A landing on a disk that is really full, at every point: a small file system of its own.
 *
 * Only root on Linux may mount one; everywhere else the fault "the disk is full" of landing.test.ts,
 * in which git's writes fail, has to do.
 */
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { arrange, landFaulted, QUIET, SETTINGS } from "../support/faulted-landing.ts"
import type { Fault } from "../support/faults.ts"
import { LandingTest } from "../support/landing.ts"
import { TestRepo } from "../support/repo.ts"

const SIZE = "16m"
const CHUNK = Buffer.alloc(64 * 1024)

const disk = mountSmall()
if (disk) process.env["TMPDIR"] = disk
const filler = join(disk ?? tmpdir(), "filler")
afterAll(() => {
  if (!disk) return
  execFileSync("umount", ["--lazy", disk])
  rmSync(disk, { recursive: true })
})

const FULL: Fault = {
  strike() {
    for (const size of [CHUNK.length, 1]) fillBy(CHUNK.subarray(0, size))
    return undefined
  },
  end: () => rmSync(filler, { force: true }),
  waits: ["GATE_UNAVAILABLE", "DIRTY_MAIN"],
}

const [setting] = SETTINGS.filter(({ gate }) => gate !== false)
const arranged = disk ? arrange(setting!) : undefined
const points = arranged ? await landFaulted(setting!, arranged, { fault: QUIET, at: -1 }) : []

describe.runIf(arranged)("a disk that is full", () => {
  const places = points.map((name, at) => ({ name, at }))
  const here = places.filter(({ name }) => !name.endsWith("done, not recorded"))
  test.each(here)("at $at, $name [7.1]", { timeout: 120_000 }, async ({ at }) => {
    await landFaulted(setting!, arranged!, { fault: FULL, at })
  })

  test("a git hook that fails on it refuses no work, which lands when a person has made room [7.1]", async () => {
    using repo = new TestRepo()
    repo.commit({ "f.txt": "f" }, "M0")
    const hook = `#!/bin/sh
      [ -e ${filler}.begun ] && exit 0
      touch ${filler}.begun; dd if=/dev/zero of=${filler} bs=64k; truncate -s -512K ${filler}; exit 1`
    const hooks = { hooks: { "commit-msg": hook }, landingHooks: ["commit-msg"] } as const
    await using it = new LandingTest(repo, { gate: false, ...hooks })
    const base = repo.tip("main")
    repo.commit({ "feat.txt": "feat" }, "A1", repo.worktree("feat"))
    const id = it.submit({ branch: "feat", base })
    const { outcome, reason } = await it.run(id)
    rmSync(filler)
    expect({ outcome, reason }).toMatchObject({
      outcome: "GATE_UNAVAILABLE",
      reason: expect.stringMatching(/the disk of .* is full/),
    })
    it.wake(id)
    expect(await it.run(id)).toMatchObject({ state: "landed" })
  })
})

if (!arranged)
  test("a disk that is full", ({ skip }) => skip("only root on Linux may mount a small disk"))

function mountSmall(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "small-disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", path], { stdio: "ignore" })
    return path
  } catch {
    rmSync(path, { recursive: true })
    return undefined
  }
}

function fillBy(bytes: Buffer): void {
  try {
    for (;;) appendFileSync(filler, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}
