import { expect, test } from "vitest"
import { type HookConfig, startsHook } from "./rules.ts"

const hook = (kind: HookConfig["kind"]) => ({ kind, events: undefined }) as HookConfig

/** By state and reason of a task: the kinds of hook that start. */
test.each<[to: string, code: string | undefined, kinds: HookConfig["kind"][]]>([
  ["stuck", "failed", ["after_run", "on_error"]],
  ["stuck", "died", ["after_run", "on_error"]],
  ["stuck", "timed_out", ["after_run"]],
  ["stuck", "needs_decision", ["after_run"]],
  ["merge_failed", undefined, ["after_run", "on_error"]],
  ["cancelled", undefined, ["after_run"]],
  ["complete", undefined, ["after_run"]],
  ["working", undefined, []],
])("C03: `on_error` is for failed runs alone: %s (%s) starts %j [41.3]", (to, code, kinds) => {
  const event = { type: "task.moved", data: { to, reason: code && { code } } }
  const all: HookConfig["kind"][] = ["after_run", "on_error"]
  expect(all.filter((kind) => startsHook(hook(kind), event))).toEqual(kinds)
})
