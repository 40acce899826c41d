import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../../test/support/repo.ts"
import { gitPath } from "../start/git-path.ts"
import { readBlobAt } from "./cat-file.ts"

test("reads files of a commit, through links that stay inside it", async () => {
  using repo = new TestRepo()
  symlinkSync("d/ü\n.txt", join(repo.path, "link"))
  symlinkSync("/etc/hostname", join(repo.path, "out"))
  const commit = repo.commit({ "d/ü\n.txt": Buffer.from([0xff, 0, 10]), long: "x".repeat(500_000) })
  const read = (path: string) => readBlobAt(repo.path, commit, gitPath(path), 1000)

  expect(await read("d/ü\n.txt")).toEqual(Buffer.from([0xff, 0, 10]))
  expect(await read("link")).toEqual(Buffer.from([0xff, 0, 10]))
  expect(await read("long")).toEqual(Buffer.from("x".repeat(1000)))
  for (const path of ["none", "d", "out"]) expect(await read(path), path).toBeUndefined()
})
