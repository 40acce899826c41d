import { expect, test } from "vitest"
import { runInTime } from "./run-in-time.ts"

const around = {
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  logs: () => "the daemon was busy",
}

test("a program that hangs is ended, and its output, processes and daemon logs are shown", async () => {
  const run = ["sh", "-c", "echo begun; echo warned >&2; sleep 987654"]
  const failed = await runInTime(run, { ...around, msMax: 300 }).catch((error) => error)
  expect(failed.message).toMatch(/^sh -c .* had not ended after 300 ms/)
  for (const part of [/\n.*sleep 987654\n/, "begun", "warned", "the daemon was busy"])
    expect(failed.message).toMatch(part)
})

test("a program that ends returns its output; a failed one shows it", async () => {
  expect(await runInTime(["sh", "-c", "echo done"], around)).toBe("done\n")
  const failed = await runInTime(["sh", "-c", "echo why; exit 3"], around).catch((error) => error)
  expect(failed.message).toMatch(/ended with 3\nstdout:\nwhy\n/)
})
