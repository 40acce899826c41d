/** A folder of Markdown files as a source. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { withRepoLock } from "../../kernel/workspaces/locks/repo-lock.ts"
import { type Bench, sourceContract } from "./contract.ts"
import { filesSource } from "./folder-source.ts"

const never = new AbortController().signal

function createBench(): Bench & { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "items-"))
  const titles = new Map<string, string>()
  const write = (id: string, status: string, text: string) =>
    writeFileSync(
      join(folder, `${id}.md`),
      `---\ntitle: ${titles.get(id)}\nstatus: ${status}\n---\n${text}\n`,
    )
  return {
    folder,
    source: filesSource(folder),
    rival: undefined,
    add: ({ title, text }) => {
      const id = `item-${titles.size + 1}`
      titles.set(id, title)
      write(id, "ready", text)
      return id
    },
    edit: (id, text) => write(id, "ready", text),
    withdraw: (id) => write(id, "later", ""),
    offer: (id) => write(id, "ready", ""),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  }
}

sourceContract("files", async () => createBench())

test("one file that cannot be read hides no other, and stays as it is", async () => {
  await using bench = createBench()
  for (let n = 1; n < 50; n++) bench.add({ title: `Item ${n}`, text: "" })
  const broken = "---\ntitle: [\nstatus: ready\n---\n"
  writeFileSync(join(bench.folder, "broken.md"), broken)
  const { ready, problems } = await bench.source.list(never)
  expect(ready).toHaveLength(49)
  expect(ready.slice(0, 2)).toEqual(["item-1", "item-2"])
  expect(problems).toEqual([expect.stringMatching(/broken\.md is left out: .+/)])
  expect(readFileSync(join(bench.folder, "broken.md"), "utf8")).toBe(broken)
})

test("links, folders and other files are no items", async () => {
  await using bench = createBench()
  const secret = join(bench.folder, "secret")
  writeFileSync(secret, "---\nstatus: ready\n---\nA key.\n")
  symlinkSync(secret, join(bench.folder, "link.md"))
  mkdirSync(join(bench.folder, "folder.md"))
  writeFileSync(join(bench.folder, "notes.md"), "No front matter.\n")
  const { ready, problems } = await bench.source.list(never)
  expect(ready).toEqual([])
  expect(problems).toHaveLength(2)
  expect(await bench.source.claim({ item: "link", nonce: "n" }, never)).toEqual({ kind: "gone" })
})

test("a link that an agent landed in the place of the folder is not read", async () => {
  using repo = new TestRepo()
  repo.commit({ "items/one.md": "---\nstatus: ready\n---\nA task.\n" }, "items")
  const source = filesSource(join(repo.path, "items"))
  expect((await source.list(never)).ready).toEqual(["one"])
  await withRepoLock(join(repo.path, ".git"), async () => {}) // Coppice works there
  renameSync(join(repo.path, "items"), join(repo.folder, "elsewhere"))
  symlinkSync("../elsewhere", join(repo.path, "items"))
  const refused = { code: "source.unreadable", message: expect.stringContaining("symbolic link") }
  await expect(source.list(never)).rejects.toMatchObject(refused)
  await expect(source.claim({ item: "one", nonce: "n" }, never)).rejects.toMatchObject(refused)
})

test("a folder that is not there is an error of the whole source", async () => {
  const source = filesSource("/nowhere/at/all")
  await expect(source.list(never)).rejects.toMatchObject({ code: "source.unreadable" })
})
