import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type BranchFacts, branchName } from "./branch-name.ts"

const PATTERN = "agent/{agent}/{workItem}"
const FACTS: BranchFacts = {
  task: 7,
  title: "Fix the typo",
  workItem: null,
  agent: "coder",
  job: 12,
  nowMs: Date.UTC(2024, 1, 3, 23, 59),
}
const named = (facts: Partial<BranchFacts>, pattern = PATTERN) =>
  branchName(pattern, { ...FACTS, ...facts })

/** Git's own verdict on the name as a new branch. */
function isAccepted(name: string): boolean {
  try {
    execFileSync("git", ["check-ref-format", "--branch", name], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

test("L08: a title full of forbidden characters still names a branch", () => {
  const name = named({ title: "Fix: a~b .. @{1}.lock" })
  expect(name).toBe("agent/coder/7-fix-a-b-1-lock")
  expect(isAccepted(name)).toBe(true)
})

test.each(["", "   ", "修复错误", "///", "...", "🌱"])(
  "L09: without a work item and with the title %j, the task's id stands in, and no slash is last",
  (title) => {
    expect(named({ title })).toBe("agent/coder/7")
    expect(named({ title, workItem: "" })).toBe("agent/coder/7")
  },
)

test("fills in every placeholder and leaves unknown ones as they are", () => {
  const pattern = "{agent}/{date}/{jobId}/{workItem}/{other}"
  expect(named({ workItem: "gh-17" }, pattern)).toBe("coder/2024-02-03/12/gh-17/{other}")
})

test("drops an empty component", () => {
  expect(named({ agent: "..." }, "agent/{agent}")).toBe("agent")
  expect(named({ agent: "..." }, "{agent}")).toBe("task-7")
  expect(named({}, "HEAD")).toBe("task-7")
})

test("different work items name different branches, even if git forbids the difference", () => {
  const items = ["a b", "a~b", "a-b", "owner/repo#17", "owner/repo:17"]
  expect(new Set(items.map((workItem) => named({ workItem }))).size).toBe(items.length)
  expect(named({ workItem: "LIN-42" })).toBe("agent/coder/LIN-42")
})

test("work items with the same first 120 characters name branches of their own [25.1]", () => {
  const alike = "x".repeat(150)
  const items = [alike, `${alike}1`, `${alike}2`, `${alike}/1`]
  for (const pattern of [PATTERN, "agent/{agent}-{workItem}"])
    expect(new Set(items.map((workItem) => named({ workItem }, pattern))).size).toBe(items.length)
})

test("git accepts every result, and it fits into a file name", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom(..."abAB.~^:?*[\\@{}/- \n\t", "..", ".lock", "é", "HEAD"),
      maxLength: 40,
    }),
  )
  const facts = fc.record({ title: hostile, agent: hostile, workItem: fc.option(hostile) })
  fc.assert(
    fc.property(facts, hostile, (given, pattern) => {
      for (const name of [named(given), named(given, `${pattern}/{workItem}`)]) {
        expect(isAccepted(name), JSON.stringify(name)).toBe(true)
        for (const component of name.split("/"))
          expect(Buffer.byteLength(component)).toBeLessThan(200)
      }
    }),
    { numRuns: 150 },
  )
})

test("the schedule's name is in the branch, or `manual` without one", () => {
  const name = (schedule?: string) => named({ schedule }, "agent/{scheduleName}/{jobId}")
  expect(name("nightly")).toBe("agent/nightly/12")
  expect(name("every day/../x")).toBe("agent/every-day-.-x/12")
  expect([name(), name(""), name("...")]).toEqual(Array(3).fill("agent/manual/12"))
})

test("without a work item, the schedule and the day name the branch, or the day alone", () => {
  expect(named({ schedule: "nightly" })).toBe("agent/coder/nightly/2024-02-03")
  expect(named({ schedule: "nightly" }, "{scheduleName}/{workItem}")).toBe("nightly/2024-02-03")
  expect(named({ schedule: "nightly", workItem: "gh-1" })).toBe("agent/coder/gh-1")
})
