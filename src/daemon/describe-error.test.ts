import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { toErrorDocument } from "../base/errors.ts"
import { examine } from "../features/doctor/doctor.ts"
import { findDiskTrouble } from "../kernel/process/disk.ts"
import { openDb } from "../kernel/store/open.ts"
import { describeRow } from "./describe-error.ts"

/** A small file system; undefined if this user may not mount one. */
function mountSmall(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "small-disk-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", folder], { stdio: "ignore" })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]))
  return folder
}

test("a full disk is named with its folder and size, by the resting task and by doctor [12.8]", async ({
  skip,
}) => {
  const disk = mountSmall()
  if (!disk) return skip("only root on Linux may mount a small disk")
  const repo = join(disk, "repo")
  execFileSync("git", ["init", "--quiet", repo])
  writeFileSync(join(disk, "filler"), Buffer.alloc(1_500_000))
  const elsewhere = { home: tmpdir(), stateDir: tmpdir(), db: openDb(":memory:") }
  const of = describeRow(elsewhere, (_, id: "here" | "other") => {
    return { repos: [{ path: id === "here" ? repo : tmpdir() }] }
  })
  const error = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
  })
  expect(await of("other", error), "of another row").toBe(toErrorDocument(error).error.message)
  expect(await of("here", error)).toMatch(
    /^the disk of \S+repo is full: \S+ kB of 2.1 MB are free \(ENOSPC: no space left/,
  )
  const env = { PATH: process.env["PATH"], HOME: tmpdir(), COPPICE_STATE: tmpdir() }
  const { checks } = await examine(repo, { env, home: undefined })
  const failed = checks.filter(({ state }) => state === "failed").map(({ text }) => text)
  expect(failed.join("\n")).toMatch(/the disk of \S+repo is full: \S+ kB of 2.1 MB are free/)
})

test("a read-only disk without a free block is read-only, not full [12.8]", async ({ skip }) => {
  const disk = mountSmall()
  if (!disk) return skip("only root on Linux may mount a small disk")
  const repo = join(disk, "repo")
  execFileSync("git", ["init", "--quiet", repo])
  writeFileSync(join(disk, "filler"), Buffer.alloc(1_500_000))
  execFileSync("mount", ["-o", "remount,ro", disk])
  expect(await findDiskTrouble(repo)).toBe(`the disk of ${repo} is read-only`)
  const env = { PATH: process.env["PATH"], HOME: tmpdir(), COPPICE_STATE: tmpdir() }
  const { checks } = await examine(repo, { env, home: undefined })
  const told = checks.find(({ state, name }) => state === "failed" && name === "repo")?.text
  expect(told).toBe(`${repo} cannot be written (EROFS)`)
})

test("an unwritable folder is named, and is not reported as a bug [12.8]", () => {
  const error = Object.assign(new Error("EROFS: read-only file system, mkdir '/w/1'"), {
    code: "EROFS",
    path: "/w/1",
  })
  expect(toErrorDocument(error)).toMatchObject({
    error: {
      code: "system.refused",
      blame: "world",
      message: "/w/1 cannot be read or written: the file system is read-only (EROFS).",
    },
  })
})
