/** A link or a `.worktreeinclude` that a contained agent lands brings no later fence what is the user's. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test as vitest } from "vitest"
import { containedBy, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

const KINDS = await listKinds(image)

describe.each(KINDS)("in a $kind", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)

  test("a link that an agent lands shows the next one nothing of the user's [43.31]", async () => {
    await using fleet = containedBy(kind)()
    const { repo, home } = fleet
    const secret = join(home.path, ".ssh/key")
    mkdirSync(join(home.path, ".ssh"))
    writeFileSync(secret, "secret")
    symlinkSync(join(repo.path, "mine"), join(home.path, "mine"))
    for (const name of ["tools/bin/tool", "named/x", "mine/x"]) repo.commit({ [name]: "" }, name)
    fleet.extra["PATH"] = `${join(repo.path, "tools/bin")}:${process.env["PATH"]}`
    const bound = ["data", "named", "file", "~/mine/inner"]
    const contained = kind.settings({ read: [fleet.steps, ...bound] })
    fleet.configure({ repo: { link: [".env", "shared"], gate: false }, sh: contained })
    const links = ["data", "named", "shared", "tools/lib", "tools/bin", "mine/inner"]
    const land = [
      "git rm -qr tools/bin named",
      "mkdir -p tools",
      ...links.map((name) => `ln -s ${home.path}/.ssh ${name}`),
      ...[".env", "file"].map((name) => `ln -s ${secret} ${name}`),
      "git add . && git commit -qm links",
    ]
    const first = await fleet.until(await fleet.start(land.join("\n")))
    expect(first).toMatchObject({ state: "complete" })
    expect(repo.git("ls-files", "-s", "data")).toMatch(/^120000/)
    const names = [...links.map((name) => `${name}/key`), ".env", "file"]
    const read = names.map((name) => `cat ${repo.path}/${name} && echo ${name} >> seen.txt`)
    const look = [...read, `cat ${home.path}/mine/inner/key && echo inner >> seen.txt`]
    const id = await fleet.start(
      `touch seen.txt\n${look.join("\n")}\ngit add . && git commit -qm seen`,
    )
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(repo.git("show", "main:seen.txt")).toBe("")
    const { stdout } = await fleet.coppice("logs", id)
    expect(stdout).toContain(`${join(repo.path, "data")} is a symbolic link`)
  })

  test("a .worktreeinclude that an agent lands brings the next one nothing of the user's [43.47]", async () => {
    await using fleet = containedBy(kind)({ repo: { gate: "true" } })
    const { repo } = fleet
    repo.commit({ ".gitignore": ".env\n" }, "ignore")
    repo.write({ ".env": "secret" })
    const land = "echo .env > .worktreeinclude; git add . && git commit -qm include"
    expect(await fleet.until(await fleet.start(land))).toMatchObject({ state: "complete" })
    const id = await fleet.start("cat .env > seen.txt; git add . && git commit -qm seen")
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(repo.git("show", "main:seen.txt")).toBe("")
    expect((await fleet.coppice("logs", id)).stdout).toMatch(
      /\.env .*left out.*`repos\.<name>\.copy`/,
    )
  })
})
