/** Containers from outside: their labels, what is left after a death, and refusals. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test as vitest } from "vitest"
import { hidePrograms } from "../support/contained.ts"
import { TestImage } from "../support/container.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const images = TestImage.all()
afterAll(() => {
  for (const image of images) image[Symbol.dispose]()
})

describe.each(images)("with $engineName", (image) => {
  const { engineName: engine, missing } = image
  const test = missing === undefined ? vitest : vitest.skip

  function fleetIn(name: string, command?: readonly string[]): Fleet {
    const fleet = new Fleet()
    Object.assign(fleet.extra, image.env)
    const words = command ? { command } : {}
    fleet.configure({
      sh: { container: { image: name, engine }, contained: { read: [fleet.steps] }, ...words },
    })
    return fleet
  }

  test("a container has labels, and one that a dead daemon left goes at the next start [43.14]", async () => {
    await using fleet = fleetIn(image.name)
    const id = await fleet.start("touch begun.txt; sleep 600")
    const listed = (label: string) => image.engine("ps", "-aq", "--filter", `label=${label}`)
    const home = `coppice.home=${fleet.repo.path}`
    await waitFor("the agent", async () => {
      const worktree = (await fleet.client.show(id)).repos[0]?.worktree
      return Boolean(worktree) && existsSync(join(worktree ?? "", "begun.txt"))
    })
    const container = listed(home)
    const format = "{{range $k, $v := .Config.Labels}}{{$k}}={{$v}}\n{{end}}"
    const labels = image.engine("inspect", "--format", format, container).split("\n")
    expect(labels).toEqual(expect.arrayContaining([home, `coppice.task=${id}`, "coppice.job=1"]))
    await fleet.kill()
    const running = () => image.engine("ps", "-q", "--filter", `label=${home}`)
    await waitFor("its end", () => running() === "")
    const state = labels.find((label) => label.startsWith("coppice.state=")) ?? ""
    const stray = ["--label", state, "--label", home, image.name, "sleep", "600"]
    image.engine("run", "--detach", "--network=none", ...stray)
    expect(running()).not.toBe("")
    await fleet.coppice("up", "-d")
    expect(listed(home)).toBe("")
  })

  test("a task is refused if the image is missing or lacks its program, with what helps [43.13]", async () => {
    {
      await using fleet = fleetIn("localhost/coppice-none:1")
      const { code, stderr } = await fleet.coppice("run", "echo a > a.txt")
      expect(code).not.toBe(0)
      expect(stderr).toContain(`${engine} has no image localhost/coppice-none:1`)
      expect(stderr).toContain(`${engine} pull localhost/coppice-none:1`)
    }
    await using fleet = fleetIn(image.name, ["aider", "{prompt}"])
    const { stderr } = await fleet.coppice("run", "echo a > a.txt")
    expect(stderr).toContain(`the image ${image.name} has no program aider`)
  })
})

vitest(
  "without an engine a task is refused before it starts, with what to install [43.13]",
  async () => {
    await using fleet = new Fleet()
    fleet.configure({ sh: { container: { image: "node:24" } } })
    hidePrograms(fleet, ["podman", "docker"])
    const { code, stderr } = await fleet.coppice("run", "echo a > a.txt")
    expect(code).not.toBe(0)
    expect(stderr).toContain("there is no program podman or docker")
    expect(stderr).toContain("Install Podman")
  },
)

vitest.skipIf(images.find(({ engineName }) => engineName === "podman")?.missing !== undefined)(
  "`coppice agent` needs neither Node nor its libraries in the image [43.42]",
  async () => {
    using bare = new TestImage("podman", { isBare: true })
    await using fleet = new Fleet()
    Object.assign(fleet.extra, bare.env)
    fleet.configure({ repo: { gate: false }, sh: { container: { image: bare.name } } })
    const id = await fleet.start(
      "! command -v node && coppice agent progress 'half of it' > a.txt 2>&1; git add . && git commit -qm work",
    )
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    expect(fleet.repo.git("show", "main:a.txt")).not.toMatch(/librar|not found/)
    expect((await fleet.coppice("logs", id)).stdout).toContain("half of it")
  },
)
