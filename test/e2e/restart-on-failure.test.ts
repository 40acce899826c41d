/** Coppice restarts a failed task once: people, hooks and watchers do not see it stopped. */
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { Receiver } from "../support/receiver.ts"

test("a restart by Coppice is no end: `run` goes on, and neither hooks nor notifications follow it [45.6, 45.9]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  const note = (name: string) => ({ command: `echo "$COPPICE_EVENT" >> ${fleet.steps}/${name}` })
  fleet.approve(
    {
      version: 1,
      repos: { app: { gate: false } },
      notify: { me: { type: "webhook", url: receiver.url } },
      agents: {
        sh: {
          runtime: "command",
          command:
            'if [ "$COPPICE_TURN" = 1 ]; then echo no space left; exit 3; fi; echo a > a.txt',
          restart_on_failure: true,
          hooks: { after_run: [note("after")], on_error: [note("error")] },
        },
      },
    },
    "configure",
  )
  const { code, stdout } = await fleet.coppice("run", "Write a.txt")
  expect([code, stdout]).toEqual([0, expect.stringContaining("failed, and is restarted once")])
  expect(stdout).not.toContain("Next step")
  expect(await fleet.client.show("1")).toMatchObject({ state: "complete", usage: { turns: 2 } })
  await fleet.event(({ type }) => type === "hook.ran")
  expect(fleet.noted("after")).toEqual(["task.landed"])
  expect(fleet.noted("error")).toEqual([])
  expect(receiver.got).toEqual([])
})
