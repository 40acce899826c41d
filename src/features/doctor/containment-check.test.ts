import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import type { AgentConfig } from "../../config/config.ts"
import { checkContainment } from "./containment-check.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A PATH with these programs alone, each a script. */
function withPrograms(scripts: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "coppice-engines-"))
  folders.push(folder)
  symlinkSync("/bin/sh", join(folder, "sh"))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o700)
  }
  return { PATH: folder }
}

/** An agent that runs in this container. */
const agentIn = (container: { image: string; engine?: "podman" | "docker" }) =>
  ({ containment: { by: "container", container } }) as unknown as AgentConfig

const WORKS = { podman: 'case $1 in info) echo "4.3.1 false" ;; *) exit 1 ;; esac' }
const STOPPED = { docker: 'echo "Cannot connect to the Docker daemon." >&2; exit 1' }
const wants = (...agents: readonly AgentConfig[]) => agents

test("promises that do not hold here are named by number [43.41]", async () => {
  const env = withPrograms({ docker: `echo '24.0.1 []'` })
  const [sandbox, docker] = await checkContainment(wants(), env)
  expect(sandbox?.text).toMatch(/\nNot held here: 47\.10, 47\.11 of docs\/security\.md\.$/)
  expect(docker?.text).toBe("docker 24.0.1\nNot held here: 43.39 of docs/security.md.")
})

test("engines are named with their versions, and fail only if an agent needs them", async () => {
  const env = withPrograms({ ...WORKS, ...STOPPED })
  expect((await checkContainment(wants(), env)).slice(1)).toEqual([
    { name: "containers podman", state: "ok", text: "podman 4.3.1", hint: null },
    {
      name: "containers docker",
      state: "ok",
      text: "docker does not work: no Docker daemon answers",
      hint: null, // podman is enough
    },
  ])
  const agent = agentIn({ image: "a", engine: "docker" })
  const found = await checkContainment(wants(agent), env)
  expect(found.filter(({ state }) => state === "failed").map(({ name }) => name)).toEqual([
    "containers docker",
  ])
})

test.each([
  [
    `template: :1:2: executing "" at <.ServerVersion>: reflect: indirection through nil pointer to embedded struct field Info`,
    "no Docker daemon answers",
    /systemctl start docker/,
  ],
  [
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "no Docker daemon answers",
    /systemctl start docker/,
  ],
  [
    "permission denied while trying to connect to the Docker daemon socket",
    "you may not use its daemon",
    /usermod -aG docker/,
  ],
  ["unknown flag: --format", "unknown flag: --format", /systemctl start docker/],
] as const)("docker that says %j gets one sentence and a command", async (said, why, hint) => {
  const env = withPrograms({ docker: `printf '%s\\n' '${said}' >&2; exit 1` })
  const [, docker] = await checkContainment(wants(), env)
  expect(docker).toMatchObject({ text: `docker does not work: ${why}`, hint })
})

test("an engine that is too old, an image that is missing, and no engine at all say what helps", async () => {
  const failures = async (scripts: Readonly<Record<string, string>>) => {
    const found = await checkContainment(
      wants(agentIn({ image: "node:24" })),
      withPrograms(scripts),
    )
    return found.filter(({ state }) => state === "failed").map(({ text, hint }) => [text, hint])
  }
  expect(await failures(WORKS)).toEqual([
    ["podman has no image node:24", "`podman pull node:24` fetches it."],
  ])
  expect(await failures({ podman: "echo 3.0.1 true" })).toEqual([
    ["podman 3.0.1 is too old", "Install podman 4.0 or newer."],
  ])
  const [[text, hint] = []] = await failures({})
  expect(text).toBe("none of these is on the PATH: podman, docker")
  expect(hint).toContain("Install Podman")
})
