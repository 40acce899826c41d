import { expect, test } from "vitest"
import { arrows, toMermaid } from "../../test/support/machine.ts"
import { next, type Table } from "./machine.ts"

const DOOR: Table<"open" | "closed" | "walled", "close" | "open" | "wall"> = {
  open: { close: "closed" },
  closed: { open: "open", wall: "walled" },
  walled: {},
}

test("an event that the state accepts leads on; any other leads nowhere", () => {
  expect(next(DOOR, "closed", "wall")).toBe("walled")
  expect(next(DOOR, "open", "wall")).toBeUndefined()
})

test("arrows are listed as they are written", () => {
  expect(arrows(DOOR)).toEqual([
    { from: "open", event: "close", to: "closed" },
    { from: "closed", event: "open", to: "open" },
    { from: "closed", event: "wall", to: "walled" },
  ])
})

test("a diagram shows where it starts and every arrow", () => {
  expect(toMermaid(DOOR, "open").split("\n")).toEqual([
    "stateDiagram-v2",
    "  [*] --> open",
    "  open --> closed: close",
    "  closed --> open: open",
    "  closed --> walled: wall",
    "",
  ])
})
