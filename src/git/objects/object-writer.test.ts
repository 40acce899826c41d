import { chmodSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import type { Oid } from "../../core/ids.ts"
import { GitError } from "../errors.ts"
import { type NewObject, objectOid, writeObjects } from "./object-writer.ts"
import { rawId } from "./raw-id.ts"

/** A tree of one file, and two commits of it, each named before it is written. */
function chain(repo: TestRepo): { objects: Map<Oid, NewObject>; tip: Oid } {
  const head = repo.tip("HEAD")
  const objects = new Map<Oid, NewObject>()
  const add = (object: NewObject) => {
    const oid = objectOid(object, head)
    objects.set(oid, object)
    return oid
  }
  const blob = rawId(repo.tip("HEAD:README.md"))
  const tree = add({ type: "tree", raw: `100644 odd\xff\0${blob}100755 x\0${blob}` })
  let tip = head
  for (const message of ["one", "h\xfc two"]) {
    const who = "a <a@example.com> 1000000000 +0000"
    const raw = `tree ${tree}\nparent ${tip}\nauthor ${who}\ncommitter ${who}\n\n${message}\n`
    tip = add({ type: "commit", raw })
  }
  return { objects, tip }
}

const cases = [
  { objectFormat: "sha1", isPlainStore: true },
  { objectFormat: "sha256", isPlainStore: true },
  { objectFormat: "sha1", isPlainStore: false },
] as const

test.each(cases)(
  "writes what git takes for its own, twice with no harm ($objectFormat, plain: $isPlainStore)",
  async ({ objectFormat, isPlainStore }) => {
    using repo = new TestRepo({ objectFormat })
    const { objects, tip } = chain(repo)
    for (const _ of ["once", "again"]) await writeObjects(repo.path, objects, { isPlainStore })
    expect(repo.git("rev-list", "--count", tip)).toBe("3")
    expect(repo.git("fsck", "--strict", "--no-dangling")).toBe("")
    expect(repo.git("ls-tree", "-r", "-z", "--name-only", tip)).toBe("odd\ufffd\0x\0")
    const folder = join(repo.path, ".git/objects", tip.slice(0, 2))
    expect(statSync(join(folder, tip.slice(2))).mode & 0o777).toBe(0o444 & ~process.umask())
    expect(readdirSync(folder).filter((name) => name.startsWith("tmp_"))).toEqual([])
  },
)

test("what is there already stays as it is, but young; an empty file is none", async () => {
  using repo = new TestRepo()
  const { objects, tip } = chain(repo)
  await writeObjects(repo.path, objects, { isPlainStore: true })
  const files = [...objects.keys()].map((oid) =>
    join(repo.path, ".git/objects", oid.slice(0, 2), oid.slice(2)),
  )
  const [first, ...others] = files.map((file) => ({ file, ino: statSync(file).ino }))
  for (const { file } of others) utimesSync(file, 1, 1)
  rmSync(first!.file)
  writeFileSync(first!.file, "") // as a power failure leaves it
  await writeObjects(repo.path, objects, { isPlainStore: true })
  for (const { file, ino } of others) {
    expect(statSync(file).ino).toBe(ino)
    expect(Date.now() - statSync(file).mtimeMs).toBeLessThan(60_000)
  }
  expect(repo.git("fsck", "--strict", "--no-dangling", tip)).toBe("")
})

test("no folder of objects is made where the repository has gone", async () => {
  using repo = new TestRepo()
  const { objects } = chain(repo)
  const folder = join(repo.path, ".git/objects")
  rmSync(folder, { recursive: true })
  await expect(writeObjects(repo.path, objects, { isPlainStore: true })).rejects.toThrow(GitError)
  expect(statSync(folder, { throwIfNoEntry: false })).toBe(undefined)
})

test("where a file cannot be written git is asked, and says why", async () => {
  using repo = new TestRepo()
  const { objects } = chain(repo)
  const folder = join(repo.path, ".git/objects")
  for (const oid of objects.keys())
    repo.write({ [`.git/objects/${oid.slice(0, 2)}`]: "in the way" })
  chmodSync(folder, 0o755)
  await expect(writeObjects(repo.path, objects, { isPlainStore: true })).rejects.toThrow(GitError)
})

test("what is no commit is refused by git", async () => {
  using repo = new TestRepo()
  const object = { type: "commit", raw: "no commit" } as const
  const objects = new Map([[objectOid(object, repo.tip("HEAD")), object]])
  await expect(writeObjects(repo.path, objects, { isPlainStore: false })).rejects.toThrow(GitError)
  await writeObjects(repo.path, new Map(), { isPlainStore: false })
})
