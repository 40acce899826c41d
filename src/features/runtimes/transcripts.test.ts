/** The copy of a transcript: never torn, never through a link, never in place of the program's own. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { keepTranscript, restoreTranscript } from "./transcripts.ts"

/** A program's folder with a transcript, and the folder of the copies. */
function begin(lines: string) {
  const scratch = mkdtempDisposableSync(join(tmpdir(), "transcripts-"))
  const root = join(scratch.path, "program")
  const transcript = {
    kept: join(scratch.path, "kept"),
    session: "5e55",
    root,
    below: "projects",
    isIt: (name: string) => name === "5e55.jsonl",
  }
  const file = join(root, "projects/-a-b/5e55.jsonl")
  mkdirSync(join(root, "projects/-a-b"), { recursive: true })
  writeFileSync(file, lines)
  const copy = join(transcript.kept, "5e55/projects/-a-b/5e55.jsonl")
  return { ...scratch, [Symbol.dispose]: () => scratch.remove(), root, transcript, file, copy }
}

test("a transcript that is gone is put back, for its owner alone [16.11]", async () => {
  using it = begin("1\n2\n")
  await keepTranscript(it.transcript)
  expect(statSync(it.copy).mode & 0o777).toBe(0o600)
  expect(statSync(join(it.transcript.kept, "5e55")).mode & 0o777).toBe(0o700)
  rmSync(it.root, { recursive: true })
  expect(await restoreTranscript(it.transcript)).toBe(true)
  expect([readFileSync(it.file, "utf8"), statSync(it.file).mode & 0o777]).toEqual(["1\n2\n", 0o600])
  expect(await restoreTranscript(it.transcript), "it is there").toBe(false)
})

test("no torn line is kept, and no shorter transcript in place of a longer one [16.11]", async () => {
  using it = begin('1\n{"half')
  await keepTranscript(it.transcript)
  expect(readFileSync(it.copy, "utf8")).toBe("1\n")
  appendFileSync(it.file, '":2}\n')
  await keepTranscript(it.transcript)
  expect(readFileSync(it.copy, "utf8")).toBe('1\n{"half":2}\n')
  writeFileSync(it.file, "1\n")
  await keepTranscript(it.transcript)
  expect(readFileSync(it.copy, "utf8")).toBe('1\n{"half":2}\n')
})

test("a copy never replaces the program's own, wherever that is [16.11]", async () => {
  using it = begin("1\n")
  await keepTranscript(it.transcript)
  mkdirSync(join(it.root, "projects/-other"))
  renameSync(it.file, join(it.root, "projects/-other/5e55.jsonl"))
  writeFileSync(join(it.root, "projects/-other/5e55.jsonl"), "")
  expect(await restoreTranscript(it.transcript)).toBe(false)
  expect(existsSync(it.file)).toBe(false)
})

test("an empty copy is not put back [16.11]", async () => {
  using it = begin("1\n")
  await keepTranscript(it.transcript)
  rmSync(it.file)
  writeFileSync(it.copy, "torn")
  expect(await restoreTranscript(it.transcript)).toBe(false)
})

test.each(["projects", "projects/-a-b", "projects/-a-b/5e55.jsonl"])(
  "a link at %s is not followed, to read or to write [16.11]",
  async (link) => {
    using it = begin("1\n")
    await keepTranscript(it.transcript)
    const elsewhere = join(it.path, "elsewhere")
    renameSync(join(it.root, link), elsewhere)
    symlinkSync(elsewhere, join(it.root, link))
    const deep = ["projects", "projects/-a-b", "projects/-a-b/5e55.jsonl"].indexOf(link)
    const real = join(elsewhere, ["-a-b/5e55.jsonl", "5e55.jsonl", ""][deep] ?? "")
    appendFileSync(real, "2\n")
    await keepTranscript(it.transcript)
    expect(readFileSync(it.copy, "utf8")).toBe("1\n")
    rmSync(real)
    expect(await restoreTranscript(it.transcript)).toBe(false)
    expect(existsSync(real)).toBe(false)
  },
)

test("a folder that cannot be searched is no failure of the turn [16.11]", async () => {
  using it = begin("1\n")
  const odd = { ...it.transcript, root: join(it.path, "x".repeat(300)) }
  await keepTranscript(odd)
  expect(await restoreTranscript({ ...it.transcript, session: "x".repeat(300) })).toBe(false)
  await keepTranscript(it.transcript)
  expect(await restoreTranscript(odd)).toBe(false)
})
