import { expect, test } from "vitest"
import type { TaskId } from "../../../base/ids.ts"
import { ProcessOwner } from "../../process/owner.ts"
import { runBounded } from "../../process/run.ts"
import { runStep } from "./worktree-step.ts"

async function run(command: string, signal = new AbortController().signal) {
  await using owner = new ProcessOwner({ mark: `step-test-${process.pid}` })
  const env = { PATH: process.env["PATH"] ?? "", COPPICE_TASK: "7" }
  const step = {
    step: "setup",
    command,
    task: 7 as TaskId,
    repo: "app",
    worktree: "/",
    env,
    signal,
  } as const
  await runStep((bounded) => runBounded(owner, bounded), step)
}

test("a successful command returns nothing more", async () => {
  await run('test "$COPPICE_TASK" = 7 && test "$PWD" = /')
})

test("a failing command is named, with the end of its output and the setting to change", async () => {
  await expect(run("echo no such registry >&2; exit 3")).rejects.toMatchObject({
    code: "workspace.setup_failed",
    blame: "world",
    message: expect.stringMatching(/setup, `echo .*`, exited with 3\.\nno such registry$/),
    hints: expect.arrayContaining([expect.stringContaining("repos.app.setup")]),
  })
})

test.each([
  ["no-such-tool --all", 127, "no-such-tool"],
  ["/etc", 126, "/etc"],
])(
  "the command `%s` exits with %i, and its program and setting are named [28.11]",
  async (command, code, program) => {
    await expect(run(command)).rejects.toMatchObject({
      code: "workspace.setup_failed",
      message: expect.stringContaining(`exited with ${code}: the program \`${program}\` `),
      hints: [
        `Install \`${program}\`, or set \`repos.app.setup\` in coppice.yml to another command.`,
      ],
    })
  },
)

test("an abort is not a failure of the command", async () => {
  const reason = new Error("cancelled by a person")
  await expect(run("true", AbortSignal.abort(reason))).rejects.toBe(reason)
})
