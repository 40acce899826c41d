/** No hook of the home runs what a contained agent lands before a person has seen it. */
import { afterAll, describe, expect, test as vitest } from "vitest"
import { containedBy, listKinds } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import { waitFor } from "../support/wait-for.ts"

const image = new TestImage()
afterAll(() => image[Symbol.dispose]())

const KINDS = await listKinds(image)

describe.each(KINDS)("in a $kind", (kind) => {
  const test = vitest.skipIf(kind.missing !== undefined)

  test("a change of what a hook runs waits for a person, and other work does not [43.32]", async () => {
    await using fleet = containedBy(kind)()
    const { repo, steps } = fleet
    repo.commit({ "scripts/done.sh": '. "$(dirname "$0")/lib.sh"\n', "scripts/lib.sh": "" }, "hook")
    const after_run = [{ command: "cd scripts && sh done.sh" }]
    const contained = kind.settings({ read: [steps] })
    fleet.configure({ repo: { gate: false }, sh: { ...contained, hooks: { after_run } } })
    const other = await fleet.start("echo a > a.txt")
    expect(await fleet.until(other)).toMatchObject({ state: "complete" })
    const id = await fleet.start(`echo 'echo ran >> ${steps}/ran' > scripts/lib.sh`)
    expect(await fleet.until(id)).toMatchObject({ state: "in_approval" })
    const { stdout } = await fleet.coppice("why", id)
    expect(stdout).toContain("scripts/lib.sh")
    expect(fleet.noted("ran")).toEqual([])
    expect((await fleet.coppice("approve", id)).code).toBe(0)
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    await waitFor("the hook", async () => fleet.noted("ran").length === 1)
  })
})
