import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { packLooseObjects } from "./pack-loose.ts"

test("many loose objects are packed, also those that no ref reaches, and none is lost", async () => {
  using repo = new TestRepo()
  const git = join(repo.path, ".git")
  expect(await packLooseObjects(repo.path, git)).toBe(false)
  // Git takes one folder to stand for all.
  const texts = Array.from({ length: 8000 }, (_, n) => String(n).padStart(8, "0"))
  const oid = (text: string) => createHash("sha1").update(`blob 8\0${text}`).digest("hex")
  const blobs = texts.filter((text) => oid(text).startsWith("17"))
  const input = blobs.map((text) => `blob\ndata 8\n${text}\n`).join("")
  const args = ["-c", "fastimport.unpackLimit=1000", "fast-import", "--quiet"]
  execFileSync("git", args, { cwd: repo.path, env: repo.env, input })
  const sample = join(git, "objects", "17")
  expect(readdirSync(sample).length).toBeGreaterThan(14)
  expect(await packLooseObjects(repo.path, git)).toBe(true)
  expect(await packLooseObjects(repo.path, git)).toBe(true)
  expect(existsSync(sample) ? readdirSync(sample) : []).toEqual([])
  expect(repo.git("cat-file", "-t", oid(blobs[0]!))).toBe("blob")
})
