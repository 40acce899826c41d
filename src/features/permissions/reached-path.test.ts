import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { reachedPath } from "./reached-path.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "coppice-reached-")))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, "tree/secrets/deep"), { recursive: true })
mkdirSync(join(folder, "tree/src"))
writeFileSync(join(folder, "tree/secrets/key"), "")
const link = (at: string, to: string) => symlinkSync(to, join(folder, at))
link("tree/src/link", "../secrets")
link("tree/src/file", "../secrets/key")
link("tree/src/new", "../secrets/new")
link("tree/src/out", "/etc")
link("tree/src/circle", "circle")
link("tree/src/deep", "../secrets/deep")
link("other", "tree")
link("tree/src/above", "deep/../above")

test.each([
  ["src/a.ts", "tree/src/a.ts"],
  ["src/none/a.ts", "tree/src/none/a.ts"],
  ["src/link/key", "tree/secrets/key"],
  ["src/link/none", "tree/secrets/none"],
  ["src/file", "tree/secrets/key"],
  ["src/new", "tree/secrets/new"],
  ["src/deep/../key", "tree/secrets/key"],
  ["src/above", "tree/secrets/above"],
  [`src/link/${"none/".repeat(50)}a`, `tree/secrets/${"none/".repeat(50)}a`],
  [join(folder, "other/src/link/key"), "tree/secrets/key"],
])("%s leads to %s [9.12]", (path, to) => {
  expect(reachedPath(path, join(folder, "tree"))).toBe(join(folder, to))
})

test("a path out of the worktree is the real one, and a circle is none [9.12]", () => {
  expect(reachedPath("src/out/passwd", join(folder, "tree"))).toBe("/etc/passwd")
  expect(reachedPath("src/circle", join(folder, "tree"))).toBeUndefined()
})

test("a worktree behind a link keeps its own name [9.12]", () => {
  expect(reachedPath("src/link/key", join(folder, "other"))).toBe(join(folder, "other/secrets/key"))
})
