import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import type { Oid } from "../../../base/ids.ts"
import { isolateMerges, readAttributes } from "./merge-isolation.ts"

const PATHS = [".gitattributes", "d/.gitattributes"]

/**
 * The attributes that merges at this commit use: git reads them from the commit, or from the
 * folder.
 */
async function attributesAt(repo: TestRepo, tip: Oid): Promise<(string | undefined)[]> {
  await using isolation = await isolateMerges(repo.path, await readAttributes(repo.path, tip), [])
  const [source] = isolation.args
  if (source) {
    expect(source).toBe(`--attr-source=${tip}`)
    return PATHS.map((path) => textAt(repo, `${tip}:${path}`))
  }
  const files = PATHS.map((path) => join(isolation.folder, path))
  return files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined))
}

function textAt(repo: TestRepo, name: string): string | undefined {
  try {
    return `${repo.git("cat-file", "blob", name)}\n`
  } catch {
    return undefined
  }
}

test("attributes are those of the commit, from whichever commit the last ones were", async () => {
  using repo = new TestRepo()
  const none = repo.tip("main")
  const one = repo.commit({ ".gitattributes": "a -merge\n", "a.txt": "a" })
  const two = repo.commit({ ".gitattributes": "b -merge\n", "d/.gitattributes": "c -merge\n" })
  const gone = repo.commit({ ".gitattributes": null })
  const expected = new Map([
    [none, [undefined, undefined]],
    [one, ["a -merge\n", undefined]],
    [two, ["b -merge\n", "c -merge\n"]],
    [gone, [undefined, "c -merge\n"]],
  ])
  for (const tip of [one, two, one, gone, none, two, gone, one])
    expect(await attributesAt(repo, tip)).toEqual(expected.get(tip))
})

test("a commit that is gone does not stand in the way", async () => {
  using repo = new TestRepo()
  const kept = repo.commit({ ".gitattributes": "a -merge\n" })
  const lost = repo.commit({ ".gitattributes": "b -merge\n" })
  expect(await attributesAt(repo, lost)).toEqual(["b -merge\n", undefined])
  repo.git("reset", "--quiet", "--hard", kept)
  repo.git("reflog", "expire", "--expire=now", "--all")
  repo.git("prune", "--expire=now")
  expect(() => repo.git("cat-file", "-e", lost)).toThrow()
  expect(await attributesAt(repo, kept)).toEqual(["a -merge\n", undefined])
})

test("a missing repository is reported once, and no rejection is unhandled", async () => {
  using repo = new TestRepo()
  const gone = join(repo.folder, "gone")
  await expect(readAttributes(gone, repo.tip("main"))).rejects.toMatchObject({
    code: "git.folder_missing",
  })
})
