import { afterAll, beforeAll, describe, expect, vi, test as vitest } from "vitest"
import { TestImage } from "../../../test/support/container.ts"
import { demandImage, type Engine, findEngine } from "./container-engine.ts"
import { probeContainer } from "./probe-container.ts"

const images = TestImage.all()
for (const { env } of images)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
afterAll(() => {
  for (const image of images) image[Symbol.dispose]()
  vi.unstubAllEnvs()
})

describe.each(images)("with $engineName", (image) => {
  const test = image.missing === undefined ? vitest : vitest.skip
  let engine: Engine
  beforeAll(async () => {
    if (image.missing === undefined) engine = await findEngine(image.engineName, process.env)
  })

  test("an image that was built from a devcontainer.json has its variables, and any other is refused [43.18]", async () => {
    const built = `${image.name}-dev`
    const named = { image: image.name, devcontainer: true }
    const env = { ...process.env, PATH: "/nowhere" }
    await expect(demandImage(engine, named, env)).rejects.toMatchObject({
      message: `the image ${image.name} was not made by \`devcontainer build\``,
      hints: [expect.stringContaining("npm install --global @devcontainers/cli")],
    })
    const json = JSON.stringify([{ containerEnv: { KEPT: "of the image" }, mounts: ["/:/host"] }])
    const quoted = engine.name === "podman" ? json : JSON.stringify(json)
    const made = image.engine("create", image.name, "sh")
    image.engine("commit", "--change", `LABEL devcontainer.metadata=${quoted}`, made, built)
    image.engine("rm", made)
    try {
      const { variables } = await demandImage(engine, { ...named, image: built }, process.env)
      expect(variables).toEqual({ KEPT: "of the image" })
    } finally {
      image.engine("rmi", built)
    }
  })

  test("an image that is missing, or lacks a program, is refused with a way out [43.13]", async () => {
    const none = { image: "localhost/coppice-none:1", devcontainer: false }
    const missing = demandImage(engine, none, process.env)
    await expect(missing).rejects.toMatchObject({
      message: expect.stringContaining(`${engine.name} has no image localhost/coppice-none:1`),
      hints: [expect.stringContaining(`\`${engine.name} pull localhost/coppice-none:1\``)],
    })
    const limits = { devcontainer: false, memory: undefined, cpus: undefined, pids: undefined }
    const config = { image: image.name, engine: engine.name, ...limits }
    const probe = (...programs: string[]) => probeContainer(config, programs, process.env)
    await probe("git")
    await expect(probe("git", "aider")).rejects.toThrow("has no program aider")
  })
})

vitest("without an engine a container is refused, with what to install [43.13]", async () => {
  const none = findEngine(undefined, { PATH: "/nowhere" })
  await expect(none).rejects.toMatchObject({
    message: "there is no program podman or docker",
    hints: [expect.stringContaining("Install Podman")],
  })
  await expect(findEngine("docker", { PATH: "/nowhere" })).rejects.toThrow("no program docker")
})
