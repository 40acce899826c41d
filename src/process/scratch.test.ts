import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { makeScratch, sweepScratch } from "./scratch.ts"

test("leftovers of killed programs go when they are a day old; nothing else does", async () => {
  const root = mkdtempSync(join(tmpdir(), "root-"))
  vi.stubEnv("TMPDIR", root)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(root, { recursive: true })
  })
  const old = (Date.now() - 25 * 3600_000) / 1000
  using young = makeScratch()
  const left = makeScratch()
  writeFileSync(join(left.path, "index"), "")
  const foreign = join(root, "coppice-other")
  mkdirSync(foreign)
  for (const path of [left.path, foreign]) utimesSync(path, old, old)

  await sweepScratch()
  expect([young.path, left.path, foreign].map(existsSync)).toEqual([true, false, true])
})
