import { expect, test } from "vitest"
import type { Oid, RefName } from "../../../base/ids.ts"
import { howMoved, type RefStep, type SeenMove } from "./target-move.ts"

const [from, to] = ["a", "b"].map((char) => char.repeat(40)) as [Oid, Oid]
const step = (change: Partial<RefStep>): RefStep => {
  return { commit: to, reason: "commit: x", by: "P <p@x>", atMs: 0, isOurs: false, ...change }
}
const usual: SeenMove = {
  from,
  to,
  alias: undefined,
  renamed: undefined,
  steps: [step({})],
  isLogged: true,
  isFastForward: true,
  task: undefined,
}
const logged = (reason: string) => ({ steps: [step({ reason })] })

test.each<[string, Partial<SeenMove>]>([
  ["a person's commit", {}],
  ["a pull", logged("pull: Fast-forward")],
  ["a merge of a task's branch by hand", { ...logged("merge topic: Fast-forward"), task: 3 }],
  ["a commit on the target that a task has taken in since", { task: 3 }],
  ["a landing", { steps: [step({ isOurs: true, reason: "" })] }],
  ["a push to a bare repository, which keeps no reflog", { steps: undefined, isLogged: false }],
])("%s is business as usual [2.9]", (_, change) => {
  expect(howMoved({ ...usual, ...change })).toBeUndefined()
})

test.each<[string, Partial<SeenMove>, string]>([
  ["update-ref", logged(""), "without a reason"],
  ["a write to the ref's file", { steps: [] }, "without an entry"],
  ["a removed reflog", { steps: undefined }, "without an entry"],
  ["a reset", { ...logged("reset: moving to x"), isFastForward: false }, "does not contain"],
  ["a push of a task's branch", { ...logged("push"), task: 3 }, "commits of task 3"],
  ["a symbolic ref", { alias: "refs/heads/x" as RefName }, "symbolic ref to refs/heads/x"],
  ["a deletion", { to: undefined }, "deleted"],
  ["a rename", { to: undefined, renamed: "refs/heads/x" as RefName }, "renamed to x"],
  [
    "update-ref, with a commit on top of it",
    { steps: [step({}), step({ commit: from, reason: "" })] },
    "without a reason",
  ],
])("%s moves a target past the gate [2.8]", (_, change, how) => {
  expect(howMoved({ ...usual, ...change })).toContain(how)
})
