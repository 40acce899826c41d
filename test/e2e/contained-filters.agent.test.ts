/** Filters run outside of any fence, also on the work of a contained agent. */
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

test("a filter of the user's or an approved one that finds its program in the worktree does not run, and doctor names it [43.44]", async () => {
  await using fleet = new Fleet()
  const { repo, steps } = fleet
  const filter = "tools/clean.sh"
  fleet.userConfig("filter.nb.clean", `sh ${filter}`)
  repo.git("config", "filter.own.clean", filter)
  const mine = join(steps, "mine")
  writeFileSync(mine, "#!/bin/sh\ntr a-z A-Z\n")
  chmodSync(mine, 0o755)
  fleet.userConfig("filter.mine.clean", mine)
  const attributes = "*.nb filter=nb\n*.own filter=own\n*.mine filter=mine\n"
  repo.commit({ ".gitattributes": attributes, [filter]: "cat\n" }, "filters")
  fleet.configure({ repo: { gate: "true" }, sh: { containment: "sandbox" } })
  const trust = await fleet.coppice("trust", "--yes")
  const doctor = await fleet.coppice("doctor")
  for (const { stdout } of [trust, doctor]) {
    for (const name of ["nb", "own"]) expect(stdout).toContain(`filter.${name}.clean`)
    expect(stdout).not.toContain("filter.mine.clean")
    expect(stdout).toContain("absolute path outside of every repository")
  }
  const work = `printf '#!/bin/sh\\necho ran >> ${steps}/marker\\ncat' > ${filter}; chmod +x ${filter}`
  const id = await fleet.start(`${work}; for i in nb own mine; do echo work > a.$i; done`)
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  const landed = ["nb", "own", "mine"].map((name) => repo.git("show", `main:a.${name}`))
  expect(landed).toEqual(["work", "work", "WORK"])
  expect(fleet.noted("marker")).toEqual([])
})
