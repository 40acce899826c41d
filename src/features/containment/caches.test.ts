import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempDisposableSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fnv1a } from "../../base/text/hash.ts"
import { mountCaches } from "./caches.ts"

test("a pipe in a shared cache is left out of a task's copy [43.16]", async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), "caches-"))
  const [shared, own] = [join(scratch.path, "shared"), join(scratch.path, "own")]
  const cache = join(shared, fnv1a("~/.npm"))
  mkdirSync(join(cache, "a"), { recursive: true })
  spawnSync("mkfifo", [join(cache, "a/pipe")])
  writeFileSync(join(cache, "a/z"), "z")
  symlinkSync("nowhere", join(cache, "link"))
  const [mount] = await mountCaches(["~/.npm"], { shared, own, home: "/home/a" })
  const copied = readdirSync(mount!.from, { recursive: true }).map(String)
  expect(copied.toSorted()).toEqual(["a", "a/z", "link"])
})
