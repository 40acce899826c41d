/** An image that the real devcontainer CLI builds from a repository's devcontainer.json, with Podman. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, test as vitest } from "vitest"
import { findAgentFolder } from "../support/agent-programs.ts"
import { TestImage } from "../support/container.ts"
import { Fleet } from "../support/fleet.ts"

const base = new TestImage("podman")
const folder = findAgentFolder("devcontainer")
const missing = base.missing ?? (folder ? undefined : "`npm run test:agents` fetches devcontainer")
if (missing !== undefined) console.warn(`SKIPPED: devcontainer.json is not tested: ${missing}`)
afterAll(() => base[Symbol.dispose]())

const test = vitest.skipIf(missing !== undefined)
const NAME = base.name.replace("coppice-test", "coppice-dev")

test("a devcontainer.json gives its image and its variables, and nothing else [43.18, 43.19]", async () => {
  await using fleet = new Fleet()
  Object.assign(fleet.extra, base.env)
  const { repo, home } = fleet
  const marker = join(home.path, "ran")
  const definition = (variable: string) => ({
    build: { dockerfile: "Dockerfile" },
    initializeCommand: `touch ${marker}`,
    postCreateCommand: `touch ${marker}`,
    mounts: [`source=${home.path},target=/host,type=bind`],
    runArgs: ["--privileged", "--volume", `${home.path}:/host`],
    privileged: true,
    remoteUser: "nobody",
    containerEnv: { FROM_DEV: variable, SECRET: "${localEnv:TOKEN}" },
  })
  const write = (variable: string) => ({
    ".devcontainer/devcontainer.json": `// of the project\n${JSON.stringify(definition(variable))}`,
    ".devcontainer/Dockerfile": `FROM ${base.name}\nRUN echo made > /made\n`,
  })
  repo.commit(write("first"), "devcontainer")
  const container = { image: NAME, devcontainer: true, engine: "podman" }
  fleet.configure({ repo: { gate: false }, sh: { container, contained: { read: [fleet.steps] } } })

  const refused = await fleet.coppice("run", "true")
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain(`devcontainer build --workspace-folder . --docker-path podman`)
  expect(refused.stderr).toContain("npm install --global @devcontainers/cli")

  const env = { ...process.env, ...base.env, TOKEN: "s3cret", TMPDIR: home.path }
  const words = ["build", "--workspace-folder", ".", "--docker-path", "podman"]
  const options = { cwd: repo.path, env, encoding: "utf8" } as const
  const program = join(folder ?? "", "devcontainer")
  const built = spawnSync(program, [...words, "--image-name", NAME], options)
  expect(built.status, built.stdout + built.stderr).toBe(0)
  try {
    const look = `{ echo "$FROM_DEV, $SECRET, $(id -u)"; cat /made; ls /host || echo no host
      grep CapEff /proc/self/status; } 2>/dev/null`
    const id = await fleet.start(`${look} > seen.txt
      sed -i s/first/second/ .devcontainer/devcontainer.json`)
    expect(await fleet.until(id)).toMatchObject({ state: "complete" })
    const seen = `first, , ${process.getuid?.()}\nmade\nno host\nCapEff:\t0000000000000000`
    expect(repo.git("show", "main:seen.txt")).toBe(seen)
    // The agent's change of the file has landed, and counts once a person builds the image again.
    expect(repo.git("show", "main:.devcontainer/devcontainer.json")).toContain("second")
    const next = await fleet.start(`${look} > next.txt`)
    expect(await fleet.until(next)).toMatchObject({ state: "complete" })
    expect(repo.git("show", "main:next.txt")).toBe(seen)
    expect(existsSync(marker)).toBe(false)
  } finally {
    base.engine("rmi", "--force", NAME)
  }
})
