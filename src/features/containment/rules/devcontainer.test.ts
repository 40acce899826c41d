import { expect, test } from "vitest"
import { buildHint, readVariables } from "./devcontainer.ts"

const label = (...parts: object[]) => JSON.stringify(parts)

test("containerEnv and remoteEnv of a devcontainer.json are variables, the later ones win [43.19]", () => {
  const parts = [{ containerEnv: { A: "feature", B: "b" } }, { containerEnv: { A: "own" } }]
  expect(readVariables(label(...parts, { remoteEnv: { B: "remote" } }))).toEqual({
    A: "own",
    B: "remote",
  })
})

test.each([
  ["a variable of the machine", { containerEnv: { A: "${localEnv:GITHUB_TOKEN}" } }],
  ["another variable", { remoteEnv: { PATH: "${containerEnv:PATH}:/x" } }],
  ["HOME", { containerEnv: { HOME: "/root" } }],
  ["a variable of ours", { remoteEnv: { COPPICE_URL: "http://elsewhere" } }],
  ["an odd name", { containerEnv: { "A=B\n": "x" } }],
  ["a number", { containerEnv: { A: 1 } }],
  ["an odd list", { containerEnv: ["A"], remoteEnv: null }],
  ["mounts, privileges and commands", { mounts: ["/:/host"], privileged: true, runArgs: ["-v"] }],
])("of a devcontainer.json, %s is not taken [43.19]", (_what, part) => {
  expect(readVariables(label(part))).toEqual({})
})

test.each(["", "<no value>", "{}", "null"])("%j is no label of a devcontainer", (text) => {
  expect(readVariables(text)).toBeUndefined()
})

test("an image is built by a command to copy, after the program is installed", () => {
  expect(buildHint("podman", "mine", true)).toBe(
    "Read devcontainer.json, then run `devcontainer build --workspace-folder . --docker-path podman --image-name mine` in the repository.",
  )
  expect(buildHint("docker", "mine", false)).toContain("npm install --global @devcontainers/cli")
})
