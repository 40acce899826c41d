/** Git LFS runs outside of any fence, also on the work of a contained agent. */
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test as vitest } from "vitest"
import { probeSandbox } from "../../src/features/containment/probe-sandbox.ts"
import { Fleet } from "../support/fleet.ts"

const test = vitest.skipIf((await probeSandbox(process.env["PATH"])) !== undefined)
const ASKS =
  'echo "$(git config lfs.url) $(git config lfs.skipdownloaderrors)" >> "$STEPS/asked"; cat'

test("Git LFS downloads nothing where an agent is contained, whatever address a commit names [43.36]", async () => {
  await using fleet = new Fleet()
  const { repo, steps, home } = fleet
  const filter = join(home.path, "filter")
  writeFileSync(filter, `#!/bin/sh\nSTEPS=${steps}\n${ASKS}\n`)
  chmodSync(filter, 0o755)
  fleet.userConfig("filter.lfs.smudge", filter)
  fleet.userConfig("filter.lfs.clean", "cat")
  const contained = { containment: "sandbox", contained: { read: [steps] } }
  fleet.configure({ repo: { gate: "true" }, sh: contained })
  repo.commit({ ".gitattributes": "*.bin filter=lfs\n" }, "attributes")
  const work = "printf '[lfs]\\n url = http://192.0.2.1/\\n' > .lfsconfig; echo oid > a.bin"
  const id = await fleet.start(work)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(repo.git("show", "main:a.bin")).toBe("oid")
  expect(new Set(fleet.noted("asked"))).toEqual(new Set(["file:///dev/null/none true"]))
})
