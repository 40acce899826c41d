/** The shell that starts the relay and then becomes the program, with other relays. */
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { realPath } from "../../kernel/process/fence.ts"
import { throughRelay } from "./through-relay.ts"

const ENV = {
  PATH: process.env["PATH"] ?? "",
  NODE_OPTIONS: "--no-such-option",
  NODE_EXTRA_CA_CERTS: "/nonexistent",
  NODE_DEBUG: "net",
  LD_PRELOAD: "",
}
const PATHS = { home: null, writable: [], readable: [], fixed: [], caches: [] }
const FENCE = { ...PATHS, network: true, findReal: realPath }

/** @param relay a script of the shell. */
function start(relay: string) {
  const program = ["/bin/sh", "-c", relay]
  const { launch } = throughRelay(
    { command: "/bin/sh", args: ["-c", "printenv NODE_EXTRA_CA_CERTS"], cwd: "/", env: ENV },
    FENCE,
    { folder: "/", program, ports: [], readable: [] },
  )
  return spawnSync(launch.command, launch.args, { env: launch.env, encoding: "utf8" })
}

test("a relay that warns before it is ready refuses no program [43.29]", () => {
  expect(start("echo 'Warning: no file' >&2; printf ready")).toMatchObject({
    status: 0,
    stdout: "/nonexistent\n",
  })
})

test("variables for the program's Node do not reach the relay [43.29]", () => {
  const names = ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_DEBUG", "LD_PRELOAD"]
  const isUnset = names.map((name) => `[ -z "\${${name}+set}" ]`).join(" && ")
  expect(start(`${isUnset} && printf ready`)).toMatchObject({ status: 0, stdout: "/nonexistent\n" })
})

test("a relay that is not ready refuses the program, with what it said", () => {
  expect(start("echo the port is taken already")).toMatchObject({
    status: 126,
    stdout: "",
    stderr: "coppice: the relay to the network does not start: the port is taken already\n",
  })
})
